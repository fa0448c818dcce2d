//! One run of a command: its prompt goes in, what it says is heard as it comes, and the whole group
//! of processes is gone when this ends, for whatever reason.

use std::{ffi::OsString, io, path::Path, process::ExitStatus, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
    time::{Instant, sleep_until},
};

/// After the answer is complete, or the command has ended: how long the rest is waited for.
const REST: Duration = Duration::from_secs(2);
/// Bytes of standard error that are kept: its end, which holds the reason.
const STDERR_BYTES_MAX: usize = 8 * 1024;
const CHUNK_BYTES: usize = 16 * 1024;

/// What is run.
pub(super) struct ProcessRun<'a> {
    pub program: &'a Path,
    pub args: Vec<OsString>,
    pub env: Vec<(String, OsString)>,
    pub folder: &'a Path,
    pub input: String,
    pub limits: ProcessLimits,
}

/// Limits of one run in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Until it says anything at all, and between two signs of life.
    pub silence: Duration,
    /// In all.
    pub total: Duration,
}

/// What the listener wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heed {
    More,
    /// The answer is complete.
    Done,
    /// It says more than is allowed.
    TooLarge,
}

/// How a run ended.
#[derive(Debug)]
pub(super) enum ProcessEnd {
    Exited(ExitStatus),
    /// It had said all and was ended, since it did not end by itself.
    Lingered,
    TooLarge,
    /// A limit in time passed; which one.
    Elapsed(String),
}

/// Runs to the end and passes on what comes; gives how it ended and the end of standard error.
/// Dropping the future kills every process of the group.
pub(super) async fn run(
    run: ProcessRun<'_>,
    mut listen: impl FnMut(&[u8]) -> Heed,
) -> io::Result<(ProcessEnd, String)> {
    let (input, limits) = (run.input.clone().into_bytes(), run.limits);
    let (mut child, _group) = spawn_in_group(run)?;
    let mut stdin = child.stdin.take();
    let feed = async move {
        if let Some(pipe) = &mut stdin {
            // One that does not read its prompt shows that by its answer or its end.
            let _ = pipe.write_all(&input).await;
        }
        drop(stdin);
    };
    let mut feed = std::pin::pin!(feed);
    let mut fed = false;
    let mut stdout = Pipe::new(child.stdout.take());
    let mut stderr = Pipe::new(child.stderr.take());
    let mut reason: Vec<u8> = Vec::new();
    let mut status = None;
    let mut clock = ProcessClock::start(limits);
    let end = loop {
        if let Some(status) = status.filter(|_| stdout.ended && stderr.ended) {
            break ProcessEnd::Exited(status);
        }
        tokio::select! {
            biased;
            () = &mut feed, if !fed => fed = true,
            ended = child.wait(), if status.is_none() => {
                status = Some(ended?);
                clock.start_rest();
            }
            read = stdout.read_chunk(), if !stdout.ended => match read {
                [] => clock.start_rest(),
                bytes => {
                    clock.mark_alive();
                    match listen(bytes) {
                        Heed::More => {}
                        Heed::Done => clock.mark_done(),
                        Heed::TooLarge => break ProcessEnd::TooLarge,
                    }
                }
            },
            read = stderr.read_chunk(), if !stderr.ended => {
                clock.mark_alive();
                reason.extend_from_slice(read);
                let over = reason.len().saturating_sub(STDERR_BYTES_MAX);
                reason.drain(..over);
            }
            () = sleep_until(clock.deadline()) => {
                break match status {
                    // Something that it started still holds its output.
                    Some(status) => ProcessEnd::Exited(status),
                    None if clock.done => ProcessEnd::Lingered,
                    None => ProcessEnd::Elapsed(clock.describe_elapsed()),
                };
            }
        }
    };
    Ok((end, String::from_utf8_lossy(&reason).into_owned()))
}

/// Starts the command in a group of its own, with its streams piped. Dropping the group kills every process of it.
pub(super) fn spawn_in_group(run: ProcessRun<'_>) -> io::Result<(Child, Group)> {
    let mut command = Command::new(run.program);
    command
        .args(&run.args)
        .env_clear()
        .envs(run.env)
        .current_dir(run.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn()?;
    let group = Group::from_child(&child);
    Ok((child, group))
}

/// One output of a process.
struct Pipe<R> {
    from: Option<R>,
    chunk: Vec<u8>,
    ended: bool,
}

impl<R: AsyncRead + Unpin> Pipe<R> {
    fn new(from: Option<R>) -> Self {
        Self { ended: from.is_none(), from, chunk: vec![0; CHUNK_BYTES] }
    }

    /// What comes next; nothing at the end.
    async fn read_chunk(&mut self) -> &[u8] {
        let read = match &mut self.from {
            Some(from) => from.read(&mut self.chunk).await.unwrap_or(0),
            None => 0,
        };
        self.ended = read == 0;
        &self.chunk[..read]
    }
}

/// What a run is held to, and when it last showed a sign of life.
pub(super) struct ProcessClock {
    limits: ProcessLimits,
    started: Instant,
    /// When it last showed a sign of life.
    last: Option<Instant>,
    /// From when on only the rest is waited for.
    rest: Option<Instant>,
    done: bool,
}

impl ProcessClock {
    pub(super) fn start(limits: ProcessLimits) -> Self {
        Self { limits, started: Instant::now(), last: None, rest: None, done: false }
    }

    pub(super) fn mark_alive(&mut self) {
        self.last = Some(Instant::now());
    }

    fn start_rest(&mut self) {
        self.rest.get_or_insert_with(Instant::now);
    }

    fn mark_done(&mut self) {
        self.done = true;
        self.start_rest();
    }

    pub(super) fn deadline(&self) -> Instant {
        let total = self.started + self.limits.total;
        let silent = match self.rest {
            Some(since) => since + REST,
            None => self.last.unwrap_or(self.started) + self.limits.silence,
        };
        silent.min(total)
    }

    /// Which limit passed.
    pub(super) fn describe_elapsed(&self) -> String {
        if self.started.elapsed() >= self.limits.total {
            return format!("no answer within {} s in all", self.limits.total.as_secs_f64());
        }
        if self.rest.is_some() {
            return "it closed its output and did not end".into();
        }
        let more = if self.last.is_some() { "more " } else { "" };
        format!("no {more}output for {} s", self.limits.silence.as_secs_f64())
    }
}

/// Every process that a command started and that did not leave its group.
pub(super) struct Group(#[cfg(unix)] Option<rustix::process::Pid>);

impl Group {
    #[cfg(unix)]
    fn from_child(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(rustix::process::Pid::from_raw))
    }

    #[cfg(not(unix))]
    fn from_child(_: &Child) -> Self {
        Self()
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // None of it may be left: that is as good as having killed it.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    const LIMITS: ProcessLimits =
        ProcessLimits { silence: Duration::from_millis(300), total: Duration::from_millis(900) };

    async fn sh(script: &str) -> (String, Duration) {
        let started = Instant::now();
        let run = ProcessRun {
            program: Path::new("/bin/sh"),
            args: vec!["-c".into(), script.into()],
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            folder: Path::new("/"),
            input: String::new(),
            limits: LIMITS,
        };
        let heed = |bytes: &[u8]| if bytes.starts_with(b"all") { Heed::Done } else { Heed::More };
        let (end, _) = run_to_end(run, heed).await;
        (end, started.elapsed())
    }

    async fn run_to_end(run: ProcessRun<'_>, heed: impl FnMut(&[u8]) -> Heed) -> (String, String) {
        let (end, stderr) = super::run(run, heed).await.unwrap();
        (format!("{end:?}"), stderr)
    }

    #[tokio::test]
    async fn each_limit_ends_a_command_by_its_name() {
        for (script, wanted) in [
            ("sleep 20", "no output for 0.3 s"),
            ("echo a; sleep 20", "no more output for 0.3 s"),
            ("while :; do echo a; sleep 0.1; done", "no answer within 0.9 s"),
            ("while :; do echo a >&2; sleep 0.1; done", "no answer within 0.9 s"),
            ("exec >&- 2>&-; sleep 20", "no answer within 0.9 s"),
        ] {
            let (end, took) = sh(script).await;
            assert!(end.contains(wanted), "{script}: {end}");
            assert!(took < Duration::from_secs(3), "{script}: {took:?}");
        }
    }

    #[tokio::test]
    async fn one_that_has_said_all_is_not_waited_for() {
        let run = |script: &'static str| async move {
            let limits = ProcessLimits { total: Duration::from_secs(20), ..LIMITS };
            let (program, folder) = (Path::new("/bin/sh"), Path::new("/"));
            let (args, env, input) = (vec!["-c".into(), script.into()], Vec::new(), String::new());
            let started = Instant::now();
            let run = ProcessRun { program, args, env, folder, input, limits };
            let heed = |bytes: &[u8]| if bytes.starts_with(b"all") { Heed::Done } else { Heed::More };
            (run_to_end(run, heed).await.0, started.elapsed())
        };
        let (end, took) = run("echo all; sleep 20").await;
        assert!(end == "Lingered" && took < Duration::from_secs(5), "{end} {took:?}");
        // What it started holds its output open.
        let (end, took) = run("echo some; sleep 20 & exit 3").await;
        assert!(end.contains("Exited") && took < Duration::from_secs(5), "{end} {took:?}");
    }
}
