//! What is under way in a debate that is driven: the calls of its open requests, the answers that came, and why it must stop.

use std::{collections::BTreeMap, sync::atomic::Ordering};

use agon_core::{Act, Key, PromptFit, Record, Request};
use futures::future::{AbortHandle, Aborted};

use super::{
    Drive, DriveError, Notice, Stop,
    call::Caller,
    ledger::{ArrivedAnswer, Ledger},
    prepare::{PreparedCall, prepare_call},
    request_result::RequestEnd,
    too_long,
};

/// Calls by the request that they are for, and what came of those that ended.
#[derive(Default)]
pub(super) struct CallsUnderWay {
    pub calls: BTreeMap<Key, AbortHandle>,
    /// How many statements the prompt of a request shortens, since it was too long.
    shortened: BTreeMap<Key, u32>,
    /// Answers that are not stored yet.
    pub arrived: Vec<ArrivedAnswer>,
    /// Why nothing new is asked.
    pub stop: Option<Stop>,
}

impl CallsUnderWay {
    /// Ends the calls of requests that are not open any more.
    pub fn abort_unwanted(&mut self, open: &[Request]) {
        self.calls.retain(|key, call| {
            let wanted = open.iter().any(|request| request.key == *key);
            if !wanted {
                call.abort();
            }
            wanted
        });
    }

    /// Stops where the debate was paused, and continues where it was resumed before all calls had ended.
    pub fn follow_pause(&mut self, record: &Record, caller: &Caller<'_>) {
        match (record.find_pause().map(Act::describe_act), &self.stop) {
            (Some(line), None) => {
                caller.queue.stopping.store(true, Ordering::Relaxed);
                self.stop = Some(Stop::Paused { line });
            }
            (None, Some(Stop::Paused { .. })) => {
                caller.queue.stopping.store(false, Ordering::Relaxed);
                self.stop = None;
            }
            _ => {}
        }
    }

    /// The calls of those of the `open` requests that nobody is asked yet. Once the debate must stop there are none: what is
    /// under way is awaited.
    pub fn prepare_fresh<'d>(
        &self,
        drive: &'d Drive<'d>,
        record: &Record,
        open: &[Request],
    ) -> Result<Vec<PreparedCall<'d>>, DriveError> {
        let fresh = open.iter().filter(|request| self.stop.is_none() && !self.calls.contains_key(&request.key));
        let fresh = fresh.map(|request| {
            let shortened = self.shortened.get(&request.key).copied().unwrap_or(0);
            prepare_call(drive, record, request, shortened)
        });
        fresh.collect()
    }

    /// Takes what a call came to; an error where driving must end at once.
    pub async fn take_end(
        &mut self,
        drive: &Drive<'_>,
        caller: &Caller<'_>,
        ledger: &mut Ledger<'_>,
        end: Result<(Key, RequestEnd), Aborted>,
    ) -> Result<(), DriveError> {
        // A withdrawn call; what it may still cost stands at its reservation.
        let Ok((key, end)) = end else { return Ok(()) };
        self.calls.remove(&key);
        match end {
            RequestEnd::Answered(answer) => self.arrived.push(answer),
            RequestEnd::TooLong { request, prompt, participant, why } => {
                let statements = self.shortened.get(&key).map_or(1, |known| known * 2);
                let shorter = prepare_call(drive, &ledger.record, &request, statements)?;
                // Where shortening changes nothing, too long a prompt is the answer.
                if drive.protocol.manifest().fit == PromptFit::Whole || shorter.prompt_digest() == prompt {
                    self.arrived.push(too_long(&request, prompt, participant, why));
                } else {
                    drive.watch.on_notice(&Notice::Shortened { key: key.clone(), statements });
                    self.shortened.insert(key, statements);
                }
            }
            RequestEnd::Elsewhere => ledger.reread_record()?,
            RequestEnd::Stopped(why) => {
                caller.queue.stopping.store(true, Ordering::Relaxed);
                self.stop.get_or_insert(why);
            }
            RequestEnd::Failed(error) => {
                ledger.record_answers(&self.arrived).ok();
                ledger.commit(Vec::new()).await?;
                return Err(error);
            }
        }
        Ok(())
    }
}
