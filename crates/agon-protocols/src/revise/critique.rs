//! What an author says of another's document: strengths, weaknesses with their places,
//! disagreements with their reasons, and what it concedes. Rules C2 to C4 are those of the format.

use std::collections::BTreeSet;

use agon_core::{Faults, parse};
use serde_json::{Value, json};

use super::document::{self, normalised};
use crate::common::fields::ObjectReader;

/// Maximum number of entries of one section: more would drown what matters.
const ENTRIES_MAX: usize = 8;
/// Upper bound of one text, in characters; it ends a model that has begun to babble.
const TEXT_CHARS_MAX: usize = 800;
/// Share of common words that makes two problems the same, and the fewest words for which it does.
const SAME_SHARE: f64 = 0.75;
const SAME_WORDS_MIN: usize = 5;
/// How a section that has nothing to say may say so.
const NOTHING: [&str; 5] = ["none", "nothing", "n a", "no weakness", "no weaknesses"];

/// How serious a weakness or a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Style, naming, order.
    Low,
    /// Between the two; what is meant where nothing is said.
    Medium,
    /// Correctness, security, completeness.
    High,
}

impl Severity {
    /// Most severe first, as schemas list them.
    pub const ALL: [Severity; 3] = [Severity::High, Severity::Medium, Severity::Low];

    /// As tags have it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Low => "LOW",
            Severity::Medium => "MEDIUM",
            Severity::High => "HIGH",
        }
    }

    /// The severity called `name`, in any case of letters.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name().eq_ignore_ascii_case(name.trim()))
    }
}

/// A weakness that a critique names: the problem, its place and its severity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weakness {
    /// How much it matters.
    pub severity: Severity,
    /// A section, file and line, task or criterion.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

/// A choice that the critic would make otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriticDisagreement {
    /// How much it matters.
    pub severity: Severity,
    /// The point of contention.
    pub point: String,
    /// Why the critic's way is better, with evidence.
    pub reason: String,
}

/// One author's critique of another's document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Critique {
    /// What the document does well.
    pub strengths: Vec<String>,
    /// What is wrong with it.
    pub weaknesses: Vec<Weakness>,
    /// Where the critic would decide otherwise.
    pub disagreements: Vec<CriticDisagreement>,
    /// Where the document is better than the critic's own.
    pub concessions: Vec<String>,
    /// Weaknesses left out because an earlier one says the same of another place.
    pub repeated: usize,
}

/// JSON Schema of a critique of a document with these `places`. A list may be empty but that of the
/// weaknesses: an empty list is the cheapest answer of a small model and would end the debate, so
/// that there is nothing to object is said in so many words.
pub fn schema(places: &[String]) -> Value {
    let text = json!({"type": "string", "minLength": 8, "maxLength": TEXT_CHARS_MAX});
    let severity = json!({"type": "string", "enum": Severity::ALL.map(Severity::name)});
    let mut places: Vec<&str> = places.iter().map(String::as_str).collect();
    if !places.contains(&"none") {
        places.push("none");
    }
    let problem = json!({"type": "string", "minLength": 4, "maxLength": TEXT_CHARS_MAX});
    let weakness = object(json!({
        "place": {"type": "string", "enum": places}, "problem": problem, "severity": severity,
    }));
    let disagreement = object(json!({"point": text, "reason": text, "severity": severity}));
    let list = |min: usize, items: &Value| json!({"type": "array", "minItems": min, "maxItems": ENTRIES_MAX, "items": items});
    object(json!({
        "strengths": list(1, &text), "weaknesses": list(1, &weakness),
        "disagreements": list(0, &disagreement), "concessions": list(0, &text),
    }))
}

/// A JSON Schema object whose fields are all required.
pub(super) fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let required = json!(required);
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

impl Critique {
    /// The critique in an answer, with the rules that make it unusable; an answer that is not JSON
    /// object has nothing to read.
    pub fn read(text: &str) -> Result<(Self, Faults), Faults> {
        let value = parse::json(text)?;
        let mut faults = Faults::default();
        let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
        let mut list = |name: &str| {
            if fields.get(name).is_none() {
                let message = format!("{name} is missing; write an empty list if there is nothing to say");
                faults.add("C2", name, message);
            }
            let items = fields.list(name, "C2", &mut faults);
            if items.len() > ENTRIES_MAX {
                let message = format!("{} entries; keep the {ENTRIES_MAX} that matter most", items.len());
                faults.add("C2", name, message);
            }
            items
        };
        let (strengths, weaknesses) = (list("strengths"), list("weaknesses"));
        let (disagreements, concessions) = (list("disagreements"), list("concessions"));
        let critique = Self {
            strengths: texts(strengths, "strengths", &mut faults),
            weaknesses: self::weaknesses(weaknesses, &mut faults),
            disagreements: self::disagreements(disagreements, &mut faults),
            concessions: texts(concessions, "concessions", &mut faults),
            repeated: 0,
        };
        let critique = critique.without_repetition();
        let silent = critique.strengths.is_empty() && critique.weaknesses.is_empty();
        if silent && faults.0.is_empty() {
            let message = "it says nothing; if there is no weakness, name the strengths that make it good";
            faults.add("C2", "strengths", message);
        }
        Ok((critique, faults))
    }

    /// The critique in an answer, or every rule that makes it unusable.
    pub fn parse(text: &str) -> Result<Self, Faults> {
        let (critique, faults) = Self::read(text)?;
        faults.or(critique)
    }

    /// Weaknesses that name no place of `document` (C3).
    pub fn unplaced(&self, document: &str) -> Faults {
        let mut faults = Faults::default();
        for (at, weakness) in self.weaknesses.iter().enumerate() {
            if !is_place(&weakness.place, document) {
                let places: Vec<String> = document::places(document).into_iter().take(6).collect();
                let message = format!(
                    "{:?} is no place of the document; name one of its sections, for example {}",
                    shorten(&weakness.place),
                    places.iter().map(|place| format!("{place:?}")).collect::<Vec<_>>().join(", ")
                );
                faults.add("C3", format!("weaknesses[{at}].place"), message);
            }
        }
        faults
    }

    /// The same without weaknesses that say of one place after the other the same thing: a list of
    /// places is not a list of problems.
    fn without_repetition(mut self) -> Self {
        let mut kept: Vec<(BTreeSet<String>, Weakness)> = Vec::new();
        for weakness in self.weaknesses {
            let said = said_of_it(&weakness);
            let again = |earlier: &BTreeSet<String>| {
                let (both, either) = (said.intersection(earlier).count(), said.union(earlier).count());
                said.len() >= SAME_WORDS_MIN && both as f64 >= SAME_SHARE * either as f64
            };
            match kept.iter().any(|(earlier, _)| again(earlier)) {
                true => self.repeated += 1,
                false => kept.push((said, weakness)),
            }
        }
        self.weaknesses = kept.into_iter().map(|(_, weakness)| weakness).collect();
        self
    }

    /// What may cite pages, with its path in the draft.
    pub fn places(&mut self) -> impl Iterator<Item = (String, &mut String)> {
        let weaknesses = self.weaknesses.iter_mut().enumerate();
        let weaknesses = weaknesses.map(|(i, it)| (format!("weaknesses[{i}].problem"), &mut it.problem));
        let disagreements = self.disagreements.iter_mut().enumerate();
        weaknesses.chain(disagreements.map(|(i, it)| (format!("disagreements[{i}].reason"), &mut it.reason)))
    }

    /// Everything it holds against the document, point by point.
    pub fn objections(&self) -> impl Iterator<Item = &str> {
        let disagreements = self.disagreements.iter().map(|disagreement| disagreement.reason.as_str());
        self.weaknesses.iter().map(|weakness| weakness.problem.as_str()).chain(disagreements)
    }
}

/// The words of a problem that are not those of its place.
fn said_of_it(weakness: &Weakness) -> BTreeSet<String> {
    let words = |text: &str| normalised(text).split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
    &words(&weakness.problem) - &words(&weakness.place)
}

fn texts(items: &[Value], name: &str, faults: &mut Faults) -> Vec<String> {
    let mut texts = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let wrapped = json!({"text": item});
        let mut own = Faults::default();
        if let Some(fields) = ObjectReader::of(&wrapped, "", &mut own) {
            let text = fields.text("text", "C2", &mut own);
            if own.0.is_empty() && !is_nothing(&text) {
                texts.push(text);
            }
        }
        for fault in own.0 {
            faults.add("C2", format!("{name}[{at}]"), fault.message);
        }
    }
    texts
}

fn weaknesses(items: &[Value], faults: &mut Faults) -> Vec<Weakness> {
    let mut weaknesses = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let Some(fields) = ObjectReader::of(item, format!("weaknesses[{at}]"), faults) else { continue };
        let nothing = |name: &str| {
            let word = fields.get(name).and_then(Value::as_str).unwrap_or_default();
            word.is_empty() || is_nothing(word)
        };
        // A lone "none" says that there is no weakness; next to others it says nothing.
        if fields.get("place").is_some() && nothing("place") && nothing("problem") {
            continue;
        }
        weaknesses.push(Weakness {
            severity: severity(&fields, faults),
            place: fields.text("place", "C3", faults),
            problem: fields.text("problem", "C3", faults),
        });
    }
    weaknesses
}

fn disagreements(items: &[Value], faults: &mut Faults) -> Vec<CriticDisagreement> {
    let mut disagreements = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let Some(fields) = ObjectReader::of(item, format!("disagreements[{at}]"), faults) else { continue };
        let word = |name: &str| fields.get(name).and_then(Value::as_str).is_some_and(is_nothing);
        if word("point") && word("reason") {
            continue;
        }
        disagreements.push(CriticDisagreement {
            severity: severity(&fields, faults),
            point: fields.text("point", "C4", faults),
            reason: fields.text("reason", "C4", faults),
        });
    }
    disagreements
}

/// Medium where nothing is said; a word that is not a severity is a fault.
fn severity(fields: &ObjectReader<'_>, faults: &mut Faults) -> Severity {
    let Some(word) = fields.optional_text("severity", "severity", faults) else { return Severity::Medium };
    Severity::of(&word).unwrap_or_else(|| {
        let message = format!("{:?} is not one of HIGH, MEDIUM, LOW", shorten(&word));
        faults.add("severity", fields.path("severity"), message);
        Severity::Medium
    })
}

/// Whether `text` is only a word for "none".
pub fn is_nothing(text: &str) -> bool {
    NOTHING.contains(&normalised(text).as_str())
}

/// Whether `place` is a section, file and line, task, criterion or finding, or words of `document`.
pub fn is_place(place: &str, document: &str) -> bool {
    let wanted = normalised(place);
    if wanted.is_empty() || is_nothing(place) {
        return false;
    }
    let named = |known: &str| {
        let known = normalised(known);
        !known.is_empty() && (wanted.contains(&known) || known.contains(&wanted))
    };
    names_place(place)
        || document::places(document).iter().any(|known| named(known))
        || (wanted.contains(' ') && normalised(document).contains(&wanted))
}

/// Whether `text` names a place by its form: `src/a.rs:12`, `P2-T03`, `AC-01`, `F3`, `section 2`,
/// `line 7`, `step 4`.
pub fn names_place(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let by_word = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let upper = word.to_ascii_uppercase();
        let file = word
            .rsplit_once(':')
            .is_some_and(|(file, line)| !file.is_empty() && line.split('-').all(&is_number));
        let id = |prefix: &str| upper.strip_prefix(prefix).is_some_and(is_number);
        let task = upper.strip_prefix('P').and_then(|rest| rest.split_once("-T"));
        file || id("AC-") || id("F") || task.is_some_and(|(p, t)| is_number(p) && is_number(t))
    };
    let numbered = |pair: &[&str]| {
        let kind = normalised(pair[0]);
        let kinds = ["section", "line", "lines", "step", "paragraph", "chapter", "wave", "task"];
        kinds.contains(&kind.as_str()) && normalised(pair[1]).starts_with(|c: char| c.is_ascii_digit())
    };
    words.iter().any(|word| by_word(word) || word.starts_with('§')) || words.windows(2).any(numbered)
}

pub(super) fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}
