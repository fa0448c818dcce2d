//! The second answer that a reading needs to decide anything: the speaker's own.

use agon_core::{
    Attempt, Faults, Floor, Flow, Key, Request,
    reading::{Doubt, Meaning, Reading},
};

use super::{
    answer_effect::{AnswerEffect, ClaimReading},
    script::Session,
};
use crate::common::{
    form::{Form, choice_kind, form_field},
    readings::{confirmation_key, is_fit_reader, unclear_reading},
};

/// The prompt of a speaker who is asked whether a claim still holds.
pub const PROMPT: &str = "confirm";

/// The form of the answer of a speaker.
pub fn confirmation_form() -> Form {
    Form::new("confirm", [form_field("choice", choice_kind(ClaimReading::OF_SPEAKER))])
}

/// What a speaker says of their own claim.
pub fn parse_word(draft: Attempt<'_>) -> Result<ClaimReading, Faults> {
    confirmation_form().read_statement(draft.text, |fields, faults| fields.read_enum("choice", faults))
}

/// `found` with what each of its readings comes to that would decide something, or that cannot be told. `key` is the
/// moderator's request.
pub(super) fn confirm_effect(
    floor: &mut Floor<'_>,
    session: &mut Session,
    key: &str,
    mut found: AnswerEffect,
) -> Flow<AnswerEffect> {
    let Some(seat) = session.panel.exchanges.last().map(|exchange| exchange.asked.seat.clone()) else {
        return Ok(found);
    };
    let of = found.of.clone();
    for read in found.claims_mut() {
        let about = session.panel.find_disagreement(&read.disagreement);
        let is_open_side = about.is_some_and(|about| about.has_side(&seat) && about.is_open());
        let Some(wanted) = session.panel.wanted_word(&seat, read) else {
            if read.reading.choice == ClaimReading::Unclear && is_open_side {
                read.meaning = Some(unclear_reading(&of, Doubt::Chosen));
            }
            continue;
        };
        let request = Request::new(confirmation_key(key, &read.disagreement), &seat, PROMPT)
            .with_fact("disagreement", read.disagreement.as_str());
        read.meaning = Some(confirm_reading(floor, session, (&of, &read.reading), request, wanted)?);
    }
    Ok(found)
}

/// Asks the speaker whether what the answer `of` says is so; settled, where the word is the `wanted` one.
pub(super) fn confirm_reading(
    floor: &mut Floor<'_>,
    session: &mut Session,
    (of, reading): (&Key, &Reading<ClaimReading>),
    request: Request,
    wanted: ClaimReading,
) -> Flow<Meaning<ClaimReading>> {
    if !is_fit_reader(floor, of) {
        return Ok(unclear_reading(of, Doubt::UnfitReader));
    }
    let request = request.with_fact("quote", reading.quote.as_str()).or_absent();
    let (key, seat) = (request.key.clone(), request.seat.clone());
    Ok(match floor.ask_until_valid(request, parse_word)? {
        Ok(word) if *word.value == wanted => Meaning::Settled {
            choice: reading.choice,
            quote: reading.quote.clone(),
            read: of.clone(),
            confirmed: word.key,
        },
        Ok(word) if wanted == ClaimReading::GivesUp && *word.value == ClaimReading::Partly => {
            unclear_reading(of, Doubt::Partly)
        }
        Ok(_) => unclear_reading(of, Doubt::Differs),
        Err(lost) => {
            session.record_absence(floor, &seat, key.as_str(), &lost)?;
            unclear_reading(of, Doubt::NotConfirmed)
        }
    })
}
