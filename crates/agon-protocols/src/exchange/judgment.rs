//! The judge's statement: zero-sum scores for the new arguments, and corrections of older scores.
//!
//! Rules J1 to J7 and S6 to S10 are those of the exchange format.

use std::collections::BTreeMap;

use agon_core::Faults;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{argument::unlisted, side_labels::SideLabels};
use crate::common::{
    form::{Form, Kind, Part, Reader, field, list, text},
    imported,
};

/// How far a batch's sum may be from zero.
pub const SUM_TOLERANCE: f64 = 0.01;
/// How far one rescore may move a score.
pub const RESCORE_MAX: f64 = 0.5;

/// The score of one argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
#[serde(deny_unknown_fields)]
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

    /// JSON Schema of the judgment.
    pub fn schema(&self) -> Value {
        self.form(false).schema()
    }

    /// The form of a judgment; the reasoning comes before the score it explains. Only a form that is read has
    /// rescores where there is nothing to correct.
    fn form(&self, is_read: bool) -> Form {
        let number = || Kind::Number { is_whole: false, min: Some(-1.0), max: Some(1.0) };
        let given = |ids| [field("argument_id", Kind::Reference(ids)), field("reasoning", text(30, 900))];
        let [id, reasoning] = given(self.read());
        let score = [id.rule("S6"), reasoning, field("score", number())];
        let earlier = given(self.current.keys().map(|id| self.shown(id)).collect()).into_iter();
        let rescore = earlier.chain([field("old_score", number()), field("new_score", number())]);
        let (count, rescores_max) = (self.ids.len(), self.current.len().min(3));
        let rescores = list(0, rescores_max, Kind::Object(Form::new("J6", rescore)));
        let rescores = (is_read || rescores_max > 0).then(|| field("rescores", rescores).rule("J6"));
        let scores = field("scores", list(count, count, Kind::Object(Form::new("J3", score))));
        Form::new("J2", [scores].into_iter().chain(rescores))
    }

    /// The judgment in `text`, or every rule it breaks. With `centre`, scores that miss zero are
    /// moved there instead of being a fault.
    pub fn parse(&self, text: &str, centre: bool) -> Result<Judgment, Faults> {
        self.form(true).read(text, |fields, faults| {
            let given = self.scores(fields, false, faults);
            let of = |id: &String| given.iter().find(|score| score.argument_id == *id).cloned();
            let mut scores: Vec<Score> = self.ids.iter().filter_map(of).collect();
            let sum: f64 = scores.iter().map(|score| score.score).sum();
            let (mut shift, mut warnings) = (0.0, Vec::new());
            if faults.0.is_empty() && sum.abs() > SUM_TOLERANCE {
                if centre {
                    shift = self::centre(&mut scores);
                    warnings.push(format!("the scores summed to {sum:.3} and were centred by {shift:.3}"));
                } else {
                    let message = format!(
                        "the scores must sum to 0 and sum to {sum:.3}: what you give one argument you take from others"
                    );
                    faults.add("J5", "scores", message);
                }
            }
            let rescores = self.usable_rescores(fields, faults, &mut warnings);
            Some(Judgment { scores, rescores, shift, warnings })
        })
    }

    /// The judgment in `text`, which was made elsewhere: its scores stand as they are, in their own
    /// order, and rules that they break are warnings.
    pub fn admit(&self, text: &str) -> Result<Judgment, Faults> {
        let plain = Self { labels: None, ..self.clone() };
        let (judgment, faults) = plain.form(true).draft(text, |fields, faults| {
            let scores = plain.scores(fields, true, faults);
            let sum: f64 = scores.iter().map(|score| score.score).sum();
            if sum.abs() > SUM_TOLERANCE {
                faults.add("J5", "scores", format!("the scores must sum to 0 and sum to {sum:.3}"));
            }
            let parts = fields.parts("rescores", faults);
            let rescores = parts.iter().filter_map(|part| {
                let (rescore, broken) = plain.rescore(part, faults)?;
                if let Some((rule, why)) = broken {
                    faults.add(rule, format!("rescore of {}", rescore.argument_id), why);
                }
                Some(rescore)
            });
            Judgment { scores, rescores: rescores.collect(), shift: 0.0, warnings: Vec::new() }
        })?;
        Ok(Judgment { warnings: imported::warnings(&faults).collect(), ..judgment })
    }

    /// The scores of a draft, in its order.
    fn scores(&self, fields: &Reader<'_, '_>, is_imported: bool, faults: &mut Faults) -> Vec<Score> {
        let mut scores: Vec<Score> = Vec::new();
        let parts = fields.parts("scores", faults);
        if parts.is_empty() && !is_imported {
            fields.fault("scores", "a non-empty list of scores is wanted", faults);
        }
        for (i, part) in parts.iter().enumerate() {
            let Some(given) = part.open(faults) else { continue };
            let named = given.text("argument_id", faults);
            let argument_id = self.meant(&named);
            if !named.is_empty() && !self.ids.contains(&argument_id) {
                given.fault("argument_id", unlisted(&named, &self.read()), faults);
            }
            let score = given.number("score", faults);
            if !(-1.0..=1.0).contains(&score) {
                faults.add("J4", given.path("score"), format!("{score} is outside -1 to 1"));
            }
            let reasoning = self.told(&given.text("reasoning", faults));
            if scores.iter().any(|known| known.argument_id == argument_id) {
                faults.add("S6", format!("scores[{i}]"), format!("{named} is scored twice"));
            }
            scores.push(Score { argument_id, score, raw: None, reasoning });
        }
        for id in self.ids.iter().filter(|id| scores.iter().all(|score| score.argument_id != **id)) {
            faults.add("S6", "scores", format!("{} has no score", self.shown(id)));
        }
        scores
    }

    /// A rescore as it is given; and the rule that it breaks, with what is wrong.
    fn rescore(&self, part: &Part<'_, '_>, faults: &mut Faults) -> Option<(Rescore, Option<BrokenRule>)> {
        let given = part.open(faults)?;
        let argument_id = self.meant(&given.text("argument_id", faults));
        let new_score = given.number("new_score", faults);
        let reasoning = self.told(&given.optional_text("reasoning", faults).unwrap_or_default());
        let current = self.current.get(&argument_id).copied();
        let old_score = given.raw("old_score").as_f64().or(current).unwrap_or_default();
        let rounded = round(new_score);
        let moved = rounded - current.unwrap_or(old_score);
        let broken = match current {
            None => Some(("S7", "it is no earlier argument".to_owned())),
            Some(current) if (current - old_score).abs() > SUM_TOLERANCE => {
                Some(("S8", format!("its score is {current}, not {old_score}")))
            }
            _ if moved.abs() > RESCORE_MAX + 1e-9 => {
                Some(("J7", format!("it moves by {moved:.3}, more than {RESCORE_MAX}")))
            }
            _ if !(-1.0..=1.0).contains(&rounded) => Some(("J4", format!("{rounded} is outside -1 to 1"))),
            _ => None,
        };
        Some((Rescore { argument_id, old_score, new_score, reasoning }, broken))
    }

    /// Rescores that can be used; the others are left out with a warning, as the format has it.
    fn usable_rescores(
        &self,
        fields: &Reader<'_, '_>,
        faults: &mut Faults,
        warnings: &mut Vec<String>,
    ) -> Vec<Rescore> {
        let mut rescores: Vec<Rescore> = Vec::new();
        for part in fields.parts("rescores", faults) {
            let mut own = Faults::default();
            let Some((rescore, broken)) = self.rescore(&part, &mut own) else { continue };
            let id = &rescore.argument_id;
            let old_score = self.current.get(id).copied().unwrap_or(rescore.old_score);
            let rescore = Rescore { old_score, new_score: round(rescore.new_score), ..rescore.clone() };
            let why = match broken {
                Some(("S7", why)) => Some(why),
                _ if !own.0.is_empty() => Some(own.to_string()),
                None if rescores.iter().any(|known| known.argument_id == *id) => {
                    Some("it is rescored twice".into())
                }
                broken => broken.map(|(_, why)| why),
            };
            match why {
                Some(why) => warnings.push(format!("rescore of {id} left out: {why}")),
                // A rescore that changes nothing is not an event.
                None if rescore.new_score == old_score => {}
                None => rescores.push(rescore),
            }
        }
        rescores
    }
}

/// A rule, and what breaks it.
type BrokenRule = (&'static str, String);

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
