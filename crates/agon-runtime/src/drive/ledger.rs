//! What happened and what follows from it, stored together: an answer, the decisions of the script
//! on it, the next requests, and the reservations of their calls are one transaction.

use std::{collections::VecDeque, sync::Arc};

use agon_core::{Answered, Digest, Entry, Event, Outcome, Protocol, Record, Request, Step, compute_next_step};
use agon_journal::{Append, CallEnd, JournalError, Reservation, Reserved, Settlement, seal_entry};

use super::{Drive, DriveError, clock::Clock};

/// Seals onto `record` everything that its script decides now, and says what it wants then.
pub(crate) fn seal_decisions(
    protocol: &dyn Protocol,
    record: &mut Record,
    sealed: &mut Vec<Arc<Entry>>,
) -> Result<Next, DriveError> {
    loop {
        let whats = match compute_next_step(protocol, record)? {
            Step::Record(whats) => whats,
            Step::Close(outcome) if record.closing_outcome().is_none() => vec![Event::Closed { outcome }],
            Step::Close(outcome) => return Ok(Next::Closed(outcome)),
            Step::Await(open) => return Ok(Next::Await(open)),
        };
        for what in whats {
            sealed.push(seal_entry(record, what)?);
        }
    }
}

/// An answer that is not stored yet, and the call that it ends.
pub(super) struct ArrivedAnswer {
    pub(super) answered: Answered,
    /// What its lookups gave.
    pub(super) texts: Vec<(Digest, String)>,
    pub(super) settlement: Option<Settlement>,
}

impl ArrivedAnswer {
    /// An answer that ends no call.
    pub(super) fn unpaid(answered: Answered) -> Self {
        Self { answered, texts: Vec::new(), settlement: None }
    }
}

/// What a script wants once all its decisions are written.
pub(crate) enum Next {
    Await(Vec<Request>),
    Closed(Outcome),
}

pub(super) struct Ledger<'a> {
    drive: &'a Drive<'a>,
    pub(super) clock: Clock,
    pub(super) record: Record,
    /// Entries at the end of `record` that are not stored yet.
    sealed: Vec<Arc<Entry>>,
    /// Texts that these name.
    texts: Vec<(Digest, String)>,
    settle: Vec<Settlement>,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(drive: &'a Drive<'a>, clock: Clock, record: Record) -> Self {
        Self { drive, clock, record, sealed: Vec::new(), texts: Vec::new(), settle: Vec::new() }
    }

    /// Writes down what arrived and everything that the script decides on it. Nothing of it is
    /// stored, or shown, before [`Ledger::commit`]; also where this fails what was paid for is.
    pub(super) fn record_answers(&mut self, arrived: &[ArrivedAnswer]) -> Result<Next, DriveError> {
        for ArrivedAnswer { answered, texts, settlement } in arrived {
            self.settle.extend(settlement.clone());
            self.texts.extend(texts.iter().cloned());
            let what = Event::Answered(answered.clone());
            // Someone else's answer may stand by now; the first one does.
            if self.record.check_event(&what).is_ok() {
                self.sealed.push(seal_entry(&mut self.record, what)?);
            }
        }
        seal_decisions(self.drive.protocol, &mut self.record, &mut self.sealed)
    }

    /// Reads what others appended since the last commit.
    pub(super) fn reread_record(&mut self) -> Result<(), DriveError> {
        self.reread_from(self.record.len())
    }

    fn reread_from(&mut self, known: u64) -> Result<(), DriveError> {
        let Drive { journal, debate, watch, .. } = self.drive;
        self.record = journal.read_record(debate)?;
        for entry in &self.record.entries()[known.min(self.record.len()) as usize..] {
            watch.on_entry(entry);
        }
        Ok(watch.on_record(&self.record)?)
    }

    /// Stores what was taken, together with the reservations of the calls that follow; gives what
    /// came of these. `None` where someone else appended meanwhile: the record was read again, and
    /// everything must be taken again.
    pub(super) async fn commit(&mut self, reserve: Vec<Reservation>) -> Result<Option<VecDeque<Reserved>>, DriveError> {
        let (entries, settle) = (std::mem::take(&mut self.sealed), std::mem::take(&mut self.settle));
        if entries.is_empty() && settle.is_empty() && reserve.is_empty() {
            return Ok(Some(VecDeque::new()));
        }
        let &Drive { journal, debate, watch, fence, .. } = self.drive;
        let keys: Vec<_> = reserve.iter().map(|reservation| reservation.key.clone()).collect();
        let shown = entries.clone();
        tracing::debug!(
            entries = entries.len(),
            settled = settle.len(),
            reserved = reserve.len(),
            from = self.record.len() - shown.len() as u64,
            "append"
        );
        let texts = std::mem::take(&mut self.texts);
        let append = Append { entries, texts, settle, reserve, driven_ms: self.clock.take_lap_ms(), fence };
        let reserved = match journal.append_entries(debate, append).await {
            Ok(reserved) => reserved,
            Err(JournalError::Conflict { .. }) => {
                tracing::debug!("another process appended first");
                self.reread_from(self.record.len() - shown.len() as u64)?;
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        for entry in &shown {
            let (what, key) = entry.what.index();
            tracing::debug!(seq = entry.seq, what, key, "entry");
            watch.on_entry(entry);
        }
        if shown.is_empty() {
            return Ok(Some(reserved.into()));
        }
        if let Err(error) = watch.on_record(&self.record) {
            // These calls are not made.
            let unmade = keys.into_iter().zip(&reserved).filter_map(|(key, reserved)| match reserved {
                Reserved::Granted { attempt, .. } => {
                    Some(Settlement { key, attempt: *attempt, end: CallEnd::Unmade, usage: None, failure: None })
                }
                _ => None,
            });
            let append = Append { settle: unmade.collect(), ..Append::default() };
            journal.append_entries(debate, append).await?;
            return Err(error.into());
        }
        Ok(Some(reserved.into()))
    }
}
