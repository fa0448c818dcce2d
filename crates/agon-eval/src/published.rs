//! Debates and judgments made elsewhere, as observations: one JSON object on each line, either
//! `{"debate": {…}}` ([`PublishedDebate`]) or, below the debate that it is of, `{"judgment": {…}}`
//! ([`PublishedJudgment`]). Any other line is an observation. docs/eval-figures.md shows an example.
//!
//! The judgments of a debate are a panel: the answer is the choice of most votes, a tie gives no answer, and the
//! probabilities are the mean of theirs. A debate without judgments keeps its own answer and probabilities.

use std::{collections::BTreeMap, io::BufRead};

use serde::Deserialize;
use serde_json::Value;

use crate::{
    lines::{BoundedLines, LineFault, quoted},
    observation::{
        MirrorPair, Observation, ObservationFault, ObservationState, ObservedSide, ObservedUsage,
        ObservedVote, PARTS_MAX,
    },
};

/// One line.
#[derive(Debug)]
enum PublishedLine {
    Debate(Box<PublishedDebate>),
    Judgment(PublishedJudgment),
    Observation(Box<Observation>),
}

/// A debate. Its fields are those of [`Observation`], except for the judgments.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedDebate {
    /// Its name; judgments below may name it.
    pub id: String,
    /// What it is about; debates on the same question have the same item.
    pub item: String,
    /// What the item shares with others, for example a story.
    #[serde(default)]
    pub cluster: Option<String>,
    /// How it was held.
    pub arm: String,
    /// Which debate of item and arm, from 0; counted where absent.
    #[serde(default)]
    pub repetition: Option<u32>,
    /// The answers to choose from.
    pub choices: Vec<String>,
    /// The right one.
    #[serde(default)]
    pub gold: Option<String>,
    /// How it ended.
    #[serde(default)]
    pub state: ObservationState,
    /// Who argued for which choice; the first of them opened.
    #[serde(default)]
    pub sides: Vec<ObservedSide>,
    /// The judge's answer before the debate.
    #[serde(default)]
    pub initial: Option<String>,
    /// What the debaters hold to be right.
    #[serde(default)]
    pub critic: Option<String>,
    /// The answer, where there are no judgments.
    #[serde(default)]
    pub answer: Option<String>,
    /// Its probabilities, where there are no judgments.
    #[serde(default)]
    pub probabilities: Option<Vec<f64>>,
    /// Winners of the debate and its mirror.
    #[serde(default)]
    pub mirror: Option<MirrorPair>,
    /// Whether a checked quote was before the judges.
    #[serde(default)]
    pub verified_quote: Option<bool>,
    /// What debate and judgments cost together.
    #[serde(default)]
    pub usage: ObservedUsage,
    /// The models that answered.
    #[serde(default)]
    pub models: Vec<String>,
    /// Judgments, if they are not on lines of their own.
    #[serde(default)]
    pub judgments: Vec<PublishedJudgment>,
}

/// What one judge said of a debate.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedJudgment {
    /// Id of the debate, which is the one above.
    #[serde(default)]
    pub debate: Option<String>,
    /// Who judged.
    pub judge: String,
    /// Family of the judge's model.
    #[serde(default)]
    pub family: Option<String>,
    /// The choice; where absent, the most probable one, or the one that the margin favours.
    #[serde(default)]
    pub answer: Option<String>,
    /// Probability of each choice, in their order.
    #[serde(default)]
    pub probabilities: Option<Vec<f64>>,
    /// By how much the first choice leads the second.
    #[serde(default)]
    pub margin: Option<f64>,
    /// The choice whose case was shown first.
    #[serde(default)]
    pub first_shown: Option<String>,
    /// Whether two orders had opposite winners.
    #[serde(default)]
    pub flip: Option<bool>,
}

/// What is wrong with a line, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum PublishedFault {
    /// What the fault of an observation says.
    #[error(transparent)]
    Observation(#[from] ObservationFault),
    /// A judgment without a debate above it.
    #[error("there is no debate above this judgment; put each judgment below its debate")]
    NoDebate,
    /// A judgment of another debate.
    #[error("this judgment is of {0}, and the debate above is {1}; put each judgment below its debate")]
    OtherDebate(String, String),
    /// More judgments than are read.
    #[error("the debate has more than 100 judgments")]
    TooMany,
}

/// A fault and where it is. Those of a whole debate name its line.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct PublishedError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong there.
    #[source]
    pub fault: PublishedFault,
}

/// Reads debates with their judgments, and gives an observation for each debate; observations are given as they are.
/// After a faulty line it continues.
#[derive(Debug)]
pub struct PublishedReader<R> {
    lines: BoundedLines<R>,
    open: Option<(u64, PublishedDebate)>,
    /// An observation that was read while a debate was open, which comes first.
    next: Option<(u64, Observation)>,
    counted: BTreeMap<(String, String), u32>,
    ended: bool,
}

impl<R: BufRead> PublishedReader<R> {
    /// From the beginning of `reader`.
    pub fn new(reader: R) -> Self {
        Self {
            lines: BoundedLines::new(reader),
            open: None,
            next: None,
            counted: BTreeMap::new(),
            ended: false,
        }
    }

    /// The observation of the debate that is complete.
    fn close(&mut self, line: u64, debate: PublishedDebate) -> Result<Observation, PublishedError> {
        let repetition = debate.repetition.unwrap_or_else(|| {
            let count = self.counted.entry((debate.item.clone(), debate.arm.clone())).or_default();
            *count += 1;
            *count - 1
        });
        checked(line, debate.observation(repetition))
    }

    fn judged(&mut self, judgment: PublishedJudgment) -> Result<(), PublishedFault> {
        let Some((_, debate)) = &mut self.open else { return Err(PublishedFault::NoDebate) };
        if let Some(id) = judgment.debate.as_ref().filter(|id| **id != debate.id) {
            return Err(PublishedFault::OtherDebate(quoted(id), quoted(&debate.id)));
        }
        if debate.judgments.len() >= PARTS_MAX {
            return Err(PublishedFault::TooMany);
        }
        debate.judgments.push(judgment);
        Ok(())
    }
}

impl<R: BufRead> Iterator for PublishedReader<R> {
    type Item = Result<Observation, PublishedError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some((line, observation)) = self.next.take() {
            return Some(checked(line, observation));
        }
        while !self.ended {
            let Some((line, read)) = self.lines.next_value::<Value>() else {
                self.ended = true;
                break;
            };
            let read: Result<_, PublishedFault> =
                read.and_then(PublishedLine::of).map_err(|fault| ObservationFault::Line(fault).into());
            let fault = match read {
                Ok(PublishedLine::Debate(debate)) => match self.open.replace((line, *debate)) {
                    Some((line, before)) => return Some(self.close(line, before)),
                    None => continue,
                },
                Ok(PublishedLine::Judgment(judgment)) => match self.judged(judgment) {
                    Ok(()) => continue,
                    Err(fault) => fault,
                },
                Ok(PublishedLine::Observation(observation)) => match self.open.take() {
                    Some((before, debate)) => {
                        self.next = Some((line, *observation));
                        return Some(self.close(before, debate));
                    }
                    None => return Some(checked(line, *observation)),
                },
                Err(fault) => fault,
            };
            return Some(Err(PublishedError { line, fault }));
        }
        let (line, debate) = self.open.take()?;
        Some(self.close(line, debate))
    }
}

fn checked(line: u64, observation: Observation) -> Result<Observation, PublishedError> {
    let checked = observation.check().map(|()| observation);
    checked.map_err(|fault| PublishedError { line, fault: fault.into() })
}

impl PublishedLine {
    /// What a line is: `debate` is the id of the debate in an observation, and an object where it is the debate.
    fn of(mut value: Value) -> Result<Self, LineFault> {
        let taken =
            |value: &mut Value, key: &str| value.as_object_mut().and_then(|object| object.remove(key));
        let alone = value.as_object().is_some_and(|object| object.len() == 1);
        let parsed = if alone && value.get("debate").is_some_and(Value::is_object) {
            let debate = taken(&mut value, "debate").unwrap_or_default();
            serde_json::from_value(debate).map(|debate| Self::Debate(Box::new(debate)))
        } else if alone && value.get("judgment").is_some() {
            let judgment = taken(&mut value, "judgment").unwrap_or_default();
            serde_json::from_value(judgment).map(Self::Judgment)
        } else {
            serde_json::from_value(value).map(|observation| Self::Observation(Box::new(observation)))
        };
        parsed.map_err(|error| LineFault::Json(error.to_string()))
    }
}

impl PublishedDebate {
    fn observation(self, repetition: u32) -> Observation {
        let votes: Vec<ObservedVote> =
            self.judgments.into_iter().map(|judgment| judgment.vote(&self.choices)).collect();
        let (answer, probabilities) = if votes.is_empty() {
            (self.answer, self.probabilities)
        } else {
            (majority(&votes), mean(&votes, self.choices.len()))
        };
        Observation {
            item: self.item,
            cluster: self.cluster,
            arm: self.arm,
            repetition,
            gold: self.gold,
            choices: self.choices,
            state: self.state,
            answer,
            probabilities,
            initial: self.initial,
            critic: self.critic,
            votes,
            sides: self.sides,
            mirror: self.mirror,
            verified_quote: self.verified_quote,
            usage: self.usage,
            models: self.models,
            debate: Some(self.id),
            ..Observation::default()
        }
    }
}

impl PublishedJudgment {
    fn vote(self, choices: &[String]) -> ObservedVote {
        let leads = |margin: f64| if margin > 0.0 { Some(0) } else { (margin < 0.0).then_some(1) };
        let favoured = self.probabilities.as_deref().and_then(favourite);
        let favoured = favoured.or_else(|| leads(self.margin?));
        ObservedVote {
            judge: self.judge,
            family: self.family,
            answer: self.answer.or_else(|| choices.get(favoured?).cloned()),
            margin: self.margin,
            first_shown: self.first_shown,
            flip: self.flip,
            probabilities: self.probabilities,
        }
    }
}

/// The place of the largest probability; none where two are largest.
fn favourite(probabilities: &[f64]) -> Option<usize> {
    let most = probabilities.iter().copied().fold(0.0, f64::max);
    let mut largest = probabilities.iter().enumerate().filter(|(_, p)| **p == most).map(|(at, _)| at);
    largest.next().filter(|_| largest.next().is_none())
}

/// The choice of most votes; none for a tie.
fn majority(votes: &[ObservedVote]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    votes
        .iter()
        .filter_map(|vote| vote.answer.as_deref())
        .for_each(|answer| *counts.entry(answer).or_default() += 1);
    let most = counts.values().copied().max()?;
    let mut first =
        counts.into_iter().filter(|(_, count)| *count == most).map(|(answer, _)| answer.to_owned());
    first.next().filter(|_| first.next().is_none())
}

/// Mean of the probabilities of those judges that gave as many as there are choices.
fn mean(votes: &[ObservedVote], choices: usize) -> Option<Vec<f64>> {
    let given: Vec<&Vec<f64>> =
        votes.iter().filter_map(|vote| vote.probabilities.as_ref()).filter(|p| p.len() == choices).collect();
    let at = |place: usize| given.iter().map(|p| p[place]).sum::<f64>() / given.len() as f64;
    (!given.is_empty()).then(|| (0..choices).map(at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<Observation, String>> {
        PublishedReader::new(text.as_bytes()).map(|read| read.map_err(|error| error.to_string())).collect()
    }

    const DEBATE: &str =
        r#"{"debate": {"id": "d", "item": "i", "arm": "debate", "choices": ["x", "y"], "gold": "x"}}"#;

    #[test]
    fn the_judgments_below_a_debate_are_its_panel() {
        let text = format!(
            "{DEBATE}\n{}\n{}\n{}\n{DEBATE}\n",
            r#"{"judgment": {"debate": "d", "judge": "a", "probabilities": [0.9, 0.1]}}"#,
            r#"{"judgment": {"judge": "b", "margin": -1.5}}"#,
            r#"{"judgment": {"judge": "c", "answer": "x", "probabilities": [0.7, 0.3]}}"#,
        );
        let found = read(&text);
        let first = found[0].as_ref().unwrap();
        let answers: Vec<_> = first.votes.iter().map(|vote| vote.answer.as_deref()).collect();
        assert_eq!(answers, [Some("x"), Some("y"), Some("x")]);
        assert_eq!((first.answer.as_deref(), first.is_right()), (Some("x"), Some(true)));
        let probabilities = first.probabilities.as_ref().unwrap();
        assert!((probabilities[0] - 0.8).abs() < 1e-12 && (probabilities[1] - 0.2).abs() < 1e-12);
        let second = found[1].as_ref().unwrap();
        assert_eq!((second.repetition, second.answer.as_ref()), (1, None), "repetitions are counted");
    }

    #[test]
    fn observations_stand_between_debates() {
        let own = r#"{"item": "i", "arm": "direct", "state": "answered", "debate": "own"}"#;
        let found = read(&format!("{own}\n{DEBATE}\n{own}\n{DEBATE}\n"));
        let arms: Vec<&str> = found.iter().map(|read| read.as_ref().unwrap().arm.as_str()).collect();
        assert_eq!(arms, ["direct", "debate", "direct", "debate"]);
    }

    #[test]
    fn a_tie_is_no_answer() {
        let judgments = r#"[{"judge": "a", "answer": "x"}, {"judge": "b", "answer": "y"}, {"judge": "c", "probabilities": [0.5, 0.5]}]"#;
        let text = DEBATE.replace(r#""gold": "x""#, &format!(r#""gold": "x", "judgments": {judgments}"#));
        let found = read(&text);
        assert_eq!(found[0].as_ref().unwrap().answer, None);
    }

    #[test]
    fn faults_name_their_line_and_the_rest_is_read() {
        let text = format!(
            "{}\n{DEBATE}\n{}\n{}\n{}\n",
            r#"{"judgment": {"judge": "a", "answer": "x"}}"#,
            r#"{"judgment": {"debate": "e", "judge": "a", "answer": "x"}}"#,
            r#"{"verdict": {}}"#,
            r#"{"judgment": {"judge": "a", "answer": "z"}}"#,
        );
        let found = read(&text);
        let errors: Vec<&String> = found.iter().map(|read| read.as_ref().unwrap_err()).collect();
        assert!(errors[0].starts_with("line 1: ") && errors[0].contains("no debate above"), "{errors:?}");
        assert!(errors[1].starts_with("line 3: ") && errors[1].contains("\"e\""), "{errors:?}");
        assert!(
            errors[2].starts_with("line 4: ") && errors[2].contains("unknown field `verdict`"),
            "{errors:?}"
        );
        assert!(errors[3].starts_with("line 2: ") && errors[3].contains("not among"), "{errors:?}");
    }
}
