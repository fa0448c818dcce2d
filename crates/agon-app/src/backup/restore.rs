//! Restoring a backup into a data directory without debates.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

use agon_journal::{
    Journal,
    sqlite::{create_private_folder, snapshot},
};
use zip::ZipArchive;

use super::{
    JOURNAL, damaged_failure, io_failure as fault,
    manifest::{BYTES_MAX, BackupManifest, FORMAT, NAME, copy_hashed},
};
use crate::failure::{Failure, Result, exit};

/// Restores the backup `file` into the data directory `home`, which is made if it does not exist.
///
/// Everything is unpacked next to its place and verified: the digest of every file, SQLite's integrity check, every
/// record, and that the debates are those of the manifest. Then the files get their names, the journal last, so an
/// interrupted restoration can be repeated.
///
/// # Errors
///
/// Exit code 5 if `home` has debates or another process uses its journal, 6 if the backup is not sound, 7 if a file
/// cannot be read or written.
pub fn restore_backup(file: &Path, home: &Path) -> Result<BackupManifest> {
    let archive = File::open(file).map_err(|error| fault(file, error))?;
    let mut archive =
        ZipArchive::new(archive).map_err(|error| damaged_failure(file, format!("not a backup: {error}")))?;
    let manifest = read_manifest(file, &mut archive)?;
    let journal = home.join(JOURNAL);
    if !snapshot::is_vacant(&journal)? {
        let message = format!("{} has debates, or another process uses it", journal.display());
        let remedy = "choose another folder with --home; agon never overwrites debates";
        return Err(Failure::exists(message, remedy));
    }
    create_private_folder(home).map_err(|error| fault(home, error))?;
    let room = tempfile::Builder::new().prefix(".agon-restore-").tempdir_in(home);
    let room = room.map_err(|error| fault(home, error))?;
    for expected in &manifest.files {
        if !expected.is_placed() {
            return Err(damaged_failure(file, format!("{:?} is not a place of a backup", expected.path)));
        }
        let target = room.path().join(&expected.path);
        let mut entry = archive.by_name(&expected.path).map_err(|error| damaged_failure(file, error))?;
        fs::create_dir_all(target.parent().unwrap_or(room.path())).map_err(|error| fault(&target, error))?;
        let mut to = File::create_new(&target).map_err(|error| fault(&target, error))?;
        let copied = copy_hashed(&mut entry, &mut to, expected.bytes);
        let (bytes, sha256) = copied.map_err(|error| damaged_failure(file, format!("{}: {error}", expected.path)))?;
        if (bytes, &sha256) != (expected.bytes, &expected.sha256) {
            return Err(damaged_failure(file, format!("{} was changed (digest differs)", expected.path)));
        }
        to.sync_all().map_err(|error| fault(&target, error))?;
    }
    let unpacked = room.path().join(JOURNAL);
    let debates = snapshot::verify_copy(&unpacked)?;
    if debates != manifest.debates {
        return Err(damaged_failure(file, "its journal does not have the debates that its manifest lists"));
    }
    for beside in ["journal.db-wal", "journal.db-shm", "material.db-wal", "material.db-shm"] {
        let _ = fs::remove_file(home.join(beside));
    }
    for moved in manifest.files.iter().filter(|file| file.path != JOURNAL) {
        let (from, to) = (room.path().join(&moved.path), home.join(&moved.path));
        fs::create_dir_all(to.parent().unwrap_or(home)).map_err(|error| fault(&to, error))?;
        fs::rename(&from, &to).map_err(|error| fault(&to, error))?;
    }
    fs::rename(&unpacked, &journal).map_err(|error| fault(&journal, error))?;
    let _ = File::open(home).and_then(|folder| folder.sync_all());
    // Brings an older schema up to date, and restricts the file to its owner.
    Journal::open(home).map(drop)?;
    Ok(manifest)
}

fn read_manifest(file: &Path, archive: &mut ZipArchive<File>) -> Result<BackupManifest> {
    let entry = archive.by_name(NAME).map_err(|_| damaged_failure(file, "not a backup: it has no manifest.json"))?;
    let mut text = Vec::new();
    let read = entry.take(BYTES_MAX + 1).read_to_end(&mut text);
    read.map_err(|error| damaged_failure(file, format!("{NAME}: {error}")))?;
    if text.len() as u64 > BYTES_MAX {
        return Err(damaged_failure(file, format!("{NAME} is larger than {BYTES_MAX} bytes")));
    }
    let manifest: BackupManifest =
        serde_json::from_slice(&text).map_err(|error| damaged_failure(file, format!("{NAME}: {error}")))?;
    if manifest.format > FORMAT {
        let message = format!(
            "{}: a newer version of agon wrote this backup (format {}; this version supports {FORMAT})",
            file.display(),
            manifest.format
        );
        return Err(Failure::new(exit::DAMAGED, "newer", message, "use that version"));
    }
    let journals = manifest.files.iter().filter(|file| file.path == JOURNAL).count();
    if journals != 1 {
        return Err(damaged_failure(file, "its manifest does not list one journal"));
    }
    Ok(manifest)
}
