//! The summary at the end of a run.

use agon_core::{Record, Standing};
use agon_text::markdown;

use super::{DebateView, find_log_conclusion};
use crate::{Format as _, conduct, markup::render_bullets};

/// Outcome, files and warnings; what is missing comes first.
pub fn of(record: &Record) -> String {
    let debate = DebateView::of(record);
    let mut blocks = Vec::new();
    if let Some(outcome) = record.closing_outcome().filter(|o| o.standing == Standing::Void || !o.absent.is_empty()) {
        blocks.push(markdown::escape_prose(&outcome.render_summary()));
    }
    blocks.push(match find_log_conclusion(&debate.entries).filter(|_| record.closing_outcome().is_some()) {
        Some((outcome, _)) => format!("Debate complete. Outcome: **{}**.", markdown::escape_line(outcome)),
        None => "The debate is not concluded.".into(),
    });
    let files = super::ChairedFiles.render_files(record);
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    blocks.push(format!("Files: {}.", names.join(", ")));
    let warnings = conduct::list_warnings(record);
    if !warnings.is_empty() {
        let lines = warnings.iter().map(|(of, text)| markdown::escape_line(&format!("{of}: {text}")));
        blocks.push(format!("**Warnings**:\n{}", render_bullets(lines)));
    }
    let id = &record.opened().debate;
    blocks.push(format!("`agon extend {id} --rounds X` runs X more rounds."));
    blocks.join("\n\n") + "\n"
}
