//! A test disk that simulates a killed process.

use std::{cell::Cell, io, path::Path};

use crate::files::disk::{Disk, RealDisk};

/// Steps left of one that is dead.
const DEAD: usize = usize::MAX;

/// A disk under a process that dies: the first `steps` steps happen, the next one half at most, and
/// nothing after it.
#[derive(Debug)]
pub struct DyingDisk {
    left: Cell<usize>,
}

impl DyingDisk {
    /// Dies after `steps` steps.
    pub fn after(steps: usize) -> Self {
        Self { left: Cell::new(steps) }
    }

    /// Whether it was outlived.
    pub fn lived(&self) -> bool {
        self.left.get() != DEAD
    }

    /// `half` is what of the step a kill leaves behind.
    fn step(&self, whole: impl FnOnce() -> io::Result<()>, half: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        match self.left.get() {
            DEAD => {}
            0 => {
                self.left.set(DEAD);
                half()?;
            }
            left => {
                self.left.set(left - 1);
                return whole();
            }
        }
        Err(io::Error::other("the process was killed here"))
    }
}

impl Disk for DyingDisk {
    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let half = &content[..content.len() / 2];
        self.step(|| RealDisk.write(path, content), || RealDisk.write(path, half))
    }

    fn append(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let half = &content[..content.len() / 2];
        self.step(|| RealDisk.append(path, content), || RealDisk.append(path, half))
    }

    fn truncate(&self, path: &Path, length: u64) -> io::Result<()> {
        self.step(|| RealDisk.truncate(path, length), || Ok(()))
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        self.step(|| RealDisk.sync(path), || Ok(()))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(|| RealDisk.rename(from, to), || Ok(()))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(|| RealDisk.remove(path), || Ok(()))
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|| RealDisk.make_folder(path), || Ok(()))
    }
}
