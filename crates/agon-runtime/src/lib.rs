//! Drives debates: the journal, the loop, participants, prompts, budgets and retries.

pub mod commit;
pub mod config;
pub mod desk;
pub mod disk;
pub mod drive;
pub mod files;
pub mod import;
pub mod journal;
pub mod line_log;
pub mod participant;
pub mod prompts;
pub mod rehearse;
pub mod replay;
pub mod retry;
pub mod time;
