//! The first look at a file: every line is read and checked before anything is asked of anybody, so that what is
//! wrong is told while it costs nothing.

use std::collections::BTreeSet;

use agon_app::{Context, Result};

use super::{line_options::KnownLines, line_reader::BatchSource, line_run::check_line, result::LineResult};

/// What the first look found.
#[derive(Debug, Default)]
pub struct FirstLook {
    /// Lines that hold anything.
    pub lines: usize,
    /// Those of them that are not debates; they were told, and are not run.
    pub faulty: BTreeSet<usize>,
}

impl FirstLook {
    /// Reads the whole of `source`, and tells each line that is not a debate.
    ///
    /// # Errors
    ///
    /// Where it cannot be read to its end.
    pub fn check_source(source: &BatchSource, context: &Context, mut tell: impl FnMut(LineResult)) -> Result<Self> {
        let mut look = Self::default();
        let mut known = KnownLines::default();
        for line in source.open_lines()? {
            let line = line.map_err(|error| source.read_failure(&error))?;
            look.lines += 1;
            let checked = known.parse_line(&line).and_then(|wanted| check_line(context, &wanted));
            if let Err(failure) = checked {
                look.faulty.insert(line.number);
                tell(LineResult::from_failure(line.number, failure));
            }
        }
        Ok(look)
    }
}
