//! The integration tests of this crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

mod stores;
