//! `agon fork`: starts a debate from a prefix of an existing one.

use agon_app::{
    Failure, Result, companion, declarations, lineup,
    models::check_prices,
    opening::{self, Folder},
};
use agon_core::{Opened, Parent, Record, compute_next_step};
use agon_runtime::config::Config;
use serde_json::json;

use super::CommandContext;
use crate::cli::ForkArgs;

pub async fn run(command_context: &CommandContext, args: ForkArgs) -> Result<u8> {
    let config = command_context.load_config()?;
    let (journal, of, record) = command_context.open_debate(&args.debate)?;
    let id = opening::choose_debate_id(args.id.as_deref())?;
    if journal.find_summary(&id)?.is_some() {
        let why = format!("the debate {id} already exists");
        let remedy = format!("continue with: agon resume {id}");
        return Err(Failure::exists(why, remedy));
    }
    let last = record.len() - 1;
    let at = args.at.unwrap_or(last);
    if at > last {
        let why = format!("--at {at}: the last entry of {of} is {last}");
        let remedy = format!("agon export {of} --format record lists them by their seq");
        return Err(Failure::usage(why, remedy));
    }
    let protocol = declarations::find_rules(&record)?;
    let mut opened =
        Opened { debate: id.clone(), parent: Some(Parent { debate: of.clone(), seq: at }), ..record.opened().clone() };
    apply_fork_options(&mut opened, &record, &args, &config)?;
    companion::check_free(&journal, &id, &opened.options)?;
    let texts = journal.read_texts(opened.list_text_digests().map(|(_, digest)| digest))?;
    let fork = |opened: Opened| -> Result<Record> {
        let forked = fork_record(opened, &record, at)?.with_documents(&texts);
        match compute_next_step(protocol, &forked) {
            Ok(_) => Ok(forked),
            Err(diverged) => Err(Failure::usage(
                format!("these options contradict the first {at} entries: {diverged}"),
                "fork at an earlier entry, or with other options",
            )),
        }
    };
    let folder = Folder::reserve(args.out.as_deref(), &opened.motion, &id)?;
    folder.record_name(&mut opened);
    opening::name_folder(&mut opened, &folder.path);
    let entries = fork(opened).inspect_err(|_| folder.give_back())?.entries().to_vec();
    let imported = journal.import_record(entries, texts.into_iter().collect(), Some(folder.path.clone())).await;
    imported.inspect_err(|_| folder.give_back())?;
    let shown = json!({"debate": id, "parent": {"debate": of, "seq": at}, "directory": folder.path});
    command_context.print_success(&shown, || id.to_string())
}

/// What a fork may have otherwise: who answers, how long, what it may spend, the seed.
fn apply_fork_options(opened: &mut Opened, record: &Record, args: &ForkArgs, config: &Config) -> Result<()> {
    let manifest = declarations::find_rules(record)?.manifest();
    let lineup = lineup::replace_models(manifest, opened.lineup.clone(), &args.seats.clone().into(), config)?;
    opened.lineup = lineup.iter().map(|sat| sat.entry.clone()).collect();
    if let Some(rounds) = args.rounds {
        let bounds = &manifest.rounds;
        if !(bounds.min..=bounds.max).contains(&rounds) {
            let why = format!("--rounds {rounds}: {} allows {} to {}", manifest.name, bounds.min, bounds.max);
            return Err(Failure::usage(why, "choose a number in this range"));
        }
        opened.limits.rounds = rounds;
    }
    let budget = opening::parse_budget(&args.budget.clone().into())?;
    opened.limits.apply_extension(&agon_core::Extension { rounds: 0, ..budget });
    check_prices(&lineup, &opened.limits)?;
    opened.seed = args.seed.unwrap_or(opened.seed);
    // A fork shares no folder, and has companions of its own.
    opened.options.retain(|option, _| !["track", "apart"].contains(&option.as_str()));
    for kind in companion::KINDS {
        if record.opened().options.contains_key(kind) {
            opened.options.insert(kind.into(), companion::companion_id(&opened.debate, kind).into());
        }
    }
    Ok(())
}

/// The entries up to `at` after another opening.
fn fork_record(opened: Opened, record: &Record, at: u64) -> Result<Record> {
    let damaged = |error: agon_core::RecordError| Failure::damaged(error.to_string(), "agon check shows details");
    let entries = record.entries();
    let mut forked = Record::open(opened, entries[0].at.clone()).map_err(damaged)?;
    for entry in entries.iter().skip(1).take_while(|entry| entry.seq <= at) {
        forked.append_event(entry.at.clone(), entry.what.clone()).map_err(damaged)?;
    }
    Ok(forked)
}
