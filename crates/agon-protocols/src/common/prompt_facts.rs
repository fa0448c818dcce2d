//! The facts of a prompt while they are collected, and the prompts that several protocols share.

use agon_core::{Facts, Request, View, form::FormField};
use serde::Serialize;

use super::{claim_reading, lineup};

/// The facts of one prompt, while they are collected.
pub struct FactSheet(pub Facts);

impl FactSheet {
    /// Begins with the facts of the request and the motion.
    pub fn new(heard: &View<'_>, request: &Request) -> Self {
        let mut sheet = Self(request.facts.clone());
        sheet.put("motion", &heard.opened().motion);
        sheet
    }

    /// Adds a fact, or replaces it.
    pub fn put(&mut self, name: &str, value: impl Serialize) {
        self.0.insert(name.to_owned(), serde_json::to_value(value).unwrap_or_default());
    }
}

/// The facts of a prompt that several protocols share; `None` of any other.
pub fn shared_facts(heard: &View<'_>, request: &Request) -> Option<Facts> {
    match request.prompt.as_str() {
        name if name == claim_reading::PROMPT.0 => Some(claim_reading::reader_facts(heard, request)),
        name if name == lineup::CONSENT.0 => Some(lineup::consent_facts(heard, request)),
        _ => None,
    }
}

/// The schema of such a prompt.
pub fn shared_schema(heard: &View<'_>, request: &Request) -> Option<FormField> {
    match request.prompt.as_str() {
        name if name == claim_reading::PROMPT.0 => Some(claim_reading::reader_schema(heard, request)),
        name if name == lineup::CONSENT.0 => Some(lineup::consent_schema(request)),
        _ => None,
    }
}
