//! What the moderator finds in an answer: convergence, deadlock, what is new; and what comes next.

use agon_core::{Attempt, Faults, Key, Seat, draft::REDRAFTS_MAX};
use serde_json::Value;

use super::{
    analysis::{QuestionedStatement, next, speaker},
    concession::{Conceded, ConcessionContext},
    disagreement::Disagreement,
    finding::{AnswerEffect, Convergence, Deadlock},
    question::{NextQuestion, Routing, each_once, reference},
    speech::Speech,
    state::{Examination, Panel, PanelEvent},
    wording,
};
use crate::common::form::{Form, Kind, Reader, choice, field, list, text, whole};

/// Most convergences and pieces of evidence that one answer can bring.
const FOUND_MAX: usize = 3;
/// Characters of a claim in a note, which is one line.
const CLAIM_CHARS_MAX: u32 = 240;
/// Characters of a sentence that is quoted.
const QUOTE_CHARS_MAX: u32 = 400;
const DEADLOCKS: [&str; 3] = ["none", "repetition", "circular"];

/// JSON Schema of the review of the last answer.
pub fn schema(panel: &Panel, left: u32) -> Value {
    // What the question was about stands first.
    let asked = panel.exchanges.last().map_or("", |exchange| exchange.asked.disagreement.as_str());
    let ids = [asked].into_iter().chain(ids(panel)).collect();
    // Where no exchange is left, there is nothing to ask.
    let next = (left > 0).then(|| Routing { panel, first: false, left }.steps());
    form(panel, ids, next).schema()
}

fn ids(panel: &Panel) -> impl Iterator<Item = &str> {
    panel.disagreements.iter().map(|about| about.id.as_str())
}

/// The form of a review that may name the disagreements `ids`.
fn form(panel: &Panel, ids: Vec<&str>, next: Option<Kind>) -> Form {
    let speaker = panel.exchanges.last().map(|exchange| &exchange.asked.seat);
    let others = panel.speakers().filter(|p| Some(&p.seat) != speaker).map(|p| p.name.as_str());
    let convergence = [
        field("disagreement", choice(each_once(ids))),
        field("claim", text(8, CLAIM_CHARS_MAX)),
        field("with", reference(others)),
        field("explicit", Kind::YesNo),
        // The sentence that agrees, where there is one.
        field("quote", text(0, QUOTE_CHARS_MAX)),
    ];
    let convergence = Form::new("review", convergence);
    let review = [
        field("convergence", list(0, FOUND_MAX, Kind::Object(convergence))),
        field("deadlock", choice(DEADLOCKS)),
        field("repeats_round", whole(0, panel.rounds())),
        field("new_insight", Kind::YesNo),
        field("new_evidence", list(0, FOUND_MAX, text(8, 300))),
        field("position_shift", Kind::YesNo),
    ];
    Form::new("review", review.into_iter().chain(next.map(|next| field("next", next))))
}

/// Sentences of the last answer that are or may be a concession.
pub fn conceded(panel: &Panel) -> Vec<Conceded> {
    panel.exchanges.last().map(|exchange| heard(panel, exchange).conceded()).unwrap_or_default()
}

fn heard<'p>(panel: &'p Panel, exchange: &Examination) -> ConcessionContext<'p> {
    let seat = &exchange.asked.seat;
    let turn = exchange.answer.as_ref().and_then(|answer| panel.said.under(&answer.key));
    let text = turn.map_or("", |turn| turn.speech.text.as_str());
    let others = panel.panelists.iter().filter(|p| p.seat != *seat).map(|p| (&p.seat, p.name.as_str()));
    let about = panel.disagreement(&exchange.asked.disagreement);
    ConcessionContext::of(
        text,
        others.collect(),
        about.and_then(|about| about.against(seat)).map(|claim| &claim.seat),
    )
}

/// The review in a draft of the last answer, or every rule it breaks; `left` exchanges are left.
pub fn read(
    panel: &Panel,
    left: u32,
    draft: Attempt<'_>,
) -> Result<QuestionedStatement<AnswerEffect>, Faults> {
    form(panel, ids(panel).collect(), Some(Kind::AnyOf(Vec::new()))).read(draft.text, |fields, faults| {
        let mut warnings = Vec::new();
        let Some(exchange) = panel.exchanges.last() else {
            faults.add("review", "", "there is no answer to review");
            return None;
        };
        let mut found = AnswerEffect {
            of: Key::of(super::MODERATOR),
            convergence: convergences(panel, exchange, fields, draft, faults, &mut warnings),
            deadlock: deadlock(panel, exchange, fields, faults),
            new_insight: fields.yes("new_insight", faults),
            new_evidence: fields.texts("new_evidence", faults),
            position_shift: fields.yes("position_shift", faults),
        };
        found.new_evidence.truncate(FOUND_MAX);
        if let Some(round) = exchange.answer.as_ref().and_then(|answer| answer.copies) {
            // A copy word for word is repetition, whatever the moderator makes of it.
            if found.deadlock == Deadlock::None || found.is_new() {
                warnings.push(format!(
                    "the answer copies round {round} nearly word for word; it counts as repetition"
                ));
            }
            let deadlock = Deadlock::Repetition { round };
            found = AnswerEffect { of: found.of, deadlock, ..AnswerEffect::nothing() };
        } else if found.deadlock != Deadlock::None && found.is_new() {
            let message = "a deadlock brings nothing new; either it is none, or there is neither new insight nor evidence nor shift";
            fields.fault("deadlock", message, faults);
        }
        let mut after = panel.clone();
        after.apply(PanelEvent::Found(found.clone()), |_| unreachable!("a review holds no speech"));
        // What comes next is nobody's matter where nothing can be asked.
        if left == 0 || after.is_spent() {
            return Some(QuestionedStatement { found, next: NextQuestion::Stop, warnings });
        }
        let routing = Routing { panel: &after, first: false, left };
        let next = next(&routing, fields, draft, faults, &mut warnings);
        Some(QuestionedStatement { found, next, warnings })
    })
}

impl AnswerEffect {
    fn nothing() -> Self {
        Self {
            of: Key::of(super::MODERATOR),
            convergence: Vec::new(),
            deadlock: Deadlock::None,
            new_insight: false,
            new_evidence: Vec::new(),
            position_shift: false,
        }
    }
}

fn convergences(
    panel: &Panel,
    exchange: &Examination,
    fields: &Reader<'_, '_>,
    draft: Attempt<'_>,
    faults: &mut Faults,
    warnings: &mut Vec<String>,
) -> Vec<Convergence> {
    let heard = heard(panel, exchange);
    let seat = &exchange.asked.seat;
    let mut found: Vec<Convergence> = Vec::new();
    for item in fields.parts("convergence", faults).iter().take(FOUND_MAX) {
        let Some(item) = item.open(faults) else { continue };
        let disagreement = item.text("disagreement", faults);
        let claim = item.text("claim", faults);
        let name = item.text("with", faults);
        let mut explicit = item.yes("explicit", faults);
        let Some(with) = speaker(panel, &name, &item.path("with"), faults) else { continue };
        if with == *seat {
            let message = format!("{name} gave this answer; name whom {name} came round to");
            item.fault("with", message, faults);
        }
        let said = panel.said.of(seat).next_back().map_or("", |turn| turn.speech.text.as_str());
        let quote = Some(item.text("quote", faults)).filter(|quote| !quote.is_empty());
        let stands = |quote: &String| Speech::of(said).holds(quote);
        let wrong = quote.as_ref().filter(|quote| explicit && !stands(quote));
        if let Some(quote) = wrong.filter(|_| draft.number < REDRAFTS_MAX) {
            let message = format!("{quote:?} is not in this answer; copy the sentence that agrees exactly");
            item.fault("quote", message, faults);
        }
        if explicit && !heard.bears(&with, quote.as_deref().filter(|_| wrong.is_none())) {
            explicit = false;
            let speaker = panel.name(seat);
            warnings.push(format!(
                "the answer of {speaker} does not say that it agrees with {name}; taken as implied"
            ));
        }
        let claim: String =
            claim.replace(['[', ']', '*'], "").chars().take(CLAIM_CHARS_MAX as usize).collect();
        let claim = claim.trim().trim_end_matches('.').to_owned();
        if !found.iter().any(|other| other.disagreement == disagreement && other.with == with) {
            found.push(Convergence { disagreement, claim, with, explicit, heard: None });
        }
    }
    count_heard(panel, exchange, &heard.conceded(), &mut found, warnings);
    found
}

/// Whether a concession is not rather about another disagreement: by the words that it shares with each.
fn is_about(panel: &Panel, about: &Disagreement, one: &Conceded) -> bool {
    let shared = |other: &Disagreement| {
        let claims = other.claims.each_ref().map(|claim| claim.quote.as_str()).join(" ");
        wording::shared(&one.sentence, &format!("{} {claims}", other.topic))
    };
    let own = shared(about);
    let others = panel.disagreements.iter().filter(|other| other.id != about.id && other.concerns(&one.with));
    others.map(shared).all(|other| other <= own)
}

/// A concession beyond doubt counts, whatever the moderator makes of it: one of a side to the other, or of
/// a third to one of them.
fn count_heard(
    panel: &Panel,
    exchange: &Examination,
    conceded: &[Conceded],
    found: &mut Vec<Convergence>,
    warnings: &mut Vec<String>,
) {
    let seat = &exchange.asked.seat;
    let Some(about) = panel.disagreement(&exchange.asked.disagreement) else { return };
    let concerns = |one: &&Conceded| {
        let elsewhere = found.iter().any(|c| c.with == one.with && c.disagreement != about.id && c.explicit);
        one.sure && about.concerns(&one.with) && !elsewhere && is_about(panel, about, one)
    };
    let sure: Vec<&Conceded> = conceded.iter().filter(concerns).collect();
    let Some(one) = sure.first().filter(|first| sure.iter().all(|other| other.with == first.with)) else {
        return;
    };
    let (speaker, with) = (panel.name(seat), panel.name(&one.with));
    let taken = found.iter_mut().find(|c| c.disagreement == about.id && c.with == one.with);
    let missed = match taken {
        Some(convergence) if convergence.explicit => return,
        Some(convergence) => {
            (convergence.explicit, convergence.heard) = (true, Some(one.sentence.clone()));
            "took it as implied"
        }
        None => {
            found.push(Convergence {
                disagreement: about.id.clone(),
                claim: about.topic.clone(),
                with: one.with.clone(),
                explicit: true,
                heard: Some(one.sentence.clone()),
            });
            "did not take it up"
        }
    };
    warnings.push(format!(
        "{speaker} agrees with {with} in so many words ({:?}); it counts, though the moderator {missed}",
        one.sentence
    ));
}

fn deadlock(panel: &Panel, exchange: &Examination, fields: &Reader<'_, '_>, faults: &mut Faults) -> Deadlock {
    let asked = &exchange.asked;
    match fields.text("deadlock", faults).as_str() {
        "repetition" => {
            let now = exchange.answer.as_ref().map_or(0, |answer| answer.round);
            let earlier = panel.said.of(&asked.seat).map(|turn| turn.round).filter(|round| *round < now);
            let mut earlier: Vec<u32> = earlier.collect();
            earlier.dedup();
            let given = fields.number("repeats_round", faults);
            let round = earlier.iter().find(|round| f64::from(**round) == given).copied();
            if round.is_none() {
                let name = panel.name(&asked.seat);
                let rounds: Vec<String> = earlier.iter().map(u32::to_string).collect();
                let message =
                    format!("{name} spoke before in round {} (0 is the opening)", rounds.join(", "));
                fields.fault("repeats_round", message, faults);
            }
            Deadlock::Repetition { round: round.unwrap_or(0) }
        }
        "circular" => {
            let about = panel.disagreement(&asked.disagreement);
            let answered = |seat: &Seat| {
                let on = panel.exchanges.iter().filter(|e| e.asked.disagreement == asked.disagreement);
                on.filter(|e| e.answer.is_some()).any(|e| e.asked.seat == *seat)
            };
            if about.is_none_or(|about| !about.claims.iter().all(|claim| answered(&claim.seat))) {
                let message = "circular needs answers of both sides on this disagreement; if one side restates itself, it is repetition";
                fields.fault("deadlock", message, faults);
            }
            Deadlock::Circular
        }
        _ => Deadlock::None,
    }
}

/// JSON Schema of a next step without a review.
pub fn route_schema(panel: &Panel, left: u32) -> Value {
    route_form(Routing { panel, first: false, left }.steps()).schema()
}

/// The form of a next step without a review.
fn route_form(next: Kind) -> Form {
    Form::new("route", [field("next", next)])
}

/// A next step without a review: the last question was not answered, or the panel continues.
pub fn read_route(panel: &Panel, left: u32, draft: Attempt<'_>) -> Result<QuestionedStatement<()>, Faults> {
    route_form(Kind::AnyOf(Vec::new())).read(draft.text, |fields, faults| {
        let mut warnings = Vec::new();
        let next = next(&Routing { panel, first: false, left }, fields, draft, faults, &mut warnings);
        Some(QuestionedStatement { found: (), next, warnings })
    })
}
