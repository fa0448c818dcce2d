//! Text in eighteen languages, and what holds for any text.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

mod languages;
mod laws;
