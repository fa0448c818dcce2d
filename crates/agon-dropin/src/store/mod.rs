//! What the stand-ins keep in the journal's database, in tables of their own.

pub mod duels;
pub mod events;
pub mod findings;
pub mod receipts;
pub mod runs;
