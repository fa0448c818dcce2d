//! The texts that a companion debate is opened with.

use std::collections::BTreeMap;

use agon_core::{Digest, Protocol};

use crate::{
    context::Context,
    failure::{Failure, Result, exit},
};

/// The texts that an opening pins, such as templates and documents, by their digest.
pub type Texts = BTreeMap<Digest, String>;

/// The templates of a companion's protocol, as they are in force here.
pub fn templates(context: &Context, protocol: &dyn Protocol) -> Result<BTreeMap<String, String>> {
    let templates = context.places.prompts.resolve(protocol);
    let templates = templates
        .map_err(|error| Failure::new(exit::IO, "io", error.to_string(), "fix or remove that file"))?;
    Ok(templates.into_iter().map(|(name, template)| (name, template.text)).collect())
}
