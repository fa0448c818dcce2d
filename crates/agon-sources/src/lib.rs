//! Whether a cited page exists, and whether it says what is cited.
//!
//! `text` and `check` are pure: from the bytes of a page to its words, from a passage and pages to findings. `fetch` is
//! the only part that uses network, clock and disk.
//!
//! - [`text`]: HTML, PDF, tables; [`liveness`]: the state of a page
//! - [`check`]: citations in a text; quotations and digits on a page; what comes of comparing them
//! - [`web_search`]: services that find pages
//! - [`fetch`]: policy, addresses, redirects and robots.txt, archive, store, PDF in a separate process

pub mod check;
pub mod fetch;
pub mod liveness;
pub mod text;
pub mod web_search;
