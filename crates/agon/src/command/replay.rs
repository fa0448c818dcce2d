//! `agon replay`: recomputes every step and every file of a debate, and compares.

use agon_app::{
    Result, exit,
    output_folder::{self, OutputDir},
};
use agon_journal::DebateSummary;
use agon_text::count_noun;
use serde_json::json;

use super::{CommandContext, check};
use crate::ui;

pub fn run(command_context: &CommandContext, id: &str) -> Result<u8> {
    let (journal, id, record) = command_context.open_debate(id)?;
    check::check_replay(&record)?;
    let directory = journal.find_summary(&id)?.and_then(|summary: DebateSummary| summary.directory);
    let mut different = Vec::new();
    let mut same = 0;
    if let Some(directory) = &directory {
        let texts = journal.read_texts(record.list_text_digests())?;
        let extraction = output_folder::find_extraction(&journal, &record)?;
        let shelf = OutputDir::from_record(&record, extraction.as_ref(), directory);
        for (path, content) in output_folder::render_all_files(&record, extraction.as_ref(), &texts) {
            if shelf.is_up_to_date(&path, &content) { same += 1 } else { different.push(path) }
        }
    }
    let report = json!({"debate": id, "entries": record.len(), "files_equal": same, "files_different": different});
    command_context.print(&report, || {
        let (entries, files) = (count_noun(record.len(), "entry", "entries"), count_noun(same, "file", "files"));
        let mut text = format!("{id}: every step of {entries} follows from the rules; {files} unchanged");
        for path in &different {
            text.push_str(&format!(
                "\n  {} is missing, was changed, or was written by another version",
                ui::escape_invisible(path)
            ));
        }
        if !different.is_empty() {
            text.push_str(&format!("\nagon resume {id} writes them again"));
        }
        text
    });
    Ok(if different.is_empty() { exit::OK } else { exit::DAMAGED })
}
