//! What a debate of critique and revision shows on its page: the joined text and its decisions, each weakness with its
//! answer, and what changed from version to version.

use std::borrow::Cow;

use agon_core::Record;
use agon_text::count_noun;
use maud::{Markup, html};
use similar::{ChangeTag, DiffOp, TextDiff};

use super::ReviseInput;
use crate::{
    first_page::{AnswerBasis, BasisPoint},
    graph::map::side_class,
    page::{
        part::{PagePart, entry_link, render_notes, render_points, render_words},
        prose::escape_invisible,
    },
};

/// Unchanged lines around what changed.
const CONTEXT_LINES: usize = 2;
/// Changed lines of two versions that are shown; a text of which nothing stayed is not compared.
const LINES_MAX: usize = 400;
/// Lines of one change whose words are compared.
const COMPARED_MAX: usize = 40;
/// Label of the note that only weaknesses have.
const SEVERITY: &str = "Severity";

/// Decisions, weaknesses and changes; each where there are some.
pub(super) fn build_page_parts(record: &Record, basis: &AnswerBasis) -> Vec<PagePart> {
    let (weak, decided): (Vec<BasisPoint>, Vec<BasisPoint>) =
        basis.points.iter().cloned().partition(|point| find_severity(point).is_some());
    let mut parts = Vec::new();
    if !decided.is_empty() {
        let (title, about, body) = ("The joined text", String::new(), render_points(&decided));
        parts.push(PagePart { id: "joined", title, about, body });
    }
    if !weak.is_empty() {
        let about = count_noun(weak.len(), "weakness", "weaknesses");
        let body = html! { @for point in &weak { (render_weakness(point)) } };
        parts.push(PagePart { id: "weaknesses", title: "Weaknesses and answers", about, body });
    }
    parts.extend(ReviseInput::from_record(record).and_then(|input| build_changes_part(&input)));
    parts
}

fn find_severity(point: &BasisPoint) -> Option<&str> {
    point.notes.iter().find(|(label, _)| *label == SEVERITY).map(|(_, severity)| severity.as_str())
}

fn render_weakness(point: &BasisPoint) -> Markup {
    let severity = find_severity(point).unwrap_or_default();
    html! {
        details .finding open[severity == "high"] {
            summary {
                span .id { (escape_invisible(&point.id)) } " " span .sev .(severity) { (severity) } " "
                span .claim { (render_words(&point.text)) } " " span .place { (escape_invisible(&point.place)) " " b { (point.state) } }
            }
            div .body { p { (entry_link(point.seq)) } (render_notes(point)) }
        }
    }
}

/// What each author changed from one version to the next, word by word.
fn build_changes_part(input: &ReviseInput<'_>) -> Option<PagePart> {
    let mut drawn = Vec::new();
    for (at, versions) in input.state.versions.iter().enumerate() {
        for pair in versions.windows(2) {
            let [old, new] = pair else { continue };
            if let (Some(before), Some(after)) = (&old.text, &new.text) {
                let title = format!("{}, round {}", input.author_name(at), new.round);
                drawn.extend(render_difference(before, after).map(|(count, lines)| html! {
                    details .finding .(side_class(Some(at))) {
                        summary { span .claim { (escape_invisible(&title)) } " " span .place { (count_noun(count, "line changed", "lines changed")) } }
                        div .body { (lines) }
                    }
                }));
            }
        }
    }
    let body = html! { @for one in &drawn { (one) } };
    let about = "Each version against the one before it".to_owned();
    (!drawn.is_empty()).then_some(PagePart { id: "changes", title: "What changed", about, body })
}

/// The lines that differ, and how many they are; nothing where none does.
fn render_difference(before: &str, after: &str) -> Option<(usize, Markup)> {
    let diff = TextDiff::from_lines(before, after);
    let count = diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal).count();
    if count == 0 {
        return None;
    }
    let groups = diff.grouped_ops(CONTEXT_LINES);
    let changes = groups.iter().enumerate().flat_map(|(at, group)| {
        let lines = group.iter().flat_map(|op| changed_lines(&diff, op));
        lines.enumerate().map(move |(line, change)| (at > 0 && line == 0, change))
    });
    let lines = html! {
        pre .lines .hunk {
            @for (is_apart, (tag, words)) in changes.take(LINES_MAX) {
                @if is_apart { span .gap {} }
                span class=[change_class(tag)] {
                    @for (is_changed, words) in words {
                        @let words = escape_invisible(words.trim_end_matches('\n'));
                        @match (is_changed, tag) {
                            (true, ChangeTag::Delete) => del { (words) },
                            (true, ChangeTag::Insert) => ins { (words) },
                            _ => (words),
                        }
                    }
                }
            }
        }
        @if count > LINES_MAX { p .quiet { "More lines differ than are shown." } }
    };
    Some((count, lines))
}

/// A line that changed or stands next to one, and its parts with whether each changed.
type ChangedLine = (ChangeTag, Vec<(bool, String)>);

/// The lines of one operation; with their words compared where they are few.
fn changed_lines<'d>(diff: &'d TextDiff<'d, 'd, '_, str>, op: &DiffOp) -> Vec<ChangedLine> {
    if op.old_range().len() + op.new_range().len() > COMPARED_MAX {
        let whole = |value: &str| vec![(false, value.to_owned())];
        return diff.iter_changes(op).map(|change| (change.tag(), whole(change.value()))).collect();
    }
    // A deadline would make equal records give unequal pages.
    let changes = diff.iter_inline_changes_deadline(op, None);
    let words = |(is_changed, words): (bool, Cow<'_, str>)| (is_changed, words.into_owned());
    changes.map(|change| (change.tag(), change.iter_strings_lossy().map(words).collect())).collect()
}

fn change_class(tag: ChangeTag) -> Option<&'static str> {
    match tag {
        ChangeTag::Delete => Some("del"),
        ChangeTag::Insert => Some("add"),
        ChangeTag::Equal => None,
    }
}
