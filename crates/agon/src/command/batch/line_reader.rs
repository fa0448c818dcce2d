//! The lines of a batch, one after the other: a file or standard input of any size, read in a thread of its own.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, stdin},
    path::{Path, PathBuf},
    thread,
};

use agon_app::{Failure, Result};
use agon_eval::json_lines::{BoundedLines, LineFault};
use tokio::sync::mpsc;

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
    pub fn from_path(path: &Path) -> Result<Self> {
        if path.as_os_str() == STANDARD_INPUT {
            return Ok(Self::StandardInput);
        }
        let about = std::fs::metadata(path).map_err(|error| path_read_failure(path, &error))?;
        if about.is_dir() {
            return Err(path_read_failure(path, &io::Error::from(io::ErrorKind::IsADirectory)));
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
    pub fn open_lines(&self) -> Result<BatchLines<Box<dyn BufRead + Send>>> {
        Ok(BatchLines(BoundedLines::new(match self {
            Self::File(path) | Self::Stream(path) => {
                let file = File::open(path).map_err(|error| path_read_failure(path, &error))?;
                Box::new(BufReader::new(file))
            }
            Self::StandardInput => Box::new(BufReader::new(stdin())),
        })))
    }

    /// The same, read by a thread as far ahead as is useful.
    pub fn stream_lines(&self) -> Result<mpsc::Receiver<io::Result<BatchLine>>> {
        let lines = self.open_lines()?;
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
    pub fn read_failure(&self, error: &io::Error) -> Failure {
        path_read_failure(Path::new(&self.name()), error)
    }
}

fn path_read_failure(path: &Path, error: &io::Error) -> Failure {
    let remedy = "give a file with one JSON object per line, or - for standard input";
    Failure::io(format!("{}: {error}", path.display()), remedy)
}

/// Lines that hold anything, with a limit on the length of each; the rest of one that is longer is skipped. Nothing
/// follows an error.
pub struct BatchLines<R>(BoundedLines<R>);

impl<R: BufRead> Iterator for BatchLines<R> {
    type Item = io::Result<BatchLine>;

    fn next(&mut self) -> Option<Self::Item> {
        let (number, text) = self.0.next_text()?;
        Some(match text {
            Err(LineFault::Unreadable(error)) => Err(io::Error::new(error.kind(), format!("line {number}: {error}"))),
            text => Ok(BatchLine { number: number as usize, text: text.map_err(|fault| format!("the line {fault}")) }),
        })
    }
}

#[cfg(test)]
mod tests {
    use agon_eval::json_lines::LINE_BYTES_MAX;

    use super::*;

    fn read(text: &[u8]) -> Vec<(usize, std::result::Result<String, String>)> {
        BatchLines(BoundedLines::new(text)).map(|line| line.map(|line| (line.number, line.text)).unwrap()).collect()
    }

    #[test]
    fn blank_lines_count_and_are_left_out() {
        let said = |text: &str| Ok(text.to_owned());
        assert_eq!(read("\u{feff}a\n\n  \r\nb\r\nc".as_bytes()), [(1, said("a")), (4, said("b")), (5, said("c"))]);
        assert_eq!(read(b""), []);
    }

    #[test]
    fn a_line_that_is_too_long_or_no_text_costs_no_other() {
        let mut text = vec![b'x'; LINE_BYTES_MAX + 10];
        text.extend(b"\nb\n\xff\xfe\nd\n");
        text.extend(vec![b'y'; LINE_BYTES_MAX]);
        let lines = read(&text);
        assert_eq!(lines[0], (1, Err("the line is longer than 1 MiB; shorten its texts".into())));
        assert_eq!(lines[1], (2, Ok("b".into())));
        assert_eq!(lines[2], (3, Err("the line is not UTF-8; convert the file, for example with iconv".into())));
        assert_eq!(lines[3], (4, Ok("d".into())));
        assert_eq!(lines[4].1.as_ref().map(String::len), Ok(LINE_BYTES_MAX));
        assert_eq!(lines.len(), 5);
    }
}
