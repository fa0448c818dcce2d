//! Why material cannot be gathered, and what to do about it.

use agon_text::name_first;
use thiserror::Error;

use super::{FILES_MAX, TOTAL_BYTES_MAX};
use crate::{diff::DiffError, git::GitFault, manifest::LeftOut};

/// Reasons that a message names.
const REASONS_NAMED_MAX: usize = 3;

/// Why material cannot be gathered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GatherError {
    /// The path that was named does not exist.
    #[error("there is no file or folder {0}")]
    NotFound(String),
    /// The system refuses to read it.
    #[error("{path} cannot be read: {reason}")]
    Unreadable {
        /// Which one.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// A path below the working folder, as it was named, that leads out of it.
    #[error("{0} is or passes a link that leads out of the working folder")]
    LinkOut(String),
    /// This file changed each time it was read.
    #[error("{0} changed while it was read, twice")]
    Changing(String),
    /// More than [`FILES_MAX`] contents, with what is left out; the source that exceeded it.
    #[error("with {0}, the material has more than {FILES_MAX} files; those that are left out count")]
    TooManyFiles(String),
    /// More than [`TOTAL_BYTES_MAX`] bytes; the source that exceeded it.
    #[error("with {0}, the material has more than {megabytes} MB", megabytes = TOTAL_BYTES_MAX >> 20)]
    TooManyBytes(String),
    /// A name, without its control characters, that is not a relative path.
    #[error("{0:?} is not a name for material")]
    Name(String),
    /// The source that is a text without content.
    #[error("{0} is empty")]
    EmptyText(String),
    /// The source in which nothing changed.
    #[error("the diff of {0} is empty")]
    EmptyDiff(String),
    /// A diff that cannot be read.
    #[error("{source_name}: {fault}")]
    Diff {
        /// Which one.
        source_name: String,
        /// Why.
        fault: DiffError,
    },
    /// A diff of several steps.
    #[error("{source_name} changes {path} more than once, so its lines have no single number")]
    ChangedTwice {
        /// Which diff.
        source_name: String,
        /// The file.
        path: String,
    },
    /// Everything that was found was left out, with the reasons.
    #[error("nothing is left of the material{}", describe_left_out(.0))]
    NothingLeft(Vec<LeftOut>),
    /// The folder where git was asked does not belong to a repository.
    #[error("{0} is not in a git repository")]
    NotARepository(String),
    /// git refuses to read the repository of this folder, because another user owns it.
    #[error("git does not read the repository of {0}, because it belongs to another user")]
    ForeignRepository(String),
    /// The folder of a new repository.
    #[error("the repository of {0} has no commits")]
    NoCommits(String),
    /// git does not know this revision, as it was named.
    #[error("git does not know the revision {0:?}")]
    UnknownRevision(String),
    /// Two histories without a common commit.
    #[error("{base} and {head} have no common commit")]
    NoMergeBase {
        /// First end.
        base: String,
        /// Second end.
        head: String,
    },
    /// git failed otherwise.
    #[error(transparent)]
    Git(#[from] GitFault),
}

impl GatherError {
    /// What the user can do.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "Check the path. Relative paths start at the working folder.",
            Self::Unreadable { .. } => "Check its permissions, or name other files.",
            Self::LinkOut(_) => "Name its target instead, if you mean it.",
            Self::Changing(_) => "Wait until the program that writes it has finished, or name other files.",
            Self::TooManyFiles(_) | Self::TooManyBytes(_) => {
                "Name fewer files or a folder further down, or add what does not matter to .gitignore or .ignore."
            }
            Self::Name(_) => "Use a relative path with `/`, without `..` and control characters, like src/a.rs.",
            Self::EmptyText(_) => "Check the command before the pipe, or leave this source out.",
            Self::EmptyDiff(source_name) if source_name == "git:." => {
                "Everything is committed. Name a revision or a range: git:HEAD, git:main...HEAD."
            }
            Self::EmptyDiff(_) => "Check the two ends. What is not committed is git:. alone.",
            Self::Diff { .. } => "Make the diff again, with `git diff` or `diff -u`.",
            Self::ChangedTwice { .. } => "Compare two versions, with `git diff BASE HEAD` or git:BASE..HEAD.",
            Self::NothingLeft(_) => "Name other files. A file that is named itself is taken even if it is hidden.",
            Self::NotARepository(_) => "Change to a folder of the repository, or name files and folders without git:.",
            Self::ForeignRepository(_) => "If you trust its owner: `git config --global --add safe.directory FOLDER`.",
            Self::NoCommits(_) => "Commit first, or name files and folders without git:.",
            Self::UnknownRevision(_) => {
                "`git branch --all` and `git log` list revisions; a clone can lack some: `git fetch --unshallow`."
            }
            Self::NoMergeBase { .. } => {
                "Compare them directly with two dots; a shallow clone can lack the commit: `git fetch --unshallow`."
            }
            Self::Git(GitFault::NotFound) => "Install git, or pass a diff on standard input.",
            Self::Git(GitFault::Elapsed { .. }) => {
                "Run the command by hand to see what it waits for, or pipe in a diff: `git diff … | agon … --context -`."
            }
            Self::Git(GitFault::TooLong { .. }) => "Name a smaller range, or files and folders of it.",
            Self::Git(GitFault::Failed { .. }) => {
                "Run the command by hand to see more; `git fsck` finds damaged repositories."
            }
        }
    }
}

fn describe_left_out(left_out: &[LeftOut]) -> String {
    if left_out.is_empty() {
        return "; no file was found".into();
    }
    let named: Vec<String> = left_out.iter().map(|item| format!("{} ({})", item.path, item.reason)).collect();
    format!(": {}", name_first(&named, REASONS_NAMED_MAX))
}
