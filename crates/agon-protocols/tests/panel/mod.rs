//! Debates of the panel, played.

pub mod stage;
