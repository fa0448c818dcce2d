//! `agon list`: debates, and the duels and runs that the drop-in verbs keep.

use agon_app::Result;
use agon_dropin::store::{duels, runs};
use agon_journal::DebateSummary;
use agon_text::count_noun;
use serde::Serialize;
use serde_json::json;

use super::CommandContext;
use crate::ui;

/// Longest motion in a line, in characters.
const MOTION_CHARS_MAX: usize = 60;
/// A motion that has less room than this gets a line of its own.
const MOTION_CHARS_MIN: usize = 30;

/// A debate, duel or run, for programs.
#[derive(Serialize)]
struct ListedLine<'l, T> {
    #[serde(flatten)]
    line: &'l T,
    kind: &'static str,
}

pub fn run(command_context: &CommandContext, limit: u32) -> Result<u8> {
    let debates = command_context.open_journal()?.list_debates(limit)?;
    let duels = duels::list_duels(&command_context.places.home, limit)?;
    let runs = runs::list_runs(&command_context.places.home, limit)?;
    let listed = debates.iter().map(|line| json!(ListedLine { line, kind: "debate" }));
    let listed = listed.chain(duels.iter().map(|line| json!(ListedLine { line, kind: "drop-in duel" })));
    let listed = listed.chain(runs.iter().map(|line| json!(ListedLine { line, kind: "run" })));
    let listed = listed.collect::<Vec<_>>();
    command_context.print_success(&listed, || {
        if listed.is_empty() {
            return "No debates yet. Start one: agon run exchange \"This house would …\"".into();
        }
        let width = ui::is_terminal().then(ui::terminal_columns);
        let mut blocks = Vec::new();
        if !debates.is_empty() {
            blocks.push(render_table(&debates, width));
        }
        if !duels.is_empty() {
            let lines = duels.iter().map(format_duel).collect::<Vec<_>>().join("\n");
            blocks.push(format!("Duels of agent-tools socratic-duel:\n{lines}"));
        }
        if !runs.is_empty() {
            let lines = runs.iter().map(run_line).collect::<Vec<_>>().join("\n");
            blocks.push(format!("Runs of agent-tools emit:\n{lines}"));
        }
        blocks.join("\n\n")
    })
}

/// A duel whose lock alone agon keeps.
fn format_duel(duel: &duels::DuelLine) -> String {
    let state = duel.outcome.as_deref().unwrap_or(match duel.status {
        duels::DuelStatus::Active => "active",
        duels::DuelStatus::Closed => "closed",
    });
    let about = duel.topic.as_deref().unwrap_or(&duel.target);
    format_line(&[&duel.id, &format_minute(&duel.opened_at), state, &duel.participants.join(", "), about])
}

fn run_line(run: &runs::WorkflowRun) -> String {
    let events = count_noun(run.events, "event", "events");
    let called = run.name.as_deref().unwrap_or_default();
    format_line(&[&run.id, &format_minute(&run.created_at), &run.status, &run.workflow, &events, called])
}

fn format_minute(at: &str) -> String {
    at.get(..16).unwrap_or_default().replace('T', " ")
}

/// Parts of a line, what others wrote shortened and on one line.
fn format_line(parts: &[&str]) -> String {
    let part = |part: &&str| {
        let one: String = part.split_whitespace().collect::<Vec<_>>().join(" ");
        one.chars().take(MOTION_CHARS_MAX).collect::<String>()
    };
    let parts = parts.iter().map(part).filter(|part| !part.is_empty());
    ui::escape_invisible(&parts.collect::<Vec<_>>().join("  "))
}

/// A line for each debate, in columns; within `width`, where there is one.
fn render_table(debates: &[DebateSummary], width: Option<usize>) -> String {
    let state = |debate: &DebateSummary| debate.outcome.clone().unwrap_or_else(|| "open".into());
    let longest = |of: &dyn Fn(&DebateSummary) -> usize| debates.iter().map(of).max().unwrap_or(0);
    let ids = longest(&|debate| debate.id.as_str().len());
    let kinds = longest(&|debate| debate.protocol.len());
    let states = longest(&|debate| state(debate).chars().count());
    let line = |debate: &DebateSummary| {
        let date = debate.opened_at.get(..16).unwrap_or_default().replace('T', " ");
        let state = ui::escape_invisible(&state(debate));
        let about = format!("{:<ids$}  {date}  {:<kinds$}  {state:<states$}", debate.id.as_str(), debate.protocol);
        let room = width.map(|width| width.saturating_sub(about.chars().count() + 2));
        let (between, room) = match (room, width) {
            (Some(room), Some(width)) if room < MOTION_CHARS_MIN => ("\n  ", width.saturating_sub(2)),
            (room, _) => ("  ", room.unwrap_or(MOTION_CHARS_MAX)),
        };
        let motion = ui::escape_invisible(&debate.motion.split_whitespace().collect::<Vec<_>>().join(" "));
        let motion: String = motion.chars().take(room.min(MOTION_CHARS_MAX)).collect();
        format!("{}{between}{motion}", if between == "  " { &about } else { about.trim_end() })
    };
    debates.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use agon_core::{DebateId, Digest};

    use super::*;

    fn summary(id: &str, outcome: Option<&str>) -> DebateSummary {
        DebateSummary {
            id: DebateId::new(id).unwrap(),
            protocol: "exchange".into(),
            motion: "This house would open the library on every Sunday of the year, and longer.".into(),
            opened_at: "2026-01-31T10:00:00Z".into(),
            last_at: "2026-01-31T10:00:00Z".into(),
            entries: 1,
            head: Digest::from_content(b""),
            outcome: outcome.map(str::to_owned),
            directory: None,
            driven_ms: 0,
        }
    }

    #[test]
    fn columns_stand_below_each_other_and_keep_within_the_terminal() {
        let debates = [summary("d1", None), summary("a-longer-name", Some("proposition_ahead"))];
        let wide = render_table(&debates, None);
        let places: Vec<_> = wide.lines().map(|line| line.find("This house")).collect();
        assert!(places[0].is_some() && places[0] == places[1], "{wide}");
        for width in [40, 60, 80, 100] {
            let narrow = render_table(&debates, Some(width));
            let within = narrow.lines().filter(|line| line.contains("This house"));
            assert!(
                within.clone().count() == 2 && within.clone().all(|line| line.chars().count() <= width),
                "{narrow}"
            );
        }
        assert!(render_table(&debates, Some(60)).contains("\n  This house"));
    }
}
