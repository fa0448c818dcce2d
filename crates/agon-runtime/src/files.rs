//! Writing a debate's files: whole or not at all, only where they changed, never outside their
//! folder.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Component, Path, PathBuf},
};

/// The suffix of a temporary file that replaces its target when it is complete.
const BESIDE: &str = ".agon-tmp";

/// A file or folder that could not be read or written, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    /// Which.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl FileError {
    /// The fault of the file at `path`.
    pub fn at_path(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { path, source }
    }
}

/// Whether writing a file includes a sync to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// Yes: they are what a debate leaves.
    Synced,
    /// No: the debate continues, and the record would give them again.
    Drawn,
    /// No, and nobody relies on them: one that only grew is continued where it lies, since file systems look long for
    /// a place where many files have just been replaced.
    Grown,
}

/// Writes the files that differ from what is there; gives the number written. Each is written
/// to a temporary file and renamed, so that a reader sees the old one or the new, but for [`Lasting::Grown`].
pub fn write_files(
    directory: &Path,
    files: impl IntoIterator<Item = (String, String)>,
    lasting: Lasting,
) -> Result<usize, FileError> {
    let mut written = 0;
    let mut folders = std::collections::BTreeSet::new();
    for (relative, content) in files {
        let path = directory.join(&relative);
        if !Path::new(&relative).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(FileError { path, source: io::Error::other("this path is outside the debate's folder") });
        }
        let there = fs::read(&path).ok();
        if there.as_deref() == Some(content.as_bytes()) {
            if lasting == Lasting::Synced {
                // It may have been drawn only.
                File::open(&path).and_then(|file| file.sync_all()).map_err(FileError::at_path(&path))?;
            }
            continue;
        }
        let folder = path.parent().unwrap_or(directory);
        fs::create_dir_all(folder).map_err(FileError::at_path(folder))?;
        let grown = there.filter(|there| lasting == Lasting::Grown && !there.is_empty());
        let grown = grown.and_then(|there| content.as_bytes().strip_prefix(&*there));
        match grown.filter(|_| path.symlink_metadata().is_ok_and(|kind| kind.is_file())) {
            Some(tail) => File::options().append(true).open(&path).and_then(|mut file| file.write_all(tail)),
            None => write_and_rename(&path, content.as_bytes(), lasting),
        }
        .map_err(FileError::at_path(&path))?;
        folders.insert(folder.to_owned());
        written += 1;
    }
    for folder in folders.into_iter().filter(|_| lasting == Lasting::Synced) {
        File::open(&folder).and_then(|folder| folder.sync_all()).map_err(FileError::at_path(&folder))?;
    }
    Ok(written)
}

/// Removes the temporary files of a killed process. Only for a folder
/// that nobody else is writing into.
pub fn remove_temporary_files(directory: &Path) -> Result<(), FileError> {
    for entry in fs::read_dir(directory).map_err(FileError::at_path(directory))? {
        let path = entry.map_err(FileError::at_path(directory))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_beside(&name) {
            fs::remove_file(&path).map_err(FileError::at_path(&path))?;
        } else if path.is_dir() && !path.is_symlink() {
            remove_temporary_files(&path)?;
        }
    }
    Ok(())
}

/// Puts `content` at `path` by one rename, synced.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    write_and_rename(path, content, Lasting::Synced)
}

/// Where a file is written before it is put at `path`.
pub fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}{BESIDE}"))
}

fn is_beside(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(BESIDE)
}

fn write_and_rename(path: &Path, content: &[u8], lasting: Lasting) -> io::Result<()> {
    let beside = temporary_path(path);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(content)?;
        if lasting == Lasting::Synced { file.sync_all() } else { Ok(()) }
    });
    written.and_then(|()| fs::rename(&beside, path)).inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// Whether files can be written into `directory`, which is made where there is none: found out
/// before anything is paid for.
pub fn check_writable(directory: &Path) -> Result<(), FileError> {
    if !directory.exists() {
        // What was made a moment ago can be written into: a file in it is not tried and removed for each debate.
        return fs::create_dir_all(directory).map_err(FileError::at_path(directory));
    }
    // Each call has a file of its own: debates on several threads may try one folder.
    let tried = tempfile::Builder::new().prefix(".").suffix(BESIDE).tempfile_in(directory).and_then(|mut probe| {
        probe.write_all(b"agon")?;
        probe.close()
    });
    tried.map_err(FileError::at_path(directory))
}

/// Whether `directory` holds nothing but temporary files of a killed process, or does not exist.
pub fn is_free(directory: &Path) -> Result<bool, FileError> {
    let left =
        |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| is_beside(&entry.file_name().to_string_lossy()));
    match fs::read_dir(directory) {
        Ok(mut entries) => Ok(entries.all(left)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(FileError::at_path(directory)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(path: &str) -> [(String, String); 1] {
        [(path.to_owned(), "x".to_owned())]
    }

    #[test]
    fn nothing_is_written_outside() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("debate");
        for bad in ["../x", "/etc/agon-test", "a/../../x", "./x/../../y"] {
            assert!(write_files(&inside, one(bad), Lasting::Synced).is_err(), "{bad}");
        }
        assert!(!folder.path().join("x").exists());
    }

    #[test]
    fn only_what_changed_is_written_and_nothing_is_left_over() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(write_files(folder.path(), one("a/b.md"), Lasting::Drawn).unwrap(), 1);
        assert_eq!(write_files(folder.path(), one("a/b.md"), Lasting::Synced).unwrap(), 0);
        assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_only_grew_is_continued_and_a_link_is_replaced() {
        use std::os::unix::fs::MetadataExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        let write = |content: &str| {
            write_files(folder.path(), [("a.md".to_owned(), content.to_owned())], Lasting::Grown).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            fs::metadata(&path).unwrap().ino()
        };
        let first = write("one\n");
        assert_eq!(write("one\ntwo\n"), first);
        assert_ne!(write("another\n"), first);
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "one\n").unwrap();
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        write("one\ntwo\n");
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "one\n");
    }

    #[test]
    fn what_a_killed_process_left_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), one("a/b.md"), Lasting::Synced).unwrap();
        fs::write(folder.path().join("a").join(format!(".b.md{BESIDE}")), "half").unwrap();
        fs::write(folder.path().join("a").join(".mine"), "x").unwrap();
        remove_temporary_files(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 2);
    }

    #[test]
    fn debates_may_try_one_folder_at_the_same_time() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| (0..500).for_each(|_| check_writable(folder.path()).unwrap()));
            }
        });
        assert!(is_free(folder.path()).unwrap());
    }

    #[test]
    fn a_folder_in_use_is_not_free() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_free(folder.path()).unwrap());
        assert!(is_free(&folder.path().join("absent")).unwrap());
        fs::write(folder.path().join("x"), "").unwrap();
        assert!(!is_free(folder.path()).unwrap());
    }
}
