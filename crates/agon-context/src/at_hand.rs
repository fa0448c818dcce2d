//! What lies at hand as material: the changes of a working copy that is in a git repository. No content is read.

use std::path::Path;

use crate::git::{GitFault, GitProgram};

/// Names that the main branch of a repository usually has, in the order in which they are tried.
const MAIN_BRANCHES: [&str; 5] = ["origin/HEAD", "main", "master", "origin/main", "origin/master"];
/// Changed files that are named; more are better compared as a range.
pub const CHANGED_MAX: usize = 40;
/// Bytes of an answer: names of changed files.
const ANSWER_BYTES_MAX: u64 = 4 << 20;

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
    /// Files that differ from the last commit, by their paths below the folder; deleted ones are not counted.
    Uncommitted {
        /// At most [`CHANGED_MAX`] of them.
        paths: Vec<String>,
        /// How many there are.
        count: usize,
    },
    /// Nothing is under way: the last commit.
    LastCommit {
        /// Its first line.
        subject: String,
    },
}

/// The changes of the repository that `folder` is in; none without a repository or without commits.
///
/// Files count as changed by what git noted of their size and time, so that no filter of the repository runs.
///
/// # Errors
///
/// Where git is there and does not end in time.
pub fn changes(folder: &Path) -> Result<Option<ChangesAtHand>, GitFault> {
    let git = GitProgram::at(folder);
    let Some(head) = commit(&git, "HEAD")? else { return Ok(None) };
    let paths = changed(&git)?;
    if !paths.is_empty() {
        let count = paths.len();
        let paths = paths.into_iter().take(CHANGED_MAX).collect();
        return Ok(Some(ChangesAtHand::Uncommitted { paths, count }));
    }
    for main in MAIN_BRANCHES {
        let Some(base) = commit(&git, main)?.filter(|base| *base != head) else { continue };
        let since = format!("{base}..{head}");
        let commits = line(&git, &["rev-list", "--count", "--end-of-options", &since])?;
        let commits = commits.and_then(|count| count.parse().ok()).filter(|count| *count > 0);
        if let (Some(commits), Some(_)) = (commits, line(&git, &["merge-base", &base, &head])?) {
            return Ok(Some(ChangesAtHand::Branch { main: main.to_owned(), commits }));
        }
    }
    let subject = line(&git, &["log", "--max-count=1", "--format=%s", "--no-show-signature", &head])?;
    Ok(Some(ChangesAtHand::LastCommit { subject: subject.unwrap_or_default() }))
}

fn commit(git: &GitProgram<'_>, name: &str) -> Result<Option<String>, GitFault> {
    line(git, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])
}

/// The first line of an answer; none where git fails, or is not installed.
fn line(git: &GitProgram<'_>, arguments: &[&str]) -> Result<Option<String>, GitFault> {
    let end = match git.ask(arguments, ANSWER_BYTES_MAX) {
        Err(GitFault::NotFound) => return Ok(None),
        end => end?,
    };
    let text = String::from_utf8_lossy(&end.output);
    let line = text.lines().next().unwrap_or_default().trim();
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    Ok((end.is_success && !line.is_empty()).then_some(line))
}

fn changed(git: &GitProgram<'_>) -> Result<Vec<String>, GitFault> {
    // `diff-index` compares what git noted of a file, and reads none.
    let arguments = [
        "diff-index",
        "--name-only",
        "-z",
        "--no-renames",
        "--diff-filter=d",
        "--ignore-submodules=all",
        "--relative",
        "HEAD",
        "--",
    ];
    let end = git.ask(&arguments, ANSWER_BYTES_MAX)?;
    if !end.is_success {
        return Ok(Vec::new());
    }
    let paths = end.output.split(|byte| *byte == 0).filter_map(|path| std::str::from_utf8(path).ok());
    let paths = paths.filter(|path| !path.is_empty() && !path.chars().any(char::is_control));
    Ok(paths.map(str::to_owned).collect())
}
