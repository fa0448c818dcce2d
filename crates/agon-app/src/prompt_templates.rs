//! The texts that a debate is opened with.

use std::collections::BTreeMap;

use agon_core::{Digest, Protocol};
use agon_runtime::{config::Paths, prompts::Template};

use crate::failure::{Failure, Result};

/// The texts that an opening pins, such as templates and documents, by their digest.
pub type Texts = BTreeMap<Digest, String>;

/// What the first entry of a record says of its debate, by name.
pub type RecordOptions = serde_json::Map<String, serde_json::Value>;

/// The templates of a protocol, as they are in force at these places.
pub fn resolve_templates(places: &Paths, protocol: &dyn Protocol) -> Result<BTreeMap<String, Template>> {
    let templates = places.prompts.resolve_templates(protocol);
    templates.map_err(|error| Failure::io(error.to_string(), "fix or remove that file"))
}

/// The texts of templates.
pub fn texts_of(templates: &BTreeMap<String, Template>) -> BTreeMap<String, String> {
    templates.iter().map(|(name, template)| (name.clone(), template.text.clone())).collect()
}

/// The texts, by their digests.
pub fn index_texts<'t>(texts: impl IntoIterator<Item = &'t String>) -> Texts {
    texts.into_iter().map(|text| (Digest::from_content(text), text.clone())).collect()
}

/// The digest of each text, by its name.
pub fn digest_texts(texts: &BTreeMap<String, String>) -> BTreeMap<String, Digest> {
    texts.iter().map(|(name, text)| (name.clone(), Digest::from_content(text))).collect()
}
