//! Changes of several files in one folder that happen together or not at all.
//!
//! A change is written to a redo log in the folder first. The rename that puts the log in its
//! place is the one point at which the change happens: killed before it, nothing was changed;
//! killed after it, the next process that opens the folder finishes the change, and finds in the log what
//! the killed process would have answered.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use agon_core::{Digest, Stamp};
use serde::{Deserialize, Serialize};

use agon_runtime::files::{FileError, temporary_path};

use super::disk::Disk;

/// Name of the redo log.
const LOG: &str = ".agon-commit.json";

/// File changes that happen together or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Which request this carries out: the same request finds the answer of a killed process.
    pub request: String,
    /// What is answered to it.
    pub answer: String,
    /// New contents of files, by their path below the folder.
    pub files: Vec<(PathBuf, String)>,
    /// What else there is to say of it, and when it was found: the process that finishes the change reports it.
    pub found: Option<(Stamp, Vec<String>)>,
    /// Files outside the folder that were read and are removed last.
    inputs: Vec<InputSnapshot>,
}

/// An input, and what it held: another content at the same place is another's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InputSnapshot {
    path: PathBuf,
    digest: Digest,
}

impl Change {
    /// A change of no file yet.
    pub fn new(request: impl Into<String>) -> Self {
        let (answer, files, inputs) = (String::new(), Vec::new(), Vec::new());
        Self { request: request.into(), answer, files, found: None, inputs }
    }

    /// Names a file that was read as `content` and is to be removed.
    pub fn mark_for_removal(&mut self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.inputs.push(InputSnapshot { path: std::path::absolute(path)?, digest: Digest::from_content(content) });
        Ok(())
    }
}

/// A folder that nobody else changes meanwhile. The lock is the operating system's and on the
/// folder itself, so it leaves no file and dies with its process.
pub struct LockedFolder<'d> {
    root: PathBuf,
    disk: &'d dyn Disk,
    left: Option<Change>,
    _lock: File,
}

impl<'d> LockedFolder<'d> {
    /// Waits for the folder, and finishes what a killed process had begun to change.
    pub fn lock(root: &Path, disk: &'d dyn Disk) -> Result<Self, FileError> {
        let root = root.canonicalize().map_err(FileError::at_path(root))?;
        let lock = File::open(&root).map_err(FileError::at_path(&root))?;
        lock.lock().map_err(FileError::at_path(&root))?;
        let mut folder = Self { root, disk, left: None, _lock: lock };
        let log = folder.redo_log_path();
        let torn = temporary_path(&log);
        if torn.exists() {
            disk.remove(&torn).map_err(FileError::at_path(&torn))?;
        }
        match fs::read(&log) {
            Ok(bytes) => {
                let change = serde_json::from_slice(&bytes).map_err(io::Error::from);
                folder.apply_change(change.map_err(FileError::at_path(&log))?)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(FileError::at_path(&log)(error)),
        }
        Ok(folder)
    }

    /// The answer to `request`, where a killed process had carried it out. New inputs at the places
    /// of the old ones make it another request.
    pub fn earlier_answer(&self, request: &str) -> Option<&str> {
        let left = self.left.as_ref().filter(|left| left.request == request)?;
        let renewed = left.inputs.iter().any(|input| input.path.exists());
        (!renewed).then_some(left.answer.as_str())
    }

    /// What there is to say of the change that was made last, until its log is removed.
    pub fn last_findings(&self) -> Option<&(Stamp, Vec<String>)> {
        self.left.as_ref().and_then(|left| left.found.as_ref())
    }

    /// Carries out a change. When this gives an error, either nothing has changed or the next to
    /// lock the folder finishes it.
    pub fn commit(&mut self, change: Change) -> Result<(), FileError> {
        for (path, _) in &change.files {
            self.resolve_path(path)?;
        }
        self.remove_redo_log()?;
        self.write_redo_log(&change)?;
        self.apply_change(change)
    }

    /// Removes the redo log. To be called when the answer has been given: until then it is what a
    /// repeated request is answered from.
    pub fn remove_redo_log(&mut self) -> Result<(), FileError> {
        if self.left.take().is_some() {
            let log = self.redo_log_path();
            self.disk.remove(&log).map_err(FileError::at_path(&log))?;
            self.sync_path(&self.root)?;
        }
        Ok(())
    }

    /// Does what the log says; may be done again after any part of it. Then only the answer is kept in
    /// the log, so that a later change by hand is final.
    fn apply_change(&mut self, mut change: Change) -> Result<(), FileError> {
        let mut folders = BTreeSet::new();
        for (path, content) in &change.files {
            let path = self.resolve_path(path)?;
            let folder = path.parent().unwrap_or(&self.root);
            if !folder.is_dir() {
                self.disk.make_folder(folder).map_err(FileError::at_path(folder))?;
                folders.insert(self.root.clone());
            }
            if !fs::read(&path).is_ok_and(|there| there == content.as_bytes()) {
                self.replace_file(&path, content.as_bytes())?;
            }
            folders.insert(folder.to_owned());
        }
        for folder in &folders {
            self.sync_path(folder)?;
        }
        if !change.files.is_empty() {
            change.files.clear();
            self.write_redo_log(&change)?;
        }
        for InputSnapshot { path, digest } in &change.inputs {
            if fs::read(path).is_ok_and(|there| Digest::from_content(there) == *digest) {
                self.disk.remove(path).map_err(FileError::at_path(path))?;
            }
        }
        self.left = Some(change);
        Ok(())
    }

    fn write_redo_log(&self, change: &Change) -> Result<(), FileError> {
        let log = self.redo_log_path();
        let bytes = serde_json::to_vec(change).map_err(io::Error::from).map_err(FileError::at_path(&log))?;
        self.replace_file(&log, &bytes)?;
        self.sync_path(&self.root)
    }

    /// Written to a temporary file next to it, synced, and renamed.
    fn replace_file(&self, path: &Path, content: &[u8]) -> Result<(), FileError> {
        let beside = temporary_path(path);
        self.disk.write(&beside, content).map_err(FileError::at_path(&beside))?;
        self.sync_path(&beside)?;
        self.disk.rename(&beside, path).map_err(FileError::at_path(path))
    }

    fn sync_path(&self, path: &Path) -> Result<(), FileError> {
        self.disk.sync(path).map_err(FileError::at_path(path))
    }

    fn redo_log_path(&self) -> PathBuf {
        self.root.join(LOG)
    }

    /// Where a file of the change goes: below the folder, also when links are followed.
    fn resolve_path(&self, relative: &Path) -> Result<PathBuf, FileError> {
        let path = self.root.join(relative);
        let plain = relative.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let parent = path.parent().and_then(|folder| folder.canonicalize().ok());
        if !plain || parent.is_some_and(|folder| !folder.starts_with(&self.root)) {
            return Err(FileError { path, source: io::Error::other("this path is outside the debate's folder") });
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::disk::RealDisk;

    fn change(files: &[(&str, &str)]) -> Change {
        let files = files.iter().map(|(path, content)| ((*path).into(), (*content).into())).collect();
        Change { files, answer: "done".into(), ..Change::new("request") }
    }

    #[test]
    fn a_committed_change_leaves_its_files_and_no_trace() {
        let room = tempfile::tempdir().unwrap();
        let input = room.path().join("input.json");
        fs::write(&input, "in").unwrap();
        let root = room.path().join("debate");
        fs::create_dir(&root).unwrap();
        let mut folder = LockedFolder::lock(&root, &RealDisk).unwrap();
        let mut change = change(&[("a/x.md", "1"), ("b.md", "2")]);
        change.mark_for_removal(&input, b"in").unwrap();
        folder.commit(change).unwrap();
        assert_eq!(folder.earlier_answer("request"), Some("done"));
        assert_eq!(folder.earlier_answer("another"), None);
        folder.remove_redo_log().unwrap();
        assert_eq!(fs::read_to_string(root.join("a/x.md")).unwrap(), "1");
        assert!(!input.exists());
        let names: BTreeSet<_> = fs::read_dir(&root).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["a".into(), "b.md".into()].into());
    }

    #[test]
    fn an_input_that_was_written_anew_is_not_removed() {
        let room = tempfile::tempdir().unwrap();
        let root = room.path().join("debate");
        fs::create_dir(&root).unwrap();
        let input = room.path().join("input.json");
        fs::write(&input, "new").unwrap();
        let mut change = change(&[("b.md", "2")]);
        change.mark_for_removal(&input, b"old").unwrap();
        let mut folder = LockedFolder::lock(&root, &RealDisk).unwrap();
        folder.commit(change).unwrap();
        assert_eq!(folder.earlier_answer("request"), None, "this is another request");
        assert_eq!(fs::read_to_string(&input).unwrap(), "new");
    }

    #[test]
    fn what_is_changed_by_hand_afterwards_stays() {
        let room = tempfile::tempdir().unwrap();
        // Killed with everything done but the answer.
        LockedFolder::lock(room.path(), &RealDisk).unwrap().commit(change(&[("b.md", "2")])).unwrap();
        fs::write(room.path().join("b.md"), "mine").unwrap();
        let mut folder = LockedFolder::lock(room.path(), &RealDisk).unwrap();
        assert_eq!(folder.earlier_answer("request"), Some("done"));
        folder.remove_redo_log().unwrap();
        assert_eq!(fs::read_to_string(room.path().join("b.md")).unwrap(), "mine");
    }

    #[test]
    fn no_change_leaves_its_folder() {
        let room = tempfile::tempdir().unwrap();
        let root = room.path().join("debate");
        fs::create_dir(&root).unwrap();
        fs::create_dir(room.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(room.path().join("elsewhere"), root.join("arguments")).unwrap();
        for bad in ["../x.md", "/etc/x.md", "arguments/x.md"] {
            let mut folder = LockedFolder::lock(&root, &RealDisk).unwrap();
            assert!(folder.commit(change(&[("ok.md", "1"), (bad, "2")])).is_err(), "{bad}");
        }
        assert!(!root.join("ok.md").exists() && !room.path().join("elsewhere/x.md").exists());
    }
}
