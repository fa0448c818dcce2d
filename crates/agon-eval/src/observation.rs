//! Observations: what one arm made of one item, as one JSON object on each line. All figures follow from them.
//!
//! A figure that is not known is absent, never 0. An observation says nothing of how it was made, so that those of
//! other programs are read in the same way.

use serde::{Deserialize, Serialize};

use crate::{item, json_lines::quote_text};

/// How far from 1 the sum of probabilities may be; they are divided by their sum. Models round to two digits.
pub const SUM_TOLERANCE: f64 = 0.02;
/// Votes, sides or models of one observation.
pub const PARTS_MAX: usize = 100;

/// What one arm made of one item, once.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Id of the item.
    pub item: String,
    /// Cluster of the item; the item is its own cluster where there is none.
    pub cluster: Option<String>,
    /// Name of the arm.
    pub arm: String,
    /// Which repetition of item and arm, from 0.
    #[serde(default)]
    pub repetition: u32,
    /// The right answer; absent where it is not known.
    pub gold: Option<String>,
    /// The answers to choose from; empty where the answer is free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// How it ended.
    pub state: ObservationState,
    /// The final answer; absent where there is none: a draw, an undecided judge, a failure.
    pub answer: Option<String>,
    /// Final probability of each choice, in the order of `choices`; they sum to 1.
    pub probabilities: Option<Vec<f64>>,
    /// The answer before critique or debate, by the participant that gave the final one.
    pub initial: Option<String>,
    /// What the critic or the debaters hold to be right, asked alone.
    pub critic: Option<String>,
    /// The vote of each judge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<ObservedVote>,
    /// Who argued for which choice, in the order of their places; the first of them opens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<ObservedSide>,
    /// The winners of a debate and of its mirror, in which the sides changed their choices.
    pub mirror: Option<MirrorPair>,
    /// Whether a judge had a quote checked, or a checked quote before it, when it ruled.
    pub verified_quote: Option<bool>,
    /// What it cost.
    #[serde(default)]
    pub usage: ObservedUsage,
    /// The models that really answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// The seed of its samples; absent where none was set.
    pub seed: Option<u64>,
    /// Id of the debate.
    pub debate: Option<String>,
    /// Hash of its record.
    pub record_hash: Option<String>,
    /// Digest of the item.
    pub item_digest: Option<String>,
    /// Digest of the prompts.
    pub prompt_digest: Option<String>,
}

/// How an observation ended. Degraded and failed ones are counted both as wrong and as missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, strum::EnumDiscriminants)]
#[strum_discriminants(vis(pub(crate)), name(RowState), doc = "How it ended, without the reason.")]
#[serde(rename_all = "snake_case")]
pub enum ObservationState {
    /// All seats did what they should. There may still be no answer: a draw.
    #[default]
    Answered,
    /// It ended, but a seat was lost or the quorum was not reached.
    Degraded {
        /// What was missing.
        reason: String,
    },
    /// It did not end: a provider was not available.
    Failed {
        /// Why.
        reason: String,
    },
}

/// The vote of one judge.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedVote {
    /// Who judged, by a name that is the same in all observations: a model, or a seat with its model.
    pub judge: String,
    /// Family of the judge's model, for example `claude`.
    pub family: Option<String>,
    /// The choice that it voted for; absent for a tie.
    pub answer: Option<String>,
    /// By how much the first of `choices` leads the second, in the judge's own unit; negative where it trails.
    pub margin: Option<f64>,
    /// The choice whose case the judge was shown first. Absent where it was shown both orders, or it is not known.
    pub first_shown: Option<String>,
    /// Whether two orders had opposite winners. Absent where only one order was heard.
    pub flip: Option<bool>,
    /// Its probability of each choice, in the order of `choices`; they sum to 1.
    pub probabilities: Option<Vec<f64>>,
}

/// A side of a debate.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedSide {
    /// The choice that it argued for.
    pub choice: String,
    /// Its model.
    pub model: Option<String>,
    /// Family of its model.
    pub family: Option<String>,
}

/// The places of the winners of a debate and of its mirror: 0 for the side that opened; absent for a draw. Equal places
/// mean that the winner followed the side, different places that it followed the case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MirrorPair {
    /// In the debate.
    pub debate: Option<u8>,
    /// In its mirror.
    pub mirror: Option<u8>,
}

/// What an observation cost. Absent is unknown, not 0.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedUsage {
    /// Calls of models.
    pub calls: Option<u64>,
    /// Tokens read, cached ones included.
    pub input_tokens: Option<u64>,
    /// Tokens read from a cache; part of `input_tokens`.
    pub cached_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// US dollars.
    pub money: Option<f64>,
    /// Seconds from the opening to the end.
    pub seconds: Option<f64>,
}

impl Observation {
    /// Whether figures can follow from it.
    ///
    /// # Errors
    /// The first thing that is wrong, and what to do.
    pub fn check(&self) -> Result<(), String> {
        let names = [("item", Some(&self.item)), ("arm", Some(&self.arm)), ("cluster", self.cluster.as_ref())];
        let judges = self.votes.iter().map(|vote| ("judge", Some(&vote.judge)));
        for (what, name) in names.into_iter().chain(judges) {
            if let Some(name) = name.filter(|name| !item::is_name(name)) {
                let must = "must have 1 to 200 bytes and no control characters";
                return Err(format!("the {what} {} {must}", quote_text(name)));
            }
        }
        let counts = [
            ("choices", self.choices.len(), item::CHOICES_MAX),
            ("votes", self.votes.len(), PARTS_MAX),
            ("sides", self.sides.len(), PARTS_MAX),
            ("models", self.models.len(), PARTS_MAX),
        ];
        if let Some((what, count, max)) = counts.into_iter().find(|(_, count, max)| count > max) {
            return Err(format!("there are {count} {what}; at most {max} are read"));
        }
        let twice = self.choices.iter().enumerate().any(|(at, choice)| self.choices[..at].contains(choice));
        if self.choices.len() == 1 || twice {
            return Err("the choices must be at least two, all different, or none for a free answer".into());
        }
        self.check_choices()?;
        self.check_probabilities("probabilities", self.probabilities.as_deref())?;
        for vote in &self.votes {
            self.check_probabilities("probabilities of a vote", vote.probabilities.as_deref())?;
            check_number("a margin", vote.margin, f64::MIN)?;
        }
        if let Some(place) = self.mirror.and_then(|pair| [pair.debate, pair.mirror].into_iter().flatten().max())
            && place > 1
        {
            return Err(format!("mirror names the side {place}; the sides of a mirrored debate are 0 and 1"));
        }
        self.usage.check_usage()
    }

    fn check_choices(&self) -> Result<(), String> {
        if self.choices.is_empty() {
            return Ok(());
        }
        let own = [
            ("gold answer", &self.gold),
            ("answer", &self.answer),
            ("initial answer", &self.initial),
            ("critic's answer", &self.critic),
        ];
        let own = own.into_iter().filter_map(|(what, text)| Some((what, text.as_ref()?)));
        let votes = self.votes.iter().flat_map(|vote| {
            let answer = vote.answer.as_ref().map(|answer| ("answer of a vote", answer));
            answer.into_iter().chain(vote.first_shown.as_ref().map(|shown| ("first_shown of a vote", shown)))
        });
        let sides = self.sides.iter().map(|side| ("choice of a side", &side.choice));
        let wrong = own.chain(votes).chain(sides).find(|(_, text)| !self.choices.contains(text));
        wrong.map_or(Ok(()), |(what, text)| {
            let must = "is not among the choices; write it exactly as one of them, or leave it out";
            Err(format!("the {what} {} {must}", quote_text(text)))
        })
    }

    fn check_probabilities(&self, what: &'static str, given: Option<&[f64]>) -> Result<(), String> {
        let Some(given) = given else { return Ok(()) };
        if given.len() != self.choices.len() || given.is_empty() {
            return Err(format!(
                "the {what} are {}, and the choices {}; give one probability for each choice, in their order",
                given.len(),
                self.choices.len()
            ));
        }
        if let Some(wrong) = given.iter().find(|value| !(0.0..=1.0).contains(*value)) {
            return Err(format!("the {what} hold {wrong}; each must be from 0 to 1"));
        }
        let sum: f64 = given.iter().sum();
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            return Err(format!("the {what} sum to {sum:.3}; they must sum to 1, within 0.02"));
        }
        Ok(())
    }

    /// Whether the final answer is the right one. `None` where the right one is not known; no answer is not right.
    pub fn is_right(&self) -> Option<bool> {
        self.gold.as_ref().map(|gold| self.answer.as_ref().is_some_and(|answer| is_same_answer(answer, gold)))
    }
}

/// Whether two answers are equal, without regard to spaces around them.
pub(crate) fn is_same_answer(one: &str, other: &str) -> bool {
    one.trim() == other.trim()
}

impl ObservedUsage {
    fn check_usage(&self) -> Result<(), String> {
        check_number("money", self.money, 0.0)?;
        check_number("seconds", self.seconds, 0.0)?;
        match (self.cached_tokens, self.input_tokens) {
            (Some(cached), Some(input)) if cached > input => {
                Err("cached_tokens is larger than input_tokens, of which it is a part".into())
            }
            _ => Ok(()),
        }
    }
}

fn check_number(what: &'static str, number: Option<f64>, min: f64) -> Result<(), String> {
    match number {
        Some(number) if !number.is_finite() || number < min => {
            Err(format!("{what} is {number}; it must be a finite number, and costs must not be negative"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "observation_tests.rs"]
mod tests;
