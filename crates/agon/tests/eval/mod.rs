//! Evaluations: arms on items, from the command line to the report. Real processes, a real journal, scripted models.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

mod bad_input;
mod kill;
mod runs;
#[allow(dead_code)]
pub(crate) use crate::cli::workspace;
mod world;
