//! Options that several protocols share.

use std::{collections::BTreeMap, error::Error, sync::LazyLock};

use agon_core::{Manifest, OptionSpec};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::parse_shipped_toml;

/// What is said of one option.
type Table = Map<String, Value>;

/// The shared options by their names.
static SHARED: LazyLock<BTreeMap<String, Table>> = LazyLock::new(|| {
    let mut file: BTreeMap<String, Vec<Table>> = parse_shipped_toml(include_str!("options.toml"));
    let options = file.remove("option").unwrap_or_default().into_iter();
    options.filter_map(|option| Some((option.get("name")?.as_str()?.to_owned(), option))).collect()
});

/// A manifest, with what it does not say itself about the options that it shares with others.
///
/// # Errors
///
/// Where it is not a manifest.
pub fn parse_manifest(text: &str) -> Result<Manifest, Box<dyn Error>> {
    let mut value: Value = toml::from_str(text)?;
    let options = value.get_mut("option").and_then(Value::as_array_mut).into_iter().flatten();
    for option in options.filter_map(Value::as_object_mut) {
        let shared = option.get("name").and_then(Value::as_str).and_then(|name| SHARED.get(name));
        for (key, value) in shared.into_iter().flatten() {
            option.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    Ok(Manifest::deserialize(&value)?)
}

/// Options of every protocol that a file declares.
pub fn declared_options() -> Vec<OptionSpec> {
    let shared = ["verify", "reader", "lookups"].into_iter().filter_map(|name| SHARED.get(name));
    shared.filter_map(|table| OptionSpec::deserialize(table).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use agon_core::OptionKind;

    #[test]
    fn one_name_means_one_thing_in_every_protocol() {
        let mut known: BTreeMap<String, (OptionKind, String, String)> = BTreeMap::new();
        for protocol in crate::ALL {
            for option in &protocol.manifest().options {
                let told = (option.kind, option.flag_name(), option.about.clone());
                let first = known.entry(option.name.clone()).or_insert_with(|| told.clone());
                assert_eq!(*first, told, "{} of {}", option.name, protocol.name());
                assert_eq!(option.kind == OptionKind::Choice, !option.values.is_empty(), "{}", option.name);
                assert!(!option.about.ends_with('.'), "{}", option.name);
            }
        }
        assert!(known.len() > 15);
        assert_eq!(super::declared_options().len(), 3);
    }
}
