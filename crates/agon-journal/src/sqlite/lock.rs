//! The operating system's lock on a debate, which ends with its process.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{ErrorKind, Read, Seek, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use agon_core::DebateId;

use super::super::storage::{DriveLock, LockError};
use crate::time::current_stamp;

/// How often, and after what pause, a lock is tried that someone has: who only looks has it for less.
const TRIES: usize = 3;
const PAUSE: Duration = Duration::from_millis(2);

/// Takes the lock of `debate` in the data directory `home`, or says who holds it.
pub(super) fn acquire_lock(home: &Path, debate: &DebateId) -> Result<DriveLock, LockError> {
    let path = lock_path(home, debate);
    let fault = |error: std::io::Error| LockError::Fault { path: path.clone(), why: error.to_string() };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(fault)?;
    }
    let mut options = OpenOptions::new();
    let mut file = options.read(true).write(true).create(true).truncate(false).open(&path).map_err(fault)?;
    let mut locked = file.try_lock();
    for _ in 1..TRIES {
        if matches!(locked, Err(TryLockError::WouldBlock)) {
            thread::sleep(PAUSE);
            locked = file.try_lock();
        }
    }
    match locked {
        Ok(()) => {
            let holder = format!("process {} since {}", std::process::id(), current_stamp().0);
            file.set_len(0).and_then(|()| file.write_all(holder.as_bytes())).map_err(fault)?;
            Ok(DriveLock { fence: None, _held: Box::new(file) })
        }
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
            let holder = if holder.is_empty() { "another process".to_owned() } else { holder };
            Err(LockError::Held(format!("{holder} drives {debate}")))
        }
        Err(TryLockError::Error(error)) => Err(fault(error)),
    }
}

/// Whether a process has the lock of `debate`. Any number can look at once.
pub(super) fn is_held(home: &Path, debate: &DebateId) -> std::io::Result<bool> {
    let file = match File::open(lock_path(home, debate)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        file => file?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn lock_path(home: &Path, debate: &DebateId) -> PathBuf {
    home.join("locks").join(format!("{debate}.lock"))
}
