//! The debate protocols: one folder each, with its script, its statements and their rules, its
//! manifest and its prompts. Nothing here does IO; a protocol knows only the floor.

pub mod chaired;
pub mod common;
pub mod duel;
pub mod exchange;
pub mod panel;
pub mod revise;

use agon_core::Protocol;

/// Every protocol. A new one is its folder and its line here.
pub static ALL: &[&dyn Protocol] =
    &[&duel::Duel, &exchange::Exchange, &revise::Revise, &panel::Moderated, &chaired::Chaired];

/// The protocol called `name`.
pub fn find(name: &str) -> Option<&'static dyn Protocol> {
    ALL.iter().copied().find(|protocol| protocol.name() == name)
}
