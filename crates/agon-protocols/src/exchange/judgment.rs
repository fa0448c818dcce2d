//! The judge's statement: zero-sum scores for the new arguments, and corrections of older scores.
//!
//! Rules J1 to J7 and S6 to S10 are those of the exchange format.

use std::collections::BTreeMap;

use agon_core::{Faults, parse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    argument::{object, text, unlisted},
    side_labels::SideLabels,
};
use crate::common::{fields::ObjectReader, imported};

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

/// The arguments that a judgment must score, and the scores that it can correct.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgmentScope {
    /// The new arguments, in file order.
    pub ids: Vec<String>,
    /// Scores of the arguments before.
    pub current: BTreeMap<String, f64>,
    /// What the judge is shown in place of ids and sides; `None` for a judgment that is not blind.
    pub labels: Option<SideLabels>,
}

impl JudgmentScope {
    /// An argument as the judge sees it.
    fn shown(&self, id: &str) -> String {
        self.labels.map_or_else(|| id.to_owned(), |labels| labels.shown(id))
    }

    /// The argument that the judge means.
    fn meant(&self, id: &str) -> String {
        self.labels.map_or_else(|| id.to_owned(), |labels| labels.meant(id))
    }

    /// The judge's words for readers.
    fn told(&self, text: &str) -> String {
        self.labels.map_or_else(|| text.to_owned(), |labels| labels.told(text))
    }

    /// The new arguments in the order in which the judge reads them.
    fn read(&self) -> Vec<String> {
        let mut shown: Vec<String> = self.ids.iter().map(|id| self.shown(id)).collect();
        if self.labels.is_some() {
            shown.sort();
        }
        shown
    }

    /// JSON Schema of the judgment; the reasoning comes before the score it explains.
    pub fn schema(&self) -> Value {
        let reasoning = || text(30, 900);
        let number = || json!({"type": "number", "minimum": -1, "maximum": 1});
        let id = |ids: Vec<String>| json!({"type": "string", "enum": ids});
        let score = object(json!({
            "argument_id": id(self.read()), "reasoning": reasoning(), "score": number(),
        }));
        let count = self.ids.len();
        let mut fields =
            json!({"scores": {"type": "array", "minItems": count, "maxItems": count, "items": score}});
        if !self.current.is_empty() {
            let rescore = object(json!({
                "argument_id": id(self.current.keys().map(|id| self.shown(id)).collect()), "reasoning": reasoning(),
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
        let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
        let mut given = BTreeMap::new();
        let items = fields.list("scores", "J2", &mut faults);
        if items.is_empty() {
            faults.add("J2", "scores", "a non-empty list of scores is wanted");
        }
        for (i, item) in items.iter().enumerate() {
            let Some(score) = ObjectReader::of(item, format!("scores[{i}]"), &mut faults) else { continue };
            let named = score.text("argument_id", "S6", &mut faults);
            let argument_id = self.meant(&named);
            if !named.is_empty() && !self.ids.contains(&argument_id) {
                let message = unlisted(&named, &self.read());
                faults.add("S6", score.path("argument_id"), message);
            }
            let number = score.number("score", "J3", &mut faults);
            if !(-1.0..=1.0).contains(&number) {
                faults.add("J4", score.path("score"), format!("{number} is outside -1 to 1"));
            }
            let reasoning = self.told(&score.text("reasoning", "J3", &mut faults));
            let score = Score { argument_id: argument_id.clone(), score: number, raw: None, reasoning };
            if given.insert(argument_id.clone(), score).is_some() {
                faults.add("S6", format!("scores[{i}]"), format!("{named} is scored twice"));
            }
        }
        for id in self.ids.iter().filter(|id| !given.contains_key(*id)) {
            faults.add("S6", "scores", format!("{} has no score", self.shown(id)));
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

    /// The judgment in `text`, which was made elsewhere: its scores stand as they are, in their own
    /// order, and rules that they break are warnings.
    pub fn admit(&self, text: &str) -> Result<Judgment, Faults> {
        let value = parse::json(text)?;
        let mut faults = Faults::default();
        let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
        let mut scores: Vec<Score> = Vec::new();
        for (i, item) in fields.list("scores", "J2", &mut faults).iter().enumerate() {
            let Some(given) = ObjectReader::of(item, format!("scores[{i}]"), &mut faults) else { continue };
            let argument_id = given.text("argument_id", "S6", &mut faults);
            if !argument_id.is_empty() && !self.ids.contains(&argument_id) {
                let message = unlisted(&argument_id, &self.ids);
                faults.add("S6", given.path("argument_id"), message);
            }
            let score = given.number("score", "J3", &mut faults);
            if !(-1.0..=1.0).contains(&score) {
                faults.add("J4", given.path("score"), format!("{score} is outside -1 to 1"));
            }
            if scores.iter().any(|known| known.argument_id == argument_id) {
                faults.add("S6", format!("scores[{i}]"), format!("{argument_id} is scored twice"));
            }
            let reasoning = given.text("reasoning", "J3", &mut faults);
            scores.push(Score { argument_id, score, raw: None, reasoning });
        }
        for id in self.ids.iter().filter(|id| scores.iter().all(|score| score.argument_id != **id)) {
            faults.add("S6", "scores", format!("{id} has no score"));
        }
        let sum: f64 = scores.iter().map(|score| score.score).sum();
        if sum.abs() > SUM_TOLERANCE {
            faults.add("J5", "scores", format!("the scores must sum to 0 and sum to {sum:.3}"));
        }
        let rescores = self.rescored(&fields, &mut faults);
        Ok(Judgment { scores, rescores, shift: 0.0, warnings: imported::warnings(&faults).collect() })
    }

    /// Rescores of a judgment made elsewhere, as they are.
    fn rescored(&self, fields: &ObjectReader<'_>, faults: &mut Faults) -> Vec<Rescore> {
        let mut rescores: Vec<Rescore> = Vec::new();
        for (i, item) in fields.list("rescores", "J6", faults).iter().enumerate() {
            let Some(given) = ObjectReader::of(item, format!("rescores[{i}]"), faults) else { continue };
            let argument_id = given.text("argument_id", "J6", faults);
            let new_score = given.number("new_score", "J6", faults);
            let reasoning = given.optional_text("reasoning", "J6", faults).unwrap_or_default();
            let current = self.current.get(&argument_id).copied();
            let claimed = given.get("old_score").and_then(Value::as_f64);
            let old_score = claimed.or(current).unwrap_or_default();
            let mut add = |rule: &str, why: String| faults.add(rule, given.at.clone(), why);
            match current {
                None => add("S7", format!("{argument_id} is no earlier argument")),
                Some(current) if (current - old_score).abs() > SUM_TOLERANCE => {
                    add("S8", format!("the score of {argument_id} is {current}, not {old_score}"));
                }
                Some(_) => {}
            }
            if (new_score - old_score).abs() > RESCORE_MAX + 1e-9 {
                add("J7", format!("it moves by {:.3}, more than {RESCORE_MAX}", new_score - old_score));
            }
            if !(-1.0..=1.0).contains(&new_score) {
                add("J4", format!("{new_score} is outside -1 to 1"));
            }
            rescores.push(Rescore { argument_id, old_score, new_score, reasoning });
        }
        rescores
    }

    /// Rescores that can be used; the others are left out with a warning, as the format has it.
    fn rescores(
        &self,
        fields: &ObjectReader<'_>,
        faults: &mut Faults,
        warnings: &mut Vec<String>,
    ) -> Vec<Rescore> {
        let mut rescores: Vec<Rescore> = Vec::new();
        for (i, item) in fields.list("rescores", "J6", faults).iter().enumerate() {
            let mut own = Faults::default();
            let Some(entry) = ObjectReader::of(item, format!("rescores[{i}]"), &mut own) else { continue };
            let argument_id = self.meant(&entry.text("argument_id", "J6", &mut own));
            let new_score = round(entry.number("new_score", "J6", &mut own));
            let reasoning = entry.optional_text("reasoning", "J6", &mut own).unwrap_or_default();
            let reasoning = self.told(&reasoning);
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
                // A rescore that changes nothing is not an event.
                None if new_score == old_score => {}
                None => rescores.push(Rescore { argument_id, old_score, new_score, reasoning }),
            }
        }
        rescores
    }
}

/// Moves scores so that they sum to zero, scaled back into -1 to 1 where that leaves it; gives
/// what was subtracted from each.
pub(super) fn centre(scores: &mut [Score]) -> f64 {
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
