//! Reading a configuration file: every error names file, line and key, and never shows a secret.

use std::{
    io,
    path::{Path, PathBuf},
};

use agon_journal::{JournalAddress, PasswordSource};
use toml::{Table, Value};

use super::{CommandConfig, Config, ProviderConfig};
use crate::participant::provider::ProviderKind;

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
pub fn read(path: &Path) -> Result<Option<Config>, ConfigError> {
    Ok(read_file(path)?.map(|file| file.config))
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
        _ => std::fs::read_to_string(path).map_err(|error| fault(None, error.to_string()))?,
    };
    let line_of =
        |error: &toml::de::Error| error.span().map(|span| text[..span.start].matches('\n').count() + 1);
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        // A key that stands twice is where the error is; nothing else of the text may be shown yet.
        let key = error.span().and_then(|span| text.get(span)).filter(|_| error.message() == "duplicate key");
        fault(line_of(&error), key.map_or(String::new(), |key| format!("{key}: ")) + error.message())
    })?;
    // Before anything else, so that a key in the wrong place is never printed by another message.
    if let Some(key) = secret(&table, "") {
        let line = line_naming(&text, &key);
        let why = format!(
            "{key}: do not write a key into a file; set an environment variable and name it in api_key_env"
        );
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
    if let Some((key, why)) = contradiction(&config) {
        let line = line_naming(&text, &key);
        return Err(fault(line, format!("{key}: {why}")));
    }
    Ok(Some(ConfigFile { config, text }))
}

/// Path of a field that holds a key, or looks as if it did.
fn secret(table: &Table, at: &str) -> Option<String> {
    table.iter().find_map(|(name, value)| {
        let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        match value {
            Value::Table(inner) => secret(inner, &path),
            Value::Array(items) => items.iter().enumerate().find_map(|(i, item)| {
                secret(&Table::from_iter([(name.clone(), item.clone())]), at).map(|_| format!("{path}[{i}]"))
            }),
            Value::String(text) => {
                let named = ["key", "token", "secret", "password"].iter().any(|word| name.ends_with(word));
                let variable = name.ends_with("_env") && !is_variable(text);
                let looks = ["sk-", "sk_", "AIza", "ghp_"].iter().any(|start| text.starts_with(start));
                (named || variable || looks).then_some(path)
            }
            _ => None,
        }
    })
}

fn is_variable(name: &str) -> bool {
    let word = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(word)
}

/// The first field whose value cannot be meant, and why.
fn contradiction(config: &Config) -> Option<(String, String)> {
    let limits = &config.limits;
    for (name, value) in [("max_requests", limits.max_requests), ("max_tokens", limits.max_tokens)] {
        if value == Some(0) {
            return Some((format!("limits.{name}"), "a limit must be more than zero".into()));
        }
    }
    if let Some(cost) = limits.max_cost_usd.filter(|cost| !positive(*cost)) {
        return Some((
            "limits.max_cost_usd".into(),
            format!("{cost} is not an amount of money; a limit must be more than zero"),
        ));
    }
    if let Some(time) = limits.max_time.as_deref()
        && let Err(why) = seconds(time)
    {
        return Some(("limits.max_time".into(), why));
    }
    if config.local.threads == Some(0) {
        return Some(("local.threads".into(), "at least one thread is needed".into()));
    }
    if config.local.context_tokens.is_some_and(|tokens| tokens < 1024) {
        return Some(("local.context_tokens".into(), "a debate needs at least 1024".into()));
    }
    if let Some((field, why)) = config.sources.contradiction() {
        return Some((format!("sources.{field}"), why));
    }
    if let Some((field, why)) = config.accounts.contradiction() {
        return Some((format!("accounts.{field}"), why));
    }
    if let Some(journal) = &config.journal
        && let Err(why) = JournalAddress::address(journal, PasswordSource::Environment)
    {
        return Some(("journal".into(), why));
    }
    if let Some((field, why)) = config.retention.contradiction() {
        return Some((format!("retention.{field}"), why));
    }
    if let Some((field, why)) = config.serve.contradiction() {
        return Some((format!("serve.{field}"), why));
    }
    if let Some((field, why)) = super::webhooks::contradiction(&config.webhooks) {
        return Some((format!("webhooks.{field}"), why));
    }
    let command = config.commands.iter().find_map(|(name, command)| {
        let (field, why) = command_contradiction(name, command)?;
        Some((format!("commands.{name}{field}"), why))
    });
    if command.is_some() {
        return command;
    }
    config.providers.iter().find_map(|(name, provider)| {
        if TAKEN.contains(&name.as_str()) {
            return Some((format!("providers.{name}"), "this name is reserved; choose another".into()));
        }
        let (field, why) = provider_contradiction(provider)?;
        Some((format!("providers.{name}.{field}"), why))
    })
}

fn command_contradiction(name: &str, command: &CommandConfig) -> Option<(&'static str, String)> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(plain) || TAKEN.contains(&name) {
        return Some((
            "",
            "the name of a command has only letters, digits, -, _ and .; choose another name".into(),
        ));
    }
    if command.run.first().is_none_or(String::is_empty) {
        return Some((".run", "name the program, as in run = [\"mycoder\", \"--print\"]".into()));
    }
    if let Some(wrong) = command.env.iter().find(|name| !is_variable(name)) {
        let length = wrong.chars().count();
        return Some((
            ".env",
            format!("a text of {length} characters is not the name of a variable; never write a key here"),
        ));
    }
    let seconds = command.timeout_seconds?;
    let wrong = !positive(seconds) || seconds > DAY_SECONDS;
    wrong.then(|| {
        (
            ".timeout_seconds",
            format!("{seconds} is not a valid duration; it must be more than zero and at most a day"),
        )
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

fn provider_contradiction(provider: &ProviderConfig) -> Option<(&'static str, String)> {
    let header = |(name, value): &(&String, &String)| {
        let token = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let reserved = RESERVED_HEADERS.contains(&name.to_ascii_lowercase().as_str());
        let plain =
            value.len() <= HEADER_BYTES_MAX && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        reserved || name.is_empty() || !name.bytes().all(token) || !plain
    };
    if let Some((name, _)) = provider.headers.iter().find(header) {
        let name: String = name.chars().take(40).collect();
        return Some(("headers", format!("{name:?} cannot be set here; a key belongs into api_key_env")));
    }
    if provider.kind == ProviderKind::Azure && provider.base_url.is_none() {
        return Some(("kind", "azure needs base_url, for example https://NAME.openai.azure.com".into()));
    }
    let version = |text: &&String| {
        text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if provider.api_version.as_ref().filter(version).is_some() {
        return Some(("api_version", "it is not a version; write for example 2024-10-21".into()));
    }
    if let Some(url) = &provider.base_url {
        let sound = url.starts_with("http://") || url.starts_with("https://");
        if !sound || url.contains(char::is_whitespace) {
            return Some((
                "base_url",
                format!("{url:?} is not an address; an address begins with http:// or https://"),
            ));
        }
        if url
            .split_once("://")
            .is_some_and(|(_, rest)| rest.split('/').next().is_some_and(|host| host.contains('@')))
        {
            return Some((
                "base_url",
                "remove the user name and password from the address; use api_key_env".into(),
            ));
        }
    }
    if let Some(seconds) =
        provider.timeout_seconds.filter(|seconds| !positive(*seconds) || *seconds > DAY_SECONDS)
    {
        return Some((
            "timeout_seconds",
            format!("{seconds} is not a valid duration; it must be more than zero and at most a day"),
        ));
    }
    let rates = [
        ("requests_per_minute", provider.requests_per_minute),
        ("tokens_per_minute", provider.tokens_per_minute),
    ];
    if let Some((name, _)) = rates.into_iter().find(|(_, rate)| *rate == Some(0)) {
        return Some((name, "with a limit of zero nothing could ever be asked; omit it for no limit".into()));
    }
    let price = provider.price.as_ref()?;
    let amounts = [price.input, price.output, price.cached.unwrap_or(0.0), price.cache_write.unwrap_or(0.0)];
    let is_price = |amount: &f64| *amount == 0.0 || (PRICE_MIN_USD..=PRICE_MAX_USD).contains(amount);
    if let Some(wrong) = amounts.into_iter().find(|amount| !is_price(amount)) {
        let why = format!(
            "{wrong} is not a price; prices are in US dollars per million tokens: 0, or {PRICE_MIN_USD} to {PRICE_MAX_USD}"
        );
        return Some(("price", why));
    }
    let cached = price.cached.filter(|cached| *cached > price.input)?;
    Some((
        "price",
        format!("cached = {cached} is more than input = {}, reading without a cache", price.input),
    ))
}

fn positive(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

/// The line that sets `path`, for example `providers.lab.price`: the first that names its last part
/// below the table of the rest.
/// The line of a key in the file at `path`.
pub(super) fn line_of_key(path: &Path, key: &str) -> Option<usize> {
    line_naming(&std::fs::read_to_string(path).ok()?, key)
}

fn line_naming(text: &str, path: &str) -> Option<usize> {
    let path = path.split('[').next().unwrap_or(path);
    let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
    let header =
        |line: &str| line.trim().trim_start_matches('[').trim_end_matches(']').replace(['"', ' '], "");
    let below = text.lines().position(|line| line.trim().starts_with('[') && header(line) == table);
    let start = below.unwrap_or(0);
    let names = |line: &str| {
        line.split([',', '{']).any(|part| {
            part.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
        })
    };
    let found = text.lines().skip(start).position(names).map(|at| start + at);
    found.or(below).or_else(|| text.lines().position(|line| header(line) == path)).map(|at| at + 1)
}

/// Seconds in `90`, `90s`, `30m`, `2h`.
pub fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a duration; use for example 90s, 30m or 2h");
    let text_trimmed = text.trim();
    let (number, unit) = match text_trimmed.char_indices().next_back() {
        Some((at, 's')) => (&text_trimmed[..at], 1),
        Some((at, 'm')) => (&text_trimmed[..at], 60),
        Some((at, 'h')) => (&text_trimmed[..at], 3600),
        _ => (text_trimmed, 1),
    };
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
        let error = read(&path).expect_err(text);
        error.to_string().replace(&folder.path().display().to_string(), "")
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
            (
                "[providers.lab]\nkind = \"openai\"\napi_key = \"hunter2\"",
                "/agon.toml:3: providers.lab.api_key",
            ),
            (
                "[providers.lab]\nkind = \"openai\"\napi_key_env = \"sk-abc\"",
                "/agon.toml:3: providers.lab.api_key_env",
            ),
            (
                "[providers.lab]\nkind = \"openai\"\nbase_url = \"ftp://x\"",
                "/agon.toml:3: providers.lab.base_url",
            ),
            ("[providers.lab]\nkind = \"openay\"", "/agon.toml:2: providers.lab.kind"),
            ("[providers.lab]\nbase_url = \"http://x\"", "/agon.toml:1: providers.lab: missing field `kind`"),
            (
                "[providers.lab]\nkind = \"openai\"\nprice = { input = inf, output = 1.0 }",
                "/agon.toml:3: providers.lab.price",
            ),
            ("[providers.local]\nkind = \"openai\"", "/agon.toml:1: providers.local"),
            ("[providers.a]\nkind = \"azure\"", "/agon.toml:2: providers.a.kind: azure needs base_url"),
            (
                "[providers.a]\nkind = \"openai\"\napi_version = \"a/b\"",
                "/agon.toml:3: providers.a.api_version",
            ),
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
            (
                "[providers.a]\nkind = \"openai\"\ntimeout_seconds = 1e300",
                "/agon.toml:3: providers.a.timeout_seconds",
            ),
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
        assert_eq!(seconds("90"), Ok(90));
        assert_eq!(seconds("30m"), Ok(1800));
        assert_eq!(seconds("2h"), Ok(7200));
        for bad in ["", "0", "-1", "1.5h", "h", "99999999999999999999", "6148914691236517206h", "1d"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
