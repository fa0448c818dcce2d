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
use agon_protocols::common::struck_text::Withheld;
use agon_runtime::{
    drive::{Notice, Watch},
    files::FileError,
};
use ratatui::crossterm::event;
use tokio::sync::mpsc::UnboundedSender;

use super::{
    Live,
    draw::draw_view,
    keys::ViewCommand,
    model::{ViewEvent, ViewModel},
    terminal::Taken,
};
use crate::ui::{Hold, has_colour, hold_screen};

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
    pub fn start_view(&self) -> bool {
        let mut shown = self.lock_state();
        let waiting = match std::mem::replace(&mut *shown, ShownState::Ended) {
            ShownState::Waiting(waiting) => waiting,
            other => {
                *shown = other;
                return matches!(*shown, ShownState::Running(..));
            }
        };
        let held = hold_screen();
        match Taken::take_terminal() {
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
    pub fn send_event(&self, event: ViewEvent) {
        let _ = self.events.send(event);
    }

    /// Tells what is on `record`; entries that were told before count once.
    pub fn tell_record(&self, record: &Record, from: u64) {
        let withheld = Withheld::from_record(record);
        for entry in record.entries().iter().skip(from as usize) {
            let age = Duration::from_secs(seconds_since(&entry.at));
            self.send_event(ViewEvent::Entry(Box::new(withheld.mask_entry(entry).into_owned()), age));
        }
        self.send_event(ViewEvent::Record(Box::new(record.clone())));
    }

    /// Gives the terminal back, and prints what was held. With `is_patient`, a reader who went back can
    /// read on first.
    /// Gives whether it was shown.
    pub async fn end_view(&self, is_patient: bool, interrupted: impl Future<Output = ()>) -> bool {
        let shown = std::mem::replace(&mut *self.lock_state(), ShownState::Ended);
        let ShownState::Running(thread, held) = shown else { return false };
        self.send_event(if is_patient { ViewEvent::End } else { ViewEvent::EndNow });
        let mut joined = tokio::task::spawn_blocking(move || thread.join());
        tokio::select! {
            _ = &mut joined => {}
            () = interrupted => {
                self.send_event(ViewEvent::EndNow);
                let _ = joined.await;
            }
        }
        drop(held);
        true
    }

    fn lock_state(&self) -> MutexGuard<'_, ShownState> {
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
                    model.apply_event(told, Instant::now());
                    is_old = true;
                }
                Err(TryRecvError::Empty) => break,
            }
        }
        let now = Instant::now();
        if is_ending && model.pane.is_following() {
            return Ok(());
        }
        // Times are shown in seconds.
        if model.is_timed() && began.elapsed().as_secs() != second {
            second = began.elapsed().as_secs();
            is_old = true;
        }
        if is_old && now >= due {
            model.refresh_from_record();
            taken.0.draw(|frame| draw_view(frame, &mut model, has_colour(), now))?;
            (is_old, due) = (false, now + FRAME);
        }
        let mut wait = if is_old { due.saturating_duration_since(now) } else { FRAME };
        while event::poll(wait)? {
            let command = match event::read()? {
                event::Event::Key(key) => model.apply_key(key),
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

    fn lock_live(&self) -> MutexGuard<'_, Option<Live>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Watcher {
    fn on_entry(&self, entry: &Entry) {
        self.screen.send_event(ViewEvent::Entry(Box::new(entry.clone()), Duration::ZERO));
        let mut lines = self.lock_live();
        if let Some(live) = &*lines {
            live.on_entry(entry);
            let is_settled = matches!(&entry.what, Event::Ruled { ruling, .. } if ruling.kind == RulingKind::Lineup);
            if is_settled && self.screen.start_view() {
                *lines = None;
            }
        }
    }

    fn on_record(&self, record: &Record) -> Result<(), FileError> {
        self.screen.send_event(ViewEvent::Record(Box::new(record.clone())));
        Ok(())
    }

    fn on_delta(&self, key: &Key, attempt: u32, text: &str) {
        if let Some(live) = &*self.lock_live() {
            live.on_delta(key, attempt, text);
        }
        self.screen.send_event(ViewEvent::Delta { key: key.clone(), attempt, text: text.to_owned() });
    }

    fn on_notice(&self, notice: &Notice) {
        if let Some(live) = &*self.lock_live() {
            live.on_notice(notice);
        }
        self.screen.send_event(ViewEvent::Notice(notice.clone()));
    }
}
