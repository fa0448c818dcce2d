//! Unified diffs, as git and `diff -u` write them.
//!
//! [`FileDiff`] prints what it has read again, so one file's part of a diff can be stored as a text of its
//! own.

mod header;
mod parser;
mod recognition;

use std::fmt;

use thiserror::Error;

pub use self::{parser::read_diff, recognition::as_diff};

/// What a line of a hunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineMark {
    /// In both versions.
    Context,
    /// In the new version only.
    Added,
    /// In the old version only.
    Removed,
}

impl LineMark {
    /// The character in front of such a line.
    pub fn sign(self) -> char {
        match self {
            Self::Context => ' ',
            Self::Added => '+',
            Self::Removed => '-',
        }
    }
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// Where it occurs.
    pub mark: LineMark,
    /// Its number in the old version; none if it was added.
    pub old: Option<u32>,
    /// Its number in the new version; none if it was removed.
    pub new: Option<u32>,
    /// Without mark and line feed. A carriage return is a part of it.
    pub text: String,
    /// Whether the file ends with this line, without a line feed.
    pub is_unterminated: bool,
}

/// Consecutive lines of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffHunk {
    /// The line `@@ … @@`, with the section that follows it.
    pub head: String,
    /// First line in the old version.
    pub old_first: u32,
    /// First line in the new version.
    pub new_first: u32,
    /// In their order.
    pub lines: Vec<DiffLine>,
}

impl DiffHunk {
    /// What the head says about where the lines are, for example the name of a function; can be empty.
    pub fn section_heading(&self) -> &str {
        let after_first = self.head.strip_prefix("@@").unwrap_or_default();
        after_first.split_once("@@").map_or("", |(_, section)| section.trim())
    }
}

/// The changes of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// All lines before the first hunk.
    pub header: Vec<String>,
    /// Path of the old version; none if the file is new.
    pub old_path: Option<String>,
    /// Path of the new version; none if the file was deleted.
    pub new_path: Option<String>,
    /// Whether the path cannot be written as text.
    pub has_foreign_path: bool,
    /// Whether the contents are binary.
    pub is_binary: bool,
    /// Whether the lines cannot be shown as text, whatever the contents are.
    pub is_unreadable: bool,
    /// Mode of the new version, for example `100644`, if the header names one.
    pub mode: Option<String>,
    /// In their order.
    pub hunks: Vec<DiffHunk>,
}

impl FileDiff {
    /// The new path, or the old one if the file was deleted.
    pub fn path(&self) -> &str {
        self.new_path.as_deref().or(self.old_path.as_deref()).unwrap_or_default()
    }

    /// Whether the file has no new version.
    pub fn is_deleted(&self) -> bool {
        self.new_path.is_none()
    }

    /// Whether the file has another name than before.
    pub fn is_renamed(&self) -> bool {
        matches!((&self.old_path, &self.new_path), (Some(old), Some(new)) if old != new)
    }

    /// The lines of the header that say what happened to the file as a whole: new, deleted, renamed, other
    /// mode.
    pub fn remark_lines(&self) -> impl Iterator<Item = &str> {
        const REMARKS: [&str; 9] = [
            "new file",
            "deleted file",
            "old mode",
            "new mode",
            "rename from",
            "rename to",
            "copy from",
            "copy to",
            "Binary files",
        ];
        let lines = self.header.iter().map(String::as_str);
        lines.filter(|line| REMARKS.iter().any(|start| line.starts_with(start)))
    }
}

impl fmt::Display for FileDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.header {
            writeln!(f, "{line}")?;
        }
        for hunk in &self.hunks {
            writeln!(f, "{}", hunk.head)?;
            for line in &hunk.lines {
                writeln!(f, "{}{}", line.mark.sign(), line.text)?;
                if line.is_unterminated {
                    writeln!(f, "\\ No newline at end of file")?;
                }
            }
        }
        Ok(())
    }
}

/// Why a text is not a diff that agon can show.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DiffError {
    /// `diff --cc`: a merge, compared with several versions at once, which begins at this line.
    #[error(
        "line {0}: this is a combined diff of a merge, whose lines have several old versions; \
         compare the merge with one version: `git diff FIRST-PARENT MERGE`"
    )]
    Combined(usize),
    /// `@@ … @@` without usable numbers.
    #[error("line {line}: {head:?} does not say which lines follow; make the diff again with `git diff` or `diff -u`")]
    Head {
        /// Where.
        line: usize,
        /// As it stands there, cut off.
        head: String,
    },
    /// A hunk, whose lines end here, has other lines than its head says.
    #[error("line {0}: the hunk ends before it has the lines that its head announces; the diff is cut off or edited")]
    Short(usize),
    /// There is a hunk at this line before any file name.
    #[error("line {0}: a hunk begins, and no line before it names a file")]
    NoFile(usize),
}

#[cfg(test)]
mod tests;
