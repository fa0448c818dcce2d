//! The argument graph and the report, over a scripted debate of each protocol.
#![allow(clippy::duplicate_mod)] // Debates of several protocols share what drives them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

mod debates;
mod extraction;
mod first_page;
mod graph;
mod memo;
mod page;
mod probes;
mod report;
mod strengths;
