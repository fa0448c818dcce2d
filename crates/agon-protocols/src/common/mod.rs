//! Code that several protocols share.

pub mod absence;
pub mod claim_reading;
pub mod family;
pub mod fields;
pub mod final_answer;
pub mod first_sentence;
pub mod form;
pub mod headings;
pub mod imported_debate;
pub mod lineup;
pub mod options;
pub mod parallel_answers;
pub mod prompt_facts;
pub mod readings;
pub mod redacted_text;
pub mod request_values;
pub mod rounds;
pub mod skill;
pub mod source_check;
pub mod struck_text;
pub mod unsourced_figures;
pub mod verification;
pub mod verifier_finding;

use agon_core::{Manifest, Outcome, People, Seat};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Name of the document that lists a debate's material.
pub const MATERIAL: &str = "material";
/// Option that names the seats whose participants can open pages: nobody else is told to look something up.
pub const OPENS_PAGES: &str = "opens_pages";
/// The prompt that asks for a statement again; appended to the prompt it was first asked with.
pub const REDRAFT: (&str, &str) = ("redraft", include_str!("prompts/redraft.md"));

/// Templates by their names, each from `prompts/NAME.md` next to a protocol's script; and those of all protocols.
macro_rules! templates {
    ($($name:literal),*; $($shared:expr),*) => {
        &[$(($name, include_str!(concat!("prompts/", $name, ".md"))),)* $($shared),*]
    };
}
pub(crate) use templates;

/// A manifest from the TOML file next to a protocol's script. A wrong one fails every test.
pub fn parse_shipped_manifest(toml: &str) -> Manifest {
    options::parse_manifest(toml).unwrap_or_else(|error| unreachable!("a shipped manifest is sound: {error}"))
}

/// A seat that a manifest names.
pub fn named_seat(name: &str) -> Seat {
    Seat::new(name).unwrap_or_else(|error| unreachable!("a shipped manifest names sound seats: {error}"))
}

/// A count among the figures of an outcome.
pub fn find_count_figure(outcome: &Outcome, name: &str) -> Option<u32> {
    outcome.figures.get(name)?.as_u64()?.try_into().ok()
}

/// The words for people, from the TOML file next to a protocol's script. A wrong one fails every test.
pub fn parse_people(toml: &str) -> People {
    parse_shipped_toml(toml)
}

/// What a shipped TOML file holds. A wrong one fails every test.
///
/// The file becomes JSON first, which all types are read from anyway: so no type is compiled for TOML alone.
pub fn parse_shipped_toml<T: DeserializeOwned>(toml: &str) -> T {
    let unsound = |error: &dyn std::fmt::Display| -> ! { unreachable!("shipped files are sound: {error}") };
    let value: Value = toml::from_str(toml).unwrap_or_else(|error| unsound(&error));
    T::deserialize(&value).unwrap_or_else(|error| unsound(&error))
}
