//! The judge's statement: the clash of the new arguments, a grade for each, and corrections of older scores. The program
//! makes the scores out of the grades, so that those of an exchange sum to zero.
//!
//! Judges of the source system give the scores themselves. Records and drop-ins have such judgments, which are read by
//! the same rules. Rules J1 to J7 and S6 to S10 are those of the exchange format.

use std::{collections::BTreeMap, ops::RangeInclusive};

use agon_core::{Faults, Key};
use serde::{Deserialize, Serialize};

use super::{argument::describe_unlisted, side_labels::SideLabels};
use crate::common::{
    form::{Form, Kind, Part, Reader, form_field, list_kind, text_kind},
    imported_debate,
};

/// How far a batch's sum may be from zero.
pub const SUM_TOLERANCE: f64 = 0.01;
/// How far one rescore may move a score.
pub const RESCORE_MAX: f64 = 0.5;
/// The best grade; the worst is 0.
pub const GRADE_MAX: f64 = 10.0;

/// The score of one argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// The argument.
    pub argument_id: String,
    /// -1 to 1.
    pub score: f64,
    /// The judge's grade, 0 to 10, that the score follows from; of one judge in two orders, their mean. None where the
    /// judge gave the score itself, and where several judges voted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<f64>,
    /// What the judge gave, where it gave scores that had to be centred.
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

/// Where the new arguments of an exchange met, and which point decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clash {
    /// The judge's draft that tells it.
    pub key: Key,
    /// The judge's words, with the ids and the names of the sides that readers know.
    pub text: String,
}

/// A judgment that can be put on the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgment {
    /// Which points met and which decided; empty where the judge gave scores instead of grades.
    pub clash: String,
    /// In the order of the batch.
    pub scores: Vec<Score>,
    /// In the judge's order.
    pub rescores: Vec<Rescore>,
    /// What was subtracted from each raw score so that they sum to zero; 0 where the scores follow from grades.
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
    fn label_id(&self, id: &str) -> String {
        self.labels.map_or_else(|| id.to_owned(), |labels| labels.label_id(id).into_owned())
    }

    /// The argument that the judge means.
    fn resolve_id(&self, id: &str) -> String {
        self.labels.map_or_else(|| id.to_owned(), |labels| labels.resolve_id(id).into_owned())
    }

    /// The judge's words for readers.
    fn unlabel_text(&self, text: &str) -> String {
        self.labels.map_or_else(|| text.to_owned(), |labels| labels.unlabel_text(text))
    }

    /// The new arguments in the order in which the judge reads them.
    fn reading_order(&self) -> Vec<String> {
        let mut shown: Vec<String> = self.ids.iter().map(|id| self.label_id(id)).collect();
        if self.labels.is_some() {
            shown.sort();
        }
        shown
    }

    /// The form of a judgment: the clash before the grades, and each reasoning before the grade it explains. A form that
    /// is read also has scores, and rescores where there is nothing to correct.
    pub fn judgment_form(&self, is_read: bool) -> Form {
        let number = |min, max| Kind::Number { is_whole: false, min: Some(min), max: Some(max) };
        let given =
            |ids| [form_field("argument_id", Kind::Reference(ids)), form_field("reasoning", text_kind(30, 900))];
        let one_each = |named: &Figures| {
            let [id, reasoning] = given(self.reading_order());
            let figure = form_field(named.figure, number(*named.range.start(), *named.range.end()));
            let each = Kind::Object(Form::new("J3", [id.with_rule("S6"), reasoning, figure]));
            form_field(named.list, list_kind(self.ids.len(), self.ids.len(), each))
        };
        let clash = form_field("clash", text_kind(60, CLASH_CHARS_MAX)).with_rule("clash");
        let earlier = given(self.current.keys().map(|id| self.label_id(id)).collect()).into_iter();
        let rescore =
            earlier.chain([form_field("old_score", number(-1.0, 1.0)), form_field("new_score", number(-1.0, 1.0))]);
        let rescores_max = self.current.len();
        let rescores = list_kind(0, rescores_max, Kind::Object(Form::new("J6", rescore)));
        let rescores = (is_read || rescores_max > 0).then(|| form_field("rescores", rescores).with_rule("J6"));
        let scores = is_read.then(|| one_each(&SCORES));
        Form::new("J2", [clash, one_each(&GRADES)].into_iter().chain(scores).chain(rescores))
    }

    /// The judgment in `text`, or every rule it breaks. With `centre`, scores that miss zero are
    /// moved there instead of being a fault.
    pub fn parse_judgment(&self, text: &str, centre: bool) -> Result<Judgment, Faults> {
        self.judgment_form(true).read_statement(text, |fields, faults| {
            // Only judges of the source system know this field.
            let is_scored = !fields.raw_value(SCORES.list).is_null();
            let clash = if is_scored { String::new() } else { self.unlabel_text(&fields.read_text("clash", faults)) };
            let given = self.parse_figures(fields, if is_scored { &SCORES } else { &GRADES }, false, faults);
            let of = |id: &String| given.iter().find(|given| given.argument_id == *id).cloned();
            let mut scores: Vec<Score> = self.ids.iter().filter_map(of).collect();
            let (mut shift, mut warnings) = (0.0, Vec::new());
            let sum: f64 = scores.iter().map(|score| score.score).sum();
            if !is_scored {
                score_grades(&mut scores);
            } else if faults.0.is_empty() && sum.abs() > SUM_TOLERANCE && centre {
                shift = self::centre_scores(&mut scores);
                warnings.push(format!("the scores summed to {sum:.3} and were centred by {shift:.3}"));
            } else if faults.0.is_empty() && sum.abs() > SUM_TOLERANCE {
                let message = format!(
                    "the scores must sum to 0 and sum to {sum:.3}: what you give one argument you take from others"
                );
                faults.add("J5", "scores", message);
            }
            let rescores = self.usable_rescores(fields, faults, &mut warnings);
            Some(Judgment { clash, scores, rescores, shift, warnings })
        })
    }

    /// The judgment in `text`, which was made elsewhere: its scores stand as they are, in their own
    /// order, and rules that they break are warnings.
    pub fn parse_imported(&self, text: &str) -> Result<Judgment, Faults> {
        let plain = Self { labels: None, ..self.clone() };
        let (judgment, faults) = plain.judgment_form(true).read_draft(text, |fields, faults| {
            let scores = plain.parse_figures(fields, &SCORES, true, faults);
            let sum: f64 = scores.iter().map(|score| score.score).sum();
            if sum.abs() > SUM_TOLERANCE {
                faults.add("J5", "scores", format!("the scores must sum to 0 and sum to {sum:.3}"));
            }
            let parts = fields.read_parts("rescores", faults);
            let rescores = parts.iter().filter_map(|part| {
                let (rescore, broken) = plain.parse_rescore(part, faults)?;
                if let Some((rule, why)) = broken {
                    faults.add(rule, format!("rescore of {}", rescore.argument_id), why);
                }
                Some(rescore)
            });
            let (clash, rescores) = (String::new(), rescores.collect());
            Judgment { clash, scores, rescores, shift: 0.0, warnings: Vec::new() }
        })?;
        Ok(Judgment { warnings: imported_debate::format_warnings(&faults).collect(), ..judgment })
    }

    /// The scores of a draft, or its grades in their place, in its order.
    fn parse_figures(
        &self,
        fields: &Reader<'_, '_>,
        named: &Figures,
        is_imported: bool,
        faults: &mut Faults,
    ) -> Vec<Score> {
        let Figures { list, figure, range } = named;
        let mut all: Vec<Score> = Vec::new();
        let parts = fields.read_parts(list, faults);
        if parts.is_empty() && !is_imported {
            fields.add_fault(list, format!("a non-empty list of {list} is wanted"), faults);
        }
        for (i, part) in parts.iter().enumerate() {
            let Some(given) = part.open(faults) else { continue };
            let id = given.read_text("argument_id", faults);
            let argument_id = self.resolve_id(&id);
            if !id.is_empty() && !self.ids.contains(&argument_id) {
                given.add_fault("argument_id", describe_unlisted(&id, &self.reading_order()), faults);
            }
            let score = given.read_number(figure, faults);
            if !range.contains(&score) {
                let (least, most) = (range.start(), range.end());
                faults.add("J4", given.field_path(figure), format!("{score} is outside {least} to {most}"));
            }
            let reasoning = self.unlabel_text(&given.read_text("reasoning", faults));
            if all.iter().any(|known| known.argument_id == argument_id) {
                faults.add("S6", format!("{list}[{i}]"), format!("{id} is {figure}d twice"));
            }
            all.push(Score { argument_id, score, grade: None, raw: None, reasoning });
        }
        for id in self.ids.iter().filter(|id| all.iter().all(|given| given.argument_id != **id)) {
            faults.add("S6", *list, format!("{} has no {figure}", self.label_id(id)));
        }
        all
    }

    /// A rescore as it is given; and the rule that it breaks, with what is wrong.
    fn parse_rescore(&self, part: &Part<'_, '_>, faults: &mut Faults) -> Option<(Rescore, Option<BrokenRule>)> {
        let given = part.open(faults)?;
        let argument_id = self.resolve_id(&given.read_text("argument_id", faults));
        let new_score = given.read_number("new_score", faults);
        let reasoning = self.unlabel_text(&given.optional_text("reasoning", faults).unwrap_or_default());
        let current = self.current.get(&argument_id).copied();
        let old_score = given.raw_value("old_score").as_f64().or(current).unwrap_or_default();
        let rounded = round_score(new_score);
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
        for part in fields.read_parts("rescores", faults) {
            let mut own = Faults::default();
            let Some((rescore, broken)) = self.parse_rescore(&part, &mut own) else { continue };
            let id = &rescore.argument_id;
            let old_score = self.current.get(id).copied().unwrap_or(rescore.old_score);
            let rescore = Rescore { old_score, new_score: round_score(rescore.new_score), ..rescore.clone() };
            let why = match broken {
                Some(("S7", why)) => Some(why),
                _ if !own.0.is_empty() => Some(own.to_string()),
                None if rescores.iter().any(|known| known.argument_id == *id) => Some("it is rescored twice".into()),
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

/// Names and range of the figures of a judgment.
struct Figures {
    list: &'static str,
    figure: &'static str,
    range: RangeInclusive<f64>,
}

/// What agon's own judges give.
const GRADES: Figures = Figures { list: "grades", figure: "grade", range: 0.0..=GRADE_MAX };
/// What judges of the source system give.
const SCORES: Figures = Figures { list: "scores", figure: "score", range: -1.0..=1.0 };
/// Longest clash, in characters.
const CLASH_CHARS_MAX: u32 = 1500;

/// Makes scores of grades: a tenth of what each is above their mean, in thousandths. The last bears what
/// rounding leaves, so that they sum to zero exactly.
fn score_grades(scores: &mut [Score]) {
    let mean = scores.iter().map(|given| given.score).sum::<f64>() / scores.len().max(1) as f64;
    let thousandths = |grade: f64| ((grade - mean) / GRADE_MAX * 1000.0).round() as i64;
    let (mut rest, last) = (0, scores.len().saturating_sub(1));
    for (at, given) in scores.iter_mut().enumerate() {
        given.grade = Some(given.score);
        let score = if at == last { -rest } else { thousandths(given.score) };
        given.score = score as f64 / 1000.0;
        rest += score;
    }
}

/// Moves scores so that they sum to zero, scaled back into -1 to 1 where that leaves it; gives
/// what was subtracted from each.
pub(super) fn centre_scores(scores: &mut [Score]) -> f64 {
    let mean = scores.iter().map(|score| score.score).sum::<f64>() / scores.len() as f64;
    let widest = scores.iter().map(|score| (score.score - mean).abs()).fold(1.0, f64::max);
    let mut rest = 0.0;
    for score in scores.iter_mut() {
        score.raw = Some(score.score);
        score.score = round_score((score.score - mean) / widest);
        rest += score.score;
    }
    // Rounding leaves a thousandth or two; the argument furthest from zero that may bears it best.
    let may = scores.iter_mut().filter(|score| (score.score - rest).abs() <= 1.0);
    if let Some(bearer) = may.max_by(|a, b| a.score.abs().total_cmp(&b.score.abs())) {
        bearer.score = round_score(bearer.score - rest);
    }
    round_score(mean)
}

/// `score` with three decimals, as the score file has it.
pub fn round_score(score: f64) -> f64 {
    let rounded = (score * 1000.0).round() / 1000.0;
    if rounded == 0.0 { 0.0 } else { rounded }
}
