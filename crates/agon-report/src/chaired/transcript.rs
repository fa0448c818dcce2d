//! `transcript.md` in the layout of the source system: every entry under its number.

use agon_protocols::chaired::{
    source_form::{self, LogSource},
    verification::LoggedResult,
};
use agon_text::markdown::{escape_cell, escape_line, escape_prose, escape_start, escape_title};
use serde_json::json;

use super::{DebateView, FromTheFloor, find_log_conclusion, log::LogEntry, metadata, redaction_reasons};
use crate::{
    markup::{join_lines, render_bullets, render_table},
    participation,
};

/// The file of a debate; `entries` with redacted ones hidden.
pub fn render_debate_transcript(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let (floor, notes) = (debate.list_interjections(), participation::list_troubles(debate.record));
    render_transcript(&debate.record.opened().motion, &debate.with_titles(entries), &floor, &notes)
}

/// The file of a log. `floor` is what people said who do not take part, `notes` say what did not work; a
/// log alone tells nothing of either.
pub fn render_transcript(topic: &str, entries: &[LogEntry], floor: &[FromTheFloor], notes: &[String]) -> String {
    let first = entries.first().map(|entry| entry.timestamp.as_str()).unwrap_or_default();
    let date = first.split('T').next().unwrap_or_default();
    let mut blocks = vec![
        "# Debate Transcript".to_owned(),
        format!("**Topic:** {}", escape_line(topic)),
        format!("**Date:** {date}"),
    ];
    if !notes.is_empty() {
        blocks.push(render_bullets(notes.iter().map(|note| escape_start(note))));
    }
    blocks.extend(["---".into(), "## Metadata".into(), render_figures(topic, entries)]);
    blocks.extend(["---".into(), "## Quick Navigation".into(), render_navigation(entries)]);
    blocks.extend(["---".into(), "## Transcript".into(), render_body(entries, floor)]);
    blocks.push("## Chair Rulings".into());
    blocks.push(render_entries_of_kind(entries, "ruling", "No formal rulings were issued during this debate."));
    blocks.extend(["---".into(), "## Redactions".into()]);
    blocks.push(render_entries_of_kind(entries, "redaction", "No entries were redacted during this debate."));
    blocks.join("\n\n") + "\n"
}

fn render_figures(topic: &str, entries: &[LogEntry]) -> String {
    let time = |entry: Option<&LogEntry>| entry.map_or("—".to_owned(), |entry| entry.timestamp.clone());
    let end = find_log_conclusion(entries).and(entries.iter().rev().find(|entry| entry.kind == "conclusion"));
    let outcome = find_log_conclusion(entries).map_or("not concluded", |(outcome, _)| outcome);
    let rows = [
        ("Topic", escape_cell(topic)),
        ("Start Time", time(entries.first())),
        ("End Time", time(end)),
        ("Outcome", escape_cell(outcome)),
        ("Total Rounds", metadata::count_rounds(entries).to_string()),
        ("Total Entries", format!("{} (seq 0-{})", entries.len(), entries.len().saturating_sub(1))),
        ("Redactions", redaction_reasons(entries).len().to_string()),
    ];
    render_table(&["Field", "Value"], rows.into_iter().map(|(name, value)| format!("| **{name}** | {value} |")))
}

/// Phases and rounds with the numbers of their entries.
fn render_navigation(entries: &[LogEntry]) -> String {
    let mut parts: Vec<(String, u64, u64)> = Vec::new();
    for entry in entries {
        let last = parts.last().map(|(name, ..)| name.clone()).unwrap_or_default();
        let name = match entry.phase.as_str() {
            "opening" => "Phase 1: Opening Statements".to_owned(),
            "closing" => "Phase 3: Closing Statements".into(),
            _ if entry.kind == "announcement" && entry.content.starts_with("Round ") => {
                let round: String = entry.content.chars().skip(6).take_while(char::is_ascii_digit).collect();
                format!("Phase 2: Round {round}")
            }
            _ if entry.kind == "conclusion" || entry.kind == "audience_conclusion" => "Phase 4: Conclusion".into(),
            // What the chair says in between belongs to the part that it stands in.
            _ if last.is_empty() => "Phase 0: Setup".into(),
            _ => last.clone(),
        };
        match parts.last_mut() {
            Some((known, _, end)) if *known == name => *end = entry.seq,
            _ => parts.push((name, entry.seq, entry.seq)),
        }
    }
    let rows = parts.into_iter().map(|(name, from, to)| format!("| {} | {from}-{to} |", escape_cell(&name)));
    render_table(&["Part", "seq"], rows)
}

/// Every entry, in order, with what was said from the floor between them.
pub fn render_body(entries: &[LogEntry], floor: &[FromTheFloor]) -> String {
    let redacted = redaction_reasons(entries);
    let mut blocks = Vec::new();
    let said = |after: usize| {
        floor.iter().filter(move |said| said.after == after).flat_map(|said| [said.render_block(), "---".into()])
    };
    for (at, entry) in entries.iter().enumerate() {
        blocks.extend(said(at));
        blocks.extend(match entry.kind.as_str() {
            "audience_conclusion" => vec![
                format!("## Audience Conclusion [seq {}]", entry.seq),
                format!("*{}*", escape_line(&entry.timestamp)),
                "---".into(),
                render_quote(&entry.content),
            ],
            _ => self::render_entry(entry, entries, redacted.contains_key(&entry.seq)),
        });
        blocks.push("---".into());
    }
    blocks.extend(said(entries.len()));
    blocks.join("\n\n")
}

fn render_entry(entry: &LogEntry, all: &[LogEntry], struck: bool) -> Vec<String> {
    let LogEntry { seq, phase, speaker, kind, timestamp, content, .. } = entry;
    let check = kind == "verification_result";
    let (level, mark) = if check { ("####", "[FACT-CHECK] ") } else { ("###", "") };
    let [phase, by, what] = [phase, speaker, kind].map(|text| escape_title(text));
    let head = format!("{level} {mark}[seq {seq}] Phase: {phase} | {by} | {what}");
    let mut blocks = vec![format!("{head}\n*{}*", escape_line(timestamp))];
    if let Some(target) = entry.rebuttal_to_seq.or(entry.target_seq) {
        blocks.push(format!("*Refers to seq {target}*"));
    }
    if struck {
        let ruling = all.iter().find(|other| other.content.starts_with(&format!("REDACTED: seq {seq} ")));
        // The mark is the file's own; the reason in it is not.
        blocks.push(escape_prose(content).trim_start_matches('\\').to_owned());
        blocks.extend(ruling.map(|ruling| format!("*See ruling at seq {}*", ruling.seq)));
        return blocks;
    }
    blocks.push(if check { render_finding(content) } else { escape_prose(content) });
    blocks.push(match entry.sources() {
        [] => "**Sources:** None".into(),
        sources => format!("**Sources:**\n{}", render_bullets(sources.iter().map(render_link))),
    });
    let later = all.iter().filter(|later| later.seq > *seq && later.speaker == *speaker);
    let corrected = later.filter(|later| {
        source_form::parse_correction(&later.content).is_ok_and(|found| found.is_some_and(|found| found.seq == *seq))
    });
    blocks.extend(corrected.map(|later| format!("*Source corrected at seq {}*", later.seq)));
    blocks
}

fn render_finding(content: &str) -> String {
    let Some(found) = LoggedResult::parse(content) else { return escape_prose(content) };
    let [url, status, why] =
        [found.url, found.status, found.explanation].map(|text| escape_line(&text.unwrap_or_default()));
    let why = if why.is_empty() { why } else { format!(" {why}") };
    format!("Source of seq {}: {url} is {status}.{why}", json!(found.verified_seq))
}

/// A source as a link, if its address is one.
pub fn render_link(source: &LogSource) -> String {
    let title = escape_line(&source.title).replace('[', "\\[").replace(']', "\\]");
    let safe = source.url.contains("://") && source_form::check_url(&source.url).is_ok();
    let url = source.url.replace('(', "%28").replace(')', "%29");
    if safe { format!("[{title}]({url})") } else { format!("{title} ({})", escape_line(&source.url)) }
}

/// `text` as a quote, paragraph by paragraph.
pub fn render_quote(text: &str) -> String {
    join_lines(escape_prose(text).lines().map(|line| format!("> {line}").trim_end().to_owned()), "")
}

fn render_entries_of_kind(entries: &[LogEntry], kind: &str, none: &str) -> String {
    let found = entries.iter().filter(|entry| entry.kind == kind);
    join_lines(found.map(|entry| format!("- [seq {}] {}", entry.seq, escape_line(&entry.content))), none)
}
