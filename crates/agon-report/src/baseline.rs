//! What reports and pages show of a baseline: one model that answers alone, again and again.

use std::collections::BTreeMap;

use agon_core::{Key, Opened, Record, Reply, parse};
use agon_protocols::baseline::{OF, POSITIONS, SampledAnswer};
use agon_text::{count_noun, markdown};
use serde::Deserialize;
use serde_json::json;

use crate::{
    File,
    companion::{EndedDebate, earlier_debate},
    first_page::{AnswerBasis, BasisPoint, Sentence, quote::QuotedEntries},
    graph::Graph,
    views::Views,
};

/// What the baseline of `of`, which ended so, is opened with: the same question, and what its debaters stood for.
pub fn open_baseline(of: &Record, ended: &EndedDebate) -> Opened {
    let mut opened = of.opened().clone();
    let kept = ["definitions", "scope"].map(|name| opened.options.remove_entry(name));
    opened.options = kept.into_iter().flatten().collect();
    let positions = crate::views_of(of).given_positions(of);
    if !positions.is_empty() {
        let positions = positions.into_iter().map(|(name, position)| json!({"name": name, "position": position}));
        opened.options.insert(POSITIONS.into(), positions.collect());
    }
    opened.options.insert(OF.into(), json!(ended));
    opened
}

/// The views of a baseline.
pub struct BaselineViews;

/// What an outcome counts; nothing where no answer could be used.
#[derive(Default, Deserialize)]
struct BaselineFigures {
    /// The first answer.
    first: Option<String>,
    majority: Option<String>,
    counts: BTreeMap<String, u64>,
    asked: u64,
    usable: u64,
    tokens: u64,
}

impl BaselineFigures {
    fn from_record(record: &Record) -> Option<Self> {
        Self::deserialize(&record.closing_outcome()?.figures).ok()
    }
}

impl Views for BaselineViews {
    fn decided_by(&self) -> &'static str {
        "the outcome is what one model said most often, asked alone"
    }

    /// The reasons for and against in the first answer that is as the majority's.
    fn collect_answer_basis(&self, record: &Record) -> AnswerBasis {
        let basis = |points: [_; 2]| AnswerBasis { title: "Reasons", points: points.into() };
        find_typical_reasons(record).map(basis).unwrap_or_default()
    }

    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let Some(figures) = BaselineFigures::from_record(entries.record) else { return Vec::new() };
        let mut counts: Vec<u64> = figures.counts.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let (usable, [first, second, ..]) = (figures.usable, counts.as_slice()) else { return Vec::new() };
        let text = match first - second {
            0 => format!("No answer has a majority of {usable}: one more for either makes one."),
            lead => format!(
                "The majority leads by {lead} of {usable} answers: {} otherwise would end it.",
                count_noun(lead.div_ceil(2), "answer", "answers")
            ),
        };
        vec![entries.sentence_at_end(text)]
    }

    /// Answers that are not those of the majority.
    fn open_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let lost = BaselineFigures::from_record(entries.record).filter(|figures| figures.asked > figures.usable);
        let told = lost.map(|BaselineFigures { asked, usable, .. }| {
            entries.sentence_at_end(format!("{} of {asked} answers could not be used.", asked - usable))
        });
        told.into_iter().collect()
    }

    /// The same question, with and without a debate.
    fn companion_file(&self, record: &Record) -> Option<File> {
        let outcome = record.closing_outcome()?;
        let mut blocks =
            vec!["# The same question, without a debate".to_owned(), markdown::escape_prose(&outcome.render_summary())];
        if let Some(debate) = earlier_debate(record, OF) {
            let BaselineFigures { first, majority, usable, tokens, .. } =
                BaselineFigures::from_record(record).unwrap_or_default();
            let row = |who: &str, answer: Option<String>, none: &str, tokens: &str| {
                format!("| {who} | {} | {tokens} |", markdown::escape_cell(answer.as_deref().unwrap_or(none)))
            };
            let rows = [
                "| | Answer | Tokens |\n|---|---|---|".to_owned(),
                row(
                    &format!("The debate {}", markdown::escape_cell(&debate.debate)),
                    debate.winner,
                    "even",
                    &debate.tokens.to_string(),
                ),
                format!("| One answer alone | {} | |", markdown::escape_cell(first.as_deref().unwrap_or("none"))),
                row(&format!("The majority of {usable}"), majority, "none", &tokens.to_string()),
            ];
            blocks.push(rows.join("\n"));
            blocks.push("One question shows nothing about debates in general; many do (agon batch).".into());
        }
        Some(File::new("baseline.md", blocks.join("\n\n") + "\n"))
    }
}

/// The reasons for and against in the first answer that says what the majority says.
fn find_typical_reasons(record: &Record) -> Option<[BasisPoint; 2]> {
    let majority = BaselineFigures::from_record(record)?.majority?;
    let says = |key: &Key| {
        let ruled = record.find_ruling_data::<SampledAnswer>(&format!("{key}/answer"));
        ruled.is_some_and(|(_, sampled)| sampled.answer == majority)
    };
    let answers = record.answers().filter_map(|(seq, answered)| match &answered.reply {
        Reply::Said { text } => Some((!says(&answered.key), seq, parse::parse_json_answer(text).ok()?)),
        _ => None,
    });
    let (_, seq, answer) = answers.min_by_key(|(is_other, seq, _)| (*is_other, *seq))?;
    Some([("for", "reasons_for"), ("against", "reasons_against")].map(|(state, field)| BasisPoint {
        text: answer[field].as_str().unwrap_or_default().to_owned(),
        ..BasisPoint::new(state, seq)
    }))
}
