//! Critique and revision: its files, and what it does when somebody is missing.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

mod basis;
mod ends;
mod files;
mod format;
mod joined;
mod play;
mod verdict;
