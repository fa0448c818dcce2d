//! Names of models: `openai:gpt-5`, `local`, `human`, `scripted:FILE`, `recorded:DEBATE`.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    path::PathBuf,
};

use agon_core::DebateId;
use reqwest::Url;

use super::{
    Config, ProviderConfig,
    model_name::{full_name, key_of, provider_named},
};
use crate::{
    participant::{
        Price, Settings,
        command::{self, CommandChoice},
        provider::{self, ProviderKind, RateLimits},
    },
    prices::PriceOrigin,
};

/// The parsed name of a model, for example `local` or `openai:gpt-5`.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelSpec {
    /// The embedded model; by name or path where one is given.
    Local(Option<String>),
    /// A script.
    Scripted(PathBuf),
    /// The answers of an earlier debate.
    Recorded(DebateId),
    /// The person at the terminal.
    Human,
    /// A command-line agent.
    Command(CommandChoice),
    /// Someone outside, as an outside seat.
    Outside,
    /// The part of this program that opens cited pages.
    Fetched,
    /// The part of this program that compares quotes with the material.
    Material,
    /// A model of a provider.
    Provider(Box<ProviderChoice>),
}

/// A model of a provider, with everything needed to reach it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderChoice {
    /// The provider's name.
    pub provider: String,
    /// Its interface.
    pub kind: ProviderKind,
    /// The model's name.
    pub model: String,
    /// Where it is, if not where its kind is.
    pub base_url: Option<String>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// Whether it works without one.
    pub key_required: bool,
    /// Longest wait for an answer, in seconds.
    pub timeout_seconds: Option<f64>,
    /// What its tokens cost.
    pub price: Option<Price>,
    /// Who says so.
    pub price_origin: Option<PriceOrigin>,
    /// Requests and tokens a minute that its account takes, where the user says so.
    pub rate_limits: RateLimits,
    /// Headers that every request carries.
    pub headers: BTreeMap<String, String>,
    /// The version of Azure's interface.
    pub api_version: Option<String>,
    /// What it is asked with.
    pub settings: Settings,
}

impl ProviderChoice {
    /// What to take in the place of this model, where its provider is known to have retired it.
    pub fn find_successor<'c>(&self, config: &'c Config) -> Option<&'c str> {
        let is_hosted = self.base_url.is_none();
        config.prices.successor_of(&self.provider, &self.model).filter(|_| is_hosted)
    }

    /// Whether a provider charges for its calls.
    pub fn is_paid(&self) -> bool {
        provider::is_paid(self.kind, self.leaves_machine().is_none(), &self.model)
    }

    /// Tokens that the limit of its answers gets in addition, as room for thinking.
    pub fn thinking_room(&self) -> Option<u32> {
        provider::thinking_room(self.kind, &self.model, self.settings)
    }

    /// Where what it is asked goes, if that is not this machine.
    pub fn leaves_machine(&self) -> Option<String> {
        let Some(url) = &self.base_url else {
            let own = self.kind != ProviderKind::Ollama;
            return own.then(|| format!("the service of {}", self.provider));
        };
        (!is_loopback(url)).then(|| url_host(url).to_owned())
    }
}

fn url_host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// Whether an address is this machine's own.
pub(super) fn is_loopback(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| provider::is_loopback_url(&url))
}

/// A name that means nobody.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no model {name:?}: {why}")]
pub struct ModelError {
    /// As it was given.
    pub name: String,
    /// Why, and what there is.
    pub why: String,
}

impl ModelSpec {
    /// Whether it can open pages of the web while it answers: people and outside participants can, and
    /// so is a command taken to that the user configured. The known agents are started without their tools,
    /// and a model has none.
    pub fn opens_pages(&self) -> bool {
        match self {
            Self::Human | Self::Outside => true,
            Self::Command(command) => !command.run.is_empty(),
            _ => false,
        }
    }

    /// Where what it is asked goes, if that is not this machine; for people at outside seats nobody knows.
    pub fn leaves_machine(&self) -> Option<String> {
        match self {
            Self::Provider(choice) => choice.leaves_machine(),
            Self::Command(choice) => Some(format!("wherever {} sends it", choice.name)),
            Self::Fetched => Some("the cited sites, and an archive (addresses only)".into()),
            _ => None,
        }
    }

    /// Reads a user's name for a model.
    pub fn parse(name: &str, config: &Config) -> Result<Self, ModelError> {
        let is_full = name.contains(':') || config.commands.contains_key(name);
        let full = if is_full { name.to_owned() } else { full_name(name, config) };
        Self::parse_full_name(&full, config).map_err(|why| ModelError { name: full.chars().take(80).collect(), why })
    }

    fn parse_full_name(name: &str, config: &Config) -> Result<Self, String> {
        let (kind, rest) = match name.split_once(':') {
            Some((kind, rest)) if !rest.trim().is_empty() => (kind, Some(rest.trim())),
            Some((kind, _)) => return Err(format!("what follows {kind}: is missing")),
            None => (name, None),
        };
        Ok(match (kind, rest) {
            ("local", model) => Self::Local(model.map(str::to_owned)),
            ("human", None) => Self::Human,
            ("outside", None) => Self::Outside,
            ("fetched", None) => Self::Fetched,
            ("material", None) => Self::Material,
            ("cli", Some(rest)) => Self::Command(match rest.split_once(':') {
                Some((agent, model)) => command_named(agent, Some(model), config)?,
                None => command_named(rest, None, config)?,
            }),
            (name, None) if config.commands.contains_key(name) => Self::Command(command_named(name, None, config)?),
            ("scripted", Some(path)) => Self::Scripted(path.into()),
            ("recorded", Some(id)) => Self::Recorded(DebateId::new(id).map_err(|error| error.to_string())?),
            (provider, Some(model)) => {
                let (kind, configured) = provider_named(provider, config)
                    .ok_or_else(|| format!("no provider {provider:?}; there are {}", join_provider_names(config)))?;
                let (model, settings) = Settings::split_model_name(model)?;
                let choice = build_provider_choice((provider, kind, configured), model, settings, config);
                Self::Provider(Box::new(choice))
            }
            (kind, None) if provider_named(kind, config).is_some() => {
                return Err(format!("add the model: {kind}:MODEL"));
            }
            (_, None) => {
                return Err(format!(
                    "models are local, human, cli:AGENT, outside, scripted:FILE, recorded:DEBATE or PROVIDER:MODEL with {}",
                    join_provider_names(config)
                ));
            }
        })
    }
}

/// The agent called `name`: the configuration's, or a known one.
fn command_named(name: &str, model: Option<&str>, config: &Config) -> Result<CommandChoice, String> {
    if let Some(configured) = config.commands.get(name) {
        if model.is_some() {
            return Err(format!("cli:{name} takes no model; set the model in run of [commands.{name}]"));
        }
        return Ok(CommandChoice {
            name: format!("cli:{name}"),
            run: configured.run.clone(),
            output: configured.output,
            env: configured.env.clone(),
            timeout_seconds: configured.timeout_seconds,
            ..CommandChoice::default()
        });
    }
    if model.is_some_and(|model| model.is_empty() || model.starts_with('-')) {
        return Err(format!("the text after cli:{name}: is not a model"));
    }
    CommandChoice::from_known_agent(name, model).ok_or_else(|| {
        let all: Vec<String> =
            command::list_agent_names().map(str::to_owned).chain(config.commands.keys().cloned()).collect();
        format!("no command-line agent {name:?}; available: {}", all.join(", "))
    })
}

fn build_provider_choice(
    (provider, kind, configured): (&str, ProviderKind, Option<&ProviderConfig>),
    model: &str,
    settings: Settings,
    config: &Config,
) -> ProviderChoice {
    let variable = ProviderKind::from_name(provider).and_then(|kind| kind.wire().profile().address_variable);
    let from_environment = variable.and_then(|name| env::var(name).ok());
    let from_environment = from_environment.filter(|url| !url.is_empty()).map(with_scheme);
    let base_url = from_environment.or_else(|| configured.and_then(|provider| provider.base_url.clone()));
    let api_key_env = key_of(provider, config);
    // A list price holds where it was published for, whatever the provider is called here.
    let address = base_url.as_deref().unwrap_or(kind.wire().profile().address);
    let listed = config.prices.find_model(url_host(address), model);
    let own = configured.and_then(|provider| provider.price);
    let price_origin = own.map(|_| PriceOrigin::Configured);
    ProviderChoice {
        provider: provider.to_owned(),
        kind,
        model: model.to_owned(),
        // A server of one's own often wants no key; the hosted one always does.
        key_required: base_url.is_none() && kind != ProviderKind::Ollama
            || configured.is_some_and(|provider| provider.api_key_env.is_some()),
        base_url,
        api_key_env,
        timeout_seconds: configured.and_then(|provider| provider.timeout_seconds),
        price: own.or_else(|| listed.map(|listed| listed.to_price())),
        price_origin: price_origin.or_else(|| listed.map(|listed| listed.price_origin())),
        rate_limits: RateLimits {
            requests_per_minute: configured.and_then(|provider| provider.requests_per_minute),
            tokens_per_minute: configured.and_then(|provider| provider.tokens_per_minute),
        },
        headers: configured.map(|provider| provider.headers.clone()).unwrap_or_default(),
        api_version: configured.and_then(|provider| provider.api_version.clone()),
        settings,
    }
}

/// An address of the environment: `OLLAMA_HOST` is often written without its scheme, its host, or in quotes.
fn with_scheme(url: String) -> String {
    let url = url.trim().trim_matches(['"', '\'']).trim();
    if url.contains("://") {
        return url.to_owned();
    }
    let host = if url.starts_with(':') { "localhost" } else { "" };
    format!("http://{host}{url}")
}

fn join_provider_names(config: &Config) -> String {
    let mut all: BTreeSet<&str> = ProviderKind::known_names().collect();
    all.extend(config.providers.keys().map(String::as_str));
    all.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_gets_a_model_and_a_price_that_the_configuration_overrides() {
        let provider = |name: &str, config: &str| {
            let config: Config = toml::from_str(config).unwrap();
            let name = full_name(name, &config);
            match ModelSpec::parse(&name, &config) {
                Ok(ModelSpec::Provider(choice)) => choice,
                other => panic!("{name}: {other:?}"),
            }
        };
        let listed = provider("anthropic", "");
        assert_eq!(listed.model, "claude-sonnet-5-5");
        assert_eq!(listed.price.map(|price| (price.input, price.cached)), Some((2.0, Some(0.1))));
        assert!(matches!(listed.price_origin, Some(PriceOrigin::Listed { .. })));
        let own = "[providers.anthropic]\nkind = \"anthropic\"\nmodel = \"x\"\nprice = { input = 1, output = 2 }";
        let own = provider("anthropic", own);
        assert_eq!((own.model.as_str(), own.price.map(|price| price.input)), ("x", Some(1.0)));
        assert_eq!(own.price_origin, Some(PriceOrigin::Configured));
        // Another address may charge anything.
        let base = "[providers.openai]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"";
        let elsewhere = provider("openai", base);
        assert_eq!((elsewhere.price, elsewhere.is_paid()), (None, true));
        let lab = "[providers.lab]\nkind = \"openai\"\nbase_url = \"https://api.openai.com/v1\"";
        assert_eq!(provider("lab:gpt-5", lab).price.map(|price| price.output), Some(10.0));
        assert!(!provider("ollama:llama3.2", "").is_paid());
        assert!(provider("ollama:gpt-oss:120b-cloud", "").is_paid());
        let far = "[providers.ollama]\nkind = \"ollama\"\nbase_url = \"http://far.test:11434\"";
        assert!(provider("ollama:llama3.2", far).is_paid());
    }

    #[test]
    fn an_address_of_the_environment_gets_what_is_missing() {
        for (given, wanted) in [
            ("http://h:1", "http://h:1"),
            ("h:11434", "http://h:11434"),
            (":11434", "http://localhost:11434"),
            (" h:11434 ", "http://h:11434"),
            ("\"h:11434\"", "http://h:11434"),
        ] {
            assert_eq!(with_scheme(given.to_owned()), wanted);
        }
    }

    #[test]
    fn names_mean_somebody_or_say_why_not() {
        let config: Config = toml::from_str(
            "[providers.lab]\nkind = \"openai\"\nbase_url = \"http://x/v1\"\n[commands.coder]\nrun = [\"coder\"]",
        )
        .unwrap();
        for (name, wanted) in [("cli:coder", "cli:coder"), ("coder", "cli:coder"), ("cli:claude:opus", "cli:claude")] {
            let Ok(ModelSpec::Command(choice)) = ModelSpec::parse(name, &config) else { panic!("{name}") };
            assert_eq!(choice.name, wanted);
        }
        assert_eq!(ModelSpec::parse("outside", &config), Ok(ModelSpec::Outside));
        let parse = |name: &str| ModelSpec::parse(name, &config);
        assert_eq!(parse("local"), Ok(ModelSpec::Local(None)));
        assert_eq!(parse("human"), Ok(ModelSpec::Human));
        assert_eq!(parse("local:a:b"), Ok(ModelSpec::Local(Some("a:b".into()))));
        let Ok(ModelSpec::Provider(warm)) = parse("anthropic?temperature=0.2&tokens=900") else { panic!() };
        assert_eq!((warm.settings.temperature, warm.settings.tokens_max), (Some(0.2), Some(900)));
        assert!(!warm.model.contains('?') && warm.price.is_some());
        let Ok(ModelSpec::Provider(lab)) = parse("lab:some/model:tag") else { panic!() };
        assert_eq!((lab.model.as_str(), lab.key_required), ("some/model:tag", false));
        for (name, why) in [
            ("", "models are"),
            ("gpt-5", "models are"),
            ("lab", "add the model"),
            ("lab:m?effort=huge", "an effort is none"),
            ("anthropic?top=1", "settings are"),
            ("ollama", "add the model"),
            ("openai:", "missing"),
            ("human:me", "no provider"),
            ("opneai:gpt-5", "anthropic, gemini, lab, ollama, openai"),
            ("recorded:../x", "debate id"),
            ("cli", "models are"),
            ("cli:claud", "available: claude, codex, gemini, opencode, coder"),
            ("cli:coder:large", "takes no model"),
            ("cli:claude:--dangerous", "is not a model"),
            ("outside:me", "no provider"),
        ] {
            let error = parse(name).expect_err(name).to_string();
            assert!(error.contains(why), "{name}: {error}");
        }
    }
}
