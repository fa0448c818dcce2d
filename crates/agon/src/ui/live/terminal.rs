//! The terminal as a whole screen: taken, and given back however the program ends.

use std::{
    io::{self, IsTerminal, Stdout},
    panic,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

use ratatui::{
    Terminal,
    backend::CrosstermBackend,
    crossterm::{
        cursor::Show,
        event::{DisableBracketedPaste, EnableBracketedPaste},
        execute,
        terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
    },
};

use crate::{cli::Output, ui::can_ask};

/// Whether the terminal is taken.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether a full-screen view can be shown and is wanted: people sit at a terminal that can do more than
/// lines, and nothing else writes to it.
pub fn is_wanted(output: Output, quiet: bool, lines: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_able = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    let is_shared = set("CI") || (set("AGON_LOG") && io::stderr().is_terminal());
    output == Output::Text && !quiet && !lines && is_able && !is_shared && can_ask()
}

/// The terminal, taken. It is given back when this is dropped, and when the program panics.
pub struct Taken(pub Terminal<CrosstermBackend<Stdout>>);

impl Taken {
    pub fn take_terminal() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                give_back();
                before(info);
            }));
        });
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let taken = execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        taken.map(Self).inspect_err(|_| give_back())
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back();
    }
}

/// A terminal that went away needs nothing.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}
