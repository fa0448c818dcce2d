//! Who sits where: from the names that users give to participants that can be asked.

use std::{collections::BTreeMap, env, sync::Arc, time::Duration};

use agon_core::{Limits, Manifest, Seat, SeatModel};
use agon_runtime::{
    config::{Config, ModelSpec, Places, ProviderChoice, default_model},
    drive::{Seated, Seats},
    journal::Journal,
    participant::{
        Participant,
        command::Command,
        outside::Outside,
        provider::{Provider, ProviderSpec, Timeouts},
        recorded::Recorded,
        scripted::Scripted,
    },
};

use crate::{
    cli::SeatArgs,
    failure::{Failure, Result},
};

/// The seats of a new debate, in the protocol's order, and who is to answer at each.
pub fn names(manifest: &Manifest, args: &SeatArgs, config: &Config) -> Result<Vec<SeatModel>> {
    let given = given(manifest, args)?;
    let configured = config.seats.get(&manifest.name);
    if let Some(unknown) =
        configured.and_then(|seats| seats.keys().find(|name| manifest.seat(name).is_none()))
    {
        return Err(unknown_seat(
            manifest,
            unknown,
            &format!("[seats.{}] of the configuration", manifest.name),
        ));
    }
    for (protocol, seats) in &config.seats {
        crate::command::protocol(protocol)?;
        for model in seats.values() {
            ModelSpec::parse(model, config)?;
        }
    }
    let everyone = args.model.clone().unwrap_or_else(|| default_model(config));
    let seats = manifest.seats.iter().map(|spec| {
        let own = given.get(spec.name.as_str()).cloned();
        // A model named for every seat on the command line is above the configuration.
        let own = own.or_else(|| args.model.clone()).or_else(|| configured?.get(&spec.name).cloned());
        let model = own.unwrap_or_else(|| everyone.clone());
        check_name(&model, config)?;
        let seat = Seat::new(spec.name.clone())
            .map_err(|error| Failure::usage(error.to_string(), "rename it in the protocol"))?;
        Ok(SeatModel::new(seat, model))
    });
    seats.collect()
}

/// Whether a name means somebody, as far as that can be known without asking.
fn check_name(model: &str, config: &Config) -> Result<()> {
    #[allow(unused_variables)]
    let spec = ModelSpec::parse(model, config)?;
    #[cfg(feature = "local")]
    if let ModelSpec::Local(name) = &spec {
        crate::local::model(name.as_deref())?;
    }
    Ok(())
}

/// A limit of money means something only where every price is known.
pub fn check_prices(lineup: &[SeatModel], limits: &Limits, config: &Config) -> Result<()> {
    if limits.cost_microusd_max.is_none() {
        return Ok(());
    }
    for SeatModel { seat, model, .. } in lineup {
        let spec = ModelSpec::parse(model, config)?;
        if let ModelSpec::Command(_) = spec {
            return Err(Failure::usage(
                format!("the cost is limited, but what {model} (seat {seat}) costs is known only afterwards"),
                "limit --max-requests or --max-time instead",
            ));
        }
        if let ModelSpec::Provider(choice) = spec
            && choice.price.is_none()
            && choice.leaves_machine().is_some()
        {
            return Err(Failure::usage(
                format!("the cost is limited, but the price of {model} (seat {seat}) is not known"),
                format!(
                    "set price = {{ input = …, output = … }} under [providers.{}], or limit --max-tokens",
                    choice.provider
                ),
            ));
        }
    }
    Ok(())
}

/// A line-up with the seats that a command replaces.
pub fn replaced(
    manifest: &Manifest,
    lineup: &[SeatModel],
    args: &SeatArgs,
    config: &Config,
) -> Result<Vec<SeatModel>> {
    let given = given(manifest, args)?;
    let mut lineup = lineup.to_vec();
    for seat in &mut lineup {
        if let Some(model) = given.get(seat.seat.as_str()).or(args.model.as_ref()) {
            check_name(model, config)?;
            seat.model.clone_from(model);
        }
    }
    Ok(lineup)
}

fn given(manifest: &Manifest, args: &SeatArgs) -> Result<BTreeMap<String, String>> {
    let mut given = BTreeMap::new();
    for pair in &args.seats {
        let Some((name, model)) = pair.split_once('=').filter(|(_, model)| !model.is_empty()) else {
            return Err(Failure::usage(
                format!("--seat {pair:?} names no model"),
                "write --seat NAME=MODEL, for example --seat judge=local",
            ));
        };
        if manifest.seat(name).is_none() {
            return Err(unknown_seat(manifest, name, "--seat"));
        }
        if given.insert(name.to_owned(), model.to_owned()).is_some() {
            return Err(Failure::usage(format!("--seat {name} is given twice"), "give each seat one model"));
        }
    }
    Ok(given)
}

fn unknown_seat(manifest: &Manifest, name: &str, place: &str) -> Failure {
    let names: Vec<&str> = manifest.seats.iter().map(|seat| seat.name.as_str()).collect();
    let hint = crate::command::suggestion(name, &names);
    Failure::unknown(
        format!("{place}: {} has no seat {name:?}", manifest.name),
        format!("{hint}its seats are {}", names.join(", ")),
    )
}

/// Everybody of a line-up, ready to be probed. Scripts are read and models of this machine found
/// here; nothing is sent.
pub async fn seats(lineup: &[SeatModel], hall: &Hall<'_>) -> Result<Seats> {
    let mut seats = Seats::new();
    let mut providers: BTreeMap<String, Provider> = BTreeMap::new();
    let mut known: BTreeMap<&str, Arc<dyn Participant>> = BTreeMap::new();
    for SeatModel { seat, model, .. } in lineup {
        let participant = match known.get(model.as_str()) {
            Some(participant) => Arc::clone(participant),
            None => participant(model, hall, &mut providers).await?,
        };
        known.insert(model, Arc::clone(&participant));
        seats.insert(seat.clone(), Seated { name: model.clone(), participant });
    }
    Ok(seats)
}

/// What participants are made from.
#[cfg_attr(not(feature = "local"), allow(dead_code))]
pub struct Hall<'a> {
    pub config: &'a Config,
    pub places: &'a Places,
    pub journal: &'a Journal,
    pub offline: bool,
    pub quiet: bool,
}

async fn participant(
    name: &str,
    hall: &Hall<'_>,
    providers: &mut BTreeMap<String, Provider>,
) -> Result<Arc<dyn Participant>> {
    Ok(match ModelSpec::parse(name, hall.config)? {
        ModelSpec::Scripted(path) => {
            let script = Scripted::read(&path);
            Arc::new(script.map_err(|why| Failure::usage(why, "docs/scripted.md describes scripts"))?)
        }
        ModelSpec::Recorded(id) => Arc::new(Recorded::new(&hall.journal.read(&id)?)),
        ModelSpec::Provider(choice) => {
            let made = match providers.get(&choice.provider) {
                Some(provider) => provider.with_model(choice.model.clone(), choice.price),
                None => provider(&choice)?,
            };
            providers.entry(choice.provider.clone()).or_insert_with(|| made.clone());
            Arc::new(made)
        }
        ModelSpec::Command(choice) => Arc::new(Command::new(choice)),
        ModelSpec::Outside => Arc::new(Outside),
        ModelSpec::Local(model) => local(model.as_deref(), hall).await?,
    })
}

fn provider(choice: &ProviderChoice) -> Result<Provider> {
    let variable = choice.api_key_env.as_deref();
    let key = variable.and_then(|name| env::var(name).ok()).filter(|key| !key.trim().is_empty());
    if key.is_none() && choice.key_required {
        let variable = variable.unwrap_or("its key");
        return Err(Failure::new(
            crate::failure::exit::PROVIDER,
            "provider",
            format!("{} needs a key, and {variable} is not set", choice.provider),
            format!("set {variable}, or take another model, for example --model local"),
        ));
    }
    let mut spec = ProviderSpec::new(choice.kind, choice.model.clone());
    spec.name.clone_from(&choice.provider);
    spec.base_url.clone_from(&choice.base_url);
    spec.api_key = key.map(Into::into);
    spec.key_hint = variable.unwrap_or_default().to_owned();
    spec.price = choice.price;
    if let Some(seconds) = choice.timeout_seconds {
        spec.timeouts = Timeouts::of(Duration::from_secs_f64(seconds));
    }
    Provider::new(spec).map_err(|error| Failure::usage(error.to_string(), "check [providers] in agon.toml"))
}

#[cfg(feature = "local")]
async fn local(model: Option<&str>, hall: &Hall<'_>) -> Result<Arc<dyn Participant>> {
    crate::local::seat(model, hall).await
}

#[cfg(not(feature = "local"))]
async fn local(_: Option<&str>, _: &Hall<'_>) -> Result<Arc<dyn Participant>> {
    Err(Failure::unknown(
        "this agon was built without the embedded model",
        "build it with --features local, or name another model, for example --model ollama:llama3.2",
    ))
}
