//! One step: the only entrance to the rules.

use crate::{Diverged, Event, Floor, Outcome, Pause, Protocol, Record, Request};

/// The result of a step: events to append, requests that are open, or the outcome.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Decided but not yet written: append these, then step again.
    Record(Vec<Event>),
    /// Exactly these requests are open. Start the new ones, withdraw any other.
    Await(Vec<Request>),
    /// The debate ends so; nothing is left to append where the record says so already.
    Close(Outcome),
}

/// Runs `protocol` over `record` and says what must happen next. Pure: the same record gives the
/// same step.
pub fn step(protocol: &dyn Protocol, record: &Record) -> Result<Step, Diverged> {
    // A cancellation bypasses the rules; they resume when the debate is extended.
    if let Some(outcome) = record.cancelled().and_then(crate::Act::outcome) {
        return Ok(Step::Close(outcome));
    }
    let mut floor = Floor::new(record);
    let outcome = match protocol.run(&mut floor) {
        Err(Pause::Diverged(why)) => return Err(why),
        Err(Pause::Waiting) => None,
        Err(Pause::Adjourned(outcome)) => Some(*outcome),
        // An end that cannot be extended closes again after every extension.
        Ok(outcome) => loop {
            floor.limits();
            match floor.adjourn(outcome.clone()) {
                Ok(()) => {}
                Err(Pause::Diverged(why)) => return Err(why),
                Err(_) => break Some(outcome),
            }
        },
    };
    if !floor.fresh.is_empty() {
        return Ok(Step::Record(floor.fresh));
    }
    Ok(match outcome {
        Some(outcome) => Step::Close(outcome),
        None => Step::Await(floor.open),
    })
}
