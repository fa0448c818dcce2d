//! Whether a new debate opens cited pages, and which participant does.

use agon_core::{Manifest, SeatModel};
use agon_protocols::common::{claim_reading, seat};
use agon_runtime::config::{Config, default_model};
use serde_json::{Map, Value};

use crate::{
    failure::{Failure, Result},
    participants::verifier::{FETCHED, VERIFIER},
    request::OpeningRequest,
};

/// Decides whether cited pages are opened in a new debate, and who sits at the verifier's seat. A model
/// that was named for it voices doubts, as nobody can say that it read a page. Gives what to tell about the
/// model that a line-up file names there, `filed`.
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
    let wanted = match (verify, named) {
        (Some(false), _) => false,
        (Some(true), _) if offline => {
            return Err(Failure::usage(
                "--verify on needs the network, but --offline forbids it",
                "omit one of them",
            ));
        }
        (Some(true), _) if by_flag.is_some_and(|(_, model)| model != FETCHED) => {
            return Err(Failure::usage(
                "--verify on makes agon the verifier, but --seat names a model for that seat",
                "omit one of them",
            ));
        }
        (Some(true), _) => true,
        (None, Some(model)) => model == FETCHED,
        (None, None) => manifest.opens_sources && !offline,
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
    let mut note = None;
    if let Some(model) = filed.filter(|_| named.is_none() && manifest.opens_sources) {
        match lineup.iter_mut().find(|sat| sat.seat.as_str() == VERIFIER) {
            Some(_) if wanted && model != FETCHED => {
                note = Some(format!(
                    "the line-up file names {model} as verifier, but agon opens the cited pages instead; use --seat verifier={model} to let the model voice doubts"
                ));
            }
            // Nobody opens pages here, so someone voices doubts.
            Some(sat) if !wanted && model == FETCHED => {
                sat.model = request.seats.model.clone().unwrap_or_else(|| default_model(config));
                note = Some(format!(
                    "the line-up file asks agon to open cited pages, but this is off; {} voices doubts instead",
                    sat.model
                ));
            }
            _ => {}
        }
    }
    if let Some(model) = request.options.text("reader") {
        if !wanted {
            return Err(Failure::usage(
                "--reader reads opened pages, but agon opens none in this debate",
                "add --verify on, or omit --reader",
            ));
        }
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
