//! Sources of a panel: the pages that panelists cite are looked up before their words are heard. They
//! speak in prose, so a passage is what cites.

use agon_core::{Attempt, Floor, Flow, Key, Lost, Outcome, Request, Statement, View};

use super::{speech::Speech, state::Panel};
use crate::common::{
    source_check::{CheckedStatement, Looked, settle_each},
    verification::{self, CitedPlace, SourceCheck},
};

/// Statements with what was found about their sources; without them where no pages are opened.
pub(super) fn check_sources(
    floor: &mut Floor<'_>,
    panel: &Panel,
    spoken: Vec<(Request, Statement<Speech>)>,
) -> Flow<Vec<Looked<Speech>>> {
    if !verification::is_fetched(floor.opened()) {
        return Ok(spoken.into_iter().map(|(_, statement)| (statement, Vec::new())).collect());
    }
    let check = |(request, _): &(Request, Statement<Speech>)| {
        let seat = request.seat.clone();
        move |draft: Attempt<'_>| panel.said.check_speech(&seat, draft)
    };
    let checks: Vec<_> = spoken.iter().map(check).collect();
    let cited = |speech: &Speech| verification::find_cited_passages(&speech.text);
    let fault = |found: &SourceCheck| Some((found.at.clone(), found.describe_fault()?));
    let vetted = spoken.iter().zip(&checks).map(|((request, statement), check)| {
        let name = panel.panelist_name(&request.seat);
        (CheckedStatement { request, name, check, cited: &cited, is_read: true, fault: &fault }, statement.clone())
    });
    settle_each(floor, vetted.collect())
}

/// A participant's words, with what was found about their sources.
pub(super) fn ask_speech(floor: &mut Floor<'_>, panel: &Panel, request: Request) -> Flow<Result<Looked<Speech>, Lost>> {
    match floor.ask_until_valid(request.clone(), |draft| panel.said.check_speech(&request.seat, draft))? {
        Ok(statement) => {
            let mut looked = check_sources(floor, panel, vec![(request, statement)])?;
            Ok(Ok(looked.pop().unwrap_or_else(|| unreachable!("a statement that was given comes back"))))
        }
        Err(lost) => Ok(Err(lost)),
    }
}

/// `outcome` with how many sources came out how.
pub(super) fn add_source_counts(panel: &Panel, outcome: Outcome) -> Outcome {
    let found = panel.said.turns().iter().flat_map(|turn| &turn.speech.sources);
    verification::add_source_counts(outcome, found.map(|found| found.status))
}

/// What a speech cites that is to be looked up; `None` for other requests.
pub(super) fn collect_draft_citations(heard: &View<'_>, request: &Request) -> Option<Vec<CitedPlace>> {
    let of = Key::of(request.facts.get("of")?.as_str()?);
    let said = heard.answer_text(&of).unwrap_or_default();
    (request.seat.as_str() == "verifier").then(|| verification::find_cited_passages(&Speech::of(said).text))
}
