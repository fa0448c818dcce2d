//! JSON as it must be: one value, in which no object names a key twice.

use std::collections::BTreeSet;

use serde::{Deserialize, de::Error as _};
use serde_json::{Error, Value, value::RawValue};
use serde_with::{Map, serde_as};

/// A text that is JSON and nothing else, in which no object names a key twice.
///
/// # Errors
///
/// Why it is not JSON, or the first key that stands twice.
pub fn parse_strict_json(text: &str) -> Result<Value, Error> {
    let value = serde_json::from_str(text)?;
    check_keys(text)?;
    Ok(value)
}

/// The fields of an object as they were written, with those that stand twice.
#[serde_as]
#[derive(Deserialize)]
struct WrittenFields<'t>(
    #[serde(borrow)]
    #[serde_as(as = "Map<_, _>")]
    Vec<(String, &'t RawValue)>,
);

/// Whether no object within `text`, which is JSON, names a key twice.
fn check_keys(text: &str) -> Result<(), Error> {
    match text.trim_start().as_bytes().first() {
        Some(b'{') => {
            let WrittenFields(fields) = serde_json::from_str(text)?;
            let mut names = BTreeSet::new();
            fields.iter().try_for_each(|(name, value)| match names.insert(name) {
                true => check_keys(value.get()),
                false => Err(Error::custom(format_args!("the key {name:?} stands twice in one object"))),
            })
        }
        Some(b'[') => serde_json::from_str::<Vec<&RawValue>>(text)?.iter().try_for_each(|item| check_keys(item.get())),
        _ => Ok(()),
    }
}
