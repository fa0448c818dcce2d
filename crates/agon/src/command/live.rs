//! The full-screen view of a debate that is driven at this terminal, or followed: what its keys do.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use agon_app::{
    Context, Failure, Result, cost_plan, declarations::find_rules, local_run::StartedDebate, remote_run::DebateDriver,
    request::SeatRequest, resume,
};
use agon_core::{DebateId, Outcome, Protocol, Record, RulingKind, Usage};
use agon_journal::{DebateSummary, Journal};
use agon_protocols::common::lineup::HOST;
use agon_runtime::{drive::Seats, outside_seats::OutsideSeats};
use tokio::sync::{Notify, mpsc};

use super::{
    CommandContext, answer,
    ending::{not_driven, wait_for_end},
};
use crate::ui::{
    Live, Veil,
    live::{Powers, ViewCommand, ViewEvent, ViewModel, ViewScreen, Watcher, is_wanted},
};

/// How often the journal is looked at for what another process appends.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// A view and the commands that its keys give.
pub struct LiveView {
    screen: Arc<ViewScreen>,
    commands: mpsc::UnboundedReceiver<ViewCommand>,
    /// Whether a person is asked about the line-up first.
    waits: bool,
}

impl LiveView {
    /// The view of a debate that is to be driven here; `None` where lines are wanted, or a person sits at
    /// this terminal.
    pub fn from_debate(
        command_context: &CommandContext,
        context: &Context,
        debate: &StartedDebate,
        record: &Record,
    ) -> Option<Self> {
        if !is_wanted(command_context.output, command_context.quiet, command_context.lines) {
            return None;
        }
        let mut people = debate.seats.iter().filter(|(_, seated)| seated.name == "human").peekable();
        let waits = people.peek().is_some();
        if people.any(|(seat, _)| seat.as_str() != HOST) {
            return None;
        }
        let waits = waits && !record.rulings().any(|(_, _, ruling)| ruling.kind == RulingKind::Lineup);
        let summary = context.journal.find_summary(&debate.id).ok().flatten();
        let mut model = build_view_model(record, debate.protocol, summary.as_ref());
        model.record_seat_models(debate.seats.iter().map(|(seat, seated)| (seat.clone(), seated.name.clone())));
        let view = Self::new(model, waits);
        view.screen.tell_record(record, 0);
        view.count_calls(&context.journal, record);
        (waits || view.screen.start_view()).then_some(view)
    }

    fn new(model: ViewModel, waits: bool) -> Self {
        let (tell, commands) = mpsc::unbounded_channel();
        Self { screen: Arc::new(ViewScreen::new(model, tell)), commands, waits }
    }

    /// Tells the view how many calls there are at most. That takes a while, and nobody waits for it.
    fn count_calls(&self, journal: &Journal, record: &Record) {
        let Ok(texts) = journal.read_texts(record.list_text_digests()) else {
            return;
        };
        let (screen, record) = (Arc::clone(&self.screen), record.clone());
        std::thread::spawn(move || {
            if let Some(calls) = cost_plan::calls_max(&record, &texts) {
                screen.send_event(ViewEvent::CallsMax(calls));
            }
        });
    }
}

fn build_view_model(record: &Record, protocol: &'static dyn Protocol, summary: Option<&DebateSummary>) -> ViewModel {
    let driven = Duration::from_millis(summary.map_or(0, |summary| summary.driven_ms));
    ViewModel::new(record.opened(), Some(protocol), driven, Instant::now())
}

/// Drives a debate in a view; gives how it ended, and whether the view was shown.
pub async fn drive_in_view(
    command_context: &CommandContext,
    context: &Context,
    debate: StartedDebate,
    record: Record,
    view: LiveView,
) -> (Result<(Outcome, Record)>, bool) {
    let LiveView { screen, mut commands, waits } = view;
    let driven = drive_over_pauses(command_context, context, debate, record, (&screen, &mut commands, waits)).await;
    let was_shown = screen.end_view(driven.is_ok(), wait_for_stop(&Notify::new())).await;
    (driven, was_shown)
}

/// Drives a debate, over pauses that its view makes, until it closes or must stop.
async fn drive_over_pauses(
    command_context: &CommandContext,
    context: &Context,
    mut debate: StartedDebate,
    mut record: Record,
    (screen, commands, mut waits): (&Arc<ViewScreen>, &mut mpsc::UnboundedReceiver<ViewCommand>, bool),
) -> Result<(Outcome, Record)> {
    let (id, protocol, directory) = (debate.id.clone(), debate.protocol, debate.directory.clone());
    let handles: Seats = debate.seats.clone();
    let journal = Arc::clone(&context.journal);
    let seats = OutsideSeats { journal: &journal, home: &command_context.places.home, debate: &id, protocol };
    loop {
        let leaving = Notify::new();
        let lines = waits.then(|| Live::new(command_context.quiet, &record, Usage::default()));
        let watcher = Watcher::new(Arc::clone(screen), lines);
        let watch = Box::new(Veil::new(Box::new(watcher), record));
        let mut driving = std::pin::pin!(debate.drive_debate(context, watch, wait_for_stop(&leaving)));
        let mut paused = false;
        let driven = loop {
            tokio::select! {
                driven = &mut driving => break driven,
                Some(command) = commands.recv() => {
                    paused |= command == ViewCommand::Pause;
                    apply_view_command(&seats, screen, command, &leaving).await;
                }
            }
        };
        let failure = match driven {
            Err(failure) if failure.code == "paused" && paused => failure,
            driven => return driven,
        };
        waits = false;
        screen.send_event(ViewEvent::Stopped);
        if journal.read_record(&id)?.find_pause().is_some() && !is_continued(screen, commands).await {
            return Err(failure);
        }
        seats.unpause_debate(&answer::user_name()).await?;
        record = journal.read_record(&id)?;
        screen.tell_record(&record, 0);
        let driver = match &context.engine {
            Some(_) => DebateDriver::choose_driver(context, &id, &SeatRequest::default())?,
            None => DebateDriver::Here(resume::take_drive_lock(&journal, &record).await?),
        };
        debate =
            StartedDebate { id: id.clone(), protocol, seats: handles.clone(), directory: directory.clone(), driver };
    }
}

/// Waits, while the debate is paused, until it is to continue, or to be left.
async fn is_continued(screen: &ViewScreen, commands: &mut mpsc::UnboundedReceiver<ViewCommand>) -> bool {
    let never = Notify::new();
    let mut stopped = std::pin::pin!(wait_for_stop(&never));
    loop {
        tokio::select! {
            () = &mut stopped => return false,
            command = commands.recv() => match command {
                Some(ViewCommand::Resume) => return true,
                None | Some(ViewCommand::Leave | ViewCommand::Interrupt) => return false,
                Some(ViewCommand::Pause) => {}
                Some(ViewCommand::Interject(_)) => {
                    screen.send_event(ViewEvent::Message("continue the debate first, with p".into()));
                }
            },
        }
    }
}

/// Does what a key wants of a debate that continues.
async fn apply_view_command(seats: &OutsideSeats<'_>, screen: &ViewScreen, command: ViewCommand, leaving: &Notify) {
    let user = answer::user_name();
    let done = match command {
        ViewCommand::Pause => {
            seats.pause_debate(&user, "").await.map(|_| "it stops once the calls under way are answered".to_owned())
        }
        ViewCommand::Resume => seats.unpause_debate(&user).await.map(|_| "it continues".to_owned()),
        ViewCommand::Interject(text) => seats
            .interject(&user, &text)
            .await
            .map(|acted| format!("sent, as entry {}; every participant that is asked from now on reads it", acted.seq)),
        ViewCommand::Leave | ViewCommand::Interrupt => {
            leaving.notify_one();
            Ok("it stops".to_owned())
        }
    };
    screen.send_event(ViewEvent::Message(done.unwrap_or_else(|error| Failure::from(error).message)));
}

/// Ends when the view is left, or a person ends this process from outside.
async fn wait_for_stop(leaving: &Notify) {
    tokio::select! {
        () = leaving.notified() => {}
        // The terminal must be given back first.
        () = wait_for_end() => {}
    }
}

/// Follows a debate, which another process drives, until it is closed or the view is left. `None` where
/// lines are wanted.
pub async fn follow_in_view(
    command_context: &CommandContext,
    journal: &Journal,
    id: &DebateId,
    record: &Record,
) -> Option<Result<Followed>> {
    if record.closing_outcome().is_some()
        || !is_wanted(command_context.output, command_context.quiet, command_context.lines)
    {
        return None;
    }
    let protocol = find_rules(record).ok()?;
    let summary = journal.find_summary(id).ok().flatten();
    let mut model = build_view_model(record, protocol, summary.as_ref());
    model.powers = Powers { drives: false, ..model.powers };
    let mut view = LiveView::new(model, false);
    view.screen.start_view().then_some(())?;
    view.count_calls(journal, record);
    let seats = OutsideSeats { journal, home: &command_context.places.home, debate: id, protocol };
    let followed = follow_record(&seats, &view.screen, &mut view.commands).await;
    let is_patient = matches!(followed, Ok(Followed::Closed));
    view.screen.end_view(is_patient, wait_for_stop(&Notify::new())).await;
    Some(followed)
}

/// How following a debate ended.
pub enum Followed {
    Closed,
    Left,
    Interrupted,
}

async fn follow_record(
    seats: &OutsideSeats<'_>,
    screen: &ViewScreen,
    commands: &mut mpsc::UnboundedReceiver<ViewCommand>,
) -> Result<Followed> {
    let (mut known, mut was_driven, leaving) = (0, true, Notify::new());
    let mut stopped = std::pin::pin!(wait_for_stop(&leaving));
    loop {
        let summary = seats.journal.find_summary(seats.debate)?;
        let is_driven = seats.journal.is_driven(seats.debate)?;
        if was_driven && !is_driven {
            screen.send_event(ViewEvent::Stopped);
            screen.send_event(ViewEvent::Message(not_driven(&seats.journal.read_record(seats.debate)?)));
        }
        was_driven = is_driven;
        if summary.as_ref().is_some_and(|summary| summary.entries != known) {
            let record = seats.journal.read_record(seats.debate)?;
            screen.tell_record(&record, known);
            known = record.len();
            if record.closing_outcome().is_some() {
                return Ok(Followed::Closed);
            }
        }
        let driven = summary.map_or(0, |summary| summary.driven_ms);
        screen.send_event(ViewEvent::Driven(Duration::from_millis(driven)));
        tokio::select! {
            () = &mut stopped => return Ok(Followed::Interrupted),
            () = tokio::time::sleep(LOOK_EVERY) => {}
            command = commands.recv() => match command {
                None | Some(ViewCommand::Leave) => return Ok(Followed::Left),
                Some(ViewCommand::Interrupt) => return Ok(Followed::Interrupted),
                Some(command) => apply_view_command(seats, screen, command, &leaving).await,
            },
        }
    }
}
