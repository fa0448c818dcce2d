//! `agon resume` continues where a debate stopped; `agon extend` adds rounds or budget first.

use agon_app::{
    Context, FileSet, Result, lineup,
    opening::parse_budget,
    output_folder,
    request::SeatRequest,
    resume::{
        ResumeOutcome, ResumeRequest, check_extension, ensure_directory, read_debate, resume_debate, take_drive_lock,
    },
};
use agon_core::{DebateId, Extension, Protocol, Record};
use agon_runtime::files::check_writable;

use super::{
    CommandContext, answer, companion, debate_id,
    drive::drive_debate,
    ending::{print_ending, report_suspension},
    gate::Pipeline,
};
use crate::{
    cli::{ExtendArgs, Output, ResumeArgs},
    ui,
};

pub async fn run(command_context: &CommandContext, args: ResumeArgs) -> Result<u8> {
    resume_with(command_context, args, |_, _| Ok(ResumeRequest::Resume(answer::user_name()))).await
}

pub async fn extend_debate(command_context: &CommandContext, args: ExtendArgs) -> Result<u8> {
    let more = Extension { rounds: args.rounds, ..parse_budget(&args.budget.into())? };
    resume_with(command_context, args.resume, |record, protocol| {
        check_extension(record, protocol, &more)?;
        Ok(ResumeRequest::Extend(more))
    })
    .await
}

/// Drives the debate of `args` on, with what `wish` makes of its record.
async fn resume_with(
    command_context: &CommandContext,
    args: ResumeArgs,
    wish: impl FnOnce(&Record, &'static dyn Protocol) -> Result<ResumeRequest>,
) -> Result<u8> {
    let command_context = &command_context.at_revision(args.revision.config_from.as_deref())?;
    let context = command_context.context_on(args.offline, &args.on)?;
    let id = debate_id::find_debate(&context.journal, &args.id)?;
    let (record, protocol) = read_debate(&context.journal, &id)?;
    let wish = wish(&record, protocol)?;
    let pipeline = Pipeline::new(&args.gate, protocol)?;
    let done = resume_and_drive(command_context, &context, &id, &args.seats.into(), wish).await;
    pipeline.report_ending(command_context, &context.journal, &id, done)
}

/// Drives an existing debate on, with what is wished on the record once everyone is seated; a
/// closed one that gets no more is only given its files again.
pub async fn resume_and_drive(
    command_context: &CommandContext,
    context: &Context,
    id: &DebateId,
    seats: &SeatRequest,
    wish: ResumeRequest,
) -> Result<u8> {
    let journal = &context.journal;
    let (record, protocol) = read_debate(journal, id)?;
    // A name that nobody bears is a mistake, whether or not it matters by now.
    lineup::replace_models(protocol.manifest(), lineup::recorded_lineup(&record), seats, &context.config)?;
    if let Some(outcome) = record.closing_outcome().filter(|_| matches!(wish, ResumeRequest::Resume(_))) {
        let lock = take_drive_lock(journal, &record).await?;
        let directory = ensure_directory(journal, &record).await?;
        check_writable(&directory)?;
        output_folder::write_debate_files(journal, &record, &directory, FileSet::All, &*context.frontend)?;
        if command_context.output == Output::Text {
            ui::print_line(&ui::wrap_text(&outcome.render_summary(), ""));
        }
        print_ending(command_context, &record, outcome, Some(&directory));
        drop(lock);
        return companion::run_companions(command_context, context, id).await;
    }
    let unfinished = journal.list_unfinished_requests(id)?;
    let resumed = resume_debate(context, &record, protocol, seats, &wish).await;
    let resumed = resumed.map_err(|failure| report_suspension(failure.with_resume_hint(id), command_context.output))?;
    let started = match resumed {
        ResumeOutcome::Elsewhere { entry, held } => {
            return command_context.print_success(&[entry], || format!("recorded; {held} and continues with it"));
        }
        ResumeOutcome::Ready(started, entry) => {
            if let (Some(entry), Output::Json, ResumeRequest::Extend(_)) = (entry, command_context.output, &wish) {
                ui::print_line(&ui::render_safe_json(&entry));
            }
            *started
        }
    };
    if !command_context.quiet {
        for key in unfinished {
            let told = format!("the call for {key} was interrupted, so its answer is unknown; asking again");
            context.frontend.warn(&told);
        }
    }
    drive_debate(command_context, context, started).await?;
    companion::run_companions(command_context, context, id).await
}
