//! The working copy as a version: a tree with the files as they are on the disk, in a folder of its own for as long as
//! it is read. Nothing is written to the repository, and none of its filters runs.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{
    FILE_BYTES_MAX, Found, GatherError, TOTAL_BYTES_MAX,
    folder::leads_out,
    git::{Repository, TreeEntry},
    is_printable,
    read::Unshown,
};
use crate::git::GitObjects;

/// What stands for the working copy in place of a revision. No revision can have this name.
pub(super) const WORKING_COPY: &str = ".";

/// What differs from the last commit, as a tree of git.
pub(super) struct WorkingCopy {
    /// The last commit.
    pub(super) head: String,
    /// The tree.
    pub(super) tree: String,
    objects: GitObjects,
    _folder: TempDir,
}

impl WorkingCopy {
    /// Takes the files as they are now. What cannot be taken is left out of `found`, and stays as it was committed.
    pub(super) fn of(repository: &Repository<'_>, found: &mut Found<'_>) -> Result<Self, GatherError> {
        let head = repository.commit("HEAD")?;
        let top = repository.top()?;
        let refused = |error: io::Error| GatherError::Unreadable {
            path: "a temporary folder".to_owned(),
            reason: error.to_string(),
        };
        let folder = tempfile::tempdir().map_err(refused)?;
        let objects = GitObjects::in_folder(folder.path(), &repository.objects()?).map_err(refused)?;
        let (mut taken, mut entries, mut bytes) = (Vec::new(), Vec::new(), 0);
        for path in repository.uncommitted(&top)? {
            let Ok(path) = String::from_utf8(path) else {
                found.leave_out_change("(a file)", "its name cannot be shown")?;
                continue;
            };
            match state(&top, &path) {
                Ok(FileState::Gone) => entries.push(TreeEntry::removed(&path)),
                Ok(FileState::There { is_executable, length }) => {
                    bytes += length;
                    taken.push((path, is_executable));
                }
                Err(reason) => {
                    let shown: String = path.chars().filter(|c| !c.is_control()).collect();
                    found.leave_out_change(shown, reason)?;
                }
            }
            if bytes > TOTAL_BYTES_MAX {
                return Err(GatherError::TooManyBytes { source_name: found.label.to_owned() });
            }
        }
        let aside = Repository::with_objects(&top, &objects);
        let names = aside.store(taken.iter().map(|(path, _)| path.as_str()))?;
        let added = taken.iter().zip(names);
        entries
            .extend(added.map(|((path, is_executable), name)| TreeEntry::file(path, name, *is_executable)));
        let tree = aside.tree(&head, &entries)?;
        Ok(Self { head, tree, objects, _folder: folder })
    }

    /// The repository of `folder`, which knows the tree as well.
    pub(super) fn repository<'p>(&'p self, folder: &'p Path) -> Repository<'p> {
        Repository::with_objects(folder, &self.objects)
    }
}

enum FileState {
    Gone,
    There { is_executable: bool, length: u64 },
}

/// What a file is on the disk, or why it is not taken.
fn state(top: &Path, path: &str) -> Result<FileState, String> {
    if path.ends_with('/') {
        return Err("another repository".to_owned());
    }
    if !is_printable(path) {
        return Err("its name cannot be shown".to_owned());
    }
    let real: PathBuf = top.join(path);
    let about = match fs::symlink_metadata(&real) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(FileState::Gone);
        }
        Err(error) => return Err(format!("cannot be read: {error}")),
        Ok(about) => about,
    };
    // A folder that became a link has its files somewhere else.
    if leads_out(&real, top) {
        return Err("a link that leaves the folder".to_owned());
    }
    match about.len() {
        _ if about.is_symlink() => Err("a link; name its target".to_owned()),
        // A submodule, or a folder in place of a file, of which git lists the files.
        _ if about.is_dir() => Ok(FileState::Gone),
        _ if !about.is_file() => Err(Unshown::NotRegular.to_string()),
        length if length > FILE_BYTES_MAX => Err(Unshown::TooLarge(length).to_string()),
        length => Ok(FileState::There { is_executable: is_executable(&about), length }),
    }
}

#[cfg(unix)]
fn is_executable(about: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}
