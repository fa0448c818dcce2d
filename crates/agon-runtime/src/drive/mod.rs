//! The only loop: reads the record, steps, appends, and reconciles the requests that a step wants
//! open with the calls under way.

mod attempts;
mod call;
mod clock;
mod error;
pub(crate) mod ledger;
mod open_calls;
mod prepare;
mod queue;
mod request_result;
mod seat;
pub mod telemetry;
mod watch;

use std::{collections::BTreeMap, future::Future, sync::Arc, time::Duration};

use agon_core::{
    Answered, Answerer, DebateId, Digest, Event, Failed, FailureKind, Outcome, Protocol, Record, Reply, Request, Seat,
};
use agon_journal::{Journal, PassedLimit};
use futures::{StreamExt, stream::FuturesUnordered};
use tracing::Instrument;

use self::{
    call::Caller,
    clock::{Clock, sleep_if_limited},
    ledger::{ArrivedAnswer, Ledger, Next},
    open_calls::CallsUnderWay,
};
pub use self::{
    error::{DriveError, Stop},
    seat::SeatHandle,
    watch::{Notice, SilentWatch, Watch},
};
use crate::{lookups::LookupSource, prompts::Renderer, retry::RetryPolicy};

/// How often the journal is looked at for what others append.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How long answers to requests that are open together are gathered before they are stored: less than
/// storing one takes.
const GATHER: Duration = Duration::from_millis(1);

/// The participant of each seat.
pub type Seats = BTreeMap<Seat, SeatHandle>;

/// One debate with its participants, and the only loop that steps, calls and records.
pub struct Drive<'a> {
    /// Where the record is.
    pub journal: &'a Journal,
    /// Which debate.
    pub debate: &'a DebateId,
    /// Its rules.
    pub protocol: &'a dyn Protocol,
    /// Its pinned templates.
    pub renderer: &'a Renderer,
    /// Who answers.
    pub seats: &'a Seats,
    /// Where seats look things up; `None` where nothing may be looked up.
    pub lookups: Option<Arc<dyn LookupSource>>,
    /// Who is told what happens.
    pub watch: &'a dyn Watch,
    /// How failed calls are tried again.
    pub retry: RetryPolicy,
    /// The claim under which it is driven, where that can be lost to others.
    pub fence: Option<u64>,
    /// How long it is driven while only people outside are asked who may take any time; `None`: as long as it takes.
    pub patience: Option<Duration>,
}

impl Drive<'_> {
    /// Drives the debate until it closes, or until it must stop and can be resumed. `interrupt`
    /// completes when the user wants it to stop.
    pub async fn run(&self, interrupt: impl Future<Output = ()>) -> Result<Outcome, DriveError> {
        let record = self.journal.read_record(self.debate)?;
        self.run_from(record, interrupt).await.map(|(outcome, _)| outcome)
    }

    /// The same from `record`, which was read already; gives the record as it is stored when it has closed.
    pub async fn run_from(
        &self,
        record: Record,
        interrupt: impl Future<Output = ()>,
    ) -> Result<(Outcome, Record), DriveError> {
        let span = tracing::info_span!("drive", debate = %self.debate);
        async {
            tracing::info!(entries = record.len(), "begins");
            let driven = self.run_steps(record, interrupt).await;
            match &driven {
                Ok((_, record)) => tracing::info!(entries = record.len(), "the debate is closed"),
                Err(error) => tracing::info!(why = error.kind(), "stops"),
            }
            driven
        }
        .instrument(span)
        .instrument(telemetry::debate_span(self.debate, self.protocol.name()))
        .await
    }

    async fn run_steps(
        &self,
        record: Record,
        interrupt: impl Future<Output = ()>,
    ) -> Result<(Outcome, Record), DriveError> {
        let caller = Caller::new(self);
        let clock = Clock::new(self.journal, self.debate)?;
        let mut ledger = Ledger::new(self, clock, record);
        let mut calls = FuturesUnordered::new();
        let mut under_way = CallsUnderWay::default();
        let mut interrupt = std::pin::pin!(interrupt);
        loop {
            let step = telemetry::step_span(ledger.record.len());
            let next = step.in_scope(|| ledger.record_answers(&under_way.arrived));
            let open = match &next {
                Ok(Next::Await(open)) => open.as_slice(),
                _ => &[],
            };
            if let Ok(Next::Await(open)) = &next {
                tracing::debug!(open = open.len(), under_way = under_way.calls.len(), "step");
                under_way.abort_unwanted(open);
                // What waits for its turn was not sent, and costs nothing.
                caller
                    .queue
                    .release_unwanted(self.journal, self.debate, |key| under_way.calls.contains_key(key))
                    .await?;
            }
            under_way.follow_pause(&ledger.record, &caller);
            let fresh = under_way.prepare_fresh(self, &ledger.record, open);
            // What was paid for is stored before anything can go wrong with what follows.
            let reserve = fresh.iter().flatten().filter_map(|prepared| prepared.build_reservation());
            let Some(mut reserved) = ledger.commit(reserve.collect()).await? else {
                continue;
            };
            under_way.arrived.clear();
            if let Next::Closed(outcome) = next? {
                return Ok((outcome, ledger.record));
            }
            for prepared in fresh? {
                let first = prepared.build_reservation().and_then(|_| reserved.pop_front());
                let key = prepared.request.key.clone();
                let (call, handle) = futures::future::abortable(caller.call(prepared, first));
                under_way.calls.insert(key, handle);
                calls.push(call);
            }
            if calls.is_empty() {
                return Err(under_way.stop.map_or(DriveError::Idle, DriveError::Stopped));
            }
            let limit = ledger.clock.remaining_time(&ledger.record);
            let patience = self.patience.filter(|_| self.only_outside(&ledger.record, &under_way));
            let mut done = tokio::select! {
                biased;
                () = &mut interrupt => {
                    caller.queue.release_unwanted(self.journal, self.debate, |_| false).await?;
                    return Err(DriveError::Interrupted);
                }
                () = self.await_other_append(ledger.record.len()) => {
                    tracing::debug!("another process appended");
                    ledger.reread_record()?;
                    continue;
                }
                () = sleep_if_limited(limit.map(|(_, left)| left)) => {
                    caller.queue.release_unwanted(self.journal, self.debate, |_| false).await?;
                    let passed = PassedLimit::Time { max: limit.map_or(0, |(max, _)| max) };
                    return Err(DriveError::Stopped(Stop::Budget(passed)));
                }
                () = sleep_if_limited(patience) => return Err(DriveError::Waiting),
                done = calls.next() => done,
            };
            // What else comes now goes into the same transaction: where several are asked at once
            // their answers often come together.
            while let Some(one) = done {
                under_way.take_end(self, &caller, &mut ledger, one).await?;
                done = tokio::time::timeout(GATHER, calls.next()).await.ok().flatten();
            }
        }
    }

    /// Whether everyone who is asked is outside and may take any time.
    fn only_outside(&self, record: &Record, under_way: &CallsUnderWay) -> bool {
        under_way.calls.keys().all(|key| {
            record.find_request(key).is_some_and(|(_, request)| {
                let seated = self.seats.get(&request.seat);
                request.wait_seconds.is_none() && seated.is_some_and(|seated| seated.participant.is_outside())
            })
        })
    }

    /// Completes once someone else has appended to a record of `known` entries: an answer, more of
    /// everything, a pause or an end. A journal that cannot be read is the next append's to report.
    async fn await_other_append(&self, known: u64) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if let Ok(Some(summary)) = self.journal.find_summary(self.debate)
                && summary.entries != known
            {
                return;
            }
        }
    }
}

fn too_long(request: &Request, prompt: Digest, participant: String, why: String) -> ArrivedAnswer {
    let answered = Answered {
        prompt: Some(prompt),
        ..Answered::new(
            request.key.clone(),
            Reply::Failed(Failed { kind: FailureKind::TooLong, detail: why }),
            Answerer::new(participant),
        )
    };
    ArrivedAnswer::unpaid(answered)
}

/// The limits that stand now, every extension counted: budgets are the driver's, and a person who
/// allows more means it at once.
pub fn current_limits(record: &Record) -> agon_core::Limits {
    let mut limits = record.opened().limits.clone();
    for entry in record.entries() {
        if let Event::Extended { limits: more } = &entry.what {
            limits.apply_extension(more);
        }
    }
    limits
}

/// Probes every participant at no cost.
pub async fn probe_seats(
    seats: &Seats,
) -> Vec<(Seat, Result<crate::participant::Probe, crate::participant::CallFailure>)> {
    let probes = seats.iter().map(|(seat, seated)| {
        let participant = Arc::clone(&seated.participant);
        async move { (seat.clone(), participant.probe().await) }
    });
    futures::future::join_all(probes).await
}
