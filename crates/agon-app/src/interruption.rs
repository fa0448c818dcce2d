//! Debates that stand still because nobody drives them any more, as the journal says.

use std::time::Duration;

use agon_core::{DebateId, Record, Request};
use agon_journal::{Journal, JournalError};
use agon_protocols::common::parallel_answers;
use agon_runtime::outside_seats::is_outside;

use crate::{
    declarations,
    failure::{Failure, exit},
};

/// How long a debate must be without a driver to count as interrupted: one driver may be taking it over from another.
const TAKE_OVER: Duration = Duration::from_millis(250);

/// A debate that needs a driver and has none.
#[derive(Debug, Clone)]
pub struct Interruption {
    /// Which.
    pub debate: DebateId,
    /// Why it stands still, and how it is continued.
    pub why: Failure,
    /// Number of its entries.
    pub entries: u64,
}

/// Those of `debates` that are open, need a driver and have none. It blocks for a moment where there are some, once for
/// all of them. One that cannot be read is left out.
pub fn find_interruptions(journal: &Journal, debates: &[DebateId]) -> Vec<Interruption> {
    let found = |debate: &DebateId| find_standstill(journal, debate).ok().flatten();
    let mut standing: Vec<Interruption> = debates.iter().filter_map(found).collect();
    if !standing.is_empty() {
        std::thread::sleep(TAKE_OVER);
        standing.retain(|found| stands_still(journal, found).unwrap_or_default());
    }
    standing
}

/// `debate` as it stands, where nobody drives it.
fn find_standstill(journal: &Journal, debate: &DebateId) -> Result<Option<Interruption>, JournalError> {
    if journal.find_summary(debate)?.is_none_or(|summary| summary.outcome.is_some()) || has_driver(journal, debate)? {
        return Ok(None);
    }
    let record = journal.read_record(debate)?;
    if record.closing_outcome().is_some() || !needs_driver(&record) {
        return Ok(None);
    }
    let failure = match (declarations::find_rules(&record), record.find_pause()) {
        (Err(failure), _) => failure,
        (Ok(_), Some(act)) => Failure::new(exit::INTERRUPTED, "paused", act.describe_act(), ""),
        (Ok(_), None) => {
            let why = "the process that drove this debate has ended, and nobody drives it now";
            Failure::new(exit::INTERRUPTED, "interrupted", why, "")
        }
    };
    let why = failure.with_resume_hint(debate);
    Ok(Some(Interruption { debate: debate.clone(), why, entries: record.len() }))
}

/// Whether nothing has happened in a debate since it was found without a driver.
fn stands_still(journal: &Journal, found: &Interruption) -> Result<bool, JournalError> {
    if has_driver(journal, &found.debate)? {
        return Ok(false);
    }
    Ok(journal.find_summary(&found.debate)?.is_some_and(|now| now.entries == found.entries))
}

/// Whether a process drives a debate, or will as soon as people have answered.
fn has_driver(journal: &Journal, debate: &DebateId) -> Result<bool, JournalError> {
    Ok(journal.is_driven(debate)? || journal.is_waiting(debate)?)
}

/// Whether a debate stands still until a process drives it: something is asked of a model or of the clock, or there is
/// nothing to wait for. People answer by themselves.
fn needs_driver(record: &Record) -> bool {
    let mut record = record.clone();
    let Ok(protocol) = agon_protocols::find_rules(&record) else { return true };
    let asked = parallel_answers::advance_to_requests(protocol, &mut record).unwrap_or_default();
    let lineup = &record.opened().lineup;
    let is_of_people = |request: &Request| {
        let sat = lineup.iter().find(|sat| sat.seat == request.seat);
        !request.prompt.is_empty() && sat.is_some_and(|sat| is_outside(&sat.model))
    };
    asked.is_empty() || !asked.iter().all(is_of_people)
}
