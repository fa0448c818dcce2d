//! A real server on a port of its own, over a real journal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // Helpers are part of the tests.

mod api;
mod decision;
mod door;
mod evaluations;
pub(crate) use crate::house;
mod interrupted;
mod map;
mod pages;
mod programs;
mod watch;
