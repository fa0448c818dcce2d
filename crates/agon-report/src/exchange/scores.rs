//! `scores.json`: the current score of each argument and how it came about; and the sides' totals.

use std::{ops::Add, sync::Arc};

use agon_core::{Key, Record, Stamp, View};
use agon_protocols::exchange::{
    judgment::Rescore,
    state::{ExchangeState, Scored, exchange_key},
};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number};

use crate::{imported_files, python_json};

/// One scoring of one argument.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// What was given; an integer stays one.
    pub score: Number,
    /// Why.
    pub reasoning: String,
    /// When, in UTC, as Python's `isoformat` writes it with microseconds.
    pub scored_at: String,
    /// Only of a rescore: first argument of the batch that was judged.
    pub triggered_by: Option<String>,
    /// Only of a rescore that names it: the score that stood before.
    pub previous_score: Option<Number>,
    /// Only with `previous_score`: by how much it moved, with three decimals.
    pub diff: Option<Number>,
}

/// The score of one argument, written as a judge states it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArgumentScore {
    /// Of which.
    pub argument_id: String,
    /// -1 to 1; of a corrected one, the new score.
    pub score: Number,
    /// The score before, where the judge names one that it corrects.
    #[serde(skip_serializing)]
    pub previous: Option<Number>,
    /// Why.
    pub reasoning: String,
}

/// The scores of one argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentScores {
    /// The last score written.
    pub current_score: Number,
    /// Oldest first.
    pub history: Vec<Scoring>,
}

/// Sum and number of the scores of one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideTotal {
    /// Sum of the current scores with three decimals; the integer 0 where nothing is scored.
    pub total: Number,
    /// Number of scored arguments.
    pub count: u32,
}

/// Totals of both sides, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideTotals {
    /// For the motion.
    pub proposition: SideTotal,
    /// Against it.
    pub opposition: SideTotal,
}

/// All scores, by argument id in the order of scoring.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreFile(pub IndexMap<String, ArgumentScores>);

impl ArgumentScores {
    /// The last score of the history, where it is not the current one.
    fn differing_last(&self) -> Option<&Number> {
        let last = &self.history.last()?.score;
        (last.as_f64() != self.current_score.as_f64()).then_some(last)
    }
}

impl ScoreFile {
    /// The scores that the judgments of `record` gave, each at the time of the entry that put it
    /// into force.
    pub fn from_record(record: &Record, state: &ExchangeState) -> Self {
        let view = View::of_whole_record(record);
        let taken = |judgment: &&Arc<Scored>| view.is_imported(&judgment.key);
        let shown = state.judgments.iter().filter(taken).all(|judgment| !view.is_redacted(&judgment.key));
        // What was taken over keeps its times and its numbers as they are written.
        let original = imported_files::find_original(record, "scores.json").filter(|_| shown);
        let original = original.and_then(|text| Self::parse(text).ok()).map(|scores| scores.with_last_scores());
        let continued = original.is_some();
        let mut scores = original.unwrap_or_default();
        for judgment in state.judgments.iter().filter(|judgment| !(continued && taken(judgment))) {
            let ruling = record.find_ruling(&Key::from_parts(exchange_key(judgment.exchange, "scores")));
            let entry = ruling.and_then(|(seq, _)| record.entries().get(seq as usize));
            let at = entry.map(|entry| format_timestamp(&entry.at)).unwrap_or_default();
            for given in &judgment.scores {
                scores.add_score(&given.argument_id, to_number(given.score), &given.reasoning, &at);
            }
            let batch = judgment.scores.first().map(|given| given.argument_id.as_str());
            for given in &judgment.rescores {
                let Rescore { argument_id, old_score, new_score, reasoning } = given.clone();
                let (previous, score) = (Some(to_number(old_score)), to_number(new_score));
                let given = ArgumentScore { argument_id, score, previous, reasoning };
                scores.add_rescore(&given, batch.unwrap_or_default(), &at);
            }
        }
        scores
    }

    /// Arguments whose current score is not the last that they were given.
    pub fn check_current_scores(&self) -> impl Iterator<Item = (&str, &Number, &Number)> {
        self.0.iter().filter_map(|(id, scores)| Some((id.as_str(), &scores.current_score, scores.differing_last()?)))
    }

    /// The same with the last score of each history as the current one.
    pub fn with_last_scores(&self) -> Self {
        let mut settled = self.clone();
        for scores in settled.0.values_mut() {
            scores.current_score = scores.differing_last().unwrap_or(&scores.current_score).clone();
        }
        settled
    }

    /// Adds a new score.
    pub fn add_score(&mut self, id: &str, score: Number, reasoning: &str, scored_at: &str) -> &mut Scoring {
        let none = || ArgumentScores { current_score: score.clone(), history: Vec::new() };
        let ArgumentScores { current_score, history } = self.0.entry(id.to_owned()).or_insert_with(none);
        *current_score = score.clone();
        let (reasoning, scored_at) = (reasoning.to_owned(), scored_at.to_owned());
        history.push_mut(Scoring { score, reasoning, scored_at, triggered_by: None, previous_score: None, diff: None })
    }

    /// Adds a corrected score.
    pub fn add_rescore(&mut self, given: &ArgumentScore, triggered_by: &str, scored_at: &str) {
        let ArgumentScore { argument_id, score, previous, reasoning } = given;
        let scoring = self.add_score(argument_id, score.clone(), reasoning, scored_at);
        scoring.triggered_by = Some(triggered_by.to_owned());
        scoring.diff = previous.as_ref().map(|previous| score_difference(score, previous));
        scoring.previous_score.clone_from(previous);
    }

    /// The current score of an argument.
    pub fn current_score(&self, id: &str) -> Option<f64> {
        self.0.get(id)?.current_score.as_f64()
    }

    /// The sides' totals; ids of neither side are ignored.
    pub fn side_totals(&self) -> SideTotals {
        let total = |prefix: &str| {
            let of_side = self.0.iter().filter(|(id, _)| id.starts_with(prefix));
            let scores: Vec<&Number> = of_side.map(|(_, scores)| &scores.current_score).collect();
            SideTotal { total: sum_scores(&scores), count: scores.len() as u32 }
        };
        SideTotals { proposition: total("prop_"), opposition: total("opp_") }
    }

    /// Reads a file; says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let entries: Map<_, _> = serde_json::from_str(text)?;
        serde_json::from_value(entries.into())
    }

    /// The file, without a final newline; `{}` while nothing is scored.
    pub fn render(&self) -> String {
        python_json::render_indented_json(self)
    }
}

/// `2026-01-31T09:30:00.123Z` as `2026-01-31T09:30:00.123000+00:00`. What is not such a time is left
/// as it is.
pub fn format_timestamp(at: &Stamp) -> String {
    let Some(time) = at.0.strip_suffix('Z') else { return at.0.clone() };
    let (seconds, fraction) = time.split_once('.').unwrap_or((time, ""));
    format!("{seconds}.{fraction:0<6.6}+00:00")
}

/// `value` with three decimals, by Python's `round`: exact, ties to even. A zero has no sign.
pub fn round_score(value: f64) -> f64 {
    format!("{value:.3}").parse().unwrap_or(value) + 0.0
}

fn to_number(value: f64) -> Number {
    Number::from_f64(value).unwrap_or_else(|| 0.into())
}

fn score_difference(new: &Number, old: &Number) -> Number {
    match (new.as_i64(), old.as_i64()) {
        (Some(new), Some(old)) => new.saturating_sub(old).into(),
        _ => to_number(round_score(new.as_f64().unwrap_or(0.0) - old.as_f64().unwrap_or(0.0))),
    }
}

/// Integers stay integers, as in Python.
fn sum_scores(scores: &[&Number]) -> Number {
    let integers: Option<Vec<i64>> = scores.iter().map(|score| score.as_i64()).collect();
    match integers {
        Some(integers) => integers.into_iter().fold(0_i64, i64::saturating_add).into(),
        // From the integer 0 on, as in Python: a sum of floats begins with -0.0 in Rust.
        None => to_number(round_score(scores.iter().filter_map(|score| score.as_f64()).fold(0.0, f64::add))),
    }
}
