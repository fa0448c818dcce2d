//! Operating agon: backups, deletion, health, limits and webhooks, as real processes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)] // Helpers are part of the tests.

mod backup;
#[path = "../cli/database.rs"]
mod database;
mod deletion;
mod health;
mod in_database;
#[path = "../cli/served.rs"]
#[allow(dead_code)]
mod served;
mod shared;
mod telemetry;
mod webhooks;
#[path = "../cli/workspace.rs"]
#[allow(dead_code)]
mod workspace;
