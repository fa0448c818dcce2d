//! What the moderator finds in an answer: what it says of the speaker's claims, whether it stands still, what is new;
//! and what comes next.

use agon_core::{Attempt, Faults, Key, Seat, reading::ReadText};

use super::{
    analysis::{QuestionedStatement, others_words},
    answer_effect::{AnswerEffect, ClaimReading, Deadlock, PositionShift, ReadClaim},
    disagreement::Disagreement,
    question::{NextQuestion, Routing, each_once},
    state::{Examination, Panel, PanelEvent},
};
use crate::common::{
    form::{Form, Kind, Reader, choice_kind, form_field, list_kind, text_kind, whole_number_kind},
    readings::{parse_reading, quoting_fields},
};

/// Most other claims and pieces of evidence that one answer can bear on.
const OTHERS_MAX: usize = 2;
const EVIDENCE_MAX: usize = 3;
/// Characters of what a position moved on, in a note of one line.
const SHIFT_CHARS_MAX: u32 = 160;
const DEADLOCKS: [&str; 3] = ["none", "repetition", "circular"];
/// Where a position moved towards no one.
const NOBODY: &str = "nobody";

/// The form of the review of the last answer; `None` before there is one.
pub fn last_review_form(panel: &Panel, left: u32) -> Option<Form> {
    // Where no exchange is left, there is nothing to ask.
    let next = (left > 0).then(|| Routing { panel, first: false, left }.next_step_kind(None));
    panel.exchanges.last().map(|exchange| review_form(panel, exchange, next))
}

/// The form of a review of the answer in `exchange`.
fn review_form(panel: &Panel, exchange: &Examination, next: Option<Kind>) -> Form {
    let speaker = &exchange.asked.seat;
    let spoken = exchange.answer.as_ref().and_then(|answer| panel.said.find_turn(&answer.key));
    let passages: Vec<String> = spoken.into_iter().flat_map(|turn| turn.speech.list_passages()).collect();
    let about = panel.find_disagreement(&exchange.asked.disagreement);
    let is_third = panel.is_third(&exchange.asked);
    let sides = about.into_iter().flat_map(|about| &about.claims).map(|claim| panel.panelist_name(&claim.seat));
    let all = || panel.speakers().filter(|p| p.seat != *speaker).map(|p| p.name.as_str());
    let names =
        each_once(sides.filter(|name| *name != panel.panelist_name(speaker)).chain(all().filter(|_| !is_third)));
    let reading = |choices: &[&str]| {
        let with = form_field("with", Kind::Reference(names.iter().map(|name| (*name).to_owned()).collect()));
        quoting_fields(choices.iter().copied(), passages.clone()).into_iter().chain([with.as_optional()])
    };
    let choices: &[&str] = if is_third { &ClaimReading::OF_THIRD } else { &ClaimReading::OF_SIDE };
    let claim = Form::new("claim", reading(choices));
    let mut fields = vec![form_field("claim", Kind::Object(claim))];
    let ids: Vec<&str> = own_others(panel, exchange).map(|about| about.id.as_str()).collect();
    if !ids.is_empty() {
        let other = [form_field("disagreement", choice_kind(ids))].into_iter().chain(reading(&ClaimReading::OF_OTHERS));
        fields.push(form_field("others", list_kind(0, OTHERS_MAX, Kind::Object(Form::new("others", other)))));
    }
    let toward = [NOBODY].into_iter().chain(all()).map(str::to_owned).collect();
    let shift = [form_field("toward", Kind::Reference(toward)), form_field("on", text_kind(0, SHIFT_CHARS_MAX))];
    fields.extend([
        form_field("shift", Kind::Object(Form::new("shift", shift))),
        form_field("deadlock", choice_kind(DEADLOCKS)),
        form_field("repeats_round", whole_number_kind(0, panel.count_answers())),
        form_field("new_insight", Kind::YesNo),
        form_field("new_evidence", list_kind(0, EVIDENCE_MAX, text_kind(2, 300))),
        form_field("position_shift", Kind::YesNo),
    ]);
    fields.extend(next.map(|next| form_field("next", next)));
    Form::new("review", fields)
}

/// Disagreements of the speaker that the question was not about.
fn own_others<'p>(panel: &'p Panel, exchange: &Examination) -> impl Iterator<Item = &'p Disagreement> {
    let asked = exchange.asked.clone();
    panel.disagreements.iter().filter(move |d| d.id != asked.disagreement && d.has_side(&asked.seat))
}

/// The review in a draft of the last answer, or every rule it breaks; `left` exchanges are left.
pub fn parse_review(panel: &Panel, left: u32, draft: Attempt<'_>) -> Result<QuestionedStatement<AnswerEffect>, Faults> {
    let Some(exchange) = panel.exchanges.last() else {
        return Err(Faults::one("review", "", "there is no answer to review"));
    };
    review_form(panel, exchange, Some(Kind::AnyOf(Vec::new()))).read_statement(draft.text, |fields, faults| {
        let mut warnings = Vec::new();
        let read = parse_effect(panel, exchange, fields, faults, &mut warnings);
        let found = match exchange.answer.as_ref().and_then(|answer| answer.copies) {
            // A copy word for word is repetition, whatever the moderator makes of it.
            Some(round) => {
                if read.as_ref().is_none_or(|found| found.deadlock == Deadlock::None || found.is_new()) {
                    warnings
                        .push(format!("the answer copies round {round} nearly word for word; it counts as repetition"));
                }
                let about = &exchange.asked.disagreement;
                let nothing =
                    AnswerEffect::without_effect(Key::from_parts(super::MODERATOR), about, ClaimReading::Holds);
                AnswerEffect { deadlock: Deadlock::Repetition { round }, ..nothing }
            }
            None => read?,
        };
        let mut after = panel.clone();
        let assumed = after.assume_confirmed(found.clone());
        after.apply_event(PanelEvent::Found(assumed), |_| unreachable!("a review holds no speech"));
        // What comes next is nobody's matter where nothing can be asked.
        if left == 0 || after.has_nothing_to_ask() {
            return Some(QuestionedStatement { found, next: NextQuestion::Stop, warnings });
        }
        let routing = Routing { panel: &after, first: false, left };
        let next = routing.parse_next(fields, draft.number, faults, &mut warnings);
        Some(QuestionedStatement { found, next, warnings })
    })
}

fn parse_effect(
    panel: &Panel,
    exchange: &Examination,
    fields: &Reader<'_, '_>,
    faults: &mut Faults,
    warnings: &mut Vec<String>,
) -> Option<AnswerEffect> {
    let asked = &exchange.asked;
    let claim = fields.object_part("claim").open(faults);
    let claim = claim.and_then(|claim| parse_claim(panel, exchange, asked.disagreement.clone(), &claim, faults));
    let mut others: Vec<ReadClaim> = Vec::new();
    if own_others(panel, exchange).next().is_some() {
        for part in fields.read_parts("others", faults).iter().take(OTHERS_MAX) {
            let Some(other) = part.open(faults) else { continue };
            let id = other.read_text("disagreement", faults);
            let is_known = others.iter().any(|known| known.disagreement == id);
            others.extend(parse_claim(panel, exchange, id, &other, faults).filter(|_| !is_known));
        }
    }
    for read in &others {
        let cannot = panel.wanted_word(&asked.seat, read).is_none();
        if read.reading.choice == ClaimReading::TakesBack && cannot {
            let (name, id) = (panel.panelist_name(&asked.seat), &read.disagreement);
            warnings.push(format!("{name} cannot take back what is settled on {id}"));
        }
    }
    let mut found = AnswerEffect {
        of: Key::from_parts(super::MODERATOR),
        claim: claim?,
        others,
        shift: parse_shift(panel, &asked.seat, fields, faults),
        deadlock: parse_deadlock(panel, exchange, fields, faults),
        new_insight: fields.read_bool("new_insight", faults),
        new_evidence: fields.read_texts("new_evidence", faults),
        position_shift: fields.read_bool("position_shift", faults),
    };
    found.new_evidence.truncate(EVIDENCE_MAX);
    let has_copy = exchange.answer.as_ref().is_some_and(|answer| answer.copies.is_some());
    if !has_copy && found.deadlock != Deadlock::None && found.is_new() {
        let message =
            "a deadlock brings nothing new; either it is none, or there is neither new insight nor evidence nor shift";
        fields.add_fault("deadlock", message, faults);
    }
    Some(found)
}

/// What the answer says of one claim of the speaker, in the speaker's own words.
fn parse_claim(
    panel: &Panel,
    exchange: &Examination,
    disagreement: String,
    fields: &Reader<'_, '_>,
    faults: &mut Faults,
) -> Option<ReadClaim> {
    let seat = &exchange.asked.seat;
    let spoken = exchange.answer.as_ref().and_then(|answer| panel.said.find_turn(&answer.key));
    let mut foreign = others_words(panel, seat);
    foreign.push(exchange.asked.question.clone());
    foreign.extend(panel.disagreements.iter().flat_map(|about| &about.claims).map(|claim| claim.quote.clone()));
    let foreign: Vec<&str> = foreign.iter().map(String::as_str).collect();
    let text = ReadText { text: spoken.map_or("", |turn| turn.speech.text.as_str()), not_from: &foreign };
    let reading = parse_reading(fields, &text, ClaimReading::needs_quote, faults)?;
    let name = fields.optional_text("with", faults).unwrap_or_default();
    let with = panel.find_speaker(&name).map(|with| with.seat.clone()).filter(|with| with != seat);
    let about = panel.find_disagreement(&disagreement);
    if reading.choice == ClaimReading::SidesWith {
        let is_side = |with: &Seat| about.is_some_and(|about| about.has_side(with));
        if !with.as_ref().is_some_and(is_side) {
            fields.add_fault("with", "name the one of the two with whom this answer sides", faults);
        }
    }
    let with = with.filter(|_| reading.choice.needs_quote());
    Some(ReadClaim { disagreement, with, reading, meaning: None })
}

fn parse_shift(panel: &Panel, seat: &Seat, fields: &Reader<'_, '_>, faults: &mut Faults) -> Option<PositionShift> {
    if fields.raw_value("shift").is_null() {
        return None;
    }
    let shift = fields.object_part("shift").open(faults)?;
    let toward = shift.read_text("toward", faults);
    let on = shift.optional_text("on", faults).unwrap_or_default().replace(['[', ']', '*'], "");
    let on: String = on.chars().take(SHIFT_CHARS_MAX as usize).collect();
    let on = on.trim().trim_end_matches(['.', '。']).to_owned();
    let toward = panel.find_speaker(&toward).map(|with| with.seat.clone()).filter(|with| with != seat)?;
    (!on.is_empty()).then_some(PositionShift { toward, on })
}

fn parse_deadlock(panel: &Panel, exchange: &Examination, fields: &Reader<'_, '_>, faults: &mut Faults) -> Deadlock {
    let asked = &exchange.asked;
    match fields.read_text("deadlock", faults).as_str() {
        "repetition" => {
            let now = exchange.answer.as_ref().map_or(0, |answer| answer.round);
            let earlier = panel.said.list_turns(&asked.seat).map(|turn| turn.round).filter(|round| *round < now);
            let mut earlier: Vec<u32> = earlier.collect();
            earlier.dedup();
            let given = fields.read_number("repeats_round", faults);
            let round = earlier.iter().find(|round| f64::from(**round) == given).copied();
            if round.is_none() {
                let name = panel.panelist_name(&asked.seat);
                let rounds: Vec<String> = earlier.iter().map(u32::to_string).collect();
                let message = format!("{name} spoke before in round {} (0 is the opening)", rounds.join(", "));
                fields.add_fault("repeats_round", message, faults);
            }
            Deadlock::Repetition { round: round.unwrap_or(0) }
        }
        "circular" => {
            let about = panel.find_disagreement(&asked.disagreement);
            let answered = |seat: &Seat| {
                let on = panel.exchanges.iter().filter(|e| e.asked.disagreement == asked.disagreement);
                on.filter(|e| e.answer.is_some()).any(|e| e.asked.seat == *seat)
            };
            if about.is_none_or(|about| !about.claims.iter().all(|claim| answered(&claim.seat))) {
                let message = "circular needs answers of both sides on this disagreement; if one side restates itself, it is repetition";
                fields.add_fault("deadlock", message, faults);
            }
            Deadlock::Circular
        }
        _ => Deadlock::None,
    }
}

/// The form of a next step without a review, where `left` exchanges are left.
pub fn route_form(panel: &Panel, left: u32) -> Form {
    Form::new("route", [form_field("next", Routing { panel, first: false, left }.next_step_kind(None))])
}

/// A next step without a review: there is no answer, no usable question, or the panel continues.
pub fn parse_route(panel: &Panel, left: u32, draft: Attempt<'_>) -> Result<QuestionedStatement<()>, Faults> {
    Form::new("route", [form_field("next", Kind::AnyOf(Vec::new()))]).read_statement(draft.text, |fields, faults| {
        let mut warnings = Vec::new();
        let next = Routing { panel, first: false, left }.parse_next(fields, draft.number, faults, &mut warnings);
        Some(QuestionedStatement { found: (), next, warnings })
    })
}
