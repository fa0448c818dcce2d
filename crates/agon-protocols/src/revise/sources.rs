//! Sources of documents and critiques: the pages that authors cite are looked up before what they wrote
//! is shown to others, and those of what was joined before it stands. A document cites by its passages,
//! a critique by its problems and reasons, what was joined by passages of all its texts.

use agon_core::{Request, View};

use super::{
    critique::Critique,
    document,
    joint_findings::Unified,
    revision::Revision,
    settings::{ReviseMode, Setup},
    state::ReviseState,
    synthesis::Synthesis,
};
use crate::common::{
    request_values::find_verified_key,
    verification::{self, CitedPlace},
};

impl Revision {
    /// Its places that cite pages.
    pub(super) fn cited_places(&self) -> Vec<CitedPlace> {
        verification::find_cited_passages(&self.document)
    }
}

impl Critique {
    /// Its places that cite pages.
    pub(super) fn cited_places(&self) -> Vec<CitedPlace> {
        let mut critique = self.clone();
        verification::collect_cited_places(critique.citing_texts().map(|(at, words)| (at, words.as_str())))
    }
}

impl Synthesis {
    /// Its places that cite pages.
    pub(super) fn cited_places(&self) -> Vec<CitedPlace> {
        verification::cited_in(self.clone().named_texts())
    }
}

impl Unified {
    /// Its places that cite pages.
    pub(super) fn cited_places(&self) -> Vec<CitedPlace> {
        verification::cited_in(self.clone().named_texts())
    }
}

/// What a statement cites that is to be looked up; `None` for other requests.
pub(super) fn collect_draft_citations(heard: &View<'_>, request: &Request) -> Option<Vec<CitedPlace>> {
    let of = find_verified_key(request)?;
    let said = heard.answer_text(&of).unwrap_or_default();
    let asked = heard.find_request(&of);
    Some(match asked.map_or("", |asked| asked.prompt.as_str()) {
        "critique" => Critique::parse(said).map(|said| said.cited_places()).unwrap_or_default(),
        "synthesis" => match Setup::from_opened(heard.opened()).map(|setup| setup.mode) {
            Ok(ReviseMode::Review) => Unified::parse(said).map(|said| said.cited_places()).unwrap_or_default(),
            _ => Synthesis::parse(said).map(|said| said.cited_places()).unwrap_or_default(),
        },
        "revision" => {
            let state = ReviseState::from_view(heard)?;
            let author = state.setup.find_author(&asked?.seat)?;
            let read = Revision::parse_with_faults(said, 0, state.latest_text(author));
            read.map(|(said, _)| said.cited_places()).unwrap_or_default()
        }
        _ => verification::find_cited_passages(&document::clean_document(said)),
    })
}
