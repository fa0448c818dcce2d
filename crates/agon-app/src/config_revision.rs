//! The project's configuration at a revision of git. A pipeline that checks a stranger's change reads the
//! configuration from the base of the change: the change could name other models, prompts or rules.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agon_core::Digest;
use agon_material::git::{GitFault, GitProgram, first_complaint_line};
use agon_runtime::config::Paths;

use crate::failure::{Failure, Result};

/// Most files of a configuration, and their size in all: prompts and declarations are short texts.
const FILES_MAX: usize = 2_000;
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The file and the folder that make up the configuration of a project.
const FILE: &str = "agon.toml";
const FOLDER: &str = ".agon";

/// A file of a revision: where it is in the repository, and the name of its content.
#[derive(Debug, PartialEq)]
struct TreeFile {
    path: String,
    object: String,
}

/// `places` with the project's configuration, prompts and protocols as they are in `revision`, for a command in the
/// folder `here`. They are copied into agon's own folder.
///
/// # Errors
///
/// Where `here` is in no repository, or the revision is unknown.
pub fn at_revision(places: &Paths, here: &Path, revision: &str) -> Result<Paths> {
    let git = ConfigRepository { here };
    let commit = git.resolve_commit(revision)?;
    let (prefix, files) = git.find_project(&commit)?;
    let name = Digest::from_content(format!("{commit}\n{prefix}"));
    let folder = places.home.join("revisions").join(name.as_str());
    if !folder.is_dir() {
        git.copy_files(&prefix, files, &folder)?;
    }
    let root = PathBuf::from(git.run_git_text(&["rev-parse", "--show-toplevel"])?);
    let mut places = places.clone();
    places.project_config = Some(folder.join(FILE));
    // Whom the user trusts is the folder, whatever its file says in this revision.
    places.project = Some(root.join(prefix.trim_end_matches('/')));
    places.prompts.project = Some(folder.join(FOLDER).join("prompts"));
    places.protocols.project = Some(folder.join(FOLDER).join("protocols"));
    Ok(places)
}

/// The repository that holds a folder, read by the program git.
struct ConfigRepository<'a> {
    here: &'a Path,
}

impl ConfigRepository<'_> {
    fn run_git(&self, words: &[&str]) -> Result<Vec<u8>> {
        let end = GitProgram::at(self.here).read_output(words, BYTES_MAX).map_err(|fault| {
            let remedy = match fault {
                GitFault::TooLong { .. } => "make the configuration smaller",
                GitFault::Elapsed { .. } => "run the command by hand to see what it waits for",
                _ => "install git, or omit --config-from",
            };
            Failure::io(format!("--config-from: {fault}"), remedy)
        })?;
        match end.is_success {
            true => Ok(end.output),
            false => {
                let message = format!("--config-from: git: {}", first_complaint_line(&end.complaint));
                Err(Failure::usage(message, "name a revision of this repository"))
            }
        }
    }

    fn run_git_text(&self, words: &[&str]) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.run_git(words)?).trim_end_matches('\n').to_owned())
    }

    /// The whole name of a commit.
    fn resolve_commit(&self, revision: &str) -> Result<String> {
        let named = format!("{revision}^{{commit}}");
        self.run_git_text(&["rev-parse", "--verify", "--end-of-options", &named])
    }

    /// The nearest folder, from this one upwards, that has a configuration in `commit`, with its files. The folders
    /// of the work tree say nothing about it.
    fn find_project(&self, commit: &str) -> Result<(String, Vec<TreeFile>)> {
        let here = self.run_git_text(&["rev-parse", "--show-prefix"])?;
        let mut folder = here.trim_end_matches('/');
        loop {
            let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            let (file, own) = (format!("{prefix}{FILE}"), format!("{prefix}{FOLDER}"));
            let words = ["ls-tree", "-r", "-z", "--full-tree", commit, "--", &file, &own];
            let files = parse_tree(&self.run_git(&words)?)?;
            if !files.is_empty() || folder.is_empty() {
                return Ok((prefix, files));
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    /// Copies `files`, which are below `prefix`, into `folder`: whole or not at all.
    fn copy_files(&self, prefix: &str, files: Vec<TreeFile>, folder: &Path) -> Result<()> {
        let half = PathBuf::from(format!("{}.{}", folder.display(), std::process::id()));
        let _unfinished = UnfinishedCopy(&half);
        let io = |error: std::io::Error| {
            let message = format!("{}: {error}", half.display());
            Failure::io(message, "free disk space or grant permission")
        };
        let mut bytes = 0;
        fs::create_dir_all(&half).map_err(io)?;
        for TreeFile { path, object } in files {
            let content = self.run_git(&["cat-file", "blob", &object])?;
            bytes += content.len() as u64;
            if bytes > BYTES_MAX {
                return Err(too_much(format!("more than {BYTES_MAX} bytes")));
            }
            let target = half.join(path.strip_prefix(prefix).unwrap_or(&path));
            target.parent().map_or(Ok(()), fs::create_dir_all).map_err(io)?;
            fs::write(&target, content).map_err(io)?;
        }
        match fs::rename(&half, folder) {
            // Another process was faster, with the same files.
            Err(_) if folder.is_dir() => Ok(()),
            renamed => renamed.map_err(io),
        }
    }
}

/// A folder that is being filled; what is not renamed in the end is removed.
struct UnfinishedCopy<'p>(&'p Path);

impl Drop for UnfinishedCopy<'_> {
    fn drop(&mut self) {
        // Nothing reads it; if it stays, the command ends as it would have.
        let _ = fs::remove_dir_all(self.0);
    }
}

fn too_much(what: String) -> Failure {
    Failure::usage(format!("--config-from: the configuration has {what}"), "make it smaller")
}

/// The files of what `git ls-tree -z` lists. A link is not followed: it could lead into the work tree.
fn parse_tree(listed: &[u8]) -> Result<Vec<TreeFile>> {
    let mut files = Vec::new();
    for line in listed.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let Ok(line) = str::from_utf8(line) else {
            let message = format!("--config-from: the path {:?} is not UTF-8", String::from_utf8_lossy(line));
            return Err(Failure::usage(message, "rename the file"));
        };
        let (about, path) = line.split_once('\t').unwrap_or_default();
        let mut words = about.split(' ');
        let (mode, kind, object) = (words.next(), words.next(), words.next());
        let is_file = kind == Some("blob") && mode.is_some_and(|mode| mode.starts_with("100"));
        let Some(object) = object.filter(|_| is_file) else {
            let message = format!("--config-from: {path} is a link, not a file");
            return Err(Failure::usage(message, "put the file itself into the repository"));
        };
        // Git stores no such path by itself, but a repository can be made by hand.
        let is_plain = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !is_plain {
            return Err(Failure::usage(format!("--config-from: the path {path:?} leaves its folder"), ""));
        }
        files.push(TreeFile { path: path.to_owned(), object: object.to_owned() });
        if files.len() > FILES_MAX {
            return Err(too_much(format!("more than {FILES_MAX} files")));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::exit;

    #[test]
    fn links_and_paths_that_leave_their_folder_are_refused() {
        let object = "0123456789012345678901234567890123456789";
        let line = |mode: &str, kind: &str, path: &str| format!("{mode} {kind} {object}\t{path}\0").into_bytes();
        let read = parse_tree(&line("100644", "blob", ".agon/prompts/a b.md")).unwrap();
        assert_eq!(read, [TreeFile { path: ".agon/prompts/a b.md".into(), object: object.into() }]);
        for (mode, kind, path) in [
            ("120000", "blob", "agon.toml"),
            ("160000", "commit", ".agon"),
            ("100644", "blob", "../agon.toml"),
            ("100644", "blob", "/etc/agon.toml"),
        ] {
            assert_eq!(parse_tree(&line(mode, kind, path)).unwrap_err().exit, exit::USAGE, "{mode} {path}");
        }
        assert!(parse_tree(&line("100644", "blob", "agon.toml").repeat(FILES_MAX + 1)).is_err());
        let latin1 = [line("100644", "blob", ".agon/prompts/caf").as_slice(), b"\xe9.md\0"].concat();
        let latin1: Vec<u8> = latin1.splitn(2, |byte| *byte == 0).flatten().copied().collect();
        assert!(parse_tree(&latin1).unwrap_err().message.contains("UTF-8"));
    }
}
