//! What a safety valve brought: whether its challenger still holds what all share, and the strongest point against it.

use agon_core::{
    Attempt, Faults, Key, Seat,
    reading::{ReadText, Reading},
};
use serde_json::Value;

use super::{
    analysis::{QuestionedStatement, any_claim, claim_forms, disagreement_form, parse_disagreement},
    disagreement::Disagreement,
    finding::ClaimReading,
    question::{NextQuestion, Routing},
    state::{Panel, Weighed},
};
use crate::common::{
    form::{Form, Kind, form_field},
    readings::{parse_reading, quoting_fields},
};

/// JSON Schema of what a challenge opened.
pub fn challenge_schema(panel: &Panel, left: u32) -> Value {
    let challenger = panel.valves.last().map(|valve| &valve.seat);
    let next = Routing { panel, first: true, left }.next_step_kind(challenger);
    challenge_form(panel, claim_forms(panel, challenger), next).json_schema()
}

/// The form of what a challenge opened.
fn challenge_form(panel: &Panel, claims: Vec<Form>, next: Kind) -> Form {
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
    challenge_form(panel, any_claim(), Kind::AnyOf(Vec::new())).read_statement(draft.text, |fields, faults| {
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
        let next =
            next_question(panel, left, &reading, &counter, (fields.raw_value("next"), draft), faults, &mut warnings);
        let weighed = Weighed { of: Key::of(super::MODERATOR), reading, meaning: None, counter };
        Some(QuestionedStatement { found: weighed, next, warnings })
    })
}

/// What others than `seat` have said: their words decide nothing about `seat`.
pub(super) fn others_words(panel: &Panel, seat: &Seat) -> Vec<String> {
    let turns = panel.said.turns().iter().filter(|turn| turn.seat != *seat);
    turns.map(|turn| turn.speech.text.clone()).collect()
}

/// The question about the counterpoint; it is put only if the agreement does not hold, so it may be missing where it
/// seems to.
fn next_question(
    panel: &Panel,
    left: u32,
    reading: &Reading<ClaimReading>,
    counter: &Disagreement,
    (value, draft): (&Value, Attempt<'_>),
    faults: &mut Faults,
    warnings: &mut Vec<String>,
) -> NextQuestion {
    if !faults.0.is_empty() {
        return NextQuestion::Unusable;
    }
    let mut after = panel.clone();
    after.disagreements.push(counter.clone());
    let routing = Routing { panel: &after, first: true, left };
    if reading.choice != ClaimReading::Holds {
        return routing.parse_next(value, "next", draft.number, faults, warnings);
    }
    let mut own = Faults::default();
    let next = routing.parse_next(value, "next", 0, &mut own, &mut Vec::new());
    if own.0.is_empty() { next } else { NextQuestion::Unusable }
}
