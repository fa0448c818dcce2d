//! Reading one file: as a whole, as text, and in one state.

use std::{
    fs::{File, Metadata},
    io::{self, Read},
    path::Path,
};

use super::{FILE_BYTES_MAX, GatherError};

/// Bytes at the beginning in which a zero byte shows that a file is binary, as in git.
const PROBE_BYTES: usize = 8 << 10;
/// How often a file is read that changes meanwhile.
const READS_MAX: usize = 2;

/// The text of a file, or why it is left out. `between` runs between opening and reading.
pub(super) fn file(
    path: &Path,
    label: &str,
    mut between: impl FnMut(),
) -> Result<Result<String, String>, GatherError> {
    let unreadable =
        |error: io::Error| GatherError::Unreadable { path: label.to_owned(), reason: error.to_string() };
    for _ in 0..READS_MAX {
        // Opening a pipe would wait for its writer.
        if !path.metadata().map_err(unreadable)?.is_file() {
            return Ok(Err("not a regular file".into()));
        }
        let mut opened = File::open(path).map_err(unreadable)?;
        let before = opened.metadata().map_err(unreadable)?;
        if before.len() > FILE_BYTES_MAX {
            return Ok(Err(too_large(before.len())));
        }
        between();
        let mut bytes = Vec::new();
        (&mut opened).take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        let after = opened.metadata().map_err(unreadable)?;
        if state(&before) == state(&after) && bytes.len() as u64 == before.len() {
            return Ok(text_of(bytes));
        }
    }
    Err(GatherError::Changing { path: label.to_owned() })
}

fn state(about: &Metadata) -> (u64, Option<std::time::SystemTime>) {
    (about.len(), about.modified().ok())
}

/// The reason for a content of this size.
pub(super) fn too_large(bytes: u64) -> String {
    format!("too large: {bytes} bytes")
}

/// A content as text, or why it is left out.
pub(super) fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(too_large(bytes.len() as u64));
    }
    if bytes.iter().take(PROBE_BYTES).any(|byte| *byte == 0) {
        return Err("binary".into());
    }
    String::from_utf8(bytes).map_err(|_| "binary: not UTF-8".into())
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;

    #[test]
    fn a_file_that_changes_is_read_again_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one\n").unwrap();
        let append = || {
            let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
            file.write_all(b"more\n").unwrap();
        };
        let mut changes = 0;
        let once = file(&path, "log", || {
            changes += 1;
            if changes == 1 {
                append();
            }
        });
        assert_eq!(once.unwrap().unwrap(), "one\nmore\n");
        assert_eq!(changes, 2);
        // A change of equal length shows by its time.
        let rewrite = || {
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            let later = file.metadata().unwrap().modified().unwrap() + std::time::Duration::from_secs(1);
            file.set_modified(later).unwrap();
        };
        assert_eq!(file(&path, "log", rewrite), Err(GatherError::Changing { path: "log".into() }));
        let always = file(&path, "log", append);
        assert_eq!(always, Err(GatherError::Changing { path: "log".into() }));
    }

    #[test]
    fn what_is_not_a_text_is_left_out() {
        for (bytes, reason) in [
            (b"text".to_vec(), None),
            (b"a\0b".to_vec(), Some("binary")),
            (b"\xff\xfe".to_vec(), Some("binary: not UTF-8")),
            ([vec![b'a'; PROBE_BYTES], vec![0]].concat(), None),
            (vec![b'a'; FILE_BYTES_MAX as usize], None),
            (vec![b'a'; FILE_BYTES_MAX as usize + 1], Some("too large: 2097153 bytes")),
        ] {
            assert_eq!(text_of(bytes).err().as_deref(), reason);
        }
    }
}
