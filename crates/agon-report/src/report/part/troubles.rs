//! What did not work, and what was noted of form alone: word counts, labels, scores that were centred. What is wrong
//! with sources stands with the outcome and with what was not settled.

use agon_text::{collect_different, count_noun, name_first};

use super::{Block, ReportInput};
use crate::{participation, ruling_view};

/// Statements that are named with one warning.
const NAMED_MAX: usize = 3;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let record = scene.record;
    let mut told = participation::describe_absences(record);
    told.extend(participation::describe_troubles(record).into_iter().filter(|text| !text.contains("warning")));
    let points: Vec<(String, String)> = told.into_iter().map(|text| (String::new(), text)).collect();
    let mut blocks = vec![match points.is_empty() {
        true => Block::Prose(
            "Nothing to report: every seat that was asked answered, nothing was asked for again, and nothing was redacted.".into(),
        ),
        false => Block::Points { points, grave: true },
    }];
    blocks.extend(build_form_block(scene));
    blocks
}

/// What was noted of form: one line with its number, and the rest behind it.
fn build_form_block(scene: &ReportInput<'_>) -> Option<Block> {
    let mut points: Vec<(String, String)> =
        describe_centred_scores(scene).map(|text| (String::new(), text)).into_iter().collect();
    let warned = participation::list_warnings(scene.record);
    let count = warned.len() + points.len();
    points.extend(group_warnings(warned));
    let summary = format!("{} on form and length", count_noun(count, "note", "notes"));
    (count > 0).then(|| Block::Details { summary, blocks: vec![Block::Points { points, grave: false }] })
}

/// Each warning once, with the statements that it is about.
fn group_warnings(all: Vec<(&str, String)>) -> Vec<(String, String)> {
    let texts = collect_different(all.iter().map(|(_, text)| text.as_str()));
    let joined = texts.into_iter().map(|text| {
        let about: Vec<&str> = all.iter().filter(|(_, other)| other == text).map(|(of, _)| *of).collect();
        (name_first(&about, NAMED_MAX), text.to_owned())
    });
    joined.collect()
}

/// Judgments whose scores had to be moved to sum to zero.
fn describe_centred_scores(scene: &ReportInput<'_>) -> Option<String> {
    let scored = ruling_view::list_scores(scene.record);
    let is_moved = |scores: &ruling_view::ScoresView| {
        scores.lines.iter().any(|line| matches!(line.before, ruling_view::ScoreBefore::Given(_)))
    };
    let moved = scored.iter().filter(|(_, _, scores)| is_moved(scores)).count();
    (moved > 0).then(|| {
        format!(
            "In {moved} of {} the judge's scores did not sum to zero and were centred; the table of judgments shows both.",
            count_noun(scored.len(), "judgment", "judgments")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_said_once() {
        let all = vec![("a", "late"), ("b", "odd"), ("b", "late"), ("c", "late"), ("d", "late"), ("e", "late")];
        let said = group_warnings(all.into_iter().map(|(of, text)| (of, text.to_owned())).collect());
        let wanted = [("a, b, c and 2 more", "late"), ("b", "odd")];
        assert_eq!(said, wanted.map(|(of, text)| (of.to_owned(), text.to_owned())));
    }
}
