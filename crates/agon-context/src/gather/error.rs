//! Why material cannot be gathered, and what to do about it.

use thiserror::Error;

use super::{FILES_MAX, TOTAL_BYTES_MAX};
use crate::{diff::DiffError, git::GitFault, manifest::LeftOut};

/// Reasons that a message names.
const REASONS_NAMED_MAX: usize = 3;

/// Why material cannot be gathered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GatherError {
    /// The named path does not exist.
    #[error("there is no file or folder {path}")]
    NotFound {
        /// As it was named.
        path: String,
    },
    /// The system refuses to read it.
    #[error("{path} cannot be read: {reason}")]
    Unreadable {
        /// Which one.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// A path below the working folder that leads out of it.
    #[error("{path} is or passes a link that leads out of the working folder")]
    LinkOut {
        /// As it was named.
        path: String,
    },
    /// A file changed each time it was read.
    #[error("{path} changed while it was read, twice")]
    Changing {
        /// Which one.
        path: String,
    },
    /// More than [`FILES_MAX`] contents, with what is left out.
    #[error("with {source_name}, the material has more than {FILES_MAX} files; those that are left out count")]
    TooManyFiles {
        /// The source that exceeded it.
        source_name: String,
    },
    /// More than [`TOTAL_BYTES_MAX`] bytes.
    #[error("with {source_name}, the material has more than {} MB", TOTAL_BYTES_MAX >> 20)]
    TooManyBytes {
        /// The source that exceeded it.
        source_name: String,
    },
    /// A name that is not a relative path.
    #[error("{name:?} is not a name for material")]
    Name {
        /// Without control characters.
        name: String,
    },
    /// A text without content.
    #[error("{source_name} is empty")]
    EmptyText {
        /// Which one.
        source_name: String,
    },
    /// Nothing changed.
    #[error("the diff of {source_name} is empty")]
    EmptyDiff {
        /// Which one.
        source_name: String,
    },
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
    /// Everything was left out.
    #[error("nothing is left of the material{}", describe_left_out(left_out))]
    NothingLeft {
        /// What was found, with the reasons.
        left_out: Vec<LeftOut>,
    },
    /// The folder does not belong to a repository.
    #[error("{folder} is not in a git repository")]
    NotARepository {
        /// Where git was asked.
        folder: String,
    },
    /// git refuses, because another user owns the repository.
    #[error("git does not read the repository of {folder}, because it belongs to another user")]
    ForeignRepository {
        /// Where git was asked.
        folder: String,
    },
    /// A new repository.
    #[error("the repository of {folder} has no commits")]
    NoCommits {
        /// Where git was asked.
        folder: String,
    },
    /// git does not know it.
    #[error("git does not know the revision {revision:?}")]
    UnknownRevision {
        /// As it was named.
        revision: String,
    },
    /// Two histories without a common commit.
    #[error("{base} and {head} have no common commit")]
    NoMergeBase {
        /// First end.
        base: String,
        /// Second end.
        head: String,
    },
    /// git failed otherwise.
    #[error("{0}")]
    Git(GitFault),
}

impl GatherError {
    /// What the user can do.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "Check the path. Relative paths start at the working folder.",
            Self::Unreadable { .. } => "Check its permissions, or name other files.",
            Self::LinkOut { .. } => "Name its target instead, if you mean it.",
            Self::Changing { .. } => "Wait until the program that writes it has finished, or name other files.",
            Self::TooManyFiles { .. } | Self::TooManyBytes { .. } => {
                "Name fewer files or a folder further down, or add what does not matter to .gitignore or .ignore."
            }
            Self::Name { .. } => "Use a relative path with `/`, without `..` and control characters, like src/a.rs.",
            Self::EmptyText { .. } => "Check the command before the pipe, or leave this source out.",
            Self::EmptyDiff { source_name } if source_name == "git:." => {
                "Everything is committed. Name a revision or a range: git:HEAD, git:main...HEAD."
            }
            Self::EmptyDiff { .. } => "Check the two ends. What is not committed is git:. alone.",
            Self::Diff { .. } => "Make the diff again, with `git diff` or `diff -u`.",
            Self::ChangedTwice { .. } => "Compare two versions, with `git diff BASE HEAD` or git:BASE..HEAD.",
            Self::NothingLeft { .. } => "Name other files. A file that is named itself is taken even if it is hidden.",
            Self::NotARepository { .. } => {
                "Change to a folder of the repository, or name files and folders without git:."
            }
            Self::ForeignRepository { .. } => {
                "If you trust its owner: `git config --global --add safe.directory FOLDER`."
            }
            Self::NoCommits { .. } => "Commit first, or name files and folders without git:.",
            Self::UnknownRevision { .. } => {
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
    let named = left_out.iter().take(REASONS_NAMED_MAX).map(|item| format!("{} ({})", item.path, item.reason));
    let more = left_out.len().saturating_sub(REASONS_NAMED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(": {}{more}", named.collect::<Vec<_>>().join(", "))
}
