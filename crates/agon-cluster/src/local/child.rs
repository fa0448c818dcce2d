//! The processes of a cluster on this machine: started apart from the terminal, so that Ctrl-C reaches the keeper alone.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use agon_app::{Failure, Result, exit};
use rustix::process::{Pid, Signal, kill_process};
use tokio::{process::Command, time::timeout};

use super::state::ClusterProcess;

/// How long a process may take to end before it is killed.
const END_WAIT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);
/// How much of the end of a log is shown.
const SHOWN_BYTES: u64 = 600;
/// How much of a log is searched for a word.
const READ_BYTES_MAX: u64 = 256 * 1024;

/// A process that ends when the keeper says so.
pub(super) struct ChildProcess {
    name: &'static str,
    mark: String,
    log: PathBuf,
    /// How long the log was before.
    begins: u64,
    stop: Signal,
    child: tokio::process::Child,
}

impl ChildProcess {
    /// Starts `program`. What it says is added to `log`. `stop` is the signal that ends it in order; `SIGTERM` if none.
    pub(super) fn start(
        name: &'static str,
        program: &Path,
        words: &[String],
        environment: &[(&str, &str)],
        log: &Path,
        stop: Option<Signal>,
    ) -> Result<Self> {
        let io = |what: &Path, error: std::io::Error| {
            let remedy = "grant permission, or name another program or folder";
            Failure::new(exit::IO, "io", format!("{}: {error}", what.display()), remedy)
        };
        let file = File::options().create(true).append(true).open(log).map_err(|error| io(log, error))?;
        let begins = file.metadata().map_err(|error| io(log, error))?.len();
        let out = file.try_clone().map_err(|error| io(log, error))?;
        let mut command = Command::new(program);
        command.args(words).envs(environment.iter().copied()).stdin(Stdio::null()).stdout(out).stderr(file);
        command.kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn().map_err(|error| io(program, error))?;
        let mark = words.iter().max_by_key(|word| word.len()).cloned().unwrap_or_default();
        let stop = stop.unwrap_or(Signal::TERM);
        Ok(Self { name, mark, log: log.to_owned(), begins, stop, child })
    }

    /// For the notes of the keeper.
    pub(super) fn process(&self) -> ClusterProcess {
        let id = self.child.id().unwrap_or_default();
        ClusterProcess { name: self.name.to_owned(), id, mark: self.mark.clone() }
    }

    /// How it ended, if it did.
    pub(super) fn ended(&mut self) -> Option<Failure> {
        let status = self.child.try_wait().ok().flatten()?;
        let said = tail(&self.log);
        let what = format!("{} ended ({status}): {said}", self.name);
        Some(Failure::new(exit::PROVIDER, "cluster", what, format!("{} has more", self.log.display())))
    }

    /// Waits until it says `word`.
    ///
    /// # Errors
    ///
    /// Where it ends before, or does not say it within `wait`.
    pub(super) async fn wait_for(&mut self, word: &str, wait: Duration) -> Result<()> {
        let (log, begins) = (self.log.clone(), self.begins);
        let says_it = async || match said_since(&log, begins).contains(word) {
            true => Ok(()),
            false => Err(tail(&log)),
        };
        wait_until_up(Some(self), wait, says_it).await
    }

    /// Ends it in order; kills it where that takes too long.
    pub(super) async fn stop(&mut self) {
        let Some(id) = self.child.id() else { return };
        signal(id, self.stop);
        if timeout(END_WAIT, self.child.wait()).await.is_err() {
            tracing::warn!(name = self.name, "is killed, since it did not end");
            let _ = self.child.kill().await;
        }
    }
}

/// Waits until `is_up`, and not longer than its program runs.
///
/// # Errors
///
/// Where it ends before, or is not up within `wait`.
pub(super) async fn wait_until_up(
    mut child: Option<&mut ChildProcess>,
    wait: Duration,
    mut is_up: impl AsyncFnMut() -> std::result::Result<(), String>,
) -> Result<()> {
    let since = tokio::time::Instant::now();
    loop {
        let why = match is_up().await {
            Ok(()) => return Ok(()),
            Err(why) => why,
        };
        if let Some(failure) = child.as_mut().and_then(|child| child.ended()) {
            return Err(failure);
        }
        if since.elapsed() > wait {
            let name = child.map_or("the server", |child| child.name);
            let what = format!("{name} was not up after {} s: {why}", wait.as_secs());
            return Err(Failure::new(exit::PROVIDER, "cluster", what, "look into the logs in the folder"));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// What was added to a log after its first `begins` bytes.
fn said_since(log: &Path, begins: u64) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(log)?;
        file.seek(SeekFrom::Start(begins))?;
        let mut bytes = Vec::new();
        file.take(READ_BYTES_MAX).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().unwrap_or_default()
}

/// The end of a log, in one line.
fn tail(log: &Path) -> String {
    let length = fs::metadata(log).map_or(0, |file| file.len());
    let said = said_since(log, length.saturating_sub(SHOWN_BYTES));
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() { "it said nothing".into() } else { lines.join(" / ") }
}

fn signal(id: u32, signal: Signal) -> bool {
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| kill_process(pid, signal).is_ok())
}

/// Tells a process to end; whether that could be told.
pub(super) fn terminate(id: u32) -> bool {
    signal(id, Signal::TERM)
}

/// Whether a noted process still runs: its number may have been given to another program since.
pub(super) fn is_leftover(process: &ClusterProcess) -> bool {
    !process.mark.is_empty() && command_line(process.id).is_some_and(|line| line.contains(&process.mark))
}

/// This process, as others know it again: by its whole command line.
pub(super) fn own(name: &str) -> ClusterProcess {
    let id = std::process::id();
    ClusterProcess { name: name.to_owned(), id, mark: command_line(id).unwrap_or_default() }
}

/// Ends a process that no keeper has any more.
pub(super) async fn end_leftover(process: &ClusterProcess) {
    terminate(process.id);
    let since = tokio::time::Instant::now();
    while is_leftover(process) {
        if since.elapsed() > END_WAIT {
            signal(process.id, Signal::KILL);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The command line of a process; `None` where none runs under this number.
fn command_line(id: u32) -> Option<String> {
    if cfg!(target_os = "linux") {
        let line = fs::read(format!("/proc/{id}/cmdline")).ok()?;
        return Some(String::from_utf8_lossy(&line).replace('\0', " "));
    }
    let ran =
        std::process::Command::new("ps").args(["-o", "command=", "-p", &id.to_string()]).output().ok()?;
    ran.status.success().then(|| String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeping(folder: &Path, words: &str) -> ChildProcess {
        let words = ["-c".to_owned(), words.to_owned()];
        ChildProcess::start("a test", Path::new("/bin/sh"), &words, &[], &folder.join("log"), None).unwrap()
    }

    #[tokio::test]
    async fn a_process_is_told_to_end_and_what_it_said_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = sleeping(folder.path(), "echo up; exec sleep 600");
        child.wait_for("up", Duration::from_secs(20)).await.unwrap();
        assert!(child.ended().is_none());
        child.stop().await;
        assert!(child.ended().is_some());

        let mut child = sleeping(folder.path(), "echo no room left >&2; exit 4");
        let failure = child.wait_for("up", Duration::from_secs(20)).await.unwrap_err();
        assert!(
            failure.message.contains("no room left") && failure.message.contains("a test"),
            "{failure:?}"
        );
    }

    #[tokio::test]
    async fn a_process_that_was_left_behind_is_told_from_others_of_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = sleeping(folder.path(), "echo up; while sleep 0.05; do :; done; echo marked-line");
        child.wait_for("up", Duration::from_secs(20)).await.unwrap();
        let process = child.process();
        assert!(is_leftover(&process), "{process:?}");
        assert!(!is_leftover(&ClusterProcess { mark: "another word".into(), ..process.clone() }));
        assert!(!is_leftover(&ClusterProcess { mark: String::new(), ..process.clone() }));
        let (_, waited) = tokio::join!(end_leftover(&process), child.child.wait());
        assert!(!waited.unwrap().success() && !is_leftover(&process));
    }
}
