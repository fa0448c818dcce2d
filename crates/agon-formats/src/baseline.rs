//! What reports and pages show of a baseline: one model that answers alone, again and again.

use agon_core::{Record, Reply, parse};
use agon_protocols::baseline::SampledAnswer;
use agon_text::count_noun;
use serde_json::Value;

use crate::{
    first_page::{AnswerBasis, BasisPoint, Sentence, quote::QuotedEntries},
    graph::Graph,
    views::Views,
};

/// The views of a baseline.
pub struct BaselineViews;

impl Views for BaselineViews {
    fn decided_by(&self) -> &'static str {
        "the outcome is what one model said most often, asked alone"
    }

    /// The reasons for and against in the first answer that is as the majority's.
    fn collect_answer_basis(&self, record: &Record) -> AnswerBasis {
        let Some((seq, answer)) = find_typical_answer(record) else { return AnswerBasis::default() };
        let reason = |state: &'static str, field: &str| BasisPoint {
            text: answer[field].as_str().unwrap_or_default().to_owned(),
            ..BasisPoint::new(state, seq)
        };
        let points = vec![reason("for", "reasons_for"), reason("against", "reasons_against")];
        AnswerBasis { title: "Reasons", points }
    }

    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let Some(figures) = entries.record.closing_outcome().map(|outcome| &outcome.figures) else {
            return Vec::new();
        };
        let mut counts: Vec<u64> =
            figures["counts"].as_object().into_iter().flatten().filter_map(|(_, n)| n.as_u64()).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let (Some(usable), [first, second, ..]) = (figures["usable"].as_u64(), counts.as_slice()) else {
            return Vec::new();
        };
        let text = match first - second {
            0 => format!("No answer has a majority of {usable}: one more for either makes one."),
            lead => format!(
                "The majority leads by {lead} of {usable} answers: {} otherwise would end it.",
                count_noun(lead.div_ceil(2) as usize, "answer", "answers")
            ),
        };
        vec![Sentence::new(entries.end_seq(), text)]
    }

    /// Answers that are not those of the majority.
    fn open_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let figures = entries.record.closing_outcome().map(|outcome| outcome.figures.clone()).unwrap_or_default();
        let number = |name: &str| figures[name].as_u64();
        let (Some(asked), Some(usable)) = (number("asked"), number("usable")) else { return Vec::new() };
        let lost = (asked > usable).then(|| format!("{} of {asked} answers could not be used.", asked - usable));
        lost.map(|text| Sentence::new(entries.end_seq(), text)).into_iter().collect()
    }
}

/// The first answer that says what the majority says, with its entry.
fn find_typical_answer(record: &Record) -> Option<(u64, Value)> {
    let majority = record.closing_outcome()?.figures["majority"].as_str()?;
    let answers = record.answers().filter_map(|(seq, answered)| match &answered.reply {
        Reply::Said { text } => Some((seq, answered.key.clone(), parse::parse_json_answer(text).ok()?)),
        _ => None,
    });
    let mut answers: Vec<_> = answers.collect();
    let says = |key: &agon_core::Key| {
        let ruled = agon_core::Key::new(format!("{key}/answer")).ok().and_then(|key| record.find_ruling(&key));
        ruled.and_then(|(_, ruling)| ruling.decode_data()).is_some_and(|SampledAnswer { answer }| answer == majority)
    };
    answers.sort_by_key(|(seq, key, _)| (!says(key), *seq));
    answers.into_iter().next().map(|(seq, _, value)| (seq, value))
}
