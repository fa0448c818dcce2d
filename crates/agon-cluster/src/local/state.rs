//! What a keeper notes about its cluster, for other commands and for its successor.

use std::{
    fs::{self, File, TryLockError},
    io::{Read, Seek, Write},
    path::{Path, PathBuf},
};

use agon_app::{Failure, Result, exit};
use serde::{Deserialize, Serialize};

use super::plan::LocalPorts;

/// Most bytes of the file.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// A process of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterProcess {
    /// For messages.
    pub name: String,
    /// Its number.
    pub id: u32,
    /// A word of its command line that no other process has.
    pub mark: String,
}

/// A cluster of this machine: its addresses and processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningCluster {
    /// The folder with its data.
    pub folder: PathBuf,
    /// The address of the database.
    pub journal: String,
    /// Number of the process that keeps it.
    pub keeper: u32,
    /// Its ports.
    pub ports: LocalPorts,
    /// Whether all parts were up.
    pub is_up: bool,
    /// The others, in the order in which they are stopped.
    pub processes: Vec<ClusterProcess>,
}

impl RunningCluster {
    pub(super) fn new(folder: &Path, ports: LocalPorts, journal: String) -> Self {
        let (folder, keeper) = (folder.to_owned(), std::process::id());
        Self { folder, journal, keeper, ports, is_up: false, processes: Vec::new() }
    }

    /// Where commands have debates driven: for `--on`.
    pub fn ingress(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports.ingress)
    }

    /// Where workers register.
    pub fn admin(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports.admin)
    }

    /// Where its worker listens; others may share the address.
    pub fn worker(&self) -> String {
        format!("127.0.0.1:{}", self.ports.worker)
    }

    /// What a keeper noted in `folder`; `None` where there is nothing that can be read.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let path = folder.join(FILE);
        if fs::metadata(&path).ok()?.len() > FILE_BYTES_MAX {
            return None;
        }
        serde_json::from_slice(&fs::read(&path).ok()?).ok()
    }

    /// Notes it, so that who reads sees all of it or what was there before.
    pub(super) fn write(&self) -> Result<()> {
        let (path, new) = (self.folder.join(FILE), self.folder.join("cluster.json.new"));
        let io = |error: std::io::Error| {
            let remedy = "free disk space, or name another folder";
            Failure::new(exit::IO, "io", format!("{}: {error}", path.display()), remedy)
        };
        let text = serde_json::to_vec_pretty(self).map_err(|error| io(error.into()))?;
        fs::write(&new, text).and_then(|()| fs::rename(&new, &path)).map_err(io)
    }
}

const FILE: &str = "cluster.json";

/// The lock of a folder; it ends with its process.
#[derive(Debug)]
pub(super) struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Takes it; `None` if another process has it.
    pub(super) fn take(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join("lock");
        let io = |error: std::io::Error| {
            let remedy = "grant permission, or name another folder";
            Failure::new(exit::IO, "io", format!("{}: {error}", path.display()), remedy)
        };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(io(error)),
        }
    }

    /// Notes in the locked file who keeps the folder from now on.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub(super) fn note(&self, folder: &Path, keeper: &ClusterProcess) -> Result<()> {
        let io = |error: std::io::Error| {
            let what = format!("{}: {error}", folder.join("lock").display());
            Failure::new(exit::IO, "io", what, "free disk space, or name another folder")
        };
        let text = serde_json::to_vec(keeper).map_err(|error| io(error.into()))?;
        let mut file = &self.file;
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&text)).map_err(io)
    }

    /// Who noted last that they keep `folder`. The process that has the lock may not have done so yet.
    pub(super) fn keeper(folder: &Path) -> Option<ClusterProcess> {
        let mut text = Vec::new();
        File::open(folder.join("lock")).ok()?.take(FILE_BYTES_MAX).read_to_end(&mut text).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_keeper_notes_is_read_again_and_one_keeps_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(RunningCluster::read(folder.path()), None);
        let ports = LocalPorts { ingress: 1, admin: 2, node: 3, worker: 4 };
        let mut running = RunningCluster::new(folder.path(), ports, "postgres://a@b/c".into());
        running.processes.push(ClusterProcess { name: "x".into(), id: 7, mark: "y".into() });
        running.write().unwrap();
        assert_eq!(RunningCluster::read(folder.path()), Some(running.clone()));
        assert_eq!(running.ingress(), "http://127.0.0.1:1");
        fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(RunningCluster::read(folder.path()), None);

        let first = FolderLock::take(folder.path()).unwrap().unwrap();
        assert!(FolderLock::take(folder.path()).unwrap().is_none());
        assert_eq!(FolderLock::keeper(folder.path()), None);
        let keeper = |id| ClusterProcess { name: "the keeper".into(), id, mark: "agon cluster up".into() };
        for id in [70_000, 7] {
            first.note(folder.path(), &keeper(id)).unwrap();
            drop(FolderLock::take(folder.path()));
        }
        drop(first);
        // A process that another test is starting has the lock until it runs its own program.
        let mut tries = (0..100).map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            FolderLock::take(folder.path()).unwrap()
        });
        let next = tries.find_map(|taken| taken).unwrap();
        next.note(folder.path(), &keeper(8)).unwrap();
        assert_eq!(FolderLock::keeper(folder.path()), Some(keeper(8)));
    }
}
