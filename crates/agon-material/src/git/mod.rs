//! One call of the program `git`, with limits on its time and its answer. Neither the repository that is asked
//! nor the environment makes it run another program, use the network or ask a person.

mod scratch;

use std::{
    env,
    io::{self, Read, Write},
    path::Path,
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use thiserror::Error;

pub use self::scratch::{ChangedPath, ScratchIndex};

/// Longest time of one call: a diff of a large repository takes some seconds, and a disk can be slow.
pub const CALL_SECONDS_MAX: u64 = 120;
/// Bytes of git's complaints that are kept.
const COMPLAINT_BYTES_MAX: u64 = 64 << 10;
/// How long the rest of its complaints is waited for when git has ended.
const COMPLAINT_WAIT: Duration = Duration::from_secs(1);
/// Between two looks whether git has ended.
const LOOK: Duration = Duration::from_millis(2);

/// Options of every call. A repository can name programs in its configuration; these keep git from running them.
const OPTIONS: [&str; 15] = [
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    "-c",
    "core.quotepath=off",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "diff.suppressBlankEmpty=false",
    "-c",
    "core.splitIndex=false",
    // A folder of a change can look like a repository.
    "-c",
    "safe.bareRepository=explicit",
];
/// The environment of every call.
const VARIABLES: [(&str, &str); 7] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // A partial clone would fetch what is missing, with programs that its configuration names.
    ("GIT_NO_LAZY_FETCH", "1"),
    // Older versions do not know that; they know that no protocol is allowed.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ASKPASS", "false"),
    // Messages are compared.
    ("LC_ALL", "C"),
];
/// Variables that name programs, or change what git writes.
const REMOVED: [&str; 6] = ["LANGUAGE", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_TRACE", "GIT_TRACE2", "GIT_PAGER"];

/// Variables that name places of a repository.
const PLACES: [&str; 5] = ["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"];

/// Why there is no answer of git.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GitFault {
    /// There is no `git`.
    #[error("the program git was not found")]
    NotFound,
    /// It did not end.
    #[error("git {command} did not end within {seconds} s, and was stopped")]
    Elapsed {
        /// The subcommand.
        command: String,
        /// The limit.
        seconds: u64,
    },
    /// It says too much.
    #[error("git {command} answers with more than {} MB", bytes >> 20)]
    TooLong {
        /// The subcommand.
        command: String,
        /// The limit.
        bytes: u64,
    },
    /// The system refuses.
    #[error("git {command} failed: {reason}")]
    Failed {
        /// The subcommand.
        command: String,
        /// What the system says.
        reason: String,
    },
}

impl GitFault {
    /// What git says of a failure.
    pub(crate) fn from_complaint(command: &str, complaint: &str) -> Self {
        Self::Failed { command: command.to_owned(), reason: first_complaint_line(complaint) }
    }
}

/// How a call ended.
#[derive(Debug)]
pub struct GitEnd<T> {
    /// Whether git says that it succeeded.
    pub is_success: bool,
    /// What was made of its output.
    pub output: T,
    /// What it wrote to standard error.
    pub complaint: String,
}

/// A folder in which git is asked.
#[derive(Debug, Clone, Copy)]
pub struct GitProgram<'p> {
    folder: &'p Path,
    scratch: Option<&'p ScratchIndex>,
    limit: Duration,
}

impl<'p> GitProgram<'p> {
    /// git, asked in `folder`.
    pub fn at(folder: &'p Path) -> Self {
        Self { folder, scratch: None, limit: Duration::from_secs(CALL_SECONDS_MAX) }
    }

    /// The same, where a call may take no longer than `limit`.
    pub fn with_time_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// The same, asked in `folder`.
    pub fn in_folder<'f>(&self, folder: &'f Path) -> GitProgram<'f>
    where
        'p: 'f,
    {
        GitProgram { folder, ..*self }
    }

    /// The folder.
    pub fn folder(&self) -> &'p Path {
        self.folder
    }

    /// The whole output of a call without input, at most `bytes_max` bytes.
    ///
    /// # Errors
    ///
    /// Where git is missing, does not end in time, or says more. That git itself reports a failure is an answer.
    pub fn read_output(&self, arguments: &[&str], bytes_max: u64) -> Result<GitEnd<Vec<u8>>, GitFault> {
        self.collect_output(arguments, String::new(), bytes_max)
    }

    /// The whole output of a call with `input` that must succeed, at most `bytes_max` bytes.
    ///
    /// # Errors
    ///
    /// Those of [`require_output`](Self::require_output), and what git itself reports.
    pub fn require_output(&self, arguments: &[&str], input: String, bytes_max: u64) -> Result<Vec<u8>, GitFault> {
        let end = self.collect_output(arguments, input, bytes_max)?;
        match end.is_success {
            true => Ok(end.output),
            false => Err(GitFault::from_complaint(&subcommand_name(arguments), &end.complaint)),
        }
    }

    fn collect_output(&self, arguments: &[&str], input: String, bytes_max: u64) -> Result<GitEnd<Vec<u8>>, GitFault> {
        let end = self.call(arguments, input, move |output| {
            let mut bytes = Vec::new();
            output.take(bytes_max + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        })?;
        match end.output.len() as u64 > bytes_max {
            true => Err(GitFault::TooLong { command: subcommand_name(arguments), bytes: bytes_max }),
            false => Ok(end),
        }
    }

    /// A call with `input`; `read` takes of the output what it needs, and git is ended when it returns.
    ///
    /// # Errors
    ///
    /// As for [`require_output`](Self::require_output), and where `read` fails.
    pub fn call<T: Send + 'static>(
        &self,
        arguments: &[&str],
        input: String,
        read: impl FnOnce(&mut dyn Read) -> io::Result<T> + Send + 'static,
    ) -> Result<GitEnd<T>, GitFault> {
        let command = subcommand_name(arguments);
        let elapsed = || GitFault::Elapsed { command: command.clone(), seconds: self.limit.as_secs() };
        let failed = |error: io::Error| GitFault::Failed { command: command.clone(), reason: error.to_string() };
        let child = self.spawn(arguments).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => GitFault::NotFound,
            _ => failed(error),
        })?;
        let mut git = RunningGit { child, has_ended: false };
        let child = &mut git.child;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // git answers while it is asked; a single thread would wait for itself when the pipes are full.
        thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        let (said, heard) = mpsc::channel();
        let complaint = collect_stderr(stderr);
        // A program that git started can hold these pipes, so the limit does not depend on their end.
        thread::spawn(move || {
            let output = match stdout {
                Some(mut stdout) => read(&mut stdout),
                None => read(&mut io::empty()),
            };
            let _ = said.send(output);
        });
        let output = heard.recv_timeout(self.limit).map_err(|error| match error {
            RecvTimeoutError::Timeout => elapsed(),
            RecvTimeoutError::Disconnected => failed(io::ErrorKind::BrokenPipe.into()),
        })?;
        let status = git.wait_for_exit(self.limit).map_err(failed)?;
        let status = status.ok_or_else(elapsed)?;
        let complaint = complaint.recv_timeout(COMPLAINT_WAIT).unwrap_or_default();
        match output {
            Ok(output) => Ok(GitEnd { is_success: status.success(), output, complaint }),
            Err(_) if !complaint.is_empty() => Err(GitFault::from_complaint(&command, &complaint)),
            Err(error) => Err(failed(error)),
        }
    }

    fn spawn(&self, arguments: &[&str]) -> io::Result<Child> {
        let mut command = Command::new("git");
        command.current_dir(self.folder).args(OPTIONS).args(arguments).envs(VARIABLES);
        for variable in REMOVED {
            command.env_remove(variable);
        }
        // They are meant from where agon was started.
        for variable in PLACES {
            if let Some(place) = env::var_os(variable).filter(|place| Path::new(place).is_relative()) {
                command.env(variable, env::current_dir()?.join(place));
            }
        }
        if let Some(scratch) = self.scratch {
            scratch.configure_command(&mut command);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    }
}

/// A child that does not outlive its call, nor do those that it started.
struct RunningGit {
    child: Child,
    has_ended: bool,
}

impl RunningGit {
    /// How it ended; none if it still runs after `limit`.
    fn wait_for_exit(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let mut waited = Duration::ZERO;
        loop {
            if let Some(status) = self.child.try_wait()? {
                self.has_ended = true;
                return Ok(Some(status));
            }
            if waited >= limit {
                return Ok(None);
            }
            thread::sleep(LOOK);
            waited += LOOK;
        }
    }
}

impl Drop for RunningGit {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        // What has ended meanwhile needs no signal.
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect_stderr(stderr: Option<ChildStderr>) -> mpsc::Receiver<String> {
    let (said, heard) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stderr) = stderr {
            let mut limited = stderr.take(COMPLAINT_BYTES_MAX);
            let _ = limited.read_to_end(&mut bytes);
            let _ = io::copy(limited.get_mut(), &mut io::sink());
        }
        let _ = said.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    heard
}

/// The subcommand of a call.
fn subcommand_name(arguments: &[&str]) -> String {
    arguments.first().copied().unwrap_or_default().to_owned()
}

/// The first line of what git complains about, without control characters.
pub fn first_complaint_line(complaint: &str) -> String {
    let line = complaint.lines().next().unwrap_or_default().trim().trim_start_matches("fatal: ");
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    if line.is_empty() { "it gave no reason".into() } else { line }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
