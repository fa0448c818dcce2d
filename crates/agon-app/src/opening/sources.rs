//! Whether a new debate opens cited pages, and which participant does.

use agon_core::{Manifest, SeatModel};
use agon_protocols::common::{claim_reading, seat};
use agon_runtime::config::Config;
use serde_json::{Map, Value};

use crate::{
    failure::{Failure, Result},
    participants::verifier::{FETCHED, VERIFIER},
    request::OpeningRequest,
};

/// Decides whether cited pages are opened in a new debate, and who reads them. The program opens and compares; a model
/// that is named for the verifier's seat, on the command line, in the configuration or in a line-up file (`filed`),
/// reads what was opened. Gives what to tell about it where nothing is opened.
pub fn settle(
    manifest: &Manifest,
    request: &OpeningRequest,
    config: &Config,
    offline: bool,
    filed: Option<&str>,
    options: &mut Map<String, Value>,
    lineup: &mut Vec<SeatModel>,
) -> Result<Option<String>> {
    let verify = request.options.text("verify").map(|verify| verify == "on");
    let by_flag = request
        .seats
        .seats
        .iter()
        .filter_map(|pair| pair.split_once('='))
        .find(|(name, _)| name.trim() == VERIFIER);
    let configured = config.seats.get(&manifest.name).and_then(|seats| seats.get(VERIFIER));
    let named = by_flag.map(|(_, model)| model).or(configured.map(String::as_str));
    let named = named.or(filed.filter(|_| manifest.opens_sources));
    let wanted = match (verify, named) {
        (Some(false), _) => false,
        (Some(true), _) if offline => {
            return Err(Failure::usage(
                "--verify on needs the network, but --offline forbids it",
                "omit one of them",
            ));
        }
        (Some(true), _) => true,
        (None, Some(FETCHED)) => true,
        (None, _) => manifest.opens_sources && !offline,
    };
    let is_declared = agon_protocols::find(&manifest.name).is_none();
    let taken = [VERIFIER, claim_reading::READER].into_iter().find(|name| manifest.seat(name).is_some());
    if let Some(name) = taken.filter(|_| wanted && is_declared) {
        return Err(Failure::usage(
            format!("{} already has a seat {name}, which --verify on needs for agon", manifest.name),
            "rename that seat in the declaration, or omit --verify on",
        ));
    }
    if wanted {
        options.insert("verify".into(), "fetched".into());
        match lineup.iter_mut().find(|sat| sat.seat.as_str() == VERIFIER) {
            Some(sat) => sat.model = FETCHED.into(),
            None => lineup.push(SeatModel::new(seat(VERIFIER), FETCHED)),
        }
    } else if verify == Some(false) && manifest.opens_sources {
        options.insert("verify".into(), "off".into());
    }
    let mut reader = named.filter(|model| *model != FETCHED).map(str::to_owned);
    let mut note = None;
    if !wanted {
        // Nobody opens pages here, so nobody reads them.
        lineup.retain(|sat| sat.seat.as_str() != VERIFIER || sat.model != FETCHED);
        let told = |model| format!("{model} is to read cited pages, but agon opens none in this debate");
        note = reader.take().filter(|_| manifest.opens_sources).map(told);
    }
    if let Some(model) = request.options.text("reader") {
        if !wanted {
            return Err(Failure::usage(
                "--reader reads opened pages, but agon opens none in this debate",
                "add --verify on, or omit --reader",
            ));
        }
        reader = Some(model.to_owned());
    }
    if let Some(model) = reader {
        options.insert(claim_reading::READER.into(), true.into());
        lineup.push(SeatModel::new(seat(claim_reading::READER), model));
    }
    if let Some(other) = lineup.iter().find(|sat| sat.model == FETCHED && sat.seat.as_str() != VERIFIER) {
        return Err(Failure::usage(
            format!("the model \"fetched\" opens cited pages and cannot answer for the seat {}", other.seat),
            "choose another model for it",
        ));
    }
    Ok(note)
}
