//! What a panel keeps, whom it asks, and when it is over.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

pub(crate) use crate::panel::stage;

use agon_core::{Attempt, Key};
use agon_protocols::panel::{
    analysis,
    answer_effect::AnswerEffect,
    disagreement::DisagreementState,
    question::NextQuestion,
    review,
    state::{ExaminationEnd, Panel, PanelEvent, PanelQuestion},
    synthesis,
};
use serde_json::{Value, json};
use stage::*;

fn apply(panel: &mut Panel, event: PanelEvent) {
    panel.apply_event(event, |_| unreachable!("no speech"));
}

/// A review that finds nothing but what `changes` say.
fn found(panel: &mut Panel, changes: Value) -> AnswerEffect {
    let found = review_of(panel, changes).unwrap();
    apply(panel, PanelEvent::Found(found.clone()));
    found
}

fn ask(panel: &mut Panel, about: &str, n: u32) {
    let question = format!("Question {} about {about}?", panel.exchanges.len() + 1);
    let of = Key::from_parts("moderator");
    let asked = PanelQuestion { disagreement: about.into(), seat: seat(n), question, of };
    apply(panel, PanelEvent::Asked(asked));
}

/// One disagreement, Ada against Bob, in circles.
fn tied() -> Panel {
    let mut panel = divided();
    panel.disagreements.truncate(1);
    answered(&mut panel, "D1", 2, "Minutes cost too much.");
    found(
        &mut panel,
        json!({"next": asking("Ada", "Minutes took 14 % of meeting hours", "What did those hours buy?")}),
    );
    answered(&mut panel, "D1", 1, "Losses cost more.");
    found(
        &mut panel,
        json!({"deadlock": "circular", "next": asking("Cy", ARCHIVE, "Which evidence from your own retrospectives decides between the two?")}),
    );
    panel
}

const ARCHIVE: &str = "Our archive lost 31 of 40 oral decisions";

#[test]
fn a_settled_disagreement_keeps_its_state() {
    for settled in [DisagreementState::Converged, DisagreementState::Deadlocked] {
        let mut panel = divided();
        panel.disagreements[0].state = settled;
        ask(&mut panel, "D1", 2);
        apply(&mut panel, PanelEvent::Unanswered);
        assert_eq!(panel.disagreements[0].state, settled, "nobody answered");
        apply(&mut panel, PanelEvent::Ended(ExaminationEnd::Limit));
        apply(&mut panel, PanelEvent::Reopened);
        assert_eq!(panel.disagreements[0].state, settled, "more is allowed");
        assert_eq!(panel.disagreements[1].state, DisagreementState::Active, "what was open is open again");
    }
}

#[test]
fn where_nothing_is_left_open_the_panel_stops_whatever_comes_next() {
    let mut panel = divided();
    panel.disagreements.truncate(1);
    answered(&mut panel, "D1", 2, "Put me down on the side of Ada from here on.");
    let mut review = reviewed(claimed("gives_up", "Put me down on the side of Ada from here on.", "Ada"));
    review["new_insight"] = json!(true);
    review["next"] = asking("Ada", "Put me down on the side of Ada", "Which loss would come back in spite of it?");
    let read = review::parse_review(&panel, 9, attempt(&review.to_string())).unwrap();
    assert_eq!(read.next, NextQuestion::Stop, "what is settled is not asked about");
    confirmed(&mut panel, read.found);
    assert!(panel.is_spent() && panel.list_unmet_rules(9).is_empty());
}

#[test]
fn where_no_exchange_is_left_a_review_asks_for_no_question() {
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "The time sheets stand.");
    let mut review = reviewed(json!({}));
    review.as_object_mut().unwrap().remove("next");
    let read = review::parse_review(&panel, 0, attempt(&review.to_string())).unwrap();
    assert_eq!((read.next, read.warnings.len()), (NextQuestion::Stop, 0));
    assert!(json!(review::last_review_form(&panel, 0).unwrap().to_schema())["properties"]["next"].is_null());
    assert!(review::parse_review(&panel, 1, attempt(&review.to_string())).is_err());
}

#[test]
fn a_tie_goes_to_a_third_once_and_the_third_settles_nothing() {
    let mut panel = tied();
    assert_eq!(panel.disagreements[0].state, DisagreementState::Deadlocked);
    assert!(
        !panel.is_spent() && panel.list_unmet_rules(9)[0].contains("Cy was never asked"),
        "{:?}",
        panel.list_unmet_rules(9)
    );
    assert!(route(&panel, asking("Cy", ARCHIVE, "Which of your retrospectives shows the same?")).is_ok());
    answered(&mut panel, "D1", 3, "The retrospectives show the same loss as the archive does.");
    let without = claimed("sides_with", "The retrospectives show the same loss", "Cy");
    assert!(faults(review_of(&panel, without))[0].message.contains("one of the two"));
    found(&mut panel, claimed("sides_with", "The retrospectives show the same loss", "Ada"));
    assert_eq!(panel.exchanges[2].notes[0].text, "Cy, asked as a third, sides with Ada on what minutes cost.");
    assert_eq!(panel.sides_of_thirds(&panel.disagreements[0]), [(&seat(3), &seat(1))]);
    assert_eq!(panel.disagreements[0].state, DisagreementState::Deadlocked, "a third breaks the tie for readers alone");
    assert!(panel.is_spent(), "once for each disagreement");
}

#[test]
fn no_third_is_asked_before_the_sides_go_in_circles() {
    let panel = divided();
    let faults = faults(route(&panel, asking("Cy", ARCHIVE, "Which evidence from your own team decides it?")));
    assert_eq!(faults[0].rule, "Q8");
}

#[test]
fn who_was_never_asked_is_asked_before_the_limit() {
    let mut panel = divided();
    panel.disagreements.truncate(1);
    for n in [2, 1] {
        answered(&mut panel, "D1", n, &format!("Reason number {n} is new."));
        found(
            &mut panel,
            json!({"new_insight": true, "next": asking(if n == 2 { "Ada" } else { "Bob" }, if n == 2 { BOB_SAID } else { ARCHIVE }, "What in your figures speaks against that?")}),
        );
    }
    let next = |left: u32, target: &str| {
        let value = asking(target, ARCHIVE, "Which of your retrospectives lost a decision in that way?");
        next_step(&panel, left, 0, value).0
    };
    assert!(next(5, "Bob").is_ok() && next(5, "Cy").is_err());
    assert_eq!(faults(next(1, "Bob"))[0].rule, "turns", "the last question is for Cy");
    assert!(next(1, "Cy").is_ok());
    let bob = asking("Bob", ARCHIVE, "Which of your retrospectives lost a decision in that way?");
    let (late, warnings) = next_step(&panel, 1, 2, bob);
    assert!(late.is_ok() && warnings[0].contains("turns"), "that somebody is asked matters more");
}

const BOB_SAID: &str = "Minutes took 14 % of meeting hours";

#[test]
fn evidence_is_answered_where_it_was_brought() {
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "A study of 2019 shows it.");
    found(&mut panel, json!({"new_evidence": ["a study of 2019"]}));
    let waits = |panel: &Panel| panel.list_unmet_rules(9).iter().any(|reason| reason.starts_with("S3"));
    assert!(waits(&panel));
    ask(&mut panel, "D2", 1);
    assert!(waits(&panel), "Ada was asked about something else");
    ask(&mut panel, "D1", 1);
    assert!(!waits(&panel));
}

#[test]
fn who_repeats_himself_settles_nothing_while_his_evidence_waits() {
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "A study of 2019 shows it.");
    found(&mut panel, json!({"new_evidence": ["a study of 2019"]}));
    answered(&mut panel, "D1", 2, "The study shows it.");
    found(&mut panel, json!({"deadlock": "repetition", "repeats_round": 1}));
    assert_eq!(panel.disagreements[0].state, DisagreementState::Active);
}

#[test]
fn words_from_the_floor_can_be_quoted() {
    let mut panel = divided();
    let asked =
        "A listener asks \"what does this mean for a team of two\": which of your figures is from teams so small?";
    assert!(faults(route(&panel, asking("Bob", ARCHIVE, asked))).iter().any(|f| f.rule == "Q2"));
    panel.add_interjection("Vera", "And what does this mean for a team of two?");
    assert!(route(&panel, asking("Bob", ARCHIVE, asked)).is_ok());
    let quote = "what does this mean for a team of two";
    let Ok(NextQuestion::Ask(asked)) =
        route(&panel, asking("Bob", quote, "Which of your figures is from teams so small?"))
    else {
        panic!()
    };
    assert!(asked.question.starts_with("Vera: \"what does this mean"), "{}", asked.question);
}

#[test]
fn a_topic_that_names_its_kind_names_nothing() {
    for topic in ["facts", "Weight", "high"] {
        let mut statement = analysed();
        statement["disagreements"][0]["topic"] = json!(topic);
        let faults = faults(analysis::parse_comparison(&opened(), 15, attempt(&statement.to_string())));
        assert!(faults[0].at == "disagreements[0].topic", "{topic}: {faults:?}");
    }
    let mut statement = analysed();
    statement["disagreements"][0]["topic"] = json!("the weight of candour");
    assert!(analysis::parse_comparison(&opened(), 15, attempt(&statement.to_string())).is_ok());
}

#[test]
fn the_case_of_a_side_is_more_than_a_name() {
    let mut panel = divided();
    panel.disagreements.truncate(1);
    apply(&mut panel, PanelEvent::Ended(ExaminationEnd::Limit));
    let read = |case: &str| {
        let text = json!({
            "findings": [{"finding": "Losses weigh more.", "disagreement": "none", "agreed": [], "evidence": "the archive"}],
            "modifications": [], "insights": [], "answer": {"do": "Keep a line for each decision.", "unless": ""},
            "unresolved": [{"disagreement": "D1", "one_side": case, "other_side": "It costs too much.", "why": "No data."}],
        });
        synthesis::parse_synthesis(&panel, attempt(&text.to_string()))
    };
    for case in ["Ada", "Ada: Ada"] {
        assert!(faults(read(case))[0].message.contains("no case"), "{case}");
    }
    assert!(read("Ada: losses weigh more.").is_ok());
}

#[test]
fn what_converged_is_told_once_and_then_no_longer_unresolved() {
    let mut panel = divided();
    panel.disagreements.truncate(1);
    panel.disagreements[0].state = DisagreementState::Converged;
    let text = json!({
        "findings": [{"finding": "Losses weigh more.", "disagreement": "none", "agreed": [], "evidence": "the archive"}],
        "modifications": [], "insights": [], "answer": {"do": "Keep a line for each decision.", "unless": ""},
        "unresolved": [{"disagreement": "D1", "one_side": "It pays.", "other_side": "It costs.", "why": "No data."}],
    });
    let text = text.to_string();
    let faults = synthesis::parse_synthesis(&panel, attempt(&text)).unwrap_err();
    assert!(faults.0[0].message.contains("nothing is unresolved"), "{faults}");
    let quoted = faults.shorten_for_redraft();
    let second = Attempt { text: &text, number: 1, quoted: &quoted, imported: false };
    assert!(synthesis::parse_synthesis(&panel, second).unwrap().unresolved.is_empty());
    assert!(synthesis::parse_accepted_synthesis(&panel, &text).unwrap().unresolved.is_empty());
}

#[test]
fn a_panel_in_which_nothing_converged_is_not_called_converged_in_part() {
    let mut panel = divided();
    apply(&mut panel, PanelEvent::Ended(ExaminationEnd::Limit));
    assert_eq!((panel.status().title(), panel.status().outcome_name().as_str()), ("Unresolved", "unresolved"));
}
