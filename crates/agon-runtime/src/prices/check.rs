//! Reads a catalogue, and refuses one that says what cannot be true: a budget would rest on it.

use std::collections::{BTreeMap, BTreeSet};

use agon_journal::time::today;
use jiff::civil::Date;
use serde::de::DeserializeOwned;

use super::{Catalogue, FORMAT, ListedModel};
use crate::value_fault::{ValueFault, is_web_address, refuse_found, refuse_if};

/// Largest catalogue, in bytes.
pub(super) const BYTES_MAX: usize = 1024 * 1024;
/// Most models of one.
const MODELS_MAX: usize = 5_000;
/// Lowest and highest price, in millionths of a dollar per million tokens.
const PRICE_MIN: u64 = 100;
const PRICE_MAX: u64 = 10_000_000_000;
/// Fewest and most tokens that a model holds.
const CONTEXT_MIN: u64 = 512;
const CONTEXT_MAX: u64 = 100_000_000;
/// Longest text of a field, in characters.
const TEXT_MAX: usize = 300;

/// A catalogue in TOML or JSON; else which entry is wrong, and how.
pub fn parse_catalogue(text: &str) -> Result<Catalogue, String> {
    if text.len() > BYTES_MAX {
        return Err("it is larger than 1 MB".into());
    }
    // Editors on Windows begin a file with this mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let catalogue: Catalogue = if text.trim_start().starts_with('{') {
        let mut json = serde_json::Deserializer::from_str(text);
        let catalogue = deserialize_located(&mut json)?;
        json.end().map_err(|error| format!("after its end: {error}"))?;
        catalogue
    } else if text.trim() == "[]" || text.trim_start().starts_with("[{") {
        return Err("it is a list; a catalogue is an object with format, providers and models".into());
    } else {
        deserialize_located(toml::Deserializer::parse(text).map_err(|error| first_line(error.message()))?)?
    };
    check_catalogue(&catalogue)?;
    Ok(catalogue)
}

/// What `source` holds, or the path of the field that is wrong.
fn deserialize_located<'de, T: DeserializeOwned, D>(source: D) -> Result<T, String>
where
    D: serde::Deserializer<'de>,
    D::Error: std::fmt::Display,
{
    serde_path_to_error::deserialize(source).map_err(|error| {
        let (path, why) = (error.path().to_string(), first_line(&error.inner().to_string()));
        if path == "." { why } else { format!("{path}: {why}") }
    })
}

/// The first line that says something: messages of TOML quote the text below it.
fn first_line(message: &str) -> String {
    let line = message.lines().rfind(|line| !line.trim().is_empty()).unwrap_or(message);
    line.chars().take(TEXT_MAX).collect()
}

/// Refuses the first entry that contradicts itself or another one.
fn check_catalogue(catalogue: &Catalogue) -> Result<(), String> {
    if catalogue.format != FORMAT {
        return Err(format!("format: {} is not known; this agon reads format {FORMAT}", catalogue.format));
    }
    if catalogue.models.len() > MODELS_MAX {
        return Err(format!("models: there are {}, and {MODELS_MAX} at most", catalogue.models.len()));
    }
    let mut hosts = BTreeMap::new();
    for (name, provider) in &catalogue.providers {
        let at = format!("providers.{}", quote_text(name));
        if let Some(other) = hosts.insert(normalize_host(&provider.host), name) {
            return Err(format!("{at}.host: {} is also that of {}", quote_text(&provider.host), quote_text(other)));
        }
        let names = provider.default.iter().chain(&provider.retired).chain([name, &provider.host]);
        if let Some(wrong) = names.into_iter().find(|text| !is_name(text)) {
            return Err(format!("{at}: {} is not a name", quote_text(wrong)));
        }
        check_date(&provider.date).map_err(|why| format!("{at}.date: {why}"))?;
    }
    let mut seen = BTreeSet::new();
    for (at, model) in catalogue.models.iter().enumerate() {
        let place = format!("models[{at}] ({} {})", quote_text(&model.provider), quote_text(&model.name));
        if !seen.insert((&model.provider, &model.name)) {
            return Err(format!("{place}: it is listed twice"));
        }
        if !catalogue.providers.contains_key(&model.provider) {
            return Err(format!("{place}: its provider is not listed"));
        }
        check_model(model).map_err(|fault| format!("{place}: {fault}"))?;
    }
    for (name, provider) in &catalogue.providers {
        let is_default = |model: &String| {
            catalogue.models.iter().any(|listed| listed.provider == *name && listed.matches_name(model))
        };
        if let Some(model) = provider.default.as_ref().filter(|model| !is_default(model)) {
            let (name, model) = (quote_text(name), quote_text(model));
            return Err(format!("providers.{name}.default: {model} is not among the models"));
        }
    }
    Ok(())
}

fn check_model(model: &ListedModel) -> Result<(), ValueFault> {
    refuse_if(!is_name(&model.name), "name", "it is not a name of a model")?;
    let mut prices = vec![
        ("input", Some(model.input)),
        ("cached", model.cached),
        ("cache_write", model.cache_write),
        ("output", Some(model.output)),
    ];
    if let Some(long) = &model.long {
        let why = format!("{} is not within the context", long.above);
        refuse_if(!(1..model.context).contains(&long.above), "long.above", why)?;
        let is_cheaper = long.input < model.input || long.output < model.output;
        refuse_if(is_cheaper, "long", "a long prompt costs less than a short one")?;
        prices.extend([
            ("long.input", Some(long.input)),
            ("long.cached", long.cached),
            ("long.cache_write", long.cache_write),
            ("long.output", Some(long.output)),
        ]);
    }
    for (field, price) in prices {
        refuse_found(price.filter(|price| !(PRICE_MIN..=PRICE_MAX).contains(price)), field, |price| {
            format!(
                "{price} is not a price; a price is {PRICE_MIN} to {PRICE_MAX} millionths of a US dollar per million tokens"
            )
        })?;
    }
    refuse_found(model.cached.filter(|cached| *cached > model.input), "cached", |cached| {
        format!("{cached} is more than reading without a cache costs")
    })?;
    let why = format!("{} is not a number of tokens that a model holds", model.context);
    refuse_if(!(CONTEXT_MIN..=CONTEXT_MAX).contains(&model.context), "context", why)?;
    refuse_found(check_date(&model.date).err(), "date", |why| why)?;
    let is_address = is_web_address(&model.source) && is_line(&model.source);
    refuse_if(!is_address || model.source.contains(char::is_whitespace), "source", "it is not an address")?;
    let is_note = model.note.as_deref().is_none_or(is_line);
    refuse_if(!is_note, "note", "it is not a single line of at most 300 characters")
}

fn check_date(text: &str) -> Result<(), String> {
    match age_days(text) {
        None => Err(format!("{} is not a date; write for example 2026-01-31", quote_text(text))),
        // Tomorrow it may be elsewhere already.
        Some(days) if days < -1 => Err(format!("{text} is in the future")),
        Some(_) => Ok(()),
    }
}

/// How many days ago a date was.
pub(super) fn age_days(text: &str) -> Option<i32> {
    let date: Date = text.parse().ok().filter(|_| text.len() == 10)?;
    let today: Date = today().parse().ok()?;
    today.since(date).ok().map(|span| span.get_days())
}

/// A host as addresses have it.
pub(super) fn normalize_host(text: &str) -> String {
    text.trim_end_matches('.').to_ascii_lowercase()
}

fn is_name(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || "._:/@+-".contains(c);
    !text.is_empty() && text.len() <= 128 && text.chars().all(letter)
}

fn is_line(text: &str) -> bool {
    text.chars().count() <= TEXT_MAX && !text.chars().any(char::is_control)
}

/// The text of another party within a message.
fn quote_text(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if is_name(&short) { short } else { format!("{short:?}") }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn with(change: impl FnOnce(&mut Value)) -> Result<Catalogue, String> {
        let mut catalogue = json!({
            "format": 1,
            "providers": {"lab": {"host": "lab.test", "default": "m", "date": "2025-01-01"}},
            "models": [{"provider": "lab", "name": "m", "input": 1_000_000, "cached": 100_000, "output": 2_000_000,
                        "context": 100_000, "date": "2025-01-01", "source": "https://lab.test/prices"}],
        });
        change(&mut catalogue);
        parse_catalogue(&catalogue.to_string())
    }

    #[test]
    fn a_sound_catalogue_is_read_in_both_forms() {
        let catalogue = with(|_| {}).unwrap();
        let toml = toml::to_string(&catalogue).unwrap();
        assert_eq!(parse_catalogue(&toml), Ok(catalogue));
    }

    #[test]
    fn a_catalogue_that_lies_is_refused_with_the_entry_and_the_reason() {
        let model = |field: &str, value: Value, wanted: &str| {
            let error = with(|whole| whole["models"][0][field] = value.clone()).expect_err(wanted);
            assert!(error.contains("models[0]") && error.contains(wanted), "{field} {value}: {error}");
        };
        model("input", json!(0), "0 is not a price");
        model("output", json!(0), "0 is not a price");
        model("cached", json!(0), "0 is not a price");
        model("input", json!(-5), "invalid value");
        model("input", json!(99), "99 is not a price");
        model("input", json!(1.5), "floating point");
        model("output", json!("cheap"), "invalid type");
        model("output", json!(10_000_000_001_u64), "is not a price");
        model("output", json!(u64::MAX), "is not a price");
        model("cached", json!(1_000_001), "more than reading without");
        model("context", json!(0), "context: 0");
        model("context", json!(1_000_000_000), "context");
        model("date", json!("soon"), "is not a date");
        model("date", json!("2025-02-30"), "is not a date");
        model("date", json!("9999-01-01"), "in the future");
        model("source", json!("javascript:alert(1)"), "not an address");
        model("source", json!("https://x\u{1b}[2J"), "not an address");
        model("name", json!("m\nn"), "not a name");
        model("note", json!("a\nb"), "not a single line");
        model("provider", json!("other"), "its provider is not listed");
        model("long", json!({"above": 0, "input": 1_000_000, "output": 2_000_000}), "not within the context");
        model("long", json!({"above": 9, "input": 999_999, "output": 2_000_000}), "costs less than a short one");
        model("long", json!({"above": 9, "input": 1_000_000, "cached": 0, "output": 2_000_000}), "0 is not a price");
        model("price", json!(1), "unknown field");
        for (change, wanted) in [
            (json!({"format": 2}), "format: 2"),
            (json!({}), "missing field `format`"),
            (json!([1]), "format"),
            (json!({"format": 1, "providers": {"a b": {"host": "h", "date": "2025-01-01"}}}), "not a name"),
        ] {
            let error = parse_catalogue(&change.to_string()).expect_err(wanted);
            assert!(error.contains(wanted) || change.is_array(), "{change}: {error}");
        }
        let error = with(|whole| {
            let twice = whole["models"][0].clone();
            whole["models"].as_array_mut().unwrap().push(twice);
        });
        assert!(error.expect_err("twice").contains("models[1] (lab m): it is listed twice"));
        assert!(parse_catalogue(&" ".repeat(BYTES_MAX + 1)).expect_err("large").contains("larger than 1 MB"));
        assert!(parse_catalogue("format = ").is_err());
        let sound = with(|_| {}).unwrap();
        let sound = serde_json::to_string(&sound).unwrap();
        assert!(parse_catalogue(&format!("\u{feff}{sound}\n")).is_ok());
        for (text, wanted) in [
            (format!("{sound}garbage"), "after its end"),
            (format!("{sound}{sound}"), "after its end"),
            ("[]".into(), "it is a list"),
        ] {
            let error = parse_catalogue(&text).expect_err(wanted);
            assert!(error.contains(wanted), "{error}");
        }
        let two = with(|whole| whole["providers"]["other"] = json!({"host": "LAB.test.", "date": "2025-01-01"}));
        assert!(two.expect_err("one host").contains("is also that of"));
        let default = with(|whole| whole["providers"]["lab"]["default"] = json!("gone"));
        assert!(default.expect_err("default").contains("providers.lab.default: gone is not among the models"));
    }
}
