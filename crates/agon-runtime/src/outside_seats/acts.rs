//! What people do to a debate without having been asked: interject, pause, cancel, let it continue, allow
//! more. All of it is on the record; a process that drives the debate notices within a second.

use std::sync::Arc;

use agon_core::{Act, ActKind, Entry, Event, Extension, Outcome};
use agon_journal::{Append, JournalError, seal_entry};
use serde::Serialize;

use super::{Claimant, OutsideSeatError, OutsideSeats, parse_holder_name};
use crate::drive::ledger::seal_decisions;

/// Longest interjection, in characters: as long as a text in a statement may be.
pub const INTERJECTION_CHARS_MAX: usize = 4_000;
/// Longest reason, in characters.
pub const REASON_CHARS_MAX: usize = 400;
/// Maximum number of interjections of one debate.
const INTERJECTIONS_MAX: usize = 100;

/// An act that was recorded, and the outcome if it closed the debate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Acted {
    /// The entry that holds it.
    pub seq: u64,
    /// How the debate ended by it, where it did.
    pub closed: Option<Outcome>,
}

impl OutsideSeats<'_> {
    /// Says `text` to all who take part; the same words again, before anyone else has said
    /// anything, count once.
    pub async fn interject<'b>(&self, by: impl Into<Claimant<'b>>, text: &str) -> Result<Acted, OutsideSeatError> {
        let manifest = self.protocol.manifest();
        if !manifest.interjections {
            let why = format!("the protocol {} takes no interjections", manifest.name);
            return Err(OutsideSeatError::NotAllowed(why));
        }
        let text = check_text_length("an interjection", text, INTERJECTION_CHARS_MAX)?;
        if text.is_empty() {
            return Err(OutsideSeatError::Unusable("the interjection is empty".into()));
        }
        self.append_act(by, ActKind::Interjected { text }).await
    }

    /// Pauses the debate: no new calls start until it is resumed. What is under
    /// way is awaited.
    pub async fn pause_debate<'b>(&self, by: impl Into<Claimant<'b>>, why: &str) -> Result<Acted, OutsideSeatError> {
        self.append_act(by, ActKind::Paused { why: check_text_length("a reason", why, REASON_CHARS_MAX)? }).await
    }

    /// Ends the debate here, without a result.
    pub async fn cancel_debate<'b>(&self, by: impl Into<Claimant<'b>>, why: &str) -> Result<Acted, OutsideSeatError> {
        self.append_act(by, ActKind::Cancelled { why: check_text_length("a reason", why, REASON_CHARS_MAX)? }).await
    }

    /// Continues a paused debate; gives `None` if it is not paused.
    pub async fn unpause_debate<'b>(&self, by: impl Into<Claimant<'b>>) -> Result<Option<Acted>, OutsideSeatError> {
        let by = by.into();
        parse_holder_name(by)?;
        match self.journal.read_record(self.debate)?.find_pause() {
            Some(_) => self.append_act(by, ActKind::Resumed).await.map(Some),
            None => Ok(None),
        }
    }

    /// Allows the debate more.
    pub async fn extend_limits(&self, limits: &Extension) -> Result<Arc<Entry>, OutsideSeatError> {
        loop {
            match self.journal.extend_limits(self.journal.read_record(self.debate)?, limits.clone()).await {
                Ok(entry) => return Ok(entry),
                // Someone was faster; the next entry comes no sooner than the next answer.
                Err(JournalError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn append_act<'b>(&self, by: impl Into<Claimant<'b>>, deed: ActKind) -> Result<Acted, OutsideSeatError> {
        let act = Act { by: parse_holder_name(by)?, deed };
        loop {
            let mut record = self.journal.read_record(self.debate)?;
            if let Some(outcome) = record.closing_outcome() {
                return Err(OutsideSeatError::Closed(outcome.name.clone(), None));
            }
            // Sending the same twice has the effect of sending it once.
            if let Some((seq, last)) = record.acts().last()
                && *last == act
                && record.answers().last().is_none_or(|(answered, _)| answered < seq)
            {
                return Ok(Acted { seq, closed: None });
            }
            let is_interjection = |act: &Act| matches!(act.deed, ActKind::Interjected { .. });
            let interjected = record.acts().filter(|(_, act)| is_interjection(act)).count();
            if is_interjection(&act) && interjected >= INTERJECTIONS_MAX {
                let why = format!("a debate takes at most {INTERJECTIONS_MAX} interjections");
                return Err(OutsideSeatError::NotAllowed(why));
            }
            if let (ActKind::Paused { .. }, Some(before)) = (&act.deed, record.find_pause()) {
                return Err(OutsideSeatError::Paused(before.describe_act(), None));
            }
            let seq = record.len();
            let mut entries = vec![seal_entry(&mut record, Event::Acted(act.clone())).map_err(record_fault)?];
            // A debate that ends here is closed with the same transaction.
            if record.find_cancellation().is_some() {
                seal_decisions(self.protocol, &mut record, &mut entries)?;
            }
            let closed = record.closing_outcome().cloned();
            match self.journal.append_entries(self.debate, Append { entries, ..Append::default() }).await {
                Ok(_) => return Ok(Acted { seq, closed }),
                Err(JournalError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn record_fault(error: agon_core::RecordError) -> OutsideSeatError {
    OutsideSeatError::Drive(error.into())
}

/// `text` without blanks at its ends; an error where it is too long.
fn check_text_length(what: &str, text: &str, chars_max: usize) -> Result<String, OutsideSeatError> {
    if text.chars().count() > chars_max {
        return Err(OutsideSeatError::Unusable(format!("{what} must have at most {chars_max} characters")));
    }
    Ok(text.trim().to_owned())
}
