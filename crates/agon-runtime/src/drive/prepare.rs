//! One request made ready: its prompt rendered from the record as it was heard, and the worst that
//! the call can cost.

use std::sync::Arc;

use agon_core::{Digest, Key, Limits, PromptSpec, Record, Request, Seat, ShownPassage, Usage, View};
use agon_journal::Reservation;

use super::{Drive, DriveError, SeatHandle, current_limits};
use crate::{
    lookups::{LOOKUPS, LookupDesk, introduce_tools},
    participant::{Call, CallLookups, count_schema_bytes, price_usage},
    prompts::{ModelSize, RenderedPrompt},
};

/// Tokens of the description of one tool, at most.
const TOOL_TOKENS: u64 = 400;
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
        (!self.is_free()).then(|| {
            let (key, limits) = (self.request.key.clone(), self.limits.clone());
            Reservation::new(key, &self.worst, limits, self.attempts_max)
        })
    }

    /// Digest of the rendered prompt.
    pub(super) fn prompt_digest(&self) -> Digest {
        let parts = self.call.messages.iter().map(|message| format!("{:?}\n{}\n", message.role, message.text));
        Digest::from_content(parts.collect::<String>())
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
    let lookups = offer_lookups(drive, seated, request);
    let mut facts = protocol.prompt_facts(&view, request);
    facts.extend(lookups.iter().map(|_| (LOOKUPS.to_owned(), true.into())));
    let RenderedPrompt { messages, chain, shown } = match request.prompt.as_str() {
        "" => RenderedPrompt::default(),
        _ => renderer.render_for(size, request, &facts, &view)?,
    };
    let messages = match &lookups {
        Some(_) => introduce_tools(messages),
        None => messages,
    };
    let spec = protocol.manifest().prompts.get(&request.prompt);
    let settings = seated.map(|seated| seated.participant.settings()).unwrap_or_default();
    let limit = settings.tokens_max.unwrap_or(spec.map_or(1024, |spec: &PromptSpec| spec.tokens_max));
    let room = seated.and_then(|seated| seated.participant.thinking_room()).unwrap_or(0);
    let schema = protocol.answer_schema(&view, request);
    let call = Call {
        key: request.key.clone(),
        attempt: 0,
        turn: record.answers().filter(|(_, a)| sits_at(record, &a.key, &request.seat)).count() as u32,
        messages,
        chain: chain.into(),
        schema_bytes: count_schema_bytes(schema.as_ref()),
        schema: schema.map(Arc::new),
        tokens_max: limit.saturating_add(room),
        bytes_max: ANSWER_BYTES_MAX,
        temperature: settings.temperature.unwrap_or(spec.map_or(0.7, |spec| spec.temperature)),
        seed: request_seed(record.opened().seed, &request.key),
        earlier: match spec.is_some_and(|spec| spec.rewrites) {
            true => Arc::new([]),
            false => view.everything_said().map(|(_, text)| text.to_owned()).collect(),
        },
        lookups,
    };
    let worst = seated.map_or_else(|| worst_case(&call), |seated| priced_worst_case(&call, seated));
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

/// The lookups of an answer to `request`; `None` where the debate, the seat or its participant has none.
fn offer_lookups(drive: &Drive<'_>, seated: Option<&SeatHandle>, request: &Request) -> Option<CallLookups> {
    let source = drive.lookups.as_ref()?;
    let reach = drive.protocol.manifest().lookup_reach(request.seat.as_str(), &request.prompt)?;
    seated.filter(|seated| seated.participant.can_look_up())?;
    let tools = source.list_tools_within(reach);
    let desk = || LookupDesk::new(Arc::clone(source), request.seat.clone(), tools.clone());
    (!tools.is_empty()).then(|| CallLookups { desk: Arc::new(desk()), turns: Vec::new() })
}

/// The most that one attempt at `call` can use, priced for who answers.
pub(super) fn priced_worst_case(call: &Call, seated: &SeatHandle) -> Usage {
    let (worst, price) = (worst_case(call), seated.participant.price());
    let priced = price_usage(worst, price, seated.participant.is_paid());
    let most = price.map_or(priced.cost_microusd, |price| price.microusd_at_most(&worst));
    Usage { cost_microusd: most, ..priced }
}

fn sits_at(record: &Record, key: &Key, seat: &Seat) -> bool {
    record.find_request(key).is_some_and(|(_, asked)| asked.seat == *seat)
}

/// An upper bound of what a call can use: no tokenizer makes more than one token of a byte, each message is
/// framed by a few more, and an answer is read no further than it was allowed to be long.
fn worst_case(call: &Call) -> Usage {
    let framed = 8 * call.messages.len() as u64;
    // What the tools are called and take is a part of the prompt.
    let tools = call.lookups.as_ref().map_or(0, |lookups| TOOL_TOKENS * lookups.desk.tools().len() as u64);
    Usage {
        requests: 1,
        prompt_tokens: (call.prompt_bytes() + call.schema_bytes) as u64 + framed + tools + 32,
        completion_tokens: call.completion_tokens_worst(),
        estimated: true,
        ..Usage::default()
    }
}

/// The sampling seed of one request: the debate's seed and the key, so that the same debate asks
/// the same way again.
fn request_seed(seed: u64, key: &Key) -> u64 {
    let digest = Digest::from_content(format!("{seed}/{key}"));
    u64::from_str_radix(&digest.as_str()[..15], 16).unwrap_or(seed)
}
