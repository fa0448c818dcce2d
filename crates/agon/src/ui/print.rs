//! Printing, in one place: a status line that gives way to whatever comes, a person who must not be talked over, and a
//! statement that is shown while it is written, which nothing else is printed into.

use std::{
    io::{self, ErrorKind, IsTerminal, Write},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{
    DIM, can_erase, escape_invisible,
    github_output::{RunnerStream, is_action},
    glyphs::displayable_text,
    paint_text, terminal_columns,
};

/// Erases the line that the cursor is on.
const ERASE: &str = "\r\u{1b}[K";
/// A statement of which nothing more came for so long holds nothing back any more.
const STREAM_SILENCE: Duration = Duration::from_secs(20);

enum OutputPart {
    Out(String),
    Err(String),
}

/// A statement that is shown while it is written.
struct Stream {
    /// What waits until it has ended.
    waiting: Vec<OutputPart>,
    last: Instant,
}

struct TerminalScreen {
    /// What waits until a person has answered.
    held: Option<Vec<OutputPart>>,
    stream: Option<Stream>,
    /// Why standard output could not be written, where a reader did not go away.
    lost: Option<io::Error>,
    /// Whether the cursor's line is a status.
    status: bool,
    /// Whether it is one of standard error.
    progress: bool,
}

static SCREEN: Mutex<TerminalScreen> =
    Mutex::new(TerminalScreen { held: None, stream: None, lost: None, status: false, progress: false });

fn lock_screen() -> MutexGuard<'static, TerminalScreen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TerminalScreen {
    fn put_part(&mut self, part: OutputPart) {
        match &mut self.stream {
            Some(stream) if stream.last.elapsed() < STREAM_SILENCE => return stream.waiting.push(part),
            Some(_) => {
                self.put_now(OutputPart::Out("\n".into()));
                self.end_stream();
            }
            None => {}
        }
        self.put_now(part);
    }

    /// Prints it also where a statement is being shown: it belongs to that.
    fn put_now(&mut self, part: OutputPart) {
        match &mut self.held {
            Some(held) => held.push(part),
            None => {
                self.erase_status_lines();
                self.write_part(&part);
            }
        }
    }

    fn end_stream(&mut self) {
        let waiting = self.stream.take().map(|stream| stream.waiting);
        waiting.into_iter().flatten().for_each(|part| self.put_now(part));
    }

    fn erase_status_lines(&mut self) {
        if std::mem::take(&mut self.status) {
            self.write_part(&OutputPart::Out(ERASE.into()));
        }
        if std::mem::take(&mut self.progress) {
            self.write_part(&OutputPart::Err(ERASE.into()));
        }
    }

    /// A reader that went away changes nothing, and a debate continues also where the disk is full.
    fn write_part(&mut self, part: &OutputPart) {
        if let Err(error) = write_guarded(part)
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.lost.get_or_insert(error);
        }
    }
}

/// What stands in the last line of both streams, for a runner of workflows.
static STREAMS: Mutex<[RunnerStream; 2]> = Mutex::new([RunnerStream::new(), RunnerStream::new()]);

fn write_guarded(part: &OutputPart) -> io::Result<()> {
    if !is_action() {
        return write_as_it_is(part);
    }
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    write_as_it_is(&match part {
        OutputPart::Out(text) => OutputPart::Out(streams[0].escape_commands(text)),
        OutputPart::Err(text) => OutputPart::Err(streams[1].escape_commands(text)),
    })
}

/// Nobody could be told that standard error cannot be written.
fn write_as_it_is(part: &OutputPart) -> io::Result<()> {
    match part {
        OutputPart::Out(text) => {
            let mut stdout = io::stdout().lock();
            let text = if stdout.is_terminal() { displayable_text(text) } else { text.into() };
            stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
        }
        OutputPart::Err(text) => {
            let mut stderr = io::stderr().lock();
            let text = if stderr.is_terminal() { displayable_text(text) } else { text.into() };
            let _ = stderr.write_all(text.as_bytes());
            Ok(())
        }
    }
}

/// Why what was printed on standard output is not there, if it is not: the first error, told once.
pub fn lost_output() -> Option<io::Error> {
    lock_screen().lost.take()
}

/// Prints what begins a statement that is shown while it is written, on a line of its own. Until it ends, only
/// [`stream_part`] prints.
pub fn begin_stream(heading: &str) {
    let mut screen = lock_screen();
    screen.put_part(OutputPart::Out(format!("{heading}\n")));
    screen.stream.get_or_insert_with(|| Stream { waiting: Vec::new(), last: Instant::now() });
}

/// More of the statement.
pub fn stream_part(text: &str) {
    let mut screen = lock_screen();
    if let Some(stream) = &mut screen.stream {
        stream.last = Instant::now();
    }
    screen.put_now(OutputPart::Out(text.to_owned()));
}

/// The statement has ended; what waited is printed.
pub fn end_stream() {
    lock_screen().end_stream();
}

/// A command for the runner of a workflow, on a line of standard error of its own.
pub fn runner_command(command: &str) {
    let _screen = lock_screen();
    let _ = write_as_it_is(&OutputPart::Err(format!("{command}\n")));
}

/// A line on standard output.
pub fn print_line(line: &str) {
    lock_screen().put_part(OutputPart::Out(format!("{line}\n")));
}

/// A part of a line on standard output, at once.
pub fn out_part(text: &str) {
    lock_screen().put_part(OutputPart::Out(text.to_owned()));
}

/// A line on standard error.
pub fn print_error_line(line: &str) {
    lock_screen().put_part(OutputPart::Err(format!("{line}\n")));
}

/// Says what is in progress in a line that the next output takes back. Only for terminals.
pub fn show_status(text: &str) {
    let mut screen = lock_screen();
    if screen.held.is_some() || screen.stream.is_some() || !can_erase() {
        return;
    }
    screen.erase_status_lines();
    let line: String =
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(terminal_columns() - 1).collect();
    screen.write_part(&OutputPart::Out(paint_text(&escape_invisible(&line), DIM)));
    screen.status = true;
}

/// How progress is shown on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressKind {
    /// In a line that the next output takes back: on a terminal.
    Line,
    /// In lines of their own: where it is redirected.
    Lines,
}

impl ProgressKind {
    /// On a terminal always, elsewhere where it is `wanted`; never where it is `quiet`.
    pub fn from_flags(wanted: bool, quiet: bool) -> Option<Self> {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        match (io::stderr().is_terminal() && !is_dumb, wanted) {
            _ if quiet => None,
            (true, _) => Some(Self::Line),
            (false, wanted) => wanted.then_some(Self::Lines),
        }
    }
}

/// Says on standard error how far something is.
pub fn show_progress(kind: ProgressKind, text: &str) {
    let mut screen = lock_screen();
    if kind == ProgressKind::Lines {
        return screen.put_part(OutputPart::Err(format!("{}\n", escape_invisible(text))));
    }
    if screen.held.is_some() || screen.stream.is_some() {
        return;
    }
    screen.erase_status_lines();
    let line: String = escape_invisible(text).chars().take(terminal_columns() - 1).collect();
    screen.write_part(&OutputPart::Err(line));
    screen.progress = true;
}

/// Takes the status back.
pub fn clear_status() {
    lock_screen().erase_status_lines();
}

/// Whether there is a person who can read and answer.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// While it lives, only its owner prints; what others print comes when it is dropped.
pub struct Hold(());

/// Takes the screen for a person who answers.
pub fn hold_screen() -> Hold {
    let mut screen = lock_screen();
    screen.erase_status_lines();
    screen.held.get_or_insert_default();
    Hold(())
}

impl Hold {
    /// A line for the person.
    pub fn print_line(&self, line: &str) {
        lock_screen().write_part(&OutputPart::Out(format!("{line}\n")));
    }

    /// Where the person writes.
    pub fn print_prompt(&self, text: &str) {
        lock_screen().write_part(&OutputPart::Out(text.to_owned()));
    }

    /// The same on standard error, where standard output is for a program.
    pub fn print_error(&self, text: &str) {
        lock_screen().write_part(&OutputPart::Err(text.to_owned()));
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut screen = lock_screen();
        let held = screen.held.take();
        held.into_iter().flatten().for_each(|part| screen.write_part(&part));
    }
}
