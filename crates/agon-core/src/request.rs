//! Requests: one question to a seat, under its permanent key.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Fault, Key, Seat};

/// The values that fill a prompt's template.
pub type Facts = Map<String, Value>;

/// What happens when every retry of a call has failed: the debate stops, or the failure is the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exhausted {
    /// The debate stops, resumable: for seats without which it means nothing (a side, a judge).
    #[default]
    Suspend,
    /// The failure is the answer and the protocol's rule applies: for seats it can do without.
    Answer,
}

/// Why a request is repeated: the earlier request, the number of the redraft, and the faults to quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redraft {
    /// The answer that broke the rules.
    pub of: Key,
    /// How often this seat has now been asked for the same statement again, from 1.
    pub number: u32,
    /// What it broke.
    pub faults: Vec<Fault>,
}

/// One thing asked of one seat.
///
/// Facts are small values, and refer to earlier answers by key: neither a text nor a list that
/// grows with the debate belongs here, so that the record grows with what is said and not with
/// its square. What the prompt template is filled with comes from [`crate::Protocol::prompt_facts`].
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Names it for ever.
    pub key: Key,
    /// Who must answer. The seat `clock` answers [`crate::Reply::Elapsed`].
    pub seat: Seat,
    /// The prompt template, by name; empty for the clock.
    pub prompt: String,
    /// Small values for the template.
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    pub facts: Facts,
    /// Sequence number of the last answer that the script had heard; stamped by the floor.
    pub heard: u64,
    /// Set when an earlier answer to this statement broke the rules.
    pub redraft: Option<Redraft>,
    /// What stands when every retry has failed.
    #[serde(default)]
    pub exhausted: Exhausted,
    /// Seconds after which it counts as elapsed.
    pub wait_seconds: Option<u32>,
}

impl Request {
    /// Asks `seat` by the template `prompt`.
    pub fn new(key: impl AsRef<str>, seat: &Seat, prompt: &str) -> Self {
        let (key, seat, prompt) = (Key::from_parts(key), seat.clone(), prompt.to_owned());
        let (facts, heard, redraft, exhausted, wait_seconds) = Default::default();
        Self { key, seat, prompt, facts, heard, redraft, exhausted, wait_seconds }
    }

    /// Adds a fact.
    pub fn with_fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// Lets the failure of every retry be the answer.
    pub fn or_absent(mut self) -> Self {
        self.exhausted = Exhausted::Answer;
        self
    }

    /// Sets how long this request stays open, in seconds.
    pub fn with_wait_seconds(mut self, wait_seconds: u32) -> Self {
        self.wait_seconds = Some(wait_seconds);
        self
    }
}
