//! Fuzzes the reader of web pages; `checks/pages.rs` says what must hold, and the tests run it over `corpus/pages`.
#![no_main]

#[path = "../checks/pages.rs"]
mod pages;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pages::check(bytes));
