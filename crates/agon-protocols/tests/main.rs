//! The integration tests of this crate, as one program: each module holds those of one area.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.
#![allow(clippy::duplicate_mod)] // Areas share what drives debates, which other crates include as well.

mod arms;
mod chaired_course;
mod chaired_turn;
mod declarations;
mod declared_course;
mod duel;
mod exchange_statements;
mod forms;
mod laws;
mod lineup_names;
mod panel;
mod panel_rules;
mod panel_settled;
mod review_course;
mod revise_dimensions;
mod revise_statements;
