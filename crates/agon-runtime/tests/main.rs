//! The integration tests of this crate, as one program: each module holds those of one area.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

mod commands;
mod outside_seats;
mod providers;
