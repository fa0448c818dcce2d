//! Debates and judgments made elsewhere, as observations: one JSON object on each line, either `{"debate": {…}}` or,
//! below the debate that it is of, `{"judgment": {…}}`. Any other line is an observation. A debate has the fields of an
//! [`Observation`], and its name and judgments; a judgment those of an [`ObservedVote`], and the name of its debate.
//! docs/eval-figures.md shows an example.
//!
//! The judgments of a debate are a panel: the answer is the choice of most votes, a tie gives no answer, and the
//! probabilities are the mean of theirs. A debate without judgments keeps its own answer and probabilities.

use std::{collections::BTreeMap, io::BufRead};

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use crate::{
    json_lines::{BoundedLines, LocatedFault, quote_text},
    observation::{Observation, ObservedVote, PARTS_MAX},
};

/// A debate as a line says it.
#[derive(Debug, Deserialize)]
struct PublishedDebate {
    /// Its name; judgments below may name it.
    id: String,
    /// Which debate of item and arm, from 0; counted where absent.
    repetition: Option<u32>,
    /// Judgments, if they are not on lines of their own.
    #[serde(default)]
    judgments: Vec<PublishedJudgment>,
    /// What it is as an observation.
    #[serde(flatten)]
    observation: Map<String, Value>,
}

/// What one judge said of a debate.
#[derive(Debug, Deserialize)]
struct PublishedJudgment {
    /// Id of the debate, which is the one above.
    debate: Option<String>,
    /// The vote; its answer may be absent where probabilities or the margin favour one.
    #[serde(flatten)]
    vote: Map<String, Value>,
}

/// Reads debates with their judgments, and gives an observation for each debate; observations are given as they are.
/// After a faulty line it continues. Faults of a whole debate name its line.
#[derive(Debug)]
pub struct PublishedReader<R> {
    lines: BoundedLines<R>,
    /// The debate that judgments below belong to.
    open: Option<(u64, Observation)>,
    /// An observation that was read while a debate was open, which comes first.
    next: Option<(u64, Observation)>,
    counted: BTreeMap<(String, String), u32>,
}

impl<R: BufRead> PublishedReader<R> {
    /// From the beginning of `reader`.
    pub fn new(reader: R) -> Self {
        Self { lines: BoundedLines::new(reader), open: None, next: None, counted: BTreeMap::new() }
    }

    /// The observation that is complete with this line. `debate` is the id of the debate in an observation, and an
    /// object where it is the debate.
    fn accept_line(&mut self, line: u64, value: Value) -> Result<Option<(u64, Observation)>, String> {
        let object = value.as_object().filter(|object| object.len() == 1);
        let find = |key: &str| object.and_then(|object| object.get(key).cloned());
        if let Some(debate) = find("debate").filter(|debate| debate.is_object()) {
            let debate = self.parse_debate(deserialize_value(debate)?)?;
            let before = self.close_debate();
            self.open = Some((line, debate));
            return Ok(before);
        }
        if let Some(judgment) = find("judgment") {
            let Some((_, debate)) = &mut self.open else {
                return Err("there is no debate above this judgment; put each judgment below its debate".into());
            };
            add_judgment(debate, deserialize_value(judgment)?)?;
            return Ok(None);
        }
        let observation = deserialize_value(value)?;
        Ok(match self.close_debate() {
            None => Some((line, observation)),
            before => {
                self.next = Some((line, observation));
                before
            }
        })
    }

    /// A debate as an observation.
    fn parse_debate(&mut self, debate: PublishedDebate) -> Result<Observation, String> {
        let PublishedDebate { id, repetition, judgments, observation: mut fields } = debate;
        fields.entry("state").or_insert_with(|| json!("answered"));
        let mut observation: Observation = deserialize_value(fields)?;
        if observation.choices.is_empty() {
            return Err("a debate has choices; name them, the right one among them".into());
        }
        observation.repetition = repetition.unwrap_or_else(|| {
            let count = self.counted.entry((observation.item.clone(), observation.arm.clone())).or_default();
            *count += 1;
            *count - 1
        });
        observation.debate = Some(id);
        judgments.into_iter().try_for_each(|judgment| add_judgment(&mut observation, judgment))?;
        Ok(observation)
    }

    /// The debate above, which has all of its judgments.
    fn close_debate(&mut self) -> Option<(u64, Observation)> {
        let (line, mut debate) = self.open.take()?;
        if !debate.votes.is_empty() {
            debate.answer = majority_choice(&debate.votes);
            debate.probabilities = mean_probabilities(&debate.votes, debate.choices.len());
        }
        Some((line, debate))
    }
}

impl<R: BufRead> Iterator for PublishedReader<R> {
    type Item = Result<Observation, LocatedFault>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut complete = self.next.take();
        while complete.is_none() {
            let Some((line, value)) = self.lines.next_value::<Value>() else {
                complete = Some(self.close_debate()?);
                break;
            };
            match value.map_err(|fault| fault.to_string()).and_then(|value| self.accept_line(line, value)) {
                Ok(heard) => complete = heard,
                Err(fault) => return Some(Err(LocatedFault { line, fault })),
            }
        }
        let (line, observation) = complete?;
        Some(observation.check().map(|()| observation).map_err(|fault| LocatedFault { line, fault }))
    }
}

fn deserialize_value<'de, T: Deserialize<'de>>(
    value: impl Deserializer<'de, Error = serde_json::Error>,
) -> Result<T, String> {
    T::deserialize(value).map_err(|error| error.to_string())
}

/// Adds a judgment to the debate that it is of.
fn add_judgment(debate: &mut Observation, judgment: PublishedJudgment) -> Result<(), String> {
    let id = debate.debate.as_deref().unwrap_or_default();
    if let Some(other) = judgment.debate.filter(|other| other != id) {
        let (other, id) = (quote_text(&other), quote_text(id));
        return Err(format!(
            "this judgment is of {other}, and the debate above is {id}; put each judgment below its debate"
        ));
    }
    if debate.votes.len() >= PARTS_MAX {
        return Err("the debate has more than 100 judgments".into());
    }
    let mut vote: ObservedVote = deserialize_value(judgment.vote)?;
    let leads = |margin: f64| if margin > 0.0 { Some(0) } else { (margin < 0.0).then_some(1) };
    let favoured = find_largest(vote.probabilities.iter().flatten().copied().enumerate());
    let favoured = favoured.or_else(|| leads(vote.margin?)).and_then(|at| debate.choices.get(at).cloned());
    vote.answer = vote.answer.or(favoured);
    debate.votes.push(vote);
    Ok(())
}

/// What has the largest number; none where two have it.
fn find_largest<T>(numbered: impl Iterator<Item = (T, f64)> + Clone) -> Option<T> {
    let most = numbered.clone().map(|(_, number)| number).fold(0.0, f64::max);
    let mut largest = numbered.filter(|(_, number)| *number == most).map(|(of, _)| of);
    largest.next().filter(|_| largest.next().is_none())
}

/// The choice of most votes; none for a tie.
fn majority_choice(votes: &[ObservedVote]) -> Option<String> {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    votes.iter().filter_map(|vote| vote.answer.as_deref()).for_each(|answer| *counts.entry(answer).or_default() += 1.0);
    find_largest(counts.iter().map(|(answer, count)| (*answer, *count))).map(str::to_owned)
}

/// Mean of the probabilities of those judges that gave as many as there are choices.
fn mean_probabilities(votes: &[ObservedVote], choices: usize) -> Option<Vec<f64>> {
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

    const DEBATE: &str = r#"{"debate": {"id": "d", "item": "i", "arm": "debate", "choices": ["x", "y"], "gold": "x"}}"#;

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
        assert!(errors[2].starts_with("line 4: ") && errors[2].contains("unknown field `verdict`"), "{errors:?}");
        assert!(errors[3].starts_with("line 2: ") && errors[3].contains("not among"), "{errors:?}");
    }
}
