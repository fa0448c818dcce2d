//! JSON lines of a limited length, numbered, from any reader. A bad line is named and the next one is read.

use std::io::{BufRead, Read};

use serde::de::DeserializeOwned;

/// Bytes of one line. A context of a hundred pages fits; a file without line ends does not fill the memory.
pub const LINE_BYTES_MAX: usize = 1024 * 1024;
/// Letters of a foreign text that a message quotes.
const QUOTED_MAX: usize = 60;
/// Bytes of one line that are passed over behind the first [`LINE_BYTES_MAX`]. What has no line breaks is not a list, and may have no end.
const PASSED_BYTES_MAX: usize = 63 * LINE_BYTES_MAX;

/// What is wrong with a line as such.
#[derive(Debug, thiserror::Error)]
pub enum LineFault {
    /// The reader failed. Nothing is read after it.
    #[error("cannot be read: {0}")]
    Unreadable(#[source] std::io::Error),
    /// Too long, not UTF-8, not JSON, or not of the expected form.
    #[error("{0}")]
    Malformed(String),
}

/// What is wrong with what a line says, and where it is.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct LocatedFault {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong there, and what to do.
    pub fault: String,
}

/// Reads one value after the other. Blank lines are skipped, and so is a byte order mark.
#[derive(Debug)]
pub struct BoundedLines<R> {
    reader: R,
    line: u64,
    ended: bool,
}

impl<R: BufRead> BoundedLines<R> {
    /// From the beginning of `reader`.
    pub fn new(reader: R) -> Self {
        Self { reader, line: 0, ended: false }
    }

    /// The next value and its line number, from 1. `None` at the end, and after a failure of the reader.
    pub fn next_value<T: DeserializeOwned>(&mut self) -> Option<(u64, Result<T, LineFault>)> {
        let (number, text) = self.next_text()?;
        Some((number, text.and_then(|text| parse_line(&text))))
    }

    /// The same as it is written, without blanks around it.
    pub fn next_text(&mut self) -> Option<(u64, Result<String, LineFault>)> {
        while !self.ended {
            self.line += 1;
            let text = match self.read_line_bytes() {
                Ok(None) => break,
                Ok(Some(bytes)) => {
                    let why = "is not UTF-8; convert the file, for example with iconv";
                    String::from_utf8(bytes).map_err(|_| LineFault::Malformed(why.into()))
                }
                Err(fault) => {
                    self.ended = matches!(fault, LineFault::Unreadable(_));
                    Err(fault)
                }
            };
            let text = text.map(|text| text.trim_start_matches('\u{feff}').trim().to_owned());
            if !matches!(&text, Ok(text) if text.is_empty()) {
                return Some((self.line, text));
            }
        }
        self.ended = true;
        None
    }

    /// The bytes of the next line with its end; those of a line that is too long are passed over.
    fn read_line_bytes(&mut self) -> Result<Option<Vec<u8>>, LineFault> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(LINE_BYTES_MAX as u64 + 1).read_until(b'\n', &mut bytes);
        read.map_err(LineFault::Unreadable)?;
        if bytes.len() <= LINE_BYTES_MAX || bytes.ends_with(b"\n") {
            return Ok(Some(bytes).filter(|bytes| !bytes.is_empty()));
        }
        let passed = self.reader.by_ref().take(PASSED_BYTES_MAX as u64).skip_until(b'\n');
        Err(match passed.map_err(LineFault::Unreadable)? {
            PASSED_BYTES_MAX => LineFault::Unreadable(std::io::Error::other("it is longer than 64 MiB")),
            _ => LineFault::Malformed("is longer than 1 MiB; shorten its texts".into()),
        })
    }
}

fn parse_line<T: DeserializeOwned>(text: &str) -> Result<T, LineFault> {
    // An array over several lines, or all values in one array.
    if text.starts_with('[') {
        let why = "begins an array; write one object on each line, for example with jq -c '.[]'";
        return Err(LineFault::Malformed(why.into()));
    }
    serde_json::from_str(text).map_err(|error| {
        let column = error.column();
        let what = error.to_string();
        // The line that serde_json names is always 1 here; the caller names that of the file.
        let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what);
        LineFault::Malformed(if column == 0 { what.to_owned() } else { format!("{what} (column {column})") })
    })
}

/// A foreign text as a message quotes it: shortened, and without characters that a terminal obeys.
pub(crate) fn quote_text(text: &str) -> String {
    let short: String = text.chars().take(QUOTED_MAX).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("{short:?}{dots}")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn all(bytes: &[u8]) -> Vec<(u64, Result<Value, String>)> {
        let mut lines = BoundedLines::new(bytes);
        let next = || lines.next_value::<Value>();
        std::iter::from_fn(next).map(|(line, value)| (line, value.map_err(|fault| fault.to_string()))).collect()
    }

    #[test]
    fn lines_keep_their_numbers_past_blanks_and_faults() {
        let found = all(b"\xef\xbb\xbf{\"a\":1}\r\n\n nonsense\n\xff\n[1]\n{\"a\":2}");
        let numbers: Vec<u64> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(numbers, [1, 3, 4, 5, 6]);
        assert_eq!(found[0].1.as_ref().unwrap()["a"], 1);
        assert!(found[1].1.as_ref().unwrap_err().contains("column"), "{found:?}");
        assert!(found[2].1.as_ref().unwrap_err().contains("UTF-8"));
        assert!(found[3].1.as_ref().unwrap_err().contains("array"));
        assert_eq!(found[4].1.as_ref().unwrap()["a"], 2);
    }

    #[test]
    fn a_line_without_an_end_does_not_fill_the_memory() {
        let mut bytes = vec![b'x'; LINE_BYTES_MAX + 1];
        bytes.extend_from_slice(b"\n{}\n");
        let found = all(&bytes);
        assert!(found[0].1.as_ref().unwrap_err().contains("1 MiB"));
        assert_eq!((found[1].0, found.len()), (2, 2));
        let mut fits = vec![b' '; LINE_BYTES_MAX - 2];
        fits.extend_from_slice(b"{}\n");
        assert!(all(&fits)[0].1.is_ok());
    }

    #[test]
    fn a_reader_that_fails_ends_the_lines() {
        struct Broken;
        impl std::io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("gone"))
            }
        }
        let mut lines = BoundedLines::new(std::io::BufReader::new(Broken));
        assert!(matches!(lines.next_value::<Value>(), Some((1, Err(LineFault::Unreadable(_))))));
        assert!(lines.next_value::<Value>().is_none());
    }

    #[test]
    fn quoted_text_cannot_command_a_terminal() {
        assert_eq!(quote_text("\u{1b}[2J"), "\"\\u{1b}[2J\"");
        assert!(quote_text(&"ä".repeat(61)).ends_with('…'));
    }
}
