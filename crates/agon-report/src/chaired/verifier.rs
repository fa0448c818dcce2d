//! `verifier-report.md`: what was found about each source, and what nobody could look at.

use agon_protocols::{
    chaired::{
        turn_rules::find_unsourced,
        verification::{SourceFinding, SourceStatus},
    },
    common::verification::{is_fetched, standing_note},
};
use agon_text::{
    count_noun,
    markdown::{escape_cell, escape_line, escape_title},
};

use super::{DebateView, log::LogEntry, redaction_reasons};
use crate::{
    cited_source::count_pages,
    markup::{join_lines, render_table},
};

/// The file; `entries` with redacted ones hidden.
pub fn render_verifier_report(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let mut blocks = vec![format!("# Verification Report: {}", escape_title(&debate.record.opened().motion))];
    let unread = count_status(debate, SourceStatus::Unchecked);
    if unread > 0 {
        blocks.push(format!("{unread} source(s) were checked by nobody: their pages were not opened. Nothing is said about them but their form."));
    }
    blocks.extend(["## Summary Statistics".into(), render_statistics(debate)]);
    if is_fetched(debate.record.opened()) && !debate.findings.is_empty() {
        blocks.push(
            "*verified* says that the quotation stands on the page, word for word. It does not say that the page bears \
             out the claim; where a model read for that, its reading is named. A page counts as it was when it was \
             opened for its entry; what it says later changes nothing."
                .into(),
        );
    }
    blocks.push("## Results by Debater".into());
    for debater in &debate.debaters.0 {
        let name = format!("### {}", escape_line(&debater.title));
        blocks.extend([name, render_finding_table(debate, entries, &debater.name)]);
    }
    blocks.extend(["## Withdrawn Claims".into(), render_withdrawn(entries)]);
    blocks.extend(["## Notable Findings".into(), render_notable_findings(debate, entries)]);
    blocks.join("\n\n") + "\n"
}

pub(super) fn count_status(debate: &DebateView<'_>, status: SourceStatus) -> usize {
    debate.findings.iter().filter(|finding| finding.status == status).count()
}

/// How many sources came out how.
pub(super) fn render_status_table(debate: &DebateView<'_>) -> String {
    let rows = SourceStatus::ALL.map(|status| format!("| {} | {} |", status.name(), count_status(debate, status)));
    render_table(&["Status", "Sources"], rows)
}

fn render_statistics(debate: &DebateView<'_>) -> String {
    let total = debate.findings.len();
    let pages = count_pages(debate.findings.iter().map(|finding| finding.url.as_str()));
    let told = match pages < total {
        true => format!("\n\nThese are {total} citations of {}.", count_noun(pages, "page", "pages")),
        false => String::new(),
    };
    format!("{}\n| total | {total} |{told}", render_status_table(debate))
}

/// What may be said of a finding: of a redacted entry neither its quotation nor a note that may quote it.
fn finding_notes(debate: &DebateView<'_>, finding: &SourceFinding, entries: &[LogEntry]) -> (String, String) {
    if redaction_reasons(entries).contains_key(&finding.seq) {
        return ("[REDACTED]".into(), "[REDACTED]".into());
    }
    let sources = debate.log.entry_at(finding.seq).map(|logged| logged.visible_sources()).unwrap_or_default();
    let own = sources.iter().find(|source| source.source == finding.url);
    let quote = own.map(|source| source.quote.clone()).unwrap_or_default();
    let note = standing_note(finding.status, finding.reading.as_ref());
    let note = note.trim_start_matches([':', ';', ' ']);
    let parts = [finding.explanation.as_str(), note].into_iter().filter(|part| !part.is_empty());
    (quote, parts.collect::<Vec<_>>().join("; "))
}

fn render_finding_table(debate: &DebateView<'_>, entries: &[LogEntry], name: &str) -> String {
    let is_own = |finding: &&SourceFinding| {
        entries.iter().find(|entry| entry.seq == finding.seq).is_some_and(|entry| entry.speaker == name)
    };
    let rows = debate.findings.iter().filter(is_own).map(|finding| {
        let (quote, notes) = finding_notes(debate, finding, entries);
        let [url, quote, notes] = [&finding.url, &quote, &notes].map(|text| escape_cell(text));
        format!("| {} | {url} | {quote} | {} | {notes} |", finding.seq, finding.status.name())
    });
    let columns = ["seq", "URL", "Quotation", "Status", "Notes"];
    render_rows(&columns, rows.collect(), "No source of this debater was looked at.")
}

/// A table, or what stands there without a row.
fn render_rows(columns: &[&str], rows: Vec<String>, none: &str) -> String {
    if rows.is_empty() { none.to_owned() } else { render_table(columns, rows) }
}

/// Sources that their debaters replaced.
fn render_withdrawn(entries: &[LogEntry]) -> String {
    let rows = entries.iter().filter_map(|entry| {
        let found = agon_protocols::chaired::source_form::parse_correction(&entry.content).ok()??;
        let (by, old, new) = (escape_cell(&entry.speaker), escape_cell(&found.old), escape_cell(&found.new));
        Some(format!("| {} | {by} | {old} | {new} | {} |", found.seq, entry.seq))
    });
    let columns = ["seq", "Debater", "Withdrawn", "In its place", "Corrected at seq"];
    render_rows(&columns, rows.collect(), "No claim was withdrawn and no source was replaced.")
}

fn render_notable_findings(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let struck = redaction_reasons(entries);
    let told = |f: &SourceFinding, mark: char, notes: &str| {
        format!("- seq {}: {} is {}{mark} {}", f.seq, escape_line(&f.url), f.status.name(), escape_line(notes))
    };
    let bad =
        debate.findings.iter().filter(|f| matches!(f.status, SourceStatus::Fabricated | SourceStatus::Unreliable));
    let mut lines: Vec<String> = bad.map(|f| told(f, '.', &finding_notes(debate, f, entries).1)).collect();
    let doubts = debate.findings.iter().filter(|f| !f.status.is_result() && !f.explanation.is_empty());
    lines.extend(doubts.filter(|f| !struck.contains_key(&f.seq)).map(|f| told(f, ':', &f.explanation)));
    for (seq, figures) in find_unsourced(&debate.record.opened().motion, &debate.log) {
        lines.push(format!("- seq {seq}: figures without a source: {}", escape_line(&figures.join(", "))));
    }
    join_lines(lines, "None.")
}
