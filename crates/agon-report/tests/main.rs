//! The integration tests of this crate, as one program: each module holds those of one area.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.
#![allow(clippy::duplicate_mod)] // Areas share what drives debates, which other crates include as well.

mod chaired;
mod chaired_log;
mod common;
mod duel;
mod exchange;
mod exchange_basis;
mod judging;
mod panel;
mod record_jsonl;
mod report;
mod reports;
mod review;
mod revise;
mod shared_data;
mod transcript;
mod tutorial;
