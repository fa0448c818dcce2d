//! The integration tests of this crate, as one program: each module holds those of one area.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.
#![allow(clippy::duplicate_mod)] // Areas share what drives debates, which other crates include as well.

mod cli;
mod dropin;
mod eval;
mod fuzz;
mod operate;
mod outside;
mod protocols;
mod review;
mod revise_prompts;
mod tidy;
