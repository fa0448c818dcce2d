//! Sources of documents and critiques: the pages that authors cite are looked up before what they wrote
//! is shown to others, and those of what was joined before it stands. A document cites by its passages,
//! a critique by its problems and reasons, what was joined by passages of all its texts.

use agon_core::{Floor, Flow, Key, Lost, Request, Seat, View, draft::Draft};

use super::{
    accepted::AcceptedStatement,
    critique::Critique,
    document,
    revision::Revision,
    setup::{ReviseMode, Setup},
    state::ReviseState,
    synthesis::Synthesis,
    unified::Unified,
};
use crate::common::{
    source_check::{self, Looked},
    verification::{self, CitedPlace},
};

/// What an author writes that can cite.
pub(super) trait Cites {
    /// Its places that cite pages.
    fn cited_places(&self) -> Vec<CitedPlace>;
}

impl Cites for String {
    fn cited_places(&self) -> Vec<CitedPlace> {
        verification::find_cited_passages(self)
    }
}

impl Cites for Revision {
    fn cited_places(&self) -> Vec<CitedPlace> {
        verification::find_cited_passages(&self.document)
    }
}

impl Cites for Critique {
    fn cited_places(&self) -> Vec<CitedPlace> {
        let mut critique = self.clone();
        verification::collect_cited_places(critique.citing_texts().map(|(at, words)| (at, words.as_str())))
    }
}

impl Cites for Synthesis {
    fn cited_places(&self) -> Vec<CitedPlace> {
        verification::cited_in(self.clone().named_texts())
    }
}

impl Cites for Unified {
    fn cited_places(&self) -> Vec<CitedPlace> {
        verification::cited_in(self.clone().named_texts())
    }
}

/// Asks for what joins the last versions.
pub(super) fn ask_jointly<T: Cites + Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    setup: &Setup,
    draft: Draft<'_, AcceptedStatement<T>>,
) -> Flow<Result<Looked<AcceptedStatement<T>>, Lost>> {
    ask_authors(floor, setup, vec![draft])?.pop().ok_or(agon_core::Pause::Waiting)
}

/// Asks authors at once, each until its answer stands, and has what they cite looked up where pages are
/// opened.
pub(super) fn ask_authors<T: Cites + Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    setup: &Setup,
    drafts: Vec<Draft<'_, AcceptedStatement<T>>>,
) -> Flow<Vec<Result<Looked<AcceptedStatement<T>>, Lost>>> {
    let name = |seat: &Seat| {
        let author = setup.authors.iter().find(|author| author.seat == *seat);
        author.map_or(seat.as_str(), |author| author.name.as_str()).to_owned()
    };
    source_check::ask_each(floor, drafts, name, &|said: &AcceptedStatement<T>| said.statement.cited_places())
}

/// What a statement cites that is to be looked up; `None` for other requests.
pub(super) fn collect_draft_citations(heard: &View<'_>, request: &Request) -> Option<Vec<CitedPlace>> {
    if request.seat.as_str() != "verifier" {
        return None;
    }
    let of = Key::of(request.facts.get("of")?.as_str()?);
    let said = heard.answer_text(&of).unwrap_or_default();
    let asked = heard.find_request(&of);
    Some(match asked.map_or("", |asked| asked.prompt.as_str()) {
        "critique" => Critique::parse(said).map(|said| said.cited_places()).unwrap_or_default(),
        "synthesis" => match Setup::of(heard.opened()).map(|setup| setup.mode) {
            Ok(ReviseMode::Review) => Unified::parse(said).map(|said| said.cited_places()).unwrap_or_default(),
            _ => Synthesis::parse(said).map(|said| said.cited_places()).unwrap_or_default(),
        },
        "revision" => {
            let setup = Setup::of(heard.opened()).ok()?;
            let author =
                setup.authors.iter().position(|author| asked.is_some_and(|asked| asked.seat == author.seat))?;
            let state = ReviseState::of(heard, &setup);
            let read = Revision::parse_with_faults(said, 0, state.latest_text(author));
            read.map(|(said, _)| said.cited_places()).unwrap_or_default()
        }
        _ => document::clean_document(said).cited_places(),
    })
}
