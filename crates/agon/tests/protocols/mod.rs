//! Every protocol with every end of its rules, and with each of its seats lost: over real HTTP
//! against the loopback server, by the driver and the journal that ship; and killed at any instant,
//! as a process.
#![cfg(unix)]
#![allow(clippy::duplicate_mod)] // Scripted debates of other crates each bring the driver of their tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

#[allow(dead_code)]
mod canned;
mod chaired;
mod documented;
mod duel;
mod exchange;
mod kill;
mod panel;
mod revise;
mod seats;
mod stage;
#[allow(dead_code)]
pub(crate) use crate::cli::workspace;
