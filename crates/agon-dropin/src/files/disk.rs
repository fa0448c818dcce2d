//! The few things that verbs do to a disk, one at a time, so that tests can let a process die
//! between any two of them.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// A disk. Each method is one step: after a kill it has happened or it has not, except that a
/// write may be there in part.
pub trait Disk {
    /// Writes a new file, or over an old one, without syncing it.
    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()>;
    /// Adds to the end of a file, which is made where there is none, without syncing it.
    fn append(&self, path: &Path, content: &[u8]) -> io::Result<()>;
    /// Cuts a file after `length` bytes.
    fn truncate(&self, path: &Path, length: u64) -> io::Result<()>;
    /// Makes what was written to a file or changed in a folder last.
    fn sync(&self, path: &Path) -> io::Result<()>;
    /// Puts a file at the place of another.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder and those above it.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
}

/// The disk of this machine.
#[derive(Debug, Clone, Copy)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        fs::write(path, content)
    }

    fn append(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        OpenOptions::new().append(true).create(true).open(path)?.write_all(content)
    }

    fn truncate(&self, path: &Path, length: u64) -> io::Result<()> {
        OpenOptions::new().write(true).open(path)?.set_len(length)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }
}
