//! What opens a debate, from a request to a debate that can be started, in three steps, each a type that the next is made
//! of. Everything is checked here, before anyone is asked and anything is paid for.
//!
//! 1. [`read_request`]: what the request says, with its files, revisions and pages: [`RequestedDebate`]
//! 2. [`seat_models`]: which model answers at each seat: [`SeatedDebate`]
//! 3. [`check_opening`]: what would be wrong is refused, or the first entry of the record is made: [`CheckedDebate`]

mod checked_debate;
mod document;
mod drafts;
mod folder;
mod input_text;
mod intake;
pub mod judging;
mod limits;
mod lineup_json;
mod lookups;
pub mod material;
mod member;
mod members;
mod proposal;
mod requested_debate;
mod seated_debate;
mod sources;
mod subject;
#[cfg(test)]
pub mod tests;
pub(crate) mod track;

pub use self::{
    checked_debate::{CheckedDebate, check_opening},
    document::{SOURCE, SOURCE_PATH, read_markdown},
    folder::{Folder, choose_debate_id, debate_id, derive_seed, name_folder},
    input_text::{DOCUMENT_BYTES_MAX, check_motion, read_document},
    intake::lacks_motion,
    limits::{fixed_limits, parse_budget},
    member::MemberRequest,
    requested_debate::{RequestedDebate, read_request},
    seated_debate::{SeatedDebate, seat_models},
};
use crate::{context::Context, failure::Result, request::OpeningRequest};

/// Checks what a debate is to be opened with, in all three steps. Nothing is sent.
///
/// # Errors
///
/// The first thing that is wrong, with its remedy.
pub fn check_request(context: &Context, request: &OpeningRequest) -> Result<CheckedDebate> {
    check_opening(context, seat_models(context, read_request(context, request)?)?)
}
