//! What opens a debate, from a request to a debate that can be started, in three steps, each a type that the next is made
//! of. Everything is checked here, before anyone is asked and anything is paid for.
//!
//! 1. [`read_request`]: what the request says, with its files, revisions and pages: [`Requested`]
//! 2. [`seat_models`]: which model answers at each seat: [`Seated`]
//! 3. [`check_opening`]: what would be wrong is refused, or the first entry of the record is made: [`Checked`]

mod checked;
mod debate_config;
mod document;
mod drafts;
mod folder;
mod intake;
pub mod judging;
mod limits;
pub mod material;
mod member;
mod members;
mod proposal;
mod requested;
mod seated;
mod sources;
mod text;
mod track;

pub use self::{
    checked::{Checked, check_opening},
    document::{SOURCE, SOURCE_PATH, read_markdown},
    drafts::LOG_FILE,
    folder::{Folder, debate_id, id, name_folder, seed},
    intake::lacks_motion,
    limits::{budget, fixed as fixed_limits},
    member::MemberRequest,
    requested::{Requested, read_request},
    seated::{Seated, seat_models},
    text::{DOCUMENT_BYTES_MAX, check_motion, document},
    track::Track,
};
use crate::{context::Context, failure::Result, request::OpeningRequest};

/// Checks what a debate is to be opened with, in all three steps. Nothing is sent.
///
/// # Errors
///
/// The first thing that is wrong, with its remedy.
pub fn check(context: &Context, request: &OpeningRequest) -> Result<Checked> {
    check_opening(context, seat_models(context, read_request(context, request)?)?)
}

#[cfg(test)]
pub mod testing {
    //! A protocol and a request for tests of what opens a debate.

    use agon_core::Manifest;

    use super::*;

    /// A manifest with a row of two to four members and a judge, 1 to 10 rounds, and what the protocol called
    /// `name` says of its options.
    pub fn manifest(name: &str) -> Manifest {
        let toml = format!(
            "name = \"{name}\"\nsummary = \"x\"\nrules = 1\nmotion = \"text\"\nfit = \"whole\"\n\
             rounds = {{ default = 8, min = 1, max = 10 }}\n\
             [[seat]]\nname = \"member\"\nrole = \"debater\"\nabout = \"x\"\n\
             members = {{ min = 2, max = 4, default = 3 }}\n\
             [[seat]]\nname = \"judge\"\nrole = \"judge\"\nabout = \"x\"\n\
             [prompt.x]\ntokens_max = 1\ntemperature = 0.0\n"
        );
        let mut manifest = agon_protocols::common::options::manifest(&toml).unwrap();
        if let Some(protocol) = agon_protocols::find(name) {
            let Manifest { options, approval, member_details, opens_sources, rounds, .. } =
                protocol.manifest().clone();
            manifest.rounds.fewest = rounds.fewest;
            manifest.rounds.clamped = rounds.clamped;
            manifest = Manifest { options, approval, member_details, opens_sources, ..manifest };
        }
        manifest
    }

    /// A request that names a protocol and a motion.
    pub fn request(protocol: &str) -> OpeningRequest {
        let motion = Some("This house would.".to_owned());
        OpeningRequest { protocol: protocol.to_owned(), motion, ..OpeningRequest::default() }
    }

    /// `request`, read as far as a test needs it.
    pub fn requested(request: &OpeningRequest) -> Requested<'_> {
        Requested {
            request,
            protocol: agon_protocols::find(&request.protocol).unwrap(),
            declared: None,
            id: id(None).unwrap(),
            seed: None,
            intake: intake::Intake::default(),
            limits: agon_core::Limits::default(),
            material: None,
        }
    }
}
