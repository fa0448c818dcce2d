//! One process drives a debate at a time. The lock is the operating system's, so it dies with its
//! process; safety never rests on it, but on compare-and-append.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::{Path, PathBuf},
};

use agon_core::DebateId;

use super::DriveError;
use crate::time::stamp;

/// The operating system's lock on a debate. Its holder drives the debate; it ends with its process.
#[derive(Debug)]
pub struct DriveLock {
    _file: File,
}

impl DriveLock {
    /// Takes the lock of `debate`, or says who holds it.
    pub fn take(home: &Path, debate: &DebateId) -> Result<Self, DriveError> {
        let path = lock_path(home, debate);
        let fault = |error: std::io::Error| DriveError::Lock { path: path.clone(), why: error.to_string() };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(fault)?;
        }
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {
                let holder = format!("process {} since {}", std::process::id(), stamp().0);
                file.set_len(0).and_then(|()| file.write_all(holder.as_bytes())).map_err(fault)?;
                tracing::debug!(%debate, "lock taken");
                Ok(Self { _file: file })
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
                tracing::debug!(%debate, "lock held by another process");
                let holder = if holder.is_empty() { "another process".to_owned() } else { holder };
                Err(DriveError::Held { held: format!("{holder} drives {debate}") })
            }
            Err(TryLockError::Error(error)) => Err(fault(error)),
        }
    }
}

fn lock_path(home: &Path, debate: &DebateId) -> PathBuf {
    home.join("locks").join(format!("{debate}.lock"))
}
