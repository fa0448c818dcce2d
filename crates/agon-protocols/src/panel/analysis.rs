//! What the moderator finds in the openings: agreements, and two or three disagreements in the
//! panelists' own words; and after a safety valve, what the challenge opens.

use agon_core::{Attempt, Faults, Key, Seat, draft::REDRAFTS_MAX};
use agon_text::count_words;
use serde_json::{Value, json};

use super::{
    disagreement::{Claim, Conflict, Disagreement, DisagreementState, Rank},
    echo::is_echo,
    question::{NextQuestion, Routing, TURNS, reference},
    speech::{QUOTE_WORDS_MAX, QUOTE_WORDS_MIN, trimmed},
    state::{Analysed, Panel, PanelEvent, Panelist, Weighed},
};
use crate::common::form::{Form, Kind, Part, Reader, choice, field, list, text};

/// Most disagreements that are followed.
pub const DISAGREEMENTS_MAX: usize = 3;
/// Most passages of one panelist that a claim may quote.
const PASSAGES_EACH_MAX: usize = 16;
/// How claims conflict, as the moderator says it.
const KINDS: [&str; 4] = ["facts", "recommendations", "premise", "weight"];
/// How productive a disagreement is.
const RANKS: [&str; 3] = ["high", "medium", "low"];
/// Words of a topic that name nothing by themselves.
const NAMING_NOTHING: [&str; 16] = [
    "and",
    "or",
    "of",
    "the",
    "a",
    "on",
    "about",
    "different",
    "conflicting",
    "disagreement",
    "disagreements",
    "claim",
    "claims",
    "topic",
    "rank",
    "kind",
];

/// A statement with the question that follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionedStatement<T> {
    /// What was found.
    pub found: T,
    /// The next step, or the program's where the moderator's question could not be used.
    pub next: NextQuestion,
    /// What is worth a warning and no redraft.
    pub warnings: Vec<String>,
}

/// JSON Schema of the comparison of the openings.
pub fn schema(panel: &Panel, left: u32) -> Value {
    let Some(routing) = sample_of(panel, None) else { return json!({"type": "object"}) };
    let next = Routing { panel: &routing, first: true, left }.steps();
    comparison_form(claim_forms(panel, None), next).schema()
}

/// The form of the comparison of the openings.
fn comparison_form(claims: Vec<Form>, next: Kind) -> Form {
    let fields = [
        field("shared_position", text(20, 800)),
        field("agreements", list(0, 5, text(10, 300))),
        field("all_agree", Kind::YesNo),
        field("disagreements", list(1, DISAGREEMENTS_MAX, Kind::Object(disagreement_form(claims)))),
        field("next", next),
    ];
    Form::new("analysis", fields)
}

/// The form of one disagreement.
fn disagreement_form(claims: Vec<Form>) -> Form {
    let fields = [
        field("topic", text(8, 160)),
        field("kind", choice(KINDS)),
        field("rank", choice(RANKS)),
        field("claims", list(2, 2, Kind::AnyOf(claims))),
    ];
    Form::new("analysis", fields)
}

/// The form of a claim of a panelist, who said these quotes.
fn claim_form<'c>(panelist: Option<&'c str>, quotes: impl IntoIterator<Item = &'c str>) -> Form {
    let fields = [field("panelist", reference(panelist)), field("quote", reference(quotes)).rule("quote")];
    Form::new("analysis", fields)
}

/// The forms of the claims that a schema offers: each panelist with their own words.
fn claim_forms(panel: &Panel, challenger: Option<&Seat>) -> Vec<Form> {
    let each = speakers(panel, challenger).into_iter().map(|panelist| {
        let passages = passages(panel, panelist, challenger);
        claim_form(Some(panelist.name.as_str()), passages.iter().take(PASSAGES_EACH_MAX).map(String::as_str))
    });
    each.collect()
}

/// The form of a claim that is read: it is compared with what was said, not with what was offered.
fn any_claim() -> Vec<Form> {
    vec![claim_form(None, [])]
}

/// Those who speak, in panel order but for the challenger, who comes first.
fn speakers<'p>(panel: &'p Panel, challenger: Option<&Seat>) -> Vec<&'p Panelist> {
    let mut speakers: Vec<&Panelist> = panel.speakers().collect();
    speakers.sort_by_key(|p| Some(&p.seat) != challenger);
    speakers
}

/// Passages that claims may quote: one of each speaker in turn, so that no one's run out first. A
/// challenger is quoted from the challenge.
fn quotes(panel: &Panel, challenger: Option<&Seat>) -> Vec<String> {
    let each = speakers(panel, challenger).into_iter().map(|p| passages(panel, p, challenger));
    let each: Vec<Vec<String>> = each.collect();
    let longest = each.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|at| each.iter().filter_map(move |passages| passages.get(at).cloned())).collect()
}

/// Passages of one speaker, the challenger's from the challenge on back.
fn passages(panel: &Panel, speaker: &Panelist, challenger: Option<&Seat>) -> Vec<String> {
    let turns = panel.said.of(&speaker.seat);
    let turns: Vec<_> =
        if Some(&speaker.seat) == challenger { turns.rev().collect() } else { turns.collect() };
    turns.into_iter().flat_map(|turn| turn.speech.passages()).collect()
}

/// The panel as if its first two speakers disagreed: what the first question could be about is not
/// known before the answer that asks it.
fn sample_of(panel: &Panel, challenger: Option<&Seat>) -> Option<Panel> {
    let speakers = speakers(panel, challenger);
    let quotes = quotes(panel, challenger);
    let claim =
        |at: usize| Some(Claim { seat: speakers.get(at)?.seat.clone(), quote: quotes.get(at)?.clone() });
    let only = Disagreement {
        id: "D1".into(),
        topic: String::new(),
        kind: Conflict::Facts,
        rank: Rank::High,
        claims: [claim(0)?, claim(1)?],
        state: DisagreementState::Active,
    };
    let mut panel = panel.clone();
    panel.disagreements = vec![only];
    Some(panel)
}

/// The comparison in a draft, or every rule it breaks.
pub fn read(panel: &Panel, left: u32, draft: Attempt<'_>) -> Result<QuestionedStatement<Analysed>, Faults> {
    comparison_form(any_claim(), Kind::AnyOf(Vec::new())).read(draft.text, |fields, faults| {
        let of = Key::of(super::MODERATOR);
        let mut warnings = Vec::new();
        let shared = fields.text("shared_position", faults);
        let agreements = fields.texts("agreements", faults);
        let all_agree = fields.yes("all_agree", faults);
        let parts = fields.parts("disagreements", faults);
        let mut disagreements = Vec::new();
        for part in &parts {
            disagreements.extend(disagreement(panel, part, faults));
        }
        // What is listed where all agree is only where they come closest to disagreeing.
        if all_agree {
            let found = Analysed { of, shared, agreements, disagreements: Vec::new() };
            return Some(QuestionedStatement { found, next: NextQuestion::Stop, warnings });
        }
        let count = parts.len();
        if !(1..=DISAGREEMENTS_MAX).contains(&count) {
            let message = format!(
                "2 or {DISAGREEMENTS_MAX} are wanted, found {count}; if all agree, all_agree is true"
            );
            fields.fault("disagreements", message, faults);
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
            true => next(&routing, fields, draft, faults, &mut warnings),
            false => NextQuestion::Stop,
        };
        Some(QuestionedStatement {
            found: Analysed { of, shared, agreements, disagreements },
            next,
            warnings,
        })
    })
}

/// The next step in the field `next`. A third draft with an unusable question is used without it.
pub fn next(
    routing: &Routing<'_>,
    fields: &Reader<'_, '_>,
    draft: Attempt<'_>,
    faults: &mut Faults,
    warnings: &mut Vec<String>,
) -> NextQuestion {
    let mut own = Faults::default();
    let next = routing.read(fields.raw("next"), &fields.path("next"), &mut own);
    if own.0.is_empty() {
        return next;
    }
    // Whose turn it is the program knows; another draft would only cost.
    if let Some(turn) = own.0.iter().find(|fault| fault.rule == TURNS) {
        warnings.push(format!("the question was replaced by one of the program: {}", turn.message));
        return NextQuestion::Ask(routing.template());
    }
    if draft.number < REDRAFTS_MAX {
        faults.0.extend(own.0);
        return next;
    }
    warnings.push(format!("the question was replaced by one of the program: {own}"));
    match routing.panel.unmet(routing.left).is_empty() {
        // Three tries, and no question that can be put: there is none (S4).
        true => NextQuestion::Stop,
        false => NextQuestion::Ask(routing.template()),
    }
}

fn disagreement(panel: &Panel, part: &Part<'_, '_>, faults: &mut Faults) -> Option<Disagreement> {
    let fields = part.open(faults)?;
    let topic = fields.text("topic", faults).replace(['[', ']', '*'], "");
    if is_kind(&topic) || is_echo(&topic) {
        let message = format!("{topic:?} names no matter; say what these two disagree about");
        fields.fault("topic", message, faults);
    }
    let (kind, rank) = (fields.word::<Conflict>("kind", faults), fields.word::<Rank>("rank", faults));
    let parts = fields.parts("claims", faults);
    if parts.len() != 2 {
        let message = format!("two conflicting claims are wanted, of two panelists; found {}", parts.len());
        fields.fault("claims", message, faults);
        return None;
    }
    let mut claims = Vec::new();
    for part in &parts {
        claims.extend(claim(panel, part, faults));
    }
    let claims: [Claim; 2] = claims.try_into().ok()?;
    if claims[0].seat == claims[1].seat {
        let name = panel.name(&claims[0].seat);
        fields.fault("claims", format!("both claims are of {name}; two panelists disagree"), faults);
    }
    Some(Disagreement {
        id: "D1".into(),
        topic: topic.trim_end_matches('.').into(),
        kind: kind?,
        rank: rank?,
        claims,
        state: DisagreementState::Active,
    })
}

/// Whether a topic is made of the words for kinds and ranks, and so names nothing.
fn is_kind(topic: &str) -> bool {
    let words = topic.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let singular = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    let is_empty = |word: &String| {
        NAMING_NOTHING.contains(&word.as_str())
            || KINDS.iter().chain(&RANKS).any(|kind| singular(kind) == singular(word))
    };
    !words.is_empty() && words.iter().all(is_empty)
}

fn claim(panel: &Panel, part: &Part<'_, '_>, faults: &mut Faults) -> Option<Claim> {
    let fields = part.open(faults)?;
    let name = fields.text("panelist", faults);
    let quote = trimmed(&fields.text("quote", faults));
    let seat = speaker(panel, &name, &fields.path("panelist"), faults)?;
    let count = count_words(&quote);
    let whole = || panel.said.of(&seat).any(|turn| trimmed(&turn.speech.plain) == quote);
    if quote.is_empty() {
        return None;
    }
    if !panel.said.by(&seat, &quote) {
        let near = panel.said.nearest(&seat, &quote).unwrap_or_default();
        let message =
            format!("{name} did not say {quote:?}; copy words of {name} exactly, for example {near:?}");
        fields.fault("quote", message, faults);
    } else if count > QUOTE_WORDS_MAX || (count < QUOTE_WORDS_MIN && !whole()) {
        let message =
            format!("the quote has {count} words; quote {QUOTE_WORDS_MIN} to {QUOTE_WORDS_MAX} of them");
        fields.fault("quote", message, faults);
    }
    Some(Claim { seat, quote })
}

/// The seat of the speaker called `name`.
pub fn speaker(panel: &Panel, name: &str, at: &str, faults: &mut Faults) -> Option<Seat> {
    let found = panel.speakers().find(|p| p.name.eq_ignore_ascii_case(name) || p.seat.as_str() == name);
    if found.is_none() && !name.is_empty() {
        let names: Vec<&str> = panel.speakers().map(|p| p.name.as_str()).collect();
        faults.add("panelist", at, format!("{name:?} is not one of {}", names.join(", ")));
    }
    found.map(|p| p.seat.clone())
}

/// JSON Schema of what a challenge opened.
pub fn challenge_schema(panel: &Panel, left: u32) -> Value {
    let challenger = panel.valves.last().map(|valve| &valve.seat);
    let next = sample_of(panel, challenger);
    let next = next.map(|panel| Routing { panel: &panel, first: true, left }.steps());
    challenge_form(claim_forms(panel, challenger), next.unwrap_or(Kind::AnyOf(Vec::new()))).schema()
}

/// The form of what a challenge opened.
fn challenge_form(claims: Vec<Form>, next: Kind) -> Form {
    let counter = Kind::Object(disagreement_form(claims));
    let fields = [field("still_agrees", Kind::YesNo), field("counter", counter), field("next", next)];
    Form::new("challenge", fields)
}

/// What a challenge opened, or every rule the draft breaks. One of the two claims is the
/// challenger's.
pub fn read_challenge(
    panel: &Panel,
    left: u32,
    challenger: &Seat,
    draft: Attempt<'_>,
) -> Result<QuestionedStatement<Weighed>, Faults> {
    challenge_form(any_claim(), Kind::AnyOf(Vec::new())).read(draft.text, |fields, faults| {
        let mut warnings = Vec::new();
        let still_agrees = fields.yes("still_agrees", faults);
        let counter = disagreement(panel, &fields.part("counter"), faults);
        if let Some(counter) = counter.as_ref().filter(|counter| !counter.concerns(challenger)) {
            let sides = counter.claims.each_ref().map(|claim| panel.name(&claim.seat));
            let name = panel.name(challenger);
            let message = format!(
                "these are claims of {} and {}; one must be of {name}, who was asked",
                sides[0], sides[1]
            );
            faults.add("challenge", "counter.claims", message);
        }
        let Some(counter) = counter.filter(|_| faults.0.is_empty()) else {
            if faults.0.is_empty() {
                let message = "the strongest point against the shared position is wanted here";
                fields.fault("counter", message, faults);
            }
            return None;
        };
        let weighed = Weighed { of: Key::of(super::MODERATOR), still_agrees, counter };
        if still_agrees {
            return Some(QuestionedStatement { found: weighed, next: NextQuestion::Stop, warnings });
        }
        let mut after = panel.clone();
        let event = PanelEvent::Weighed(weighed.clone());
        after.apply(event, |_| unreachable!("a weighing holds no speech"));
        let routing = Routing { panel: &after, first: true, left };
        let next = next(&routing, fields, draft, faults, &mut warnings);
        Some(QuestionedStatement { found: weighed, next, warnings })
    })
}
