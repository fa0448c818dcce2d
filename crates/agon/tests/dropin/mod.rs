//! The stand-ins for other systems' programs, as their skills call them: real processes, real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

mod bad_input;
mod conformance;
mod derived;
mod duel;
mod emit;
mod exchange;
mod import;
mod kept;
mod kill;
mod locks;
mod log;
mod own;
mod race;
mod read_back;
pub(crate) use crate::cli::workspace;
