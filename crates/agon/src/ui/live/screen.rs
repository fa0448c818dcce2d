//! The full-screen view of one debate: a thread that draws, and what it is told.

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, Sender, TryRecvError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use agon_core::{Entry, Event, Key, Record, RulingKind};
use agon_journal::time::seconds_since;
use agon_protocols::common::withheld::Withheld;
use agon_runtime::{
    drive::{Notice, Watch},
    files::FileError,
};
use ratatui::crossterm::event;
use tokio::sync::mpsc::UnboundedSender;

use super::{
    Live,
    draw::draw,
    keys::ViewCommand,
    model::{ViewEvent, ViewModel},
    terminal::Taken,
};
use crate::ui::{Hold, has_colour, hold};

/// Least time between two pictures.
const FRAME: Duration = Duration::from_millis(100);
/// Most events that are taken between two looks at the keyboard.
const EVENTS_MAX: usize = 1_000;

/// The view of one debate.
pub struct ViewScreen {
    events: Sender<ViewEvent>,
    shown: Mutex<ShownState>,
}

enum ShownState {
    /// What it will show, once a person has been asked what comes before it.
    Waiting(Box<HeldOutput>),
    Running(JoinHandle<()>, Hold),
    Ended,
}

struct HeldOutput {
    model: ViewModel,
    events: Receiver<ViewEvent>,
    commands: UnboundedSender<ViewCommand>,
}

impl ViewScreen {
    /// A view that shows `model` as soon as it starts, and tells its commands to `commands`.
    pub fn new(model: ViewModel, commands: UnboundedSender<ViewCommand>) -> Self {
        let (tell, events) = mpsc::channel();
        let waiting = HeldOutput { model, events, commands };
        Self { events: tell, shown: Mutex::new(ShownState::Waiting(Box::new(waiting))) }
    }

    /// Takes the terminal, and what others print from now on comes when it is given back. Gives whether it
    /// is shown now.
    pub fn start(&self) -> bool {
        let mut shown = self.shown();
        let waiting = match std::mem::replace(&mut *shown, ShownState::Ended) {
            ShownState::Waiting(waiting) => waiting,
            other => {
                *shown = other;
                return matches!(*shown, ShownState::Running(..));
            }
        };
        let held = hold();
        match Taken::take() {
            Ok(taken) => {
                let HeldOutput { model, events, commands } = *waiting;
                let thread = thread::spawn(move || {
                    let told = commands.clone();
                    // A terminal that went away cannot be read: the debate stops as by Ctrl-C.
                    if run(taken, model, &events, &commands).is_err() {
                        let _ = told.send(ViewCommand::Interrupt);
                    }
                });
                *shown = ShownState::Running(thread, held);
                true
            }
            Err(_) => false,
        }
    }

    /// Tells what happened; nobody listens once the view has ended.
    pub fn tell(&self, event: ViewEvent) {
        let _ = self.events.send(event);
    }

    /// Tells what is on `record`; entries that were told before count once.
    pub fn tell_record(&self, record: &Record, from: u64) {
        let withheld = Withheld::of(record);
        for entry in record.entries().iter().skip(from as usize) {
            let age = Duration::from_secs(seconds_since(&entry.at));
            self.tell(ViewEvent::Entry(Box::new(withheld.entry(entry).into_owned()), age));
        }
        self.tell(ViewEvent::Record(Box::new(record.clone())));
    }

    /// Gives the terminal back, and prints what was held. With `is_patient`, a reader who went back can
    /// read on first.
    /// Gives whether it was shown.
    pub async fn end(&self, is_patient: bool, interrupted: impl Future<Output = ()>) -> bool {
        let shown = std::mem::replace(&mut *self.shown(), ShownState::Ended);
        let ShownState::Running(thread, held) = shown else { return false };
        self.tell(if is_patient { ViewEvent::End } else { ViewEvent::EndNow });
        let mut joined = tokio::task::spawn_blocking(move || thread.join());
        tokio::select! {
            _ = &mut joined => {}
            () = interrupted => {
                self.tell(ViewEvent::EndNow);
                let _ = joined.await;
            }
        }
        drop(held);
        true
    }

    fn shown(&self) -> MutexGuard<'_, ShownState> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Draws what changed, at most so often, until it is told to end.
fn run(
    mut taken: Taken,
    mut model: ViewModel,
    events: &Receiver<ViewEvent>,
    commands: &UnboundedSender<ViewCommand>,
) -> io::Result<()> {
    let (mut is_old, mut is_ending) = (true, false);
    let (mut due, mut second) = (Instant::now(), 0);
    let began = due;
    loop {
        for _ in 0..EVENTS_MAX {
            match events.try_recv() {
                Ok(ViewEvent::EndNow) | Err(TryRecvError::Disconnected) => return Ok(()),
                Ok(told) => {
                    is_ending |= matches!(told, ViewEvent::End);
                    model.apply(told, Instant::now());
                    is_old = true;
                }
                Err(TryRecvError::Empty) => break,
            }
        }
        let now = Instant::now();
        if is_ending && model.pane.follows() {
            return Ok(());
        }
        // Times are shown in seconds.
        if model.is_timed() && began.elapsed().as_secs() != second {
            second = began.elapsed().as_secs();
            is_old = true;
        }
        if is_old && now >= due {
            model.settle();
            taken.0.draw(|frame| draw(frame, &mut model, has_colour(), now))?;
            (is_old, due) = (false, now + FRAME);
        }
        let mut wait = if is_old { due.saturating_duration_since(now) } else { FRAME };
        while event::poll(wait)? {
            let command = match event::read()? {
                event::Event::Key(key) => model.key(key),
                event::Event::Paste(text) => {
                    if let Some(input) = &mut model.input {
                        input.push_str(&text.replace(['\r', '\n'], " "));
                    }
                    None
                }
                _ => None,
            };
            if is_ending && matches!(command, Some(ViewCommand::Leave | ViewCommand::Interrupt)) {
                return Ok(());
            }
            if let Some(command) = command {
                let _ = commands.send(command);
            }
            is_old = true;
            wait = Duration::ZERO;
        }
    }
}

/// Tells a view what happens in a debate that is driven here.
pub struct Watcher {
    screen: Arc<ViewScreen>,
    /// Shows lines as long as the view has not started; with the line-up settled, it does.
    lines: Mutex<Option<Live>>,
}

impl Watcher {
    /// For a view that has started, or, with `lines`, starts once the line-up is settled.
    pub fn new(screen: Arc<ViewScreen>, lines: Option<Live>) -> Self {
        Self { screen, lines: Mutex::new(lines) }
    }

    fn lines(&self) -> MutexGuard<'_, Option<Live>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Watcher {
    fn entry(&self, entry: &Entry) {
        self.screen.tell(ViewEvent::Entry(Box::new(entry.clone()), Duration::ZERO));
        let mut lines = self.lines();
        if let Some(live) = &*lines {
            live.entry(entry);
            let is_settled =
                matches!(&entry.what, Event::Ruled { ruling, .. } if ruling.kind == RulingKind::Lineup);
            if is_settled && self.screen.start() {
                *lines = None;
            }
        }
    }

    fn record(&self, record: &Record) -> Result<(), FileError> {
        self.screen.tell(ViewEvent::Record(Box::new(record.clone())));
        Ok(())
    }

    fn delta(&self, key: &Key, attempt: u32, text: &str) {
        if let Some(live) = &*self.lines() {
            live.delta(key, attempt, text);
        }
        self.screen.tell(ViewEvent::Delta { key: key.clone(), attempt, text: text.to_owned() });
    }

    fn notice(&self, notice: &Notice) {
        if let Some(live) = &*self.lines() {
            live.notice(notice);
        }
        self.screen.tell(ViewEvent::Notice(notice.clone()));
    }
}
