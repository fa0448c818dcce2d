//! What an author says of another's document: strengths, weaknesses with their places,
//! disagreements with their reasons, and what it concedes. Rules C2 to C4 are those of the format.

use std::collections::BTreeSet;

use agon_core::Faults;
use agon_text::{FoldedText, count_words, find_quote};
use serde::Serialize;
use serde_json::json;

use super::document::{self, normalise_words};
use crate::common::{
    fields::ObjectReader,
    form::{Form, Kind, Reader, form_field, list_kind, text_kind},
};

/// Maximum number of entries of one section: more would drown what matters.
pub(super) const ENTRIES_MAX: usize = 16;
/// Upper bound of one text, in characters; it ends a model that has begun to babble.
const TEXT_CHARS_MAX: u32 = 800;
/// What a weakness repeats that its author names for the first time.
const NEW: &str = "new";
/// How a section that has nothing to say may say so.
const NOTHING: [&str; 5] = ["none", "nothing", "n a", "no weakness", "no weaknesses"];

/// How serious a weakness or a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
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
        ["LOW", "MEDIUM", "HIGH"][self as usize]
    }

    /// As statements hold it. What a word means is for [`Severity::parse`] to say.
    pub(super) fn field_kind() -> Kind {
        Kind::Reference(Self::ALL.map(|severity| severity.name().to_owned()).into())
    }

    /// A severity as readers see it; what none stands for is not one of the three.
    pub fn name_or_unread(severity: Option<Self>) -> &'static str {
        severity.map_or("severity not read", Self::name)
    }

    /// The severity called `name`, in any case of letters.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name().eq_ignore_ascii_case(name.trim()))
    }
}

/// A weakness that a critique names: the problem, its place and its severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Weakness {
    /// How much it matters.
    pub severity: Severity,
    /// A section, file and line, task or criterion.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
    /// Which of the weaknesses that its author named in earlier rounds it is, from 1; none where it is new.
    #[serde(skip)]
    pub repeats: Option<usize>,
}

/// A choice that the critic would make otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CriticDisagreement {
    /// How much it matters.
    pub severity: Severity,
    /// The point of contention.
    pub point: String,
    /// Why the critic's way is better, with evidence.
    pub reason: String,
}

/// One author's critique of another's document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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
    #[serde(skip)]
    pub repeated: usize,
}

/// Id of a weakness, as prompts and files show it.
pub fn weakness_id(number: usize) -> String {
    format!("W{number}")
}

/// The form of a critique of a document with these `places`. A list may be empty but that of the
/// weaknesses: an empty list is the cheapest answer of a small model and would end the debate, so
/// that there is nothing to object is said in so many words.
///
/// `earlier` are the numbers of the weaknesses of it that the critic named in earlier rounds.
pub fn critique_form(mut places: Vec<String>, earlier: &[usize]) -> Form {
    if !places.iter().any(|place| place == "none") {
        places.push("none".into());
    }
    let words = || text_kind(8, TEXT_CHARS_MAX);
    let severity = || form_field("severity", Severity::field_kind()).with_rule("severity");
    let mut weakness = vec![
        form_field("place", Kind::Reference(places)),
        form_field("problem", text_kind(4, TEXT_CHARS_MAX)),
        severity(),
    ];
    if !earlier.is_empty() {
        let known = std::iter::once(NEW.to_owned()).chain(earlier.iter().map(|number| weakness_id(*number)));
        weakness.push(form_field("repeats", Kind::Reference(known.collect())).as_optional());
    }
    let disagreement = [form_field("point", words()), form_field("reason", words()), severity()];
    let section = |name: &str, min: usize, items: Kind| form_field(name, list_kind(min, ENTRIES_MAX, items));
    let fields = [
        section("strengths", 1, words()),
        section("weaknesses", 1, Kind::Object(Form::new("C3", weakness))),
        section("disagreements", 0, Kind::Object(Form::new("C4", disagreement))),
        section("concessions", 0, words()),
    ];
    Form::new("C2", fields)
}

impl Critique {
    /// The critique in an answer, with the rules that make it unusable; an answer that is not JSON
    /// object has nothing to read.
    pub fn parse_with_faults(text: &str) -> Result<(Self, Faults), Faults> {
        // What it repeats is read whether or not there is anything that it could repeat.
        critique_form(Vec::new(), &[1]).read_draft(text, |fields, faults| {
            for name in ["strengths", "weaknesses", "disagreements", "concessions"] {
                let count = fields.read_items(name, faults).len();
                if fields.raw_value(name).is_null() {
                    let message = format!("{name} is missing; write an empty list if there is nothing to say");
                    fields.add_fault(name, message, faults);
                }
                if count > ENTRIES_MAX {
                    let message = format!("{count} entries; keep the {ENTRIES_MAX} that matter most");
                    fields.add_fault(name, message, faults);
                }
            }
            let critique = Self {
                strengths: parse_texts(fields, "strengths", faults),
                weaknesses: self::parse_weaknesses(fields, faults),
                disagreements: self::parse_disagreements(fields, faults),
                concessions: parse_texts(fields, "concessions", faults),
                repeated: 0,
            };
            let critique = critique.without_repetition();
            let silent = critique.strengths.is_empty() && critique.weaknesses.is_empty();
            if silent && faults.0.is_empty() {
                let message = "it says nothing; if there is no weakness, name the strengths that make it good";
                fields.add_fault("strengths", message, faults);
            }
            critique
        })
    }

    /// The critique in an answer, or every rule that makes it unusable.
    pub fn parse(text: &str) -> Result<Self, Faults> {
        let (critique, faults) = Self::parse_with_faults(text)?;
        faults.into_result(critique)
    }

    /// Weaknesses that name no place of `document` (C3).
    pub fn find_unplaced(&self, document: &str) -> Faults {
        let mut faults = Faults::default();
        for (at, weakness) in self.weaknesses.iter().enumerate() {
            if !is_place(&weakness.place, document) {
                let places = document::list_places(document).into_iter().take(6).map(|place| format!("{place:?}"));
                let (named, some) = (shorten_text(&weakness.place), places.collect::<Vec<_>>().join(", "));
                let message =
                    format!("{named:?} is no place of the document; name one of its sections, for example {some}");
                faults.add("C3", format!("weaknesses[{at}].place"), message);
            }
        }
        faults
    }

    /// The same without weaknesses that say of one place after the other the same words: a list of
    /// places is not a list of problems.
    fn without_repetition(mut self) -> Self {
        let (mut told, all) = (BTreeSet::new(), self.weaknesses.len());
        self.weaknesses.retain(|weakness| told.insert(said_of_it(weakness)));
        self.repeated = all - self.weaknesses.len();
        self
    }

    /// What may cite pages, with its path in the draft.
    pub fn citing_texts(&mut self) -> impl Iterator<Item = (String, &mut String)> {
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

/// A problem without the name of its place.
fn said_of_it(weakness: &Weakness) -> String {
    let (problem, place) = (normalise_words(&weakness.problem), normalise_words(&weakness.place));
    if place.is_empty() { problem } else { problem.replace(&place, "") }
}

/// The texts of a section; what is wrong with the section as a whole was said before.
fn parse_texts(fields: &Reader<'_, '_>, name: &str, faults: &mut Faults) -> Vec<String> {
    let mut texts = Vec::new();
    for (at, item) in fields.read_items(name, &mut Faults::default()).iter().enumerate() {
        let wrapped = json!({"text": item});
        let mut own = Faults::default();
        let text =
            ObjectReader::from_value(&wrapped, "", &mut own).map(|fields| fields.read_text("text", "C2", &mut own));
        texts.extend(text.filter(|text| own.0.is_empty() && !is_nothing(text)));
        own.0.into_iter().for_each(|fault| faults.add("C2", format!("{name}[{at}]"), fault.message));
    }
    texts
}

fn parse_weaknesses(fields: &Reader<'_, '_>, faults: &mut Faults) -> Vec<Weakness> {
    let weaknesses = fields.read_parts("weaknesses", &mut Faults::default()).into_iter().filter_map(|part| {
        let fields = part.open(faults)?;
        let nothing = |name: &str| {
            let word = fields.raw_value(name).as_str().unwrap_or_default();
            word.is_empty() || is_nothing(word)
        };
        // A lone "none" says that there is no weakness; next to others it says nothing.
        if !fields.raw_value("place").is_null() && nothing("place") && nothing("problem") {
            return None;
        }
        // New is what is meant wherever no weakness is named.
        let repeats = fields.raw_value("repeats").as_str();
        Some(Weakness {
            severity: parse_severity(&fields, faults),
            place: fields.read_text("place", faults),
            problem: fields.read_text("problem", faults),
            repeats: repeats.and_then(|said| said.trim().strip_prefix(['W', 'w'])?.parse().ok()),
        })
    });
    weaknesses.collect()
}

fn parse_disagreements(fields: &Reader<'_, '_>, faults: &mut Faults) -> Vec<CriticDisagreement> {
    let disagreements = fields.read_parts("disagreements", &mut Faults::default()).into_iter().filter_map(|part| {
        let fields = part.open(faults)?;
        let nothing = |name: &str| fields.raw_value(name).as_str().is_some_and(is_nothing);
        if nothing("point") && nothing("reason") {
            return None;
        }
        Some(CriticDisagreement {
            severity: parse_severity(&fields, faults),
            point: fields.read_text("point", faults),
            reason: fields.read_text("reason", faults),
        })
    });
    disagreements.collect()
}

/// Medium where nothing is said; a word that is not a severity is a fault.
fn parse_severity(fields: &Reader<'_, '_>, faults: &mut Faults) -> Severity {
    let Some(word) = fields.optional_text("severity", faults) else { return Severity::Medium };
    Severity::parse(&word).unwrap_or_else(|| {
        fields.add_fault("severity", format!("{:?} is not one of HIGH, MEDIUM, LOW", shorten_text(&word)), faults);
        Severity::Medium
    })
}

/// Whether `text` is only a word for "none".
pub fn is_nothing(text: &str) -> bool {
    NOTHING.contains(&normalise_words(text).as_str())
}

/// Whether `place` is a section, file and line, task, criterion or finding, or words of `document`.
pub fn is_place(place: &str, document: &str) -> bool {
    let wanted = normalise_words(place);
    if wanted.is_empty() || is_nothing(place) {
        return false;
    }
    let named = |known: &str| {
        let known = normalise_words(known);
        !known.is_empty() && (wanted.contains(&known) || known.contains(&wanted))
    };
    names_place(place)
        || document::list_places(document).iter().any(|known| named(known))
        || count_words(place) > 1 && find_quote(&FoldedText::new(document), place).verbatim_ranges().is_some()
}

/// Whether `text` names a place by its form, which is a number or a sign of a section: `src/a.rs:12`, `P2-T03`,
/// `section 2`, `第3节`, `§ 4`.
pub fn names_place(text: &str) -> bool {
    text.contains(|c: char| c.is_numeric() || c == '§')
}

pub(super) fn shorten_text(text: &str) -> String {
    text.chars().take(60).collect()
}
