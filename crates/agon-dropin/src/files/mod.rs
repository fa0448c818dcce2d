//! Files that several processes change: all of a change or nothing of it, whoever is killed.

pub mod commit;
pub mod disk;
pub mod line_log;
