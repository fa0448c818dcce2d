//! Which models the debates of a server may name: those that its operator set up.

use agon_runtime::config::{ModelSpec, default_model, full_name, keyed_providers};

use crate::{
    context::Context,
    failure::{Failure, Result, exit},
    participants,
};

/// Refuses a model that the debates of this server may not use.
///
/// # Errors
///
/// A sentence that names the key of the configuration.
pub(super) fn check_model(full_name: &str, spec: &ModelSpec, context: &Context) -> Result<()> {
    let config = &context.config;
    let bare = full_name.split_once('?').map_or(full_name, |(bare, _)| bare);
    let is_allowed = match spec {
        // People, parts of this program, and answers that stand already: others decide about them.
        ModelSpec::Human
        | ModelSpec::Outside
        | ModelSpec::Fetched
        | ModelSpec::Material
        | ModelSpec::Recorded(_)
        | ModelSpec::Scripted(_) => true,
        _ if config.serve.models.is_some() => config.serve.is_model_listed(bare).unwrap_or_default(),
        ModelSpec::Local(_) => true,
        ModelSpec::Provider(choice) => {
            let keyed = keyed_providers(config);
            config.providers.contains_key(&choice.provider)
                || keyed.iter().any(|keyed| keyed.provider == choice.provider)
                || is_named(bare, context)
        }
        ModelSpec::Command(choice) => {
            let name = choice.name.strip_prefix("cli:").unwrap_or(&choice.name);
            config.commands.contains_key(name) || is_named(bare, context)
        }
    };
    let shown: String = bare.chars().take(80).collect();
    if !is_allowed {
        return Err(Failure::new(
            exit::USAGE,
            "model_not_allowed",
            format!("debates of this server may not use the model {shown}"),
            "name another; its operator allows models with the key models in [serve] of the configuration",
        ));
    }
    check_download(bare, spec, context)
}

/// Whether the configuration names a model, for all seats or for one.
fn is_named(name: &str, context: &Context) -> bool {
    let config = &context.config;
    let seats = config.seats.values().flat_map(|seats| seats.values());
    let mut named = seats.map(|model| full_name(model, config)).chain([default_model(config)]);
    named.any(|model| model.split('?').next() == Some(name))
}

/// Refuses a model that would have to be downloaded, where debates may not do that.
fn check_download(name: &str, spec: &ModelSpec, context: &Context) -> Result<()> {
    // Where an engine drives, its workers have the models.
    if context.config.serve.download
        || context.engine.is_some()
        || participants::describe_downloads([spec], context).is_empty()
    {
        return Ok(());
    }
    Err(Failure::new(
        exit::PROVIDER,
        "not_downloaded",
        format!("{name} is not on this server, and debates may not download it"),
        "its operator fetches it with agon models pull, or sets download = true in [serve] of the configuration",
    ))
}
