//! The files of a folder that a debate is taken from: all of them text, none behind a link that leads
//! out of it, and no more than fits a debate.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use agon_app::{Failure, Result, exit};
use agon_report::import::{Files, Layout};

/// Largest file, in bytes: far above what a debate's files hold.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Maximum number of files, and of bytes of all of them.
const FILES_MAX: usize = 10_000;
const BYTES_MAX: u64 = 64 << 20;
/// Files that hold text.
const TEXT: [&str; 5] = ["md", "json", "jsonl", "mmd", "txt"];
/// What an interrupted change of `debate-ops` leaves.
const INTERRUPTED: &str = ".agon-commit.json";

/// What a folder holds.
#[derive(Debug, Default)]
pub struct ImportContents {
    pub files: Files,
    /// Files that hold no text.
    pub others: Vec<String>,
    bytes: u64,
}

/// Reads `path`: a folder with its files and those below it, or one file with those next to it.
pub fn read_contents(path: &Path, layout: &Layout) -> Result<ImportContents> {
    let mut root = path.canonicalize().map_err(io_failure(path))?;
    let mut found = ImportContents::default();
    if root.is_file() {
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(folder) = root.parent().filter(|_| layout.stands_for == Some(name.as_str())) else {
            found.read_file(&root, &name)?;
            let folder = root.parent().unwrap_or(&root);
            for other in layout.beside.iter().filter(|other| **other != name && folder.join(other).exists()) {
                found.take_within(folder, &folder.join(other), other)?;
            }
            return Ok(found);
        };
        root = folder.to_owned();
    }
    if root.join(INTERRUPTED).exists() {
        let why = format!("{}: an agon debate-ops command was interrupted here", path.display());
        return Err(Failure::new(exit::CONFLICT, "interrupted", why, "repeat that command before importing"));
    }
    found.read_folder(&root, &root, "")?;
    for folder in layout.below {
        let inner = root.join(folder);
        if inner.is_dir() {
            found.read_folder(&root, &inner, &format!("{folder}/"))?;
        }
    }
    Ok(found)
}

impl ImportContents {
    fn read_folder(&mut self, root: &Path, folder: &Path, prefix: &str) -> Result<()> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(folder).map_err(io_failure(folder))? {
            paths.push(entry.map_err(io_failure(folder))?.path());
        }
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') || (path.is_dir() && !path.is_symlink()) {
                continue;
            }
            self.take_within(root, &path, &format!("{prefix}{name}"))?;
        }
        Ok(())
    }

    /// Takes what is a file; none behind a link that leads out of `root`.
    fn take_within(&mut self, root: &Path, path: &Path, name: &str) -> Result<()> {
        let real = path.canonicalize().map_err(io_failure(path))?;
        if !real.starts_with(root) {
            return Err(refused_file(path, "it is a link to a place outside the folder"));
        }
        if real.is_file() { self.read_file(&real, name) } else { Ok(()) }
    }

    fn read_file(&mut self, path: &Path, name: &str) -> Result<()> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        if !ending.is_some_and(|ending| TEXT.contains(&ending.as_str())) {
            self.others.push(name.to_owned());
            return Ok(());
        }
        let bytes = fs::metadata(path).map_err(io_failure(path))?.len();
        if bytes > FILE_BYTES_MAX {
            let why = format!("it has {bytes} bytes; at most {FILE_BYTES_MAX} are allowed");
            return Err(refused_file(path, &why));
        }
        self.bytes += bytes;
        if self.bytes > BYTES_MAX || self.files.len() >= FILES_MAX {
            return Err(refused_file(path, "there are more files than a debate can have"));
        }
        let text = String::from_utf8(fs::read(path).map_err(io_failure(path))?);
        let text = text.map_err(|_| refused_file(path, "it is not UTF-8 text"))?;
        self.files.insert(name.to_owned(), text);
        Ok(())
    }
}

fn io_failure(path: &Path) -> impl Fn(io::Error) -> Failure {
    let path = path.display().to_string();
    move |error| Failure::io(format!("{path}: {error}"), "name files that can be read")
}

/// A file that is not taken.
pub fn refused_file(path: &Path, why: &str) -> Failure {
    let message = format!("{}: {why}", path.display());
    Failure::damaged(message, "nothing was imported; fix or move that file")
}
