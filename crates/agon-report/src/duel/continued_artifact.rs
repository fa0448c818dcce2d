//! An artifact that others began: turns and conclusion that came to it stand where they belong, and
//! every other byte stays.

use agon_core::{Record, View};
use agon_protocols::duel::state::History;

use super::artifact::{Artifact, yes_no};

const CONCLUSION: &str = "\n## Terminal Conclusion";

/// The artifact `original` with what `now` holds beyond it.
pub(super) fn continue_artifact(record: &Record, original: &str, now: &Artifact) -> String {
    let history = History::from_view(&View::of_whole_record(record));
    let words_gone = history.turns.iter().any(|turn| turn.contribution.is_none());
    let Some(end) = original.rfind(CONCLUSION).filter(|_| !words_gone) else { return now.render() };
    let (before, _) = original.split_at(end);
    let first_turn = before.find("\n## Turn ").unwrap_or(before.len());
    let (head, turns) = before.split_at(first_turn);
    let new = now.turns.iter().filter(|turn| !history.is_taken(turn.number));
    let new: String = new.map(|turn| format!("---\n\n{}\n\n", turn.render())).collect();
    // A rule before the conclusion stays before it.
    let kept = turns.trim_end();
    let (kept, rule) = match kept.strip_suffix("\n---") {
        Some(kept) => (kept.trim_end(), "---\n\n"),
        None => (kept, ""),
    };
    let head = if kept.is_empty() { head.trim_end().to_owned() } else { head.to_owned() };
    format!("{}{kept}\n\n{new}{rule}{}\n", update_head(&head, now), now.conclusion.render())
}

/// The head with the state of `now`.
fn update_head(head: &str, now: &Artifact) -> String {
    let turns_max = now.turns_max.to_string();
    let rows = [
        ("Max Turns", turns_max.as_str()),
        ("Status", &now.status),
        ("Candidate Convergence", yes_no(now.candidate_convergence)),
    ];
    let line = |line: &str| {
        if line.starts_with("**Status**:") {
            return format!("**Status**: {}", now.status);
        }
        let row = rows.iter().find(|(name, _)| {
            let cell = line.trim_start_matches('|').split('|').next().map(str::trim);
            line.starts_with('|') && cell == Some(name)
        });
        row.map_or_else(|| line.to_owned(), |(name, value)| format!("| {name} | {value} |"))
    };
    head.split('\n').map(line).collect::<Vec<_>>().join("\n")
}
