//! What a safety valve brought: whether its challenger still holds what all share, and the strongest point against it.

use agon_core::{Attempt, Faults, Key, Seat, reading::ReadText};

use super::{
    analysis::{QuestionedStatement, any_claim, claim_forms, disagreement_form, parse_disagreement},
    finding::ClaimReading,
    question::{NextQuestion, Routing},
    state::{Panel, Weighed},
};
use crate::common::{
    form::{Form, Kind, form_field},
    readings::{parse_reading, quoting_fields},
};

/// The form of what a challenge opened, where `left` exchanges are left.
pub fn challenge_form(panel: &Panel, left: u32) -> Form {
    let challenger = panel.valves.last().map(|valve| &valve.seat);
    let next = Routing { panel, first: true, left }.next_step_kind(challenger);
    form_with(panel, claim_forms(panel, challenger), next)
}

fn form_with(panel: &Panel, claims: Vec<Form>, next: Kind) -> Form {
    let spoken = panel.valves.last().and_then(|valve| panel.said.find_turn(&valve.key));
    let passages = spoken.into_iter().flat_map(|turn| turn.speech.list_passages());
    let claim = Form::new("claim", quoting_fields(ClaimReading::OF_SIDE, passages));
    let fields = [
        form_field("claim", Kind::Object(claim)),
        form_field("counter", Kind::Object(disagreement_form(claims))),
        form_field("next", next),
    ];
    Form::new("challenge", fields)
}

/// What a challenge opened, or every rule the draft breaks. One of the two claims is the challenger's.
pub fn parse_challenge(
    panel: &Panel,
    left: u32,
    challenger: &Seat,
    draft: Attempt<'_>,
) -> Result<QuestionedStatement<Weighed>, Faults> {
    form_with(panel, any_claim(), Kind::AnyOf(Vec::new())).read_statement(draft.text, |fields, faults| {
        let mut warnings = Vec::new();
        let reading = fields.object_part("claim").open(faults).and_then(|claim| {
            let others = others_words(panel, challenger);
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            let text = panel.said.of(challenger).next_back().map_or("", |turn| turn.speech.text.as_str());
            let needs_quote = |choice: ClaimReading| choice != ClaimReading::Unclear;
            parse_reading(&claim, &ReadText { text, not_from: &others }, needs_quote, faults)
        });
        let counter = parse_disagreement(panel, &fields.object_part("counter"), faults);
        if let Some(counter) = counter.as_ref().filter(|counter| !counter.has_side(challenger)) {
            let sides = counter.claims.each_ref().map(|claim| panel.panelist_name(&claim.seat));
            let name = panel.panelist_name(challenger);
            let message =
                format!("these are claims of {} and {}; one must be of {name}, who was asked", sides[0], sides[1]);
            faults.add("challenge", "counter.claims", message);
        }
        let (Some(reading), Some(counter)) = (reading, counter) else {
            if faults.0.is_empty() {
                let message = "the strongest point against the shared position is wanted here";
                fields.add_fault("counter", message, faults);
            }
            return None;
        };
        let mut after = panel.clone();
        after.disagreements.push(counter.clone());
        let routing = Routing { panel: &after, first: true, left };
        let next = match reading.choice {
            _ if !faults.0.is_empty() => NextQuestion::Unusable,
            // The question is put only if the agreement does not hold, so it may be missing where it seems to.
            ClaimReading::Holds => {
                let mut own = Faults::default();
                let next = routing.parse_next(fields, 0, &mut own, &mut Vec::new());
                if own.0.is_empty() { next } else { NextQuestion::Unusable }
            }
            _ => routing.parse_next(fields, draft.number, faults, &mut warnings),
        };
        let weighed = Weighed { of: Key::of(super::MODERATOR), reading, meaning: None, counter };
        Some(QuestionedStatement { found: weighed, next, warnings })
    })
}

/// What others than `seat` have said: their words decide nothing about `seat`.
pub(super) fn others_words(panel: &Panel, seat: &Seat) -> Vec<String> {
    let turns = panel.said.turns().iter().filter(|turn| turn.seat != *seat);
    turns.map(|turn| turn.speech.text.clone()).collect()
}
