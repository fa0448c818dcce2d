//! Configuration: flags over environment over project over user; checked before anything is sent.

mod accounts;
mod check;
mod folders;
mod journal;
mod model;
mod model_name;
mod retention;
mod serve;
mod sources;
mod trust;
mod web_search;
mod webhooks;

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;

use crate::{
    participant::{Price, command::CommandOutput, provider::ProviderKind},
    prices::{PriceError, Prices},
};

pub use self::{
    accounts::{AccountsConfig, OidcConfig, ProxyConfig, QuotasConfig},
    check::{ConfigError, parse_seconds, read_config},
    folders::{Paths, ProcessTrust},
    journal::journal_place,
    model::{ModelError, ModelSpec, ProviderChoice},
    model_name::{KeyedProvider, default_model, full_name, keyed_providers, with_provider},
    retention::RetentionConfig,
    serve::ServeConfig,
    sources::SourcesConfig,
    trust::{ProjectFile, TrustRequest, TrustedThing, forget_trust, project_file},
    web_search::{WebSearchConfig, WebSearchKind},
    webhooks::{WEBHOOK_EVENTS, WebhookConfig},
};

/// The settings of `agon.toml`, the project's over the user's. Every field is optional.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Who answers at every seat that names nobody.
    pub model: Option<String>,
    /// Models of this machine whose readings may decide, as a line-up names them; the user's file only.
    pub readers: Vec<String>,
    /// The address of the database that keeps the journal.
    pub journal: Option<String>,
    /// Model providers by name.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// Command-line agents by name.
    pub commands: BTreeMap<String, CommandConfig>,
    /// Limits of every debate.
    pub limits: LimitsConfig,
    /// Who answers, by protocol and seat.
    pub seats: BTreeMap<String, BTreeMap<String, String>>,
    /// The embedded model.
    pub local: LocalConfig,
    /// How cited pages are fetched.
    pub sources: SourcesConfig,
    /// The service by which pages are found; the user's file only.
    pub web_search: Option<WebSearchConfig>,
    /// Who may use a server.
    pub accounts: AccountsConfig,
    /// How long closed debates are kept; the user's file only.
    pub retention: RetentionConfig,
    /// What a server does; the user's file only.
    pub serve: ServeConfig,
    /// Where a server tells what happens, by name; the user's file only.
    pub webhooks: BTreeMap<String, WebhookConfig>,
    /// What hosted models cost; no part of the file.
    #[serde(skip)]
    pub prices: Prices,
}

/// A model provider.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// Which interface it speaks.
    pub kind: ProviderKind,
    /// Where it is; the kind's own address where not given.
    pub base_url: Option<String>,
    /// Name of the environment variable that holds its key.
    pub api_key_env: Option<String>,
    /// Longest wait for an answer, in seconds.
    pub timeout_seconds: Option<f64>,
    /// What its tokens cost.
    pub price: Option<Price>,
    /// The model that its bare name stands for.
    pub model: Option<String>,
    /// Requests that its account takes in a minute.
    pub requests_per_minute: Option<u64>,
    /// Tokens that its account takes in a minute, read and written.
    pub tokens_per_minute: Option<u64>,
    /// Headers that every request carries; never a key.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The version of Azure's interface.
    pub api_version: Option<String>,
}

/// A command-line agent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandConfig {
    /// Program and arguments. The prompt goes to its standard input.
    pub run: Vec<String>,
    /// Longest call, in seconds.
    pub timeout_seconds: Option<f64>,
    /// Names of environment variables that it may see.
    #[serde(default)]
    pub env: Vec<String>,
    /// How its output is read.
    #[serde(default)]
    pub output: CommandOutput,
}

/// Budgets.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    /// Calls.
    pub max_requests: Option<u64>,
    /// Tokens read and written.
    pub max_tokens: Option<u64>,
    /// US dollars.
    pub max_cost_usd: Option<f64>,
    /// Driven time, for example `30m`.
    pub max_time: Option<String>,
}

/// The embedded model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalConfig {
    /// Threads; by the machine's load where not given.
    pub threads: Option<u32>,
    /// Tokens it keeps in mind; by the model where not given.
    pub context_tokens: Option<u32>,
}

impl Config {
    /// This configuration, with what `over` says in its place.
    pub fn overlay_with(mut self, over: Config) -> Config {
        self.providers.extend(over.providers);
        self.commands.extend(over.commands);
        for (protocol, seats) in over.seats {
            self.seats.entry(protocol).or_default().extend(seats);
        }
        Config {
            model: over.model.or(self.model),
            journal: over.journal.or(self.journal),
            limits: LimitsConfig {
                max_requests: over.limits.max_requests.or(self.limits.max_requests),
                max_tokens: over.limits.max_tokens.or(self.limits.max_tokens),
                max_cost_usd: over.limits.max_cost_usd.or(self.limits.max_cost_usd),
                max_time: over.limits.max_time.or(self.limits.max_time),
            },
            sources: self.sources.overlay_with(over.sources),
            local: LocalConfig {
                threads: over.local.threads.or(self.local.threads),
                context_tokens: over.local.context_tokens.or(self.local.context_tokens),
            },
            ..self
        }
    }

    /// Refuses what a project's file may not say: whose readings decide, which debates are deleted, who uses a server and
    /// what it may use, where news are sent, and which private addresses are asked. The file may come from anyone.
    fn refuse_in_project(&self, path: &Path) -> Result<(), ConfigError> {
        let given = [
            ("sources.allow_private", !self.sources.allow_private.is_empty()),
            ("sources.archive_url", self.sources.archive_url.is_some()),
            ("web_search", self.web_search.is_some()),
            ("accounts", self.accounts != AccountsConfig::default()),
            ("readers", !self.readers.is_empty()),
            ("retention", self.retention != RetentionConfig::default()),
            ("serve", self.serve != ServeConfig::default()),
            ("webhooks", !self.webhooks.is_empty()),
        ];
        let Some((key, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        let why = format!("{key}: a project file may not set this; move it to your own configuration");
        Err(ConfigError { path: path.to_owned(), line: None, why })
    }
}

/// The user's configuration under the project's.
pub fn load_config(places: &Paths) -> Result<Config, ConfigError> {
    let mut config = check::read_user_config(places)?;
    if let Some(project) = trust::read_project(places, &config)? {
        // A project may come from anyone.
        project.config.refuse_in_project(&project.path)?;
        project.check_trust()?;
        config = config.overlay_with(project.config);
    }
    config.prices = Prices::load(&places.home).map_err(|error| {
        let path = crate::prices::prices_path(&places.home);
        let why = match error {
            PriceError::Refused { why, .. } => why,
            other => other.to_string(),
        };
        let why = format!("{why}; fetch it again with agon prices refresh, or remove the file");
        ConfigError { path, line: None, why }
    })?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_opens_no_private_network_and_rules_no_server() {
        let refused = |text: &str| {
            let config: Config = toml::from_str(text).unwrap();
            config.refuse_in_project(Path::new("agon.toml")).map_err(|error| error.to_string())
        };
        for (text, key) in [
            ("[sources]\nallow_private = [\"10.0.0.1\"]", "sources.allow_private"),
            ("[sources]\narchive_url = \"https://a.test\"", "sources.archive_url"),
            ("[accounts]\nenabled = true", "accounts"),
            ("readers = [\"local\"]", "readers"),
            ("[retention]\nkeep_days = 1", "retention"),
            ("[serve]\ndownload = true", "serve"),
        ] {
            assert!(refused(text).unwrap_err().contains(&format!("{key}: a project")), "{text}");
        }
        assert_eq!(refused("[sources]\ndeny = [\"a.org\"]"), Ok(()));
    }
}
