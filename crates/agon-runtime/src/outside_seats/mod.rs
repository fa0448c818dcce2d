//! Outside seats: persons and programs claim, refresh, release and answer them from other processes. Command
//! line, HTTP and MCP all use this module, so that they refuse for the same reasons, in the same words.

mod acts;
mod claimant;
mod error;
mod late_texts;
mod lookups;
mod objections;
mod plain_words;

use std::{collections::BTreeMap, path::Path, time::Duration};

use agon_core::{
    Answered, DebateId, Digest, Key, Protocol, Record, Reply, Request, Seat, ShownPassage, Stamp, View, form::FormField,
};
use agon_journal::{
    Append, Journal, JournalError, accounts,
    leases::{Denied, LEASE_SECONDS_MAX, Lease, Receipt, SeatClaim},
    time,
};
use serde::Serialize;
use tokio::time::sleep;

use crate::{
    drive::ledger::{Next, seal_decisions},
    lookups::{LOOKUPS, introduce_commands},
    participant::ChatMessage,
    prompts::{
        ModelSize, PromptError, Renderer, RequestDescription, description,
        material::{MATERIAL, MaterialError, PromptMaterial},
    },
};

pub use self::acts::{Acted, INTERJECTION_CHARS_MAX, REASON_CHARS_MAX};
pub use self::claimant::Claimant;
pub use self::error::OutsideSeatError;

/// Maximum number of bytes of one answer.
pub const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Maximum number of members of a list in an answer.
const ANSWER_LIST_MAX: usize = 1_000;
/// How long a seat is held for an answer that is ready.
const ANSWERING_SECONDS: u32 = 60;
/// How often, and after what pause, it is looked for an answer that is on its way: two seconds in all.
const LOOKS: usize = 20;
const LOOK_PAUSE: Duration = Duration::from_millis(100);
/// Longest name of someone who takes a seat, in characters.
const HOLDER_CHARS_MAX: usize = 80;

/// The outside seats of one debate: their requests, leases and answers.
pub struct OutsideSeats<'a> {
    /// Where the record is.
    pub journal: &'a Journal,
    /// The data directory; late answers are kept below it.
    pub home: &'a Path,
    /// Which debate.
    pub debate: &'a DebateId,
    /// Its rules.
    pub protocol: &'a dyn Protocol,
}

/// An open request, with the lease of its seat.
#[derive(Debug, Clone, Serialize)]
pub struct UnansweredRequest {
    /// What is asked, and of whom.
    pub request: Request,
    /// The model that the line-up names for the seat; `outside` where anyone may take it.
    pub model: String,
    /// Whether it is answered here.
    pub outside: bool,
    /// Who holds the seat now.
    pub lease: Option<Lease>,
    /// When its time is up, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Stamp>,
}

impl UnansweredRequest {
    /// `request`, which is open in `record`.
    pub fn new(record: &Record, request: Request, leases: &[Lease]) -> Self {
        let sat = record.opened().lineup.iter().find(|sat| sat.seat == request.seat);
        let model = sat.map(|sat| sat.model.clone()).unwrap_or_default();
        let lease = leases.iter().find(|lease| lease.seat == request.seat).cloned();
        let asked = record.find_request(&request.key).and_then(|(seq, _)| record.entries().get(seq as usize));
        let until = asked.zip(request.wait_seconds).map(|(entry, wait)| time::add_seconds(&entry.at, wait));
        Self { outside: is_outside(&model), model, lease, until, request }
    }
}

impl OutsideSeats<'_> {
    /// Every open request, in the protocol's order.
    pub async fn list_open_requests(&self) -> Result<Vec<UnansweredRequest>, OutsideSeatError> {
        let (record, next) = self.advance_script().await?;
        let Next::Await(open) = next else { return Ok(Vec::new()) };
        let leases = self.journal.list_leases(self.debate)?;
        let open = open.into_iter().filter(|request| !request.prompt.is_empty());
        Ok(open.map(|request| UnansweredRequest::new(&record, request, &leases)).collect())
    }

    /// What someone at the seat is asked now, under `key` if there is one: the prompt, and the form of the answer.
    pub async fn find_prompt(
        &self,
        seat: &Seat,
        key: Option<&Key>,
    ) -> Result<(UnansweredRequest, Vec<ChatMessage>, Option<FormField>), OutsideSeatError> {
        let open = self.open_at(seat, key).await?;
        let record = self.journal.read_record(self.debate)?;
        let (messages, schema) = self.render_request(&record, &open.request)?;
        Ok((open, messages, schema))
    }

    /// What `request`, which is open in `record`, asks: the prompt, and the form of the answer.
    pub fn render_request(
        &self,
        record: &Record,
        request: &Request,
    ) -> Result<(Vec<ChatMessage>, Option<FormField>), OutsideSeatError> {
        let view = View::new(record, request);
        let mut facts = self.protocol.prompt_facts(&view, request);
        let tools = description::list_lookup_tools(self.protocol, record, request);
        facts.extend((!tools.is_empty()).then(|| (LOOKUPS.to_owned(), true.into())));
        let messages = self.build_renderer(record)?.render(request, &facts, &view)?;
        let messages = match tools.is_empty() {
            true => messages,
            false => introduce_commands(messages, &tools, self.debate.as_str(), request.seat.as_str()),
        };
        // The prompt, which is read whole, has the passages.
        let schema = description::labelled_schema(self.protocol, &view, request);
        Ok((messages, schema.map(FormField::without_examples)))
    }

    /// The passages of the material that the prompt of `request` shows; none where it cannot be shown any more.
    fn list_shown_passages(&self, request: &Request) -> Result<Vec<ShownPassage>, OutsideSeatError> {
        let record = self.journal.read_record(self.debate)?;
        if record.document(MATERIAL).is_none() {
            return Ok(Vec::new());
        }
        let view = View::new(&record, request);
        let facts = self.protocol.prompt_facts(&view, request);
        let rendered = self.build_renderer(&record)?.render_for(ModelSize::Large, request, &facts, &view);
        // An answer is not lost because the material was removed meanwhile.
        Ok(rendered.map(|prompt| prompt.shown).unwrap_or_default())
    }

    /// The same in plain words, for a person.
    pub fn describe_for_person(
        &self,
        record: &Record,
        request: &Request,
    ) -> Result<RequestDescription<'_>, OutsideSeatError> {
        Ok(description::describe_request(self.protocol, &self.build_renderer(record)?, record, request)?)
    }

    /// The templates that `record` is pinned to.
    fn build_renderer(&self, record: &Record) -> Result<Renderer, OutsideSeatError> {
        let texts = self.journal.read_texts(record.opened().prompts.values())?;
        let templates = record.opened().prompts.iter();
        let templates: BTreeMap<String, String> =
            templates.filter_map(|(name, digest)| Some((name.clone(), texts.get(digest)?.clone()))).collect();
        let renderer = Renderer::new(&templates)?;
        let material = PromptMaterial::from_opened(
            record.opened(),
            self.protocol.manifest(),
            record.document(MATERIAL),
            self.home,
        );
        let unread = |error: MaterialError| PromptError { name: MATERIAL.into(), why: error.to_string() };
        Ok(match material.map_err(unread)? {
            Some(material) => renderer.with_material(material),
            None => renderer,
        })
    }

    /// Gives a seat to `holder` for `seconds`.
    pub async fn claim_seat<'b>(
        &self,
        seat: &str,
        holder: impl Into<Claimant<'b>>,
        seconds: u32,
    ) -> Result<SeatClaim, OutsideSeatError> {
        let holder = self::parse_holder_name(holder)?;
        let (seat, seconds) = (self.find_seat(seat)?, lease_seconds(seconds)?);
        let claimed = self.journal.claim_seat(self.debate, &seat, &holder, seconds).await?;
        tracing::debug!(debate = %self.debate, %seat, seconds, granted = claimed.is_ok(), "lease claimed");
        claimed.map_err(|denied| OutsideSeatError::Denied(denied, None))
    }

    /// Refuses where someone else than `who` holds the seat now: a token that was passed on proves no person.
    pub fn check_holder<'b>(&self, seat: &str, who: impl Into<Claimant<'b>>) -> Result<(), OutsideSeatError> {
        let (seat, who) = (self.find_seat(seat)?, parse_holder_name(who)?);
        let held = self.journal.list_leases(self.debate)?.into_iter().find(|lease| lease.seat == seat);
        match held.filter(|lease| lease.holder != who) {
            None => Ok(()),
            Some(_) => Err(OutsideSeatError::Denied(Denied::Token(seat), None)),
        }
    }

    /// Holds a seat for `seconds` from now.
    pub async fn renew_lease(&self, seat: &str, token: &str, seconds: u32) -> Result<Lease, OutsideSeatError> {
        let (seat, seconds) = (self.find_seat(seat)?, lease_seconds(seconds)?);
        let refreshed = self.journal.refresh_lease(self.debate, &seat, token, seconds).await?;
        tracing::debug!(debate = %self.debate, %seat, seconds, granted = refreshed.is_ok(), "lease refreshed");
        refreshed.map_err(|denied| OutsideSeatError::Denied(denied, None))
    }

    /// Gives a seat back.
    pub async fn release_seat(&self, seat: &str, token: &str) -> Result<Lease, OutsideSeatError> {
        let seat = self.find_seat(seat)?;
        let released = self.journal.release_seat(self.debate, &seat, token).await?;
        tracing::debug!(debate = %self.debate, %seat, granted = released.is_ok(), "lease released");
        released.map_err(|denied| OutsideSeatError::Denied(denied, None))
    }

    /// Answers the request `key` of a seat or, without one, the newest that is open; then the script continues. An
    /// answer that stands already gets its receipt again: sent with its key, or while nothing else is asked of the seat.
    /// Plain words become the form that they fill, where one is wanted. A text that comes too late, with the token of the
    /// seat's last claim, is kept next to the record, and its place named; at most 16 of one seat.
    pub async fn answer(
        &self,
        key: Option<&Key>,
        seat: &str,
        token: &str,
        text: &str,
    ) -> Result<Receipt, OutsideSeatError> {
        let seat = self.find_seat(seat)?;
        if text.trim().is_empty() {
            return Err(OutsideSeatError::Unusable("the answer is empty".into()));
        }
        if text.len() > ANSWER_BYTES_MAX {
            let why = format!("the answer has {} bytes; at most {ANSWER_BYTES_MAX} are allowed", text.len());
            return Err(OutsideSeatError::Unusable(why));
        }
        if let Some(length) = plain_words::longest_list(text).filter(|length| *length > ANSWER_LIST_MAX) {
            let why = format!("a list of the answer has {length} members; at most {ANSWER_LIST_MAX} are allowed");
            return Err(OutsideSeatError::Unusable(why));
        }
        // What is open is looked at first: the same text that arrives meanwhile is handled afterwards.
        let open = self.open_at(&seat, key).await;
        let newest = open.as_ref().ok().filter(|_| key.is_none()).map(|open| open.request.key.clone());
        // The holder of the seat means what it is asked now, with the same words as before if need be.
        let holds = newest.is_some() && self.journal.verify_lease(self.debate, &seat, token).await?.is_ok();
        let meant = newest.as_ref().filter(|_| holds).or(key);
        let request = match (self.sent_before(meant, &seat, text)?, open) {
            (Some(request), _) => request,
            (None, Ok(open)) => {
                if let Some(act) = self.journal.read_record(self.debate)?.find_pause() {
                    let kept = self.keep_late_text(&seat, token, text).await?;
                    return Err(OutsideSeatError::Paused(act.describe_act(), kept));
                }
                open.request
            }
            (None, Err(mut error)) => {
                use OutsideSeatError::{Closed, Denied, NotOpen};
                if let Closed(_, kept) | NotOpen { kept, .. } | Denied(_, kept) = &mut error {
                    *kept = self.keep_late_text(&seat, token, text).await?;
                }
                return Err(error);
            }
        };
        let record = self.journal.read_record(self.debate)?;
        let said = match record.find_answer(&request.key) {
            // What stands is said again, or something else; the journal tells which.
            Some((_, answered)) => self.said_as(&record, &request, answered, text),
            None => match self.interpret_answer(&record, &request, text) {
                Ok(said) => said,
                // Who may not answer is told so, whatever they say.
                Err(error) => {
                    let proved = self.journal.verify_lease(self.debate, &seat, token).await?;
                    proved.map_err(|denied| OutsideSeatError::Denied(denied, None))?;
                    return Err(error);
                }
            },
        };
        self.submit_reply(&request, &seat, token, Reply::Said { text: said }, text).await
    }

    async fn submit_reply(
        &self,
        request: &Request,
        seat: &Seat,
        token: &str,
        reply: Reply,
        text: &str,
    ) -> Result<Receipt, OutsideSeatError> {
        let shown = self.list_shown_passages(request)?;
        let submitted = self.journal.submit_reply(self.debate, request, token, reply, shown).await?;
        let (key, accepted) = (&request.key, submitted.is_ok());
        tracing::debug!(debate = %self.debate, %seat, %key, accepted, "answer from outside");
        let receipt = match submitted {
            Ok(receipt) => receipt,
            Err(denied) => {
                let kept = matches!(denied, Denied::Expired(_) | Denied::Answered(_) | Denied::NotOpen(_));
                let kept = if kept { self.keep_late_text(seat, token, text).await? } else { None };
                return Err(OutsideSeatError::Denied(denied, kept));
            }
        };
        self.advance_script().await?;
        Ok(receipt)
    }

    /// Takes a seat as `holder` for this one answer, answers, and gives the seat back. Sent twice at once
    /// it is one answer: the holder of the seat, under the same name, may be sending it. `key` is what is
    /// answered, where that is known; else it is what the seat is asked now.
    pub async fn answer_as<'b>(
        &self,
        key: Option<&Key>,
        seat: &str,
        holder: impl Into<Claimant<'b>>,
        text: &str,
    ) -> Result<Receipt, OutsideSeatError> {
        let who = holder.into();
        let (at, holder) = (self.find_seat(seat)?, self::parse_holder_name(who)?);
        let newest = match key {
            Some(_) => None,
            None => self.open_at(&at, None).await.ok().map(|open| open.request.key),
        };
        let key = key.or(newest.as_ref());
        let mut looks = 0;
        let claim = loop {
            if self.sent_before(key, &at, text)?.is_some() {
                // It stands, regardless of the seat's holder: no token is checked.
                return self.answer(key, seat, "", text).await;
            }
            match self.claim_seat(seat, who, ANSWERING_SECONDS).await {
                Ok(claim) => break claim,
                Err(OutsideSeatError::Denied(Denied::Held(lease), _)) if lease.holder == holder && looks < LOOKS => {
                    looks += 1;
                    sleep(LOOK_PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        };
        let receipt = self.answer(key, seat, &claim.token, text).await;
        // The next answer need not wait for a lease that nobody uses; the result of the answer
        // counts, whatever becomes of that.
        let _ = self.release_seat(seat, &claim.token).await;
        receipt
    }

    /// `text` as the answer that stands, where it means the same.
    fn said_as(&self, record: &Record, request: &Request, standing: &Answered, text: &str) -> String {
        match self.form_of(record, request, text) {
            Some(Ok(said)) if standing.reply.text() == Some(&said) => said,
            _ => text.to_owned(),
        }
    }

    /// Writes down whatever the script decides on the record as it is: every command that appends
    /// does so, and only a process that must call someone drives.
    async fn advance_script(&self) -> Result<(Record, Next), OutsideSeatError> {
        loop {
            let mut record = self.journal.read_record(self.debate)?;
            let mut entries = Vec::new();
            let next = seal_decisions(self.protocol, &mut record, &mut entries)?;
            if entries.is_empty() {
                return Ok((record, next));
            }
            match self.journal.append_entries(self.debate, Append { entries, ..Append::default() }).await {
                Ok(_) => return Ok((record, next)),
                // Someone else advanced it.
                Err(JournalError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The seat called `name`, by its own name or its member's, where it is answered from outside.
    pub fn find_seat(&self, name: &str) -> Result<Seat, OutsideSeatError> {
        let record = self.journal.read_record(self.debate)?;
        let named = |sat: &&agon_core::SeatModel| {
            sat.seat.as_str() == name || sat.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        match record.opened().lineup.iter().find(named) {
            None => {
                Err(OutsideSeatError::NoSuchSeat { debate: self.debate.clone(), seat: name.chars().take(80).collect() })
            }
            Some(sat) if !is_outside(&sat.model) => {
                Err(OutsideSeatError::NotOutside(sat.seat.clone(), sat.model.clone()))
            }
            Some(sat) => Ok(sat.seat.clone()),
        }
    }

    /// The open request of a seat: that of `key`, or the newest.
    async fn open_at(&self, seat: &Seat, key: Option<&Key>) -> Result<UnansweredRequest, OutsideSeatError> {
        let open = self.list_open_requests().await?;
        let next: Vec<String> = open.iter().map(|open| open.request.seat.to_string()).collect();
        let is_meant =
            |open: &UnansweredRequest| open.request.seat == *seat && key.is_none_or(|key| open.request.key == *key);
        let record = self.journal.read_record(self.debate)?;
        let asked = |open: &UnansweredRequest| record.find_request(&open.request.key).map(|(seq, _)| seq);
        if let Some(open) = open.into_iter().filter(is_meant).max_by_key(asked) {
            return Ok(open);
        }
        if let Some(key) = key {
            let denied = match record.answers().find(|(_, answered)| answered.key == *key) {
                Some((seq, answered)) => {
                    let digest = Digest::from_content(answered.reply.text().unwrap_or_default());
                    Denied::Answered(Receipt { key: key.clone(), seq, digest })
                }
                None => Denied::NotOpen(key.clone()),
            };
            if record.closing_outcome().is_none() {
                return Err(OutsideSeatError::Denied(denied, None));
            }
        }
        Err(match record.closing_outcome() {
            Some(outcome) => OutsideSeatError::Closed(outcome.name.clone(), None),
            None => {
                let next = (!next.is_empty()).then(|| next.join(", "));
                OutsideSeatError::NotOpen { seat: seat.clone(), next, kept: None }
            }
        })
    }

    /// The request that this seat answered with this very text: that of `key`, or the one that it answered last.
    fn sent_before(&self, key: Option<&Key>, seat: &Seat, text: &str) -> Result<Option<Request>, OutsideSeatError> {
        let record = self.journal.read_record(self.debate)?;
        let asked = record.answers().filter_map(|(_, answered)| {
            let (_, request) = record.find_request(&answered.key)?;
            let is_meant = request.seat == *seat && key.is_none_or(|key| request.key == *key);
            is_meant.then_some((request, answered))
        });
        let same = |(request, answered): &(&Request, &Answered)| {
            let said = self.said_as(&record, request, answered, text);
            answered.reply.text() == Some(&said)
        };
        let last = asked.last().filter(same);
        Ok(last.map(|(request, _)| request.clone()))
    }
}

/// The name by which someone wants to be known; an error where it is none, or that of a proved person.
fn parse_holder_name<'a>(who: impl Into<Claimant<'a>>) -> Result<String, OutsideSeatError> {
    let name = match who.into() {
        Claimant::Named(name) => name,
        Claimant::Proved(principal) => return Ok(principal.on_record()),
    };
    if accounts::is_reserved(name) {
        let why = format!("a name must not begin like that of an account: {:?}", accounts::PERSON_PREFIX);
        return Err(OutsideSeatError::Unusable(why));
    }
    let too_long = name.chars().count() > HOLDER_CHARS_MAX;
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let name = name.trim();
    if name.is_empty() || too_long {
        let why = format!("give your name, with 1 to {HOLDER_CHARS_MAX} characters");
        return Err(OutsideSeatError::Unusable(why));
    }
    Ok(name.to_owned())
}

/// `seconds`, where a seat may be held for so long.
fn lease_seconds(seconds: u32) -> Result<u32, OutsideSeatError> {
    let why = || format!("a claim lasts 1 to {LEASE_SECONDS_MAX} seconds, not {seconds}; refresh it to keep it");
    (1..=LEASE_SECONDS_MAX).contains(&seconds).then_some(seconds).ok_or_else(|| OutsideSeatError::Unusable(why()))
}

/// Whether a model's name means that someone outside answers.
pub fn is_outside(model: &str) -> bool {
    model == "outside"
}
