//! `agon delete`, `agon label` and `agon retention`; what other commands show of a deleted debate.

use std::{collections::BTreeSet, path::Path};

use agon_app::{
    Failure, Result,
    deletion::{self as erasure, DeletedDebate, retention as ages},
    exit, opening,
};
use agon_core::{DebateId, LeftEntry, Tombstone};
use agon_journal::{DebateSummary, Journal, tombstone::Deletion};
use agon_report::tombstone_jsonl;
use agon_text::count_noun;
use serde_json::json;

use super::{CommandContext, answer, debate_id};
use crate::{
    cli::{DeleteArgs, LabelArgs},
    input::{self, RECORD_MEGABYTES_MAX},
    ui,
};

pub async fn delete_debates(command_context: &CommandContext, args: DeleteArgs) -> Result<u8> {
    if args.ids.len() > 1 && !args.entries.is_empty() {
        let message = "--entry numbers the entries of one debate";
        return Err(Failure::usage(message, "name one debate"));
    }
    let journal = command_context.open_journal()?;
    let ids = args.ids.iter().map(|id| debate_id::find_debate(&journal, id)).collect::<Result<Vec<DebateId>>>()?;
    // All are known before the first goes.
    for id in &ids {
        if journal.find_summary(id)?.is_none() {
            journal.read_record(id)?;
        }
    }
    let by = args.name.unwrap_or_else(answer::user_name);
    let chosen: BTreeSet<u64> = args.entries.iter().copied().collect();
    let mut deleted = Vec::new();
    for debate in ids {
        // It may have gone as the companion of one before it.
        if journal.find_tombstone(&debate)?.is_some() {
            continue;
        }
        let entries = (!chosen.is_empty()).then(|| chosen.clone());
        let deletion = Deletion { debate, entries, by: by.clone(), why: args.reason.clone() };
        deleted.push(erasure::delete_debate(&journal, &command_context.places.home, deletion).await?);
    }
    command_context.print_success(&deleted, || {
        deleted.iter().map(|deleted| describe_deletion(deleted, chosen.len())).collect::<Vec<_>>().join("\n")
    })
}

/// What was deleted: everything, or the words of as many entries as were `chosen`.
fn describe_deletion(deleted: &DeletedDebate, chosen: usize) -> String {
    let Tombstone { debate, entries, head, .. } = &deleted.tombstone;
    let all = count_noun(*entries, "entry", "entries");
    let what = match chosen {
        0 => format!("deleted, {all}"),
        _ => {
            let chosen = count_noun(chosen, "entry", "entries");
            format!("the words of {chosen} of {entries} deleted; the others stay, and the debate cannot be continued")
        }
    };
    let (head, files) = (&head.as_str()[..12], count_noun(deleted.files, "file", "files"));
    let mut text = format!("{debate}: {what} (head {head}), {files} removed");
    for companion in &deleted.companions {
        text.push_str(&format!("\n  with its companion {companion}"));
    }
    for kept in &deleted.kept {
        text.push_str(&format!("\n  stays, because this version does not draw it so: {kept}"));
    }
    for fork in &deleted.forks {
        text.push_str(&format!("\n  its fork {fork} holds copies of its entries and stays"));
    }
    ui::escape_invisible(&text)
}

pub async fn label_debate(command_context: &CommandContext, args: LabelArgs) -> Result<u8> {
    let journal = command_context.open_journal()?;
    let id = debate_id::find_debate(&journal, &args.id)?;
    let labels = journal.update_labels(&id, args.add, args.remove).await.map_err(|error| match error {
        agon_journal::JournalError::Refused { why, .. } => Failure::usage(why, "choose another label"),
        other => other.into(),
    })?;
    command_context.print_success(&json!({"debate": id, "labels": labels}), || {
        let labels = if labels.is_empty() { "no labels".to_owned() } else { labels.join(", ") };
        format!("{id}: {labels}")
    })
}

pub async fn apply_retention(command_context: &CommandContext, is_plan: bool) -> Result<u8> {
    let config = command_context.load_config()?.retention;
    let journal = command_context.open_journal()?;
    let Some(plan) = ages::plan_retention(&journal, &config)? else {
        return command_context.print_success(&json!({"keep_days": null, "debates": []}), || {
            "nothing is deleted: the configuration has no retention.keep_days".into()
        });
    };
    let (debates, before) = (count_noun(plan.debates.len(), "debate", "debates"), &plan.before.0);
    let head = format!("{debates} closed for more than {} days (last entry before {before})", plan.days);
    if is_plan {
        let shown = json!({"keep_days": plan.days, "before": plan.before, "debates": plan.debates});
        return command_context.print_success(&shown, || {
            let line = |debate: &DebateSummary| ui::escape_invisible(&format!("\n  {}  {}", debate.id, debate.last_at));
            let lines = plan.debates.iter().map(line);
            format!("{head}{}", lines.collect::<String>())
        });
    }
    let (mut deleted, mut failed): (Vec<DeletedDebate>, Vec<(DebateId, Failure)>) = Default::default();
    ages::delete_expired(&journal, &command_context.places.home, plan, |summary: &DebateSummary, done| match done {
        Ok(done) => deleted.push(done),
        Err(failure) => failed.push((summary.id.clone(), failure)),
    })
    .await;
    let failures = failed.iter().map(|(id, failure)| json!({"debate": id, "error": failure}));
    let shown = json!({"deleted": deleted, "failed": failures.collect::<Vec<_>>()});
    command_context.print(&shown, || {
        let lines = deleted.iter().map(|deleted| describe_deletion(deleted, 0));
        let failures =
            failed.iter().map(|(id, failure)| ui::escape_invisible(&format!("{id}: stays: {}", failure.message)));
        let count = format!("{} deleted", count_noun(deleted.len(), "debate", "debates"));
        lines.chain(failures).chain([count]).collect::<Vec<_>>().join("\n")
    });
    // The first reason stands for all; the output names each.
    failed.into_iter().next().map_or(Ok(exit::OK), |(_, failure)| Err(failure))
}

/// Checks what is left of a deleted debate of the journal; `None` where none of this name was deleted.
pub fn check_deleted(command_context: &CommandContext, name: &str) -> Result<Option<u8>> {
    let Ok(id) = opening::debate_id(name) else { return Ok(None) };
    let Some(journal) = command_context.known_journal()? else { return Ok(None) };
    if journal.find_tombstone(&id)?.is_none() {
        return Ok(None);
    }
    let (tombstone, left) = journal.read_left_entries(&id)?;
    Ok(Some(print_sound_tombstone(command_context, &tombstone, &left)))
}

/// Checks the exported record of a deleted debate; `None` where the file is something else.
pub fn check_file(command_context: &CommandContext, path: &Path) -> Result<Option<u8>> {
    let bytes = input::read_bytes(path, RECORD_MEGABYTES_MAX, "name a file that can be read")?;
    if !tombstone_jsonl::is_tombstone(&bytes) {
        return Ok(None);
    }
    let (tombstone, left) = tombstone_jsonl::read_tombstone(&bytes).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        Failure::damaged(message, "it was not changed; export it again from its journal")
    })?;
    Ok(Some(print_sound_tombstone(command_context, &tombstone, &left)))
}

fn print_sound_tombstone(command_context: &CommandContext, tombstone: &Tombstone, left: &[LeftEntry]) -> u8 {
    let erased = Tombstone::count_erased(left);
    let shown = json!({
        "debate": tombstone.debate, "entries": tombstone.entries, "head": tombstone.head, "sound": true,
        "deleted": tombstone, "erased": erased,
    });
    command_context.print(&shown, || {
        let (entries, head) = (count_noun(tombstone.entries, "entry", "entries"), &tombstone.head.as_str()[..12]);
        let sound = format!("{entries}, {erased} of them without words, its hash chain is sound (head {head})");
        let text = format!("{}: {sound}\n{}", tombstone.debate, tombstone.describe_deletion());
        ui::escape_invisible(&text)
    });
    exit::OK
}

/// The record that is left of a deleted debate, where that format is wanted.
pub fn export_deleted(journal: &Journal, id: &DebateId, format: &str) -> Result<Option<Vec<(String, String)>>> {
    if !matches!(format, "all" | "record") || journal.find_tombstone(id)?.is_none() {
        return Ok(None);
    }
    let (tombstone, left) = journal.read_left_entries(id)?;
    Ok(Some(vec![("record.jsonl".into(), tombstone_jsonl::write_tombstone(&tombstone, &left))]))
}
