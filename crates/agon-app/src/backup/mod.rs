//! Backups of the data directory, written while debates run, and their restoration.
//!
//! - [`manifest`]: what a backup holds, with digests
//! - [`write_backup`]: one file, checked before and after it is written, put in place by one rename
//! - [`restore_backup()`]: into a data directory without debates, after every digest and every record was verified

pub mod manifest;
mod restore;
mod write;

pub use self::{
    manifest::{BackedUpFile, BackupManifest},
    restore::restore_backup,
    write::write_backup,
};
use crate::failure::Failure;

/// The journal, in a backup and in the data directory.
const JOURNAL: &str = "journal.db";
/// The store of all material.
pub(crate) const MATERIAL: &str = "material.db";
/// Single files of the data directory that nothing else could give again.
const FILES: [&str; 1] = ["prices.json"];
/// Folders of such files: cited pages, texts of people who were too late, drafts of people.
const FOLDERS: [&str; 3] = ["sources", "late", "drafts"];

fn io_failure(path: &std::path::Path, error: impl std::fmt::Display) -> Failure {
    let message = format!("{}: {error}", path.display());
    Failure::io(message, "free disk space, grant permission, or choose another file")
}

fn damaged_failure(path: &std::path::Path, why: impl std::fmt::Display) -> Failure {
    let message = format!("{}: {why}", path.display());
    Failure::damaged(message, "nothing was changed; use another backup")
}
