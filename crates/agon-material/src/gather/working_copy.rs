//! The working copy as a version: a tree with the files as they are on the disk, in a folder of its own for as long as
//! it is read. Nothing is written to the repository, and none of its filters runs.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use agon_text::count_noun;

use super::{
    FILE_BYTES_MAX, FILES_MAX, Found, GatherError, IsOwn, TOTAL_BYTES_MAX,
    file_reader::Unshown,
    git::{FILE, PROGRAM, Repository, SUBMODULE, TreeEntry},
    is_printable,
};
use crate::git::{ChangedPath, ScratchIndex};

/// What stands for the working copy in place of a revision. No revision can have this name.
pub(super) const WORKING_COPY: &str = ".";

/// What differs from the last commit, as a tree of git.
pub(super) struct WorkingCopy {
    /// The last commit.
    pub(super) head: String,
    /// The tree.
    pub(super) tree: String,
    scratch: ScratchIndex,
}

impl WorkingCopy {
    /// Takes the files as they are now. What cannot be taken is left out of `found`, and stays as it was committed; so
    /// does what the caller wrote itself, of which `found` notes how much it is.
    pub(super) fn from_repository(
        repository: &Repository<'_>,
        found: &mut Found<'_>,
        is_own: IsOwn<'_>,
    ) -> Result<Self, GatherError> {
        let head = repository.resolve_commit("HEAD")?;
        let scratch = repository.copy_index()?;
        let mut uncommitted = scratch.list_changes()?;
        // One more than the limit is enough to refuse them.
        let new = scratch.new_files(&scratch.git_program(), FILES_MAX + 1)?;
        uncommitted.extend(new.into_iter().map(|path| ChangedPath { path, mode: Some(String::new()) }));
        // What was removed from the index and still lies there is in both.
        uncommitted.sort_by(|a, b| (&a.path, a.mode.is_none()).cmp(&(&b.path, b.mode.is_none())));
        uncommitted.dedup_by(|later, first| later.path == first.path);
        let all = uncommitted.len();
        uncommitted.retain(|changed| !is_own(&scratch.resolve_path(&changed.path)));
        if uncommitted.len() < all {
            let own = count_noun(all - uncommitted.len(), "file", "files");
            found.notes.push(format!("{}: without {own} that agon itself wrote", found.label));
        }
        if uncommitted.len() > FILES_MAX {
            return Err(GatherError::TooManyFiles(found.label.to_owned()));
        }
        let (mut taken, mut entries, mut bytes) = (Vec::new(), Vec::new(), 0);
        for ChangedPath { path, mode } in uncommitted {
            let shown: String = String::from_utf8_lossy(&path).chars().filter(|c| !c.is_control()).collect();
            let Some(path) = String::from_utf8(path).ok().filter(|path| is_printable(path)) else {
                found.leave_out_change(shown, "its name cannot be shown")?;
                continue;
            };
            match read_disk_state(scratch.top_folder(), &path, mode.as_deref()) {
                Ok(DiskState::Gone) => entries.push(TreeEntry { path, file: None }),
                Ok(DiskState::There { mode, length }) => {
                    bytes += length;
                    taken.push((path, mode));
                }
                Err(reason) => found.leave_out_change(shown, reason)?,
            }
            if bytes > TOTAL_BYTES_MAX {
                return Err(GatherError::TooManyBytes(found.label.to_owned()));
            }
        }
        let aside = Repository::with_scratch(scratch.top_folder(), &scratch);
        let objects = aside.store_files(taken.iter().map(|(path, _)| path.as_str()))?;
        let taken = taken.into_iter().zip(objects);
        entries.extend(taken.map(|((path, mode), name)| TreeEntry { path, file: Some((mode, name)) }));
        let tree = aside.write_tree(&head, &entries)?;
        Ok(Self { head, tree, scratch })
    }

    /// The repository of `folder`, which knows the tree as well.
    pub(super) fn repository_at<'p>(&'p self, folder: &'p Path) -> Repository<'p> {
        Repository::with_scratch(folder, &self.scratch)
    }
}

enum DiskState {
    Gone,
    There { mode: &'static str, length: u64 },
}

/// What a file is on the disk, or why it is not taken. `mode` is what git says of it: none if it is gone, empty if it is
/// new.
fn read_disk_state(top: &Path, path: &str, mode: Option<&str>) -> Result<DiskState, String> {
    if path.ends_with('/') {
        return Err("another repository".to_owned());
    }
    if mode == Some(SUBMODULE) {
        return Err("a submodule".to_owned());
    }
    let real = top.join(path);
    let about = match fs::symlink_metadata(&real) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(DiskState::Gone);
        }
        Err(error) => return Err(format!("cannot be read: {error}")),
        Ok(about) => about,
    };
    match about.len() {
        // Git follows no link on the way to a file: in a folder that became one, its files are gone.
        _ if mode.is_none() => Ok(DiskState::Gone),
        _ if about.is_symlink() => Err("a link; name its target".to_owned()),
        // A folder in place of a file, of which git lists the files.
        _ if about.is_dir() => Ok(DiskState::Gone),
        _ if !about.is_file() => Err(Unshown::NotRegular.to_string()),
        length if length > FILE_BYTES_MAX => Err(Unshown::TooLarge(length).to_string()),
        length => {
            File::open(&real).map_err(|error| format!("cannot be read: {error}"))?;
            let is_program = mode == Some(PROGRAM) || (mode == Some("") && is_executable(&about));
            Ok(DiskState::There { mode: if is_program { PROGRAM } else { FILE }, length })
        }
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
