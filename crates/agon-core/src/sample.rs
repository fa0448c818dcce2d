//! Plausible content without a model: a statement that fits a schema, a debate to open.
//!
//! `agon run --plan` rehearses a debate with it, and the law tests simulate with it.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value, json};

use crate::{
    DebateId, Digest, Limits, Manifest, MotionKind, Opened, Seat, SeatModel,
    form::{FormField, Holds},
};

/// Words without meaning: enough of them that two samples never look like copies.
const WORDS: [&str; 32] = [
    "plain", "evidence", "cost", "practice", "rule", "reader", "record", "trial", "measure", "order", "habit", "risk",
    "choice", "reason", "limit", "source", "answer", "question", "method", "result", "effort", "change", "value",
    "detail", "pattern", "account", "purpose", "standard", "benefit", "doubt", "review", "claim",
];
/// Words of one text.
const TEXT_WORDS: usize = 14;

/// A value that fits `form`, as short as it allows. Texts differ with `seed` and from each other.
pub fn sample_value(form: &FormField, seed: u64) -> Value {
    Sampler(seed).generate_value(form, 0)
}

/// An answer as a participant would give it: JSON for a form, prose without.
pub fn sample_answer(form: Option<&FormField>, seed: u64) -> String {
    match form {
        Some(form) => sample_value(form, seed).to_string(),
        None => Sampler(seed).generate_text(),
    }
}

struct Sampler(u64);

impl Sampler {
    fn generate_text(&mut self) -> String {
        let words: Vec<&str> = (0..TEXT_WORDS).map(|_| WORDS[self.random_below(WORDS.len())]).collect();
        format!("This sample says: {}.", words.join(" "))
    }

    /// A text of at most `chars_max` characters: bare words where no sentence fits, as in a name.
    fn text_within(&mut self, chars_max: usize) -> String {
        let text = self.generate_text();
        if text.len() <= chars_max {
            return text;
        }
        let words = text.split_once(": ").map_or("", |(_, words)| words).trim_end_matches('.');
        let cut = words.char_indices().map(|(at, _)| at).filter(|at| *at <= chars_max);
        let mut ends = cut.filter(|at| words[*at..].starts_with(' '));
        words[..ends.next_back().unwrap_or(chars_max.min(words.len()))].to_owned()
    }

    /// A number below `n` (Knuth's linear congruential generator; no secrets depend on it).
    fn random_below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// The value for item `at` of a list: enumerated values take turns, since most lists name each
    /// thing once.
    fn generate_value(&mut self, field: &FormField, at: usize) -> Value {
        if let Some(choices) = field.choices.as_ref().filter(|choices| !choices.is_empty()) {
            return choices[at % choices.len()].clone();
        }
        if !field.examples.is_empty() {
            return field.examples[at % field.examples.len()].clone();
        }
        if !field.variants.is_empty() {
            return self.generate_value(&field.variants[at % field.variants.len()], 0);
        }
        match field.named_type {
            Some(Holds::Fields) => {
                let fields: Vec<_> = field.fields.iter().filter(|(name, _)| field.requires_field(name)).collect();
                // Several numbers from 0 to 1, and nothing else, are shares of one.
                if fields.len() > 1 && fields.iter().all(|(_, field)| is_share(field)) {
                    let share = 1.0 / fields.len() as f64;
                    return fields.into_iter().map(|(name, _)| (name.clone(), json!(share))).collect();
                }
                let named = fields.into_iter().map(|(name, field)| {
                    let value = self.generate_value(field, at);
                    // A question asks, and for something.
                    let asks = value.as_str().filter(|_| name == "question");
                    let words = asks.and_then(|text| Some(text.strip_suffix('.')?.split_once(": ")?.1));
                    let asked = words.map(|words| json!(format!("What shows {words}?")));
                    (name.clone(), asked.unwrap_or(value))
                });
                named.collect()
            }
            Some(Holds::List) => {
                let items = field.items.iter().cycle().take(field.min_items).enumerate();
                items.map(|(at, item)| self.generate_value(item, at)).collect()
            }
            Some(Holds::Whole | Holds::Number) => {
                json!(field.minimum.as_ref().and_then(Number::as_f64).unwrap_or(0.0).max(0.0))
            }
            Some(Holds::YesNo) => json!(false),
            _ => match field.max_length {
                Some(most) => self.text_within(most as usize).into(),
                None => self.generate_text().into(),
            },
        }
    }
}

/// Whether it is a number from 0 to 1.
fn is_share(field: &FormField) -> bool {
    let is_bound = |bound: &Option<Number>, wanted| bound.as_ref().and_then(Number::as_i64) == Some(wanted);
    field.named_type == Some(Holds::Number) && is_bound(&field.minimum, 0) && is_bound(&field.maximum, 1)
}

/// A document as people write them.
const DOCUMENT: &str = "# Keeping a record of decisions

## Proposal

Every decision is written down within a day, with its reasons and the options that lost.

## Costs

Writing takes a quarter of an hour a decision.

## Open questions

Who reads the record, and when is an old decision looked at again?
";

/// The texts of the documents that [`opened_for`] names.
pub fn sample_documents() -> BTreeMap<Digest, String> {
    BTreeMap::from([(Digest::from_content(DOCUMENT), DOCUMENT.to_owned())])
}

/// A debate by `manifest` with all its seats, and a document called `source` where it is about one.
pub fn opened_for(manifest: &Manifest) -> Opened {
    let seats = manifest.seat_names(None);
    let mut opened = sample_opened(&manifest.name, &seats.iter().map(String::as_str).collect::<Vec<_>>());
    opened.rules = manifest.rules;
    if manifest.motion == MotionKind::Document {
        opened.documents.insert("source".into(), Digest::from_content(DOCUMENT));
    }
    opened
}

/// A debate of `protocol` with these seats, all at `local`.
pub fn sample_opened(protocol: &str, seats: &[&str]) -> Opened {
    let seat = |name: &str| Seat::new(name).unwrap_or_else(|error| unreachable!("{error}"));
    let lineup = seats.iter().map(|name| SeatModel::new(seat(name), "local"));
    Opened {
        debate: DebateId::new("sample").unwrap_or_else(|error| unreachable!("{error}")),
        protocol: protocol.to_owned(),
        rules: 1,
        motion: "This house would write its decisions down.".into(),
        options: Map::new(),
        lineup: lineup.collect(),
        limits: Limits { rounds: 1, ..Limits::default() },
        seed: 1,
        prompts: BTreeMap::from([("sample".to_owned(), Digest::from_content(""))]),
        documents: BTreeMap::new(),
        parent: None,
    }
}
