//! Providers against a scripted server on loopback: what is sent, what is counted, and how every
//! fault is told.

#![allow(clippy::unwrap_used, reason = "helpers of tests stand outside the functions that the lint knows")]
#![allow(clippy::print_stdout, reason = "figures are part of the tests")]

mod faults;
mod limits;
mod lookups;
mod probes;
mod rates;
mod requests;
mod services;
mod setup;
