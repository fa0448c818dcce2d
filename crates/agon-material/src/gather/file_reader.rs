//! Reading one file: as a whole, as text, and in one state.

use std::{
    fs::{File, Metadata},
    io::{self, Read},
    path::Path,
};

use super::{FILE_BYTES_MAX, GatherError};

/// Bytes at the beginning in which a zero byte shows that a file is binary, as in git.
pub(super) const PROBE_BYTES: usize = 8 << 10;
/// Of so many bytes, one that is not UTF-8 is still text: a quotation, a name or a line of another encoding. Of bytes
/// without meaning, about every second is none.
const BYTES_PER_FAULT: usize = 3;
/// How often a file is read that changes meanwhile.
const READS_MAX: usize = 2;

/// Why a content is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unshown {
    /// It has a zero byte.
    #[error("binary")]
    Binary,
    /// Much of it is not UTF-8.
    #[error("binary: not UTF-8")]
    NotUtf8,
    /// So many bytes.
    #[error("too large: {0} bytes")]
    TooLarge(u64),
    /// A pipe, a socket, a device.
    #[error("not a regular file")]
    NotRegular,
}

/// The text of a file, or why it is left out. `between` runs between opening and reading.
pub(super) fn read_text_file(
    path: &Path,
    label: &str,
    mut between: impl FnMut(),
) -> Result<Result<String, Unshown>, GatherError> {
    let unreadable = |error: io::Error| GatherError::Unreadable { path: label.to_owned(), reason: error.to_string() };
    for _ in 0..READS_MAX {
        // Opening a pipe would wait for its writer.
        if !path.metadata().map_err(unreadable)?.is_file() {
            return Ok(Err(Unshown::NotRegular));
        }
        let mut opened = File::open(path).map_err(unreadable)?;
        let before = opened.metadata().map_err(unreadable)?;
        if before.len() > FILE_BYTES_MAX {
            return Ok(Err(Unshown::TooLarge(before.len())));
        }
        between();
        let Some(bytes) = read_bounded_bytes(&mut opened).map_err(unreadable)? else {
            return Ok(Err(Unshown::Binary));
        };
        let after = opened.metadata().map_err(unreadable)?;
        if file_state(&before) == file_state(&after) && bytes.len() as u64 == before.len() {
            return Ok(text_of(bytes));
        }
    }
    Err(GatherError::Changing(label.to_owned()))
}

fn file_state(about: &Metadata) -> (u64, Option<std::time::SystemTime>) {
    (about.len(), about.modified().ok())
}

/// The bytes of a file, one more than the largest may have at most; none if its beginning shows that it is binary,
/// and then nothing is read beyond that.
fn read_bounded_bytes(file: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.by_ref().take(PROBE_BYTES as u64).read_to_end(&mut bytes)?;
    if has_zero(&bytes) {
        return Ok(None);
    }
    file.by_ref().take(FILE_BYTES_MAX + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// A content as text, or why it is left out. What is not UTF-8 becomes U+FFFD where most of it is text.
pub(super) fn text_of(bytes: Vec<u8>) -> Result<String, Unshown> {
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(Unshown::TooLarge(bytes.len() as u64));
    }
    decode_content(bytes)
}

/// The same of any length.
fn decode_content(bytes: Vec<u8>) -> Result<String, Unshown> {
    if has_zero(&bytes) {
        return Err(Unshown::Binary);
    }
    let text = String::from_utf8(bytes).or_else(|error| match is_mostly_text(error.as_bytes()) {
        true => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        false => Err(Unshown::NotUtf8),
    })?;
    // Lines of old systems end with a carriage return alone; as one line, nothing of them could be quoted or shown.
    Ok(if text.contains('\r') && !text.contains('\n') { text.replace('\r', "\n") } else { text })
}

/// A content of any length as text, as files are read.
///
/// # Errors
///
/// Why it is none, in a few words.
pub fn decode_text(bytes: Vec<u8>) -> Result<String, String> {
    decode_content(bytes).map_err(|why| why.to_string())
}

/// Whether a zero byte at the beginning shows that a content is binary.
pub(super) fn has_zero(bytes: &[u8]) -> bool {
    bytes.iter().take(PROBE_BYTES).any(|byte| *byte == 0)
}

/// Whether little enough of a content is not UTF-8 that the rest can be read.
pub(super) fn is_mostly_text(bytes: &[u8]) -> bool {
    let faults: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    faults == 0 || faults * BYTES_PER_FAULT < bytes.len()
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
        let once = read_text_file(&path, "log", || {
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
        assert_eq!(read_text_file(&path, "log", rewrite), Err(GatherError::Changing("log".into())));
        let always = read_text_file(&path, "log", append);
        assert_eq!(always, Err(GatherError::Changing("log".into())));
    }

    #[test]
    fn what_is_not_a_text_is_left_out() {
        for (bytes, reason) in [
            (b"text".to_vec(), None),
            (b"a\0b".to_vec(), Some("binary")),
            (b"\xff\xfe".to_vec(), Some("binary: not UTF-8")),
            (b"if x {\n\xff\xfe\xfd\xfc\n}\n".to_vec(), None),
            (b"\xd0\xee\xf1\xf1\xe8\xff, 1\n".to_vec(), Some("binary: not UTF-8")),
            ([vec![b'a'; PROBE_BYTES], vec![0]].concat(), None),
            (vec![b'a'; FILE_BYTES_MAX as usize], None),
            (vec![b'a'; FILE_BYTES_MAX as usize + 1], Some("too large: 2097153 bytes")),
        ] {
            let shown: Vec<u8> = bytes.iter().copied().take(20).collect();
            let found = text_of(bytes).err().map(|unshown| unshown.to_string());
            assert_eq!(found.as_deref(), reason, "{shown:?}");
        }
        assert_eq!(text_of(b"one\rtwo\r".to_vec()).unwrap(), "one\ntwo\n");
        assert_eq!(text_of(b"one\rtwo\n".to_vec()).unwrap(), "one\rtwo\n");
        assert_eq!(text_of(b"a \xff b \xc3\xa4\n".to_vec()).unwrap(), "a \u{fffd} b \u{e4}\n");
    }

    #[test]
    fn of_a_binary_file_the_beginning_alone_is_read() {
        struct Beginning(usize);
        impl Read for Beginning {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                assert!(self.0 < PROBE_BYTES, "more than the beginning is read");
                let read = buffer.len().min(100);
                buffer[..read].fill(0);
                self.0 += read;
                Ok(read)
            }
        }
        assert_eq!(read_bounded_bytes(&mut Beginning(0)).unwrap(), None);
        let text = vec![b'a'; PROBE_BYTES + 10];
        assert_eq!(read_bounded_bytes(&mut text.as_slice()).unwrap(), Some(text));
        let large = vec![b'a'; FILE_BYTES_MAX as usize + 9];
        assert_eq!(read_bounded_bytes(&mut large.as_slice()).unwrap().unwrap().len() as u64, FILE_BYTES_MAX + 1);
    }
}
