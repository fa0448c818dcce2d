//! The material that a debate is about: files, folders, diffs, texts and pages.
//!
//! This crate reads, cuts, stores and searches material, and compares quotes with it. It knows nothing about
//! debates.
//!
//! - [`diff`]: unified diffs; [`passages`]: a text, cut into parts with places
//! - [`gather`]: from files, folders, git, texts and pages to contents; [`gathered_content`]: those contents;
//!   [`manifest`]: the list that a record pins
//! - [`git`]: calls of that program, with limits; [`local_changes`]: the changes of a working copy
//! - [`store`]: contents by digest, with an index of their passages; [`search`]: the passages for a request
//! - [`lookup`]: what a seat that asks is shown of it
//! - [`quotes`]: whether a quote stands where it is said to; [`secrets`]: keys and passwords that must not be
//!   sent

pub mod diff;
mod excerpt;
pub mod gather;
pub mod gathered_content;
pub mod git;
pub mod local_changes;
pub mod lookup;
pub mod manifest;
pub mod passages;
mod prompt_display;
pub mod quotes;
pub mod search;
mod search_words;
pub mod secrets;
pub mod store;
