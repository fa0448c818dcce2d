//! `summary.md`: what happened, for a reader with ten minutes. Timeline, findings, outcome and the
//! audience's words are computed; the prose is the reporter's.

use agon_protocols::chaired::{
    announcements::format_references,
    debaters::Debater,
    log,
    objections::ObjectedText,
    report::{self, ReportPoint, SummaryProse},
    verification::SourceStatus,
};
use agon_text::markdown::{escape_line, escape_prose, escape_start, escape_title};

use super::{
    DebateView, assessment, find_log_conclusion,
    log::LogEntry,
    transcript::render_quote,
    verifier::{count_status, render_status_table},
};
use crate::markup::{join_lines, number_items, render_bullets};

/// Points that are computed for a debater where nobody tells them.
const POINTS_MAX: usize = 5;

/// The file; `entries` with redacted ones hidden.
pub fn render_summary(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let told = debate
        .accepted_text("summary")
        .and_then(|text| report::parse_summary(&text, &debate.debaters, &debate.log).ok());
    let mut blocks = vec![format!("# Debate Summary: {}", escape_title(&debate.record.opened().motion))];
    blocks.extend(render_notices(debate, told.is_none()));
    blocks.push("## Overview".into());
    blocks.push(told.as_ref().map_or_else(|| render_overview(debate, entries), |told| escape_prose(&told.overview)));
    for debater in &debate.debaters.0 {
        let [title, persona, position] =
            [&debater.title, &debater.persona, &debater.position].map(|text| escape_line(text));
        let position = if debater.position.is_empty() { position } else { format!(" — \"{position}\"") };
        blocks.push(format!("## Key Arguments — {title} ({persona}{position})"));
        blocks.push(render_points(&collect_arguments(debate, told.as_ref(), &debater.name)));
    }
    blocks.push("## Notable Exchanges".into());
    blocks.push(match &told {
        Some(told) => render_points(&told.exchanges),
        None => render_rebuttals(debate, entries),
    });
    blocks.extend(["## Debate Timeline".into(), render_timeline(debate, entries)]);
    blocks.extend(["## Verification Results".into(), render_verification(debate)]);
    blocks.push("## Debate Flow".into());
    blocks.push(told.as_ref().map_or_else(|| render_flow(debate, entries), |told| escape_prose(&told.flow)));
    blocks.push("## Outcome".into());
    blocks.push(match find_log_conclusion(entries) {
        Some((outcome, reason)) => format!("**{}**\n\n{}", escape_line(outcome), escape_prose(reason)),
        None => "The debate is not concluded.".into(),
    });
    let chair = [ObjectedText::Conclusion, ObjectedText::Clarification, ObjectedText::Review];
    blocks.extend(assessment::render_objection_marks(debate, &chair));
    blocks.push("## Audience Perspective".into());
    let said = entries.iter().rev().find(|entry| entry.kind == "audience_conclusion");
    blocks.push(said.map_or("The audience gave no opinion.".into(), |entry| render_quote(&entry.content)));
    blocks.extend(assessment::render_objection_marks(debate, &[ObjectedText::Opinion]));
    let floor = debate.list_interjections();
    if !floor.is_empty() {
        blocks.push("## From the Floor".into());
        let said = floor.iter().map(|said| format!("**{}:**\n\n{}", escape_line(&said.by), render_quote(&said.text)));
        blocks.push(said.collect::<Vec<_>>().join("\n\n"));
    }
    blocks.join("\n\n") + "\n"
}

/// What a reader must know before the rest.
fn render_notices(debate: &DebateView<'_>, untold: bool) -> Vec<String> {
    let mut first = Vec::new();
    let missing = debate.record.closing_outcome().map(|outcome| outcome.absent.as_slice()).unwrap_or_default();
    if !missing.is_empty() {
        let each = missing.iter().map(|absent| {
            let debater = debate.debaters.find_by_seat(&absent.seat);
            let name = debater.map_or(absent.seat.as_str(), |debater| debater.title.as_str());
            format!("{name}: {}", escape_line(&absent.why))
        });
        first.push(format!("Gave no usable answer:\n\n{}", render_bullets(each)));
    }
    first.extend(assessment::render_objection_marks(debate, &[ObjectedText::Summary]));
    if untold {
        first.push(debate.describe_missing("reporter", "summary"));
    }
    first
}

fn render_overview(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let rounds = super::metadata::count_rounds(entries);
    let names = escape_line(&debate.debaters.titles().join(", "));
    format!(
        "{names} debated this topic before a chair. The debate began {rounds} round(s) after the openings and has {} entries.",
        entries.len()
    )
}

fn collect_arguments(debate: &DebateView<'_>, told: Option<&SummaryProse>, name: &str) -> Vec<ReportPoint> {
    if let Some((_, points)) = told.and_then(|told| told.arguments.iter().find(|(of, _)| of == name)) {
        return points.clone();
    }
    let own = debate.log.standing_arguments().filter(|logged| logged.item.speaker == name).take(POINTS_MAX);
    own.map(|logged| ReportPoint { point: logged.gist(), seqs: vec![logged.item.seq] }).collect()
}

fn render_points(points: &[ReportPoint]) -> String {
    let listed = points.iter().map(|p| format!("{} ({})", escape_start(&p.point), format_references(&p.seqs)));
    number_items(listed, "Nothing that stands.")
}

fn render_rebuttals(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let called = |speaker: &str| escape_line(debate.debaters.title_of(speaker));
    let by = |seq: u64| entries.iter().find(|entry| entry.seq == seq).map(|entry| called(&entry.speaker));
    let met = entries.iter().filter_map(|entry| {
        let to = entry.rebuttal_to_seq?;
        let gist = escape_line(&log::extract_gist(&entry.content));
        Some(format!("- {} (seq {}) answered {} (seq {to}): {gist}", called(&entry.speaker), entry.seq, by(to)?))
    });
    join_lines(met, "No argument was rebutted.")
}

/// Arguments and what the chair decided, in a line each.
fn render_timeline(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let dull = |entry: &LogEntry| {
        let kind = ["setup", "verification_result"].contains(&entry.kind.as_str());
        kind || (entry.kind == "announcement" && !entry.content.starts_with("Round "))
    };
    let lines = entries.iter().filter(|entry| !dull(entry)).map(|entry| {
        let (what, speaker) = (entry.kind.replace('_', " "), debate.debaters.title_of(&entry.speaker));
        let gist = escape_line(&log::extract_gist(&entry.content));
        format!("seq {}, {} ({what}): {gist}", entry.seq, escape_line(speaker))
    });
    number_items(lines, "")
}

fn render_verification(debate: &DebateView<'_>) -> String {
    if debate.findings.is_empty() {
        return "No source was cited, so none was verified.".into();
    }
    let mut text = render_status_table(debate);
    if count_status(debate, SourceStatus::Unchecked) > 0 {
        text += "\n\nUnchecked means that nobody opened the page.";
    }
    text
}

/// Words by debater and round, where nobody tells how the debate moved.
fn render_flow(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let of = |debater: &Debater| {
        let own = entries.iter().filter(|entry| entry.speaker == debater.name);
        let rebuttals = own.clone().filter(|entry| entry.kind == "rebuttal").count();
        let name = escape_line(&debater.title);
        format!("{name}: {} entries, {rebuttals} of them rebuttals", own.count())
    };
    render_bullets(debate.debaters.0.iter().map(of))
}
