//! Which files a debate leaves in its folder. The journal holds all of it, and `agon export` draws any file from
//! there.

/// The files of format `report`.
const REPORT: [&str; 3] = ["report.html", "report.md", "memo.md"];

/// Which files a debate leaves.
///
/// What others rely on while the debate runs, the artifact of a duel and the files of a track, is written whatever is
/// wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = describe_unknown_set)]
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
    /// Whether the file that a format calls `path` is wanted.
    pub fn has_file(self, path: &str) -> bool {
        match self {
            Self::None => false,
            Self::Report => REPORT.contains(&path),
            Self::All => true,
        }
    }
}

fn describe_unknown_set(name: &str) -> String {
    format!("{name:?} is not none, report or all")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_known_by_its_name() {
        for (name, set) in [("none", FileSet::None), ("report", FileSet::Report), ("all", FileSet::All)] {
            assert_eq!((name.parse(), set.to_string()), (Ok(set), name.to_owned()));
        }
        assert!("html".parse::<FileSet>().is_err());
        assert!(FileSet::Report.has_file("report.html") && !FileSet::Report.has_file("transcript.md"));
    }
}
