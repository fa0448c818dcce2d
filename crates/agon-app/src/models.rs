//! Models by their names: what a name means, and what is checked of it before anything is sent.

use agon_core::{Limits, SeatModel};
use agon_runtime::{
    config::{Config, ModelSpec, full_name},
    prices::{PriceOrigin, is_old},
};

use crate::{
    failure::{Failure, Result},
    prompt_templates::RecordOptions,
};

/// The option of a debate of which nothing may leave this machine.
pub const LOCAL_ONLY: &str = "local_only";

/// A seat with the model that is to answer there, whose name is known to mean one.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatedModel {
    /// As records have it. The model has its name in full, so that a debate stays with the one that a bare name stands
    /// for today.
    pub entry: SeatModel,
    /// What that name means.
    pub spec: ModelSpec,
}

impl SeatedModel {
    /// The seat of `entry` with the model that its user calls so. Nothing is asked.
    ///
    /// # Errors
    ///
    /// Where the name means no model, or one that is known not to exist.
    pub fn parse(mut entry: SeatModel, config: &Config) -> Result<Self> {
        let spec = parse_model(&entry.model, config)?;
        entry.model = full_name(&entry.model, config);
        Ok(Self { entry, spec })
    }
}

/// The seats of a record, each with its model.
///
/// # Errors
///
/// As [`SeatedModel::parse`].
pub fn parse_lineup(lineup: &[SeatModel], config: &Config) -> Result<Vec<SeatedModel>> {
    lineup.iter().map(|entry| SeatedModel::parse(entry.clone(), config)).collect()
}

/// What the name of a model means.
///
/// # Errors
///
/// Where it means no model, or one that is known not to exist.
pub fn parse_model(name: &str, config: &Config) -> Result<ModelSpec> {
    let spec = ModelSpec::parse(name, config)?;
    #[cfg(feature = "local")]
    if let ModelSpec::Local(local) = &spec {
        crate::participants::embedded::resolve_model(local.as_deref())?;
    }
    Ok(spec)
}

/// Refuses models that their providers no longer serve: the first call would fail.
///
/// # Errors
///
/// The first seat whose model is retired, with its successor.
pub fn check_retired(lineup: &[SeatedModel], config: &Config) -> Result<()> {
    for SeatedModel { entry, spec } in lineup {
        let ModelSpec::Provider(choice) = spec else { continue };
        if let Some(successor) = choice.find_successor(config) {
            return Err(Failure::unknown(
                format!("{} (seat {}) was retired by its provider", entry.model, entry.seat),
                format!("its successor is {}:{successor}", choice.provider),
            ));
        }
    }
    Ok(())
}

/// A limit of money means something only where every price is known: an unknown one is not a zero.
///
/// # Errors
///
/// The first seat whose model has none.
pub fn check_prices(lineup: &[SeatedModel], limits: &Limits) -> Result<()> {
    for SeatedModel { entry: SeatModel { seat, model, .. }, spec } in with_money(lineup, limits) {
        match spec {
            ModelSpec::Command(_) => {
                return Err(Failure::usage(
                    format!("the cost is limited, but what {model} (seat {seat}) costs is known only afterwards"),
                    "limit --max-requests or --max-time instead",
                ));
            }
            ModelSpec::Provider(choice) if choice.price.is_none() && choice.is_paid() => {
                return Err(Failure::usage(
                    format!("the cost is limited, but the price of {model} (seat {seat}) is not known"),
                    format!(
                        "set price = {{ input = …, output = … }} under [providers.{}] in agon.toml (0 where nothing is charged), take a catalogue that has it with agon prices refresh, or limit --max-tokens instead",
                        choice.provider
                    ),
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What to know of a limit of money that rests on list prices of long ago.
pub fn old_prices(lineup: &[SeatedModel], limits: &Limits) -> Option<String> {
    with_money(lineup, limits).find_map(|sat| {
        let ModelSpec::Provider(choice) = &sat.spec else { return None };
        let Some(PriceOrigin::Listed { date, .. }) = &choice.price_origin else { return None };
        let priced = format!("the limit of cost rests on the list price of {} of {date}", sat.entry.model);
        is_old(date).then(|| format!("{priced}, which may have changed; agon prices refresh takes newer ones"))
    })
}

/// Those of a debate whose cost is limited.
fn with_money<'l>(lineup: &'l [SeatedModel], limits: &Limits) -> impl Iterator<Item = &'l SeatedModel> {
    lineup.iter().take(limits.cost_microusd_max.map_or(0, |_| lineup.len()))
}

/// Refuses what would leave this machine, in a debate that was opened so that nothing may.
///
/// # Errors
///
/// The first seat whose model is elsewhere.
pub fn check_local(options: &RecordOptions, lineup: &[SeatedModel]) -> Result<()> {
    let is_local = options.get(LOCAL_ONLY).and_then(|value| value.as_bool()).unwrap_or_default();
    for SeatedModel { entry, spec } in lineup.iter().filter(|_| is_local) {
        if let Some(place) = spec.leaves_machine() {
            return Err(Failure::usage(
                format!("--local-only: the seat {} is answered by {}, which sends to {place}", entry.seat, entry.model),
                "choose local, a model on a loopback address, human or outside; --verify off opens no pages",
            ));
        }
    }
    Ok(())
}

/// Checks the model files of the user that seats name, before a debate is opened.
///
/// # Errors
///
/// What is wrong with the first that cannot be used.
pub fn check_files(lineup: &[SeatedModel]) -> Result<()> {
    lineup.iter().try_for_each(|sat| match &sat.spec {
        #[cfg(feature = "local")]
        ModelSpec::Local(name) => crate::participants::embedded::check_file(name.as_deref()),
        _ => Ok(()),
    })
}
