//! What the seats of a new debate may look up.

use agon_core::Manifest;
use agon_material::gathered_content::Gathered;
use agon_runtime::lookups::LOOKUPS;

use super::subject::DebateIntake;
use crate::{
    context::Context,
    failure::{Failure, Result},
    request::OpeningRequest,
};

/// Decides what may be looked up: the material, where there is some and nobody says otherwise.
///
/// # Errors
///
/// A wish that nothing can fulfil.
pub(super) fn choose_lookups(
    context: &Context,
    manifest: &Manifest,
    request: &OpeningRequest,
    material: Option<&Gathered>,
    intake: &mut DebateIntake,
) -> Result<()> {
    let flag = match () {
        () if request.context.local_only => Some("--local-only"),
        () if context.offline || request.offline => Some("--offline"),
        () => None,
    };
    let chosen = match (request.options.text(LOOKUPS), flag) {
        (Some("web"), Some(flag)) => {
            return Err(Failure::usage(
                format!("--lookups web opens pages, but {flag} forbids it"),
                "use --lookups material, or omit one of them",
            ));
        }
        (Some("material"), _) if material.is_none() => {
            return Err(Failure::usage(
                "--lookups material searches material, but there is none",
                "add --context, for example --context src/",
            ));
        }
        (Some("off"), _) => return Ok(()),
        (Some(chosen), _) => chosen,
        (None, _) if material.is_some() && manifest.find_option(LOOKUPS).is_some() => "material",
        (None, _) => return Ok(()),
    };
    intake.options.insert(LOOKUPS.into(), chosen.into());
    Ok(())
}
