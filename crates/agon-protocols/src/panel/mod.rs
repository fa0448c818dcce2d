//! The moderated panel: panelists take positions in parallel, each through a lens of its own; a
//! moderator finds what they disagree about and asks one question to one panelist at a time, until
//! nothing new comes.

mod agreement;
pub mod analysis;
pub mod disagreement;
mod facts;
mod fields;
pub mod lens;
mod members;
mod outcome;
pub mod question;
pub mod review;
mod sources;
pub mod speech;
pub mod state;
pub mod synthesis;
pub mod transcript;

use std::sync::{Arc, LazyLock};

use agon_core::{
    Absent, Attempt, Facts, FailureKind, Faults, Floor, Flow, Key, Kind, Lost, Manifest, Outcome, Protocol,
    Request, Ruling, Seat, View, draft::Draft,
};
use serde_json::{Value, json};

use self::{
    analysis::Asking,
    question::Next,
    review::Found,
    speech::Speech,
    state::{Analysed, End, Event, Panel, Spoken, Weighed},
};
use crate::common::{
    self,
    absence::{rule_absent, warn},
    lineup::Wanted,
    vetting::Looked,
};

/// The moderated panel.
pub struct Moderated;

/// The row of seats that panelists take.
pub const PANELIST: &str = "panelist";
/// Who asks, reviews and writes the synthesis.
pub const MODERATOR: &str = "moderator";
/// What is wanted of panelists.
const WANTED: Wanted<'static> = Wanted {
    row: PANELIST,
    proposer: MODERATOR,
    details: &["lens"],
    reserved: &[MODERATOR, PANELIST, "panel", "round"],
};
/// By the rules before these a panel that the host had refused could not be extended.
const RULES_LINEUP_AGAIN: u32 = 2;
/// Fewer openings than this are no debate.
const OPENINGS_MIN: usize = 2;

static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| common::manifest(include_str!("panel.toml")));

impl Protocol for Moderated {
    fn manifest(&self) -> &Manifest {
        &MANIFEST
    }

    fn prompts(&self) -> &[(&str, &str)] {
        &[
            ("lineup", include_str!("prompts/lineup.md")),
            ("approval", include_str!("prompts/approval.md")),
            ("opening", include_str!("prompts/opening.md")),
            ("disagreements", include_str!("prompts/disagreements.md")),
            ("valve", include_str!("prompts/valve.md")),
            ("challenge", include_str!("prompts/challenge.md")),
            ("question", include_str!("prompts/question.md")),
            ("review", include_str!("prompts/review.md")),
            ("route", include_str!("prompts/route.md")),
            ("synthesis", include_str!("prompts/synthesis.md")),
            ("panelist", include_str!("prompts/panelist.md")),
            ("moderator", include_str!("prompts/moderator.md")),
            ("standing", include_str!("prompts/standing.md")),
            ("next", include_str!("prompts/next.md")),
            common::REDRAFT,
            common::reading::PROMPT,
        ]
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let mut attempt = 0;
        let panel = loop {
            match members::convene(floor, attempt)? {
                Ok(panel) => break panel,
                Err(refused) if floor.opened().rules < RULES_LINEUP_AGAIN => return Ok(refused),
                Err(refused) => floor.adjourn(refused)?,
            }
            floor.limits();
            attempt += 1;
        };
        let mut session = Session::new(panel, floor.limits().rounds);
        open(floor, &mut session)?;
        let mut next = Ok(analyse(floor, &mut session)?);
        loop {
            let end = examine(floor, &mut session, next)?;
            session.close(floor, end)?;
            let absent = synthesize(floor, &session)?;
            // An extension that allows no further exchange changes nothing.
            while session.exchanges_left(floor) == 0 {
                floor.adjourn(sources::counted(&session.panel, outcome::of(&session, absent.clone())))?;
            }
            session.reopen(floor)?;
            next = match session.panel.disagreements.is_empty() {
                true => Ok(analyse(floor, &mut session)?),
                false => route(floor, &mut session)?,
            };
        }
    }

    fn held(&self, outcome: &Outcome) -> Option<u32> {
        common::figure(outcome, "exchanges")
    }

    fn facts(&self, heard: &View<'_>, request: &Request) -> Facts {
        facts::facts(heard, request)
    }

    fn schema(&self, heard: &View<'_>, request: &Request) -> Option<Value> {
        facts::schema(heard, request)
    }
}

/// One run of the script: the panel, and what it may still spend.
struct Session {
    panel: Panel,
    /// Seats that did not answer and have not answered since.
    absent: Vec<Absent>,
    /// Exchanges that may be held, from the first on.
    exchanges_max: u32,
    /// The limit of rounds that this counts in already.
    rounds_seen: u32,
    analyses: u32,
    routes: u32,
    ends: u32,
}

impl Session {
    fn new(panel: Panel, rounds: u32) -> Self {
        let absent = Vec::new();
        Self { panel, absent, exchanges_max: rounds, rounds_seen: rounds, analyses: 0, routes: 0, ends: 0 }
    }

    /// Puts what changes the panel on the record, and changes it.
    fn happen(&mut self, floor: &mut Floor<'_>, key: &str, text: &str, event: Event) -> Flow<()> {
        self.happen_with(floor, key, text, event, &[])
    }

    /// [`Session::happen`] for an event by which somebody speaks.
    fn happen_with(
        &mut self,
        floor: &mut Floor<'_>,
        key: &str,
        text: &str,
        event: Event,
        speeches: &[(Key, Arc<Speech>)],
    ) -> Flow<()> {
        floor.rule(key, Ruling::new(Kind::Noted, text).with(json!({"panel": event})))?;
        self.panel.apply(event, |key| {
            let found = speeches.iter().find(|(at, _)| at == key);
            found.map(|(_, speech)| speech.clone()).unwrap_or_else(|| Arc::new(Speech::of("")))
        });
        Ok(())
    }

    /// Exchanges that are left, extensions included.
    fn exchanges_left(&mut self, floor: &mut Floor<'_>) -> u32 {
        let rounds = floor.limits().rounds;
        self.exchanges_max += rounds.saturating_sub(self.rounds_seen);
        self.rounds_seen = rounds;
        self.exchanges_max.saturating_sub(self.panel.exchanges.len() as u32)
    }

    /// Ends cross-examination. What it did not use lapses: an extension allows so many more.
    fn close(&mut self, floor: &mut Floor<'_>, end: End) -> Flow<()> {
        let key = format!("end-{:03}", self.ends);
        self.ends += 1;
        let text = match end {
            End::Exhausted => "nothing is left to ask",
            End::Limit => "the limit of exchanges is reached",
            End::TooLong => "the transcript no longer fits, and is never cut",
        };
        let told = self.panel.exchanges.last().map_or(0, |exchange| exchange.notes.len());
        self.happen(floor, &key, text, Event::Ended(end))?;
        self.rule_notes(floor, &key, told)?;
        self.exchanges_max = self.panel.exchanges.len() as u32;
        Ok(())
    }

    fn reopen(&mut self, floor: &mut Floor<'_>) -> Flow<()> {
        let key = format!("end-{:03}/reopened", self.ends - 1);
        self.happen(floor, &key, "more exchanges are allowed", Event::Reopened)
    }

    /// Rules each note of the last exchange from number `from` on.
    fn rule_notes(&self, floor: &mut Floor<'_>, key: &str, from: usize) -> Flow<()> {
        let notes = self.panel.exchanges.last().map(|exchange| exchange.notes.as_slice()).unwrap_or_default();
        for (i, note) in notes.iter().enumerate().skip(from) {
            floor.rule(format!("{key}/note-{}", i + 1), Ruling::new(note.kind, &note.text))?;
        }
        Ok(())
    }

    /// Says that `seat` did not answer.
    fn lose(&mut self, floor: &mut Floor<'_>, seat: &Seat, key: &str, lost: &Lost) -> Flow<()> {
        let name = self.panel.name(seat).to_owned();
        let absent = rule_absent(floor, seat, &name, key, lost)?;
        self.absent.retain(|earlier| earlier.seat != *seat);
        self.absent.push(absent);
        Ok(())
    }

    /// Ends without a verdict, for want of `seat`; passes when the debate is extended.
    fn give_up(&mut self, floor: &mut Floor<'_>, seat: &Seat, key: &str, lost: &Lost) -> Flow<()> {
        self.lose(floor, seat, key, lost)?;
        floor.adjourn(outcome::void(self))?;
        self.absent.retain(|absent| absent.seat != *seat);
        self.exchanges_left(floor);
        Ok(())
    }
}

/// Everybody takes a position at once, seeing the topic alone. Two openings make a panel; with
/// fewer there is none, until an extension lets those who are missing try again.
fn open(floor: &mut Floor<'_>, session: &mut Session) -> Flow<()> {
    floor.rule("opening/phase", Ruling::new(Kind::Phase, "Opening statements"))?;
    let panelists = session.panel.panelists.clone();
    let mut standing: Vec<Option<Looked<Speech>>> = vec![None; panelists.len()];
    for attempt in 0.. {
        let missing: Vec<usize> = (0..panelists.len()).filter(|at| standing[*at].is_none()).collect();
        let drafts = missing.iter().map(|at| {
            let seat = &panelists[*at].seat;
            let request =
                Request::new(again(&format!("opening/{seat}"), attempt), seat, "opening").or_absent();
            let said = &session.panel.said;
            Draft::new(request, move |draft: Attempt<'_>| said.check(seat, draft))
        });
        let answers = floor.ask_each_until_valid(drafts.collect())?;
        session.absent.clear();
        let (mut places, mut spoken) = (Vec::new(), Vec::new());
        for (at, answer) in missing.into_iter().zip(answers) {
            let seat = panelists[at].seat.clone();
            let key = again(&format!("opening/{seat}"), attempt);
            match answer {
                Ok(statement) => {
                    places.push(at);
                    spoken.push((Request::new(key, &seat, "opening").or_absent(), statement));
                }
                Err(lost) => session.lose(floor, &seat, &key, &lost)?,
            }
        }
        for (at, looked) in places.into_iter().zip(sources::vet(floor, &session.panel, spoken)?) {
            standing[at] = Some(looked);
        }
        let given = standing.iter().flatten();
        let speeches: Vec<(Key, Arc<Speech>)> =
            given.map(|(statement, _)| (statement.key.clone(), statement.value.clone())).collect();
        if speeches.len() >= OPENINGS_MIN {
            let spoken = panelists.iter().zip(&standing).filter_map(|(panelist, standing)| {
                let (statement, sources) = standing.clone()?;
                Some(Spoken { seat: panelist.seat.clone(), key: statement.key, sources })
            });
            let text = format!("{} of {} openings stand", speeches.len(), panelists.len());
            let event = Event::Opened(spoken.collect());
            return session.happen_with(floor, "opening/accepted", &text, event, &speeches);
        }
        floor.adjourn(outcome::void(session))?;
        session.exchanges_left(floor);
    }
    unreachable!("a panel without openings ends, extended or not")
}

/// The moderator compares the openings. Where all agree, the most critical panelist is asked for
/// the strongest case against it before that is believed.
fn analyse(floor: &mut Floor<'_>, session: &mut Session) -> Flow<Next> {
    loop {
        let key = format!("analysis-{:03}", session.analyses);
        session.analyses += 1;
        floor.rule(format!("{key}/phase"), Ruling::new(Kind::Phase, "Disagreements"))?;
        let asked = moderate(floor, &format!("{key}/disagreements"), "disagreements", |draft| {
            analysis::read(&session.panel, draft)
        })?;
        let (of, asking) = match asked {
            Ok(asked) => asked,
            Err(lost) => {
                session.give_up(floor, &moderator(), &format!("{key}/disagreements"), &lost)?;
                continue;
            }
        };
        let analysed = Analysed { of: of.clone(), ..asking.found.clone() };
        let text = match analysed.disagreements.len() {
            0 => "all agree".to_owned(),
            count => format!("{count} disagreement{}", if count == 1 { "" } else { "s" }),
        };
        session.happen(floor, &format!("{key}/accepted"), &text, Event::Analysed(analysed))?;
        if !session.panel.disagreements.is_empty() {
            return Ok(asking.next.clone().said_by(&of));
        }
        if !challenge(floor, session, &key)? {
            floor.adjourn(outcome::void(session))?;
            session.exchanges_left(floor);
            continue;
        }
        let challenger =
            session.panel.valves.last().map(|valve| valve.seat.clone()).unwrap_or_else(moderator);
        let weighed = moderate(floor, &format!("{key}/challenge"), "challenge", |draft| {
            analysis::read_challenge(&session.panel, &challenger, draft)
        })?;
        match weighed {
            Ok((of, asking)) => {
                let weighed = Weighed { of: of.clone(), ..asking.found.clone() };
                let text = if weighed.still_agrees {
                    "the agreement holds"
                } else {
                    "the challenge opens a disagreement"
                };
                session.happen(floor, &format!("{key}/weighed"), text, Event::Weighed(weighed))?;
                return Ok(asking.next.clone().said_by(&of));
            }
            Err(lost) => session.give_up(floor, &moderator(), &format!("{key}/challenge"), &lost)?,
        }
    }
}

/// The safety valve: asked of the panelist with the most critical lens, and where that one does not
/// answer, of the next. Whether anybody did.
fn challenge(floor: &mut Floor<'_>, session: &mut Session, key: &str) -> Flow<bool> {
    floor.rule(format!("{key}/valve/phase"), Ruling::new(Kind::Phase, "Safety valve"))?;
    let mut critics: Vec<_> = session.panel.speakers().cloned().collect();
    critics.sort_by_key(|p| (p.lens.name != lens::CONTRARIAN, !p.lens.critical));
    for critic in critics {
        let key = format!("{key}/valve/{}", critic.seat);
        let request = Request::new(&key, &critic.seat, "valve").or_absent();
        match sources::speak(floor, &session.panel, request)? {
            Ok((statement, sources)) => {
                let spoken = Spoken { seat: critic.seat, key: statement.key.clone(), sources };
                let event = Event::Challenged(spoken);
                let speeches = [(statement.key, statement.value)];
                session.happen_with(floor, &format!("{key}/accepted"), "challenged", event, &speeches)?;
                return Ok(true);
            }
            Err(lost) => session.lose(floor, &critic.seat, &key, &lost)?,
        }
    }
    Ok(false)
}

/// One question, one answer, one review, and so on: never two panelists at once.
fn examine(floor: &mut Floor<'_>, session: &mut Session, mut next: Result<Next, End>) -> Flow<End> {
    if session.panel.exchanges.is_empty() && matches!(next, Ok(Next::Ask(_))) {
        floor.rule("examination/phase", Ruling::new(Kind::Phase, "Cross-examination"))?;
    }
    loop {
        let asked = match next {
            Ok(Next::Ask(asked)) => asked,
            Ok(Next::Stop) => return Ok(End::Exhausted),
            Err(end) => return Ok(end),
        };
        if session.exchanges_left(floor) == 0 {
            return Ok(End::Limit);
        }
        let number = session.panel.exchanges.len() as u32 + 1;
        let key = exchange_key(number, "answer");
        let text = format!("{} is asked: {}", session.panel.name(&asked.seat), asked.question);
        session.happen(floor, &exchange_key(number, "question"), &text, Event::Asked(asked.clone()))?;
        let request = Request::new(&key, &asked.seat, "question").fact("exchange", number).or_absent();
        match sources::speak(floor, &session.panel, request)? {
            Ok((statement, sources)) => {
                session.absent.retain(|absent| absent.seat != asked.seat);
                let (of, copies) = (statement.key.clone(), statement.value.copies);
                let event = Event::Answered { key: of, copies, sources };
                let speeches = [(statement.key, statement.value)];
                session.happen_with(floor, &format!("{key}/accepted"), "answered", event, &speeches)?;
                next = review(floor, session, number)?;
            }
            Err(lost) => {
                session.lose(floor, &asked.seat, &key, &lost)?;
                if is_too_long(&lost) {
                    return Ok(End::TooLong);
                }
                session.happen(floor, &format!("{key}/left"), "not answered", Event::Unanswered)?;
                session.rule_notes(floor, &key, 0)?;
                next = route(floor, session)?;
            }
        }
    }
}

/// The moderator says what the last answer brought, and what comes next. A panel that lost its
/// moderator has no verdict.
fn review(floor: &mut Floor<'_>, session: &mut Session, number: u32) -> Flow<Result<Next, End>> {
    for attempt in 0.. {
        let key = again(&exchange_key(number, "review"), attempt);
        match moderate(floor, &key, "review", |draft| review::read(&session.panel, draft))? {
            Ok((of, asking)) => {
                let found = Found { of: of.clone(), ..asking.found.clone() };
                let text = if found.is_new() { "something new" } else { "nothing new" };
                session.happen(floor, &exchange_key(number, "reviewed"), text, Event::Found(found))?;
                session.rule_notes(floor, &exchange_key(number, "reviewed"), 0)?;
                return Ok(Ok(asking.next.clone().said_by(&of)));
            }
            Err(lost) if is_too_long(&lost) => {
                session.lose(floor, &moderator(), &key, &lost)?;
                return Ok(Err(End::TooLong));
            }
            Err(lost) => session.give_up(floor, &moderator(), &key, &lost)?,
        }
    }
    unreachable!("a panel without a moderator ends, extended or not")
}

/// The moderator says what comes next where there is no answer to review.
fn route(floor: &mut Floor<'_>, session: &mut Session) -> Flow<Result<Next, End>> {
    loop {
        let key = format!("route-{:03}", session.routes);
        session.routes += 1;
        match moderate(floor, &key, "route", |draft| review::read_route(&session.panel, draft))? {
            Ok((of, asking)) => return Ok(Ok(asking.next.clone().said_by(&of))),
            Err(lost) if is_too_long(&lost) => {
                session.lose(floor, &moderator(), &key, &lost)?;
                return Ok(Err(End::TooLong));
            }
            Err(lost) => session.give_up(floor, &moderator(), &key, &lost)?,
        }
    }
}

/// The moderator writes up what was found; what can be computed stands without it.
fn synthesize(floor: &mut Floor<'_>, session: &Session) -> Flow<Vec<Absent>> {
    let key = format!("synthesis-{:03}", session.ends - 1);
    floor.rule(format!("{key}/phase"), Ruling::new(Kind::Phase, "Synthesis"))?;
    let request = Request::new(&key, &moderator(), "synthesis").or_absent();
    Ok(match floor.ask_until_valid(request, |draft| synthesis::read(&session.panel, draft))? {
        Ok(statement) => {
            let ruling = Ruling::new(Kind::Noted, "synthesis accepted").with(json!({"key": statement.key}));
            floor.rule(format!("{key}/accepted"), ruling)?;
            Vec::new()
        }
        Err(lost) => vec![rule_absent(floor, &moderator(), MODERATOR, &key, &lost)?],
    })
}

/// An answer of the moderator, and what it says.
type Usable<T> = (Key, Arc<Asking<T>>);

/// Asks the moderator until the answer can be used.
fn moderate<T: Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    key: &str,
    prompt: &str,
    read: impl Fn(Attempt<'_>) -> Result<Asking<T>, Faults>,
) -> Flow<Result<Usable<T>, Lost>> {
    match floor.ask_until_valid(Request::new(key, &moderator(), prompt), read)? {
        Ok(statement) => {
            warn(floor, key, MODERATOR, &statement.value.warnings)?;
            Ok(Ok((statement.key, statement.value)))
        }
        Err(lost) => Ok(Err(lost)),
    }
}

fn moderator() -> Seat {
    common::seat(MODERATOR)
}

fn is_too_long(lost: &Lost) -> bool {
    matches!(lost, Lost::Failed(failed) if failed.kind == FailureKind::TooLong)
}

/// Key of something in one exchange; exchanges count from 1, those without an answer included.
pub fn exchange_key(number: u32, what: &str) -> String {
    format!("exchange-{number:03}/{what}")
}

/// Key of what is asked again after an extension.
fn again(key: &str, attempt: u32) -> String {
    if attempt == 0 { key.to_owned() } else { format!("{key}/again-{attempt}") }
}
