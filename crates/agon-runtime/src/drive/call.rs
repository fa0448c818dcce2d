//! One request from its prompt to its answer: attempts, retries, what each of them used.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use agon_core::{Answered, By, Digest, Exhausted, Failed, FailureKind, Key, Reply, Request, Usage};

use super::{Drive, DriveError, Notice, Seated, Stop, Watch, ledger::Arrived, prepare::Prepared};
use crate::{
    journal::{CallEnd, Reserved, Settlement},
    participant::{Answer, Call, Deltas, Failure},
    retry::Pause,
};

/// Longest wait for one attempt, whatever the participant's own limits are.
const ATTEMPT_SECONDS_MAX: u64 = 3600;
/// How often the record is looked at for an answer from outside.
const HEED_EVERY: Duration = Duration::from_millis(150);
/// How often an answer that is no statement (a refusal, a cut) is asked for again.
const REPEATS_MAX: u32 = 1;
/// How often a request is made again without a field that was turned down. A server can turn down
/// fewer fields than this; one that turns down everything must not be asked for ever.
const NARROWED_MAX: u32 = 8;

/// How a request ended.
pub(super) enum Done {
    /// With an answer, or a failure that is one.
    Answered(Arrived),
    /// The prompt does not fit; nothing was asked.
    TooLong { request: Request, prompt: Digest, participant: String, why: String },
    /// With an answer that somebody else put on the record.
    Elsewhere { key: Key },
    /// The debate must stop.
    Stopped { key: Key, why: Stop },
    /// Driving must end at once.
    Failed(DriveError),
}

pub(super) struct Caller<'a> {
    drive: &'a Drive<'a>,
    /// Set once the debate must stop.
    pub(super) stopping: AtomicBool,
}

impl<'a> Caller<'a> {
    pub(super) fn new(drive: &'a Drive<'a>) -> Self {
        Self { drive, stopping: AtomicBool::new(false) }
    }

    /// Makes the call whose `first` attempt was reserved, and every further attempt it needs.
    pub(super) async fn call(&self, prepared: Prepared<'a>, first: Option<Reserved>) -> Done {
        let done = match (prepared.seated, first) {
            (None, _) => Ok(self.wait(&prepared.request).await),
            _ if prepared.is_outside() => self.heed(&prepared.request).await,
            (Some(seated), Some(first)) => self.attempts(seated, prepared, first).await,
            (Some(seated), None) => Ok(self.look(seated, prepared).await),
        };
        done.unwrap_or_else(Done::Failed)
    }

    /// Somebody outside answers, through another process perhaps: waits until the answer stands, or
    /// until the time of the request is up.
    async fn heed(&self, request: &Request) -> Result<Done, DriveError> {
        let Drive { journal, debate, watch, .. } = self.drive;
        watch.notice(&Notice::Outside { key: request.key.clone(), seat: request.seat.clone() });
        let deadline = request.wait_seconds.map(|seconds| Duration::from_secs(seconds.into()));
        let since = tokio::time::Instant::now();
        while !journal.is_answered(debate, &request.key)? {
            if self.stopping.load(Ordering::Relaxed) {
                return Ok(Done::Elsewhere { key: request.key.clone() });
            }
            if deadline.is_some_and(|deadline| since.elapsed() >= deadline) {
                return Ok(unpaid(request, "clock", Reply::Elapsed));
            }
            tokio::time::sleep(HEED_EVERY).await;
        }
        Ok(Done::Elsewhere { key: request.key.clone() })
    }

    /// The clock: answers when the time of the request is up, unless the debate stops before.
    async fn wait(&self, request: &Request) -> Done {
        let mut left = Duration::from_secs(request.wait_seconds.unwrap_or(0).into());
        while !left.is_zero() {
            if self.stopping.load(Ordering::Relaxed) {
                return Done::Elsewhere { key: request.key.clone() };
            }
            let beat = left.min(HEED_EVERY);
            tokio::time::sleep(beat).await;
            left -= beat;
        }
        unpaid(request, "clock", Reply::Elapsed)
    }

    /// A part of the program looks at something: nothing is paid, so nothing is tried again.
    async fn look(&self, seated: &Seated, prepared: Prepared<'_>) -> Done {
        let reply = match self.one_attempt(seated, &prepared.call).await {
            Ok(Answer { text, .. }) => Reply::Said { text },
            Err(failure) => {
                Reply::Failed(Failed { kind: FailureKind::Exhausted, detail: failure.to_string() })
            }
        };
        unpaid(&prepared.request, &seated.name, reply)
    }

    async fn attempts(
        &self,
        seated: &Seated,
        prepared: Prepared<'_>,
        first: Reserved,
    ) -> Result<Done, DriveError> {
        let Drive { journal, debate, retry, .. } = self.drive;
        let prompt = prepared.digest();
        let reservation = prepared.reservation();
        let Prepared { request, mut call, worst, shortened, .. } = prepared;
        let answered = |reply, model, usage, settlement| {
            let by = By { participant: seated.name.clone(), model };
            let prompt = Some(prompt.clone());
            let answered = Answered { key: request.key.clone(), reply, usage, by, prompt, shortened };
            Done::Answered(Arrived { answered, settlement })
        };
        let failed = |kind, detail| Reply::Failed(Failed { kind, detail });
        let mut repeats = 0;
        let mut narrowed = 0;
        // How long the seat may still keep the debate waiting. Pauses after the failures of a provider
        // are not its silence.
        let mut patience = request.wait_seconds.map(|seconds| Duration::from_secs(seconds.into()));
        let mut silent = None;
        let mut again = None;
        let mut last = String::from("every earlier attempt failed");
        let mut reserved = first;
        loop {
            let (attempt, tried, before) = match reserved {
                Reserved::Granted { attempt, tried, before } => (attempt, tried, before),
                Reserved::Refused(budget) => {
                    return Ok(Done::Stopped { key: request.key.clone(), why: Stop::Budget(budget) });
                }
                Reserved::Exhausted { before } => {
                    if patience.is_some() && silent == Some(true) {
                        return Ok(answered(Reply::Elapsed, None, before, None));
                    }
                    let message = format!("{last} ({} attempts)", retry.attempts_max);
                    return match request.exhausted {
                        Exhausted::Answer => {
                            Ok(answered(failed(FailureKind::Exhausted, message), None, before, None))
                        }
                        Exhausted::Suspend => {
                            let remedy = "try again later, or give the seat another model".into();
                            self.give_up(&request, seated, message, remedy).await
                        }
                    };
                }
            };
            call.attempt = attempt;
            let settlement = |end, usage| Settlement { key: request.key.clone(), attempt, end, usage };
            // What one attempt used, priced; what it reserved where nobody can say.
            let used = |usage: Option<Usage>| {
                let usage = usage.map(|usage| priced(plausible(usage, &worst), seated));
                let mut total = before;
                total += usage.unwrap_or(Usage { estimated: true, ..worst });
                (usage, total)
            };
            let since = tokio::time::Instant::now();
            let answer = self.one_attempt(seated, &call);
            let answer = match patience {
                Some(patience) => tokio::time::timeout(patience, answer).await.ok(),
                None => Some(answer.await),
            };
            patience = patience.map(|patience| patience.saturating_sub(since.elapsed()));
            let Some(answer) = answer else {
                // What the call that is left may still cost stands at its reservation.
                let (usage, total) = used(None);
                let settled = settlement(CallEnd::Answered, usage);
                return Ok(answered(Reply::Elapsed, None, total, Some(settled)));
            };
            let quiet = matches!(answer, Err(Failure::Silent { .. } | Failure::Narrowed { .. }));
            silent = Some(quiet && silent.unwrap_or(true));
            match answer {
                Ok(Answer { text, usage, model }) => {
                    let (usage, total) = used(usage);
                    let settled = settlement(CallEnd::Answered, usage);
                    return Ok(answered(Reply::Said { text }, model, total, Some(settled)));
                }
                Err(Failure::Narrowed { message }) if narrowed < NARROWED_MAX => {
                    narrowed += 1;
                    let usage = Some(Usage { requests: 1, ..Usage::default() });
                    journal.settle(debate, settlement(CallEnd::Narrowed, usage)).await?;
                    last = message;
                }
                Err(Failure::Narrowed { message }) => {
                    let usage = Some(Usage { requests: 1, ..Usage::default() });
                    journal.settle(debate, settlement(CallEnd::Failed, usage)).await?;
                    let remedy = "give the seat another model".into();
                    return self.give_up(&request, seated, message, remedy).await;
                }
                Err(Failure::Answered { kind, message, usage }) => {
                    let (usage, total) = used(usage);
                    if repeats >= REPEATS_MAX {
                        let settled = settlement(CallEnd::Answered, usage);
                        return Ok(answered(failed(kind, message), None, total, Some(settled)));
                    }
                    repeats += 1;
                    // Another seed, or a model that is asked the same would say the same.
                    call.seed = call.seed.wrapping_add(1);
                    journal.settle(debate, settlement(CallEnd::Failed, usage)).await?;
                    // Told once the budget has room for it.
                    again = Some(tried);
                    last = message;
                }
                Err(failure @ (Failure::Transient { .. } | Failure::Silent { .. })) => {
                    let (message, retry_after, usage) = match failure {
                        Failure::Transient { message, retry_after, usage } => (message, retry_after, usage),
                        other => (other.to_string(), None, other.usage()),
                    };
                    let usage = usage.unwrap_or(Usage { requests: 1, ..Usage::default() });
                    let (usage, _) = used(Some(usage));
                    journal.settle(debate, settlement(CallEnd::Failed, usage)).await?;
                    match retry.pause(tried + 1, retry_after, jitter()) {
                        // The next reservation finds the attempts used up, and what then holds.
                        _ if tried + 1 >= retry.attempts_max => {}
                        Pause::Wait(wait) => {
                            self.announce(&request, &message, wait, tried);
                            tokio::time::sleep(wait).await;
                        }
                        Pause::GiveUp { why } => {
                            let message = format!("{message}: {why}");
                            return self.give_up(&request, seated, message, "try again later".into()).await;
                        }
                    }
                    last = message;
                }
                Err(failure @ (Failure::Unavailable { .. } | Failure::BrokenOff { .. })) => {
                    let unpaid = Usage { requests: 1, ..Usage::default() };
                    let (usage, _) = used(Some(failure.usage().unwrap_or(unpaid)));
                    journal.settle(debate, settlement(CallEnd::Failed, usage)).await?;
                    let (message, remedy) = (failure.to_string(), failure.remedy().to_owned());
                    return self.give_up(&request, seated, message, remedy).await;
                }
                Err(failure @ Failure::TooLong { .. }) => {
                    journal.settle(debate, settlement(CallEnd::Unmade, None)).await?;
                    let (participant, why) = (seated.name.clone(), failure.to_string());
                    return Ok(Done::TooLong { request, prompt, participant, why });
                }
            }
            if self.stopping.load(Ordering::Relaxed) {
                // The debate stops for another reason: what has not succeeded by now is not tried on.
                return self.give_up(&request, seated, last, "try again later".into()).await;
            }
            let Some(reservation) = reservation.clone() else { return Err(DriveError::Idle) };
            reserved = journal.reserve(debate, reservation).await?;
            if let (Some(tried), Reserved::Granted { .. }) = (again.take(), &reserved) {
                self.announce(&request, &last, Duration::ZERO, tried);
            }
        }
    }

    /// Stops the debate at this request; whoever resumes it may try as often again.
    async fn give_up(
        &self,
        request: &Request,
        seated: &Seated,
        message: String,
        remedy: String,
    ) -> Result<Done, DriveError> {
        self.drive.journal.give_up(self.drive.debate, &request.key).await?;
        let (seat, participant) = (request.seat.clone(), seated.name.clone());
        let why = Stop::Provider { seat, participant, message, remedy };
        Ok(Done::Stopped { key: request.key.clone(), why })
    }

    async fn one_attempt(&self, seated: &Seated, call: &Call) -> Result<Answer, Failure> {
        let deltas = Screen { watch: self.drive.watch, key: &call.key, attempt: call.attempt };
        let limit = Duration::from_secs(ATTEMPT_SECONDS_MAX);
        let answer = tokio::time::timeout(limit, seated.participant.answer(call, &deltas)).await;
        let answer = answer.unwrap_or_else(|_| {
            let message = format!("no answer for {ATTEMPT_SECONDS_MAX} s");
            Err(Failure::Silent { message, usage: None })
        })?;
        let (kind, message) = if answer.text.trim().is_empty() {
            (FailureKind::Empty, "the answer is empty".to_owned())
        } else if answer.text.len() > call.bytes_max {
            (FailureKind::TooLarge, format!("the answer exceeds {} bytes", call.bytes_max))
        } else {
            return Ok(answer);
        };
        Err(Failure::Answered { kind, message, usage: answer.usage })
    }

    fn announce(&self, request: &Request, why: &str, wait: Duration, tried: u32) {
        self.drive.watch.notice(&Notice::Retry {
            key: request.key.clone(),
            why: why.to_owned(),
            wait_ms: wait.as_millis() as u64,
            attempt: tried + 2,
            attempts_max: self.drive.retry.attempts_max,
        });
    }
}

fn unpaid(request: &Request, participant: &str, reply: Reply) -> Done {
    let by = By { participant: participant.to_owned(), model: None };
    let (key, usage) = (request.key.clone(), Usage::default());
    let answered = Answered { key, reply, usage, by, prompt: None, shortened: 0 };
    Done::Answered(Arrived { answered, settlement: None })
}

/// A provider's figures, or what was reserved where they cannot be true: more than a hundred times
/// the worst case.
fn plausible(usage: Usage, worst: &Usage) -> Usage {
    let absurd = usage.tokens() > worst.tokens().saturating_mul(100);
    if absurd { Usage { estimated: true, ..*worst } } else { Usage { requests: 1, ..usage } }
}

fn priced(usage: Usage, seated: &Seated) -> Usage {
    let price = seated.participant.price();
    Usage { cost_microusd: price.map_or(usage.cost_microusd, |price| price.microusd(&usage)), ..usage }
}

/// A random share for full jitter.
fn jitter() -> f64 {
    let mut bytes = [0_u8; 4];
    match getrandom::fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX),
        Err(_) => 0.5,
    }
}

struct Screen<'a> {
    watch: &'a dyn Watch,
    key: &'a Key,
    attempt: u32,
}

impl Deltas for Screen<'_> {
    fn delta(&self, text: &str) {
        self.watch.delta(self.key, self.attempt, text);
    }
}
