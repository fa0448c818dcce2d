//! Ada, Bob and Cy on a panel about written decisions.
#![allow(dead_code)] // Each test takes what it needs.

use std::sync::Arc;

use agon_core::{Attempt, Fault, Faults, Key, Seat};
use agon_protocols::{
    common::lineup::Member,
    panel::{
        analysis,
        answer_effect::AnswerEffect,
        panelist_prose::Speech,
        question::{NextQuestion, Routing},
        review,
        state::{Panel, PanelEvent, PanelQuestion, QuotedWords},
    },
};
use serde_json::{Value, json};

pub const ADA: &str =
    "Written decisions are found again after years. Our archive lost 31 of 40 oral decisions within twelve months.";
pub const BOB: &str =
    "Minutes took 14 % of meeting hours in our time sheets. Small decisions are not worth the ink they need.";
pub const CY: &str = "People hold back doubts when every word is recorded. Candour is what good decisions live on.";

pub fn seat(n: u32) -> Seat {
    Seat::new(format!("panelist-{n}")).unwrap()
}

pub fn speech(key: &Key, more: &[(&str, &str)]) -> Arc<Speech> {
    let openings = [("opening/panelist-1", ADA), ("opening/panelist-2", BOB), ("opening/panelist-3", CY)];
    Arc::new(Speech::from_text(openings.iter().chain(more).find(|(at, _)| *at == key.as_str()).unwrap().1))
}

/// Ada, Bob and Cy after their openings.
pub fn opened() -> Panel {
    let (persona, details) = (String::new(), serde_json::Map::new());
    let member = |n: u32, name: &str| {
        let (persona, details) = (persona.clone(), details.clone());
        Member { seat: seat(n), name: name.into(), persona, details }
    };
    let mut panel = Panel::of_members(vec![member(1, "Ada"), member(2, "Bob"), member(3, "Cy")]);
    let key = |n| Key::from_parts(format!("opening/{}", seat(n)));
    let spoken = (1..=3).map(|n| QuotedWords { seat: seat(n), key: key(n), sources: Vec::new() });
    panel.apply_event(PanelEvent::Opened(spoken.collect()), |key| speech(key, &[]));
    panel
}

pub fn attempt(text: &str) -> Attempt<'_> {
    Attempt { text, number: 0, quoted: &[], imported: false }
}

pub fn claim(name: &str, quote: &str) -> Value {
    json!({"panelist": name, "quote": quote})
}

pub fn analysed() -> Value {
    json!({
        "shared_position": "All want good decisions.", "agreements": ["Decisions matter."], "all_agree": false,
        "disagreements": [
            {"topic": "candour", "kind": "weight", "rank": "medium",
             "claims": [claim("Cy", "People hold back doubts when every word is recorded"), claim("Ada", "Written decisions are found again after years")]},
            {"topic": "what minutes cost", "kind": "facts", "rank": "high",
             "claims": [claim("Ada", "Our archive lost 31 of 40 oral decisions"), claim("Bob", "Minutes took 14 % of meeting hours")]},
        ],
        "next": {"target": "Bob", "quote": "Our archive lost 31 of 40 oral decisions",
                 "question": "Which figure of yours shows that minutes cost more than such a loss?"},
    })
}

/// The same after the analysis: D1 is Ada against Bob, D2 Cy against Ada.
pub fn divided() -> Panel {
    let mut panel = opened();
    let text = analysed().to_string();
    let found = analysis::parse_comparison(&panel, 15, attempt(&text)).unwrap().found;
    panel.apply_event(PanelEvent::Analysed(found), |_| unreachable!());
    panel
}

/// The same after `name` (a number) answered a question about `about`.
pub fn answered(panel: &mut Panel, about: &str, n: u32, text: &str) {
    let number = panel.exchanges.len() + 1;
    let key = Key::from_parts(format!("exchange-{number:03}/answer"));
    let question = format!("Question {number} about {about}?");
    let of = Key::from_parts("moderator");
    let asked = PanelQuestion { disagreement: about.into(), seat: seat(n), question, of };
    panel.apply_event(PanelEvent::Asked(asked), |_| unreachable!());
    let event = PanelEvent::Answered { key: key.clone(), copies: None, sources: Vec::new() };
    panel.apply_event(event, |at| speech(at, &[(key.as_str(), text)]));
}

pub fn faults<T: std::fmt::Debug>(result: Result<T, Faults>) -> Vec<Fault> {
    result.unwrap_err().0
}

pub fn route(panel: &Panel, next: Value) -> Result<NextQuestion, Faults> {
    next_step(panel, 9, 0, next).0
}

/// The next step in a draft of this number, and what is warned of.
pub fn next_step(panel: &Panel, left: u32, draft: u32, next: Value) -> (Result<NextQuestion, Faults>, Vec<String>) {
    let (mut faults, mut warnings) = (Faults::default(), Vec::new());
    let routing = Routing { panel, first: false, left };
    let (form, answer) = (review::route_form(panel, left), json!({"next": next}));
    let fields = form.open_reader(&answer, "", &mut faults).unwrap();
    let next = routing.parse_next(&fields, draft, &mut faults, &mut warnings);
    (faults.into_result(next), warnings)
}

pub fn asking(target: &str, quote: &str, question: &str) -> Value {
    json!({"action": "ask", "disagreement": "D1", "target": target, "quote": quote, "question": question})
}

/// A review by which the claim is held and nothing is new, with `changes`.
pub fn reviewed(changes: Value) -> Value {
    let mut statement = json!({
        "claim": {"choice": "holds", "quote": "", "with": "Ada"}, "others": [], "shift": {"toward": "nobody", "on": ""},
        "deadlock": "none", "repeats_round": 0, "new_insight": false, "new_evidence": [], "position_shift": false,
        "next": {"action": "ask", "disagreement": "D2", "target": "Ada",
                 "quote": "People hold back doubts when every word is recorded", "question": "How is that met?"},
    });
    statement.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    statement
}

pub fn review_of(panel: &Panel, changes: Value) -> Result<AnswerEffect, Faults> {
    Ok(review::parse_review(panel, 9, attempt(&reviewed(changes).to_string()))?.found)
}

/// What a review reads of the claim that was asked about.
pub fn claimed(choice: &str, quote: &str, with: &str) -> Value {
    json!({"claim": {"choice": choice, "quote": quote, "with": with}})
}

/// `found` on the panel, as if the speaker confirmed it.
pub fn confirmed(panel: &mut Panel, found: AnswerEffect) {
    let found = panel.assume_confirmed(found);
    panel.apply_event(PanelEvent::Found(found), |_| unreachable!());
}
