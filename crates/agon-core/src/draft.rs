//! Statements that must be valid: asked for, checked, and asked for again with the faults quoted,
//! a bounded number of times.

use std::{any::Any, sync::Arc};

use crate::{Answered, Failed, Fault, Faults, Floor, Flow, Key, Pause, Redraft, Reply, Request};

/// How often a statement is asked for again before its seat counts as not having answered.
pub const REDRAFTS_MAX: u32 = 2;

/// One answer to check, with its number and the faults that its prompt quoted.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// What was said.
    pub text: &'a str,
    /// 0 for the first draft.
    pub number: u32,
    /// What was quoted to its author, over all drafts before.
    pub quoted: &'a [Fault],
    /// Whether it comes from files of other programs: they are what they are, and what they break is
    /// warned of.
    pub imported: bool,
}

impl Attempt<'_> {
    /// Whether its author was told of this rule already: some faults are told once and then stand.
    pub fn was_told(&self, rule: &str) -> bool {
        self.quoted.iter().any(|fault| fault.rule == rule)
    }
}

/// An answer that was parsed and accepted, and the key of its request.
#[derive(Debug, Clone)]
pub struct Statement<T> {
    /// The draft that passed.
    pub key: Key,
    /// What it says.
    pub value: Arc<T>,
}

/// Why a seat gave no usable statement: a failure, a time limit, or faults after the last redraft.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Lost {
    /// It failed.
    #[error("{}", .0.detail)]
    Failed(Failed),
    /// Its time was up.
    #[error("no answer in time")]
    Elapsed,
    /// It kept breaking the rules; the faults of its last draft.
    #[error("no usable answer in {} drafts: {faults}", REDRAFTS_MAX + 1, faults = .0)]
    Unusable(Faults),
}

/// Turns an answer into a statement, or into the faults that a redraft quotes.
pub type Check<'c, T> = Box<dyn Fn(Attempt<'_>) -> Result<T, Faults> + 'c>;

/// A request and the check of its answers. The check must depend on nothing but the record before
/// the answer: its result is kept with the entry.
pub struct Draft<'c, T> {
    /// What is asked.
    pub request: Request,
    /// What makes an answer a statement.
    pub check: Check<'c, T>,
}

impl<'c, T> Draft<'c, T> {
    /// Asks `request` until `check` passes.
    pub fn new(request: Request, check: impl Fn(Attempt<'_>) -> Result<T, Faults> + 'c) -> Self {
        Self { request, check: Box::new(check) }
    }
}

impl<'a> Floor<'a> {
    /// Asks one seat until its answer passes `check`.
    pub fn ask_until_valid<T: Send + Sync + 'static>(
        &mut self,
        request: Request,
        check: impl Fn(Attempt<'_>) -> Result<T, Faults>,
    ) -> Flow<Result<Statement<T>, Lost>> {
        let mut settled = self.ask_each_until_valid(vec![Draft::new(request, check)])?;
        settled.pop().ok_or(Pause::Waiting)
    }

    /// Asks several seats at once, each until its own answer passes. No redraft waits for, or
    /// sees, what another seat said meanwhile.
    pub fn ask_each_until_valid<T: Send + Sync + 'static>(
        &mut self,
        drafts: Vec<Draft<'_, T>>,
    ) -> Flow<Vec<Result<Statement<T>, Lost>>> {
        let heard = self.heard;
        let mut settled = Vec::with_capacity(drafts.len());
        for Draft { mut request, check } in drafts {
            request.heard = heard;
            let check = |attempt: Attempt<'_>| Ok(Arc::new(check(attempt)?) as CheckedValue);
            settled.push(self.ask_until_settled(request, &check)?);
        }
        // Half of a round must not decide what is asked next: it is heard when all of it is there.
        let settled: Vec<Settled<'a>> = settled.into_iter().collect::<Option<_>>().ok_or(Pause::Waiting)?;
        let hear = |(seq, answer, result): Settled<'a>| -> Flow<Result<Statement<T>, Lost>> {
            self.mark_heard(seq, answer);
            Ok(match result {
                // One script never gives the value of a draft another type.
                Ok((key, value)) => Ok(Statement { key, value: value.downcast().map_err(|_| Pause::Waiting)? }),
                Err(lost) => Err(lost),
            })
        };
        settled.into_iter().map(hear).collect()
    }

    /// Asks until the answer passes. Knows no type of statement, so that it is compiled once for all of them.
    fn ask_until_settled(
        &mut self,
        first: Request,
        check: &dyn Fn(Attempt<'_>) -> Result<CheckedValue, Faults>,
    ) -> Flow<Option<Settled<'a>>> {
        let mut redraft: Option<Request> = None;
        let mut quoted: Vec<Fault> = Vec::new();
        for number in 0.. {
            let request = redraft.as_ref().unwrap_or(&first);
            let key = request.key.clone();
            drop(self.start_stamped(request)?);
            let Some((seq, answer)) = self.record.find_answer(&key) else { return Ok(None) };
            let end = |result| Ok(Some((seq, answer, result)));
            let text = match &answer.reply {
                Reply::Said { text } => text,
                Reply::Failed(failed) => return end(Err(Lost::Failed(failed.clone()))),
                Reply::Elapsed => return end(Err(Lost::Elapsed)),
            };
            let imported = self.is_imported(answer);
            let attempt = Attempt { text, number, quoted: &quoted, imported };
            let checked = self.record.parse_once(seq, || check(attempt));
            let faults = match &*checked {
                Ok(value) => return end(Ok((key, value.clone()))),
                Err(faults) => faults.clone(),
            };
            if number >= REDRAFTS_MAX {
                return end(Err(Lost::Unusable(faults)));
            }
            quoted.extend(faults.shorten_for_redraft());
            redraft = Some(Request {
                key: Key::from_parts(format!("{}/redraft-{}", first.key, number + 1)),
                redraft: Some(Redraft { of: key, number: number + 1, faults: faults.shorten_for_redraft() }),
                ..first.clone()
            });
        }
        Ok(None)
    }
}

/// A statement that passed its check, whatever its type.
type CheckedValue = Arc<dyn Any + Send + Sync>;

/// How asking one seat ended: the entry of the last answer, that answer, and the value with the key of its draft, or why
/// there is none.
type Settled<'a> = (u64, &'a Answered, Result<(Key, CheckedValue), Lost>);
