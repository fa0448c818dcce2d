//! Sources of documents and critiques: the pages that authors cite are looked up before what they wrote
//! is shown to others. A document cites by its passages, a critique by its problems and reasons.

use agon_core::{Floor, Flow, Key, Lost, Request, Statement, View, draft::Draft};

use super::{critique::Critique, document, revision::Revision, setup::Setup, standing::Standing};
use crate::common::{
    verification::{self, Cited, Found},
    vetting::{Looked, Vetted, settle_each},
};

/// What an author writes, as far as it cites.
pub(super) trait Cites {
    /// Its places that cite pages.
    fn cited(&self) -> Vec<Cited>;
}

impl Cites for String {
    fn cited(&self) -> Vec<Cited> {
        verification::passages(self)
    }
}

impl Cites for Revision {
    fn cited(&self) -> Vec<Cited> {
        verification::passages(&self.document)
    }
}

impl Cites for Critique {
    fn cited(&self) -> Vec<Cited> {
        let mut critique = self.clone();
        verification::cited(critique.places().map(|(at, words)| (at, words.as_str())))
    }
}

/// Asks authors at once, each until its answer stands, and has what they cite looked up where pages are
/// opened.
pub(super) fn ask<T: Cites + Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    setup: &Setup,
    drafts: Vec<Draft<'_, Standing<T>>>,
) -> Flow<Vec<Result<Looked<Standing<T>>, Lost>>> {
    let again = drafts.iter().map(|draft| Draft::new(draft.request.clone(), &*draft.check));
    let answers = floor.ask_each_until_valid(again.collect())?;
    if !verification::is_fetched(floor.opened()) {
        let unseen = |statement| (statement, Vec::new());
        return Ok(answers.into_iter().map(|answer| answer.map(unseen)).collect());
    }
    let cited = |said: &Standing<T>| said.statement.cited();
    let fault = |found: &Found| Some((found.at.clone(), found.fault()?));
    let vetted = drafts.iter().zip(&answers).filter_map(|(draft, answer)| {
        let Statement { key, value } = answer.as_ref().ok()?;
        let statement = Statement { key: key.clone(), value: value.clone() };
        let author = setup.authors.iter().find(|author| author.seat == draft.request.seat);
        let name = author.map_or("author", |author| author.name.as_str());
        let (request, check) = (&draft.request, &*draft.check);
        Some((Vetted { request, name, check, cited: &cited, fault: &fault }, statement))
    });
    let mut looked = settle_each(floor, vetted.collect())?.into_iter();
    let mut stands =
        |_| looked.next().unwrap_or_else(|| unreachable!("a statement that was given comes back"));
    Ok(answers.into_iter().map(|answer| answer.map(&mut stands)).collect())
}

/// What a statement cites that is to be looked up; `None` for other requests.
pub(super) fn drafted(heard: &View<'_>, request: &Request) -> Option<Vec<Cited>> {
    if request.seat.as_str() != "verifier" {
        return None;
    }
    let of = Key::of(request.facts.get("of")?.as_str()?);
    let said = heard.said(&of).unwrap_or_default();
    Some(match heard.asked(&of).map_or("", |asked| asked.prompt.as_str()) {
        "critique" => Critique::parse(said).map(|said| said.cited()).unwrap_or_default(),
        "revision" => Revision::read(said, 0).map(|(said, _)| said.cited()).unwrap_or_default(),
        _ => document::clean(said).cited(),
    })
}
