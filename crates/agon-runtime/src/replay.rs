//! Following a record from its beginning: the audit that every entry is one that the rules asked
//! for. One step over the whole would not notice an entry that nobody asked for.

use agon_core::{Diverged, Event, Key, Protocol, Record, RecordError, Step, compute_next_step};

/// Why a record does not follow from its rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// It breaks the rules of records.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Rules and record part.
    #[error("entry {seq}: {diverged}")]
    Diverged {
        /// The entry that does not follow.
        seq: u64,
        /// How.
        diverged: Diverged,
    },
    /// An entry that nobody asked for.
    #[error("entry {seq}: {why}")]
    Unasked {
        /// The entry.
        seq: u64,
        /// What was to come instead.
        why: String,
    },
}

/// Steps at every prefix of `record` and compares with what came next.
pub fn replay_record(protocol: &dyn Protocol, record: &Record) -> Result<(), ReplayError> {
    let entries = record.entries();
    let mut prefix = Record::new(entries[0].clone())?.with_documents_of(record);
    // What a step decided at once is appended entry by entry; each must be the next.
    for entry in &entries[1..] {
        let seq = entry.seq;
        if !matches!(entry.what, Event::Extended { .. } | Event::Acted(_)) {
            let step =
                compute_next_step(protocol, &prefix).map_err(|diverged| ReplayError::Diverged { seq, diverged })?;
            check_step(&step, &entry.what, &prefix).map_err(|why| ReplayError::Unasked { seq, why })?;
        }
        prefix.append_entry(entry.clone())?;
    }
    compute_next_step(protocol, &prefix).map_err(|diverged| ReplayError::Diverged { seq: record.len(), diverged })?;
    Ok(())
}

fn check_step(step: &Step, what: &Event, before: &Record) -> Result<(), String> {
    let late = |key: &Key| before.find_request(key).is_some() && before.find_answer(key).is_none();
    match (step, what) {
        // An answer may come while the script's decisions are still being written.
        (_, Event::Answered(answered)) if late(&answered.key) => Ok(()),
        (Step::Record(whats), what) if whats.first() == Some(what) => Ok(()),
        (Step::Close(outcome), Event::Closed { outcome: closed }) if outcome == closed => Ok(()),
        (step, what) => {
            Err(format!("{} is not what the rules require here ({})", describe_event(what), describe_step(step)))
        }
    }
}

fn describe_event(what: &Event) -> String {
    let (kind, key) = what.index();
    format!("{kind} {}", key.unwrap_or_default())
}

fn describe_step(step: &Step) -> String {
    match step {
        Step::Record(whats) => {
            format!("next entries: {}", whats.first().map(describe_event).unwrap_or_default())
        }
        Step::Await(open) => {
            let keys: Vec<&str> = open.iter().map(|request| request.key.as_str()).collect();
            format!("open requests: {}", keys.join(", "))
        }
        Step::Close(outcome) => format!("it closes as {}", outcome.name),
    }
}
