//! What hosted models cost and hold: the list prices that the program carries, with those that the user took
//! from elsewhere since, and the model that a provider's bare name stands for.

mod check;
mod line;
mod refresh;

use std::{
    collections::BTreeMap,
    ops::Deref,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use serde::{Deserialize, Serialize};

use crate::{
    files::FileError,
    participant::{LongPromptPrice, Price},
};

pub use self::{check::parse_catalogue, refresh::refresh_catalogue};

/// The file in the data directory that holds what the user took from elsewhere.
const FILE: &str = "prices.json";
/// The format that is understood.
const FORMAT: u32 = 1;
/// An entry older than this is shown as old.
const OLD_DAYS: i32 = 180;

static SHIPPED: LazyLock<Arc<Catalogue>> =
    LazyLock::new(|| Arc::new(parse_catalogue(include_str!("catalogue.toml")).unwrap_or_default()));

/// Prices that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    /// The catalogue says what cannot be true, or is none.
    #[error("{from}: {why}; nothing of it is used")]
    Refused {
        /// The file or address.
        from: String,
        /// The entry and what is wrong with it.
        why: String,
    },
    /// The address does not answer with a file.
    #[error("{url}: {why}")]
    Unreached {
        /// The address.
        url: String,
        /// Why.
        why: String,
    },
    /// The file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A catalogue of hosted models.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Its format.
    format: u32,
    /// Where it was taken from; absent in the one that the program carries.
    from: Option<String>,
    /// When.
    taken_at: Option<String>,
    /// Providers by the name that agon calls them.
    #[serde(default)]
    pub providers: BTreeMap<String, ListedProvider>,
    /// Their models.
    #[serde(default)]
    pub models: Vec<ListedModel>,
}

/// A provider of hosted models.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedProvider {
    /// The host that its prices hold for.
    pub host: String,
    /// The model that its bare name stands for.
    pub default: Option<String>,
    /// Models that it no longer serves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retired: Vec<String>,
    /// The day for which this was known, `2026-01-31`.
    pub date: String,
}

/// A model and its list price, in millionths of a US dollar per million tokens.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedModel {
    /// Whose it is.
    pub provider: String,
    /// Its name there; a dated version of it costs the same.
    pub name: String,
    /// Tokens read.
    pub input: u64,
    /// Tokens read from a cache.
    pub cached: Option<u64>,
    /// Tokens written into a cache.
    pub cache_write: Option<u64>,
    /// Tokens written.
    pub output: u64,
    /// What all tokens of a call cost whose prompt is long.
    pub long: Option<ListedLongPrompt>,
    /// Tokens that it holds, answer included.
    pub context: u64,
    /// The day for which this was known, `2026-01-31`.
    pub date: String,
    /// Where it was published.
    pub source: String,
    /// What else to know of the price.
    pub note: Option<String>,
}

/// List prices of a call with a long prompt, in millionths of a US dollar per million tokens.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedLongPrompt {
    /// A prompt of more tokens than this is long.
    pub above: u64,
    /// Tokens read.
    pub input: u64,
    /// Tokens read from a cache.
    pub cached: Option<u64>,
    /// Tokens written into a cache.
    pub cache_write: Option<u64>,
    /// Tokens written.
    pub output: u64,
}

impl ListedModel {
    /// As calls are priced.
    pub fn to_price(&self) -> Price {
        let usd = |microusd: u64| microusd as f64 / 1e6;
        Price {
            input: usd(self.input),
            cached: self.cached.map(usd),
            cache_write: self.cache_write.map(usd),
            output: usd(self.output),
            long: self.long.as_ref().map(|long| LongPromptPrice {
                above: long.above,
                input: usd(long.input),
                cached: long.cached.map(usd),
                cache_write: long.cache_write.map(usd),
                output: usd(long.output),
            }),
        }
    }

    /// Where the price comes from.
    pub fn price_origin(&self) -> PriceOrigin {
        PriceOrigin::Listed { date: self.date.clone(), source: self.source.clone() }
    }

    fn matches_name(&self, name: &str) -> bool {
        let rest = name.strip_prefix(self.name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || is_date(rest.strip_prefix('-').unwrap_or_default()))
    }
}

/// Whether so much time has passed since `date` that a price of that day has probably changed.
pub fn is_old(date: &str) -> bool {
    check::age_days(date).is_none_or(|days| days > OLD_DAYS)
}

/// Whether `text` is the date of a version: `20250929` or `2025-09-29`.
fn is_date(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let dashes = text.bytes().filter(|byte| *byte == b'-').count();
    digits == 8 && (dashes == 0 || dashes == 2) && text.len() == digits + dashes
}

/// Who says what a model costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PriceOrigin {
    /// The user's configuration.
    Configured,
    /// A list price.
    Listed {
        /// The day for which it was known.
        date: String,
        /// Where it was published.
        source: String,
    },
}

impl Catalogue {
    /// The entry of `model` at `host`.
    pub fn find_model(&self, host: &str, model: &str) -> Option<&ListedModel> {
        let at_host = |listed: &&ListedModel| self.providers.get(&listed.provider).is_some_and(|p| p.host == host);
        let mut listed = self.models.iter().filter(at_host);
        listed.clone().find(|listed| listed.name == model).or_else(|| listed.find(|l| l.matches_name(model)))
    }

    /// The model that the bare name of a provider stands for.
    pub fn default_of(&self, provider: &str) -> Option<&str> {
        self.providers.get(provider)?.default.as_deref()
    }

    /// Where it was taken from, and when; `None` for the one that the program carries.
    pub fn source_and_time(&self) -> Option<(&str, &str)> {
        Some((self.from.as_deref()?, self.taken_at.as_deref()?))
    }

    /// This catalogue with the entries of `other` that are newer, or as new.
    fn with_newer(mut self, other: &Catalogue) -> Self {
        for (name, provider) in &other.providers {
            if self.providers.get(name).is_none_or(|known| known.date <= provider.date) {
                self.providers.insert(name.clone(), provider.clone());
            }
        }
        for model in &other.models {
            let same = |known: &&mut ListedModel| (&known.provider, &known.name) == (&model.provider, &model.name);
            match self.models.iter_mut().find(same) {
                Some(known) if known.date <= model.date => *known = model.clone(),
                Some(_) => {}
                None => self.models.push(model.clone()),
            }
        }
        self.models.sort_by(|a, b| (&a.provider, &a.name).cmp(&(&b.provider, &b.name)));
        Self { from: other.from.clone(), taken_at: other.taken_at.clone(), ..self }
    }
}

/// The catalogue that holds for this user.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices(Arc<Catalogue>);

impl Default for Prices {
    /// What the program carries.
    fn default() -> Self {
        Self(SHIPPED.clone())
    }
}

impl Deref for Prices {
    type Target = Catalogue;

    fn deref(&self) -> &Catalogue {
        &self.0
    }
}

impl Prices {
    /// What the program carries, with the newer entries that the data directory `home` holds.
    ///
    /// # Errors
    ///
    /// Where that file cannot be used: an amount that nobody can vouch for is worse than none.
    pub fn load(home: &Path) -> Result<Self, PriceError> {
        let path = prices_path(home);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(FileError::at_path(&path)(error).into()),
        };
        let from = path.display().to_string();
        let taken = parse_catalogue(&text).map_err(|why| PriceError::Refused { from, why })?;
        Ok(Self(Arc::new(SHIPPED.as_ref().clone().with_newer(&taken))))
    }
}

/// Where prices from elsewhere are kept.
pub fn prices_path(home: &Path) -> PathBuf {
    home.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_catalogue_is_sound_and_has_the_defaults() {
        let shipped = parse_catalogue(include_str!("catalogue.toml")).unwrap();
        assert_eq!(*SHIPPED.as_ref(), shipped);
        for (provider, listed) in &shipped.providers {
            let default = listed.default.as_deref().unwrap();
            assert!(shipped.find_model(&listed.host, default).is_some(), "{provider}: {default} has a price");
        }
    }

    #[test]
    fn a_model_is_found_at_its_host_and_in_its_dated_versions() {
        let prices = Prices::default();
        let found = |host: &str, model: &str| prices.find_model(host, model).map(|listed| listed.name.as_str());
        for (host, model, wanted) in [
            ("api.openai.com", "gpt-5", Some("gpt-5")),
            ("api.openai.com", "gpt-5-2025-08-07", Some("gpt-5")),
            ("api.openai.com", "gpt-5-mini", Some("gpt-5-mini")),
            ("api.openai.com", "gpt-5-turbo", None),
            ("api.openai.com", "gpt-5-", None),
            ("api.anthropic.com", "claude-sonnet-4-5-20250929", Some("claude-sonnet-4-5")),
            ("api.anthropic.com", "claude-opus-5-20260401", Some("claude-opus-5")),
            ("api.anthropic.com", "gpt-5", None),
            ("127.0.0.1:9000", "gpt-5", None),
        ] {
            assert_eq!(found(host, model), wanted, "{host} {model}");
        }
    }

    #[test]
    fn the_newer_entry_holds() {
        let shipped = SHIPPED.as_ref().clone();
        let mut other = shipped.clone();
        other.from = Some("x".into());
        other.models.retain(|model| model.name == "gpt-5" || model.name == "gpt-5-mini");
        for (model, date) in other.models.iter_mut().zip(["9999-01-01", "2020-01-01"]) {
            (model.input, model.date) = (7, date.into());
        }
        let joined = shipped.clone().with_newer(&other);
        let input = |name: &str| joined.find_model("api.openai.com", name).map(|model| model.input);
        assert_eq!((input("gpt-5"), input("gpt-5-mini"), input("gpt-4o")), (Some(7), Some(250_000), Some(2_500_000)));
        assert_eq!(joined.models.len(), shipped.models.len());
    }
}
