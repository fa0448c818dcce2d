//! The answer of a judge, read as the source system's own program reads it.

use serde::Serialize;
use serde_json::{Number, json};

use super::{
    scores::{ArgumentScore, ScoreFile},
    submissions::{HandedObject, IntakeRefusal, json_of, refuse},
};
use crate::python_json::{format_number, render_python_repr};

const OF_SCORE: [&str; 3] = ["argument_id", "score", "reasoning"];
/// How far a batch's sum may be from zero.
const SUM_TOLERANCE: f64 = 0.01;
/// How far one rescore may move a score.
const RESCORE_MAX: f64 = 0.5;

/// The judgment of one exchange, as its file states it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// Scores of new arguments.
    pub scores: Vec<ArgumentScore>,
    /// Corrected scores of older ones.
    pub rescores: Vec<ArgumentScore>,
    /// What the source system warns of.
    pub warnings: Vec<String>,
}

impl Verdict {
    /// Reads a judgment. The first rule that is broken refuses it.
    pub fn parse(text: &str) -> Result<Self, IntakeRefusal> {
        let value = json_of(text)?;
        let whole = HandedObject::from_value(&value, "keys")?;
        let scores = match whole.0.get("scores") {
            Some(_) => whole.parse_scores()?,
            None => match whole.list_missing_keys(&OF_SCORE) {
                Some(missing) => return refuse(format!("Missing required keys: {missing}")),
                None => vec![whole.parse_score(|_| String::new())?],
            },
        };
        let mut verdict = Self { scores, rescores: Vec::new(), warnings: Vec::new() };
        if let Some(rescores) = whole.0.get("rescores") {
            let list = rescores.as_array().ok_or_else(|| IntakeRefusal::Form("'rescores' must be a list".into()))?;
            for entry in list {
                verdict.add_rescore(&HandedObject::from_value(entry, "get")?)?;
            }
        }
        Ok(verdict)
    }

    fn add_rescore(&mut self, entry: &HandedObject<'_>) -> Result<(), IntakeRefusal> {
        let is_named = |key: &str| entry.0.get(key).is_some_and(|value| !value.is_null() && value != "");
        if !is_named("argument_id") || !is_named("new_score") {
            self.warnings.push(format!("Incomplete rescore entry: {}", render_python_repr(entry.0)));
            return Ok(());
        }
        let corrected = ArgumentScore {
            argument_id: entry.read_text("argument_id", IntakeRefusal::Form)?,
            score: entry.read_number("new_score")?,
            previous: is_named("old_score").then(|| entry.read_number("old_score")).transpose()?,
            reasoning: match is_named("reasoning") {
                true => entry.read_text("reasoning", IntakeRefusal::Form)?,
                false => String::new(),
            },
        };
        if let Some(previous) = &corrected.previous {
            let delta = to_float(&corrected.score) - to_float(previous);
            if !(-RESCORE_MAX..=RESCORE_MAX).contains(&delta) {
                let id = &corrected.argument_id;
                self.warnings.push(format!("Rescore delta for {id} is {delta:.3}, outside valid range [-0.5, 0.5]"));
                return Ok(());
            }
        }
        self.rescores.push(corrected);
        Ok(())
    }

    /// Puts the judgment into `scores`, as given at `scored_at`.
    pub fn apply_scores(&self, scores: &mut ScoreFile, scored_at: &str) {
        for given in &self.scores {
            scores.add_score(&given.argument_id, given.score.clone(), &given.reasoning, scored_at);
        }
        let batch = self.scores.first().map_or("", |given| given.argument_id.as_str());
        self.rescores.iter().for_each(|given| scores.add_rescore(given, batch, scored_at));
    }

    /// What the source system answers: one score is not a list, and one of zero is left out.
    pub fn answer(&self) -> impl Serialize {
        let (mut answer, rescored) = (json!({"success": true}), self.rescores.iter().map(|given| &given.argument_id));
        match self.scores.as_slice() {
            [ArgumentScore { argument_id, score, .. }] => {
                answer["argument_id"] = json!(argument_id);
                if to_float(score) != 0.0 {
                    answer["score"] = json!(score);
                }
            }
            all => {
                answer["argument_id"] = all.iter().map(|given| given.argument_id.as_str()).collect();
                answer["score"] = all.iter().map(|given| json!(given.score)).collect();
            }
        }
        if !self.rescores.is_empty() {
            answer["rescored"] = rescored.map(String::as_str).collect();
        }
        if !self.warnings.is_empty() {
            answer["warnings"] = json!(self.warnings);
        }
        answer
    }
}

impl HandedObject<'_> {
    fn parse_scores(&self) -> Result<Vec<ArgumentScore>, IntakeRefusal> {
        let Some(list) = self.0["scores"].as_array().filter(|list| !list.is_empty()) else {
            return refuse("'scores' must be non-empty list");
        };
        let scores = list.iter().map(|entry| {
            let entry = HandedObject::from_value(entry, "keys")?;
            match entry.list_missing_keys(&OF_SCORE) {
                Some(missing) => refuse(format!("Score entry missing keys: {missing}")),
                None => entry.parse_score(|id| format!(" for {id}")),
            }
        });
        let scores: Vec<ArgumentScore> = scores.collect::<Result<_, _>>()?;
        let total: f64 = scores.iter().map(|given| to_float(&given.score)).sum();
        if total.abs() > SUM_TOLERANCE {
            return refuse(format!("Scores must sum to 0 (got {total:.3})"));
        }
        Ok(scores)
    }

    /// A score; `whose` says of which argument one is that is out of range.
    fn parse_score(&self, whose: fn(&str) -> String) -> Result<ArgumentScore, IntakeRefusal> {
        let argument_id = self.read_text("argument_id", IntakeRefusal::Form)?;
        let score = self.read_number("score")?;
        let reasoning = self.read_text("reasoning", IntakeRefusal::Form)?;
        if !(-1.0..=1.0).contains(&to_float(&score)) {
            let (given, of) = (format_number(&score), whose(&argument_id));
            return refuse(format!("Score {given}{of} outside valid range [-1, 1]"));
        }
        Ok(ArgumentScore { argument_id, score, previous: None, reasoning })
    }

    fn read_number(&self, key: &str) -> Result<Number, IntakeRefusal> {
        let number = self.0.get(key).and_then(|number| number.as_number()).cloned();
        number.ok_or_else(|| IntakeRefusal::Form(format!("'{key}' must be a number")))
    }
}

fn to_float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(value: &Value) -> Result<Verdict, IntakeRefusal> {
        Verdict::parse(&value.to_string())
    }

    fn score(id: &str, score: f64) -> Value {
        json!({"argument_id": id, "score": score, "reasoning": "r"})
    }

    #[test]
    fn every_rule_has_the_message_of_the_source_system() {
        let table = [
            (json!({"scores": []}), "'scores' must be non-empty list"),
            (json!({"scores": [{"score": 1, "reasoning": "r"}]}), "Score entry missing keys: {'argument_id'}"),
            (json!({"argument_id": "a", "score": 1}), "Missing required keys: {'reasoning'}"),
            (json!({"scores": [score("a", 1.5)]}), "Score 1.5 for a outside valid range [-1, 1]"),
            (score("a", -2.0), "Score -2.0 outside valid range [-1, 1]"),
            (json!({"scores": [score("a", 0.5), score("b", -0.4)]}), "Scores must sum to 0 (got 0.100)"),
        ];
        for (value, says) in table {
            assert_eq!(read(&value), Err(IntakeRefusal::Rule(says.into())));
        }
        for nan in ["NaN", "Infinity", "-Infinity", "1e999"] {
            let text = score("a", 0.25).to_string().replace("0.25", nan);
            assert!(
                matches!(Verdict::parse(&text), Err(IntakeRefusal::Rule(why)) if why.starts_with("Invalid JSON: "))
            );
        }
        for value in [json!([]), json!({"scores": [1]}), json!({"argument_id": 1, "score": 0, "reasoning": ""})] {
            assert!(matches!(read(&value), Err(IntakeRefusal::Form(_))), "{value}");
        }
    }

    #[test]
    fn a_single_score_is_no_list_and_zero_is_left_out() {
        let answer = |value: Value| json!(read(&value).unwrap().answer());
        assert_eq!(answer(score("a", 0.4)), json!({"success": true, "argument_id": "a", "score": 0.4}));
        assert_eq!(answer(score("a", 0.0)), json!({"success": true, "argument_id": "a"}));
        let two = json!({"scores": [score("a", 0.0), score("b", 0.0)]});
        assert_eq!(answer(two), json!({"success": true, "argument_id": ["a", "b"], "score": [0.0, 0.0]}));
    }

    #[test]
    fn rescores_that_cannot_be_used_are_warned_of_and_left_out() {
        let verdict = read(&json!({"scores": [score("a", 0.0)], "rescores": [
            {"argument_id": "old", "old_score": 0.1, "new_score": 0.3, "reasoning": "r"},
            {"argument_id": "far", "old_score": -0.5, "new_score": 0.3},
            {"argument_id": "free", "new_score": 3},
            {"argument_id": "none"},
        ]}));
        let verdict = verdict.unwrap();
        assert_eq!(json!(verdict.answer())["rescored"], json!(["old", "free"]));
        let warnings = [
            "Rescore delta for far is 0.800, outside valid range [-0.5, 0.5]",
            "Incomplete rescore entry: {'argument_id': 'none'}",
        ];
        assert_eq!(verdict.warnings, warnings);
        let mut scores = ScoreFile::default();
        verdict.apply_scores(&mut scores, "now");
        let text = scores.render();
        assert!(text.contains("\"previous_score\": 0.1,\n        \"diff\": 0.2"), "{text}");
        assert!(text.contains("\"triggered_by\": \"a\""), "{text}");
    }
}
