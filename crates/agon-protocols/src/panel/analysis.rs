//! What the moderator finds in the openings: agreements, and two or three disagreements in the
//! panelists' own words. And what a safety valve brought: whether its challenger still holds what all share, and the
//! strongest point against it.

use agon_core::{Attempt, Faults, Key, Seat, reading::ReadText};
use agon_text::count_words;

use super::{
    MODERATOR,
    answer_effect::ClaimReading,
    disagreement::{Claim, Conflict, Disagreement, DisagreementState, Rank},
    panelist_prose::{QUOTE_WORDS_MAX, QUOTE_WORDS_MIN, trim_quote},
    question::{NextQuestion, Routing, reference_kind},
    state::{Analysed, Panel, Panelist, Weighed},
};
use crate::common::{
    form::{Form, Kind, Part, choice_kind, form_field, list_kind, quotation_kind, text_kind},
    readings::{parse_reading, quoting_fields},
};

/// Most disagreements that are followed.
pub const DISAGREEMENTS_MAX: usize = 3;
/// Most passages of one panelist that a claim is offered to quote.
const PASSAGES_EACH_MAX: usize = 16;
/// How claims conflict, as the moderator says it.
const KINDS: [&str; 4] = ["facts", "recommendations", "premise", "weight"];
/// How productive a disagreement is.
const RANKS: [&str; 3] = ["high", "medium", "low"];

/// A statement with the question that follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionedStatement<T> {
    /// What was found.
    pub found: T,
    /// The next step.
    pub next: NextQuestion,
    /// What is worth a warning and no redraft.
    pub warnings: Vec<String>,
}

/// The form of the comparison of the openings, where `left` exchanges are left.
pub fn comparison_form(panel: &Panel, left: u32) -> Form {
    form_with(claim_forms(panel, None), Routing { panel, first: true, left }.next_step_kind(None))
}

fn form_with(claims: Vec<Form>, next: Kind) -> Form {
    let fields = [
        form_field("shared_position", text_kind(4, 800)),
        form_field("agreements", list_kind(0, 5, text_kind(2, 300))),
        form_field("all_agree", Kind::YesNo),
        form_field("disagreements", list_kind(1, DISAGREEMENTS_MAX, Kind::Object(disagreement_form(claims)))),
        form_field("next", next),
    ];
    Form::new("analysis", fields)
}

/// The form of one disagreement.
fn disagreement_form(claims: Vec<Form>) -> Form {
    let fields = [
        form_field("topic", text_kind(2, 160)),
        form_field("kind", choice_kind(KINDS)),
        form_field("rank", choice_kind(RANKS)),
        form_field("claims", list_kind(2, 2, Kind::AnyOf(claims))),
    ];
    Form::new("analysis", fields)
}

/// The form of a claim of a panelist, who has said these passages.
fn claim_form(panelist: Option<&str>, passages: impl IntoIterator<Item = String>) -> Form {
    let fields = [
        form_field("panelist", reference_kind(panelist)),
        form_field("quote", quotation_kind(passages)).with_rule("quote"),
    ];
    Form::new("analysis", fields)
}

/// The forms of the claims that a schema offers: each panelist with their own words, the challenger's first.
fn claim_forms(panel: &Panel, challenger: Option<&Seat>) -> Vec<Form> {
    let mut speakers: Vec<&Panelist> = panel.speakers().collect();
    speakers.sort_by_key(|p| Some(&p.seat) != challenger);
    let each = speakers.into_iter().map(|panelist| {
        let passages = list_passages(panel, panelist, challenger);
        claim_form(Some(panelist.name.as_str()), passages.into_iter().take(PASSAGES_EACH_MAX))
    });
    each.collect()
}

/// The form of a claim that is read: it is compared with what was said, not with what was offered.
fn any_claim() -> Vec<Form> {
    vec![claim_form(None, [])]
}

/// Passages of one speaker, the challenger's from the challenge on back.
fn list_passages(panel: &Panel, speaker: &Panelist, challenger: Option<&Seat>) -> Vec<String> {
    let turns = panel.said.list_turns(&speaker.seat);
    let turns: Vec<_> = if Some(&speaker.seat) == challenger { turns.rev().collect() } else { turns.collect() };
    turns.into_iter().flat_map(|turn| turn.speech.list_passages()).collect()
}

/// The comparison in a draft, or every rule it breaks.
pub fn parse_comparison(panel: &Panel, left: u32, draft: Attempt<'_>) -> Result<QuestionedStatement<Analysed>, Faults> {
    form_with(any_claim(), Kind::AnyOf(Vec::new())).read_statement(draft.text, |fields, faults| {
        let of = Key::from_parts(MODERATOR);
        let mut warnings = Vec::new();
        let shared = fields.read_text("shared_position", faults);
        let agreements = fields.read_texts("agreements", faults);
        let all_agree = fields.read_bool("all_agree", faults);
        let parts = fields.read_parts("disagreements", faults);
        let mut disagreements = Vec::new();
        for part in &parts {
            disagreements.extend(parse_disagreement(panel, part, faults));
        }
        // What is listed where all agree is only where they come closest to disagreeing.
        if all_agree {
            let found = Analysed { of, shared, agreements, disagreements: Vec::new() };
            return Some(QuestionedStatement { found, next: NextQuestion::Stop, warnings });
        }
        let count = parts.len();
        if !(1..=DISAGREEMENTS_MAX).contains(&count) {
            let message =
                format!("2 or {DISAGREEMENTS_MAX} are wanted, found {count}; if all agree, all_agree is true");
            fields.add_fault("disagreements", message, faults);
        } else if count == 1 {
            warnings.push("one disagreement was found, where 2 or 3 are asked for".into());
        }
        disagreements.sort_by_key(|about: &Disagreement| about.rank);
        for (i, about) in disagreements.iter_mut().enumerate() {
            about.id = format!("D{}", i + 1);
        }
        let mut after = panel.clone();
        after.disagreements.clone_from(&disagreements);
        let routing = Routing { panel: &after, first: true, left };
        let next = match faults.0.is_empty() {
            true => routing.parse_next(fields, draft.number, faults, &mut warnings),
            false => NextQuestion::Unusable,
        };
        Some(QuestionedStatement { found: Analysed { of, shared, agreements, disagreements }, next, warnings })
    })
}

/// A disagreement with the claims of both sides, each compared with what its panelist said.
fn parse_disagreement(panel: &Panel, part: &Part<'_, '_>, faults: &mut Faults) -> Option<Disagreement> {
    let fields = part.open(faults)?;
    let topic = fields.read_text("topic", faults).replace(['[', ']', '*'], "");
    let is_word_of_form = |word: &&str| word.eq_ignore_ascii_case(&topic);
    if KINDS.iter().chain(&RANKS).any(is_word_of_form) {
        fields.add_fault("topic", format!("{topic:?} names no matter; say what these two disagree about"), faults);
    }
    let (kind, rank) = (fields.read_enum::<Conflict>("kind", faults), fields.read_enum::<Rank>("rank", faults));
    let parts = fields.read_parts("claims", faults);
    if parts.len() != 2 {
        let message = format!("two conflicting claims are wanted, of two panelists; found {}", parts.len());
        fields.add_fault("claims", message, faults);
        return None;
    }
    let mut claims = Vec::new();
    for part in &parts {
        claims.extend(parse_claim(panel, part, faults));
    }
    let claims: [Claim; 2] = claims.try_into().ok()?;
    if claims[0].seat == claims[1].seat {
        let name = panel.panelist_name(&claims[0].seat);
        fields.add_fault("claims", format!("both claims are of {name}; two panelists disagree"), faults);
    }
    Some(Disagreement {
        id: "D1".into(),
        topic: topic.trim_end_matches(['.', '。']).into(),
        kind: kind?,
        rank: rank?,
        claims,
        state: DisagreementState::Active,
    })
}

fn parse_claim(panel: &Panel, part: &Part<'_, '_>, faults: &mut Faults) -> Option<Claim> {
    let fields = part.open(faults)?;
    let name = fields.read_text("panelist", faults);
    let quote = trim_quote(&fields.read_text("quote", faults));
    let speaker = panel.find_speaker(&name);
    if speaker.is_none() && !name.is_empty() {
        let names: Vec<&str> = panel.speakers().map(|p| p.name.as_str()).collect();
        let message = format!("{name:?} is not one of {}", names.join(", "));
        faults.add("panelist", fields.field_path("panelist"), message);
    }
    let seat = speaker?.seat.clone();
    let count = count_words(&quote);
    let whole = || panel.said.list_turns(&seat).any(|turn| trim_quote(&turn.speech.plain) == quote);
    if quote.is_empty() {
        return None;
    }
    if !panel.said.has_said(&seat, &quote) {
        let near = panel.said.find_nearest_words(&seat, &quote).unwrap_or_default();
        let message = format!("{name} did not say {quote:?}; copy words of {name} exactly, for example {near:?}");
        fields.add_fault("quote", message, faults);
    } else if count > QUOTE_WORDS_MAX || (count < QUOTE_WORDS_MIN && !whole()) {
        let message = format!("the quote has {count} words; quote {QUOTE_WORDS_MIN} to {QUOTE_WORDS_MAX} of them");
        fields.add_fault("quote", message, faults);
    }
    Some(Claim { seat, quote })
}

/// The form of what a challenge opened, where `left` exchanges are left.
pub fn challenge_form(panel: &Panel, left: u32) -> Form {
    let challenger = panel.valves.last().map(|valve| &valve.seat);
    let next = Routing { panel, first: true, left }.next_step_kind(challenger);
    challenge_form_with(panel, claim_forms(panel, challenger), next)
}

fn challenge_form_with(panel: &Panel, claims: Vec<Form>, next: Kind) -> Form {
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
    challenge_form_with(panel, any_claim(), Kind::AnyOf(Vec::new())).read_statement(draft.text, |fields, faults| {
        let mut warnings = Vec::new();
        let reading = fields.object_part("claim").open(faults).and_then(|claim| {
            let others = others_words(panel, challenger);
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            let text = panel.said.list_turns(challenger).next_back().map_or("", |turn| turn.speech.text.as_str());
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
                fields.add_fault("counter", "the strongest point against the shared position is wanted here", faults);
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
        let weighed = Weighed { of: Key::from_parts(MODERATOR), reading, meaning: None, counter };
        Some(QuestionedStatement { found: weighed, next, warnings })
    })
}

/// What others than `seat` have said: their words decide nothing about `seat`.
pub(super) fn others_words(panel: &Panel, seat: &Seat) -> Vec<String> {
    panel.said.0.iter().filter(|turn| turn.seat != *seat).map(|turn| turn.speech.text.clone()).collect()
}
