//! One request made ready: its prompt rendered from the record as it was heard, and the worst that
//! the call can cost.

use std::sync::Arc;

use agon_core::{Digest, Key, Limits, PromptSpec, Record, Request, Seat, ShownPassage, Usage, View, sample};
use agon_journal::Reservation;

use super::{Drive, DriveError, SeatHandle, current_limits};
use crate::{
    participant::{Call, price_usage},
    prompts::{ModelSize, RenderedPrompt},
};

/// Maximum number of bytes of one answer.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;

pub(super) struct PreparedCall<'a> {
    pub(super) request: Request,
    pub(super) call: Call,
    /// Who answers; the clock is nobody.
    pub(super) seated: Option<&'a SeatHandle>,
    /// How many of the oldest statements are shown by their claim alone.
    pub(super) shortened: u32,
    /// Passages of the material that the prompt shows.
    pub(super) shown: Vec<ShownPassage>,
    /// Whether a speech is asked for.
    pub(super) is_speech: bool,
    /// The most that one attempt can use, priced.
    pub(super) worst: Usage,
    limits: Limits,
    attempts_max: u32,
}

impl PreparedCall<'_> {
    /// Whether someone outside answers.
    pub(super) fn is_outside(&self) -> bool {
        self.seated.is_some_and(|seated| seated.participant.is_outside())
    }

    /// Whether no model is asked, and nothing paid: a clock runs, a part of the program looks, or
    /// someone outside answers.
    pub(super) fn is_free(&self) -> bool {
        let program = self.seated.is_some_and(|seated| seated.participant.is_program());
        self.request.prompt.is_empty() || program || self.is_outside()
    }

    /// What must be reserved before it is asked.
    pub(super) fn build_reservation(&self) -> Option<Reservation> {
        (!self.is_free()).then(|| Reservation {
            key: self.request.key.clone(),
            tokens: self.worst.total_tokens(),
            completion_tokens: self.worst.completion_tokens,
            cost_microusd: self.worst.cost_microusd,
            cost_basis: self.worst.cost_basis,
            limits: self.limits.clone(),
            attempts_max: self.attempts_max,
            fence: None,
        })
    }

    /// Digest of the rendered prompt.
    pub(super) fn prompt_digest(&self) -> Digest {
        let parts = self.call.messages.iter().map(|message| format!("{:?}\n{}\n", message.role, message.text));
        Digest::of(parts.collect::<String>())
    }
}

/// Renders the prompt of `request` with the oldest statements shortened to their claims.
pub(super) fn prepare_call<'a>(
    drive: &'a Drive<'_>,
    record: &Record,
    request: &Request,
    shortened: u32,
) -> Result<PreparedCall<'a>, DriveError> {
    let Drive { protocol, renderer, seats, retry, .. } = drive;
    let seated = seats.get(&request.seat);
    if seated.is_none() && request.seat.as_str() != "clock" {
        return Err(DriveError::NoSuchSeat(request.seat.clone()));
    }
    let mut view = View::new(record, request);
    view.shortened = shortened;
    let size = seated.map_or(ModelSize::Large, |seated| seated.participant.model_size());
    let RenderedPrompt { messages, chain, shown } = match request.prompt.as_str() {
        "" => RenderedPrompt::default(),
        _ => renderer.render_for(size, request, &protocol.prompt_facts(&view, request), &view)?,
    };
    let spec = protocol.manifest().prompts.get(&request.prompt);
    let settings = seated.map(|seated| seated.participant.settings()).unwrap_or_default();
    let call = Call {
        key: request.key.clone(),
        attempt: 0,
        turn: record.answers().filter(|(_, a)| sits_at(record, &a.key, &request.seat)).count() as u32,
        messages,
        chain: chain.into(),
        schema: protocol.answer_schema(&view, request).map(Arc::new),
        tokens_max: settings.tokens_max.unwrap_or(spec.map_or(1024, |spec: &PromptSpec| spec.tokens_max)),
        bytes_max: ANSWER_BYTES_MAX,
        temperature: settings.temperature.unwrap_or(spec.map_or(0.7, |spec| spec.temperature)),
        seed: request_seed(record.opened().seed, &request.key),
        earlier: match spec.is_some_and(|spec| spec.rewrites) {
            true => Arc::new([]),
            false => view.everything_said().map(|(_, text)| text.to_owned()).collect(),
        },
    };
    let worst = match seated {
        Some(seated) => {
            let (worst, price) = (worst_case(&call), seated.participant.price());
            let priced = price_usage(worst, price, seated.participant.is_paid());
            let most = price.map_or(priced.cost_microusd, |price| price.microusd_at_most(&worst));
            Usage { cost_microusd: most, ..priced }
        }
        None => worst_case(&call),
    };
    Ok(PreparedCall {
        request: request.clone(),
        call,
        seated,
        shortened,
        shown,
        is_speech: spec.is_some_and(|spec| spec.speech),
        worst,
        limits: current_limits(record),
        attempts_max: retry.attempts_max,
    })
}

fn sits_at(record: &Record, key: &Key, seat: &Seat) -> bool {
    record.find_request(key).is_some_and(|(_, asked)| asked.seat == *seat)
}

/// An upper bound of what a call can use: no tokenizer makes more than one token of a byte, each message is
/// framed by a few more, and an answer is read no further than it was allowed to be long.
fn worst_case(call: &Call) -> Usage {
    let tokens = |text: &str| text.len() as u64;
    let schema = call.schema.as_ref().map_or(0, |schema| tokens(&sample::without_examples(schema).to_string()));
    let prompt: u64 = call.messages.iter().map(|message| tokens(&message.text) + 8).sum();
    Usage {
        requests: 1,
        prompt_tokens: prompt + schema + 32,
        completion_tokens: call.completion_tokens_worst(),
        estimated: true,
        ..Usage::default()
    }
}

/// The sampling seed of one request: the debate's seed and the key, so that the same debate asks
/// the same way again.
fn request_seed(seed: u64, key: &Key) -> u64 {
    let digest = Digest::of(format!("{seed}/{key}"));
    u64::from_str_radix(&digest.as_str()[..15], 16).unwrap_or(seed)
}
