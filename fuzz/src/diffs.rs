//! Fuzzes the reader of diffs; `checks/diffs.rs` says what must hold, and the tests run it over `corpus/diffs`.
#![no_main]

#[path = "../checks/diffs.rs"]
mod diffs;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| diffs::check(bytes));
