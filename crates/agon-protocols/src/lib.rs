//! The debate protocols. Each has one folder with its script, its statements and their rules, its manifest, its
//! prompts and its skill. Nothing here does IO; a protocol knows only the floor.
//!
//! Each folder has `mod.rs` (the script), `facts.rs` (values for prompts), `NAME.toml`, `people.toml` (words for a person
//! at a seat) and `prompts/`; most have `state.rs` (the state, rebuilt from rulings), and `sources.rs` or
//! `source_checks.rs` (what statements cite). The other files are the statements of its seats: type, schema and rules.
//!
//! - [`exchange`]: `judge_seats`, `side_labels`, `verdict`, `early_stop` are the judging; [`duel`]: `state`, `outcome` follow the turns
//! - [`revise`]: `convergence`, `plan`, `review`, `synthesis`; [`panel`]: `analysis`, `question`, `review`, `open_questions`
//! - [`chaired`]: `log` derives the log, `rounds` and `closing_phase` are its phases, `chair`, `audience`, `report` its seats
//! - [`review`]: `finding` and `answers` are its statements, `state` what became of each finding, `outcome` the verdict
//! - [`declared`]: protocols from a file: `declaration`, `validation` and `declaration_fault` check it, `script` runs it, `form` reads answers
//! - [`baseline`], [`extraction`]: companions, which run next to another debate
//! - [`common`]: shared options, line-ups, rounds, missing seats, redrafts, sources, readings, struck text and skills

pub mod baseline;
pub mod chaired;
pub mod common;
pub mod declared;
pub mod duel;
pub mod exchange;
pub mod extraction;
pub mod panel;
pub mod review;
pub mod revise;

use std::sync::Arc;

use agon_core::{Protocol, Record};

use self::common::struck_text::LogRedaction;
pub use self::declared::{NoRules, find_recorded_protocol, find_rules};

/// Every protocol. A new one is its folder and its line here.
pub static ALL: &[&dyn Protocol] =
    &[&duel::Duel, &exchange::Exchange, &revise::Revise, &panel::Moderated, &chaired::Chaired, &review::MaterialReview];

/// Protocols of companion debates; they are not opened by themselves.
pub static COMPANIONS: &[&dyn Protocol] = &[&baseline::Baseline, &extraction::Extraction];

/// The shipped protocol called `name`, companions included.
pub fn find_protocol(name: &str) -> Option<&'static dyn Protocol> {
    ALL.iter().chain(COMPANIONS).copied().find(|protocol| protocol.name() == name)
}

/// What is withheld of a debate whose protocol strikes entries of a log of its own, as its manifest says; `None` where
/// nothing is.
fn find_log_redaction(record: &Record) -> Option<Arc<dyn LogRedaction>> {
    chaired::redaction::Redaction::from_record(record).map(|redaction| Arc::new(redaction) as _)
}
