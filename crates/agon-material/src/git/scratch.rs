//! The index of a repository in a folder of its own: brought up to date there, so that nothing of the repository is
//! written, and with its filters emptied, so that none of its programs runs.

use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use super::{GitFault, GitProgram};

/// Bytes of an answer that lists files.
const ANSWER_BYTES_MAX: u64 = 64 << 20;

/// A copy of an index, with a place for objects.
#[derive(Debug)]
pub struct ScratchIndex {
    folder: TempDir,
    /// The top of the working copy.
    top: PathBuf,
    /// In place of the settings of the repository.
    settings: Vec<(OsString, OsString)>,
}

/// A path that differs from the last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    /// From the top of the working copy, with `/`.
    pub path: Vec<u8>,
    /// As git writes it, `100644` for example; none if nothing is there any more.
    pub mode: Option<String>,
}

impl ScratchIndex {
    /// The index of the working copy in whose folder `git` is asked. Files of which size or time changed are compared
    /// as git compares them.
    ///
    /// # Errors
    ///
    /// Where git does not end in time or fails, or the system refuses.
    pub fn from_working_copy(git: &GitProgram<'_>) -> Result<Self, GitFault> {
        let failed = |error: io::Error| GitFault::Failed {
            command: "update-index".to_owned(),
            reason: format!("a copy of the index cannot be made: {error}"),
        };
        let place = |options: &[&str]| Ok(git.folder().join(ask_repository(git, options)?));
        let (top, index, objects) =
            (place(&["--show-cdup"])?, place(&["--git-path", "index"])?, place(&["--git-path", "objects"])?);
        let settings = without_filters(git)?;
        let folder = tempfile::tempdir().map_err(failed)?;
        let info = folder.path().join("objects").join("info");
        fs::create_dir_all(&info).map_err(failed)?;
        let mut alternates = objects.canonicalize().map_err(failed)?.into_os_string().into_encoded_bytes();
        alternates.push(b'\n');
        fs::write(info.join("alternates"), alternates).map_err(failed)?;
        match copy_with_time(&index, &folder.path().join("index")) {
            // Without an index, git takes it as empty.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let scratch = Self { folder, top, settings };
        // It fails as well where something differs; an index that cannot be read fails again below.
        scratch.git_program().read_output(&["update-index", "-q", "--refresh"], ANSWER_BYTES_MAX)?;
        Ok(scratch)
    }

    /// The top of the working copy.
    pub fn top_folder(&self) -> &Path {
        &self.top
    }

    /// Where a file is, by its path from the top as git writes it.
    pub fn resolve_path(&self, path: &[u8]) -> PathBuf {
        self.top.join(os_string(path.to_vec()))
    }

    /// git at the top of the working copy, with this index. What it writes stays here.
    pub fn git_program(&self) -> GitProgram<'_> {
        GitProgram { scratch: Some(self), ..GitProgram::at(&self.top) }
    }

    /// What differs from the last commit, apart from files that git does not know.
    ///
    /// # Errors
    ///
    /// Where git does not end in time, or fails.
    pub fn list_changes(&self) -> Result<Vec<ChangedPath>, GitFault> {
        // Of a submodule, its commit counts, and nothing is run in it.
        let options = ["diff-index", "-z", "--no-renames", "--ignore-submodules=dirty", "--no-relative", "HEAD", "--"];
        let answer = self.git_program().require_output(&options, String::new(), ANSWER_BYTES_MAX)?;
        let mut changed: Vec<ChangedPath> = Vec::new();
        let mut parts = answer.split(|byte| *byte == 0).filter(|part| !part.is_empty());
        // `:OLD NEW OLD-OBJECT NEW-OBJECT STATUS` and the path, each before a zero byte.
        while let (Some(about), Some(path)) = (parts.next(), parts.next()) {
            let about = String::from_utf8_lossy(about);
            let mut words = about.trim_start_matches(':').split(' ');
            let (old, new) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let is_unmerged = about.ends_with('U');
            let mode = if is_unmerged && new == GONE { old } else { new };
            let mode = (mode != GONE).then(|| mode.to_owned());
            match changed.last_mut().filter(|last| last.path == path) {
                // A conflict has a line of its own before the one that compares.
                Some(last) => last.mode = mode,
                None => changed.push(ChangedPath { path: path.to_vec(), mode }),
            }
        }
        Ok(changed)
    }

    /// The files that `git` does not know and that no rule ignores, by their paths from the top, at most `count_max`. A
    /// repository within this one ends with `/`.
    ///
    /// # Errors
    ///
    /// Where git does not end in time, or fails.
    pub fn new_files(&self, git: &GitProgram<'_>, count_max: usize) -> Result<Vec<Vec<u8>>, GitFault> {
        let own = self.own_prefix();
        let read = move |output: &mut dyn io::Read| {
            let files = io::BufRead::split(io::BufReader::new(output), 0);
            let is_own = |path: &[u8]| own.as_ref().is_some_and(|own| path.starts_with(own));
            let files = files.filter(|path| path.as_ref().map_or(true, |path| !is_own(path)));
            files.take(count_max).collect::<io::Result<Vec<_>>>()
        };
        let end = git.call(&NEW, String::new(), read)?;
        // One that listed more was ended before it was through.
        match end.is_success || end.output.len() == count_max {
            true => Ok(end.output),
            false => Err(GitFault::from_complaint(NEW[0], &end.complaint)),
        }
    }

    /// The beginning of the paths of this folder, where the system's folder for such is in the working copy.
    fn own_prefix(&self) -> Option<Vec<u8>> {
        let (own, top) = (self.folder.path().canonicalize().ok()?, self.top.canonicalize().ok()?);
        Some(own.strip_prefix(top).ok()?.as_os_str().as_encoded_bytes().to_vec())
    }

    /// Makes a call write here.
    pub(super) fn configure_command(&self, command: &mut Command) {
        command.env("GIT_OBJECT_DIRECTORY", self.folder.path().join("objects"));
        command.env("GIT_INDEX_FILE", self.folder.path().join("index"));
        // The user can have settings there, too.
        let given = env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(0_usize);
        command.env("GIT_CONFIG_COUNT", (given + self.settings.len()).to_string());
        for (at, (key, value)) in (given..).zip(&self.settings) {
            command.env(format!("GIT_CONFIG_KEY_{at}"), key).env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
    }
}

/// The mode of what is not there.
const GONE: &str = "000000";
/// Lists files that git does not know.
const NEW: [&str; 4] = ["ls-files", "--others", "--exclude-standard", "-z"];

/// What git says of the repository.
fn ask_repository(git: &GitProgram<'_>, options: &[&str]) -> Result<OsString, GitFault> {
    let arguments = [&["rev-parse"], options].concat();
    let mut answer = git.require_output(&arguments, String::new(), ANSWER_BYTES_MAX)?;
    while answer.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        answer.pop();
    }
    Ok(os_string(answer))
}

/// Settings with which git runs no filter: they are programs.
fn without_filters(git: &GitProgram<'_>) -> Result<Vec<(OsString, OsString)>, GitFault> {
    let arguments = ["config", "-z", "--name-only", "--get-regexp", r"^filter\."];
    let end = git.read_output(&arguments, ANSWER_BYTES_MAX)?;
    // Without such a setting it fails and says nothing.
    if !end.is_success && !end.complaint.trim().is_empty() {
        return Err(GitFault::from_complaint(arguments[0], &end.complaint));
    }
    // A line that is stored with another end must not be refused.
    let mut settings = vec![("core.safecrlf".into(), "false".into())];
    for key in end.output.split(|byte| *byte == 0) {
        let Some(dot) = key.iter().rposition(|byte| *byte == b'.') else { continue };
        for (name, value) in [(".clean", ""), (".smudge", ""), (".process", ""), (".required", "false")] {
            settings.push((os_string([&key[..dot], name.as_bytes()].concat()), value.into()));
        }
    }
    settings.dedup();
    Ok(settings)
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Copies a file with the time of its last change: git compares that of its index with those of the files, and takes a file
/// that was changed in the moment of the last commit for unchanged where the index looks younger.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let changed = fs::metadata(from)?.modified()?;
    fs::File::options().write(true).open(to)?.set_modified(changed)
}
