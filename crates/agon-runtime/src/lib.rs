//! Drives debates: the journal, the loop, participants, prompts, budgets and retries.

pub mod config;
pub mod desk;
pub mod drive;
pub mod files;
pub mod import;
pub mod journal;
pub mod participant;
pub mod prompts;
pub mod rehearse;
pub mod replay;
pub mod retry;
pub mod time;
