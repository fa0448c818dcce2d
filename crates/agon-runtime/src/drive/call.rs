//! One request from its prompt to its answer: reservation, attempts, retries.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agon_core::{
    Answered, By, Digest, Exhausted, Failed, FailureKind, Key, Limits, PromptSpec, Record, Reply, Request,
    Seat, Usage, View,
};
use serde_json::Value;

use super::{Drive, DriveError, Notice, Stop, Watch, limits};
use crate::{
    journal::{CallEnd, Reservation, Reserved, Settlement},
    participant::{Answer, Call, ChatMessage, Deltas, Failure, Participant},
    retry::Pause,
};

/// Most bytes of one answer.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Longest wait for one attempt, whatever the participant's own limits are.
const ATTEMPT_SECONDS_MAX: u64 = 3600;
/// How often an answer that is no statement (a refusal, a cut) is asked for again.
const REPEATS_MAX: u32 = 1;

/// Who sits at a seat.
#[derive(Clone)]
pub struct Seated {
    /// As the user named it, for example `openai:gpt-5`.
    pub name: String,
    /// Who answers.
    pub participant: Arc<dyn Participant>,
}

/// How a request ended.
pub(super) enum Done {
    /// With an answer, or a failure that is one.
    Answered { answered: Answered, settlement: Option<Settlement> },
    /// The prompt does not fit; nothing was asked.
    TooLong { request: Request, prompt: Digest, participant: String, why: String },
    /// The debate must stop.
    Stopped { key: Key, why: Stop },
    /// Driving must end at once.
    Failed(DriveError),
}

/// A request, rendered from the record as it was heard.
pub(super) struct Prepared {
    pub(super) messages: Vec<ChatMessage>,
    /// How many of the oldest statements are shown by their claim alone.
    pub(super) shortened: u32,
    turn: u32,
    schema: Option<Arc<Value>>,
    earlier: Arc<[String]>,
    limits: Limits,
    seed: u64,
}

impl Prepared {
    /// Digest of the rendered prompt.
    pub(super) fn digest(&self) -> Digest {
        let parts = self.messages.iter().map(|message| format!("{:?}\n{}\n", message.role, message.text));
        Digest::of(parts.collect::<String>())
    }
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

    /// Renders the prompt of `request` with the oldest statements shortened to their claims.
    pub(super) fn prepare(
        &self,
        record: &Record,
        request: &Request,
        shortened: u32,
    ) -> Result<Prepared, DriveError> {
        let mut view = View::new(record, request);
        view.shortened = shortened;
        let protocol = self.drive.protocol;
        let messages = match request.prompt.as_str() {
            "" => Vec::new(),
            _ => self.drive.renderer.render(request, &protocol.facts(&view, request), &view)?,
        };
        Ok(Prepared {
            messages,
            shortened,
            turn: record.answers().filter(|(_, a)| sits_at(record, &a.key, &request.seat)).count() as u32,
            schema: protocol.schema(&view, request).map(Arc::new),
            earlier: view.everything_said().map(|(_, text)| text.to_owned()).collect(),
            limits: limits(record),
            seed: seed(record.opened().seed, &request.key),
        })
    }

    /// Makes the call, and every further attempt it needs.
    pub(super) async fn call(&self, request: Request, prepared: Prepared) -> Done {
        let done = match request.seat.as_str() {
            "clock" => Ok(self.wait(&request).await),
            // No prompt, no model: a part of the program that looks at something.
            _ if request.prompt.is_empty() => self.look(&request, prepared).await,
            _ => self.attempts(&request, prepared).await,
        };
        done.unwrap_or_else(Done::Failed)
    }

    async fn wait(&self, request: &Request) -> Done {
        tokio::time::sleep(Duration::from_secs(request.wait_seconds.unwrap_or(0).into())).await;
        let by = By { participant: "clock".into(), model: None };
        let answered = Answered {
            key: request.key.clone(),
            reply: Reply::Elapsed,
            usage: Usage::default(),
            by,
            prompt: None,
            shortened: 0,
        };
        Done::Answered { answered, settlement: None }
    }

    async fn look(&self, request: &Request, prepared: Prepared) -> Result<Done, DriveError> {
        let seats = self.drive.seats;
        let seated = seats.get(&request.seat).ok_or_else(|| DriveError::NoSuchSeat(request.seat.clone()))?;
        let call = call(request, prepared, None);
        let reply = match self.one_attempt(seated, &call).await {
            Ok(Answer { text, .. }) => Reply::Said { text },
            Err(failure) => {
                let detail = failure.to_string();
                Reply::Failed(Failed { kind: FailureKind::Exhausted, detail })
            }
        };
        let by = By { participant: seated.name.clone(), model: None };
        let usage = Usage::default();
        let answered = Answered { key: request.key.clone(), reply, usage, by, prompt: None, shortened: 0 };
        Ok(Done::Answered { answered, settlement: None })
    }

    async fn attempts(&self, request: &Request, prepared: Prepared) -> Result<Done, DriveError> {
        let Drive { journal, debate, seats, retry, protocol, .. } = self.drive;
        let seated = seats.get(&request.seat).ok_or_else(|| DriveError::NoSuchSeat(request.seat.clone()))?;
        let participant = &seated.participant;
        let spec = protocol.manifest().prompts.get(&request.prompt);
        let prompt = prepared.digest();
        let (limits, shortened) = (prepared.limits.clone(), prepared.shortened);
        let mut call = call(request, prepared, spec);
        let price = |usage: &Usage| participant.price().map_or(0, |price| price.microusd(usage));
        let mut worst = worst_case(&call);
        worst.cost_microusd = price(&worst);
        let answered = |reply, model, usage, settlement| Done::Answered {
            answered: Answered {
                key: request.key.clone(),
                reply,
                usage,
                by: By { participant: seated.name.clone(), model },
                prompt: Some(prompt.clone()),
                shortened,
            },
            settlement,
        };
        let failed = |kind, detail| Reply::Failed(Failed { kind, detail });
        let (mut tries, mut repeats) = (0, 0);
        let mut last = String::from("every earlier attempt broke off");
        loop {
            if tries > 0 && self.stopping.load(Ordering::Relaxed) {
                // The debate stops for another reason: what has not succeeded by now is not tried on.
                return self.give_up(request, seated, last, "try again later".into()).await;
            }
            tries += 1;
            let reservation = Reservation {
                key: request.key.clone(),
                tokens: worst.tokens(),
                cost_microusd: worst.cost_microusd,
                limits: limits.clone(),
                attempts_max: retry.attempts_max,
            };
            let (attempt, tried, before) = match journal.reserve(debate, reservation).await? {
                Reserved::Granted { attempt, tried, before } => (attempt, tried, before),
                Reserved::Refused(budget) => {
                    return Ok(Done::Stopped { key: request.key.clone(), why: Stop::Budget(budget) });
                }
                Reserved::Exhausted { before } => {
                    let message = format!("{last} ({} attempts)", retry.attempts_max);
                    return match request.exhausted {
                        Exhausted::Answer => {
                            Ok(answered(failed(FailureKind::Exhausted, message), None, before, None))
                        }
                        Exhausted::Suspend => {
                            let remedy = "try again later, or give the seat another model".into();
                            self.give_up(request, seated, message, remedy).await
                        }
                    };
                }
            };
            call.attempt = attempt;
            let settlement = |end, usage| Settlement { key: request.key.clone(), attempt, end, usage };
            // What one attempt used, priced; what it reserved where nobody can say.
            let used = |usage: Option<Usage>| {
                let usage = usage.map(|usage| plausible(usage, &worst));
                let usage = usage.map(|usage| Usage { cost_microusd: price(&usage), ..usage });
                let mut total = before;
                total += usage.unwrap_or(Usage { estimated: true, ..worst });
                (usage, total)
            };
            match self.one_attempt(seated, &call).await {
                Ok(Answer { text, usage, model }) => {
                    let (usage, total) = used(usage);
                    let settled = settlement(CallEnd::Answered, usage);
                    return Ok(answered(Reply::Said { text }, model, total, Some(settled)));
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
                    self.announce(request, &message, Duration::ZERO, tried);
                    last = message;
                }
                Err(Failure::Transient { message, retry_after, usage }) => {
                    let usage = usage.unwrap_or(Usage { requests: 1, ..Usage::default() });
                    let (usage, _) = used(Some(usage));
                    journal.settle(debate, settlement(CallEnd::Failed, usage)).await?;
                    match retry.pause(tried + 1, retry_after, jitter()) {
                        // The next reservation finds the attempts used up, and what then holds.
                        _ if tried + 1 >= retry.attempts_max => {}
                        Pause::Wait(wait) => {
                            self.announce(request, &message, wait, tried);
                            tokio::time::sleep(wait).await;
                        }
                        Pause::GiveUp { why } => {
                            let message = format!("{message}: {why}");
                            return self.give_up(request, seated, message, "try again later".into()).await;
                        }
                    }
                    last = message;
                }
                Err(Failure::Unavailable { message, remedy }) => {
                    let usage = Some(Usage { requests: 1, ..Usage::default() });
                    journal.settle(debate, settlement(CallEnd::Failed, usage)).await?;
                    return self.give_up(request, seated, message, remedy).await;
                }
                Err(failure @ Failure::TooLong { .. }) => {
                    journal.settle(debate, settlement(CallEnd::Unmade, None)).await?;
                    return Ok(Done::TooLong {
                        request: request.clone(),
                        prompt: prompt.clone(),
                        participant: seated.name.clone(),
                        why: failure.to_string(),
                    });
                }
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
            Err(Failure::Transient { message, retry_after: None, usage: None })
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

fn call(request: &Request, prepared: Prepared, spec: Option<&PromptSpec>) -> Call {
    Call {
        key: request.key.clone(),
        attempt: 0,
        turn: prepared.turn,
        messages: prepared.messages,
        schema: prepared.schema,
        tokens_max: spec.map_or(1024, |spec| spec.tokens_max),
        bytes_max: ANSWER_BYTES_MAX,
        temperature: spec.map_or(0.7, |spec| spec.temperature),
        seed: prepared.seed,
        earlier: prepared.earlier,
    }
}

fn sits_at(record: &Record, key: &Key, seat: &Seat) -> bool {
    record.asked(key).is_some_and(|(_, asked)| asked.seat == *seat)
}

/// An upper bound of what a call can use: no tokenizer makes more than one token of a byte, and each
/// message is framed by a few more.
fn worst_case(call: &Call) -> Usage {
    let tokens = |text: &str| text.len() as u64;
    let schema = call.schema.as_ref().map_or(0, |schema| tokens(&schema.to_string()));
    let prompt: u64 = call.messages.iter().map(|message| tokens(&message.text) + 8).sum();
    Usage {
        requests: 1,
        prompt_tokens: prompt + schema + 32,
        completion_tokens: call.tokens_max.into(),
        ..Usage::default()
    }
}

/// A provider's figures, or what was reserved where they cannot be true: more than a hundred times
/// the worst case.
fn plausible(usage: Usage, worst: &Usage) -> Usage {
    let absurd = usage.tokens() > worst.tokens().saturating_mul(100);
    if absurd { Usage { estimated: true, ..*worst } } else { Usage { requests: 1, ..usage } }
}

/// The sampling seed of one request: the debate's seed and the key, so that the same debate asks
/// the same way again.
fn seed(seed: u64, key: &Key) -> u64 {
    let digest = Digest::of(format!("{seed}/{key}"));
    u64::from_str_radix(&digest.as_str()[..15], 16).unwrap_or(seed)
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
