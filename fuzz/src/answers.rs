//! Fuzzes the reader of answers; `checks/answers.rs` says what must hold, and the tests run it over `corpus/answers`.
#![no_main]

#[path = "../checks/answers.rs"]
mod answers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| answers::check(bytes));
