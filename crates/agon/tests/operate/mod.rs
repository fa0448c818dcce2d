//! Operating agon: backups, deletion, health, limits and webhooks, as real processes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)] // Helpers are part of the tests.

mod backup;
pub(crate) use crate::cli::database;
mod deletion;
mod health;
mod in_database;
pub(crate) use crate::cli::served;
mod shared;
mod telemetry;
mod webhooks;
pub(crate) use crate::cli::workspace;
