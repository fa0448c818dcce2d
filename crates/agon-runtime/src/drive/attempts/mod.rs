//! The attempts at one request: each is reserved, awaited and judged by how it ended, until one of them is an
//! answer or the debate must stop.

mod limit;
mod lookups;

use std::{sync::atomic::Ordering, time::Duration};

use agon_core::{
    Answered, Answerer, Digest, Exhausted, Failed, FailureKind, OriginalAnswer, Reply, Request, Usage,
    answer::{read_answer, speech_fault},
};

use agon_journal::{CallEnd, Reservation, Reserved, Settlement};
use tracing::Instrument;

use super::{
    Drive, DriveError, Notice, SeatHandle, Stop, ledger::ArrivedAnswer, prepare::PreparedCall, queue::CallQueue,
    request_result::RequestEnd, telemetry,
};
use crate::{
    message::ChatRole,
    participant::{Answer, Call, CallFailure, price_usage, provider::share_rates},
};

/// Longest wait for one attempt, whatever the participant's own limits are.
const ATTEMPT_SECONDS_MAX: u64 = 3600;
/// How often an answer that is not a statement (a refusal, a cut) is asked for again.
const REPEATS_MAX: u32 = 1;
/// How often a request is made again without a field that was turned down. A server can turn down
/// fewer fields than this; one that turns down everything must not be asked for ever.
const NARROWED_MAX: u32 = 8;

/// The attempts at one request so far, and what the next one needs.
pub(super) struct Attempts<'a> {
    drive: &'a Drive<'a>,
    queue: &'a CallQueue,
    seated: &'a SeatHandle,
    prepared: PreparedCall<'a>,
    prompt: Digest,
    reservation: Option<Reservation>,
    /// The attempt that is being made.
    granted: Granted,
    /// The answer as it came, where the statement is less.
    original: Option<OriginalAnswer>,
    /// Prose that was hardly a speech, after which another is asked for.
    doubted: Option<String>,
    repeats: u32,
    /// The limit of the answer before it was doubled.
    limit_before: Option<u32>,
    narrowed: u32,
    /// How long the seat may still keep the debate waiting. Pauses after the failures of a provider are not
    /// its silence.
    patience: Option<Duration>,
    /// Whether every attempt was silent; `None` before the first.
    silent: Option<bool>,
    /// The next attempt asks for another answer: how many were tried before. It is told once the budget has
    /// room for it.
    again: Option<u32>,
    /// Why the last one failed.
    last: String,
}

/// An attempt that may be made.
#[derive(Clone, Copy, Default)]
struct Granted {
    attempt: u32,
    /// Attempts before it that failed.
    tried: u32,
    /// What they used.
    before: Usage,
}

impl<'a> Attempts<'a> {
    pub(super) fn new(
        drive: &'a Drive<'a>,
        queue: &'a CallQueue,
        seated: &'a SeatHandle,
        prepared: PreparedCall<'a>,
    ) -> Self {
        Self {
            drive,
            queue,
            seated,
            patience: prepared.request.wait_seconds.map(|seconds| Duration::from_secs(seconds.into())),
            prompt: prepared.prompt_digest(),
            reservation: prepared.build_reservation(),
            granted: Granted::default(),
            prepared,
            original: None,
            doubted: None,
            repeats: 0,
            limit_before: None,
            narrowed: 0,
            silent: None,
            again: None,
            last: "every earlier attempt failed".to_owned(),
        }
    }

    /// Makes the attempt that was reserved `first`, and every further one that it needs.
    pub(super) async fn run(mut self, first: Reserved) -> Result<RequestEnd, DriveError> {
        let mut reserved = first;
        loop {
            self.granted = match reserved {
                Reserved::Granted { attempt, tried, before } => Granted { attempt, tried, before },
                Reserved::Refused(_) if self.restore_limit() || self.close_lookups() => {
                    reserved = self.reserve_attempt().await?;
                    continue;
                }
                Reserved::Refused(budget) => return Ok(RequestEnd::Stopped(Stop::Budget(budget))),
                Reserved::Exhausted { before } => return self.end_exhausted(before).await,
            };
            if let Some(done) = self.admit_attempt().await? {
                return Ok(done);
            }
            let Some(answer) = self.await_answer().await else {
                // What the call that is left may still cost stands at its reservation.
                return Ok(self.end_settled(Reply::Elapsed, self.build_answerer(None, None), None));
            };
            let answer = answer.and_then(|answer| self.read_statement(answer));
            if let Some(done) = self.classify_end(answer).await? {
                return Ok(done);
            }
            if self.queue.stopping.load(Ordering::Relaxed) {
                // The debate stops for another reason: what has not succeeded by now is not tried on.
                let last = std::mem::take(&mut self.last);
                return self.give_up(last, "try again later".into()).await;
            }
            reserved = self.reserve_attempt().await?;
        }
    }

    /// Reserves the next attempt.
    async fn reserve_attempt(&mut self) -> Result<Reserved, DriveError> {
        let &Drive { journal, debate, fence, .. } = self.drive;
        let Some(reservation) = self.reservation.clone() else { return Err(DriveError::Idle) };
        let reserved = journal.reserve_call(debate, Reservation { fence, ..reservation }).await?;
        if let (Some(tried), Reserved::Granted { .. }) = (self.again.take(), &reserved) {
            self.announce_retry(&self.last, Duration::ZERO, tried);
        }
        Ok(reserved)
    }

    /// Waits for the limits of rate, which is not a silence of the seat; gives the end of the request where the
    /// debate stops meanwhile, or the provider wants to be left alone for longer than anyone waits.
    async fn admit_attempt(&mut self) -> Result<Option<RequestEnd>, DriveError> {
        self.prepared.call.attempt = self.granted.attempt;
        // Processes that drive debates of the same journal use the same accounts at providers.
        share_rates(self.drive.journal.count_live_processes() as usize);
        let admitted = self.queue.admit_call(&*self.seated.participant, &self.prepared.call).await;
        let why = match admitted {
            Some(Ok(())) => return Ok(None),
            Some(Err(failure)) => failure.to_string(),
            None => "the debate stops".to_owned(),
        };
        self.settle_attempt(CallEnd::Unmade, None, "rate").await?;
        self.give_up(why, "try again later".into()).await.map(Some)
    }

    /// Makes an attempt and waits for its end; `None` where the time of the request is up before.
    async fn await_answer(&mut self) -> Option<Result<Answer, CallFailure>> {
        let since = tokio::time::Instant::now();
        let answer = ask_once(self.drive, self.seated, &self.prepared.call);
        let answer = match self.patience {
            Some(patience) => tokio::time::timeout(patience, answer).await.ok(),
            None => Some(answer.await),
        };
        self.patience = self.patience.map(|patience| patience.saturating_sub(since.elapsed()));
        let answer = answer?;
        let quiet = matches!(answer, Err(CallFailure::Silent { .. } | CallFailure::Narrowed { .. }));
        self.silent = Some(quiet && self.silent.unwrap_or(true));
        Some(answer)
    }

    /// The statement in an answer.
    ///
    /// # Errors
    ///
    /// An answer that is none, or from a model hardly one: then it is asked once more, and another answer stands.
    fn read_statement(&mut self, answer: Answer) -> Result<Answer, CallFailure> {
        let no_statement =
            |message: String, usage| Err(CallFailure::Answered { kind: FailureKind::Empty, message, usage });
        let (usage, is_model) = (answer.usage, self.seated.participant.is_model());
        let messages = self.prepared.call.messages.iter().filter(|message| message.role != ChatRole::Assistant);
        let prompt: Vec<&str> = messages.filter(|_| is_model).map(|message| message.text.as_str()).collect();
        let read = match read_answer(&answer.text, self.prepared.call.schema.as_deref(), &prompt) {
            Ok(read) => read,
            Err(why) => return no_statement(why.to_string(), usage),
        };
        if is_model
            && self.prepared.is_speech
            && self.prepared.call.schema.is_none()
            && let Some(why) = speech_fault(&read.text)
        {
            let again = self.doubted.as_ref().map(|before| *before == read.text);
            self.doubted = Some(read.text.clone());
            match again {
                None => return no_statement(why.to_owned(), usage),
                Some(true) => return no_statement(format!("{why}, word for word the same twice"), usage),
                Some(false) => {}
            }
        }
        // Blanks at its ends alone are not kept twice.
        self.original = (read.text.trim() != answer.text.trim())
            .then(|| OriginalAnswer { text: answer.text.clone(), notes: read.notes });
        Ok(Answer { text: read.text, ..answer })
    }

    /// What follows from how an attempt ended: the end of the request, or `None` where another is to be made.
    async fn classify_end(&mut self, answer: Result<Answer, CallFailure>) -> Result<Option<RequestEnd>, DriveError> {
        let asked = Usage { requests: 1, ..Usage::default() };
        let kind = answer.as_ref().err().map_or("none", CallFailure::kind);
        self.last = match answer {
            Ok(Answer { text, usage, model, engine }) => {
                let by = self.build_answerer(model, engine);
                return Ok(Some(self.end_settled(Reply::Said { text }, by, usage)));
            }
            Err(CallFailure::LooksUp { requested, usage }) => {
                let usage = self.count_usage(usage).0;
                self.settle_attempt(CallEnd::Narrowed, usage, kind).await?;
                self.look_up(*requested).await;
                return Ok(None);
            }
            Err(CallFailure::Narrowed { message }) if self.narrowed < NARROWED_MAX => {
                self.narrowed += 1;
                self.settle_attempt(CallEnd::Narrowed, Some(asked), kind).await?;
                message
            }
            Err(CallFailure::Narrowed { message }) => {
                self.settle_attempt(CallEnd::Failed, Some(asked), kind).await?;
                return self.give_up(message, "give the seat another model".into()).await.map(Some);
            }
            Err(CallFailure::Answered { kind: no_statement, message, usage }) => {
                if self.repeats >= REPEATS_MAX {
                    let (reply, by) = (failed_reply(no_statement, message), self.build_answerer(None, None));
                    return Ok(Some(self.end_settled(reply, by, usage)));
                }
                self.repeats += 1;
                // Another seed, or a model that is asked the same would say the same.
                self.prepared.call.seed = self.prepared.call.seed.wrapping_add(1);
                let usage = self.count_usage(usage).0;
                self.settle_attempt(CallEnd::Failed, usage, no_statement.name()).await?;
                self.widen_limit(no_statement);
                self.again = Some(self.granted.tried);
                message
            }
            Err(failure @ (CallFailure::Transient { .. } | CallFailure::Silent { .. })) => {
                let (message, usage) = (failure.to_string(), Some(failure.usage().unwrap_or(asked)));
                let retry_after =
                    if let CallFailure::Transient { retry_after, .. } = failure { retry_after } else { None };
                let (usage, _) = self.count_usage(usage);
                self.settle_attempt(CallEnd::Failed, usage, kind).await?;
                if let Err(why) = self.pause_before_retry(kind, &message, retry_after).await {
                    let message = format!("{message}: {why}");
                    return self.give_up(message, "try again later".into()).await.map(Some);
                }
                message
            }
            Err(failure @ (CallFailure::Unavailable { .. } | CallFailure::BrokenOff { .. })) => {
                let (usage, _) = self.count_usage(Some(failure.usage().unwrap_or(asked)));
                self.settle_attempt(CallEnd::Failed, usage, kind).await?;
                let (message, remedy) = (failure.to_string(), failure.remedy().to_owned());
                return self.give_up(message, remedy).await.map(Some);
            }
            Err(CallFailure::TooLong { message: why, usage }) => {
                let end = if usage.is_some() { CallEnd::Failed } else { CallEnd::Unmade };
                let usage = usage.and_then(|usage| self.count_usage(Some(usage)).0);
                self.settle_attempt(end, usage, kind).await?;
                if !self.restore_limit() {
                    let (request, prompt) = (self.prepared.request.clone(), self.prompt.clone());
                    let participant = self.seated.name.clone();
                    return Ok(Some(RequestEnd::TooLong { request, prompt, participant, why }));
                }
                why
            }
        };
        Ok(None)
    }

    /// Waits before the next attempt.
    ///
    /// # Errors
    ///
    /// Why there is none.
    async fn pause_before_retry(&self, kind: &str, why: &str, retry_after: Option<Duration>) -> Result<(), String> {
        let (retry, tried) = (self.drive.retry, self.granted.tried);
        // The next reservation finds the attempts used up, and what then holds.
        if tried + 1 < retry.attempts_max {
            let wait = retry.decide_retry(tried + 1, retry_after, random_jitter())?;
            let (key, pause_ms) = (&self.prepared.request.key, wait.as_millis() as u64);
            tracing::info!(%key, reason = kind, pause_ms, tried = tried + 1, "pause before another attempt");
            self.announce_retry(why, wait, tried);
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }

    /// The end of a request that has had all its attempts.
    async fn end_exhausted(self, before: Usage) -> Result<RequestEnd, DriveError> {
        if self.patience.is_some() && self.silent == Some(true) {
            return Ok(self.end_answered(Reply::Elapsed, self.build_answerer(None, None), before, None));
        }
        let message = format!("{} ({} attempts)", self.last, self.drive.retry.attempts_max);
        match self.prepared.request.exhausted {
            Exhausted::Answer => Ok(self.end_answered(
                failed_reply(FailureKind::Exhausted, message),
                self.build_answerer(None, None),
                before,
                None,
            )),
            Exhausted::Suspend => {
                let remedy = "try again later, or give the seat another model".into();
                self.give_up(message, remedy).await
            }
        }
    }

    /// Stops the debate at this request; a resume allows as many attempts again.
    async fn give_up(&self, message: String, remedy: String) -> Result<RequestEnd, DriveError> {
        let Drive { journal, debate, .. } = self.drive;
        let Request { key, seat, .. } = &self.prepared.request;
        tracing::info!(%key, "no further attempt");
        journal.give_up(debate, key).await?;
        let (seat, participant) = (seat.clone(), self.seated.name.clone());
        Ok(RequestEnd::Stopped(Stop::Provider { seat, participant, message, remedy }))
    }

    /// Stores what an attempt used that was no answer.
    async fn settle_attempt(
        &self,
        end: CallEnd,
        usage: Option<Usage>,
        failure: &'static str,
    ) -> Result<(), DriveError> {
        let Drive { journal, debate, .. } = self.drive;
        Ok(journal.settle_call(debate, self.build_settlement(end, usage, Some(failure))).await?)
    }

    fn build_settlement(&self, end: CallEnd, usage: Option<Usage>, failure: Option<&'static str>) -> Settlement {
        Settlement { key: self.prepared.request.key.clone(), attempt: self.granted.attempt, end, usage, failure }
    }

    /// What one attempt used, priced, and with it all of them; what it reserved where nobody can say.
    fn count_usage(&self, usage: Option<Usage>) -> (Option<Usage>, Usage) {
        let participant = &self.seated.participant;
        let usage = usage.map(|usage| {
            price_usage(plausible_usage(usage, &self.prepared.worst), participant.price(), participant.is_paid())
        });
        let mut total = self.granted.before;
        total += usage.unwrap_or(Usage { estimated: true, ..self.prepared.worst });
        (usage, total)
    }

    /// The end with `reply`, by an attempt that used `usage`.
    fn end_settled(&self, reply: Reply, by: Answerer, usage: Option<Usage>) -> RequestEnd {
        let (usage, total) = self.count_usage(usage);
        let failure = match &reply {
            Reply::Failed(failed) => Some(failed.kind.name()),
            Reply::Elapsed => Some(FailureKind::Elapsed.name()),
            _ => None,
        };
        let settlement = self.build_settlement(CallEnd::Answered, usage, failure);
        self.end_answered(reply, by, total, Some(settlement))
    }

    /// The participant, with the model and the engine that it says answered.
    fn build_answerer(&self, model: Option<String>, engine: Option<String>) -> Answerer {
        let SeatHandle { name, is_unfit_reader, .. } = self.seated;
        Answerer { participant: name.clone(), model, engine, is_unfit_reader: *is_unfit_reader }
    }

    fn end_answered(&self, reply: Reply, by: Answerer, usage: Usage, settlement: Option<Settlement>) -> RequestEnd {
        let (key, prompt, shortened) =
            (self.prepared.request.key.clone(), Some(self.prompt.clone()), self.prepared.shortened);
        let shown = self.prepared.shown.clone();
        let original = self.original.clone().filter(|_| reply.text().is_some());
        let made = self.prepared.call.lookups.as_ref().map(|lookups| lookups.desk.list_made()).unwrap_or_default();
        let texts = made.iter().map(|made| (made.lookup.result.clone(), made.text.clone())).collect();
        let lookups = made.into_iter().map(|made| made.lookup).collect();
        let answered = Answered { usage, prompt, shortened, shown, lookups, original, ..Answered::new(key, reply, by) };
        RequestEnd::Answered(ArrivedAnswer { answered, texts, settlement })
    }

    fn announce_retry(&self, why: &str, wait: Duration, tried: u32) {
        self.drive.watch.on_notice(&Notice::Retry {
            key: self.prepared.request.key.clone(),
            why: why.to_owned(),
            wait_ms: wait.as_millis() as u64,
            attempt: tried + 2,
            attempts_max: self.drive.retry.attempts_max,
        });
    }
}

/// Asks once.
pub(super) async fn ask_once(drive: &Drive<'_>, seated: &SeatHandle, call: &Call) -> Result<Answer, CallFailure> {
    let deltas = |text: &str| drive.watch.on_delta(&call.key, call.attempt, text);
    let limit = Duration::from_secs(ATTEMPT_SECONDS_MAX);
    let (key, number, since) = (&call.key, call.attempt, tokio::time::Instant::now());
    tracing::debug!(%key, attempt = number, participant = seated.name, "call begins");
    let span = telemetry::call_span(seated, call);
    let answer = seated.participant.answer(call, &deltas).instrument(span.clone());
    let answer = tokio::time::timeout(limit, answer).await;
    let answer = answer.unwrap_or_else(|_| {
        let message = format!("no answer for {ATTEMPT_SECONDS_MAX} s");
        Err(CallFailure::Silent { message, usage: None })
    });
    telemetry::call_ended(&span, seated, since.elapsed(), &answer);
    let took_ms = since.elapsed().as_millis() as u64;
    let bytes = answer.as_ref().ok().map(|answer| answer.text.len());
    let failure = answer.as_ref().err().map(CallFailure::kind);
    tracing::debug!(%key, attempt = number, took_ms, bytes, failure, "call ends");
    let answer = answer?;
    let (kind, message) = if answer.text.trim().is_empty() {
        (FailureKind::Empty, "the answer is empty".to_owned())
    } else if answer.text.len() > call.bytes_max {
        (FailureKind::TooLarge, format!("the answer exceeds {} bytes", call.bytes_max))
    } else {
        return Ok(answer);
    };
    Err(CallFailure::Answered { kind, message, usage: answer.usage })
}

fn failed_reply(kind: FailureKind, detail: String) -> Reply {
    Reply::Failed(Failed { kind, detail })
}

/// A provider's figures, or what was reserved where they cannot be true: more than a hundred times
/// the worst case.
fn plausible_usage(usage: Usage, worst: &Usage) -> Usage {
    let absurd = usage.total_tokens() > worst.total_tokens().saturating_mul(100);
    if absurd { Usage { estimated: true, ..*worst } } else { Usage { requests: 1, ..usage } }
}

/// A random share for full jitter.
fn random_jitter() -> f64 {
    let mut bytes = [0_u8; 4];
    match getrandom::fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX),
        Err(_) => 0.5,
    }
}
