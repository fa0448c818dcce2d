//! Which files a debate leaves in its folder. The journal holds all of it, and `agon export` draws any file from
//! there.

use std::{fmt, str::FromStr};

/// The files of format `report`.
const REPORT: [&str; 3] = ["report.html", "report.md", "memo.md"];

/// Which files a debate leaves.
///
/// What others rely on while the debate runs, the artifact of a duel and the files of a track, is written whatever is
/// wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FileSet {
    /// None; the debate has no folder.
    None,
    /// Its report.
    Report,
    /// All of its formats, and its record.
    #[default]
    All,
}

impl FileSet {
    /// Every set, from the smallest, by its name.
    pub const ALL: [(&'static str, Self); 3] = [("none", Self::None), ("report", Self::Report), ("all", Self::All)];

    /// Whether the file that a format calls `path` is wanted.
    pub fn has_file(self, path: &str) -> bool {
        match self {
            Self::None => false,
            Self::Report => REPORT.contains(&path),
            Self::All => true,
        }
    }
}

impl fmt::Display for FileSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, set)| set == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl FromStr for FileSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, set)| *set);
        known.ok_or_else(|| format!("{text:?} is not none, report or all"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_known_by_its_name() {
        for (name, set) in FileSet::ALL {
            assert_eq!((name.parse(), set.to_string()), (Ok(set), name.to_owned()));
        }
        assert!("html".parse::<FileSet>().is_err());
        assert!(FileSet::Report.has_file("report.html") && !FileSet::Report.has_file("transcript.md"));
    }
}
