//! `agon graph --extract`: a model reads what the statements of a debate say of earlier ones, in a debate
//! about it. What was read once is taken up again, and paid for once.

use agon_app::{
    Context, Failure, Plan, Result,
    companion::{self, EXTRACTION},
    declarations, display,
    extraction::{Reads, build_extraction, find_extraction, parse_reader, plan_extraction, statements_max},
    models::check_prices,
    opening,
};
use agon_core::Record;
use agon_runtime::drive::SilentWatch;
use agon_text::count_noun;

use super::{CommandContext, drive::drive_debate, ending::wait_for_interrupt};
use crate::{cli::GraphArgs, ui};

/// What `agon graph --extract` comes to.
pub enum ExtractionRun {
    /// What it would ask, cost and send away.
    Planned(Box<Plan>),
    /// The extraction, ended.
    Ended(Box<Record>),
}

/// Holds the extraction of `of` by `model`, continues with one that stopped, or takes the one that was held;
/// shows it where `shown`.
pub async fn run_extraction(
    command_context: &CommandContext,
    context: &Context,
    of: &Record,
    model: &str,
    args: &GraphArgs,
    shown: bool,
) -> Result<ExtractionRun> {
    declarations::find_rules(of)?;
    let (config, journal) = (&context.config, &context.journal);
    let reader = parse_reader(model, config)?;
    let model = reader.entry.model.as_str();
    let debate = &of.opened().debate;
    if of.closing_outcome().is_none() {
        let message = format!("{debate} has not ended, so later statements would not be read");
        return Err(Failure::usage(message, format!("continue with: agon resume {debate}")));
    }
    let reads = Reads::from_record(of);
    if reads.calls == 0 {
        let message = format!("no statement of {debate} follows another: there is nothing to extract");
        return Err(Failure::usage(message, format!("agon graph {debate} shows the graph without extraction")));
    }
    let (id, there) = find_extraction(journal, of, model)?;
    if let Some(record) = there.as_ref().filter(|record| record.closing_outcome().is_some()) {
        return Ok(ExtractionRun::Ended(Box::new(record.clone())));
    }
    let limits = opening::fixed_limits(statements_max(), &args.budget.clone().into(), &config.limits)?;
    let (fresh, texts) = build_extraction(context, of, &id, model, limits)?;
    let opened = there.map_or(fresh, |record| record.opened().clone());
    check_prices(std::slice::from_ref(&reader), &opened.limits)?;
    let plan = plan_extraction(context, &opened, &reader, &texts)?;
    if args.plan {
        return Ok(ExtractionRun::Planned(Box::new(plan)));
    }
    if !command_context.quiet {
        let Reads { statements, calls } = reads;
        let told = format!(
            "{model} reads {} of {debate}, each twice: {}, about {} input tokens \
             and at most {} output tokens. If it stops, repeat the command to continue.",
            count_noun(statements, "statement", "statements"),
            count_noun(calls, "call", "calls"),
            display::format_count(plan.prompt_tokens),
            display::format_count(plan.completion_tokens_max),
        );
        ui::print_error_line(&ui::paint_text(&ui::escape_invisible(&told), ui::DIM));
    }
    if let Some(started) = companion::seat_companion(context, of, EXTRACTION, opened, texts).await? {
        if shown {
            drive_debate(command_context, context, started).await?;
        } else {
            // Standard output is for the graph alone.
            started.drive_debate(context, Box::new(SilentWatch), wait_for_interrupt()).await?;
        }
    }
    Ok(ExtractionRun::Ended(Box::new(journal.read_record(&id)?)))
}
