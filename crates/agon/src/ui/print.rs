//! Printing, in one place: a status line that gives way to whatever comes, and a person who must
//! not be talked over.

use std::{
    io::{self, IsTerminal, Write},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{
    DIM, columns, has_colour, paint,
    runner::{RunnerStream, is_action},
    visible,
};

/// Erases the line that the cursor is on.
const ERASE: &str = "\r\u{1b}[K";

enum OutputPart {
    Out(String),
    Err(String),
}

struct TerminalScreen {
    /// What waits until a person has answered.
    held: Option<Vec<OutputPart>>,
    /// Whether the cursor's line is a status.
    status: bool,
    /// Whether it is one of standard error.
    progress: bool,
}

static SCREEN: Mutex<TerminalScreen> =
    Mutex::new(TerminalScreen { held: None, status: false, progress: false });

fn screen() -> MutexGuard<'static, TerminalScreen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TerminalScreen {
    fn put(&mut self, part: OutputPart) {
        match &mut self.held {
            Some(held) => held.push(part),
            None => {
                self.clear();
                write(&part);
            }
        }
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.status) {
            write(&OutputPart::Out(ERASE.into()));
        }
        if std::mem::take(&mut self.progress) {
            write(&OutputPart::Err(ERASE.into()));
        }
    }
}

/// What stands in the last line of both streams, for a runner of workflows.
static STREAMS: Mutex<[RunnerStream; 2]> = Mutex::new([RunnerStream::new(), RunnerStream::new()]);

fn write(part: &OutputPart) {
    if !is_action() {
        return write_as_it_is(part);
    }
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    write_as_it_is(&match part {
        OutputPart::Out(text) => OutputPart::Out(streams[0].guard(text)),
        OutputPart::Err(text) => OutputPart::Err(streams[1].guard(text)),
    });
}

/// A reader that went away changes nothing else: a debate continues.
fn write_as_it_is(part: &OutputPart) {
    let _ = match part {
        OutputPart::Out(text) => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
        }
        OutputPart::Err(text) => io::stderr().lock().write_all(text.as_bytes()),
    };
}

/// A command for the runner of a workflow, on a line of standard error of its own.
pub fn runner_command(command: &str) {
    let _screen = screen();
    write_as_it_is(&OutputPart::Err(format!("{command}\n")));
}

/// A line on standard output.
pub fn out(line: &str) {
    screen().put(OutputPart::Out(format!("{line}\n")));
}

/// A part of a line on standard output, at once.
pub fn out_part(text: &str) {
    screen().put(OutputPart::Out(text.to_owned()));
}

/// A line on standard error.
pub fn err(line: &str) {
    screen().put(OutputPart::Err(format!("{line}\n")));
}

/// Says what is in progress in a line that the next output takes back. Only for terminals.
pub fn status(text: &str) {
    let mut screen = screen();
    if screen.held.is_some() || !has_colour() {
        return;
    }
    screen.clear();
    let line: String =
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(columns() - 1).collect();
    write(&OutputPart::Out(paint(&visible(&line), DIM)));
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
    pub fn of(wanted: bool, quiet: bool) -> Option<Self> {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        match (io::stderr().is_terminal() && !is_dumb, wanted) {
            _ if quiet => None,
            (true, _) => Some(Self::Line),
            (false, wanted) => wanted.then_some(Self::Lines),
        }
    }
}

/// Says on standard error how far something is.
pub fn progress(kind: ProgressKind, text: &str) {
    let mut screen = screen();
    if kind == ProgressKind::Lines {
        return screen.put(OutputPart::Err(format!("{}\n", visible(text))));
    }
    if screen.held.is_some() {
        return;
    }
    screen.clear();
    let line: String = visible(text).chars().take(columns() - 1).collect();
    write(&OutputPart::Err(line));
    screen.progress = true;
}

/// Takes the status back.
pub fn clear_status() {
    screen().clear();
}

/// Whether there is a person who can read and answer.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// While it lives, only its owner prints; what others print comes when it is dropped.
pub struct Hold(());

/// Takes the screen for a person who answers.
pub fn hold() -> Hold {
    let mut screen = screen();
    screen.clear();
    screen.held.get_or_insert_default();
    Hold(())
}

impl Hold {
    /// A line for the person.
    pub fn say(&self, line: &str) {
        write(&OutputPart::Out(format!("{line}\n")));
    }

    /// Where the person writes.
    pub fn prompt(&self, text: &str) {
        write(&OutputPart::Out(text.to_owned()));
    }

    /// The same on standard error, where standard output is for a program.
    pub fn complain(&self, text: &str) {
        write(&OutputPart::Err(text.to_owned()));
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let held = screen().held.take();
        held.into_iter().flatten().for_each(|part| write(&part));
    }
}
