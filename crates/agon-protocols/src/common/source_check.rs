//! Statements whose sources are looked up before they are accepted: what no page bears out goes back to
//! its author once, with the reason. What comes of that is looked up too, and stands.

use agon_core::{
    Attempt, Faults, Floor, Flow, Key, Lost, Pending, Record, Redraft, Reply, Request, Seat, Statement, draft::Draft,
};

use super::{
    absence::record_warnings,
    claim_reading,
    verification::{self, CitedPlace, SourceCheck},
};

/// A statement together with what was found about its sources.
pub type Looked<T> = (Statement<T>, Vec<SourceCheck>);

/// When a reader looks at what was opened for a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingTime {
    /// Never here: it is read later, or not at all.
    Never,
    /// Whenever pages were opened: what the reader says may send the statement back.
    Always,
    /// Once the statement stands.
    Settled,
}

/// The mark of a statement that is verified again once it stands.
pub const DRAFT_MARK: &str = "/draft";

/// A statement and its citations, while its sources are checked.
pub struct CheckedStatement<'v, T> {
    /// What was asked.
    pub request: &'v Request,
    /// What readers call its seat.
    pub name: &'v str,
    /// What makes an answer a statement.
    pub check: &'v dyn Fn(Attempt<'_>) -> Result<T, Faults>,
    /// The places that cite something.
    pub cited: &'v dyn Fn(&T) -> Vec<CitedPlace>,
    /// When a reader looks at what was opened for it, where there is one.
    pub reading: ReadingTime,
    /// What stands behind the key of a draft in the key of the request that has it verified.
    pub key_mark: &'static str,
    /// What sends it back, with the path of the fault.
    pub fault: &'v dyn Fn(&SourceCheck) -> Option<(String, String)>,
}

impl<T: Send + Sync + 'static> CheckedStatement<'_, T> {
    /// Looks up what `statement` cites before it is accepted.
    pub fn check_sources(self, floor: &mut Floor<'_>, statement: Statement<T>) -> Flow<Looked<T>> {
        let mut settled = settle_each(floor, vec![(self, statement)])?;
        settled.pop().ok_or(agon_core::Pause::Waiting)
    }

    fn collect_faults(&self, found: &[SourceCheck]) -> Faults {
        let mut faults = Faults::default();
        for (path, message) in found.iter().filter_map(|found| (self.fault)(found)) {
            faults.add("source", path, message);
        }
        faults
    }

    /// The request by which the statement goes back.
    fn redraft_request(&self, of: &Key, faults: &Faults) -> Request {
        let mut again = self.request.clone();
        again.key = returned_key(&again.key);
        again.redraft = Some(Redraft { of: of.clone(), number: 1, faults: faults.shorten_for_redraft() });
        again
    }
}

/// Under which key a statement goes back that was first asked for under `first`.
fn returned_key(first: &Key) -> Key {
    Key::from_parts(format!("{first}/sourced"))
}

/// The draft that stands of what was first asked under `first`, or the last one that was asked for; and
/// how many came before it.
pub fn find_latest_draft(record: &Record, first: &Key) -> (Key, u32) {
    let last = |of: &Key| {
        let redrafts = (1..).map(|number| (Key::from_parts(format!("{of}/redraft-{number}")), number));
        let redrafts = redrafts.take_while(|(key, _)| record.find_request(key).is_some());
        redrafts.last().unwrap_or_else(|| (of.clone(), 0))
    };
    let (key, before) = last(first);
    let again = returned_key(first);
    // Where it was not fixed it stands as it was.
    let is_lost = record.find_ruling(&Key::from_parts(format!("{again}/warned"))).is_some();
    if is_lost || record.find_request(&again).is_none() {
        return (key, before);
    }
    let (key, more) = last(&again);
    (key, before + 1 + more)
}

/// Asks seats at once, each until its answer stands, and has what they cite looked up where pages are
/// opened. `name` is what readers call a seat.
pub fn ask_each<T: Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    drafts: Vec<Draft<'_, T>>,
    name: impl Fn(&Seat) -> String,
    cited: &dyn Fn(&T) -> Vec<CitedPlace>,
) -> Flow<Vec<Result<Looked<T>, Lost>>> {
    let again = drafts.iter().map(|draft| Draft::new(draft.request.clone(), &*draft.check));
    let answers = floor.ask_each_until_valid(again.collect())?;
    if !verification::is_fetched(floor.opened()) {
        let unseen = |statement| (statement, Vec::new());
        return Ok(answers.into_iter().map(|answer| answer.map(unseen)).collect());
    }
    let names: Vec<String> = drafts.iter().map(|draft| name(&draft.request.seat)).collect();
    let fault = |found: &SourceCheck| Some((found.at.clone(), found.describe_fault()?));
    let vetted = drafts.iter().zip(&names).zip(&answers).filter_map(|((draft, name), answer)| {
        let Statement { key, value } = answer.as_ref().ok()?;
        let statement = Statement { key: key.clone(), value: value.clone() };
        let (request, check) = (&draft.request, &*draft.check);
        let (reading, key_mark) = (ReadingTime::Settled, DRAFT_MARK);
        Some((CheckedStatement { request, name, check, cited, reading, key_mark, fault: &fault }, statement))
    });
    let mut looked = settle_each(floor, vetted.collect())?.into_iter();
    let mut stands = |_| looked.next().unwrap_or_else(|| unreachable!("a statement that was given comes back"));
    Ok(answers.into_iter().map(|answer| answer.map(&mut stands)).collect())
}

/// Looks up what statements cite that were made at once: none of them waits for what is found about
/// another.
pub fn settle_each<T: Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    vetted: Vec<(CheckedStatement<'_, T>, Statement<T>)>,
) -> Flow<Vec<Looked<T>>> {
    let all: Vec<usize> = (0..vetted.len()).collect();
    let (vetted, mut statements): (Vec<_>, Vec<_>) = vetted.into_iter().unzip();
    let mut found = look_up(floor, &vetted, &statements, &all)?;
    let mut returned = Vec::new();
    let mut drafts = Vec::new();
    for (at, vetted) in vetted.iter().enumerate() {
        let faults = vetted.collect_faults(&found[at].0);
        if !faults.0.is_empty() {
            drafts.push(Draft::new(vetted.redraft_request(&statements[at].key, &faults), vetted.check));
            returned.push(at);
        }
    }
    let mut mended = Vec::new();
    for (at, answer) in returned.into_iter().zip(floor.ask_each_until_valid(drafts)?) {
        match answer {
            Ok(better) => {
                statements[at] = better;
                mended.push(at);
            }
            Err(lost) => {
                let key = returned_key(&vetted[at].request.key);
                let text = format!("its sources were not mended: {lost}");
                record_warnings(floor, key.as_str(), vetted[at].name, &[text])?;
            }
        }
    }
    for (at, again) in mended.iter().zip(look_up(floor, &vetted, &statements, &mended)?) {
        found[*at] = again;
    }
    add_readings(floor, &mut found, |at| vetted[at].reading == ReadingTime::Settled)?;
    Ok(statements.into_iter().zip(found.into_iter().map(|(found, _)| found)).collect())
}

/// What was found about a statement, and the verifier's answer, where one was asked for.
type LookedUp = (Vec<SourceCheck>, Option<(Key, Reply)>);

/// What is found about the statements `which`, in their order.
fn look_up<T: Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    vetted: &[CheckedStatement<'_, T>],
    statements: &[Statement<T>],
    which: &[usize],
) -> Flow<Vec<LookedUp>> {
    let mut open = Vec::new();
    for at in which {
        let (vetted, statement) = (&vetted[*at], &statements[*at]);
        let cited = (vetted.cited)(&statement.value);
        if cited.is_empty() {
            open.push(None);
            continue;
        }
        let mut asked =
            verification::verification_request(&format!("{}{}", statement.key, vetted.key_mark), &statement.key);
        asked.facts.extend(vetted.request.facts.clone());
        asked.facts.insert("of".into(), statement.key.as_str().into());
        open.push(Some((floor.start_request(asked)?, cited)));
    }
    let hear = |looked: Option<(Pending, Vec<CitedPlace>)>| {
        let Some((pending, cited)) = looked else { return Ok((Vec::new(), None)) };
        let answer = floor.wait_for_answer(pending)?;
        let said = (answer.key.clone(), answer.reply.clone());
        Ok((verification::parse_source_checks(&answer.reply, &cited), Some(said)))
    };
    let mut found = open.into_iter().map(hear).collect::<Flow<Vec<LookedUp>>>()?;
    add_readings(floor, &mut found, |at| vetted[which[at]].reading == ReadingTime::Always)?;
    Ok(found)
}

/// Has a reader look at what was opened for those of `found` that `is_read` chooses, by their places.
fn add_readings(floor: &mut Floor<'_>, found: &mut [LookedUp], is_read: impl Fn(usize) -> bool) -> Flow<()> {
    let chosen = found.iter_mut().enumerate().filter(|(at, _)| is_read(*at));
    let (chosen, answers): (Vec<_>, Vec<_>) =
        chosen.filter_map(|(_, (checks, answer))| Some((checks, answer.clone()?))).unzip();
    for (checks, readings) in chosen.into_iter().zip(claim_reading::read_claims(floor, &answers)?) {
        verification::with_readings(checks, readings);
    }
    Ok(())
}
