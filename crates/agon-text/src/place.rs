//! A place in a file: `path:line` or `path:first-last`.

use std::fmt;

use thiserror::Error;

use crate::{script::is_mark, span::Span};

/// Lines of a file, counted from 1. Of a file with differences they are lines of the new version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinePlace {
    /// Relative, with `/`.
    pub path: String,
    /// First line, from 1.
    pub first: u32,
    /// Last line, at least `first`.
    pub last: u32,
}

/// Why a text does not name a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PlaceError {
    /// There is a path at most.
    #[error("the place names no line; write `path:line` or `path:first-last`")]
    NoLine,
    /// There are lines only.
    #[error("the place names no file; write `path:line` or `path:first-last`")]
    NoPath,
    /// Line 0, or a range that ends before it begins.
    #[error("lines count from 1, and the last one is not before the first")]
    Order,
}

impl LinePlace {
    /// The place of these lines.
    pub fn new(path: impl Into<String>, first: u32, last: u32) -> Self {
        Self { path: path.into(), first, last }
    }

    /// Whether both name a common line of one file.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.first <= other.last && other.first <= self.last
    }
}

/// `path` as manifests write it: without a leading `./`, without quotes around it.
pub fn plain_path(path: &str) -> &str {
    let path = path.trim().trim_matches(['`', '"']);
    path.strip_prefix("./").unwrap_or(path)
}

/// The place that `text` names.
pub fn parse_place(text: &str) -> Result<LinePlace, PlaceError> {
    let text = text.trim().trim_matches(['`', '"']);
    // A path can contain colons, so the last one separates.
    let (path, lines) = text.rsplit_once(':').ok_or(PlaceError::NoLine)?;
    let (first, last) = lines.split_once(['-', '–']).unwrap_or((lines, lines));
    let (first, last) = (parse_line_number(first)?, parse_line_number(last)?);
    let path = plain_path(path);
    if path.is_empty() {
        return Err(PlaceError::NoPath);
    }
    if first == 0 || last < first {
        return Err(PlaceError::Order);
    }
    Ok(LinePlace::new(path, first, last))
}

/// The words of `text` that name a place, without the punctuation around them.
pub fn find_places(text: &str) -> Vec<Span<'_>> {
    let is_border = |c: char| match c {
        // It parts the lines of a place.
        '–' => false,
        c if c.is_ascii() => c.is_whitespace() || "()[]{}<>,;\"'`|*".contains(c),
        c => !c.is_alphanumeric() && !is_mark(c),
    };
    let mut found = Vec::new();
    let mut start = 0;
    for piece in text.split_inclusive(is_border) {
        let word = piece.trim_end_matches(is_border).trim_end_matches(['.', ':', '!', '?']);
        if parse_place(word).is_ok() {
            found.push(Span::new(text, start..start + word.len()));
        }
        start += piece.len();
    }
    found
}

fn parse_line_number(digits: &str) -> Result<u32, PlaceError> {
    // `parse` would take a sign.
    let digits = Some(digits.trim()).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or(PlaceError::NoLine)
}

impl fmt::Display for LinePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.first)?;
        if self.last != self.first {
            write!(f, "-{}", self.last)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_printed() {
        for (text, path, first, last) in [
            ("src/a.rs:12", "src/a.rs", 12, 12),
            ("src/a.rs:12-20", "src/a.rs", 12, 20),
            (" ./src/a.rs:12 - 20 ", "src/a.rs", 12, 20),
            ("`a.rs:3–4`", "a.rs", 3, 4),
            ("odd:name:7", "odd:name", 7, 7),
            ("with space.md:1-1", "with space.md", 1, 1),
        ] {
            let place = parse_place(text).unwrap();
            assert_eq!(place, LinePlace::new(path, first, last), "{text}");
            assert_eq!(parse_place(&place.to_string()).unwrap(), place);
        }
        assert_eq!(LinePlace::new("a", 2, 2).to_string(), "a:2");
        assert_eq!(LinePlace::new("a", 2, 5).to_string(), "a:2-5");
    }

    #[test]
    fn what_names_no_place_says_why() {
        for (text, error) in [
            ("src/a.rs", PlaceError::NoLine),
            ("src/a.rs:", PlaceError::NoLine),
            ("src/a.rs:x", PlaceError::NoLine),
            ("src/a.rs:+1", PlaceError::NoLine),
            ("src/a.rs:99999999999", PlaceError::NoLine),
            (":4", PlaceError::NoPath),
            ("src/a.rs:0", PlaceError::Order),
            ("src/a.rs:9-8", PlaceError::Order),
        ] {
            assert_eq!(parse_place(text), Err(error), "{text}");
        }
    }

    #[test]
    fn places_are_found_in_prose() {
        for (text, wanted) in [
            (
                "See `src/a.rs:12`, (src/b.rs:3-4). At 12:30: \"x.rs:1\"! **y.rs:2–3**",
                vec!["src/a.rs:12", "src/b.rs:3-4", "12:30", "x.rs:1", "y.rs:2–3"],
            ),
            ("见（src/a.rs:12）。「b.rs:3」", vec!["src/a.rs:12", "b.rs:3"]),
            ("a: b, c:d, :3, src/a.rs", vec![]),
        ] {
            let found: Vec<&str> = find_places(text).into_iter().map(|place| place.text).collect();
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn places_overlap_at_a_common_line_of_one_file() {
        let place = LinePlace::new("a", 5, 8);
        for (path, first, last, overlaps) in
            [("a", 8, 9, true), ("a", 1, 5, true), ("a", 9, 12, false), ("b", 5, 8, false), ("a", 6, 6, true)]
        {
            assert_eq!(place.overlaps(&LinePlace::new(path, first, last)), overlaps, "{path}:{first}-{last}");
        }
    }
}
