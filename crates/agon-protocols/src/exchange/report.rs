//! The reporter's statement: the prose of the report. The script computes totals, strongest and weakest argument.

use agon_core::{Faults, Key};
use agon_text::goes_in_circles;
use serde::{Deserialize, Serialize};

use super::argument::Side;
use crate::common::{
    final_answer::{FinalAnswer, answer_field, parse_answer},
    form::{Form, Kind, choice_kind, form_field, list_kind, text_kind},
    imported_debate,
};

/// What a report says of the sides where none is ahead.
const EVEN: &str = "even";
/// Longest part of a report, and longest text of a turning point, in characters.
const PART_CHARS_MAX: u32 = 2000;
const POINT_CHARS_MAX: u32 = 1600;

/// The report that stands: data of the ruling `report-NNN/accepted`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedReport {
    /// The draft that stands.
    pub key: Key,
}

/// The prose of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportProse {
    /// Heading of the report.
    pub title: String,
    /// One or two sentences.
    pub question: String,
    /// What the sides disagree about; 100 to 150 words.
    pub clash: String,
    /// Two or three moments; 150 to 200 words together.
    pub turning_points: Vec<TurningPoint>,
    /// Why the scores came out as they did; 100 to 150 words.
    pub verdict: String,
    /// What the debate says to those who asked; none in a report that was made elsewhere or by earlier rules.
    #[serde(skip)]
    pub answer: Option<FinalAnswer>,
    /// Rules that a report made elsewhere breaks.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

impl ReportProse {
    /// Everything it says, part by part.
    pub fn part_texts(&self) -> Vec<&str> {
        let points = self.turning_points.iter().flat_map(|point| [point.heading.as_str(), &point.text]);
        let parts = [self.title.as_str(), &self.question, &self.clash].into_iter();
        let answer = self.answer.iter().flat_map(FinalAnswer::texts);
        parts.chain(points).chain([self.verdict.as_str()]).chain(answer).collect()
    }

    /// What a reader would stumble over: parts that say the same words again and again, or that the
    /// schema ended in the middle of a sentence. Its author is told once.
    pub fn check_readability(&self) -> Faults {
        let mut faults = Faults::default();
        let mut look = |at: String, text: &str, chars_max: u32, words_asked: u32| {
            let message = if goes_in_circles(text) {
                "it says the same words again and again; say each thing once,"
            } else if text.chars().count() >= chars_max as usize {
                "it is too long and breaks off; say it"
            } else {
                return;
            };
            faults.add("readable", at, format!("{message} in at most {words_asked} words"));
        };
        look("clash".into(), &self.clash, PART_CHARS_MAX, 150);
        for (i, point) in self.turning_points.iter().enumerate() {
            look(format!("turning_points[{i}].text"), &point.text, POINT_CHARS_MAX, 100);
        }
        look("verdict".into(), &self.verdict, PART_CHARS_MAX, 150);
        faults
    }
}

/// A moment that changed the debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TurningPoint {
    /// A phrase.
    pub heading: String,
    /// What happened.
    pub text: String,
}

/// What a report must not contradict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportRules {
    /// The side that is ahead; none where the sides are even, or no majority agrees.
    pub ahead: Option<Side>,
    /// Ids of all arguments.
    pub ids: Vec<String>,
}

/// The form of a report that names one of the `sides` as ahead: when it is asked for, the one that it must name.
pub fn report_form(sides: &[&str]) -> Form {
    let point = [form_field("heading", text_kind(8, 160)), form_field("text", text_kind(80, POINT_CHARS_MAX))];
    let fields = [
        form_field("title", text_kind(8, 160)),
        form_field("question", text_kind(30, 600)),
        form_field("clash", text_kind(120, PART_CHARS_MAX)),
        form_field("turning_points", list_kind(2, 3, Kind::Object(Form::new("report", point)))),
        form_field("verdict", text_kind(120, PART_CHARS_MAX)),
        answer_field(),
        form_field("ahead", choice_kind(sides.iter().copied())),
    ];
    Form::new("report", fields)
}

/// The side that a report must name as ahead.
pub fn ahead_name(ahead: Option<Side>) -> &'static str {
    ahead.map_or(EVEN, Side::name)
}

/// The report in a draft, or every rule it breaks: one that names another side as ahead than the scores do, or an
/// argument that there is none of, is not a report. The format wants no dashes; replacing them is the renderer's.
/// Of one that was accepted, only the form is read, without rules.
pub fn parse_report(text: &str, rules: Option<&ReportRules>) -> Result<ReportProse, Faults> {
    let (report, faults) = parse_draft(text, rules, false)?;
    faults.into_result(report)
}

/// A report from elsewhere, which names no side; rules that it breaks are warnings.
pub fn parse_imported_report(text: &str, rules: Option<&ReportRules>) -> Result<ReportProse, Faults> {
    let (report, faults) = parse_draft(text, rules, true)?;
    Ok(ReportProse { warnings: imported_debate::format_warnings(&faults).collect(), ..report })
}

fn parse_draft(text: &str, rules: Option<&ReportRules>, is_imported: bool) -> Result<(ReportProse, Faults), Faults> {
    let sides = [Side::Proposition.name(), Side::Opposition.name(), EVEN];
    report_form(&sides).read_draft(text, |fields, faults| {
        let mut read = |name: &str| fields.read_text(name, faults);
        let (title, question, clash, verdict) = (read("title"), read("question"), read("clash"), read("verdict"));
        let points = fields.read_parts("turning_points", faults);
        if !(2..=3).contains(&points.len()) {
            fields.add_fault("turning_points", format!("2 or 3 are wanted, found {}", points.len()), faults);
        }
        let points = points.into_iter().filter_map(|point| {
            let point = point.open(faults)?;
            Some(TurningPoint { heading: point.read_text("heading", faults), text: point.read_text("text", faults) })
        });
        let turning_points: Vec<TurningPoint> = points.collect();
        // One that was accepted is as good without an answer: earlier rules asked for none.
        let mut lost = Faults::default();
        let is_new = rules.is_some() && !is_imported;
        let answer = parse_answer(fields, if is_new { &mut *faults } else { &mut lost });
        let warnings = Vec::new();
        let report = ReportProse { title, question, clash, turning_points, verdict, answer, warnings };
        if !is_imported {
            let ahead = fields.read_text("ahead", faults);
            let wanted = rules.map(|rules| ahead_name(rules.ahead));
            let is_side = ahead == EVEN || Side::BOTH.iter().any(|side| side.name() == ahead);
            if let Some(wanted) = wanted.filter(|wanted| is_side && *wanted != ahead) {
                let message = format!(
                    "it names {ahead:?} as ahead, and by the scores it is {wanted:?}; they are final, and your text must explain them"
                );
                fields.add_fault("ahead", message, faults);
            }
        }
        if let Some(rules) = rules {
            let told = report.part_texts().join("\n");
            let strange = find_argument_ids(&told).find(|id| !rules.ids.contains(id));
            if let Some(id) = strange {
                let message = format!("there is no argument {id}; there are {}", rules.ids.join(", "));
                faults.add("report", "turning_points", message);
            }
        }
        report
    })
}

/// The words of a text that have the form of an argument's id, such as `opp_001`.
fn find_argument_ids(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let is_id = |word: &&str| {
        let rest = Side::BOTH.into_iter().find_map(|side| word.strip_prefix(side.prefix())?.strip_prefix('_'));
        rest.is_some_and(|rest| rest.len() >= 3 && rest.as_bytes()[..3].iter().all(u8::is_ascii_digit))
    };
    words.filter(is_id).map(str::to_owned)
}
