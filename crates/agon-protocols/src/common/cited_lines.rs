//! A place that a statement cites: `path:line` or `path:first-last`.

/// Lines of a file of the material.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedLines {
    /// The file.
    pub path: String,
    /// First line, from 1.
    pub first: u32,
    /// Last line.
    pub last: u32,
}

impl CitedLines {
    /// The lines that `place` names; `None` where it names none.
    pub fn of(place: &str) -> Option<Self> {
        // A path can contain colons, so the last one separates.
        let (path, lines) = place.trim().trim_matches('`').rsplit_once(':')?;
        let (first, last) = lines.split_once(['-', '–']).unwrap_or((lines, lines));
        let number = |digits: &str| digits.trim().parse::<u32>().ok().filter(|line| *line > 0);
        let (first, last) = (number(first)?, number(last)?);
        let path = path.trim().trim_start_matches("./");
        (first <= last && !path.is_empty()).then(|| Self { path: path.to_owned(), first, last })
    }

    /// Whether both name a common line of one file.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.first <= other.last && other.first <= self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_from_a_place() {
        for (place, lines) in [
            ("src/a.rs:12", Some(("src/a.rs", 12, 12))),
            (" ./src/a.rs:12-20", Some(("src/a.rs", 12, 20))),
            ("odd:name:7", Some(("odd:name", 7, 7))),
            ("src/a.rs", None),
            ("src/a.rs:0", None),
            ("src/a.rs:9-8", None),
            (":3", None),
        ] {
            let wanted = lines.map(|(path, first, last)| CitedLines { path: path.into(), first, last });
            assert_eq!(CitedLines::of(place), wanted, "{place}");
        }
    }
}
