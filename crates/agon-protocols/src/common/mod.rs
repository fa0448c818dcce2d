//! Code that several protocols share.

pub mod absence;
pub mod citable_document;
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

use agon_core::{Manifest, Outcome, Seat};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Name of the document that lists a debate's material.
pub const MATERIAL: &str = "material";
/// Option that names the seats whose participants can open pages: nobody else is told to look something up.
pub const OPENS_PAGES: &str = "opens_pages";
/// Seat of the part of the program that looks at the files of a debate about a document.
pub const WITNESS: &str = "witness";
/// The prompt that asks for a statement again; appended to the prompt it was first asked with.
pub const REDRAFT: (&str, &str) = ("redraft", include_str!("prompts/redraft.md"));

/// What a `Protocol` says by files next to its script: its manifest; where they are named `facts` (`facts.rs`), `people`
/// (`people.toml`) and `skill` (`skill.md`); its templates, each `prompts/NAME.md`; and templates that protocols share.
#[macro_export]
macro_rules! shipped_files {
    ($toml:literal $(, $own:ident)*; $($name:literal),*; $($shared:expr),*) => {
        fn manifest(&self) -> &::agon_core::Manifest {
            static MANIFEST: ::std::sync::LazyLock<::agon_core::Manifest> =
                ::std::sync::LazyLock::new(|| $crate::common::parse_shipped_manifest(include_str!($toml)));
            &MANIFEST
        }

        fn prompt_templates(&self) -> &[(&str, &str)] {
            &[$(($name, include_str!(concat!("prompts/", $name, ".md"))),)* $($shared),*]
        }

        $($crate::shipped_files! { @$own })*
    };
    (@facts) => {
        fn prompt_facts(&self, heard: &::agon_core::View<'_>, request: &::agon_core::Request) -> ::agon_core::Facts {
            facts::prompt_facts(heard, request)
        }

        fn answer_schema(
            &self,
            heard: &::agon_core::View<'_>,
            request: &::agon_core::Request,
        ) -> Option<::agon_core::form::FormField> {
            facts::answer_schema(heard, request)
        }
    };
    (@people) => {
        fn human_prompts(&self) -> &::agon_core::People {
            static PEOPLE: ::std::sync::LazyLock<::agon_core::People> =
                ::std::sync::LazyLock::new(|| $crate::common::parse_shipped_toml(include_str!("people.toml")));
            &PEOPLE
        }
    };
    (@skill) => {
        fn skill_text(&self) -> Option<&str> {
            Some(include_str!("skill.md"))
        }
    };
}

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

/// What a shipped TOML file holds. A wrong one fails every test.
///
/// The file becomes JSON first, which all types are read from anyway: so no type is compiled for TOML alone.
pub fn parse_shipped_toml<T: DeserializeOwned>(toml: &str) -> T {
    let unsound = |error: &dyn std::fmt::Display| -> ! { unreachable!("shipped files are sound: {error}") };
    let value: Value = toml::from_str(toml).unwrap_or_else(|error| unsound(&error));
    T::deserialize(&value).unwrap_or_else(|error| unsound(&error))
}
