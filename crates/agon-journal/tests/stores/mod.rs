//! The journal over each of its stores: SQLite always, Postgres where `AGON_TEST_POSTGRES` is the address of a server on
//! which schemas may be made, as `scripts/postgres` prints it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)] // Helpers are part of the tests.

mod accounts;
#[cfg(feature = "cluster")]
mod copy;
#[cfg(feature = "cluster")]
mod cut;
mod operation;
mod passkeys;
#[cfg(feature = "cluster")]
mod refused;
mod rules;
mod same;
mod search;
mod store;
#[cfg(feature = "cluster")]
mod tls;
mod webhook_queue;
