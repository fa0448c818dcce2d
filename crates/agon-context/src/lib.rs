//! The material that a debate is about: files, folders, diffs, texts and pages.
//!
//! This crate reads, cuts, stores and searches material, and compares quotes with it. It knows nothing about debates.
//!
//! - [`place`]: `path:line`; [`diff`]: unified diffs; [`passages`]: a text, cut into parts with places

pub mod diff;
pub mod passages;
pub mod place;
