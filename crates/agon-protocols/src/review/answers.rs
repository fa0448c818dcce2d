//! What is said to each of several findings: by the part of the program that looks places up, by the critic and
//! by the judge. Each names every finding once.

use std::collections::BTreeMap;

use agon_core::Faults;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::finding::{
    self, FindingSeverity, MaterialFinding, QUOTE_CHARS_MAX, TEXT_CHARS_MAX, quote_fault, read_quote,
};
use crate::common::form::{Field, Form, Kind, Reader, any_case_kind, choice_kind, form_field, list_kind, text_kind};

/// Longest place or note of a check that is kept, in characters.
const NOTE_CHARS_MAX: u32 = 1_000;
/// Findings that the critic can add: it is there to check those of others.
const ADDED_MAX: usize = 6;

/// What is said to each finding, by its id.
pub type ForEach<T> = BTreeMap<String, T>;

/// What the look at a place of the material found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceCode {
    /// The quote stands at the place.
    QuoteThere,
    /// It stands once elsewhere in the file.
    QuoteMoved,
    /// The place exists, and nothing was quoted.
    PlaceThere,
    /// It stands at several places, and the named one is not among them.
    QuoteAmbiguous,
    /// It stands only in lines that a diff removed.
    QuoteRemoved,
    /// It does not stand in the file.
    QuoteAbsent,
    /// The material has no such file.
    NoSuchFile,
    /// The file has no such line.
    NoSuchLine,
}

impl PlaceCode {
    const ALL: [(&str, PlaceCode); 8] = [
        ("quote-there", PlaceCode::QuoteThere),
        ("quote-moved", PlaceCode::QuoteMoved),
        ("place-there", PlaceCode::PlaceThere),
        ("quote-ambiguous", PlaceCode::QuoteAmbiguous),
        ("quote-removed", PlaceCode::QuoteRemoved),
        ("quote-absent", PlaceCode::QuoteAbsent),
        ("no-such-file", PlaceCode::NoSuchFile),
        ("no-such-line", PlaceCode::NoSuchLine),
    ];

    /// As answers and files write it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, code)| *code == self).map_or("", |(name, _)| name)
    }

    /// Whether a finding cites nothing that is there.
    pub fn is_demoting(self) -> bool {
        matches!(self, Self::QuoteAbsent | Self::NoSuchFile | Self::NoSuchLine)
    }
}

/// What was found at the place of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceCheck {
    /// What was found.
    pub code: PlaceCode,
    /// Where the quote stands; empty where that is not one place.
    pub place: String,
    /// The same in words; may be empty.
    pub note: String,
}

impl PlaceCheck {
    /// What the verifier answers about the findings `ids`.
    pub(super) fn form(ids: &[String]) -> Form {
        let of = PlaceCode::ALL.map(|(name, _)| name);
        let note = |name| form_field(name, text_kind(0, NOTE_CHARS_MAX)).as_optional();
        let fields = [form_field("code", choice_kind(of)), note("place"), note("note")];
        Form::new("checks", [per_finding_field("checks", "at", ids, fields)])
    }

    /// Such an answer, or every rule that it breaks.
    pub fn parse_answer(answer: &str, ids: &[String]) -> Result<ForEach<Self>, Faults> {
        Self::form(ids).read_statement(answer, |fields, faults| {
            Some(read_per_finding(fields, ("checks", "at"), ids, faults, |fields, faults| {
                Some(Self {
                    code: fields.read_enum("code", faults)?,
                    place: fields.read_text("place", faults),
                    note: fields.read_text("note", faults),
                })
            }))
        })
    }
}

/// What the critic makes of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum CriticStance {
    /// It is so, by what the critic checked.
    Agree,
    /// It is not so, by a quote.
    Refuted,
    /// The material decides neither.
    Concern,
}

impl CriticStance {
    const NAMES: [&str; 3] = ["refuted", "agree", "concern"];

    /// As statements and files write it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The critic's answer to one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingCritique {
    /// What the critic looked at, and what it saw.
    pub checked: String,
    /// What it makes of the finding.
    pub stance: CriticStance,
    /// Where the words stand that refute it; may be empty otherwise.
    pub place: String,
    /// Those words, or those that show that it matters less.
    pub quote: String,
    /// How much it matters, where that is less than its author says.
    pub lowered: Option<FindingSeverity>,
}

/// What the critic answers in one look: to each finding, and what it saw itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriticAnswer {
    /// Its answer to each finding.
    pub critiques: ForEach<FindingCritique>,
    /// Findings of its own, which nobody has answered yet.
    pub added: Vec<MaterialFinding>,
}

impl CriticAnswer {
    /// What the critic is asked for about the findings `ids`. Only a first look can add to them.
    pub(super) fn form(ids: &[String], is_first_look: bool) -> Form {
        let added = is_first_look.then(|| finding::findings_field(ADDED_MAX).as_optional());
        Form::new("answers", [FindingCritique::field(ids)].into_iter().chain(added))
    }

    /// Such an answer, or every rule that it breaks: who refutes or lowers a severity, quotes.
    pub fn parse_answer(answer: &str, ids: &[String], is_first_look: bool) -> Result<Self, Faults> {
        Self::form(ids, is_first_look).read_statement(answer, |fields, faults| {
            let critiques = read_per_finding(fields, ("answers", "finding"), ids, faults, FindingCritique::read_fields);
            let added = if is_first_look { finding::read_findings(fields, faults) } else { Vec::new() };
            if added.len() > ADDED_MAX {
                fields.add_fault("findings", format!("at most {ADDED_MAX} findings can be added"), faults);
            }
            Some(Self { critiques, added })
        })
    }
}

impl FindingCritique {
    /// The word for a finding that matters as much as its author says.
    pub const SAME: &str = "same";

    fn field(ids: &[String]) -> Field {
        let severities = [Self::SAME, FindingSeverity::Medium.name(), FindingSeverity::Low.name()];
        per_finding_field(
            "answers",
            "finding",
            ids,
            [
                form_field("checked", text_kind(1, TEXT_CHARS_MAX)),
                form_field("place", text_kind(0, TEXT_CHARS_MAX)).as_optional(),
                form_field("quote", text_kind(0, QUOTE_CHARS_MAX)).as_optional(),
                form_field("answer", any_case_kind(CriticStance::NAMES)),
                form_field("severity", any_case_kind(severities)).as_optional(),
            ],
        )
    }

    fn read_fields(fields: &Reader<'_, '_>, faults: &mut Faults) -> Option<Self> {
        let lowered: Option<FindingSeverity> = fields.read_enum("severity", faults);
        let (checked, place) = (fields.read_text("checked", faults), fields.read_text("place", faults));
        let quote = read_quote(fields);
        let stance = fields.read_enum("answer", faults)?;
        if stance == CriticStance::Refuted && place.is_empty() {
            fields.add_fault("place", "say where the words stand that refute it, as path:line", faults);
        }
        if stance == CriticStance::Refuted || lowered.is_some() {
            must_quote(fields, &quote, faults);
        }
        Some(Self { checked, stance, place, quote, lowered })
    }
}

/// What the judge says of a contested finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldRuling {
    /// It is so.
    Holds,
    /// It is not so.
    DoesNotHold,
    /// The material does not show it either way.
    CannotTell,
}

impl HoldRuling {
    const NAMES: [&str; 3] = ["holds", "does_not_hold", "cannot_tell"];

    /// As statements and files write it.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// The judge's ruling on one finding, in one order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingRuling {
    /// What decided it.
    pub reasoning: String,
    /// The words of the material that decided it; may be empty where nothing did.
    pub quote: String,
    /// The ruling.
    pub ruling: HoldRuling,
}

impl FindingRuling {
    /// What the judge is asked for about the findings `ids`.
    pub(super) fn form(ids: &[String]) -> Form {
        let fields = [
            form_field("reasoning", text_kind(1, TEXT_CHARS_MAX)),
            form_field("quote", text_kind(0, QUOTE_CHARS_MAX)).as_optional(),
            form_field("ruling", choice_kind(HoldRuling::NAMES)),
        ];
        Form::new("rulings", [per_finding_field("rulings", "finding", ids, fields)])
    }

    /// Such an answer, or every rule that it breaks: who decides, quotes.
    pub fn parse_answer(answer: &str, ids: &[String]) -> Result<ForEach<Self>, Faults> {
        Self::form(ids).read_statement(answer, |fields, faults| {
            Some(read_per_finding(fields, ("rulings", "finding"), ids, faults, |fields, faults| {
                let reasoning = fields.read_text("reasoning", faults);
                let quote = read_quote(fields);
                let ruling = fields.read_enum("ruling", faults)?;
                if ruling != HoldRuling::CannotTell {
                    must_quote(fields, &quote, faults);
                }
                Some(Self { reasoning, quote, ruling })
            }))
        })
    }
}

fn must_quote(fields: &Reader<'_, '_>, quote: &str, faults: &mut Faults) {
    if let Some(fault) = quote_fault(quote) {
        fields.add_fault("quote", fault, faults);
    }
}

/// A list called `name` with one object for each of `ids`, which stands in its field `of`.
fn per_finding_field(name: &str, of: &str, ids: &[String], fields: impl IntoIterator<Item = Field>) -> Field {
    let id = form_field(of, Kind::Reference(ids.to_vec()));
    let each = Form::new(name, std::iter::once(id).chain(fields)).into_strict();
    form_field(name, list_kind(ids.len(), ids.len(), Kind::Object(each)))
}

/// What `take` makes of the object for each of `ids`; whatever is there twice or missing is a fault.
fn read_per_finding<T>(
    fields: &Reader<'_, '_>,
    (name, of): (&str, &str),
    ids: &[String],
    faults: &mut Faults,
    take: impl Fn(&Reader<'_, '_>, &mut Faults) -> Option<T>,
) -> ForEach<T> {
    let mut said = ForEach::new();
    for part in fields.read_parts(name, faults) {
        let Some(fields) = part.open(faults) else { continue };
        let id = fields.read_text(of, faults);
        if !id.is_empty() && !ids.contains(&id) {
            fields.add_fault(of, format!("there is no {id}; name one of {}", ids.join(", ")), faults);
        }
        let taken = take(&fields, faults);
        if said.contains_key(&id) {
            fields.add_fault(of, format!("{id} is there twice; answer each once"), faults);
        }
        if let Some(taken) = taken {
            said.insert(id, taken);
        }
    }
    let missing: Vec<&str> = ids.iter().filter(|id| !said.contains_key(*id)).map(String::as_str).collect();
    if faults.0.is_empty() && !missing.is_empty() {
        faults.add(name, name, format!("{} missing; answer each finding once", missing.join(", ")));
    }
    said
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn ids() -> Vec<String> {
        vec!["F1".into(), "F2".into()]
    }

    fn at(result: Result<impl std::fmt::Debug, Faults>) -> Vec<String> {
        result.unwrap_err().0.into_iter().map(|fault| fault.at).collect()
    }

    #[test]
    fn a_critic_who_refutes_quotes_and_answers_each_once() {
        let said = |id: &str, answer: &str, quote: &str| json!({"finding": id, "checked": "the loop", "place": "a.rs:1", "quote": quote, "answer": answer});
        let read = |answers: Value| CriticAnswer::parse_answer(&json!({"answers": answers}).to_string(), &ids(), true);
        let good = read(json!([said("F1", "REFUTED", "if x > 0"), said("F2", "concern", "")])).unwrap().critiques;
        assert_eq!((good["F1"].stance, good["F2"].stance), (CriticStance::Refuted, CriticStance::Concern));
        assert_eq!(at(read(json!([said("F1", "refuted", ""), said("F2", "agree", "")]))), ["answers[0].quote"]);
        assert_eq!(at(read(json!([said("F1", "agree", "")]))), ["answers"]);
        assert_eq!(at(read(json!([said("F1", "agree", ""), said("F1", "agree", "")]))), ["answers[1].finding"]);
        assert_eq!(at(read(json!([said("F1", "agree", ""), said("F9", "agree", "")]))), ["answers[1].finding"]);
        assert_eq!(at(read(json!([said("F1", "approve", ""), said("F2", "agree", "")])))[0], "answers[0].answer");
        let mut empty = said("F2", "agree", "");
        empty["checked"] = "".into();
        assert_eq!(at(read(json!([said("F1", "agree", ""), empty]))), ["answers[1].checked"]);
    }

    #[test]
    fn a_critic_adds_findings_in_a_first_look_alone() {
        let answers: Vec<Value> =
            ids().iter().map(|id| json!({"finding": id, "checked": "x", "answer": "agree"})).collect();
        let added = json!({"place": "a.rs:9", "quote": "drop(lock);", "claim": "The lock is dropped too early.",
            "why": "Line 10 writes without it.", "refuted_by": "A second lock.", "severity": "high"});
        let read = |added: &Value, is_first| {
            let answer = json!({"answers": answers, "findings": added}).to_string();
            CriticAnswer::parse_answer(&answer, &ids(), is_first)
        };
        let said = read(&json!([added]), true).unwrap();
        assert_eq!((said.critiques.len(), said.added[0].place.as_str()), (2, "a.rs:9"));
        assert!(read(&json!([added]), false).unwrap().added.is_empty());
        assert!(read(&Value::Null, true).unwrap().added.is_empty());
        let mut unquoted = added.clone();
        unquoted["quote"] = "".into();
        assert_eq!(at(read(&json!([unquoted]), true)), ["findings[0].quote"]);
        assert_eq!(at(read(&vec![added; ADDED_MAX + 1].into(), true)), ["findings"]);
    }

    #[test]
    fn a_judge_quotes_what_decides() {
        let said = |id: &str, ruling: &str, quote: &str| json!({"finding": id, "reasoning": "It is so.", "quote": quote, "ruling": ruling});
        let read = |rulings: Value| FindingRuling::parse_answer(&json!({"rulings": rulings}).to_string(), &ids());
        let good = read(json!([said("F1", "holds", "if x > 0"), said("F2", "cannot_tell", "")])).unwrap();
        assert_eq!((good["F1"].ruling, good["F2"].ruling), (HoldRuling::Holds, HoldRuling::CannotTell));
        for ruling in ["holds", "does_not_hold"] {
            let rulings = json!([said("F1", ruling, ""), said("F2", "cannot_tell", "")]);
            assert_eq!(at(read(rulings)), ["rulings[0].quote"], "{ruling}");
        }
    }

    #[test]
    fn a_check_names_every_place_and_a_known_code() {
        let read = |checks: Value| PlaceCheck::parse_answer(&json!({"checks": checks}).to_string(), &ids());
        let good = json!([{"at": "F2", "code": "no-such-file"}, {"at": "F1", "code": "quote-moved", "place": "a.rs:2", "note": null}]);
        let good = read(good).unwrap();
        assert_eq!((good["F1"].place.as_str(), good["F2"].code), ("a.rs:2", PlaceCode::NoSuchFile));
        assert_eq!(at(read(json!([{"at": "F1", "code": "quote-there"}]))), ["checks"]);
        let unknown = json!([{"at": "F1", "code": "fine"}, {"at": "F2", "code": "quote-there"}]);
        assert_eq!(at(read(unknown)), ["checks[0].code"]);
        for (name, code) in PlaceCode::ALL {
            assert_eq!((code.name(), json!(code)), (name, json!(name)));
        }
    }
}
