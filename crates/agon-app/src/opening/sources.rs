//! Whether a new debate opens cited pages, and which participant does.

use agon_core::SeatModel;
use agon_protocols::common::{claim_reading::READER, named_seat};
use agon_runtime::config::Config;

use super::requested_debate::RequestedDebate;
use crate::{
    context::Context,
    failure::{Failure, Result},
    models::SeatedModel,
    participants::page_verifier::{FETCHED, VERIFIER},
};

/// Decides whether cited pages are opened in the debate, and who reads them. The program opens and compares; a model
/// that is named for the verifier's seat, on the command line, in the configuration or in a line-up file, reads what was
/// opened.
///
/// # Errors
///
/// Where the wishes contradict each other, or a name means no model.
pub(super) fn choose_verifier(
    context: &Context,
    requested: &mut RequestedDebate<'_>,
    lineup: &mut Vec<SeatedModel>,
) -> Result<()> {
    let (request, config) = (requested.request, &context.config);
    let manifest = requested.protocol.manifest();
    let named = named_verifier(requested, config);
    let is_wanted = opens_pages(context, requested, named.as_deref())?;
    let mut reader = named.filter(|model| model != FETCHED);
    let intake = &mut requested.intake;
    let is_seat = |sat: &SeatedModel| sat.entry.seat.as_str() == VERIFIER;
    if is_wanted {
        intake.options.insert("verify".into(), "fetched".into());
        let verifier = SeatedModel::parse(SeatModel::new(named_seat(VERIFIER), FETCHED), config)?;
        match lineup.iter_mut().find(|sat| is_seat(sat)) {
            Some(sat) => *sat = verifier,
            None => lineup.push(verifier),
        }
        reader = request.options.text("reader").map(str::to_owned).or(reader);
    } else {
        if request.options.text("verify") == Some("off") && manifest.opens_sources {
            intake.options.insert("verify".into(), "off".into());
        }
        // Nobody opens pages here, so nobody reads them.
        lineup.retain(|sat| !is_seat(sat) || sat.entry.model != FETCHED);
        let told = |model| format!("{model} is to read cited pages, but agon opens none in this debate");
        intake.notes.extend(reader.take().filter(|_| manifest.opens_sources).map(told));
        if request.options.has("reader") {
            return Err(Failure::usage(
                "--reader reads opened pages, but agon opens none in this debate",
                "add --verify on, or omit --reader",
            ));
        }
    }
    if let Some(model) = reader {
        intake.options.insert(READER.into(), true.into());
        lineup.push(SeatedModel::parse(SeatModel::new(named_seat(READER), model), config)?);
    }
    match lineup.iter().find(|sat| sat.entry.model == FETCHED && !is_seat(sat)) {
        None => Ok(()),
        Some(other) => Err(Failure::usage(
            format!("the model \"fetched\" opens cited pages and cannot answer for the seat {}", other.entry.seat),
            "choose another model for it",
        )),
    }
}

/// The model that is named for the verifier's seat.
fn named_verifier(requested: &RequestedDebate<'_>, config: &Config) -> Option<String> {
    let (request, manifest) = (requested.request, requested.protocol.manifest());
    let mut given = request.seats.seats.iter().filter_map(|pair| pair.split_once('='));
    let given = given.find(|(name, _)| name.trim() == VERIFIER).map(|(_, model)| model.to_owned());
    let configured = || config.seats.get(&manifest.name)?.get(VERIFIER).cloned();
    let filed = || requested.intake.models.get(VERIFIER).filter(|_| manifest.opens_sources).cloned();
    given.or_else(configured).or_else(filed)
}

/// Whether agon opens the pages that statements cite; `named` is the model for the verifier's seat.
fn opens_pages(context: &Context, requested: &RequestedDebate<'_>, named: Option<&str>) -> Result<bool> {
    let (request, manifest) = (requested.request, requested.protocol.manifest());
    let is_offline = context.offline || request.offline;
    let is_wanted = match request.options.text("verify") {
        Some("on") if is_offline => {
            return Err(Failure::usage("--verify on needs the network, but --offline forbids it", "omit one of them"));
        }
        Some(verify) => verify == "on",
        None if named == Some(FETCHED) => true,
        None => manifest.opens_sources && !is_offline,
    };
    let is_declared = agon_protocols::find_protocol(&manifest.name).is_none();
    let taken = [VERIFIER, READER].into_iter().find(|name| manifest.find_seat(name).is_some());
    if let Some(name) = taken.filter(|_| is_wanted && is_declared) {
        return Err(Failure::usage(
            format!("{} already has a seat {name}, which --verify on needs for agon", manifest.name),
            "rename that seat in the declaration, or omit --verify on",
        ));
    }
    Ok(is_wanted)
}
