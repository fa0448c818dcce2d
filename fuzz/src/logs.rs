//! Fuzzes the reader of logs; `checks/logs.rs` says what must hold, and the tests run it over `corpus/logs`.
#![no_main]

#[path = "../checks/logs.rs"]
mod logs;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| logs::check(bytes));
