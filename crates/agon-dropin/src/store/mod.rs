//! The tables of the drop-in verbs in the journal's database.

pub mod duels;
pub mod events;
pub mod findings;
pub mod receipts;
pub mod runs;
