//! Asking the program `git`, so that neither a repository nor the environment makes it run something else.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
};

use super::{FILE_BYTES_MAX, GatherError, TOTAL_BYTES_MAX, read};

/// Bytes of an answer of git: a diff with its context can be larger than the contents.
const ANSWER_BYTES_MAX: u64 = 2 * TOTAL_BYTES_MAX;
/// Bytes of git's complaints that are read.
const COMPLAINT_BYTES_MAX: u64 = 64 << 10;

/// A repository, asked from one of its folders.
pub(super) struct Repository<'p> {
    folder: &'p Path,
}

/// What git answered.
struct GitAnswer {
    is_success: bool,
    output: Vec<u8>,
    complaint: String,
}

impl<'p> Repository<'p> {
    /// The repository that `folder` is in.
    pub(super) fn of(folder: &'p Path) -> Result<Self, GatherError> {
        let repository = Self { folder };
        let answer = repository.ask(&["rev-parse", "--git-dir"])?;
        let name = || folder.display().to_string();
        match answer {
            GitAnswer { is_success: true, .. } => Ok(repository),
            GitAnswer { complaint, .. } if complaint.contains("dubious ownership") => {
                Err(GatherError::ForeignRepository { folder: name() })
            }
            GitAnswer { complaint, .. } if complaint.contains("not a git repository") => {
                Err(GatherError::NotARepository { folder: name() })
            }
            GitAnswer { complaint, .. } => Err(failed("rev-parse", &complaint)),
        }
    }

    /// The object that a revision names, in hexadecimal.
    pub(super) fn commit(&self, revision: &str) -> Result<String, GatherError> {
        let name = format!("{revision}^{{commit}}");
        let answer = self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?;
        if let Some(object) = object(&answer) {
            return Ok(object);
        }
        if self.ask(&["rev-list", "--max-count=1", "--all"])?.output.is_empty() {
            return Err(GatherError::NoCommits { folder: self.folder.display().to_string() });
        }
        Err(GatherError::UnknownRevision { revision: revision.to_owned() })
    }

    /// The first parent of a commit; none for the first commit.
    pub(super) fn parent(&self, commit: &str) -> Result<Option<String>, GatherError> {
        let name = format!("{commit}^1");
        Ok(object(&self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?))
    }

    /// The tree without files.
    pub(super) fn empty_tree(&self) -> Result<String, GatherError> {
        // Depends on the repository's hash function. Standard input is empty.
        let answer = self.ask(&["hash-object", "-t", "tree", "--stdin"])?;
        object(&answer).ok_or_else(|| failed("hash-object", &answer.complaint))
    }

    /// A common ancestor of two commits.
    pub(super) fn merge_base(&self, base: &str, head: &str) -> Result<Option<String>, GatherError> {
        Ok(object(&self.ask(&["merge-base", base, head])?))
    }

    /// The diff from one object to another.
    pub(super) fn diff(&self, base: &str, head: &str) -> Result<Vec<u8>, GatherError> {
        // `diff-tree` does not read the settings that change what `diff` prints.
        let options =
            ["diff-tree", "-r", "-p", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=3"];
        let prefixes = ["--src-prefix=a/", "--dst-prefix=b/", "--no-relative", "--submodule=short"];
        let ends = ["--end-of-options", base, head, "--"];
        let answer = self.ask(&[&options[..], &prefixes, &ends].concat())?;
        match answer.is_success {
            true => Ok(answer.output),
            false => Err(failed("diff-tree", &answer.complaint)),
        }
    }

    /// The contents of `paths` in a commit, each as a text, as the reason why it is left out, or as none if
    /// there is no such file. No path has a line feed.
    pub(super) fn contents(
        &self,
        commit: &str,
        paths: &[String],
    ) -> Result<Vec<Option<Result<String, String>>>, GatherError> {
        let mut child = self.spawn(&["cat-file", "--batch"], Stdio::piped())?;
        let stdin = child.stdin.take();
        let requests: String = paths.iter().map(|path| format!("{commit}:{path}\n")).collect();
        // git answers while it is asked; a single thread would wait for itself when the pipes are full.
        let writer = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(requests.as_bytes())));
        let complaint = complaint(&mut child);
        let mut contents = Vec::new();
        let mut fault = None;
        if let Some(output) = child.stdout.take() {
            let mut output = BufReader::new(output);
            for _ in paths {
                match content(&mut output) {
                    Ok(content) => contents.push(content),
                    Err(error) => {
                        fault = Some(error.to_string());
                        break;
                    }
                }
            }
        }
        // Otherwise git could wait for a reader of the rest.
        let _ = child.kill();
        let _ = child.wait();
        let _ = writer.join();
        let complaint = complaint.join().unwrap_or_default();
        match fault {
            None => Ok(contents),
            Some(fault) => Err(failed("cat-file", if complaint.is_empty() { &fault } else { &complaint })),
        }
    }

    fn ask(&self, arguments: &[&str]) -> Result<GitAnswer, GatherError> {
        let mut child = self.spawn(arguments, Stdio::null())?;
        let command = arguments.first().copied().unwrap_or_default();
        let complaint = complaint(&mut child);
        let mut output = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            let read = stdout.take(ANSWER_BYTES_MAX + 1).read_to_end(&mut output);
            if let Err(error) = read {
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed(command, &error.to_string()));
            }
        }
        if output.len() as u64 > ANSWER_BYTES_MAX {
            let _ = child.kill();
            let _ = child.wait();
            return Err(GatherError::TooManyBytes { source_name: format!("git {command}") });
        }
        let status = child.wait().map_err(|error| failed(command, &error.to_string()))?;
        let complaint = complaint.join().unwrap_or_default();
        Ok(GitAnswer { is_success: status.success(), output, complaint })
    }

    fn spawn(&self, arguments: &[&str], stdin: Stdio) -> Result<Child, GatherError> {
        let mut command = Command::new("git");
        command
            .current_dir(self.folder)
            .args(["--no-pager", "--no-replace-objects", "--literal-pathspecs", "-c", "core.quotepath=off"])
            // A repository can name programs here.
            .args([
                "-c",
                "core.fsmonitor=false",
                "-c",
                "diff.suppressBlankEmpty=false",
                "-c",
                "core.hooksPath=/dev/null",
                // A folder of a change can look like a repository.
                "-c",
                "safe.bareRepository=explicit",
            ])
            .args(arguments)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            // A partial clone would fetch what is missing.
            .env("GIT_NO_LAZY_FETCH", "1")
            // Messages are compared.
            .env("LC_ALL", "C")
            .env_remove("LANGUAGE")
            .env_remove("GIT_EXTERNAL_DIFF")
            .env_remove("GIT_DIFF_OPTS")
            .env_remove("GIT_TRACE")
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => GatherError::NoGit,
            _ => failed(arguments.first().copied().unwrap_or_default(), &error.to_string()),
        })
    }
}

fn complaint(child: &mut Child) -> thread::JoinHandle<String> {
    let stderr = child.stderr.take();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stderr) = stderr {
            let mut limited = stderr.take(COMPLAINT_BYTES_MAX);
            let _ = limited.read_to_end(&mut bytes);
            let _ = io::copy(limited.get_mut(), &mut io::sink());
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn failed(command: &str, complaint: &str) -> GatherError {
    let reason = complaint.lines().next().unwrap_or_default().trim().trim_start_matches("fatal: ");
    let reason = if reason.is_empty() { "it gave no reason" } else { reason };
    GatherError::Git { command: command.to_owned(), reason: reason.to_owned() }
}

/// The name of an object, if the answer is one.
fn object(answer: &GitAnswer) -> Option<String> {
    let name = std::str::from_utf8(&answer.output).ok()?.trim();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    (answer.is_success && is_name).then(|| name.to_owned())
}

/// Reads one answer of `cat-file --batch`: `NAME TYPE SIZE`, the bytes, a line feed; or `NAME missing`.
fn content(output: &mut impl BufRead) -> io::Result<Option<Result<String, String>>> {
    let mut head = Vec::new();
    if output.read_until(b'\n', &mut head)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let head = String::from_utf8_lossy(&head);
    let mut words = head.trim_end().rsplit(' ');
    let (size, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let Ok(size) = size.parse::<u64>() else { return Ok(None) };
    let mut bytes = Vec::new();
    let is_small = size <= FILE_BYTES_MAX;
    match is_small {
        true => output.take(size).read_to_end(&mut bytes)? as u64,
        false => io::copy(&mut output.take(size), &mut io::sink())?,
    };
    io::copy(&mut output.take(1), &mut io::sink())?;
    Ok(match (kind, is_small) {
        ("blob", true) => Some(read::text_of(bytes)),
        ("blob", false) => Some(Err(read::too_large(size))),
        _ => None,
    })
}
