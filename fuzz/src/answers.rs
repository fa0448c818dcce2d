//! The reader of answers, with whatever bytes a participant can write. What must hold of every text is checked by
//! [`agon_core::answer::check_reading`], which the tests run over the corpus.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        agon_core::answer::check_reading(text);
    }
});
