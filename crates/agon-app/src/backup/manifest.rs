//! The list of what a backup holds: `manifest.json`, its last entry.

use std::{
    io::{self, Read, Write},
    path::{Component, Path},
};

use agon_journal::sqlite::snapshot::CopiedDebate;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Version of the format that this program writes.
pub const FORMAT: u32 = 1;
/// Its name in the archive.
pub(super) const NAME: &str = "manifest.json";
/// Largest manifest, in bytes: about a million debates.
pub(super) const BYTES_MAX: u64 = 256 << 20;
/// Bytes that are copied at a time.
const BLOCK: usize = 64 * 1024;

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupManifest {
    /// Version of the format: 1.
    pub format: u32,
    /// Version of the program that wrote it.
    pub agon: String,
    /// When it was written.
    pub at: String,
    /// Every file, in order.
    pub files: Vec<BackedUpFile>,
    /// Every debate, oldest first: length and head of its record.
    pub debates: Vec<CopiedDebate>,
}

/// One file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackedUpFile {
    /// Relative to the data directory, with `/`.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256, in hexadecimal.
    pub sha256: String,
}

impl BackedUpFile {
    /// Whether its path stays in the data directory, in one of the places that backups use.
    pub(super) fn is_placed(&self) -> bool {
        let path = Path::new(&self.path);
        let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let first = self.path.split('/').next().unwrap_or_default();
        let whole = [super::JOURNAL, super::MATERIAL].into_iter().chain(super::FILES);
        let below = super::FOLDERS.contains(&first) && self.path.len() > first.len() + 1;
        plain && !self.path.contains('\\') && (below || whole.into_iter().any(|name| name == self.path))
    }
}

/// Copies at most `bytes_max` bytes and gives their number and SHA-256.
///
/// # Errors
///
/// What reading or writing says, and `FileTooLarge` where there is more.
pub(super) fn copy_hashed(from: &mut impl Read, to: &mut impl Write, bytes_max: u64) -> io::Result<(u64, String)> {
    let (mut hash, mut bytes, mut block) = (Sha256::new(), 0_u64, vec![0; BLOCK]);
    loop {
        let read = from.read(&mut block)?;
        if read == 0 {
            let hex = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            return Ok((bytes, hex));
        }
        bytes += read as u64;
        if bytes > bytes_max {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than its manifest says"));
        }
        hash.update(&block[..read]);
        to.write_all(&block[..read])?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_its_places() {
        let placed = |path: &str| BackedUpFile { path: path.into(), bytes: 0, sha256: String::new() }.is_placed();
        for good in ["journal.db", "material.db", "prices.json", "sources/ab/abc", "late/d1/judge-1.txt"] {
            assert!(placed(good), "{good}");
        }
        for bad in [
            "",
            "/etc/passwd",
            "sources",
            "sources/",
            "sources/../../x",
            "serve-token",
            "a\\b",
            "models/x",
            "..",
            "journal.db/x",
        ] {
            assert!(!placed(bad), "{bad}");
        }
    }
}
