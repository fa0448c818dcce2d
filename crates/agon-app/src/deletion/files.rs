//! Removing what a debate left on the disk: files that agon drew and nobody changed, drafts, cited pages.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use agon_core::{DebateId, Digest, Record};
use agon_runtime::files::{self, FileError};
use agon_sources::fetch::store::Store;

use crate::failure::Result;

/// What was done in a debate's folder.
#[derive(Debug, Default)]
pub(super) struct RemovedFiles {
    /// How many were removed.
    pub files: usize,
    /// What stays, because it is not as this version draws it.
    pub kept: Vec<PathBuf>,
}

/// Removes those of `drawn` that are in `directory` as they would be drawn now, and folders that are empty then. What
/// the debate was opened with in a shared folder belongs to others and stays. Of a debate that was held by other rules
/// than those of this version, its own folder may hold files that nobody can draw again: they stay and are named.
pub(super) fn remove_drawn(record: &Record, directory: &Path, drawn: Vec<(String, String)>) -> Result<RemovedFiles> {
    let mut removed = RemovedFiles::default();
    let is_shared = record.opened().options.get("track") == Some(&true.into());
    let mut folders = std::collections::BTreeSet::from([directory.to_owned()]);
    for (name, content) in drawn {
        let path = directory.join(&name);
        let there = match fs::read(&path) {
            Ok(there) => there,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => continue,
            Err(error) => return Err(FileError::at_path(&path)(error).into()),
        };
        let is_input =
            is_shared && record.opened().documents.values().any(|digest| *digest == Digest::from_content(&there));
        if is_input {
            continue;
        }
        if there != content.as_bytes() {
            removed.kept.push(path);
            continue;
        }
        fs::remove_file(&path).map_err(FileError::at_path(&path))?;
        removed.files += 1;
        folders.extend(path.ancestors().skip(1).take_while(|folder| folder.starts_with(directory)).map(Path::to_owned));
    }
    if directory.is_dir() && !is_shared {
        files::remove_temporary_files(directory)?;
        if agon_report::other_rules(record).is_some() {
            removed.kept = files_below(directory)?;
        }
    }
    // The deepest first. One that is not empty stays.
    folders.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    Ok(removed)
}

/// Every file in `directory` and in the folders below it.
fn files_below(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(FileError::at_path(&folder))? {
            let path = entry.map_err(FileError::at_path(&folder))?.path();
            if path.is_dir() && !path.is_symlink() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// Removes what the data directory holds of one debate: drafts, texts that came too late, the output of its process.
pub(super) fn remove_own(home: &Path, debate: &DebateId) -> Result<usize> {
    let mut removed = 0;
    for folder in ["drafts", "late"] {
        let folder = home.join(folder).join(debate.as_str());
        removed += fs::read_dir(&folder).map_or(0, Iterator::count);
        ignore_absent(fs::remove_dir_all(&folder)).map_err(FileError::at_path(&folder))?;
    }
    for end in ["err", "request", "jsonl"] {
        let path = home.join("started").join(format!("{debate}.{end}"));
        removed += usize::from(path.is_file());
        ignore_absent(fs::remove_file(&path)).map_err(FileError::at_path(&path))?;
    }
    Ok(removed)
}

/// Removes cited pages by their SHA-256, and their lines in the list of fetches.
pub(super) fn remove_pages(home: &Path, pages: &[String]) -> Result<usize> {
    let folder = home.join("sources");
    let store = Store::new(folder.clone());
    let mut removed = 0;
    for path in pages.iter().filter_map(|page| store.body_path(page)) {
        removed += usize::from(path.is_file());
        ignore_absent(fs::remove_file(&path)).map_err(FileError::at_path(&path))?;
    }
    let list = folder.join("fetched.jsonl");
    if let Ok(text) = fs::read_to_string(&list).as_deref()
        && pages.iter().any(|page| text.contains(page.as_str()))
    {
        let left = text.lines().filter(|line| !pages.iter().any(|page| line.contains(page.as_str())));
        let left: String = left.flat_map(|line| [line, "\n"]).collect();
        files::replace_file(&list, left.as_bytes()).map_err(FileError::at_path(&list))?;
    }
    Ok(removed)
}

/// Removes the file of a debate's lock: its id is not used again.
pub(super) fn remove_lock(home: &Path, debate: &DebateId) {
    let _ = fs::remove_file(home.join("locks").join(format!("{debate}.lock")));
}

fn ignore_absent(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
