//! Names for models that name no version, and the models that they stand for.

use std::env;

use super::{Config, ProviderConfig};
use crate::participant::provider::ProviderKind;

/// `name` as agon writes it: a model's own name, such as `gpt-5`, gets its provider, because files of other programs
/// name models so.
pub fn with_provider(name: &str) -> String {
    let profiles = ProviderKind::KNOWN.into_iter().map(|kind| kind.wire().profile());
    let mut of = profiles.filter(|profile| profile.families.iter().any(|start| name.starts_with(start)));
    match of.next().filter(|_| !name.contains(':')) {
        Some(profile) => format!("{}:{name}", profile.name),
        None => name.to_owned(),
    }
}

/// Whose default model is taken where the environment holds a key and nobody named a model, in this order.
const DEFAULTS: [&str; 3] = ["anthropic", "openai", "gemini"];

/// A provider whose key the environment holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedProvider {
    /// Its name.
    pub provider: String,
    /// The variable.
    pub variable: String,
    /// A model of it by its whole name, where one is known.
    pub model: Option<String>,
}

/// The providers, known or configured, whose key the environment holds; the one that is taken where nobody
/// names a model first.
pub fn keyed_providers(config: &Config) -> Vec<KeyedProvider> {
    let known = DEFAULTS.into_iter().filter_map(|name| Some((name, key_of(name, config)?)));
    let configured = config.providers.keys().map(String::as_str).filter(|name| !DEFAULTS.contains(name));
    let configured = configured.filter_map(|name| Some((name, key_of(name, config)?)));
    let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let keyed = known.chain(configured).filter(|(_, variable)| set(variable));
    let keyed = keyed.map(|(name, variable)| KeyedProvider {
        provider: name.to_owned(),
        model: default_of(name, config).map(|model| format!("{name}:{model}")),
        variable,
    });
    keyed.collect()
}

/// The variable that holds the key of a provider.
pub(super) fn key_of(name: &str, config: &Config) -> Option<String> {
    let configured = config.providers.get(name).and_then(|provider| provider.api_key_env.clone());
    configured.or_else(|| ProviderKind::from_name(name)?.key_variable().map(str::to_owned))
}

/// The model that the bare name of a provider stands for: the configuration's, or that of the catalogue.
fn default_of<'c>(provider: &str, config: &'c Config) -> Option<&'c str> {
    let configured = config.providers.get(provider).and_then(|provider| provider.model.as_deref());
    configured.or_else(|| config.prices.default_of(provider))
}

/// A user's name for a model as records write it: the bare name of a provider, a family or a line gets the model that it
/// stands for today, so that a debate stays with the one it began with.
pub fn full_name(name: &str, config: &Config) -> String {
    let (bare, settings) = name.split_at(name.find('?').unwrap_or(name.len()));
    let known = Some(bare).filter(|bare| !config.commands.contains_key(*bare));
    let meant = known.and_then(|bare| stands_for(bare, config));
    meant.map_or_else(|| name.to_owned(), |(provider, model)| format!("{provider}:{model}{settings}"))
}

/// The provider and the model that a name without a version stands for: `openai` and `gpt` for the provider's default
/// model, `claude-opus` for the newest that is called so.
fn stands_for<'n>(bare: &'n str, config: &'n Config) -> Option<(&'n str, &'n str)> {
    if provider_named(bare, config).is_some() {
        return Some((bare, default_of(bare, config)?));
    }
    let profiles = ProviderKind::KNOWN.into_iter().map(|kind| kind.wire().profile());
    let mut families = profiles.flat_map(|profile| profile.families.iter().map(move |family| (profile.name, *family)));
    families.find_map(|(provider, family)| {
        let model = match family.trim_end_matches('-') == bare {
            true => default_of(provider, config),
            false if bare.starts_with(family) => {
                config.prices.newest_of(provider, bare).map(|model| model.name.as_str())
            }
            false => None,
        };
        Some((provider, model?))
    })
}

/// Who answers where nobody says: the configuration's model, a provider whose key is set, or the
/// embedded model.
pub fn default_model(config: &Config) -> String {
    let by_key = || {
        let keyed = keyed_providers(config).into_iter();
        keyed.filter(|keyed| DEFAULTS.contains(&keyed.provider.as_str())).find_map(|keyed| keyed.model)
    };
    let configured = config.model.as_deref().map(|model| full_name(model, config));
    configured.or_else(by_key).unwrap_or_else(|| "local".into())
}

/// What a provider of this name is, and its section of the configuration.
pub(super) fn provider_named<'c>(name: &str, config: &'c Config) -> Option<(ProviderKind, Option<&'c ProviderConfig>)> {
    let known = ProviderKind::from_name(name);
    let configured = config.providers.get(name);
    Some((configured.map(|provider| provider.kind).or(known)?, configured))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_and_a_line_stand_for_their_newest_model() {
        let config = Config::default();
        for (name, wanted) in [
            ("claude", "anthropic:claude-sonnet-5-5"),
            ("claude?effort=high", "anthropic:claude-sonnet-5-5?effort=high"),
            ("claude-opus", "anthropic:claude-opus-5-5"),
            ("claude-haiku", "anthropic:claude-haiku-5-5"),
            ("gpt", "openai:gpt-6.1-terra"),
            ("gemini", "gemini:gemini-3.8-flash"),
            ("gemini-flash", "gemini:gemini-3.8-flash"),
            ("claude-nobody", "claude-nobody"),
            ("gpt-5", "gpt-5"),
            ("cli:claude", "cli:claude"),
            ("local", "local"),
        ] {
            assert_eq!(full_name(name, &config), wanted);
        }
        // A command of the user has its name to itself.
        let own: Config = toml::from_str("[commands.claude]\nrun = [\"x\"]\noutput = \"text\"").unwrap();
        assert_eq!(full_name("claude", &own), "claude");
    }

    #[test]
    fn models_own_names_get_their_provider() {
        for (bare, whole) in [
            ("claude-opus-4-6", "anthropic:claude-opus-4-6"),
            ("gpt-5-mini", "openai:gpt-5-mini"),
            ("gemini-2.5-flash", "gemini:gemini-2.5-flash"),
            ("gpt-oss:20b", "gpt-oss:20b"),
            ("llama3.2", "llama3.2"),
            ("local", "local"),
        ] {
            assert_eq!(with_provider(bare), whole);
        }
    }
}
