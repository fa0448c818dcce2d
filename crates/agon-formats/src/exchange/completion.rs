//! The completion report: what a run says when the exchanges asked for are over.

use agon_core::{Record, Standing};

use super::{
    debate::DebateFile,
    scores::{ScoreFile, SideTotal, SideTotals},
};
use crate::{conduct, json, markdown};

/// The report of a debate, its warnings included.
pub fn of(record: &Record) -> String {
    let hall = super::hall(record);
    let debate = DebateFile::of(record, &hall, ScoreFile::of(record, &hall).totals());
    let warnings = conduct::warnings(record).into_iter();
    let warnings: Vec<String> = warnings.map(|(of, text)| markdown::line(&format!("{of}: {text}"))).collect();
    let next = Next {
        go_on: format!("`agon extend {} --rounds X` to run X more exchanges", debate.debate_id),
        report: format!(
            "`agon export {} --format exchange` to write README.md and the other files",
            debate.debate_id
        ),
    };
    let report =
        render(&debate.debate_id, debate.current_exchange, &debate.cumulative_scores, &warnings, &next);
    match record.closed().filter(|outcome| outcome.standing == Standing::Void) {
        Some(outcome) => format!("{}\n\n{report}", markdown::prose(&outcome.summary)),
        None => report,
    }
}

/// What a reader can do next: a command and what it does, in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    /// How to run on.
    pub go_on: String,
    /// How to get the report.
    pub report: String,
}

/// The report of plain values: `exchanges` counts those that are over, the opening included.
pub fn render(slug: &str, exchanges: u32, totals: &SideTotals, warnings: &[String], next: &Next) -> String {
    let line = |name: &str, SideTotal { total, count }: &SideTotal| {
        format!("- {name}: {} ({count} arguments)\n", json::number(total))
    };
    let mut report = format!("✓ Completed {exchanges} exchanges for '{slug}'\n\n");
    report += "**Current Scores** (zero-sum tug-of-war):\n";
    report += &line("Proposition", &totals.proposition);
    report += &line("Opposition", &totals.opposition);
    if !warnings.is_empty() {
        report += "\n**Warnings**:\n";
        report.extend(warnings.iter().map(|warning| format!("- {warning}\n")));
    }
    report
        + &format!(
            "\n**Next steps**:\n- Continue debating: {}\n- Generate report: {}\n",
            next.go_on, next.report
        )
}
