//! What a reviewer finds: each finding with its place, the words that stand there, and what would refute it.

use agon_core::Faults;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::common::form::{Field, Form, Kind, Part, Reader, any_case_kind, form_field, list_kind, text_kind};

/// Findings of one answer: a longer list says that its author did not choose, and its critique would not fit
/// an answer.
const FINDINGS_MAX: usize = 24;
/// Longest place, in characters: a path of the usual limit, and its lines.
const PLACE_CHARS_MAX: u32 = 300;
/// Longest quote, in characters: some lines of code.
pub const QUOTE_CHARS_MAX: u32 = 600;
/// A quote with fewer characters that are not spaces stands almost everywhere.
pub const QUOTE_CHARS_MIN: usize = 4;
/// Longest text of another field, in characters: two or three sentences.
pub const TEXT_CHARS_MAX: u32 = 1_500;

/// How much a finding matters. A higher one blocks, or counts more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum FindingSeverity {
    /// Style, wording, small costs.
    Low,
    /// It should be fixed, and nothing breaks at once.
    Medium,
    /// Wrong results, lost data, a hole in security: it blocks.
    High,
}

impl FindingSeverity {
    /// All, in the order of reports.
    pub const ALL: [FindingSeverity; 3] = [Self::High, Self::Medium, Self::Low];

    /// As statements and files write it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One finding, as its author wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaterialFinding {
    /// Where: `path:line` or `path:first-last`. It is compared with the material, not taken for granted.
    pub place: String,
    /// The words at this place; its line breaks are kept.
    pub quote: String,
    /// What is wrong.
    pub claim: String,
    /// What follows from it, and how the author knows.
    pub why: String,
    /// What would show that it is not so.
    pub refuted_by: String,
    /// How much it matters.
    pub severity: FindingSeverity,
}

/// The findings of one reviewer; none is an answer, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingsList(pub Vec<MaterialFinding>);

impl FindingsList {
    /// What reviewers are asked for.
    pub(super) fn form() -> Form {
        Form::new("findings", [findings_field(FINDINGS_MAX)]).into_strict()
    }

    /// The list in an answer, or every rule that it breaks. Whether a place exists and holds the quote is for
    /// the verifier to say.
    pub fn parse_answer(answer: &str) -> Result<Self, Faults> {
        Self::form().read_statement(answer, |fields, faults| {
            if fields.raw_value("findings").is_null() {
                fields.add_fault("findings", "findings is missing; an empty list says that there are none", faults);
            }
            Some(Self(read_findings(fields, faults)))
        })
    }
}

/// A list of at most so many findings.
pub(super) fn findings_field(most: usize) -> Field {
    let words = || text_kind(1, TEXT_CHARS_MAX);
    let finding = Form::new(
        "finding",
        [
            form_field("place", text_kind(1, PLACE_CHARS_MAX)),
            form_field("quote", text_kind(QUOTE_CHARS_MIN as u32, QUOTE_CHARS_MAX)).with_rule("quote"),
            form_field("claim", words()),
            form_field("why", words()),
            form_field("refuted_by", words()),
            form_field("severity", any_case_kind(FindingSeverity::ALL.map(FindingSeverity::name))),
        ],
    );
    form_field("findings", list_kind(0, most, Kind::Object(finding.into_strict())))
}

/// What stands in such a list.
pub(super) fn read_findings(fields: &Reader<'_, '_>, faults: &mut Faults) -> Vec<MaterialFinding> {
    let parts = fields.read_parts("findings", faults);
    parts.iter().filter_map(|part| parse_finding(part, faults)).collect()
}

fn parse_finding(part: &Part<'_, '_>, faults: &mut Faults) -> Option<MaterialFinding> {
    let fields = part.open(faults)?;
    let quote = read_quote(&fields);
    if let Some(fault) = quote_fault(&quote) {
        fields.add_fault("quote", fault, faults);
    }
    Some(MaterialFinding {
        place: fields.read_text("place", faults),
        quote,
        claim: fields.read_text("claim", faults),
        why: fields.read_text("why", faults),
        refuted_by: fields.read_text("refuted_by", faults),
        severity: fields.read_enum("severity", faults)?,
    })
}

/// The quote in an object of an answer as it was given, line by line, without control characters.
pub fn read_quote(fields: &Reader<'_, '_>) -> String {
    let given = fields.raw_value("quote").as_str().unwrap_or_default().replace("\r\n", "\n");
    let plain = |c: char| if c.is_control() && c != '\n' { ' ' } else { c };
    given.trim_matches('\n').chars().map(plain).collect::<String>().trim_end().to_owned()
}

/// Why a text cannot be compared as a quote.
pub fn quote_fault(quote: &str) -> Option<String> {
    let chars = quote.chars().filter(|c| !c.is_whitespace()).count();
    if chars < QUOTE_CHARS_MIN {
        return Some(format!("quote at least {QUOTE_CHARS_MIN} characters of the material, word for word"));
    }
    let most = QUOTE_CHARS_MAX as usize;
    (quote.chars().count() > most)
        .then(|| format!("the quote is longer than {most} characters; quote the line that shows it"))
}

/// Whether two quotes have a line in common, or one holds the other, apart from spaces.
pub fn quotes_overlap(one: &str, other: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let plain = text.lines().map(agon_text::to_single_line);
        plain.filter(|line| line.chars().filter(|c| *c != ' ').count() >= QUOTE_CHARS_MIN).collect()
    };
    let (one, other) = (lines(one), lines(other));
    one.iter().any(|a| other.iter().any(|b| a.contains(b.as_str()) || b.contains(a.as_str())))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn answer(change: impl Fn(&mut Value)) -> String {
        let mut finding = json!({
            "place": "src/a.rs:3", "quote": "let x = 1;\n    let y = 2;", "claim": "x is not used",
            "why": "It is never read.", "refuted_by": "a line that reads x", "severity": "HIGH",
        });
        change(&mut finding);
        json!({"findings": [finding]}).to_string()
    }

    #[test]
    fn a_finding_is_read_with_the_lines_of_its_quote() {
        let FindingsList(findings) = FindingsList::parse_answer(&answer(|_| {})).unwrap();
        assert_eq!(findings[0].quote, "let x = 1;\n    let y = 2;");
        assert_eq!(findings[0].severity, FindingSeverity::High);
        assert_eq!(FindingsList::parse_answer(r#"{"findings": []}"#), Ok(FindingsList(Vec::new())));
    }

    #[test]
    fn what_a_finding_lacks_is_a_fault() {
        for (field, value, at) in [
            ("quote", json!("x ="), "findings[0].quote"),
            ("quote", json!(null), "findings[0].quote"),
            ("quote", json!("x".repeat(700)), "findings[0].quote"),
            ("place", json!(""), "findings[0].place"),
            ("claim", json!("y ".repeat(1_000)), "findings[0].claim"),
            ("refuted_by", json!(""), "findings[0].refuted_by"),
            ("severity", json!("critical"), "findings[0].severity"),
        ] {
            let faults = FindingsList::parse_answer(&answer(|finding| finding[field] = value.clone())).unwrap_err();
            assert_eq!(faults.0.iter().map(|fault| fault.at.as_str()).collect::<Vec<_>>(), [at], "{value}");
        }
        for text in ["{}", "[]", "APPROVED", r#"{"findings": 3}"#] {
            assert!(FindingsList::parse_answer(text).is_err(), "{text}");
        }
        let one: Value = serde_json::from_str(&answer(|_| {})).unwrap();
        let many = json!({"findings": vec![one["findings"][0].clone(); FINDINGS_MAX + 1]});
        assert_eq!(FindingsList::parse_answer(&many.to_string()).unwrap_err().0[0].at, "findings");
    }

    #[test]
    fn quotes_overlap_in_a_line_that_says_something() {
        for (one, other, overlap) in [
            ("let x = 1;", "  let  x = 1;\n}", true),
            ("x = 1;", "let x = 1;", true),
            ("}\nlet x = 1;", "}\nlet y = 1;", false),
            ("}", "}", false),
        ] {
            assert_eq!(quotes_overlap(one, other), overlap, "{one:?} {other:?}");
        }
    }
}
