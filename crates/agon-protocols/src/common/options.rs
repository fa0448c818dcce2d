//! Options that several protocols share.

use std::{error::Error, sync::LazyLock};

use agon_core::{Manifest, OptionSpec};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::parse_shipped_toml;

/// What is said of one option.
type Table = Map<String, Value>;

static SHARED: LazyLock<Vec<Table>> =
    LazyLock::new(|| parse_shipped_toml::<SharedOptions>(include_str!("options.toml")).options);

#[derive(Deserialize)]
struct SharedOptions {
    #[serde(rename = "option")]
    options: Vec<Table>,
}

/// A manifest, with what it does not say itself about the options that it shares with others.
///
/// # Errors
///
/// Where it is not a manifest.
pub fn parse_manifest(text: &str) -> Result<Manifest, Box<dyn Error>> {
    let mut value: Value = toml::from_str(text)?;
    if let Some(Value::Array(options)) = value.get_mut("option") {
        options.iter_mut().filter_map(Value::as_object_mut).for_each(complete_option);
    }
    Ok(Manifest::deserialize(&value)?)
}

/// Options of every protocol that a file declares.
pub fn declared_options() -> Vec<OptionSpec> {
    ["verify", "reader", "lookups"]
        .into_iter()
        .filter_map(find_shared_option)
        .filter_map(|table| OptionSpec::deserialize(&Value::Object(table.clone())).ok())
        .collect()
}

fn complete_option(option: &mut Table) {
    let name = option.get("name").and_then(Value::as_str);
    for (key, value) in name.and_then(find_shared_option).into_iter().flatten() {
        option.entry(key.clone()).or_insert_with(|| value.clone());
    }
}

fn find_shared_option(name: &str) -> Option<&'static Table> {
    SHARED.iter().find(|option| option.get("name").and_then(Value::as_str) == Some(name))
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
