//! The debate protocols: one folder each, with its script, its statements and their rules, its
//! manifest and its prompts. Nothing here does IO; a protocol knows only the floor.

pub mod baseline;
pub mod chaired;
pub mod common;
pub mod declared;
pub mod duel;
pub mod exchange;
pub mod extraction;
pub mod panel;
pub mod revise;

use agon_core::Protocol;

pub use self::declared::{NoRules, of};

/// Every protocol. A new one is its folder and its line here.
pub static ALL: &[&dyn Protocol] =
    &[&duel::Duel, &exchange::Exchange, &revise::Revise, &panel::Moderated, &chaired::Chaired];

/// Protocols of what stands beside a debate; nobody opens one by itself.
pub static COMPANIONS: &[&dyn Protocol] = &[&baseline::Baseline, &extraction::Extraction];

/// The shipped protocol called `name`, companions included.
pub fn find(name: &str) -> Option<&'static dyn Protocol> {
    ALL.iter().chain(COMPANIONS).copied().find(|protocol| protocol.name() == name)
}
