//! Files that several processes change: all of a change or nothing of it, even if a process is killed.

pub mod commit;
pub mod disk;
pub mod line_log;
