//! What the judge says: zero-sum scores for the new arguments, and corrections of older scores.
//!
//! Rules J1 to J7 and S6 to S10 are those of the exchange format.

use std::collections::BTreeMap;

use agon_core::{Faults, parse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::argument::{object, text};
use crate::common::fields::Fields;

/// How far a batch's sum may be from zero.
pub const SUM_TOLERANCE: f64 = 0.01;
/// How far one rescore may move a score.
pub const RESCORE_MAX: f64 = 0.5;

/// The score of one argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The argument.
    pub argument_id: String,
    /// -1 to 1.
    pub score: f64,
    /// What the judge gave, where scores had to be centred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<f64>,
    /// Why.
    pub reasoning: String,
}

/// A corrected score of an older argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rescore {
    /// The argument.
    pub argument_id: String,
    /// The score that stood.
    pub old_score: f64,
    /// The score that stands now.
    pub new_score: f64,
    /// Why.
    pub reasoning: String,
}

/// A judgment that can be put on the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgment {
    /// In the order of the batch.
    pub scores: Vec<Score>,
    /// In the judge's order.
    pub rescores: Vec<Rescore>,
    /// What was subtracted from each raw score so that they sum to zero.
    pub shift: f64,
    /// What is worth a warning and no redraft.
    pub warnings: Vec<String>,
}

/// What a judgment must cover.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The new arguments, in file order.
    pub ids: Vec<String>,
    /// Scores of the arguments before.
    pub current: BTreeMap<String, f64>,
}

impl Batch {
    /// JSON Schema of the judgment; the reasoning comes before the score it explains.
    pub fn schema(&self) -> Value {
        let reasoning = || text(30, 900);
        let number = || json!({"type": "number", "minimum": -1, "maximum": 1});
        let id = |ids: Vec<&String>| json!({"type": "string", "enum": ids});
        let score = object(json!({
            "argument_id": id(self.ids.iter().collect()), "reasoning": reasoning(), "score": number(),
        }));
        let count = self.ids.len();
        let mut fields =
            json!({"scores": {"type": "array", "minItems": count, "maxItems": count, "items": score}});
        if !self.current.is_empty() {
            let rescore = object(json!({
                "argument_id": id(self.current.keys().collect()), "reasoning": reasoning(),
                "old_score": number(), "new_score": number(),
            }));
            let most = self.current.len().min(3);
            fields["rescores"] = json!({"type": "array", "minItems": 0, "maxItems": most, "items": rescore});
        }
        object(fields)
    }

    /// The judgment in `text`, or every rule it breaks. With `centre`, scores that miss zero are
    /// moved there instead of being a fault.
    pub fn parse(&self, text: &str, centre: bool) -> Result<Judgment, Faults> {
        let value = parse::json(text)?;
        let mut faults = Faults::default();
        let mut warnings = Vec::new();
        let Some(fields) = Fields::of(&value, "", &mut faults) else { return Err(faults) };
        let mut given = BTreeMap::new();
        let items = fields.list("scores", "J2", &mut faults);
        if items.is_empty() {
            faults.add("J2", "scores", "a non-empty list of scores is wanted");
        }
        for (i, item) in items.iter().enumerate() {
            let Some(score) = Fields::of(item, format!("scores[{i}]"), &mut faults) else { continue };
            let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
            let argument_id = score.choice("argument_id", &ids, "S6", &mut faults);
            let number = score.number("score", "J3", &mut faults);
            if !(-1.0..=1.0).contains(&number) {
                faults.add("J4", score.path("score"), format!("{number} is outside -1 to 1"));
            }
            let reasoning = score.text("reasoning", "J3", &mut faults);
            let score = Score { argument_id: argument_id.clone(), score: number, raw: None, reasoning };
            if given.insert(argument_id.clone(), score).is_some() {
                faults.add("S6", format!("scores[{i}]"), format!("{argument_id} is scored twice"));
            }
        }
        for id in self.ids.iter().filter(|id| !given.contains_key(*id)) {
            faults.add("S6", "scores", format!("{id} has no score"));
        }
        let mut scores: Vec<Score> = self.ids.iter().filter_map(|id| given.remove(id)).collect();
        let sum: f64 = scores.iter().map(|score| score.score).sum();
        let mut shift = 0.0;
        if faults.0.is_empty() && sum.abs() > SUM_TOLERANCE {
            if !centre {
                let message = format!(
                    "the scores must sum to 0 and sum to {sum:.3}: what you give one argument you take from others"
                );
                faults.add("J5", "scores", message);
            } else {
                shift = self::centre(&mut scores);
                warnings.push(format!("the scores summed to {sum:.3} and were centred by {shift:.3}"));
            }
        }
        let rescores = self.rescores(&fields, &mut faults, &mut warnings);
        faults.or(Judgment { scores, rescores, shift, warnings })
    }

    /// Rescores that can be used; the others are left out with a warning, as the format has it.
    fn rescores(&self, fields: &Fields<'_>, faults: &mut Faults, warnings: &mut Vec<String>) -> Vec<Rescore> {
        let mut rescores: Vec<Rescore> = Vec::new();
        for (i, item) in fields.list("rescores", "J6", faults).iter().enumerate() {
            let mut own = Faults::default();
            let Some(entry) = Fields::of(item, format!("rescores[{i}]"), &mut own) else { continue };
            let argument_id = entry.text("argument_id", "J6", &mut own);
            let new_score = round(entry.number("new_score", "J6", &mut own));
            let reasoning = entry.optional_text("reasoning", "J6", &mut own).unwrap_or_default();
            let at = |why: String| format!("rescore of {argument_id} left out: {why}");
            let Some(&old_score) = self.current.get(&argument_id) else {
                warnings.push(at("it is no earlier argument".into()));
                continue;
            };
            let claimed = entry.get("old_score").and_then(Value::as_f64);
            let problem = if !own.0.is_empty() {
                Some(own.to_string())
            } else if claimed.is_some_and(|old| (old - old_score).abs() > SUM_TOLERANCE) {
                Some(format!("its score is {old_score}, not {}", claimed.unwrap_or_default()))
            } else if (new_score - old_score).abs() > RESCORE_MAX + 1e-9 {
                Some(format!("it moves by {:.3}, more than {RESCORE_MAX}", new_score - old_score))
            } else if !(-1.0..=1.0).contains(&new_score) {
                Some(format!("{new_score} is outside -1 to 1"))
            } else if rescores.iter().any(|r| r.argument_id == argument_id) {
                Some("it is rescored twice".into())
            } else {
                None
            };
            match problem {
                Some(why) => warnings.push(at(why)),
                // A rescore that changes nothing is no event.
                None if new_score == old_score => {}
                None => rescores.push(Rescore { argument_id, old_score, new_score, reasoning }),
            }
        }
        rescores
    }
}

/// Moves scores so that they sum to zero, scaled back into -1 to 1 where that leaves it; gives
/// what was subtracted from each.
fn centre(scores: &mut [Score]) -> f64 {
    let mean = scores.iter().map(|score| score.score).sum::<f64>() / scores.len() as f64;
    let widest = scores.iter().map(|score| (score.score - mean).abs()).fold(1.0, f64::max);
    let mut rest = 0.0;
    for score in scores.iter_mut() {
        score.raw = Some(score.score);
        score.score = round((score.score - mean) / widest);
        rest += score.score;
    }
    // Rounding leaves a thousandth or two; the argument furthest from zero that may bears it best.
    let may = scores.iter_mut().filter(|score| (score.score - rest).abs() <= 1.0);
    if let Some(bearer) = may.max_by(|a, b| a.score.abs().total_cmp(&b.score.abs())) {
        bearer.score = round(bearer.score - rest);
    }
    round(mean)
}

/// `score` with three decimals, as the score file has it.
pub fn round(score: f64) -> f64 {
    let rounded = (score * 1000.0).round() / 1000.0;
    if rounded == 0.0 { 0.0 } else { rounded }
}
