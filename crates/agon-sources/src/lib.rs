//! Whether a cited page exists, and whether it says what is cited.
//!
//! `text` and `check` are pure: from the bytes of a page to its words, from a passage and pages to
//! findings. `fetch` is the only part that uses network, clock and disk.

pub mod check;
pub mod fetch;
pub mod liveness;
pub mod text;
