//! The moderated panel: panelists take positions in parallel, each through a lens of its own; a
//! moderator finds what they disagree about and asks one question to one panelist at a time, until
//! nothing new comes.

pub mod analysis;
pub mod answer_effect;
pub mod confirmation;
pub mod disagreement;
mod examination;
mod facts;
pub mod lens;
mod open_questions;
pub mod panelist_prose;
pub mod question;
pub mod review;
mod script;
pub mod state;
mod state_changes;
pub mod synthesis;
pub mod transcript;

use std::sync::Arc;

use agon_core::{
    Absent, Attempt, FailureKind, Faults, Floor, Flow, Key, Lost, Outcome, Protocol, Request, Ruling, RulingKind, Seat,
    Statement, draft::Draft,
};
use agon_text::count_noun;

use self::{
    analysis::QuestionedStatement,
    answer_effect::ClaimReading,
    confirmation::confirm_reading,
    examination::{RouteCause, ask_next_step, confirm_next_step, run_examination},
    lens::Lens,
    panelist_prose::Speech,
    question::NextQuestion,
    script::Session,
    state::{Analysed, Panel, PanelEvent, QuotedWords, Weighed},
};
use crate::common::{
    self,
    absence::{record_warnings, rule_absent},
    lineup::{self, LineupRequirements, Member, Unfilled},
    readings::confirmation_key,
    request_values,
    source_check::Looked,
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
/// The prompt and the key under which lenses are chosen.
pub(super) const LENSES: &str = "lenses";
/// Names and lenses where nobody proposed any, in this order.
const USUAL: [(&str, &str); 8] = [
    ("Practitioner", "Practitioner Experience"),
    ("Contrarian", lens::CONTRARIAN),
    ("Empiricist", "Empirical Evidence"),
    ("Systems Thinker", "Systems Thinker"),
    ("Advocate", "User Advocate"),
    ("Assessor", "Risk Assessor"),
    ("Theorist", "First Principles"),
    ("Historian", "Historical Pattern"),
];

/// Fewer openings than this do not make a debate.
const OPENINGS_MIN: usize = 2;

impl Protocol for Moderated {
    crate::shipped_files! {
        "panel.toml", facts, people, skill;
        "lineup", "approval", "lenses", "opening", "disagreements", "valve", "challenge", "question", "review",
        "confirm", "route", "synthesis", "panel", "panelist", "moderator", "standing", "next", "small/lenses",
        "small/opening", "small/question", "small/panelist", "small/disagreements", "small/moderator",
        "small/valve", "small/challenge", "small/review", "small/route", "small/synthesis";
        common::REDRAFT, common::lineup::CONSENT, common::lineup::APPROVAL_NOTE, common::claim_reading::PROMPT,
        common::final_answer::PROMPT
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let mut attempt = 0;
        let panel = loop {
            match convene_panel(floor, attempt)? {
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
                floor.adjourn_debate(script::panel_outcome(&session.panel, &session.absent, absent.clone()))?;
            }
            let key = format!("end-{:03}/reopened", session.ends - 1);
            session.record_event(floor, &key, "more exchanges are allowed", PanelEvent::Reopened)?;
            next = match session.panel.disagreements.is_empty() {
                true => compare_openings(floor, &mut session)?,
                false => ask_next_step(floor, &mut session, RouteCause::Extended)?,
            };
        }
    }

    fn count_rounds_held(&self, outcome: &Outcome) -> Option<u32> {
        common::find_count_figure(outcome, "exchanges")
    }
}

/// The panel with its lenses, on the record; or the end, where the host wants no such panel.
fn convene_panel(floor: &mut Floor<'_>, attempt: u32) -> Flow<Result<Panel, Outcome>> {
    let given = lineup::list_row_members(floor.opened(), PANELIST);
    let members = match lineup::settle_lineup(floor, WANTED, attempt)? {
        Ok(members) => members,
        Err(Unfilled::Declined(why)) => {
            lineup::record_refusal(floor, attempt, &why)?;
            return Ok(Err(Outcome::void("no_verdict", format!("No panel. {why}"))));
        }
        Err(Unfilled::Lost(lost)) => {
            rule_absent(floor, &moderator_seat(), MODERATOR, &lineup::lineup_key(attempt), &lost)?;
            let members = default_members(&given);
            lineup::record_lineup(floor, &members)?;
            members
        }
    };
    let known = lens::known_lenses(&members, &given);
    let lenses = match known.iter().any(Option::is_none) {
        true => choose_lenses(floor, &members, &known)?,
        false => lens::by_catalogue(&known),
    };
    let assigned = lens::assign_lenses(lenses, &given);
    let seated = || members.iter().zip(&assigned);
    let replaced = seated().filter_map(|(member, a)| Some(format!("{}: {}", member.name, a.note.as_ref()?)));
    let replaced: Vec<String> = replaced.collect();
    let seated: Vec<String> = seated().map(|(member, a)| format!("{} ({})", member.name, a.lens.name)).collect();
    record_warnings(floor, LENSES, PANELIST, &replaced)?;
    let mut session = Session::new(Panel::of_members(members), 0);
    session.record_event(floor, LENSES, &seated.join(", "), PanelEvent::Lenses(assigned))?;
    Ok(Ok(session.panel))
}

/// The lenses that nobody has chosen yet, by the moderator; in the catalogue's order, where it gives no usable answer.
fn choose_lenses(floor: &mut Floor<'_>, members: &[Member], known: &[Option<Lens>]) -> Flow<Vec<Lens>> {
    let request = Request::new(LENSES, &moderator_seat(), LENSES).or_absent();
    match floor.ask_until_valid(request, |draft| lens::parse_choice(members, known, draft))? {
        Ok(chosen) => Ok(chosen.value.to_vec()),
        Err(lost) => {
            rule_absent(floor, &moderator_seat(), MODERATOR, LENSES, &lost)?;
            Ok(lens::by_catalogue(known))
        }
    }
}

/// A panel without a proposal: the named participants, and the usual lenses for the rest.
fn default_members(given: &[Member]) -> Vec<Member> {
    let named = |name: &str| given.iter().any(|member| member.name.eq_ignore_ascii_case(name));
    let mut free = USUAL.iter().filter(|(name, _)| !named(name));
    let fill = |member: &Member| {
        let mut member = member.clone();
        if member.name.is_empty()
            && let Some((name, lens)) = free.next()
        {
            member.name = (*name).to_owned();
            member.details.entry("lens").or_insert((*lens).into());
        }
        member
    };
    given.iter().map(fill).collect()
}

/// Everybody takes a position at once, seeing the topic alone. Two openings make a panel; with
/// fewer there is none, until an extension lets those who are missing try again.
fn ask_openings(floor: &mut Floor<'_>, session: &mut Session) -> Flow<()> {
    floor.record_ruling("opening/phase", Ruling::new(RulingKind::Phase, "Opening statements"))?;
    let seats: Vec<Seat> = session.panel.panelists.iter().map(|panelist| panelist.seat.clone()).collect();
    let mut standing: Vec<(Seat, Looked<Speech>)> = Vec::new();
    for attempt in 0.. {
        let missing = seats
            .iter()
            .filter(|seat| !standing.iter().any(|(known, _)| known == *seat))
            .map(|seat| Request::new(attempt_key(&format!("opening/{seat}"), attempt), seat, "opening").or_absent());
        let missing: Vec<Request> = missing.collect();
        let said = &session.panel.said;
        let drafts = missing.iter().map(|request| {
            Draft::new(request.clone(), move |draft: Attempt<'_>| said.check_speech(&request.seat, draft))
        });
        let answers = floor.ask_each_until_valid(drafts.collect())?;
        session.absent.clear();
        let mut spoken = Vec::new();
        for (request, answer) in missing.into_iter().zip(answers) {
            match answer {
                Ok(statement) => spoken.push((request, statement)),
                Err(lost) => session.record_absence(floor, &request.seat, request.key.as_str(), &lost)?,
            }
        }
        let speakers: Vec<Seat> = spoken.iter().map(|(request, _)| request.seat.clone()).collect();
        standing.extend(speakers.into_iter().zip(script::check_sources(floor, &session.panel, spoken)?));
        standing.sort_by_key(|(speaker, _)| seats.iter().position(|seat| seat == speaker));
        if standing.len() >= OPENINGS_MIN {
            let given = standing.iter().map(|(_, (statement, _))| (statement.key.clone(), statement.value.clone()));
            let speeches: Vec<(Key, Arc<Speech>)> = given.collect();
            let text = format!("{} of {} openings stand", speeches.len(), seats.len());
            let spoken = standing.into_iter();
            let spoken = spoken.map(|(seat, (statement, sources))| QuotedWords { seat, key: statement.key, sources });
            let event = PanelEvent::Opened(spoken.collect());
            return session.happen_with(floor, "opening/accepted", &text, event, &speeches);
        }
        floor.adjourn_debate(script::void_outcome(&session.panel, &session.absent))?;
        session.exchanges_left(floor);
    }
    unreachable!("a panel without openings ends, extended or not")
}

/// The moderator compares the openings. Where all agree, the most critical panelist is asked for
/// the strongest case against it before that is believed.
fn compare_openings(floor: &mut Floor<'_>, session: &mut Session) -> Flow<NextQuestion> {
    loop {
        let key = format!("analysis-{:03}", session.analyses);
        session.analyses += 1;
        floor.record_ruling(format!("{key}/phase"), Ruling::new(RulingKind::Phase, "Disagreements"))?;
        let request = session.moderator_request(floor, &format!("{key}/disagreements"), "disagreements");
        let left = left_of(&request);
        let asked = ask_moderator(floor, request, |draft| analysis::parse_comparison(&session.panel, left, draft))?;
        let (of, analysed, next) = match asked {
            Ok(asked) => asked,
            Err(lost) => {
                session.give_up(floor, &format!("{key}/disagreements"), &lost)?;
                continue;
            }
        };
        let analysed = Analysed { of, ..analysed };
        let text = match analysed.disagreements.len() {
            0 => "all agree".to_owned(),
            count => count_noun(count, "disagreement", "disagreements"),
        };
        session.record_event(floor, &format!("{key}/accepted"), &text, PanelEvent::Analysed(analysed))?;
        if !session.panel.disagreements.is_empty() {
            return confirm_next_step(floor, session, next);
        }
        if !ask_challenge(floor, session, &key)? {
            floor.adjourn_debate(script::void_outcome(&session.panel, &session.absent))?;
            session.exchanges_left(floor);
            continue;
        }
        match evaluate_challenge(floor, session, &format!("{key}/challenge"))? {
            Ok(next) if session.panel.disagreements.is_empty() => return Ok(next),
            Ok(next) => return confirm_next_step(floor, session, next),
            Err(lost) => session.give_up(floor, &format!("{key}/challenge"), &lost)?,
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
        ask_moderator(floor, request, |draft| analysis::parse_challenge(&session.panel, left, &challenger, draft))?;
    let (of, weighed, next) = match weighed {
        Ok(weighed) => weighed,
        Err(lost) => return Ok(Err(lost)),
    };
    // Whether the challenger of what all share shares it still.
    let request = Request::new(confirmation_key(key, "agreement"), &challenger, confirmation::PROMPT);
    let meaning = match weighed.reading.choice {
        holds @ ClaimReading::Holds => Some(confirm_reading(floor, session, (&of, &weighed.reading), request, holds)?),
        _ => None,
    };
    let weighed = Weighed { of, meaning, ..weighed };
    let (text, next) = match weighed.still_agrees() {
        true => ("the agreement holds", NextQuestion::Stop),
        false => ("the challenge opens a disagreement", next),
    };
    session.record_event(floor, &key.replace("/challenge", "/weighed"), text, PanelEvent::Weighed(weighed))?;
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
        match script::ask_speech(floor, &session.panel, Request::new(&key, &critic.seat, "valve").or_absent())? {
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

/// Asks the moderator until the answer can be used: which it is, what it says, and the next step that it names.
fn ask_moderator<T: Clone + Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    request: Request,
    read: impl Fn(Attempt<'_>) -> Result<QuestionedStatement<T>, Faults>,
) -> Flow<Result<(Key, T, NextQuestion), Lost>> {
    let key = request.key.clone();
    match floor.ask_until_valid(request, read)? {
        Ok(Statement { key: of, value }) => {
            record_warnings(floor, key.as_str(), MODERATOR, &value.warnings)?;
            let next = value.next.clone().said_by(&of);
            Ok(Ok((of, value.found.clone(), next)))
        }
        Err(lost) => Ok(Err(lost)),
    }
}

/// Exchanges that are left, as the moderator is told.
fn left_of(request: &Request) -> u32 {
    request_values::read_fact(request, "left").unwrap_or(u32::MAX)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::named_seat;

    #[test]
    fn a_panel_that_nobody_proposed_has_names_lenses_and_a_critic() {
        let member = |n: usize, name: &str| Member {
            seat: named_seat(&format!("panelist-{n}")),
            name: name.into(),
            persona: String::new(),
            details: serde_json::Map::new(),
        };
        let open: Vec<Member> = (1..=8).map(|n| member(n, "")).collect();
        let names: Vec<String> = default_members(&open).into_iter().map(|member| member.name).collect();
        assert_eq!(names, USUAL.map(|(name, _)| name));
        let given = [member(1, "contrarian"), member(2, "")];
        let panel = default_members(&given);
        assert_eq!((panel[0].name.as_str(), panel[1].name.as_str()), ("contrarian", "Practitioner"));
        let lenses = lens::by_catalogue(&lens::known_lenses(&panel, &given));
        assert!(lens::assign_lenses(lenses, &given).iter().any(|assigned| assigned.lens.critical));
        assert!(USUAL.iter().all(|(_, name)| lens::find_lens(name).is_some()));
    }
}
