//! The floor: the interface between a script and the record. The script asks; the record answers.
//!
//! A protocol sees answers and limits only up to the last answer that it waited for (`heard`), so
//! that a late answer, or a person's extension, cannot change what the past asked.

use indexmap::IndexSet;

use crate::{Answered, Answerer, Event, Key, Limits, Opened, Outcome, Record, Request, Ruling, ShownPassage};

/// The record contradicts the rules of this version at `key`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {why}")]
pub struct Diverged {
    /// The request or ruling at which the record and the rules part.
    pub key: Key,
    /// How they differ.
    pub why: String,
}

/// Why a script leaves its function before its end. Scripts pass it on with `?`.
#[derive(Debug, Clone, PartialEq)]
pub enum Pause {
    /// Something asked has no answer yet.
    Waiting,
    /// The debate ends here unless someone extends it.
    Adjourned(Box<Outcome>),
    /// Record and rules differ.
    Diverged(Diverged),
}

/// The result of a call to the floor: a value, or the reason to leave the script. `?` is the suspension point.
pub type Flow<T> = Result<T, Pause>;

/// A request that was started and has not been waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "wait for it, check whether it was heard, or withdraw it"]
pub struct Pending(pub(crate) Key);

impl Pending {
    /// What was asked.
    pub fn key(&self) -> &Key {
        &self.0
    }
}

/// The interface between a script and the record during one step: a script asks, rules and adjourns through it.
/// It shows only what the script has heard.
pub struct Floor<'a> {
    pub(crate) record: &'a Record,
    /// Sequence number of the last answer waited for.
    pub(crate) heard: u64,
    limits: Limits,
    extensions_read: usize,
    closings_read: usize,
    pub(crate) fresh: Vec<Event>,
    pub(crate) open: Vec<Request>,
    used: IndexSet<Key>,
}

impl<'a> Floor<'a> {
    pub(crate) fn new(record: &'a Record) -> Self {
        let limits = record.opened().limits.clone();
        let (fresh, open, used) = Default::default();
        Self { record, heard: 0, limits, extensions_read: 0, closings_read: 0, fresh, open, used }
    }

    /// How the debate was opened: motion, line-up, options, seed, rules number.
    pub fn opened(&self) -> &'a Opened {
        self.record.opened()
    }

    /// Whether `answer` comes from the files that the debate was taken over from.
    pub fn is_imported(&self, answer: &Answered) -> bool {
        self.opened().import_details().is_some() && answer.is_imported()
    }

    /// A document that the debate was opened with, by name.
    pub fn document(&self, name: &str) -> Option<&'a str> {
        self.record.document(name)
    }

    /// The passages of material that the prompt of an answered request showed; none where it showed none.
    pub fn shown_passages(&self, key: &Key) -> &'a [ShownPassage] {
        self.record.find_answer(key).map_or(&[], |(_, answered)| &answered.shown)
    }

    /// Who answered under `key`; `None` where nobody has.
    pub fn answerer(&self, key: &Key) -> Option<&'a Answerer> {
        self.record.find_answer(key).map(|(_, answered)| &answered.by)
    }

    /// What people had said to all who take part when `key` was asked, or have said so far if it is not:
    /// who, and the words.
    pub fn interjections_before(&self, key: &Key) -> Vec<(&'a str, &'a str)> {
        let asked = self.record.find_request(key).map_or(self.record.len(), |(seq, _)| seq);
        self.record.interjections_before(asked).map(|(_, by, text)| (by, text)).collect()
    }

    /// The limits that are visible now.
    pub fn current_limits(&mut self) -> Limits {
        while let Some(&at) = self.record.extension_positions().get(self.extensions_read) {
            if at as u64 > self.heard {
                break;
            }
            if let Event::Extended { limits } = &self.record.entries()[at].what {
                self.limits.apply_extension(limits);
            }
            self.extensions_read += 1;
        }
        self.limits.clone()
    }

    /// Asks one seat and waits.
    pub fn ask_seat(&mut self, request: Request) -> Flow<&'a Answered> {
        let pending = self.start_request(request)?;
        self.wait_for_answer(pending)
    }

    /// Asks several seats at once and waits for all of them.
    pub fn ask_each(&mut self, requests: Vec<Request>) -> Flow<Vec<&'a Answered>> {
        let pending = requests.into_iter().map(|request| self.start_request(request)).collect::<Flow<Vec<_>>>()?;
        let found: Option<Vec<_>> = pending.iter().map(|p| self.record.find_answer(&p.0)).collect();
        let found = found.ok_or(Pause::Waiting)?;
        Ok(found.into_iter().map(|(seq, answer)| self.mark_heard(seq, answer)).collect())
    }

    /// Asks several seats at once and takes the first answer; the others are withdrawn. Gives the
    /// index of the one that answered.
    pub fn ask_fastest<const N: usize>(&mut self, requests: [Request; N]) -> Flow<(usize, &'a Answered)> {
        let mut pending = Vec::with_capacity(N);
        for request in requests {
            pending.push(self.start_request(request)?);
        }
        let answers = pending.iter().enumerate().filter_map(|(i, p)| {
            let (seq, answer) = self.record.find_answer(&p.0)?;
            Some((seq, i, answer))
        });
        let Some((seq, first, answer)) = answers.min_by_key(|(seq, ..)| *seq) else {
            return Err(Pause::Waiting);
        };
        for loser in pending {
            self.withdraw_request(loser);
        }
        Ok((first, self.mark_heard(seq, answer)))
    }

    /// Asks without waiting.
    pub fn start_request(&mut self, mut request: Request) -> Flow<Pending> {
        request.heard = self.heard;
        self.start_stamped(&request)
    }

    /// [`Floor::start_request`] for a request whose `heard` is set.
    pub(crate) fn start_stamped(&mut self, request: &Request) -> Flow<Pending> {
        let key = request.key.clone();
        assert!(self.used.insert(key.clone()), "{key} is asked twice in one run: a bug of the protocol");
        match self.record.find_request(&key) {
            Some((_, asked)) if asked != request => {
                let show = |r: &Request| serde_json::to_string(r).unwrap_or_default();
                let why = format!("the record asked {}; these rules ask {}", show(asked), show(request));
                return Err(Pause::Diverged(Diverged { key, why }));
            }
            Some(_) => {}
            None => self.fresh.push(Event::Asked(request.clone())),
        }
        if self.record.find_answer(&key).is_none() {
            self.open.push(request.clone());
        }
        Ok(Pending(key))
    }

    /// Waits for what was started.
    pub fn wait_for_answer(&mut self, pending: Pending) -> Flow<&'a Answered> {
        let (seq, answer) = self.record.find_answer(&pending.0).ok_or(Pause::Waiting)?;
        Ok(self.mark_heard(seq, answer))
    }

    /// The answer to what was started, if it came before the last answer waited for.
    pub fn heard_answer(&self, pending: &Pending) -> Option<&'a Answered> {
        let (seq, answer) = self.record.find_answer(&pending.0)?;
        (seq <= self.heard).then_some(answer)
    }

    /// No longer wants an answer to what was started.
    pub fn withdraw_request(&mut self, pending: Pending) {
        self.open.retain(|open| open.key != pending.0);
    }

    /// Puts a decision of the protocol itself on the record.
    pub fn record_ruling(&mut self, key: impl AsRef<str>, ruling: Ruling) -> Flow<()> {
        self.rule_by(key, || ruling)
    }

    /// [`Floor::record_ruling`] for a decision that is expensive to compute, or that comes up at every step: it is
    /// made once for each record in memory, and compared once with what the record holds.
    pub fn rule_by(&mut self, key: impl AsRef<str>, decide: impl FnOnce() -> Ruling) -> Flow<()> {
        let key = Key::from_parts(key);
        let Some((at, ruled)) = self.record.find_ruling(&key) else {
            self.fresh.push(Event::Ruled { key, ruling: decide() });
            return Ok(());
        };
        if self.record.kept.is_confirmed(at) {
            return Ok(());
        }
        let ruling = decide();
        if *ruled != ruling {
            let why = format!("the record ruled {:?}; these rules say {:?}", ruled.text, ruling.text);
            return Err(Pause::Diverged(Diverged { key, why }));
        }
        self.record.kept.mark_confirmed(at);
        Ok(())
    }

    /// Ends the debate here, and passes as soon as the record holds an extension that the script
    /// has not yet read by [`Floor::limits`]. The script continues in its loop.
    pub fn adjourn_debate(&mut self, outcome: Outcome) -> Flow<()> {
        let extension = self.record.extension_positions().get(self.extensions_read).copied();
        let closing = self.record.closing_positions().get(self.closings_read).copied();
        if let Some(closing) = closing.filter(|at| extension.is_none_or(|e| *at < e)) {
            self.closings_read += 1;
            let Event::Closed { outcome: closed } = &self.record.entries()[closing].what else {
                unreachable!("the index of closings holds closings");
            };
            if *closed != outcome {
                let why = format!("closed as {:?}; these rules close as {:?}", closed.name, outcome.name);
                return Err(Pause::Diverged(Diverged { key: Key::from_parts("closed"), why }));
            }
        }
        match extension {
            Some(at) => {
                self.heard = self.heard.max(at as u64);
                Ok(())
            }
            None => Err(Pause::Adjourned(Box::new(outcome))),
        }
    }

    pub(crate) fn mark_heard(&mut self, seq: u64, answer: &'a Answered) -> &'a Answered {
        self.heard = self.heard.max(seq);
        answer
    }
}
