//! The entries of the record that the report points to, in full, so that a reader can check each sentence.

use std::collections::BTreeSet;

use agon_core::{Event, RulingKind};

use super::{Block, Cited, ReportInput, ruling_word, turning_points};
use crate::{first_page::quote::QuotedEntries, graph::shorten_text};

/// Characters of an entry that are shown at once.
const SHOWN_CHARS_MAX: usize = 700;
/// Characters of a field that stands on one line with others.
const SHORT_CHARS_MAX: usize = 40;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let entries = QuotedEntries::from_record(scene.record);
    let page = &scene.first_page;
    let named = page.answers.iter().map(|answer| answer.seq).chain(page.basis.points.iter().map(|point| point.seq));
    let own = page
        .positions
        .iter()
        .chain(&page.told)
        .chain(&page.doubts)
        .chain(&page.trust)
        .chain(&page.flips)
        .chain(&page.open);
    let own = own.map(|sentence| sentence.seq).chain(named);
    let seqs: BTreeSet<u64> =
        own.chain(turning_points::collect_turning_points(scene).into_iter().map(|(seq, ..)| seq)).collect();
    seqs.into_iter().map(|seq| Block::Entry(cite_entry(scene, &entries, seq))).collect()
}

fn cite_entry(scene: &ReportInput<'_>, entries: &QuotedEntries<'_>, seq: u64) -> Cited {
    let mut paragraphs: Vec<(String, bool)> = Vec::new();
    for (label, text) in entries.entry_passages(seq) {
        let told = if label.is_empty() { text } else { format!("{label}: {text}") };
        let is_short = !label.is_empty() && told.chars().count() <= SHORT_CHARS_MAX;
        match paragraphs.last_mut() {
            // A label that comes again begins another object.
            Some((line, true)) if is_short && !line.contains(&format!("{label}: ")) => {
                *line = format!("{line} · {told}");
            }
            _ => paragraphs.push((told, is_short)),
        }
    }
    let mut all = paragraphs.into_iter().map(|(text, _)| text).peekable();
    let (mut shown, mut left) = (Vec::new(), SHOWN_CHARS_MAX);
    while let Some(text) = all.next_if(|text| text.chars().count() <= left) {
        left -= text.chars().count();
        shown.push(text);
    }
    // A text that is too long alone is begun here and stands whole behind.
    if shown.is_empty() {
        shown.extend(all.peek().map(|text| shorten_text(text, SHOWN_CHARS_MAX)));
    }
    let rest: Vec<String> = all.collect();
    if shown.is_empty() {
        shown.push("Nothing of it may be shown.".into());
    }
    Cited { seq, by: describe_origin(scene, seq), paragraphs: shown, rest }
}

/// Whose an entry is, and when it came.
fn describe_origin(scene: &ReportInput<'_>, seq: u64) -> String {
    let entry = usize::try_from(seq).ok().and_then(|at| scene.record.entries().get(at));
    match entry.map(|entry| &entry.what) {
        Some(Event::Opened(_)) => "How the debate was opened".into(),
        Some(Event::Asked(request)) => format!("Asked again of {}, since", scene.name_and_colour(&request.seat).0),
        Some(Event::Answered(answered)) => {
            let asked = scene.record.find_request(&answered.key);
            let name = asked.map(|(_, request)| scene.name_and_colour(&request.seat).0).unwrap_or_default();
            let when = scene.graph.statements.iter().find(|statement| statement.seq == seq);
            match when {
                Some(statement) => format!("{name}, {}", statement.when),
                None => name,
            }
        }
        Some(Event::Ruled { ruling, .. }) => match ruling.kind {
            RulingKind::Noted => "A ruling of the program".into(),
            kind => format!("A ruling of the program: {}", ruling_word(kind)),
        },
        Some(Event::Extended { .. }) => "The debate was allowed more".into(),
        Some(Event::Acted(act)) => act.by.clone(),
        Some(Event::Closed { .. }) => "How the debate ended".into(),
        None => String::new(),
    }
}
