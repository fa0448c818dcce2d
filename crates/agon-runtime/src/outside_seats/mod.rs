//! The desk: where seats are taken and answered from outside. Command line, HTTP and MCP come here,
//! so that all three refuse alike.

mod acts;
mod words;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use agon_core::{Answered, DebateId, Digest, Key, Protocol, Record, Reply, Request, Seat, Stamp, View};
use serde::Serialize;
use serde_json::Value;
use tokio::time::sleep;

use crate::{
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
    prompts::{PromptError, Renderer, RequestDescription, description},
    time,
};

pub use self::acts::{Acted, INTERJECTION_CHARS_MAX, REASON_CHARS_MAX};

/// Most bytes of one answer.
pub const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// How long a seat is held for an answer that is ready.
const ANSWERING_SECONDS: u32 = 60;
/// How often, and after what pause, it is looked for an answer that is on its way: two seconds in all.
const LOOKS: usize = 20;
const LOOK_PAUSE: Duration = Duration::from_millis(100);
/// Longest name of somebody who takes a seat, in characters.
const HOLDER_CHARS_MAX: usize = 80;

/// One debate, as somebody outside sees it.
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

/// A request that nobody has answered.
#[derive(Debug, Clone, Serialize)]
pub struct UnansweredRequest {
    /// What is asked, and of whom.
    pub request: Request,
    /// The model that the line-up names for the seat; `outside` where anybody may take it.
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

/// Why the desk did not do what it was asked. The code is the same on the command line, over HTTP
/// and over MCP.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// No such seat in this debate.
    #[error("{debate} has no seat {seat}")]
    NoSuchSeat {
        /// The debate.
        debate: DebateId,
        /// As it was named.
        seat: String,
    },
    /// The seat is answered by a model.
    #[error("the seat {seat} is answered by {model}, not from outside")]
    NotOutside {
        /// The seat.
        seat: Seat,
        /// Who answers.
        model: String,
    },
    /// The seat has nothing to answer now.
    #[error("nothing is asked of the seat {seat} now{}", next.as_ref().map(|next| format!("; next are {next}")).unwrap_or_default())]
    NotOpen {
        /// The seat.
        seat: Seat,
        /// Whose turn it is.
        next: Option<String>,
        /// Where the text was kept.
        kept: Option<PathBuf>,
    },
    /// The debate has ended.
    #[error("the debate is closed: {outcome}")]
    Closed {
        /// How.
        outcome: String,
        /// Where the text was kept.
        kept: Option<PathBuf>,
    },
    /// The lease, or the answer that stands, forbids it.
    #[error("{denied}")]
    Denied {
        /// Why.
        denied: Denied,
        /// Where the text was kept.
        kept: Option<PathBuf>,
    },
    /// Somebody paused the debate.
    #[error("{line}")]
    Paused {
        /// Who, and why.
        line: String,
        /// Where the text was kept.
        kept: Option<PathBuf>,
    },
    /// The protocol does not allow it.
    #[error("{0}")]
    NotAllowed(String),
    /// An empty or oversized text, or a name that is none.
    #[error("{0}")]
    Unusable(String),
    /// The store, or the rules.
    #[error(transparent)]
    Drive(#[from] DriveError),
}

impl From<JournalError> for DeskError {
    fn from(error: JournalError) -> Self {
        Self::Drive(error.into())
    }
}

impl From<PromptError> for DeskError {
    fn from(error: PromptError) -> Self {
        Self::Drive(error.into())
    }
}

impl DeskError {
    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoSuchSeat { .. } => "no_such_seat",
            Self::NotOutside { .. } => "not_outside",
            Self::NotOpen { .. } => "not_open",
            Self::Closed { .. } => "closed",
            Self::Denied { denied: Denied::Held(_), .. } => "held",
            Self::Denied { denied: Denied::Expired(_), .. } => "expired",
            Self::Denied { denied: Denied::Token(_), .. } => "wrong_token",
            Self::Denied { denied: Denied::Answered(_), .. } => "answered",
            Self::Denied { denied: Denied::NotOpen(_), .. } => "not_open",
            Self::Paused { .. } => "paused",
            Self::NotAllowed(_) => "not_allowed",
            Self::Unusable(_) => "unusable",
            Self::Drive(DriveError::Journal(JournalError::NoSuchDebate(_))) => "no_such_debate",
            Self::Drive(_) => "store",
        }
    }

    /// Where a text that came too late was kept.
    pub fn kept(&self) -> Option<&Path> {
        match self {
            Self::NotOpen { kept, .. }
            | Self::Closed { kept, .. }
            | Self::Denied { kept, .. }
            | Self::Paused { kept, .. } => kept.as_deref(),
            _ => None,
        }
    }
}

impl OutsideSeats<'_> {
    /// Every open request, in the protocol's order.
    pub async fn open(&self) -> Result<Vec<UnansweredRequest>, DeskError> {
        let (record, next) = self.advance().await?;
        let Next::Await(open) = next else { return Ok(Vec::new()) };
        let leases = self.journal.leases(self.debate)?;
        let open = open.into_iter().filter(|request| !request.prompt.is_empty());
        Ok(open.map(|request| UnansweredRequest::new(&record, request, &leases)).collect())
    }

    /// What somebody at the seat is asked now: the prompt, and the JSON Schema of the answer.
    pub async fn prompt(
        &self,
        seat: &Seat,
    ) -> Result<(UnansweredRequest, Vec<ChatMessage>, Option<Value>), DeskError> {
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
    ) -> Result<(Vec<ChatMessage>, Option<Value>), DeskError> {
        let view = View::new(record, request);
        let facts = self.protocol.facts(&view, request);
        let messages = self.renderer(record)?.render(request, &facts, &view)?;
        let schema = self.protocol.schema(&view, request);
        let plain = self.protocol.people().get(&request.prompt);
        Ok((messages, schema.map(|schema| description::labelled(plain, schema))))
    }

    /// The same in plain words, for a person.
    pub fn told(&self, record: &Record, request: &Request) -> Result<RequestDescription<'_>, DeskError> {
        Ok(description::told(self.protocol, &self.renderer(record)?, record, request)?)
    }

    /// The templates that `record` is pinned to.
    fn renderer(&self, record: &Record) -> Result<Renderer, DeskError> {
        let texts = self.journal.texts(record.opened().prompts.values())?;
        let templates = record.opened().prompts.iter();
        let templates: BTreeMap<String, String> =
            templates.filter_map(|(name, digest)| Some((name.clone(), texts.get(digest)?.clone()))).collect();
        Ok(Renderer::new(&templates)?)
    }

    /// Gives a seat to `holder` for `seconds`.
    pub async fn claim(&self, seat: &str, holder: &str, seconds: u32) -> Result<SeatClaim, DeskError> {
        let holder = self::holder(holder)?;
        let (seat, seconds) = (self.seat(seat)?, lease_seconds(seconds)?);
        let claimed = self.journal.claim(self.debate, &seat, &holder, seconds).await?;
        tracing::debug!(debate = %self.debate, %seat, seconds, granted = claimed.is_ok(), "lease claimed");
        claimed.map_err(|denied| DeskError::Denied { denied, kept: None })
    }

    /// Holds a seat for `seconds` from now.
    pub async fn refresh(&self, seat: &str, token: &str, seconds: u32) -> Result<Lease, DeskError> {
        let (seat, seconds) = (self.seat(seat)?, lease_seconds(seconds)?);
        let refreshed = self.journal.refresh(self.debate, &seat, token, seconds).await?;
        tracing::debug!(debate = %self.debate, %seat, seconds, granted = refreshed.is_ok(), "lease refreshed");
        refreshed.map_err(|denied| DeskError::Denied { denied, kept: None })
    }

    /// Gives a seat back.
    pub async fn release(&self, seat: &str, token: &str) -> Result<Lease, DeskError> {
        let seat = self.seat(seat)?;
        let released = self.journal.release(self.debate, &seat, token).await?;
        tracing::debug!(debate = %self.debate, %seat, granted = released.is_ok(), "lease released");
        released.map_err(|denied| DeskError::Denied { denied, kept: None })
    }

    /// Answers what is asked of a seat now, or again what was answered with the same text; then the
    /// script goes on. Plain words become the form that they fill, where one is wanted. A text that comes
    /// too late is kept beside the record, and its place named.
    pub async fn answer(&self, seat: &str, token: &str, text: &str) -> Result<Receipt, DeskError> {
        self.answer_to(None, seat, token, text).await
    }

    async fn answer_to(
        &self,
        key: Option<&Key>,
        seat: &str,
        token: &str,
        text: &str,
    ) -> Result<Receipt, DeskError> {
        let seat = self.seat(seat)?;
        if text.trim().is_empty() {
            return Err(DeskError::Unusable("the answer is empty".into()));
        }
        if text.len() > ANSWER_BYTES_MAX {
            let why =
                format!("the answer has {} bytes, and at most {ANSWER_BYTES_MAX} are taken", text.len());
            return Err(DeskError::Unusable(why));
        }
        // What is open is looked at first: whoever sends the same text meanwhile is seen afterwards.
        let open = self.open_at(&seat).await;
        let request = match (self.sent_before(key, &seat, text)?, open) {
            (Some(request), _) => request,
            (None, Ok(open)) => {
                if let Some(act) = self.journal.read(self.debate)?.paused() {
                    let kept = Some(self.keep(&seat, text)?);
                    return Err(DeskError::Paused { line: act.line(), kept });
                }
                open.request
            }
            (None, Err(error)) => return Err(self.kept(error, &seat, text)?),
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
                    proved.map_err(|denied| DeskError::Denied { denied, kept: None })?;
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
    ) -> Result<Receipt, DeskError> {
        let submitted = self.journal.submit(self.debate, request, token, reply).await?;
        let (key, accepted) = (&request.key, submitted.is_ok());
        tracing::debug!(debate = %self.debate, %seat, %key, accepted, "answer from outside");
        let receipt = match submitted {
            Ok(receipt) => receipt,
            Err(denied) => {
                let kept = matches!(denied, Denied::Expired(_) | Denied::Answered(_) | Denied::NotOpen(_));
                let kept = if kept && !text.is_empty() { Some(self.keep(seat, text)?) } else { None };
                return Err(DeskError::Denied { denied, kept });
            }
        };
        self.advance().await?;
        Ok(receipt)
    }

    /// Takes a seat as `holder` for this one answer, answers, and gives the seat back. Sent twice at once
    /// it is one answer: whoever holds the seat under the same name may be sending it. `key` is what is
    /// answered, where that is known: the same text to another request is another answer then.
    pub async fn answer_as(
        &self,
        key: Option<&Key>,
        seat: &str,
        holder: &str,
        text: &str,
    ) -> Result<Receipt, DeskError> {
        let (at, holder) = (self.seat(seat)?, self::holder(holder)?);
        let mut looks = 0;
        let claim = loop {
            if self.sent_before(key, &at, text)?.is_some() {
                // It stands, whoever holds the seat now: no token is looked at.
                return self.answer_to(key, seat, "", text).await;
            }
            match self.claim(seat, &holder, ANSWERING_SECONDS).await {
                Ok(claim) => break claim,
                Err(DeskError::Denied { denied: Denied::Held(lease), .. })
                    if lease.holder == holder && looks < LOOKS =>
                {
                    looks += 1;
                    sleep(LOOK_PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        };
        let receipt = self.answer_to(key, seat, &claim.token, text).await;
        // Whoever answers next need not wait for a lease that nobody uses; what became of the answer
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
    /// does so, and only a process that must call somebody drives.
    async fn advance(&self) -> Result<(Record, Next), DeskError> {
        loop {
            let mut record = self.journal.read(self.debate)?;
            let mut entries = Vec::new();
            let next = decide(self.protocol, &mut record, &mut entries)?;
            if entries.is_empty() {
                return Ok((record, next));
            }
            match self.journal.append(self.debate, Append { entries, ..Append::default() }).await {
                Ok(_) => return Ok((record, next)),
                // Somebody else advanced it.
                Err(JournalError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The seat called `name`, by its own name or its member's, where it is answered from outside.
    pub fn seat(&self, name: &str) -> Result<Seat, DeskError> {
        let record = self.journal.read(self.debate)?;
        let named = |sat: &&agon_core::SeatModel| {
            sat.seat.as_str() == name || sat.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        match record.opened().lineup.iter().find(named) {
            None => Err(DeskError::NoSuchSeat {
                debate: self.debate.clone(),
                seat: name.chars().take(80).collect(),
            }),
            Some(sat) if !is_outside(&sat.model) => {
                Err(DeskError::NotOutside { seat: sat.seat.clone(), model: sat.model.clone() })
            }
            Some(sat) => Ok(sat.seat.clone()),
        }
    }

    async fn open_at(&self, seat: &Seat) -> Result<UnansweredRequest, DeskError> {
        let open = self.open().await?;
        let next: Vec<String> = open.iter().map(|open| open.request.seat.to_string()).collect();
        if let Some(open) = open.into_iter().find(|open| open.request.seat == *seat) {
            return Ok(open);
        }
        let record = self.journal.read(self.debate)?;
        Err(match record.closed() {
            Some(outcome) => DeskError::Closed { outcome: outcome.name.clone(), kept: None },
            None => {
                let next = (!next.is_empty()).then(|| next.join(", "));
                DeskError::NotOpen { seat: seat.clone(), next, kept: None }
            }
        })
    }

    /// The same error, where a text came too late with the place where it was kept.
    fn kept(&self, error: DeskError, seat: &Seat, text: &str) -> Result<DeskError, DeskError> {
        Ok(match error {
            DeskError::Closed { outcome, .. } => {
                DeskError::Closed { outcome, kept: Some(self.keep(seat, text)?) }
            }
            DeskError::NotOpen { seat, next, .. } => {
                let kept = Some(self.keep(&seat, text)?);
                DeskError::NotOpen { seat, next, kept }
            }
            other => other,
        })
    }

    /// The request that this seat answered last, where it did so with this very text, and where it is the
    /// one that is meant.
    fn sent_before(&self, key: Option<&Key>, seat: &Seat, text: &str) -> Result<Option<Request>, DeskError> {
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

    fn keep(&self, seat: &Seat, text: &str) -> Result<PathBuf, DeskError> {
        let digest = Digest::of(text);
        let name = format!("{seat}-{}.txt", &digest.as_str()[..12]);
        let folder = self.home.join("late").join(self.debate.as_str());
        files::write(&folder, [(name.clone(), text.to_owned())], files::Lasting::Synced)
            .map_err(DriveError::from)?;
        Ok(folder.join(name))
    }
}

/// The name by which somebody wants to be known; an error where it is none.
fn holder(name: &str) -> Result<String, DeskError> {
    let too_long = name.chars().count() > HOLDER_CHARS_MAX;
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let name = name.trim();
    if name.is_empty() || too_long {
        let why = format!("whoever acts says a name of 1 to {HOLDER_CHARS_MAX} characters");
        return Err(DeskError::Unusable(why));
    }
    Ok(name.to_owned())
}

/// `seconds`, where a seat may be held for so long.
fn lease_seconds(seconds: u32) -> Result<u32, DeskError> {
    let why = || format!("a seat is held for 1 to {LEASE_SECONDS_MAX} seconds, not {seconds}; refresh it");
    (1..=LEASE_SECONDS_MAX).contains(&seconds).then_some(seconds).ok_or_else(|| DeskError::Unusable(why()))
}

/// Whether a model's name means that somebody outside answers.
pub fn is_outside(model: &str) -> bool {
    model == "outside"
}
