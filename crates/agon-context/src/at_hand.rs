//! What lies at hand as material: the changes of a working copy that is in a git repository. No content is read.

use std::path::Path;

use crate::git::{GitFault, GitProgram};

/// Names that the main branch of a repository usually has, in the order in which they are tried.
const MAIN_BRANCHES: [&str; 5] = ["origin/HEAD", "main", "master", "origin/main", "origin/master"];
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
/// Files count as changed by what git noted of their size and time, so that no filter of the repository runs. New files
/// alone can lie around, so a branch with commits comes before them.
///
/// # Errors
///
/// Where git is there and does not end in time.
pub fn changes(folder: &Path) -> Result<Option<ChangesAtHand>, GitFault> {
    let git = GitProgram::at(folder);
    let Some(head) = commit(&git, "HEAD")? else { return Ok(None) };
    let (changed, new) = (changed(&git)?.len(), new(&git)?.len());
    if changed > 0 {
        return Ok(Some(ChangesAtHand::Uncommitted { changed, new }));
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
    if new > 0 {
        return Ok(Some(ChangesAtHand::Uncommitted { changed, new }));
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

/// The files that git knows and that differ from the last commit, by their paths in the repository.
pub(crate) fn changed(git: &GitProgram<'_>) -> Result<Vec<Vec<u8>>, GitFault> {
    // `diff-index` compares what git noted of a file, and reads it only if it changed at the time when that was noted.
    let without_filters = without_filters(git)?;
    let git = &git.with_settings(&without_filters);
    let options = ["--name-only", "-z", "--no-renames", "--ignore-submodules=all", "--no-relative"];
    named(git, &[&["diff-index"], &options[..], &["HEAD", "--"]].concat())
}

/// Settings with which git reads files as they are: filters are programs.
fn without_filters(git: &GitProgram<'_>) -> Result<Vec<(String, String)>, GitFault> {
    let arguments = ["config", "-z", "--name-only", "--get-regexp", r"^filter\."];
    let mut settings = Vec::new();
    for key in named(git, &arguments)? {
        let key = String::from_utf8_lossy(&key).into_owned();
        let Some((driver, _)) = key.rsplit_once('.') else { continue };
        let none = [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
        settings.extend(none.map(|(name, value)| (format!("{driver}.{name}"), value.to_owned())));
    }
    Ok(settings)
}

/// The files at and below the folder that git does not know and that no rule ignores, by their paths from there.
pub(crate) fn new(git: &GitProgram<'_>) -> Result<Vec<Vec<u8>>, GitFault> {
    named(git, &["ls-files", "--others", "--exclude-standard", "-z"])
}

/// What an answer names, each followed by a zero byte; nothing where git fails.
fn named(git: &GitProgram<'_>, arguments: &[&str]) -> Result<Vec<Vec<u8>>, GitFault> {
    let end = git.ask(arguments, ANSWER_BYTES_MAX)?;
    if !end.is_success {
        return Ok(Vec::new());
    }
    Ok(end.output.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect())
}
