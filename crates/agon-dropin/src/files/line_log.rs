//! A file of lines that several processes append to; each line is written once.
//!
//! Who appends holds an exclusive lock on a file next to the log, and notes there what it is about
//! to append. A note that is found under the lock belongs to a process that died: when its request
//! comes again, the line is not appended twice.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use agon_core::Digest;

use agon_runtime::files::FileError;

use super::disk::Disk;

/// The state of a log, for the process that writes its next line.
#[derive(Debug)]
pub struct LogContents<'l> {
    /// Number of whole lines.
    pub count: u64,
    /// All of them.
    pub text: &'l str,
}

impl<'l> LogContents<'l> {
    /// The last line.
    pub fn last_line(&self) -> Option<&'l str> {
        self.text.lines().next_back()
    }
}

/// What was appended.
#[derive(Debug, PartialEq, Eq)]
pub struct Appended {
    /// The line's number, from 0.
    pub number: u64,
    /// Where the rest of a line that was cut off by a crash has been kept, if there was one.
    pub torn: Option<PathBuf>,
}

/// Appends one line, without its line break, that `line` makes of what stands there. `request`
/// says the same thing for the same request; one that a killed process carried out is not carried
/// out again. What `told` does with the line's number, printing it, comes before the note is
/// taken back.
pub fn append_line(
    log: &Path,
    lock: &Path,
    disk: &dyn Disk,
    request: &str,
    line: impl FnOnce(&LogContents<'_>) -> String,
    told: impl FnOnce(&Appended),
) -> Result<(), FileError> {
    let mut notes = PendingAppend::lock(lock, disk)?;
    let (text, torn) = read_whole_lines(log, disk)?;
    let lines = LogContents { count: text.lines().count() as u64, text: &text };
    let request = Digest::from_content(request);
    if let Some(number) = notes.carried_out(&request, lines.text) {
        told(&Appended { number, torn });
        return notes.remove_note(&request);
    }
    let line = line(&lines);
    notes.add(&request, lines.count, &Digest::from_content(&line))?;
    disk.append(log, format!("{line}\n").as_bytes()).map_err(FileError::at_path(log))?;
    disk.sync(log).map_err(FileError::at_path(log))?;
    told(&Appended { number: lines.count, torn });
    notes.remove_note(&request)
}

/// The whole lines of a log. The end of a line that was cut off by a crash is moved into a file of
/// its own, named by its content, so that it may be moved again after another crash.
fn read_whole_lines(log: &Path, disk: &dyn Disk) -> Result<(String, Option<PathBuf>), FileError> {
    let mut bytes = match fs::read(log) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(FileError::at_path(log)(error)),
    };
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let torn = bytes.split_off(end);
    // A foreign line may hold anything; it is counted all the same.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if torn.is_empty() {
        return Ok((text, None));
    }
    let digest = Digest::from_content(&torn);
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    let aside = log.with_file_name(format!("{name}.torn-{}", &digest.as_str()[..12]));
    disk.write(&aside, &torn).map_err(FileError::at_path(&aside))?;
    disk.sync(&aside).map_err(FileError::at_path(&aside))?;
    disk.truncate(log, end as u64).map_err(FileError::at_path(log))?;
    disk.sync(log).map_err(FileError::at_path(log))?;
    Ok((text, Some(aside)))
}

/// What is being appended, in the locked file; empty when nobody appends and nobody died.
struct PendingAppend<'d> {
    path: PathBuf,
    text: String,
    disk: &'d dyn Disk,
    _lock: File,
}

impl<'d> PendingAppend<'d> {
    fn lock(path: &Path, disk: &'d dyn Disk) -> Result<Self, FileError> {
        let mut options = OpenOptions::new();
        let lock = options.read(true).write(true).create(true).truncate(false).open(path);
        let lock = lock.map_err(FileError::at_path(path))?;
        lock.lock().map_err(FileError::at_path(path))?;
        let text = fs::read(path).map_err(FileError::at_path(path))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(Self { path: path.to_owned(), text, disk, _lock: lock })
    }

    /// The number of the line that a killed process appended for `request`.
    fn carried_out(&self, request: &Digest, text: &str) -> Option<u64> {
        let note = self.text.lines().rev().find_map(|note| note.strip_prefix(request.as_str()))?;
        let (number, digest) = note.trim().split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        let line = text.lines().nth(usize::try_from(number).ok()?)?;
        (Digest::from_content(line).as_str() == digest).then_some(number)
    }

    fn add(&mut self, request: &Digest, number: u64, line: &Digest) -> Result<(), FileError> {
        // The note before may have been cut off by a kill.
        let end = if self.text.is_empty() || self.text.ends_with('\n') { "" } else { "\n" };
        let note = format!("{end}{request} {number} {line}\n");
        self.disk.append(&self.path, note.as_bytes()).map_err(FileError::at_path(&self.path))?;
        self.text.push_str(&note);
        Ok(())
    }

    fn remove_note(&mut self, request: &Digest) -> Result<(), FileError> {
        // What is not a whole note was cut off by a kill before its line was written.
        let whole = self.text.lines().filter(|note| note.split(' ').count() == 3);
        let others = whole.filter(|note| !note.starts_with(request.as_str()));
        let others: String = others.map(|note| format!("{note}\n")).collect();
        let written = match others.is_empty() {
            true => self.disk.truncate(&self.path, 0),
            false => self.disk.write(&self.path, others.as_bytes()),
        };
        written.map_err(FileError::at_path(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::disk::RealDisk;

    fn add(folder: &Path, request: &str) -> Appended {
        let (log, lock) = (folder.join("x.jsonl"), folder.join("x.lock"));
        let mut told = None;
        append_line(
            &log,
            &lock,
            &RealDisk,
            request,
            |lines| format!("{} {request}", lines.count),
            |appended| {
                told = Some(Appended { number: appended.number, torn: appended.torn.clone() });
            },
        )
        .unwrap();
        told.unwrap()
    }

    #[test]
    fn equal_requests_are_two_lines_and_the_lock_file_is_empty_at_rest() {
        let room = tempfile::tempdir().unwrap();
        assert_eq!(add(room.path(), "a").number, 0);
        assert_eq!(add(room.path(), "a").number, 1);
        assert_eq!(fs::read_to_string(room.path().join("x.jsonl")).unwrap(), "0 a\n1 a\n");
        assert_eq!(fs::read_to_string(room.path().join("x.lock")).unwrap(), "");
    }

    #[test]
    fn a_torn_end_is_kept_beside_the_log() {
        let room = tempfile::tempdir().unwrap();
        fs::write(room.path().join("x.jsonl"), "0 a\n1 b and th").unwrap();
        let Appended { number, torn } = add(room.path(), "c");
        assert_eq!(number, 1);
        assert_eq!(fs::read_to_string(torn.unwrap()).unwrap(), "1 b and th");
        assert_eq!(fs::read_to_string(room.path().join("x.jsonl")).unwrap(), "0 a\n1 c\n");
    }

    #[test]
    fn the_retry_of_a_killed_request_finds_its_line_though_others_wrote_since() {
        let room = tempfile::tempdir().unwrap();
        assert_eq!(add(room.path(), "a").number, 0);
        // Killed after appending "b" and before it said so.
        let (request, line) = (Digest::from_content("b"), Digest::from_content("1 b"));
        fs::write(room.path().join("x.jsonl"), "0 a\n1 b\n").unwrap();
        fs::write(room.path().join("x.lock"), format!("{request} 1 {line}\n")).unwrap();
        assert_eq!(add(room.path(), "c").number, 2);
        assert_eq!(add(room.path(), "b").number, 1);
        assert_eq!(add(room.path(), "b").number, 3, "only the retry is answered so");
    }
}
