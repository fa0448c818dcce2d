//! The entries of a record: seven kinds of events.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::IntoStaticStr;

use crate::{
    Act, DebateId, Digest, Extension, Key, Limits, Lookup, Outcome, Request, Ruling, Seat, Usage, usage::is_default,
};

/// One entry of the record: its event, number and time, and the hash that chains it to the entry before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Sequence number, from 0 without a gap.
    pub seq: u64,
    /// When it was appended.
    pub at: Stamp,
    /// What happened.
    pub what: Event,
    /// Hash of the entry before; [`Digest::genesis`] for the first.
    pub prev: Digest,
    /// SHA-256 of this entry's JSON without this field.
    pub hash: Digest,
}

/// A time as RFC 3339 in UTC with milliseconds, `2026-01-31T09:30:00.000Z`. Scripts never see one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stamp(pub String);

/// The content of an entry; the variants are the kinds of entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(clippy::large_enum_variant)]
pub enum Event {
    /// The debate was opened; always and only the first entry.
    Opened(Opened),
    /// A seat was asked; written before anyone is called.
    Asked(Request),
    /// A seat answered, or failed to.
    Answered(Answered),
    /// The script decided.
    Ruled {
        /// Names the decision for ever.
        key: Key,
        /// The decision.
        ruling: Ruling,
    },
    /// A person allowed more.
    Extended {
        /// How much.
        limits: Extension,
    },
    /// A person did what nobody had asked of them.
    Acted(Act),
    /// The debate ended; only `Extended` may follow.
    Closed {
        /// How.
        outcome: Outcome,
    },
}

impl Event {
    /// Digests of the texts that it names, in its order: what must be stored for it to be read again.
    pub fn list_text_digests(&self) -> Vec<&Digest> {
        match self {
            Event::Opened(opened) => opened.list_text_digests().map(|(_, digest)| digest).collect(),
            Event::Answered(answered) => answered.lookups.iter().map(|lookup| &lookup.result).collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn request(&self) -> Option<&Request> {
        if let Event::Asked(request) = self { Some(request) } else { None }
    }

    pub(crate) fn answer(&self) -> Option<&Answered> {
        if let Event::Answered(answered) = self { Some(answered) } else { None }
    }

    pub(crate) fn ruling(&self) -> Option<(&Key, &Ruling)> {
        if let Event::Ruled { key, ruling } = self { Some((key, ruling)) } else { None }
    }

    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        if let Event::Closed { outcome } = self { Some(outcome) } else { None }
    }

    /// Its kind, and the key that it may stand under only once: what a store indexes it by.
    pub fn index(&self) -> (&'static str, Option<&str>) {
        match self {
            Event::Opened(_) => ("opened", None),
            Event::Asked(request) => ("asked", Some(request.key.as_str())),
            Event::Answered(answered) => ("answered", Some(answered.key.as_str())),
            Event::Ruled { key, .. } => ("ruled", Some(key.as_str())),
            Event::Extended { .. } => ("extended", None),
            Event::Acted(_) => ("acted", None),
            Event::Closed { .. } => ("closed", None),
        }
    }
}

/// The first entry of a record: protocol, motion, line-up, options and pinned texts.
/// A script knows nothing about the outside world except what is here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opened {
    /// The debate.
    pub debate: DebateId,
    /// The protocol's name.
    pub protocol: String,
    /// The protocol's rules number.
    pub rules: u32,
    /// What is debated.
    pub motion: String,
    /// Options of the protocol, by name.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub options: serde_json::Map<String, Value>,
    /// The seats and who was to answer at them, in the protocol's order.
    pub lineup: Vec<SeatModel>,
    /// What the debate may spend.
    pub limits: Limits,
    /// Source of all randomness.
    pub seed: u64,
    /// Templates by name.
    pub prompts: BTreeMap<String, Digest>,
    /// Documents by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub documents: BTreeMap<String, Digest>,
    /// Where this debate was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
}

/// Option of a debate that was taken over from files of other programs: what they were, and what is
/// wrong with them as a whole.
const IMPORTED: &str = "imported";

impl Opened {
    /// What is known of the files that the debate was taken over from; `None` where it was not.
    pub fn import_details(&self) -> Option<&Value> {
        self.options.get(IMPORTED)
    }

    /// Says that the debate is taken over from files of `format`, which break rules as `warnings` say.
    pub fn mark_imported(&mut self, format: &str, warnings: &[String]) {
        let imported = serde_json::json!({"format": format, "warnings": warnings});
        self.options.insert(IMPORTED.into(), imported);
    }

    /// Every digest this entry names: what must be stored for the debate to be resumable.
    pub fn list_text_digests(&self) -> impl Iterator<Item = (&String, &Digest)> {
        self.prompts.iter().chain(&self.documents)
    }
}

/// A seat and the model or member that the line-up assigns to it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatModel {
    /// The seat.
    pub seat: Seat,
    /// The model as the user named it, for example `openai:gpt-5`.
    pub model: String,
    /// Name shown to readers and peers, where it differs from the seat.
    pub name: Option<String>,
    /// Persona, background or stance, as the line-up gives it.
    pub persona: Option<String>,
    /// What else the line-up says of it, by the protocol's names: `lens`, `starting_position`, …
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub details: serde_json::Map<String, Value>,
}

impl SeatModel {
    /// A seat that needs neither name nor persona.
    pub fn new(seat: Seat, model: impl Into<String>) -> Self {
        Self { seat, model: model.into(), name: None, persona: None, details: serde_json::Map::new() }
    }
}

/// The debate and the entry a fork was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parent {
    /// The debate.
    pub debate: DebateId,
    /// Its last entry that was copied.
    pub seq: u64,
}

/// The answer to a request, with its participant and its usage. A request has at most one.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// The request it answers.
    pub key: Key,
    /// What was said.
    pub reply: Reply,
    /// Tokens and cost of all attempts.
    #[serde(default)]
    pub usage: Usage,
    /// Who really answered.
    pub by: Answerer,
    /// Digest of the rendered prompt.
    pub prompt: Option<Digest>,
    /// How many of the oldest statements the prompt showed by their claim alone, to fit.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shortened: u32,
    /// Passages of the material that the prompt showed, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<ShownPassage>,
    /// What the seat looked up for it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lookups: Vec<Lookup>,
    /// The answer as it came, where the statement was read out of more than itself.
    pub original: Option<OriginalAnswer>,
}

/// An answer as it came: with reasoning, prose or fences around the statement, or in another writing than its form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OriginalAnswer {
    /// Verbatim.
    pub text: String,
    /// What was read otherwise than it was written, each in a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A passage of the debate's material that a prompt showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownPassage {
    /// Where it stands: `path:first-last`, in lines.
    pub place: String,
    /// Digest of its text.
    pub digest: Digest,
}

impl Answered {
    /// An answer to the request `key` that cost nothing and was made of nothing but its statement.
    pub fn new(key: Key, reply: Reply, by: Answerer) -> Self {
        let (usage, shown, lookups) = (Usage::default(), Vec::new(), Vec::new());
        Self { key, reply, usage, by, prompt: None, shortened: 0, shown, lookups, original: None }
    }

    /// What the files of a debate that is taken over say; nobody was called, and it cost nothing.
    pub fn from_import(key: Key, reply: Reply) -> Self {
        Self::new(key, reply, Answerer::new(IMPORTED))
    }

    /// Whether it is one that [`Answered::from_import`] made.
    pub fn is_imported(&self) -> bool {
        self.by.participant == IMPORTED
    }
}

/// The participant that answered, and the model that it reported.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answerer {
    /// The participant as named in the line-up or by the command that replaced it.
    pub participant: String,
    /// The model that the provider says answered.
    pub model: Option<String>,
    /// What computed it, where that is known: the embedded model's texts differ between releases, kernels and numbers of threads.
    pub engine: Option<String>,
    /// Whether it is a model that is not known to read well enough: what it reads out of a text decides nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unfit_reader: bool,
}

impl Answerer {
    /// A participant whose model and engine are not known, and whose readings count.
    pub fn new(participant: impl Into<String>) -> Self {
        Self { participant: participant.into(), model: None, engine: None, is_unfit_reader: false }
    }

    /// The same, with the model that answered.
    pub fn with_model(self, model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..self }
    }
}

/// The result of a request: a text, a failure or the end of a time limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reply {
    /// The seat's own words.
    Said {
        /// Verbatim.
        text: String,
    },
    /// The seat failed; never anyone's words.
    Failed(Failed),
    /// The time was up.
    Elapsed,
}

impl Reply {
    /// The seat's words, if it spoke.
    pub fn text(&self) -> Option<&str> {
        if let Reply::Said { text } = self { Some(text) } else { None }
    }
}

/// A failure that counts as the answer: the protocol's rule for it applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failed {
    /// What kind.
    pub kind: FailureKind,
    /// One line for a reader, without secrets.
    pub detail: String,
}

/// The failures that count as answers. An unavailable provider is not one of them: it suspends the debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FailureKind {
    /// The model declined.
    Refused,
    /// A content filter cut the answer.
    Filtered,
    /// The answer was cut at its token limit.
    Truncated,
    /// The prompt does not fit the model.
    TooLong,
    /// The answer was larger than allowed; reading stopped.
    TooLarge,
    /// Nothing was said.
    Empty,
    /// Every retry failed.
    Exhausted,
    /// Nobody answered in time.
    Elapsed,
}

impl FailureKind {
    /// Its word, as records write it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
