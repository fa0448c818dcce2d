//! `wait_for_turn`: a wait with a limit, which then returns the current state.

use std::time::Duration;

use agon_app::Failure;
use agon_core::{DebateId, Event, Record};
use agon_protocols::common::{
    parallel_answers,
    struck_text::{self, Withheld},
};
use agon_runtime::outside_seats::UnansweredRequest;
use agon_text::count_noun;
use rmcp::model::ProgressNotificationParam;
use tokio::time::Instant;

use crate::{
    ClientContext, Debates,
    arguments::WaitArguments,
    calls::prompt_of,
    refusal::Result,
    results::{AwaitedSeat, SaidEntry, ShownReply, StopFinding, TurnPrompt, WaitResult},
};

/// How long is waited where nobody says.
pub(crate) const WAIT_SECONDS: u64 = 25;
/// Longest wait: shorter than the minute after which many clients give up.
pub(crate) const WAIT_SECONDS_MAX: u64 = 50;
/// How often the journal is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How often a client that asked for it hears that nothing has happened.
const TELL_EVERY: Duration = Duration::from_secs(2);
/// How often it is looked whether the debate has stopped.
const LOOK_FOR_STOP_EVERY: Duration = Duration::from_secs(1);

impl Debates {
    pub(crate) async fn wait_for_turn(&self, wait: WaitArguments, context: &ClientContext) -> Result<WaitResult> {
        // A wait for a seat that is never asked here would be in vain.
        if let Some(seat) = &wait.seat {
            self.find_outside_seats(&wait.debate)?.find_seat(seat)?;
        }
        let mut waiting = BoundedWait::new(context, Instant::now(), wait.seconds.unwrap_or(WAIT_SECONDS));
        loop {
            let open = self.find_outside_seats(&wait.debate)?.list_open_requests().await?;
            let record = self.journal.read_record(&wait.debate)?;
            let wanted = |open: &&UnansweredRequest| {
                open.outside
                    && wait.seat.as_deref().is_none_or(|name| is_asked_of(&record, open, name))
                    && self.sees_prompt(&wait.debate, open.request.seat.as_str())
            };
            let turn = match open.iter().find(wanted) {
                Some(open) => Some(prompt_of(&self.find_outside_seats(&wait.debate)?, &open.request.seat).await?),
                None => None,
            };
            let is_told = turn.is_some() || record.closing_outcome().is_some();
            let stopped = if is_told { None } else { waiting.find_stop_reason(self, &wait.debate).await };
            let ending = "the server is stopping: call wait_for_turn again in some seconds";
            let next = (!is_told && self.launcher.is_ending()).then_some(ending);
            if is_told || stopped.is_some() || next.is_some() || waiting.is_over() {
                return Ok(WaitResult {
                    stopped: StopFinding(stopped),
                    next,
                    ..build_wait_result(&wait, &record, &open, turn)
                });
            }
            waiting.pause_look(&wait.debate, record.len()).await;
        }
    }
}

/// Whether an open request is asked of the seat that someone calls `name`.
fn is_asked_of(record: &Record, open: &UnansweredRequest, name: &str) -> bool {
    let seat = &open.request.seat;
    let own = agon_report::participation::participant_name(record, seat);
    seat.as_str() == name || own.is_some_and(|own| own.eq_ignore_ascii_case(name))
}

fn build_wait_result(
    wait: &WaitArguments,
    record: &Record,
    open: &[UnansweredRequest],
    turn: Option<TurnPrompt>,
) -> WaitResult {
    // What a client knows is counted in the entries that it could read.
    let record = &*parallel_answers::readable_record(record);
    let known = wait.after.unwrap_or_else(|| record.len());
    let fresh = record.entries().iter().skip(usize::try_from(known).unwrap_or(usize::MAX));
    let withheld = Withheld::from_record(record);
    let said = fresh.map(|entry| withheld.mask_entry(entry)).filter_map(|entry| match &entry.what {
        Event::Answered(answered) => {
            let seat = record.find_request(&answered.key).map(|(_, request)| request.seat.clone());
            let reply = match record.redaction_seq(&answered.key) {
                Some(by) => ShownReply::Redacted { by },
                None => ShownReply::Shown(answered.reply.clone()),
            };
            Some(SaidEntry::Answer { entry: entry.seq, seat, key: answered.key.clone(), reply })
        }
        Event::Ruled { key, ruling } => {
            Some(SaidEntry::Ruling { entry: entry.seq, key: key.clone(), ruled: ruling.text.clone() })
        }
        _ => None,
    });
    let awaited = open.iter().map(|UnansweredRequest { request, model, lease, .. }| AwaitedSeat {
        seat: request.seat.clone(),
        model: model.clone(),
        lease: lease.clone(),
    });
    WaitResult {
        debate: record.opened().debate.clone(),
        entries: record.len(),
        closed: struck_text::publishable_record(record).closing_outcome().cloned(),
        stopped: StopFinding::default(),
        next: None,
        turn,
        awaited: awaited.collect(),
        since: said.collect(),
    }
}

/// A wait with a limit, of which a client that asked for it hears.
pub(crate) struct BoundedWait<'c> {
    context: &'c ClientContext,
    started: Instant,
    limit: Duration,
    /// When the client heard last, and of how many entries.
    told: (Instant, u64),
    /// When it was last looked whether the debate has stopped.
    looked: Option<Instant>,
}

impl<'c> BoundedWait<'c> {
    /// A wait of so many seconds since `started`, or of the most that there may be.
    pub(crate) fn new(context: &'c ClientContext, started: Instant, seconds: u64) -> Self {
        let limit = Duration::from_secs(seconds.min(WAIT_SECONDS_MAX));
        Self { context, started, limit, told: (started, 0), looked: None }
    }

    /// Whether its time is up, or the client has given up.
    pub(crate) fn is_over(&self) -> bool {
        self.started.elapsed() >= self.limit || self.context.ct.is_cancelled()
    }

    /// Why nobody drives `debate` before its end, if it stopped; looked for at once, and then at times.
    pub(crate) async fn find_stop_reason(&mut self, debates: &Debates, debate: &DebateId) -> Option<Failure> {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_FOR_STOP_EVERY) && !self.is_over() {
            return None;
        }
        self.looked = Some(Instant::now());
        debates.find_stop_reason(debate).await
    }

    /// Tells the client of the entries of `debate`, where that is due, and waits until the next look.
    pub(crate) async fn pause_look(&mut self, debate: &DebateId, entries: u64) {
        if self.told.0.elapsed() >= TELL_EVERY || self.told.1 != entries {
            self.notify_progress(debate, entries).await;
            self.told = (Instant::now(), entries);
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = self.context.ct.cancelled() => {}
        }
    }

    async fn notify_progress(&self, debate: &DebateId, entries: u64) {
        let Some(token) = self.context.meta.get_progress_token() else { return };
        let mut progress = ProgressNotificationParam::new(token, self.started.elapsed().as_secs_f64());
        progress.total = Some(self.limit.as_secs_f64());
        progress.message = Some(format!("{debate} has {}", count_noun(entries, "entry", "entries")));
        let _ = self.context.peer.notify_progress(progress).await;
    }
}
