//! The program as its users have it: real processes, a real journal, real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)] // Helpers are part of the tests.

mod accounts;
mod ask;
mod bad_input;
mod batch;
mod batch_rates;
mod batch_stream;
mod blind_chair;
mod cited;
#[cfg(feature = "cluster")]
mod cluster;
mod connections;
mod context;
pub(crate) mod database;
mod decision;
mod declared;
mod degraded;
mod examples;
mod flags;
mod gate;
mod graph;
mod http;
mod human;
mod journal;
mod judging;
mod kill;
mod life;
mod log;
mod older;
mod output;
mod prices;
mod revision;
mod rows;
mod serve;
pub(crate) mod served;
mod served_limits;
mod trust;
mod verify;
mod view;
mod withheld;
pub(crate) mod workspace;
