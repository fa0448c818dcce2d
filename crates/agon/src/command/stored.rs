//! Shows, checks and exports the duels and runs of the drop-in verbs.

use agon_text::count_noun;
use std::fs;

use agon_app::{Failure, Result, exit};
use agon_dropin::{
    store::{
        duels::{ArtifactReport, DuelStatus},
        runs::{self, RunEvent, WorkflowRun},
    },
    stored::{NamedDuel, StoredName, render_event_lines, wrong},
};
use serde::Serialize;
use serde_json::json;

use super::CommandContext;
use crate::ui;

/// Maximum number of findings in one message; `agon show` lists all.
const TOLD_MAX: usize = 12;

/// `agon show`.
pub fn show_stored(command_context: &CommandContext, kept: &StoredName) {
    match kept {
        StoredName::Duel(duel) => command_context.print(&duel_state(duel), || duel_lines(duel)),
        StoredName::Run(run, events) => {
            command_context.print(&json!({"run": run, "events": events}), || run_lines(run, events))
        }
    }
}

/// `agon check`.
pub fn check_stored(command_context: &CommandContext, kept: &StoredName) -> Result<u8> {
    match kept {
        StoredName::Duel(duel) => check_duel(command_context, duel),
        StoredName::Run(run, events) => check_run(command_context, run, events),
    }
}

/// The files of `agon export`, by path and content.
pub fn export_stored(
    command_context: &CommandContext,
    kept: &StoredName,
    format: &str,
) -> Result<Vec<(String, String)>> {
    let (files, known) = match kept {
        StoredName::Run(run, events) => {
            (vec![("events", "events.jsonl".to_owned(), render_event_lines(run, events))], "a run")
        }
        StoredName::Duel(duel) => (collect_duel_files(command_context, duel)?, "this duel"),
    };
    if files.is_empty() {
        let why = "its artifact was not written, and no event registers it";
        return Err(Failure::unknown(format!("{known} has no files yet: {why}"), "agon show shows its status"));
    }
    let names: Vec<&str> = files.iter().map(|(name, ..)| *name).collect();
    if format != "all" && !names.contains(&format) {
        let why = format!("{known} has no files of format {format:?}");
        let remedy = format!("it has {}", names.join(", "));
        return Err(Failure::usage(why, remedy));
    }
    let wanted = files.into_iter().filter(|(name, ..)| format == "all" || *name == format);
    Ok(wanted.map(|(_, path, content)| (path, content)).collect())
}

/// What stands in a duel's artifact now, and the events that name the duel.
fn collect_duel_files(
    command_context: &CommandContext,
    duel: &NamedDuel,
) -> Result<Vec<(&'static str, String, String)>> {
    let of = &duel.report.stands.duel;
    let mut files = Vec::new();
    if let Some(path) = of.debate_path.as_deref()
        && let Ok(text) = fs::read_to_string(path)
    {
        let name = path.rsplit('/').next().unwrap_or(path);
        files.push(("duel", format!("debates/{name}"), text));
    }
    let events = runs::of_duel(&command_context.places.home, &of.id)?;
    let events: String = events.iter().map(|(run, events)| render_event_lines(run, events)).collect();
    if !events.is_empty() {
        files.push(("events", "events.jsonl".into(), events));
    }
    Ok(files)
}

/// A duel whose participants write the artifact: whether anyone else did, and which rules it breaks.
pub fn check_duel(command_context: &CommandContext, kept: &NamedDuel) -> Result<u8> {
    let ArtifactReport { stands, sightings, outcome, changes } = &kept.report;
    let duel = &stands.duel;
    let path = duel.debate_path.as_deref().unwrap_or("no artifact");
    let found: Vec<String> = changes.iter().chain(&kept.broken).cloned().collect();
    if !found.is_empty() {
        let remedy = match changes.is_empty() {
            true => format!("agon show {} lists everything", duel.id),
            false => "use the text that its participants wrote".into(),
        };
        return Err(Failure::new(exit::DAMAGED, "changed", format!("{path}: {}", join_findings(&found)), remedy));
    }
    let mut state = json!(duel_state(kept));
    state["sightings"] = json!(sightings);
    state["sound"] = true.into();
    state["status"] = json!(duel.status);
    state["artifact"] = json!(duel.debate_path);
    state["duel"] = json!(duel.id);
    command_context.print_success(&state, || {
        let state = outcome.as_deref().unwrap_or(match duel.status {
            DuelStatus::Active => "active",
            DuelStatus::Closed => "closed",
        });
        let artifact = match duel.debate_path.as_deref() {
            None => "it has no artifact".to_owned(),
            Some(path) if !std::path::Path::new(path).exists() => format!("{path} was not written"),
            Some(path) => format!("{path} follows the rules, and no other program changed it"),
        };
        let checks = count_noun(*sightings, "recorded check", "recorded checks");
        ui::escape_invisible(&format!("{}: {state}, {artifact} ({checks})", duel.id))
    })
}

fn check_run(command_context: &CommandContext, run: &WorkflowRun, events: &[RunEvent]) -> Result<u8> {
    let wrong = wrong(run, events);
    if !wrong.is_empty() {
        let message = format!("run {}: {}", run.id, join_findings(&wrong));
        return Err(Failure::damaged(message, "agon show lists its events"));
    }
    let state = json!({"run": run.id, "events": events.len(), "status": run.status, "sound": true});
    command_context.print_success(&state, || {
        let events = count_noun(events.len(), "event", "events");
        ui::escape_invisible(&format!("run {}: {events}, {}, sound", run.id, run.status))
    })
}

/// Findings as one message.
pub fn join_findings(found: &[String]) -> String {
    let mut told = found.iter().take(TOLD_MAX).cloned().collect::<Vec<_>>().join("; ");
    if found.len() > TOLD_MAX {
        told.push_str(&format!("; and {} more", found.len() - TOLD_MAX));
    }
    told
}

fn duel_state(kept: &NamedDuel) -> impl Serialize + use<> {
    let NamedDuel { report, broken } = kept;
    let mut duel = report.stands.duel.clone();
    // A token is told to nobody but the one it was given to.
    duel.lease_token = None;
    json!({
        "duel": duel, "participants": report.stands.participants, "outcome": report.outcome,
        "changes": report.changes, "broken_rules": broken,
    })
}

/// Who takes part, who holds the lock, what others did to the artifact, and what it breaks.
fn duel_lines(kept: &NamedDuel) -> String {
    let ArtifactReport { stands, outcome, changes, .. } = &kept.report;
    let duel = &stands.duel;
    let mut lines = vec![format!("{} about {}", duel.id, duel.topic.as_deref().unwrap_or(&duel.target_path))];
    lines.extend(stands.participants.iter().map(|one| {
        let holds = duel.current_owner_id.as_ref().filter(|owner| **owner == one.id);
        let until = holds.and(duel.lease_expires_at.as_ref());
        let until = until.map_or(String::new(), |until| format!(", holds the lock until {until}"));
        format!("  {} ({} / {}){until}", one.display_name, one.harness, one.model_id)
    }));
    lines.extend(duel.debate_path.iter().map(|path| format!("artifact: {path}")));
    lines.extend(outcome.iter().map(|outcome| format!("closed as {outcome}")));
    lines.extend(changes.iter().cloned());
    if !kept.broken.is_empty() {
        lines.push("rules that the artifact breaks:".into());
        lines.extend(
            kept.broken.iter().map(|rule| format!("  {}", rule.split_whitespace().collect::<Vec<_>>().join(" "))),
        );
    }
    ui::escape_invisible(&lines.join("\n"))
}

fn run_lines(run: &WorkflowRun, events: &[RunEvent]) -> String {
    let mut head =
        format!("run {}: {}, {}, {}", run.id, run.workflow, run.status, count_noun(events.len(), "event", "events"));
    for (what, value) in [("name", &run.name), ("harness", &run.harness), ("project", &run.project)] {
        head.push_str(&value.as_ref().map_or(String::new(), |value| format!(", {what} {value}")));
    }
    let line = |event: &RunEvent| {
        let RunEvent { id, kind, step, unit, data, at } = event;
        let at = at.get(..19).unwrap_or(at).replace('T', " ");
        let place = [step.as_deref(), unit.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let keys = ["status", "event", "outcome", "path", "message", "prompt", "reason"];
        let said = keys.iter().filter_map(|key| data.find_text(key)).collect::<Vec<_>>().join(", ");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("  {id}  {at}  {kind}  {place}: {said}")
    };
    let lines = std::iter::once(head).chain(events.iter().map(line));
    ui::escape_invisible(&lines.collect::<Vec<_>>().join("\n"))
}
