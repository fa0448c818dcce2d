//! What lies at hand as material: the changes of a working copy that is in a git repository. No content is shown.

use std::{path::Path, time::Duration};

use crate::{
    gather::IsOwn,
    git::{GitFault, GitProgram, ScratchIndex},
};

/// Names that the main branch of a repository usually has, in the order in which they are tried.
const MAIN_BRANCHES: [&str; 5] = ["origin/HEAD", "main", "master", "origin/main", "origin/master"];
/// Bytes of an answer: one line.
const ANSWER_BYTES_MAX: u64 = 64 << 10;
/// New files that are counted.
const NEW_FILES_MAX: usize = 10_000;
/// How long they are looked for.
const NEW_FILES_LIMIT: Duration = Duration::from_secs(10);

/// Changes that can be material.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangesAtHand {
    /// Commits that the main branch does not have.
    Branch {
        /// The main branch.
        main: String,
        /// How many.
        commits: u64,
    },
    /// What is not committed yet, in the whole repository.
    Uncommitted {
        /// Files that git knows and that differ from the last commit, deleted ones too.
        changed: usize,
        /// Files that git does not know and that no rule ignores.
        new: usize,
    },
    /// Nothing is under way: the last commit.
    LastCommit {
        /// Its first line.
        subject: String,
    },
}

/// The changes of the repository that `folder` is in; none without a repository or without commits.
///
/// New files alone can lie around, so a branch with commits comes before them. No filter of the repository runs, and
/// nothing of it is written. Files of which `is_own` holds, which the caller wrote itself, do not count.
///
/// # Errors
///
/// Where git is there and does not end in time, or cannot read the index.
pub fn find_changes(folder: &Path, is_own: IsOwn<'_>) -> Result<Option<ChangesAtHand>, GitFault> {
    let git = GitProgram::at(folder);
    let Some(head) = resolve_commit(&git, "HEAD")? else { return Ok(None) };
    let scratch = ScratchIndex::from_working_copy(&git)?;
    let is_foreign = |path: &[u8]| !is_own(&scratch.resolve_path(path));
    let changed = scratch.list_changes()?.iter().filter(|changed| is_foreign(&changed.path)).count();
    let new = new_files(&scratch)?.iter().filter(|path| is_foreign(path)).count();
    if changed > 0 {
        return Ok(Some(ChangesAtHand::Uncommitted { changed, new }));
    }
    for main in MAIN_BRANCHES {
        let Some(base) = resolve_commit(&git, main)?.filter(|base| *base != head) else { continue };
        let since = format!("{base}..{head}");
        let commits = read_first_line(&git, &["rev-list", "--count", "--end-of-options", &since])?;
        let commits = commits.and_then(|count| count.parse().ok()).filter(|count| *count > 0);
        if let (Some(commits), Some(_)) = (commits, read_first_line(&git, &["merge-base", &base, &head])?) {
            return Ok(Some(ChangesAtHand::Branch { main: main.to_owned(), commits }));
        }
    }
    if new > 0 {
        return Ok(Some(ChangesAtHand::Uncommitted { changed, new }));
    }
    let subject = read_first_line(&git, &["log", "--max-count=1", "--format=%s", "--no-show-signature", &head])?;
    Ok(Some(ChangesAtHand::LastCommit { subject: subject.unwrap_or_default() }))
}

/// Files that are new, if they can be listed soon: a home folder can be a repository.
fn new_files(scratch: &ScratchIndex) -> Result<Vec<Vec<u8>>, GitFault> {
    match scratch.new_files(&scratch.git_program().with_time_limit(NEW_FILES_LIMIT), NEW_FILES_MAX) {
        Err(GitFault::Elapsed { .. }) => Ok(Vec::new()),
        files => files,
    }
}

fn resolve_commit(git: &GitProgram<'_>, name: &str) -> Result<Option<String>, GitFault> {
    read_first_line(git, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])
}

/// The first line of an answer; none where git fails, or is not installed.
fn read_first_line(git: &GitProgram<'_>, arguments: &[&str]) -> Result<Option<String>, GitFault> {
    let end = match git.read_output(arguments, ANSWER_BYTES_MAX) {
        Err(GitFault::NotFound) => return Ok(None),
        end => end?,
    };
    let text = String::from_utf8_lossy(&end.output);
    let line = text.lines().next().unwrap_or_default().trim();
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    Ok((end.is_success && !line.is_empty()).then_some(line))
}
