//! The duel: every rule of its turns, and every way it goes and ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

mod course;
mod scripted;
mod turns;
mod watched;
