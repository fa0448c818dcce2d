//! The first step of an opening: what a request says is read, with the files, the revisions and the pages that it names.
//! Which model answers where is not looked at yet.

use agon_core::{DebateId, Limits, Protocol};
use agon_material::gathered_content::Gathered;
use agon_protocols::declared::DOCUMENT;

use super::{
    folder::choose_debate_id, intake::read_intake, limits, lookups::choose_lookups, material::gather_material,
    subject::DebateIntake,
};
use crate::{
    access,
    context::Context,
    declarations::{self, Loaded, NamedProtocol},
    failure::Result,
    models::LOCAL_ONLY,
    request::OpeningRequest,
};

/// A request that was read: its protocol is known, and its texts are here.
pub struct RequestedDebate<'r> {
    pub(super) request: &'r OpeningRequest,
    pub(super) protocol: &'static dyn Protocol,
    /// The file that declares it, where it is not shipped.
    pub(super) declared: Option<Loaded>,
    pub(super) id: DebateId,
    /// Source of all randomness; derived from the id where nothing else gives it.
    pub(super) seed: Option<u64>,
    pub(super) intake: DebateIntake,
    pub(super) limits: Limits,
    /// Its material, which is not stored yet.
    pub(super) material: Option<Gathered>,
}

/// Reads what a request says. Nothing is written.
///
/// # Errors
///
/// What the one who asks may not have, what its protocol cannot be told, and what cannot be read.
pub fn read_request<'r>(context: &Context, request: &'r OpeningRequest) -> Result<RequestedDebate<'r>> {
    request.check_counts()?;
    access::check_named(request)?;
    let NamedProtocol { protocol, file: declared } =
        declarations::find_protocol(&context.places, &request.protocol, request.is_remote())?;
    let manifest = protocol.manifest();
    let mut intake = read_intake(manifest, request)?;
    let limits = limits::build_limits(&intake.rounds, &request.budget, &context.config.limits)?;
    let id = choose_debate_id(request.id.as_deref())?;
    let material = gather_material(context, manifest, request, &mut intake)?;
    choose_lookups(context, manifest, request, material.as_ref(), &mut intake)?;
    if request.context.local_only {
        // It holds for the whole debate: when a seat is replaced, and for its companions.
        intake.options.insert(LOCAL_ONLY.into(), true.into());
    }
    // The debate follows what is declared now, whatever becomes of the file.
    intake.documents.extend(declared.iter().map(|file| (DOCUMENT.to_owned(), file.text.clone())));
    Ok(RequestedDebate { request, protocol, declared, id, seed: request.seed, intake, limits, material })
}
