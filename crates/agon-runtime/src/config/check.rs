//! Reading a configuration file: every error names file, line and key, and never shows a secret.

use std::{
    io,
    path::{Path, PathBuf},
};

use agon_journal::{JournalAddress, PasswordSource};
use toml::Table;

use super::{CommandConfig, Config, Paths, ProviderConfig, webhooks::check_webhooks};
use crate::{
    participant::provider::ProviderKind,
    value_fault::{ValueFault, is_web_address, refuse_found, refuse_if},
};

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {why}", path.display(), line.map_or(String::new(), |line| format!(":{line}")))]
pub struct ConfigError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: Option<usize>,
    /// Key and reason.
    pub why: String,
}

/// Largest configuration file, in bytes.
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;
/// Longest time-out, in seconds.
const DAY_SECONDS: f64 = 86_400.0;
/// Lowest and highest price that is not zero: those of a catalogue of prices.
const PRICE_MIN_USD: f64 = 0.0001;
const PRICE_MAX_USD: f64 = 10_000.0;
/// What a provider cannot be called, since it means someone else.
const TAKEN: [&str; 7] = ["local", "scripted", "recorded", "cli", "human", "outside", "fetched"];

/// A configuration file that was read.
pub(super) struct ConfigFile {
    pub config: Config,
    pub text: String,
}

/// The configuration in `path`; `None` where there is not such a file.
pub fn read_config(path: &Path) -> Result<Option<Config>, ConfigError> {
    Ok(read_file(path)?.map(|file| file.config))
}

/// The user's own configuration; empty where there is none.
pub(super) fn read_user_config(places: &Paths) -> Result<Config, ConfigError> {
    Ok(places.user_config.as_deref().map(read_config).transpose()?.flatten().unwrap_or_default())
}

/// The same, with the text that it was read from.
pub(super) fn read_file(path: &Path) -> Result<Option<ConfigFile>, ConfigError> {
    let fault = |line: Option<usize>, why: String| ConfigError { path: path.to_owned(), line, why };
    let text = match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // A pipe would be waited for.
        Ok(file) if !file.is_file() => return Err(fault(None, "it is not a regular file".into())),
        Ok(file) if file.len() > CONFIG_BYTES_MAX => {
            return Err(fault(None, "it is larger than 1 MB".into()));
        }
        _ => std::fs::read_to_string(path).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => fault(None, "it is not UTF-8: save it in that encoding".into()),
            _ => fault(None, error.to_string()),
        })?,
    };
    let line_of = |error: &toml::de::Error| error.span().map(|span| text[..span.start].matches('\n').count() + 1);
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        // A key that stands twice is where the error is; nothing else of the text may be shown yet.
        let key = error.span().and_then(|span| text.get(span)).filter(|_| error.message() == "duplicate key");
        fault(line_of(&error), key.map_or(String::new(), |key| format!("{key}: ")) + error.message())
    })?;
    // Before anything else, so that a key in the wrong place is never printed by another message.
    if let Some(key) = find_secret(&table, "") {
        let line = line_naming(&text, &key);
        let why =
            format!("{key}: do not write a key into a file; set an environment variable and name it in api_key_env");
        return Err(fault(line, why));
    }
    let config: Config = toml::Deserializer::parse(&text)
        .map_err(|error| (line_of(&error), error.message().to_owned()))
        .and_then(|whole| {
            serde_path_to_error::deserialize(whole).map_err(|error| {
                let (key, why) = (error.path().to_string(), error.inner().message());
                let why = if key == "." { why.to_owned() } else { format!("{key}: {why}") };
                (line_of(error.inner()), why)
            })
        })
        .map_err(|(line, why)| fault(line, why))?;
    check_values(&config).map_err(|wrong| fault(line_naming(&text, &wrong.key), wrong.to_string()))?;
    Ok(Some(ConfigFile { config, text }))
}

/// Path of a field that holds a key, or looks as if it did.
fn find_secret(table: &Table, at: &str) -> Option<String> {
    table.iter().find_map(|(name, value)| {
        let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        if let Some(inner) = value.as_table() {
            return find_secret(inner, &path);
        }
        if let Some(items) = value.as_array() {
            return items.iter().enumerate().find_map(|(i, item)| {
                find_secret(&Table::from_iter([(name.clone(), item.clone())]), at).map(|_| format!("{path}[{i}]"))
            });
        }
        let text = value.as_str()?;
        let named = ["key", "token", "secret", "password"].iter().any(|word| name.ends_with(word));
        let variable = name.ends_with("_env") && !is_variable(text);
        let looks = ["sk-", "sk_", "AIza", "ghp_"].iter().any(|start| text.starts_with(start));
        (named || variable || looks).then_some(path)
    })
}

fn is_variable(name: &str) -> bool {
    let word = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(word)
}

/// Refuses the first field whose value cannot be meant.
fn check_values(config: &Config) -> Result<(), ValueFault> {
    let limits = &config.limits;
    for (key, value) in [("limits.max_requests", limits.max_requests), ("limits.max_tokens", limits.max_tokens)] {
        refuse_if(value == Some(0), key, "a limit must be more than zero")?;
    }
    refuse_found(limits.max_cost_usd.filter(|cost| !is_positive(*cost)), "limits.max_cost_usd", |cost| {
        format!("{cost} is not an amount of money; a limit must be more than zero")
    })?;
    let time = limits.max_time.as_deref().and_then(|time| parse_seconds(time).err());
    refuse_found(time, "limits.max_time", |why| why)?;
    let local = &config.local;
    refuse_if(local.threads == Some(0), "local.threads", "at least one thread is needed")?;
    let is_short = local.context_tokens.is_some_and(|tokens| tokens < 1024);
    refuse_if(is_short, "local.context_tokens", "a debate needs at least 1024")?;
    if let Some(search) = &config.web_search {
        search.check().map_err(|fault| fault.within_section("web_search"))?;
    }
    config.sources.check().map_err(|fault| fault.within_section("sources"))?;
    config.accounts.check().map_err(|fault| fault.within_section("accounts"))?;
    let journal =
        config.journal.as_deref().map(|text| JournalAddress::parse_database(text, PasswordSource::Environment));
    refuse_found(journal.and_then(Result::err), "journal", |why| why)?;
    config.retention.check().map_err(|fault| fault.within_section("retention"))?;
    config.serve.check().map_err(|fault| fault.within_section("serve"))?;
    check_webhooks(&config.webhooks).map_err(|fault| fault.within_section("webhooks"))?;
    for (name, command) in &config.commands {
        check_command(name, command)?;
    }
    for (name, provider) in &config.providers {
        let key = format!("providers.{name}");
        refuse_if(TAKEN.contains(&name.as_str()), &key, "this name is reserved; choose another")?;
        check_provider(provider).map_err(|fault| fault.within_section(&key))?;
    }
    Ok(())
}

fn check_command(name: &str, command: &CommandConfig) -> Result<(), ValueFault> {
    let key = format!("commands.{name}");
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = !name.is_empty() && name.chars().all(plain) && !TAKEN.contains(&name);
    let why = "the name of a command has only letters, digits, -, _ and .; choose another name";
    refuse_if(!is_name, &key, why)?;
    let is_unnamed = command.run.first().is_none_or(String::is_empty);
    let why = "name the program, as in run = [\"mycoder\", \"--print\"]";
    refuse_if(is_unnamed, &format!("{key}.run"), why)?;
    let wrong = command.env.iter().find(|name| !is_variable(name));
    refuse_found(wrong, &format!("{key}.env"), |wrong| {
        let length = wrong.chars().count();
        format!("a text of {length} characters is not the name of a variable; never write a key here")
    })?;
    check_duration(command.timeout_seconds).map_err(|fault| fault.within_section(&key))
}

/// Refuses the value of `timeout_seconds` where it is not a duration of at most a day.
fn check_duration(seconds: Option<f64>) -> Result<(), ValueFault> {
    let wrong = seconds.filter(|seconds| !is_positive(*seconds) || *seconds > DAY_SECONDS);
    refuse_found(wrong, "timeout_seconds", |seconds| {
        format!("{seconds} is not a valid duration; it must be more than zero and at most a day")
    })
}

/// Headers that are the provider's key, or the connection's own.
const RESERVED_HEADERS: [&str; 9] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "api-key",
    "x-api-key",
    "x-goog-api-key",
    "host",
    "content-length",
    "content-type",
];
/// Longest value of a header.
const HEADER_BYTES_MAX: usize = 400;

fn check_provider(provider: &ProviderConfig) -> Result<(), ValueFault> {
    let header = |(name, value): &(&String, &String)| {
        let token = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let reserved = RESERVED_HEADERS.contains(&name.to_ascii_lowercase().as_str());
        let plain = value.len() <= HEADER_BYTES_MAX && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        reserved || name.is_empty() || !name.bytes().all(token) || !plain
    };
    refuse_found(provider.headers.iter().find(header), "headers", |(name, _)| {
        let name: String = name.chars().take(40).collect();
        format!("{name:?} cannot be set here; a key belongs into api_key_env")
    })?;
    let has_no_address = provider.kind == ProviderKind::Azure && provider.base_url.is_none();
    refuse_if(has_no_address, "kind", "azure needs base_url, for example https://NAME.openai.azure.com")?;
    let is_version =
        |text: &String| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let has_version = provider.api_version.as_ref().is_none_or(is_version);
    refuse_if(!has_version, "api_version", "it is not a version; write for example 2024-10-21")?;
    if let Some(url) = &provider.base_url {
        let why = format!("{url:?} is not an address; an address begins with http:// or https://");
        refuse_if(!is_web_address(url) || url.contains(char::is_whitespace), "base_url", why)?;
        let host = url.split('/').nth(2).unwrap_or_default();
        let why = "remove the user name and password from the address; use api_key_env";
        refuse_if(host.contains('@'), "base_url", why)?;
    }
    check_duration(provider.timeout_seconds)?;
    for (key, rate) in
        [("requests_per_minute", provider.requests_per_minute), ("tokens_per_minute", provider.tokens_per_minute)]
    {
        let why = "with a limit of zero nothing could ever be asked; omit it for no limit";
        refuse_if(rate == Some(0), key, why)?;
    }
    let Some(price) = &provider.price else { return Ok(()) };
    let amounts = [price.input, price.output, price.cached.unwrap_or(0.0), price.cache_write.unwrap_or(0.0)];
    let is_price = |amount: &f64| *amount == 0.0 || (PRICE_MIN_USD..=PRICE_MAX_USD).contains(amount);
    refuse_found(amounts.into_iter().find(|amount| !is_price(amount)), "price", |wrong| {
        format!(
            "{wrong} is not a price; prices are in US dollars per million tokens: 0, or {PRICE_MIN_USD} to {PRICE_MAX_USD}"
        )
    })?;
    refuse_found(price.cached.filter(|cached| *cached > price.input), "price", |cached| {
        format!("cached = {cached} is more than input = {}, reading without a cache", price.input)
    })
}

fn is_positive(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

/// The line of a key in the file at `path`.
pub(super) fn line_of_key(path: &Path, key: &str) -> Option<usize> {
    line_naming(&std::fs::read_to_string(path).ok()?, key)
}

/// The line that sets `path`, for example `providers.lab.price`: the first that names its last part
/// below the table of the rest.
fn line_naming(text: &str, path: &str) -> Option<usize> {
    let path = path.split('[').next().unwrap_or(path);
    let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
    let header = |line: &str| line.trim().trim_start_matches('[').trim_end_matches(']').replace(['"', ' '], "");
    let below = text.lines().position(|line| line.trim().starts_with('[') && header(line) == table);
    let start = below.unwrap_or(0);
    let names = |line: &str| {
        line.split([',', '{'])
            .any(|part| part.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('=')))
    };
    let found = text.lines().skip(start).position(names).map(|at| start + at);
    found.or(below).or_else(|| text.lines().position(|line| header(line) == path)).map(|at| at + 1)
}

/// Seconds in `90`, `90s`, `30m`, `2h`.
pub fn parse_seconds(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a duration; use for example 90s, 30m or 2h");
    let trimmed = text.trim();
    let with_unit = |(unit, seconds)| Some((trimmed.strip_suffix(unit)?, seconds));
    let (number, unit) = [('s', 1), ('m', 60), ('h', 3600)].into_iter().find_map(with_unit).unwrap_or((trimmed, 1));
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(unit).filter(|seconds| *seconds > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agon.toml");
        std::fs::write(&path, text).unwrap();
        let error = read_config(&path).expect_err(text);
        error.to_string().replace(&folder.path().display().to_string(), "")
    }

    #[test]
    fn another_encoding_is_told_with_the_one_that_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agon.toml");
        std::fs::write(&path, [0xff, 0xfe, b'm', 0]).unwrap();
        let error = read_config(&path).unwrap_err().to_string();
        assert!(error.ends_with("it is not UTF-8: save it in that encoding"), "{error}");
    }

    #[test]
    fn every_mistake_names_file_line_and_key() {
        for (text, wanted) in [
            ("modle = \"x\"", "/agon.toml:1: modle: unknown field `modle`"),
            ("model = \"x\"\nmodel = \"y\"", "/agon.toml:2: model: duplicate key"),
            ("model = 3", "/agon.toml:1: model: invalid type"),
            ("[limits]\nmax_cost_usd = nan", "/agon.toml:2: limits.max_cost_usd"),
            ("[limits]\nmax_cost_usd = -1.0", "/agon.toml:2: limits.max_cost_usd"),
            ("[limits]\nmax_requests = 0", "/agon.toml:2: limits.max_requests"),
            ("[limits]\nmax_requests = -5", "/agon.toml:2: limits.max_requests"),
            ("[limits]\nmax_time = \"soon\"", "/agon.toml:2: limits.max_time"),
            ("[providers.lab]\nkind = \"openai\"\napi_key = \"hunter2\"", "/agon.toml:3: providers.lab.api_key"),
            ("[providers.lab]\nkind = \"openai\"\napi_key_env = \"sk-abc\"", "/agon.toml:3: providers.lab.api_key_env"),
            ("[providers.lab]\nkind = \"openai\"\nbase_url = \"ftp://x\"", "/agon.toml:3: providers.lab.base_url"),
            ("[providers.lab]\nkind = \"openay\"", "/agon.toml:2: providers.lab.kind"),
            ("[providers.lab]\nbase_url = \"http://x\"", "/agon.toml:1: providers.lab: missing field `kind`"),
            (
                "[providers.lab]\nkind = \"openai\"\nprice = { input = inf, output = 1.0 }",
                "/agon.toml:3: providers.lab.price",
            ),
            ("[providers.local]\nkind = \"openai\"", "/agon.toml:1: providers.local"),
            ("[providers.a]\nkind = \"azure\"", "/agon.toml:2: providers.a.kind: azure needs base_url"),
            ("[providers.a]\nkind = \"openai\"\napi_version = \"a/b\"", "/agon.toml:3: providers.a.api_version"),
            (
                "[providers.a]\nkind = \"openai\"\nheaders = { Authorization = \"hunter2\" }",
                "/agon.toml:3: providers.a.headers: \"Authorization\"",
            ),
            (
                "[providers.a]\nkind = \"openai\"\nheaders = { X-Title = \"a\\nb\" }",
                "/agon.toml:3: providers.a.headers: \"X-Title\"",
            ),
            (
                "[providers.a]\nkind = \"openai\"\nbase_url = \"http://a\"\n[providers.b]\nkind = \"openai\"\nbase_url = \"b\"",
                "/agon.toml:6: providers.b.base_url",
            ),
            ("[providers.a]\nkind = \"openai\"\ntimeout_seconds = 1e300", "/agon.toml:3: providers.a.timeout_seconds"),
            ("[commands.x]\nrun = []", "/agon.toml:2: commands.x.run"),
            ("[commands.x]\nrun = \"x\"", "/agon.toml:2: commands.x.run"),
            ("[commands.x]\nrun = [\"x\"]\nenv = [\"hunter2\"]", "/agon.toml:3: commands.x.env"),
            ("[commands.x]\nrun = [\"x\"]\noutput = \"xml\"", "/agon.toml:3: commands.x.output"),
            ("[commands.x]\nrun = [\"x\"]\ntimeout_seconds = 0", "/agon.toml:3: commands.x.timeout_seconds"),
            ("[commands.\"a!b\"]\nrun = [\"x\"]", "/agon.toml:1: commands.a!b"),
            ("[commands.human]\nrun = [\"x\"]", "/agon.toml:1: commands.human"),
            ("keys = [\"sk-abc\"]", "/agon.toml:1: keys"),
            ("= broken", "/agon.toml:1"),
        ] {
            let error = error(text);
            assert!(error.starts_with(wanted), "{text:?}: {error}");
            assert!(!error.contains("hunter2") && !error.contains("sk-abc"), "{error}");
        }
    }

    #[test]
    fn times_are_read_with_their_unit() {
        assert_eq!(parse_seconds("90"), Ok(90));
        assert_eq!(parse_seconds("30m"), Ok(1800));
        assert_eq!(parse_seconds("2h"), Ok(7200));
        for bad in ["", "0", "-1", "1.5h", "h", "99999999999999999999", "6148914691236517206h", "1d"] {
            assert!(parse_seconds(bad).is_err(), "{bad}");
        }
    }
}
