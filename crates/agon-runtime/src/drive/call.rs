//! One request from its prompt to its answer, from any kind of participant: a model, an outside seat, a part of the
//! program, the clock.

use std::{sync::atomic::Ordering, time::Duration};

use agon_core::{Answered, Answerer, Failed, FailureKind, Key, Reply, Request};
use agon_journal::Reserved;

use super::{
    Drive, DriveError, Notice, SeatHandle,
    attempts::{Attempts, ask_once},
    ledger::ArrivedAnswer,
    prepare::PreparedCall,
    queue::{CallQueue, HEED_EVERY},
    request_result::RequestEnd,
};
use crate::participant::Answer;

/// Makes the calls of one run.
pub(super) struct Caller<'a> {
    drive: &'a Drive<'a>,
    /// Those that wait for their turn.
    pub(super) queue: CallQueue,
}

impl<'a> Caller<'a> {
    pub(super) fn new(drive: &'a Drive<'a>) -> Self {
        Self { drive, queue: CallQueue::default() }
    }

    /// Makes the call whose `first` attempt was reserved, and every further attempt it needs; tells how its request
    /// ended.
    pub(super) async fn call(&self, prepared: PreparedCall<'a>, first: Option<Reserved>) -> (Key, RequestEnd) {
        let key = prepared.request.key.clone();
        let done = match (prepared.seated, first) {
            (None, _) => Ok(self.wait_for_clock(&prepared.request).await),
            _ if prepared.is_outside() => self.await_outside_answer(&prepared.request).await,
            (Some(seated), Some(first)) => Attempts::new(self.drive, &self.queue, seated, prepared).run(first).await,
            (Some(seated), None) => Ok(self.ask_program(seated, prepared).await),
        };
        (key, done.unwrap_or_else(RequestEnd::Failed))
    }

    /// Someone outside answers, through another process perhaps: waits until the answer stands, or
    /// until the time of the request is up.
    async fn await_outside_answer(&self, request: &Request) -> Result<RequestEnd, DriveError> {
        let Drive { journal, debate, watch, .. } = self.drive;
        watch.on_notice(&Notice::Outside { key: request.key.clone(), seat: request.seat.clone() });
        let deadline = request.wait_seconds.map(|seconds| Duration::from_secs(seconds.into()));
        tracing::debug!(key = %request.key, seat = %request.seat, "waits for an answer from outside");
        let since = tokio::time::Instant::now();
        while !journal.is_answered(debate, &request.key)? {
            if self.queue.stopping.load(Ordering::Relaxed) {
                return Ok(RequestEnd::Elsewhere);
            }
            if deadline.is_some_and(|deadline| since.elapsed() >= deadline) {
                return Ok(unpaid_end(request, "clock", Reply::Elapsed));
            }
            tokio::time::sleep(HEED_EVERY).await;
        }
        tracing::debug!(key = %request.key, "answered from outside");
        Ok(RequestEnd::Elsewhere)
    }

    /// The clock: answers when the time of the request is up, unless the debate stops before.
    async fn wait_for_clock(&self, request: &Request) -> RequestEnd {
        tracing::debug!(key = %request.key, seconds = request.wait_seconds, "the clock runs");
        let mut left = Duration::from_secs(request.wait_seconds.unwrap_or(0).into());
        while !left.is_zero() {
            if self.queue.stopping.load(Ordering::Relaxed) {
                return RequestEnd::Elsewhere;
            }
            let beat = left.min(HEED_EVERY);
            tokio::time::sleep(beat).await;
            left -= beat;
        }
        unpaid_end(request, "clock", Reply::Elapsed)
    }

    /// A part of the program looks at something: nothing is paid, so nothing is tried again.
    async fn ask_program(&self, seated: &SeatHandle, prepared: PreparedCall<'_>) -> RequestEnd {
        let reply = match ask_once(self.drive, seated, &prepared.call).await {
            Ok(Answer { text, .. }) => Reply::Said { text },
            Err(failure) => Reply::Failed(Failed { kind: FailureKind::Exhausted, detail: failure.to_string() }),
        };
        unpaid_end(&prepared.request, &seated.name, reply)
    }
}

fn unpaid_end(request: &Request, participant: &str, reply: Reply) -> RequestEnd {
    let by = Answerer::new(participant);
    let answered = Answered::new(request.key.clone(), reply, by);
    RequestEnd::Answered(ArrivedAnswer::unpaid(answered))
}
