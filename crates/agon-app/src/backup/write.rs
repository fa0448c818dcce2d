//! Writing a backup of a data directory that is in use.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Seek, Write},
    path::{Path, PathBuf},
};

use agon_journal::{Journal, sqlite::snapshot, time::current_stamp};
use agon_runtime::files;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{
    FILES, FOLDERS, JOURNAL, MATERIAL, damaged_failure, io_failure as fault,
    manifest::{BackedUpFile, BackupManifest, FORMAT, NAME, copy_hashed},
};
use crate::failure::{Failure, Result};

/// Maximum number of files of a backup.
const FILES_MAX: usize = 1_000_000;

/// Writes a backup of the data directory `home` to `target`, a ZIP archive. Debates can run meanwhile: the journal is
/// copied as it is committed at one moment, and pages and material, which debates name by digest, after it.
///
/// The copy of the journal is checked (SQLite's integrity check, every entry, hash chain and text), the archive is read
/// back and every digest compared; only then it gets its name.
///
/// # Errors
///
/// Exit code 2 if the journal is in Postgres, 5 if `target` exists and `replace` is false, 6 if the journal is damaged, 7 if a file cannot be read or
/// written. Then nothing stands at `target`, or what stood there before.
pub fn write_backup(journal: &Journal, home: &Path, target: &Path, replace: bool) -> Result<BackupManifest> {
    if journal.is_shared() {
        let message = format!("the journal is a database of Postgres ({})", journal.path().display());
        let remedy = "agon backs up files alone; back the database up with pg_dump";
        return Err(Failure::usage(message, remedy));
    }
    if !replace && target.symlink_metadata().is_ok() {
        let message = format!("{} already exists", target.display());
        return Err(Failure::exists(message, "choose another name, or add --force"));
    }
    // Where the archive will be, there must be room anyway.
    let beside = files::temporary_path(target);
    let room = tempfile::Builder::new().prefix(".agon-backup-").tempdir_in(folder_of(target));
    let room = room.map_err(|error| fault(target, error))?;
    let journal_copy = room.path().join(JOURNAL);
    snapshot::copy_database(journal.path(), &journal_copy)?;
    let debates = snapshot::verify_copy(&journal_copy)?;
    let mut sources = vec![(JOURNAL.to_owned(), journal_copy)];
    let material = home.join(MATERIAL);
    if material.is_file() {
        let material_copy = room.path().join(MATERIAL);
        snapshot::copy_database(&material, &material_copy)?;
        snapshot::verify_database(&material_copy)?;
        sources.push((MATERIAL.to_owned(), material_copy));
    }
    for name in FILES.into_iter().chain(FOLDERS) {
        collect_files(&home.join(name), name, &mut sources).map_err(|error| fault(&home.join(name), error))?;
    }
    let written = write_archive(&beside, &sources, |files| BackupManifest {
        format: FORMAT,
        agon: env!("CARGO_PKG_VERSION").to_owned(),
        at: current_stamp().0,
        files,
        debates,
    });
    let placed = written.and_then(|manifest| {
        verify_archive(&beside, &manifest)?;
        fs::rename(&beside, target).map_err(|error| fault(target, error))?;
        let _ = File::open(folder_of(target)).and_then(|folder| folder.sync_all());
        Ok(manifest)
    });
    placed.inspect_err(|_| drop(fs::remove_file(&beside)))
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Every file below `path`, with its name in the archive. Links are not followed.
fn collect_files(path: &Path, name: &str, found: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    let about = match path.symlink_metadata() {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if about.is_file() {
        if found.len() >= FILES_MAX {
            return Err(io::Error::other(format!("there are more than {FILES_MAX} files")));
        }
        found.push((name.to_owned(), path.to_owned()));
    } else if about.is_dir() {
        let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            // A name that is not Unicode is none of agon's.
            if let Some(below) = entry.file_name().to_str() {
                collect_files(&entry.path(), &format!("{name}/{below}"), found)?;
            }
        }
    }
    Ok(())
}

/// Writes the archive; the manifest is its last entry, since it names the digests of the others.
fn write_archive(
    target: &Path,
    sources: &[(String, PathBuf)],
    manifest: impl FnOnce(Vec<BackedUpFile>) -> BackupManifest,
) -> Result<BackupManifest> {
    let write = |error: &dyn std::fmt::Display| fault(target, error);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(target).map_err(|error| write(&error))?;
    let mut archive = ZipWriter::new(file);
    let entry = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .large_file(true)
        .unix_permissions(0o600);
    let mut files = Vec::with_capacity(sources.len());
    for (name, path) in sources {
        let mut from = match File::open(path) {
            Ok(file) => file,
            // A draft that was sent meanwhile, or a page under its temporary name.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(fault(path, error)),
        };
        archive.start_file(name.as_str(), entry).map_err(|error| write(&error))?;
        let copied = copy_hashed(&mut from, &mut archive, u64::MAX).map_err(|error| fault(path, error))?;
        files.push(BackedUpFile { path: name.clone(), bytes: copied.0, sha256: copied.1 });
    }
    let manifest = manifest(files);
    let text = serde_json::to_vec(&manifest).map_err(|error| write(&error))?;
    archive.start_file(NAME, entry).map_err(|error| write(&error))?;
    archive.write_all(&text).map_err(|error| write(&error))?;
    let mut file = archive.finish().map_err(|error| write(&error))?;
    file.rewind().and_then(|()| file.sync_all()).map_err(|error| write(&error))?;
    Ok(manifest)
}

/// Reads the archive back and compares every digest.
fn verify_archive(path: &Path, manifest: &BackupManifest) -> Result<()> {
    let file = File::open(path).map_err(|error| fault(path, error))?;
    let mut archive = ZipArchive::new(file).map_err(|error| damaged_failure(path, error))?;
    for expected in &manifest.files {
        let mut entry = archive.by_name(&expected.path).map_err(|error| damaged_failure(path, error))?;
        let copied = copy_hashed(&mut entry, &mut io::sink(), expected.bytes);
        let (bytes, sha256) = copied.map_err(|error| damaged_failure(path, error))?;
        if (bytes, &sha256) != (expected.bytes, &expected.sha256) {
            return Err(damaged_failure(path, format!("{} was not written as it was read", expected.path)));
        }
    }
    Ok(())
}
