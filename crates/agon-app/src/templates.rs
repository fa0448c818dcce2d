//! The texts that a debate is opened with.

use std::collections::BTreeMap;

use agon_core::{Digest, Protocol};
use agon_runtime::{config::Paths, prompts::Template};

use crate::{
    context::Context,
    failure::{Failure, Result},
};

/// The texts that an opening pins, such as templates and documents, by their digest.
pub type Texts = BTreeMap<Digest, String>;

/// The templates of a protocol, as they are in force here.
pub fn resolve_templates(context: &Context, protocol: &dyn Protocol) -> Result<BTreeMap<String, Template>> {
    templates_in(&context.places, protocol)
}

/// The same, at these places.
pub fn templates_in(places: &Paths, protocol: &dyn Protocol) -> Result<BTreeMap<String, Template>> {
    let templates = places.prompts.resolve_templates(protocol);
    templates.map_err(|error| Failure::io(error.to_string(), "fix or remove that file"))
}

/// The texts of templates.
pub fn texts_of(templates: &BTreeMap<String, Template>) -> BTreeMap<String, String> {
    templates.iter().map(|(name, template)| (name.clone(), template.text.clone())).collect()
}
