//! How a companion that asks one model begins, and how its debate is found again.

use std::collections::BTreeMap;

use agon_core::{Limits, Opened, Protocol};
use agon_report::companion::MIRROR_OF;

use crate::{
    context::Context,
    failure::Result,
    prompt_templates::{Texts, digest_texts, index_texts, resolve_templates, texts_of},
};

/// The protocol of companions of this kind; a mirror has that of its debate.
pub fn companion_protocol(kind: &str) -> Option<&'static dyn Protocol> {
    agon_protocols::COMPANIONS.iter().copied().find(|protocol| protocol.name() == kind)
}

/// The debate that one which was opened so is the companion of this kind of. Its options say so; its id is a name that
/// anyone can give.
pub fn find_parent<'o>(opened: &'o Opened, kind: &str) -> Option<&'o str> {
    let option = companion_protocol(kind).map_or(Some(MIRROR_OF), |protocol| protocol.parent_option());
    opened.options.get(option?)?["debate"].as_str()
}

/// `opened`, a copy of the debate's own opening with what is wanted, as `protocol` has it: with its rules, its prompts and
/// these `documents`.
pub fn open_companion(
    context: &Context,
    protocol: &dyn Protocol,
    opened: Opened,
    documents: BTreeMap<String, String>,
) -> Result<(Opened, Texts)> {
    let (manifest, prompts) = (protocol.manifest(), texts_of(&resolve_templates(&context.places, protocol)?));
    let opened = Opened {
        protocol: manifest.name.clone(),
        rules: manifest.rules,
        limits: Limits { rounds: manifest.rounds.default, rounds_min: None, ..opened.limits },
        prompts: digest_texts(&prompts),
        documents: digest_texts(&documents),
        parent: None,
        ..opened
    };
    Ok((opened, index_texts(prompts.values().chain(documents.values()))))
}
