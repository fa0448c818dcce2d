//! The lines of a batch, one after the other: a file or standard input of any size, read in a thread of its own.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, stdin},
    path::{Path, PathBuf},
    thread,
};

use agon_app::{Failure, Result, exit};
use tokio::sync::mpsc;

/// Longest line: a motion has 20,000 characters and a material of its own a few hundred thousand.
pub const LINE_BYTES_MAX: usize = 1 << 20;
/// Bytes of a longer line that are skipped to find the next one. What has no line breaks is not a list of debates.
const SKIPPED_BYTES_MAX: u64 = 64 << 20;
/// Lines that are read ahead of those that run.
const AHEAD: usize = 16;
/// What names standard input.
const STANDARD_INPUT: &str = "-";

/// A line that holds anything.
#[derive(Debug, PartialEq, Eq)]
pub struct BatchLine {
    /// Its number, from 1; blank lines count.
    pub number: usize,
    /// What it says, or what is wrong with it.
    pub text: std::result::Result<String, String>,
}

/// Where the lines come from.
#[derive(Debug, Clone)]
pub enum BatchSource {
    /// A file that can be read again.
    File(PathBuf),
    /// A pipe or a device.
    Stream(PathBuf),
    /// Standard input.
    StandardInput,
}

impl BatchSource {
    /// What `path` names.
    ///
    /// # Errors
    ///
    /// Where the file does not exist.
    pub fn of(path: &Path) -> Result<Self> {
        if path.as_os_str() == STANDARD_INPUT {
            return Ok(Self::StandardInput);
        }
        let about = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        if about.is_dir() {
            return Err(unreadable(path, &io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let path = path.to_owned();
        Ok(if about.is_file() { Self::File(path) } else { Self::Stream(path) })
    }

    /// Whether it can be read twice.
    pub fn is_repeatable(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) | Self::Stream(path) => path.display().to_string(),
            Self::StandardInput => "standard input".into(),
        }
    }

    /// Its lines from the beginning.
    ///
    /// # Errors
    ///
    /// Where it cannot be opened.
    pub fn lines(&self) -> Result<BatchLines<Box<dyn BufRead + Send>>> {
        Ok(BatchLines::new(match self {
            Self::File(path) | Self::Stream(path) => {
                let file = File::open(path).map_err(|error| unreadable(path, &error))?;
                Box::new(BufReader::new(file))
            }
            Self::StandardInput => Box::new(BufReader::new(stdin())),
        }))
    }

    /// The same, read by a thread as far ahead as is useful.
    pub fn stream(&self) -> Result<mpsc::Receiver<io::Result<BatchLine>>> {
        let lines = self.lines()?;
        let (give, take) = mpsc::channel(AHEAD);
        thread::spawn(move || {
            for line in lines {
                if give.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        Ok(take)
    }

    /// The failure of reading it.
    pub fn broken(&self, error: &io::Error) -> Failure {
        unreadable(Path::new(&self.name()), error)
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let remedy = "give a file with one JSON object per line, or - for standard input";
    Failure::new(exit::IO, "io", format!("{}: {error}", path.display()), remedy)
}

/// Lines, with a limit on the length of each; the rest of one that is longer is skipped.
pub struct BatchLines<R> {
    reader: R,
    number: usize,
    buffer: Vec<u8>,
    is_over: bool,
}

impl<R: BufRead> BatchLines<R> {
    fn new(reader: R) -> Self {
        Self { reader, number: 0, buffer: Vec::new(), is_over: false }
    }

    /// The next line, its end not included; `None` at the end.
    fn read(&mut self) -> io::Result<Option<BatchLine>> {
        self.buffer.clear();
        let most = LINE_BYTES_MAX as u64 + 1;
        if (&mut self.reader).take(most).read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let number = self.number;
        if self.buffer.last() != Some(&b'\n') && self.buffer.len() > LINE_BYTES_MAX {
            if (&mut self.reader).take(SKIPPED_BYTES_MAX).skip_until(b'\n')? as u64 == SKIPPED_BYTES_MAX {
                let why = format!("line {number} is longer than {} MB", SKIPPED_BYTES_MAX >> 20);
                return Err(io::Error::other(why));
            }
            let why = format!("longer than {} MB", LINE_BYTES_MAX >> 20);
            return Ok(Some(BatchLine { number, text: Err(why) }));
        }
        let text = std::str::from_utf8(&self.buffer).map_err(|_| "not UTF-8 text".to_owned());
        // Some editors mark the beginning of a file.
        let text = text.map(|text| text.trim_start_matches('\u{feff}').trim().to_owned());
        Ok(Some(BatchLine { number, text }))
    }
}

impl<R: BufRead> Iterator for BatchLines<R> {
    type Item = io::Result<BatchLine>;

    /// Lines that hold anything; nothing follows an error.
    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            match self.read() {
                Ok(None) => self.is_over = true,
                Ok(Some(line)) if line.text.as_deref() == Ok("") => {}
                Ok(Some(line)) => return Some(Ok(line)),
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<(usize, std::result::Result<String, String>)> {
        BatchLines::new(text).map(|line| line.map(|line| (line.number, line.text)).unwrap()).collect()
    }

    #[test]
    fn blank_lines_count_and_are_left_out() {
        let said = |text: &str| Ok(text.to_owned());
        assert_eq!(
            read("\u{feff}a\n\n  \r\nb\r\nc".as_bytes()),
            [(1, said("a")), (4, said("b")), (5, said("c"))]
        );
        assert_eq!(read(b""), []);
    }

    #[test]
    fn a_line_that_is_too_long_or_no_text_costs_no_other() {
        let mut text = vec![b'x'; LINE_BYTES_MAX + 10];
        text.extend(b"\nb\n\xff\xfe\nd\n");
        text.extend(vec![b'y'; LINE_BYTES_MAX]);
        let lines = read(&text);
        assert_eq!(lines[0], (1, Err("longer than 1 MB".into())));
        assert_eq!(lines[1], (2, Ok("b".into())));
        assert_eq!(lines[2], (3, Err("not UTF-8 text".into())));
        assert_eq!(lines[3], (4, Ok("d".into())));
        assert_eq!(lines[4].1.as_ref().map(String::len), Ok(LINE_BYTES_MAX));
        assert_eq!(lines.len(), 5);
    }
}
