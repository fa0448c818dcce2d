//! The reporter's statement: the prose of the report. The script computes totals, strongest and weakest argument.

use agon_core::{Faults, parse};
use agon_text::goes_in_circles;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::argument::{Side, object, text};
use crate::common::{fields::ObjectReader, imported};

/// Longest part of a report, and longest text of a turning point, in characters.
const PART_CHARS_MAX: u32 = 2000;
const POINT_CHARS_MAX: u32 = 1600;

/// The prose of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Rules that a report made elsewhere breaks.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

impl ReportProse {
    /// Everything it says, part by part.
    pub fn texts(&self) -> Vec<&str> {
        let points = self.turning_points.iter().flat_map(|point| [point.heading.as_str(), &point.text]);
        let parts = [self.title.as_str(), &self.question, &self.clash].into_iter();
        parts.chain(points).chain([self.verdict.as_str()]).collect()
    }

    /// What a reader would stumble over: parts that say the same words again and again, or that the
    /// schema ended in the middle of a sentence. Its author is told once.
    pub fn unreadable(&self) -> Faults {
        let mut faults = Faults::default();
        let mut look = |at: String, text: &str, chars_max: u32, words_asked: u32| {
            if goes_in_circles(text) {
                let message = "it says the same words again and again; say each thing once";
                faults.add("readable", at.as_str(), format!("{message}, in at most {words_asked} words"));
            } else if text.chars().count() >= chars_max as usize {
                let message = "it is too long and breaks off";
                faults.add(
                    "readable",
                    at.as_str(),
                    format!("{message}; say it in at most {words_asked} words"),
                );
            }
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurningPoint {
    /// A phrase.
    pub heading: String,
    /// What happened.
    pub text: String,
}

/// JSON Schema of the report.
pub fn schema() -> Value {
    let point = object(json!({"heading": text(8, 160), "text": text(80, POINT_CHARS_MAX)}));
    object(json!({
        "title": text(8, 160), "question": text(30, 600), "clash": text(120, PART_CHARS_MAX),
        "turning_points": {"type": "array", "minItems": 2, "maxItems": 3, "items": point},
        "verdict": text(120, PART_CHARS_MAX),
    }))
}

/// Ways to say that a side prevailed.
const PREVAILS: [&str; 6] = ["is ahead", "wins", "won", "has won", "prevails", "prevailed"];

/// The report in a draft, or every rule it breaks. `behind` are the sides that nobody may call the
/// winner: prose that contradicts the scores is not a report. The format wants no dashes; replacing
/// them is the renderer's.
pub fn parse(text: &str, behind: &[Side]) -> Result<ReportProse, Faults> {
    let (report, faults) = read(text, behind)?;
    faults.or(report)
}

/// A report from elsewhere; rules that it breaks are warnings.
pub fn admit(text: &str, behind: &[Side]) -> Result<ReportProse, Faults> {
    let (report, faults) = read(text, behind)?;
    Ok(ReportProse { warnings: imported::warnings(&faults).collect(), ..report })
}

fn read(text: &str, behind: &[Side]) -> Result<(ReportProse, Faults), Faults> {
    let value = parse::json(text)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let mut read = |name: &str| fields.text(name, "report", &mut faults);
    let (title, question, clash, verdict) = (read("title"), read("question"), read("clash"), read("verdict"));
    let points = fields.list("turning_points", "report", &mut faults);
    if !(2..=3).contains(&points.len()) {
        faults.add("report", "turning_points", format!("2 or 3 are wanted, found {}", points.len()));
    }
    let points = points.iter().enumerate().filter_map(|(i, point)| {
        let point = ObjectReader::of(point, format!("turning_points[{i}]"), &mut faults)?;
        Some(TurningPoint {
            heading: point.text("heading", "report", &mut faults),
            text: point.text("text", "report", &mut faults),
        })
    });
    let turning_points: Vec<TurningPoint> = points.collect();
    let report = ReportProse { title, question, clash, turning_points, verdict, warnings: Vec::new() };
    let told = report.texts().join("\n").to_lowercase();
    for side in behind {
        let named = PREVAILS.iter().map(|word| format!("{} {word}", side.name()));
        if let Some(claim) = named.into_iter().find(|claim| told.contains(claim)) {
            faults.add(
                "report",
                "",
                format!("it says {claim:?}, which the scores do not; the totals are final"),
            );
        }
    }
    Ok((report, faults))
}
