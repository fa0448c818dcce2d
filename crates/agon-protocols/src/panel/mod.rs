//! The moderated panel: panelists take positions in parallel, each through a lens of its own; a
//! moderator finds what they disagree about and asks one question to one panelist at a time, until
//! nothing new comes.

pub mod analysis;
pub mod confirm;
pub mod disagreement;
mod effect;
mod examination;
mod facts;
pub mod finding;
mod hidden;
pub mod lens;
mod members;
mod outcome;
pub mod question;
pub mod review;
mod session;
mod sources;
pub mod speech;
mod standing;
pub mod state;
pub mod synthesis;
pub mod transcript;
pub mod valve;

use std::sync::{Arc, LazyLock};

use agon_core::{
    Absent, Attempt, Facts, FailureKind, Faults, Floor, Flow, Key, Lost, Manifest, Outcome, People, Protocol, Request,
    Ruling, RulingKind, Seat, View, draft::Draft,
};
use serde_json::Value;

use self::{
    analysis::QuestionedStatement,
    examination::{NextStep, RouteCause, ask_next_step, confirm_next_step, run_examination},
    question::NextQuestion,
    session::Session,
    speech::Speech,
    state::{Analysed, PanelEvent, QuotedWords, Weighed},
};
use crate::common::{
    self,
    absence::{record_warnings, rule_absent},
    lineup::LineupRequirements,
    source_check::Looked,
    templates, values,
};

/// The moderated panel.
pub struct Moderated;

/// The row of seats that panelists take.
pub const PANELIST: &str = "panelist";
/// Who asks, reviews and writes the synthesis.
pub const MODERATOR: &str = "moderator";
/// What is wanted of panelists.
const WANTED: LineupRequirements<'static> = LineupRequirements {
    row: PANELIST,
    proposer: MODERATOR,
    details: &["lens"],
    reserved: &[MODERATOR, PANELIST, "panel", "round"],
    // A lens that nobody chose is found without asking.
    needed: &[],
    side: None,
};
/// Fewer openings than this do not make a debate.
const OPENINGS_MIN: usize = 2;

static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| common::parse_shipped_manifest(include_str!("panel.toml")));
static PEOPLE: LazyLock<People> = LazyLock::new(|| common::parse_people(include_str!("people.toml")));

impl Protocol for Moderated {
    fn manifest(&self) -> &Manifest {
        &MANIFEST
    }

    fn prompt_templates(&self) -> &[(&str, &str)] {
        templates! {
            "lineup", "approval", "lenses", "opening", "disagreements", "valve", "challenge", "question", "review",
            "confirm", "route", "synthesis", "panel", "panelist", "moderator", "standing", "next", "small/lenses",
            "small/opening", "small/question", "small/panelist", "small/disagreements", "small/moderator",
            "small/valve", "small/challenge", "small/review", "small/route", "small/synthesis";
            common::REDRAFT, common::lineup::CONSENT, common::lineup::APPROVAL_NOTE, common::claim_reading::PROMPT,
            common::final_answer::PROMPT
        }
    }

    fn skill_text(&self) -> Option<&str> {
        Some(include_str!("skill.md"))
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let mut attempt = 0;
        let panel = loop {
            match members::convene_panel(floor, attempt)? {
                Ok(panel) => break panel,
                Err(refused) => floor.adjourn_debate(refused)?,
            }
            floor.current_limits();
            attempt += 1;
        };
        let mut session = Session::new(panel, floor.current_limits().rounds);
        ask_openings(floor, &mut session)?;
        let mut next = compare_openings(floor, &mut session)?;
        loop {
            let end = run_examination(floor, &mut session, next)?;
            session.end_examination(floor, end)?;
            let absent = ask_synthesis(floor, &mut session)?;
            // An extension that allows no further exchange, or finds nothing open, changes nothing.
            while session.exchanges_left(floor) == 0 || session.panel.is_spent() {
                floor.adjourn_debate(sources::add_source_counts(
                    &session.panel,
                    outcome::panel_outcome(&session.panel, &session.absent, absent.clone()),
                ))?;
            }
            session.reopen_examination(floor)?;
            next = match session.panel.disagreements.is_empty() {
                true => compare_openings(floor, &mut session)?,
                false => ask_next_step(floor, &mut session, RouteCause::Extended)?,
            };
        }
    }

    fn count_rounds_held(&self, outcome: &Outcome) -> Option<u32> {
        common::find_count_figure(outcome, "exchanges")
    }

    fn prompt_facts(&self, heard: &View<'_>, request: &Request) -> Facts {
        facts::prompt_facts(heard, request)
    }

    fn human_prompts(&self) -> &People {
        &PEOPLE
    }

    fn answer_schema(&self, heard: &View<'_>, request: &Request) -> Option<Value> {
        facts::answer_schema(heard, request)
    }
}

/// Everybody takes a position at once, seeing the topic alone. Two openings make a panel; with
/// fewer there is none, until an extension lets those who are missing try again.
fn ask_openings(floor: &mut Floor<'_>, session: &mut Session) -> Flow<()> {
    floor.record_ruling("opening/phase", Ruling::new(RulingKind::Phase, "Opening statements"))?;
    let panelists = session.panel.panelists.clone();
    let mut standing: Vec<Option<Looked<Speech>>> = vec![None; panelists.len()];
    for attempt in 0.. {
        let missing: Vec<usize> = (0..panelists.len()).filter(|at| standing[*at].is_none()).collect();
        let drafts = missing.iter().map(|at| {
            let seat = &panelists[*at].seat;
            let request = Request::new(attempt_key(&format!("opening/{seat}"), attempt), seat, "opening").or_absent();
            let panel = &session.panel;
            Draft::new(request, move |draft: Attempt<'_>| panel.said.check_speech(seat, draft))
        });
        let answers = floor.ask_each_until_valid(drafts.collect())?;
        session.absent.clear();
        let (mut places, mut spoken) = (Vec::new(), Vec::new());
        for (at, answer) in missing.into_iter().zip(answers) {
            let seat = panelists[at].seat.clone();
            let key = attempt_key(&format!("opening/{seat}"), attempt);
            match answer {
                Ok(statement) => {
                    places.push(at);
                    spoken.push((Request::new(key, &seat, "opening").or_absent(), statement));
                }
                Err(lost) => session.record_absence(floor, &seat, &key, &lost)?,
            }
        }
        for (at, looked) in places.into_iter().zip(sources::check_sources(floor, &session.panel, spoken)?) {
            standing[at] = Some(looked);
        }
        let given = standing.iter().flatten();
        let speeches: Vec<(Key, Arc<Speech>)> =
            given.map(|(statement, _)| (statement.key.clone(), statement.value.clone())).collect();
        if speeches.len() >= OPENINGS_MIN {
            let spoken = panelists.iter().zip(&standing).filter_map(|(panelist, standing)| {
                let (statement, sources) = standing.clone()?;
                Some(QuotedWords { seat: panelist.seat.clone(), key: statement.key, sources })
            });
            let text = format!("{} of {} openings stand", speeches.len(), panelists.len());
            let event = PanelEvent::Opened(spoken.collect());
            return session.happen_with(floor, "opening/accepted", &text, event, &speeches);
        }
        floor.adjourn_debate(outcome::void_outcome(&session.panel, &session.absent))?;
        session.exchanges_left(floor);
    }
    unreachable!("a panel without openings ends, extended or not")
}

/// The moderator compares the openings. Where all agree, the most critical panelist is asked for
/// the strongest case against it before that is believed.
fn compare_openings(floor: &mut Floor<'_>, session: &mut Session) -> Flow<NextStep> {
    loop {
        let key = format!("analysis-{:03}", session.analyses);
        session.analyses += 1;
        floor.record_ruling(format!("{key}/phase"), Ruling::new(RulingKind::Phase, "Disagreements"))?;
        let request = session.moderator_request(floor, &format!("{key}/disagreements"), "disagreements");
        let left = left_of(&request);
        let asked = ask_moderator(floor, request, |draft| analysis::parse_comparison(&session.panel, left, draft))?;
        let (of, asking) = match asked {
            Ok(asked) => asked,
            Err(lost) => {
                session.give_up(floor, &moderator_seat(), &format!("{key}/disagreements"), &lost)?;
                continue;
            }
        };
        let analysed = Analysed { of: of.clone(), ..asking.found.clone() };
        let text = match analysed.disagreements.len() {
            0 => "all agree".to_owned(),
            count => format!("{count} disagreement{}", if count == 1 { "" } else { "s" }),
        };
        session.record_event(floor, &format!("{key}/accepted"), &text, PanelEvent::Analysed(analysed))?;
        if !session.panel.disagreements.is_empty() {
            return confirm_next_step(floor, session, asking.next.clone().said_by(&of));
        }
        if !ask_challenge(floor, session, &key)? {
            floor.adjourn_debate(outcome::void_outcome(&session.panel, &session.absent))?;
            session.exchanges_left(floor);
            continue;
        }
        match evaluate_challenge(floor, session, &format!("{key}/challenge"))? {
            Ok(next) if session.panel.disagreements.is_empty() => return Ok(Ok(next)),
            Ok(next) => return confirm_next_step(floor, session, next),
            Err(lost) => session.give_up(floor, &moderator_seat(), &format!("{key}/challenge"), &lost)?,
        }
    }
}

/// The moderator reads whether the challenger still shares what all hold; that ends the panel only where the challenger
/// confirms it. Else the strongest point against it is examined.
fn evaluate_challenge(floor: &mut Floor<'_>, session: &mut Session, key: &str) -> Flow<Result<NextQuestion, Lost>> {
    let challenger = session.panel.valves.last().map(|valve| valve.seat.clone()).unwrap_or_else(moderator_seat);
    let request = session.moderator_request(floor, key, "challenge");
    let left = left_of(&request);
    let weighed =
        ask_moderator(floor, request, |draft| valve::parse_challenge(&session.panel, left, &challenger, draft))?;
    let (of, asking) = match weighed {
        Ok(weighed) => weighed,
        Err(lost) => return Ok(Err(lost)),
    };
    let meaning = confirm::confirm_agreement(floor, session, key, (&of, &asking.found.reading), &challenger)?;
    let weighed = Weighed { of: of.clone(), meaning, ..asking.found.clone() };
    let (text, next) = match weighed.still_agrees() {
        true => ("the agreement holds", NextQuestion::Stop),
        false => ("the challenge opens a disagreement", asking.next.clone().said_by(&of)),
    };
    let key = key.replace("/challenge", "/weighed");
    session.record_event(floor, &key, text, PanelEvent::Weighed(weighed))?;
    Ok(Ok(next))
}

/// The safety valve: asked of the panelist with the most critical lens, and where that one does not
/// answer, of the next. Whether anybody did.
fn ask_challenge(floor: &mut Floor<'_>, session: &mut Session, key: &str) -> Flow<bool> {
    floor.record_ruling(format!("{key}/valve/phase"), Ruling::new(RulingKind::Phase, "Safety valve"))?;
    let mut critics: Vec<_> = session.panel.speakers().cloned().collect();
    critics.sort_by_key(|p| (p.lens.name != lens::CONTRARIAN, !p.lens.critical));
    for critic in critics {
        let key = format!("{key}/valve/{}", critic.seat);
        let request = Request::new(&key, &critic.seat, "valve").or_absent();
        match sources::ask_speech(floor, &session.panel, request)? {
            Ok((statement, sources)) => {
                let spoken = QuotedWords { seat: critic.seat, key: statement.key.clone(), sources };
                let event = PanelEvent::Challenged(spoken);
                let speeches = [(statement.key, statement.value)];
                session.happen_with(floor, &format!("{key}/accepted"), "challenged", event, &speeches)?;
                return Ok(true);
            }
            Err(lost) => session.record_absence(floor, &critic.seat, &key, &lost)?,
        }
    }
    Ok(false)
}

/// The moderator writes up what was found; what can be computed stands without it.
fn ask_synthesis(floor: &mut Floor<'_>, session: &mut Session) -> Flow<Vec<Absent>> {
    let key = format!("synthesis-{:03}", session.ends - 1);
    floor.record_ruling(format!("{key}/phase"), Ruling::new(RulingKind::Phase, "Synthesis"))?;
    let request = Request::new(&key, &moderator_seat(), "synthesis").or_absent();
    Ok(match floor.ask_until_valid(request, |draft| synthesis::parse_synthesis(&session.panel, draft))? {
        Ok(statement) => {
            let event = PanelEvent::Concluded(statement.key);
            session.record_event(floor, &format!("{key}/accepted"), "synthesis accepted", event)?;
            Vec::new()
        }
        Err(lost) => vec![rule_absent(floor, &moderator_seat(), MODERATOR, &key, &lost)?],
    })
}

/// An answer of the moderator, and what it says.
type Usable<T> = (Key, Arc<QuestionedStatement<T>>);

/// Asks the moderator until the answer can be used.
fn ask_moderator<T: Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    request: Request,
    read: impl Fn(Attempt<'_>) -> Result<QuestionedStatement<T>, Faults>,
) -> Flow<Result<Usable<T>, Lost>> {
    let key = request.key.clone();
    match floor.ask_until_valid(request, read)? {
        Ok(statement) => {
            record_warnings(floor, key.as_str(), MODERATOR, &statement.value.warnings)?;
            Ok(Ok((statement.key, statement.value)))
        }
        Err(lost) => Ok(Err(lost)),
    }
}

/// Exchanges that are left, as the moderator is told.
fn left_of(request: &Request) -> u32 {
    values::read_fact(request, "left").unwrap_or(u32::MAX)
}

fn moderator_seat() -> Seat {
    common::named_seat(MODERATOR)
}

fn is_too_long(lost: &Lost) -> bool {
    matches!(lost, Lost::Failed(failed) if failed.kind == FailureKind::TooLong)
}

/// Key of something in one exchange; exchanges count from 1, those without an answer included.
pub fn exchange_key(number: u32, what: &str) -> String {
    format!("exchange-{number:03}/{what}")
}

/// Key of what is asked again after an extension.
fn attempt_key(key: &str, attempt: u32) -> String {
    if attempt == 0 { key.to_owned() } else { format!("{key}/again-{attempt}") }
}
