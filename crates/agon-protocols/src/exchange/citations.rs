//! Places of an argument that cite pages, and what follows from what was found there. A ground is cited
//! by its source or its words; claims, warrants, backings and qualifiers by their words.

use std::sync::Arc;

use super::argument::{Argument, Arguments, Ground};
use crate::common::verification::{self, CitedPlace, SourceCheck, SourceStatus};

/// The name of a ground, for what is found about its sources.
pub(super) fn ground_name(id: &str, ground: usize) -> String {
    format!("{id}/{}", ground + 1)
}

/// The places of `arguments` that cite pages.
pub fn collect_argument_citations(arguments: &Arguments, ids: &[String]) -> Vec<CitedPlace> {
    let mut all = Vec::new();
    for (argument, id) in arguments.arguments.iter().zip(ids) {
        for (i, Ground { source, content, .. }) in argument.grounds.iter().enumerate() {
            let urls = verification::find_addresses(&format!("{source} {content}"));
            if !urls.is_empty() {
                all.push(CitedPlace::of_prose(ground_name(id, i), content.clone(), urls));
            }
        }
        let mut argument = argument.clone();
        let texts = claim_texts_mut(&mut argument).into_iter();
        let texts = texts.map(|(name, text)| (format!("{id}/{name}"), text.as_str()));
        all.extend(verification::collect_cited_places(texts));
    }
    all
}

/// What an argument says in addition to its grounds, by the names of its fields.
fn claim_texts_mut(argument: &mut Argument) -> Vec<(&'static str, &mut String)> {
    let always = [("claim", &mut argument.claim), ("warrant", &mut argument.warrant)].into_iter();
    let backing = argument.backing.as_mut().map(|text| ("backing", text));
    always.chain(backing).chain(argument.qualifier.as_mut().map(|text| ("qualifier", text))).collect()
}

/// Path of a place in the draft, for faults; `None` where it is in none of these arguments.
pub(super) fn draft_path(ids: &[String], at: &str) -> Option<String> {
    let (id, place) = at.split_once('/')?;
    let argument = ids.iter().position(|known| known == id)?;
    Some(match place.parse::<usize>() {
        Ok(number) => format!("arguments[{argument}].grounds[{}]", number.checked_sub(1)?),
        Err(_) => format!("arguments[{argument}].{place}"),
    })
}

/// `statement` without what rests on pages that never were, and with what its pages do not bear out
/// labelled as conjecture.
pub(super) fn apply_source_checks(statement: &Arc<Arguments>, ids: &[String], found: &[SourceCheck]) -> Arc<Arguments> {
    if !found.iter().any(|found| found.describe_fault().is_some()) {
        return statement.clone();
    }
    let mut judged = Arguments::clone(statement);
    for (argument, id) in judged.arguments.iter_mut().zip(ids) {
        for (i, entry) in argument.grounds.iter_mut().enumerate() {
            let at = ground_name(id, i);
            verification::mark_words(&mut entry.content, &at, found);
            if found.iter().any(|found| found.at == at && found.status == SourceStatus::Fabricated) {
                entry.source = "[REDACTED]".into();
            }
        }
        for (name, text) in claim_texts_mut(argument) {
            verification::mark_words(text, &format!("{id}/{name}"), found);
        }
    }
    Arc::new(judged)
}
