//! Seats that others sit at: command-line agents, people and agents at the desk, MCP clients, and
//! the skills that teach them. Real processes, a real journal.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

mod acts;
mod agents;
mod chair;
mod client;
mod duellists;
mod guides;
mod matrix;
mod mcp;
mod seats;
#[allow(dead_code)]
pub(crate) use crate::cli::served;
mod skills;
mod slow;
#[allow(dead_code)]
pub(crate) use crate::cli::workspace;
