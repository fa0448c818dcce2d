//! The files of the duel: what its format demands, one test each, named after it.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

mod artifact;
mod basis;
mod events;
mod files;
mod scripted;
