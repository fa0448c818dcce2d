//! Outside seats: persons and programs claim, refresh, release and answer them from other processes. Command
//! line, HTTP and MCP all use this module, so that they refuse for the same reasons, in the same words.

mod acts;
mod claimant;
mod error;
mod words;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use agon_core::{
    Answered, DebateId, Digest, Key, Protocol, Record, Reply, Request, Seat, ShownPassage, Stamp, View,
};
use serde::Serialize;
use serde_json::Value;
use tokio::time::sleep;

use crate::{
    accounts,
    drive::{
        DriveError,
        ledger::{Next, decide},
    },
    files,
    journal::{
        Append, Journal, JournalError,
        leases::{Denied, LEASE_SECONDS_MAX, Lease, Receipt, SeatClaim},
    },
    participant::ChatMessage,
    prompts::{
        ModelSize, PromptError, Renderer, RequestDescription, description,
        material::{MATERIAL, MaterialError, PromptMaterial},
    },
    time,
};

pub use self::acts::{Acted, INTERJECTION_CHARS_MAX, REASON_CHARS_MAX};
pub use self::claimant::Claimant;
pub use self::error::OutsideSeatError;

/// Maximum number of bytes of one answer.
pub const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// How long a seat is held for an answer that is ready.
const ANSWERING_SECONDS: u32 = 60;
/// How often, and after what pause, it is looked for an answer that is on its way: two seconds in all.
const LOOKS: usize = 20;
const LOOK_PAUSE: Duration = Duration::from_millis(100);
/// The folder of the data directory for texts that came too late, and how many are kept of one seat in one debate.
const LATE: &str = "late";
const LATE_MAX: usize = 16;
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
        let asked = record.asked(&request.key).and_then(|(seq, _)| record.entries().get(seq as usize));
        let until = asked.zip(request.wait_seconds).map(|(entry, wait)| time::after(&entry.at, wait));
        Self { outside: is_outside(&model), model, lease, until, request }
    }
}

impl OutsideSeats<'_> {
    /// Every open request, in the protocol's order.
    pub async fn open(&self) -> Result<Vec<UnansweredRequest>, OutsideSeatError> {
        let (record, next) = self.advance().await?;
        let Next::Await(open) = next else { return Ok(Vec::new()) };
        let leases = self.journal.leases(self.debate)?;
        let open = open.into_iter().filter(|request| !request.prompt.is_empty());
        Ok(open.map(|request| UnansweredRequest::new(&record, request, &leases)).collect())
    }

    /// What someone at the seat is asked now: the prompt, and the JSON Schema of the answer.
    pub async fn prompt(
        &self,
        seat: &Seat,
    ) -> Result<(UnansweredRequest, Vec<ChatMessage>, Option<Value>), OutsideSeatError> {
        let open = self.open_at(seat).await?;
        let record = self.journal.read(self.debate)?;
        let (messages, schema) = self.asked(&record, &open.request)?;
        Ok((open, messages, schema))
    }

    /// What `request`, which is open in `record`, asks: the prompt, and the JSON Schema of the answer.
    pub fn asked(
        &self,
        record: &Record,
        request: &Request,
    ) -> Result<(Vec<ChatMessage>, Option<Value>), OutsideSeatError> {
        let view = View::new(record, request);
        let facts = self.protocol.facts(&view, request);
        let messages = self.renderer(record)?.render(request, &facts, &view)?;
        let schema = self.protocol.schema(&view, request);
        let plain = self.protocol.people().get(&request.prompt);
        Ok((messages, schema.map(|schema| description::labelled(plain, schema))))
    }

    /// The passages of the material that the prompt of `request` shows; none where it cannot be shown any more.
    fn shown(&self, request: &Request) -> Result<Vec<ShownPassage>, OutsideSeatError> {
        let record = self.journal.read(self.debate)?;
        if record.document(MATERIAL).is_none() {
            return Ok(Vec::new());
        }
        let view = View::new(&record, request);
        let facts = self.protocol.facts(&view, request);
        let rendered = self.renderer(&record)?.render_for(ModelSize::Large, request, &facts, &view);
        // An answer is not lost because the material was removed meanwhile.
        Ok(rendered.map(|prompt| prompt.shown).unwrap_or_default())
    }

    /// The same in plain words, for a person.
    pub fn told(
        &self,
        record: &Record,
        request: &Request,
    ) -> Result<RequestDescription<'_>, OutsideSeatError> {
        Ok(description::told(self.protocol, &self.renderer(record)?, record, request)?)
    }

    /// The templates that `record` is pinned to.
    fn renderer(&self, record: &Record) -> Result<Renderer, OutsideSeatError> {
        let texts = self.journal.texts(record.opened().prompts.values())?;
        let templates = record.opened().prompts.iter();
        let templates: BTreeMap<String, String> =
            templates.filter_map(|(name, digest)| Some((name.clone(), texts.get(digest)?.clone()))).collect();
        let renderer = Renderer::new(&templates)?;
        let material = PromptMaterial::of(record.opened(), record.document(MATERIAL), self.home);
        let unread = |error: MaterialError| PromptError { name: MATERIAL.into(), why: error.to_string() };
        Ok(match material.map_err(unread)? {
            Some(material) => renderer.with_material(material),
            None => renderer,
        })
    }

    /// Gives a seat to `holder` for `seconds`.
    pub async fn claim<'b>(
        &self,
        seat: &str,
        holder: impl Into<Claimant<'b>>,
        seconds: u32,
    ) -> Result<SeatClaim, OutsideSeatError> {
        let holder = self::holder(holder)?;
        let (seat, seconds) = (self.seat(seat)?, lease_seconds(seconds)?);
        let claimed = self.journal.claim(self.debate, &seat, &holder, seconds).await?;
        tracing::debug!(debate = %self.debate, %seat, seconds, granted = claimed.is_ok(), "lease claimed");
        claimed.map_err(|denied| OutsideSeatError::Denied { denied, kept: None })
    }

    /// Refuses where someone else than `who` holds the seat now: a token that was passed on proves no person.
    pub fn holds<'b>(&self, seat: &str, who: impl Into<Claimant<'b>>) -> Result<(), OutsideSeatError> {
        let (seat, who) = (self.seat(seat)?, holder(who)?);
        let held = self.journal.leases(self.debate)?.into_iter().find(|lease| lease.seat == seat);
        match held.filter(|lease| lease.holder != who) {
            None => Ok(()),
            Some(_) => Err(OutsideSeatError::Denied { denied: Denied::Token(seat), kept: None }),
        }
    }

    /// Holds a seat for `seconds` from now.
    pub async fn refresh(&self, seat: &str, token: &str, seconds: u32) -> Result<Lease, OutsideSeatError> {
        let (seat, seconds) = (self.seat(seat)?, lease_seconds(seconds)?);
        let refreshed = self.journal.refresh(self.debate, &seat, token, seconds).await?;
        tracing::debug!(debate = %self.debate, %seat, seconds, granted = refreshed.is_ok(), "lease refreshed");
        refreshed.map_err(|denied| OutsideSeatError::Denied { denied, kept: None })
    }

    /// Gives a seat back.
    pub async fn release(&self, seat: &str, token: &str) -> Result<Lease, OutsideSeatError> {
        let seat = self.seat(seat)?;
        let released = self.journal.release(self.debate, &seat, token).await?;
        tracing::debug!(debate = %self.debate, %seat, granted = released.is_ok(), "lease released");
        released.map_err(|denied| OutsideSeatError::Denied { denied, kept: None })
    }

    /// Answers what is asked of a seat now, or again what was answered with the same text; then the
    /// script continues. Plain words become the form that they fill, where one is wanted. A text that comes
    /// too late, with the token of the seat's last claim, is kept next to the record, and its place named; at most 16 of
    /// one seat.
    pub async fn answer(&self, seat: &str, token: &str, text: &str) -> Result<Receipt, OutsideSeatError> {
        self.answer_to(None, seat, token, text).await
    }

    async fn answer_to(
        &self,
        key: Option<&Key>,
        seat: &str,
        token: &str,
        text: &str,
    ) -> Result<Receipt, OutsideSeatError> {
        let seat = self.seat(seat)?;
        if text.trim().is_empty() {
            return Err(OutsideSeatError::Unusable("the answer is empty".into()));
        }
        if text.len() > ANSWER_BYTES_MAX {
            let why = format!("the answer has {} bytes; at most {ANSWER_BYTES_MAX} are allowed", text.len());
            return Err(OutsideSeatError::Unusable(why));
        }
        // What is open is looked at first: the same text that arrives meanwhile is handled afterwards.
        let open = self.open_at(&seat).await;
        let request = match (self.sent_before(key, &seat, text)?, open) {
            (Some(request), _) => request,
            (None, Ok(open)) => {
                if let Some(act) = self.journal.read(self.debate)?.paused() {
                    let kept = self.keep(&seat, token, text).await?;
                    return Err(OutsideSeatError::Paused { line: act.line(), kept });
                }
                open.request
            }
            (None, Err(error)) => return Err(self.kept(error, &seat, token, text).await?),
        };
        let record = self.journal.read(self.debate)?;
        let said = match record.answer(&request.key) {
            // What stands is said again, or something else; the journal tells which.
            Some((_, answered)) => self.said_as(&record, &request, answered, text),
            None => match words::meant(self.protocol, &record, &request, text) {
                Ok(said) => said,
                // Who may not answer is told so, whatever they say.
                Err(error) => {
                    let proved = self.journal.proves(self.debate, &seat, token).await?;
                    proved.map_err(|denied| OutsideSeatError::Denied { denied, kept: None })?;
                    return Err(error);
                }
            },
        };
        self.submit(&request, &seat, token, Reply::Said { text: said }, text).await
    }

    async fn submit(
        &self,
        request: &Request,
        seat: &Seat,
        token: &str,
        reply: Reply,
        text: &str,
    ) -> Result<Receipt, OutsideSeatError> {
        let shown = self.shown(request)?;
        let submitted = self.journal.submit(self.debate, request, token, reply, shown).await?;
        let (key, accepted) = (&request.key, submitted.is_ok());
        tracing::debug!(debate = %self.debate, %seat, %key, accepted, "answer from outside");
        let receipt = match submitted {
            Ok(receipt) => receipt,
            Err(denied) => {
                let kept = matches!(denied, Denied::Expired(_) | Denied::Answered(_) | Denied::NotOpen(_));
                let kept = if kept { self.keep(seat, token, text).await? } else { None };
                return Err(OutsideSeatError::Denied { denied, kept });
            }
        };
        self.advance().await?;
        Ok(receipt)
    }

    /// Takes a seat as `holder` for this one answer, answers, and gives the seat back. Sent twice at once
    /// it is one answer: the holder of the seat, under the same name, may be sending it. `key` is what is
    /// answered, where that is known: the same text to another request is another answer then.
    pub async fn answer_as<'b>(
        &self,
        key: Option<&Key>,
        seat: &str,
        holder: impl Into<Claimant<'b>>,
        text: &str,
    ) -> Result<Receipt, OutsideSeatError> {
        let who = holder.into();
        let (at, holder) = (self.seat(seat)?, self::holder(who)?);
        let mut looks = 0;
        let claim = loop {
            if self.sent_before(key, &at, text)?.is_some() {
                // It stands, regardless of the seat's holder: no token is checked.
                return self.answer_to(key, seat, "", text).await;
            }
            match self.claim(seat, who, ANSWERING_SECONDS).await {
                Ok(claim) => break claim,
                Err(OutsideSeatError::Denied { denied: Denied::Held(lease), .. })
                    if lease.holder == holder && looks < LOOKS =>
                {
                    looks += 1;
                    sleep(LOOK_PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        };
        let receipt = self.answer_to(key, seat, &claim.token, text).await;
        // The next answer need not wait for a lease that nobody uses; the result of the answer
        // counts, whatever becomes of that.
        let _ = self.release(seat, &claim.token).await;
        receipt
    }

    /// `text` as the answer that stands, where it means the same.
    fn said_as(&self, record: &Record, request: &Request, standing: &Answered, text: &str) -> String {
        match words::form_of(self.protocol, record, request, text) {
            Some(Ok(said)) if standing.reply.text() == Some(&said) => said,
            _ => text.to_owned(),
        }
    }

    /// Writes down whatever the script decides on the record as it is: every command that appends
    /// does so, and only a process that must call someone drives.
    async fn advance(&self) -> Result<(Record, Next), OutsideSeatError> {
        loop {
            let mut record = self.journal.read(self.debate)?;
            let mut entries = Vec::new();
            let next = decide(self.protocol, &mut record, &mut entries)?;
            if entries.is_empty() {
                return Ok((record, next));
            }
            match self.journal.append(self.debate, Append { entries, ..Append::default() }).await {
                Ok(_) => return Ok((record, next)),
                // Someone else advanced it.
                Err(JournalError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The seat called `name`, by its own name or its member's, where it is answered from outside.
    pub fn seat(&self, name: &str) -> Result<Seat, OutsideSeatError> {
        let record = self.journal.read(self.debate)?;
        let named = |sat: &&agon_core::SeatModel| {
            sat.seat.as_str() == name || sat.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        match record.opened().lineup.iter().find(named) {
            None => Err(OutsideSeatError::NoSuchSeat {
                debate: self.debate.clone(),
                seat: name.chars().take(80).collect(),
            }),
            Some(sat) if !is_outside(&sat.model) => {
                Err(OutsideSeatError::NotOutside { seat: sat.seat.clone(), model: sat.model.clone() })
            }
            Some(sat) => Ok(sat.seat.clone()),
        }
    }

    async fn open_at(&self, seat: &Seat) -> Result<UnansweredRequest, OutsideSeatError> {
        let open = self.open().await?;
        let next: Vec<String> = open.iter().map(|open| open.request.seat.to_string()).collect();
        if let Some(open) = open.into_iter().find(|open| open.request.seat == *seat) {
            return Ok(open);
        }
        let record = self.journal.read(self.debate)?;
        Err(match record.closed() {
            Some(outcome) => OutsideSeatError::Closed { outcome: outcome.name.clone(), kept: None },
            None => {
                let next = (!next.is_empty()).then(|| next.join(", "));
                OutsideSeatError::NotOpen { seat: seat.clone(), next, kept: None }
            }
        })
    }

    /// The same error, where a text came too late with the place where it was kept.
    async fn kept(
        &self,
        error: OutsideSeatError,
        seat: &Seat,
        token: &str,
        text: &str,
    ) -> Result<OutsideSeatError, OutsideSeatError> {
        Ok(match error {
            OutsideSeatError::Closed { outcome, .. } => {
                OutsideSeatError::Closed { outcome, kept: self.keep(seat, token, text).await? }
            }
            OutsideSeatError::NotOpen { seat, next, .. } => {
                let kept = self.keep(&seat, token, text).await?;
                OutsideSeatError::NotOpen { seat, next, kept }
            }
            other => other,
        })
    }

    /// The request that this seat answered last, where it did so with this very text, and where it is the
    /// one that is meant.
    fn sent_before(
        &self,
        key: Option<&Key>,
        seat: &Seat,
        text: &str,
    ) -> Result<Option<Request>, OutsideSeatError> {
        let record = self.journal.read(self.debate)?;
        let asked = record.answers().filter_map(|(_, answered)| {
            let (_, request) = record.asked(&answered.key)?;
            (request.seat == *seat).then_some((request, answered))
        });
        let same = |(request, answered): &(&Request, &Answered)| {
            let said = self.said_as(&record, request, answered, text);
            answered.reply.text() == Some(&said) && key.is_none_or(|key| request.key == *key)
        };
        let last = asked.last().filter(same);
        Ok(last.map(|(request, _)| request.clone()))
    }

    /// Keeps a text that came too late, if `token` is that of the seat's last claim, and if not too many are kept: the disk
    /// is not for everyone who can send a request. Gives its place.
    async fn keep(&self, seat: &Seat, token: &str, text: &str) -> Result<Option<PathBuf>, OutsideSeatError> {
        let proved = self.journal.proves(self.debate, seat, token).await?;
        if !matches!(proved, Ok(_) | Err(Denied::Expired(_))) || text.is_empty() {
            return Ok(None);
        }
        let digest = Digest::of(text);
        let name = format!("{seat}-{}.txt", &digest.as_str()[..12]);
        let folder = self.home.join(LATE).join(self.debate.as_str());
        let is_of_seat = |known: &std::ffi::OsStr| {
            let digest = known.to_str().and_then(|known| known.strip_prefix(&format!("{seat}-")));
            digest.is_some_and(|digest| digest.len() == 16 && digest.ends_with(".txt"))
        };
        let kept = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.file_name());
        let kept: Vec<_> = kept.filter(|known| is_of_seat(known)).collect();
        if kept.len() >= LATE_MAX && !kept.iter().any(|known| known.as_os_str() == name.as_str()) {
            return Ok(None);
        }
        files::write(&folder, [(name.clone(), text.to_owned())], files::Lasting::Synced)
            .map_err(DriveError::from)?;
        Ok(Some(folder.join(name)))
    }
}

/// The name by which someone wants to be known; an error where it is none, or that of a proved person.
fn holder<'a>(who: impl Into<Claimant<'a>>) -> Result<String, OutsideSeatError> {
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
    let why =
        || format!("a claim lasts 1 to {LEASE_SECONDS_MAX} seconds, not {seconds}; refresh it to keep it");
    (1..=LEASE_SECONDS_MAX)
        .contains(&seconds)
        .then_some(seconds)
        .ok_or_else(|| OutsideSeatError::Unusable(why()))
}

/// Whether a model's name means that someone outside answers.
pub fn is_outside(model: &str) -> bool {
    model == "outside"
}
