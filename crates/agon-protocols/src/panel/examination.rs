//! Cross-examination: one question to one panelist at a time, and what comes next.

use agon_core::{Floor, Flow, Key, Request, Ruling, RulingKind};
use serde::Serialize;

use super::{
    answer_effect::{AnswerEffect, ClaimReading},
    ask_moderator, confirmation, exchange_key, is_too_long, left_of, moderator_seat,
    question::NextQuestion,
    review::{parse_review, parse_route},
    script::{Session, ask_speech},
    state::{ExaminationEnd, PanelEvent},
};
use crate::common::request_values::word_of;

/// One question, one answer, one review, and so on: never two panelists at once.
pub(super) fn run_examination(
    floor: &mut Floor<'_>,
    session: &mut Session,
    mut next: NextQuestion,
) -> Flow<ExaminationEnd> {
    if session.panel.exchanges.is_empty() && matches!(next, NextQuestion::Ask(_)) {
        floor.record_ruling("examination/phase", Ruling::new(RulingKind::Phase, "Cross-examination"))?;
    }
    loop {
        let asked = match next {
            NextQuestion::Ask(asked) => asked,
            NextQuestion::Stop if session.is_cut_off(floor) => return Ok(ExaminationEnd::Limit),
            NextQuestion::Stop => return Ok(ExaminationEnd::Exhausted),
            NextQuestion::Unusable => return Ok(ExaminationEnd::NoQuestion),
            NextQuestion::TooLong => return Ok(ExaminationEnd::TooLong),
        };
        if session.exchanges_left(floor) == 0 {
            return Ok(ExaminationEnd::Limit);
        }
        let number = session.panel.exchanges.len() as u32 + 1;
        let key = exchange_key(number, "answer");
        let text = format!("{} is asked: {}", session.panel.panelist_name(&asked.seat), asked.question);
        session.record_event(floor, &exchange_key(number, "question"), &text, PanelEvent::Asked(asked.clone()))?;
        let request = Request::new(&key, &asked.seat, "question").with_fact("exchange", number).or_absent();
        match ask_speech(floor, &session.panel, request)? {
            Ok((statement, sources)) => {
                session.absent.retain(|absent| absent.seat != asked.seat);
                let (of, copies) = (statement.key.clone(), statement.value.copies);
                let event = PanelEvent::Answered { key: of, copies, sources };
                let speeches = [(statement.key, statement.value)];
                session.happen_with(floor, &format!("{key}/accepted"), "answered", event, &speeches)?;
                next = ask_review(floor, session, number)?;
            }
            Err(lost) => {
                session.record_absence(floor, &asked.seat, &key, &lost)?;
                if is_too_long(&lost) {
                    return Ok(ExaminationEnd::TooLong);
                }
                session.record_event(floor, &format!("{key}/left"), "not answered", PanelEvent::Unanswered)?;
                session.rule_notes(floor, &key, 0)?;
                next = ask_next_step(floor, session, RouteCause::Unanswered)?;
            }
        }
    }
}

/// The moderator says what the last answer brought, and what comes next. What no usable review says was not found.
fn ask_review(floor: &mut Floor<'_>, session: &mut Session, number: u32) -> Flow<NextQuestion> {
    let key = exchange_key(number, "review");
    let request = session.moderator_request(floor, &key, "review");
    let left = left_of(&request);
    let read = ask_moderator(floor, request, |draft| parse_review(&session.panel, left, draft))?;
    let (found, next) = match read {
        Ok((of, found, next)) => {
            session.absent.retain(|absent| absent.seat != moderator_seat());
            (AnswerEffect { of, ..found }, next)
        }
        Err(lost) => {
            session.record_absence(floor, &moderator_seat(), &key, &lost)?;
            if is_too_long(&lost) {
                return Ok(NextQuestion::TooLong);
            }
            let about = session.panel.exchanges.last().map(|exchange| exchange.asked.disagreement.clone());
            let about = about.unwrap_or_default();
            (AnswerEffect::without_effect(Key::from_parts(&key), &about, ClaimReading::Unclear), NextQuestion::Unusable)
        }
    };
    let found = confirmation::confirm_effect(floor, session, &key, found)?;
    let text = if found.is_new() { "something new" } else { "nothing new" };
    let key = exchange_key(number, "reviewed");
    session.record_event(floor, &key, text, PanelEvent::Found(found))?;
    session.rule_notes(floor, &key, 0)?;
    confirm_next_step(floor, session, next)
}

/// What comes next by a statement that was made before its readings were confirmed: where it no longer fits, or holds
/// no usable question, the moderator is asked once more.
pub(super) fn confirm_next_step(
    floor: &mut Floor<'_>,
    session: &mut Session,
    next: NextQuestion,
) -> Flow<NextQuestion> {
    let left = session.exchanges_left(floor);
    if session.panel.has_nothing_to_ask() || left == 0 {
        return Ok(NextQuestion::Stop);
    }
    let fits = match &next {
        NextQuestion::Ask(asked) => session.panel.can_be_put(asked, left),
        NextQuestion::Stop => session.panel.list_unmet_rules(left).is_empty(),
        NextQuestion::Unusable | NextQuestion::TooLong => false,
    };
    if fits { Ok(next) } else { ask_next_step(floor, session, RouteCause::NoQuestion) }
}

/// Why the moderator is asked for a next step alone.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RouteCause {
    /// The last question was not answered.
    Unanswered,
    /// The last statement holds no question that can be put now.
    NoQuestion,
    /// More exchanges were allowed.
    Extended,
}

/// The moderator says what comes next. Without a usable question the examination ends: the program never asks one.
pub(super) fn ask_next_step(floor: &mut Floor<'_>, session: &mut Session, cause: RouteCause) -> Flow<NextQuestion> {
    if session.panel.has_nothing_to_ask() || session.exchanges_left(floor) == 0 {
        return Ok(NextQuestion::Stop);
    }
    let key = format!("route-{:03}", session.routes);
    session.routes += 1;
    let request = session.moderator_request(floor, &key, "route").with_fact("cause", word_of(cause));
    let left = left_of(&request);
    match ask_moderator(floor, request, |draft| parse_route(&session.panel, left, draft))? {
        Ok((_, (), next)) => {
            session.absent.retain(|absent| absent.seat != moderator_seat());
            Ok(next)
        }
        Err(lost) => {
            session.record_absence(floor, &moderator_seat(), &key, &lost)?;
            Ok(if is_too_long(&lost) { NextQuestion::TooLong } else { NextQuestion::Unusable })
        }
    }
}
