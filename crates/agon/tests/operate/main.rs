//! Operating agon: backups, deletion, health, limits and webhooks, as real processes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

mod backup;
mod deletion;
mod health;
#[path = "../cli/served.rs"]
#[allow(dead_code)]
mod served;
mod telemetry;
mod webhooks;
#[path = "../cli/workspace.rs"]
#[allow(dead_code)]
mod workspace;
