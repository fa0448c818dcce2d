//! The completion report: the summary when the requested exchanges are complete.

use agon_core::{Record, Standing};
use agon_text::markdown;

use super::{
    debate::DebateFile,
    scores::{ScoreFile, SideTotal},
};
use crate::{participation, python_json};

/// The report of a debate, its warnings included.
pub fn render_completion(record: &Record) -> String {
    let state = super::public_state(record);
    let debate = DebateFile::from_record(record, &state, ScoreFile::from_record(record, &state).side_totals());
    let warnings = participation::list_warnings(record).into_iter();
    let warnings: Vec<String> = warnings.map(|(of, text)| markdown::escape_line(&format!("{of}: {text}"))).collect();
    let void = record.closing_outcome().filter(|outcome| outcome.standing == Standing::Void);
    let (exchanges, slug) = (debate.current_exchange, markdown::escape_line(&debate.debate_id));
    let head = match void.map(|outcome| markdown::escape_prose(&outcome.render_summary())) {
        Some(told) => format!("{told}\n\n✗ Stopped after {exchanges} complete exchanges for '{slug}'"),
        None => format!("✓ Completed {exchanges} exchanges for '{slug}'"),
    };
    let line = |name: &str, SideTotal { total, count }: &SideTotal| {
        format!("- {name}: {} ({count} arguments)\n", python_json::format_number(total))
    };
    let list = |lines: &[String]| lines.iter().map(|line| format!("- {line}\n")).collect::<String>();
    let mut report = format!("{head}\n\n**Current Scores** (zero-sum tug-of-war):\n");
    report += &line("Proposition", &debate.cumulative_scores.proposition);
    report += &line("Opposition", &debate.cumulative_scores.opposition);
    if !warnings.is_empty() {
        report += &format!("\n**Warnings**:\n{}", list(&warnings));
    }
    report + &format!("\n**Next steps**:\n{}", list(&next(record)))
}

/// What a reader can do next. The files of a debate that is over are there already.
fn next(record: &Record) -> Vec<String> {
    let id = &record.opened().debate;
    let is_void = record.closing_outcome().is_some_and(|outcome| outcome.standing == Standing::Void);
    let go_on = match is_void {
        true => format!(
            "Ask again who is missing: `agon extend {id} --rounds X`, with `--seat NAME=MODEL` for another model"
        ),
        false => format!("Continue debating: `agon extend {id} --rounds X` to run X more exchanges"),
    };
    let report = match record.closing_outcome() {
        Some(_) => "Read the report: README.md, with the argument graph".to_owned(),
        None => format!("Generate report: `agon resume {id}` to write README.md at the end"),
    };
    vec![go_on, report]
}
