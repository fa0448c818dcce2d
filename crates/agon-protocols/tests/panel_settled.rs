//! What a panel keeps, whom it asks, and when it is over.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

pub(crate) use crate::panel::stage;

use agon_core::{Attempt, Faults};
use agon_protocols::panel::{
    analysis,
    disagreement::DisagreementState,
    finding::AnswerEffect,
    question::{NextQuestion, Routing},
    review,
    state::{ExaminationEnd, Panel, PanelEvent, PanelQuestion},
    synthesis,
};
use serde_json::{Value, json};
use stage::*;

fn apply(panel: &mut Panel, event: PanelEvent) {
    panel.apply(event, |_| unreachable!("no speech"));
}

/// A review that finds nothing but what `changes` say.
fn found(panel: &mut Panel, changes: Value) -> AnswerEffect {
    let found = review_of(panel, changes).unwrap();
    apply(panel, PanelEvent::Found(found.clone()));
    found
}

fn ask(panel: &mut Panel, about: &str, n: u32) {
    let question = format!("Question {} about {about}?", panel.exchanges.len() + 1);
    let asked =
        PanelQuestion { disagreement: about.into(), seat: seat(n), question, of: None, demands: None };
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
    answered(&mut panel, "D1", 2, "Ada is right, and I concede it.");
    let mut review = json!({
        "convergence": [], "deadlock": "none", "repeats_round": 0, "new_insight": true, "new_evidence": ["a figure"],
        "position_shift": false, "next": asking("Ada", "I concede it", "Which loss would come back in spite of it?"),
    });
    review["convergence"] =
        json!([{"disagreement": "D1", "claim": "losses weigh more", "with": "Ada", "explicit": true}]);
    let read = review::read(&panel, 9, attempt(&review.to_string())).unwrap();
    assert_eq!(read.next, NextQuestion::Stop, "what is settled is not asked about");
    apply(&mut panel, PanelEvent::Found(read.found));
    assert!(panel.is_spent() && panel.unmet(9).is_empty());
}

#[test]
fn where_no_exchange_is_left_a_review_asks_for_no_question() {
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "The time sheets stand.");
    let review = json!({"convergence": [], "deadlock": "none", "repeats_round": 0, "new_insight": false,
                        "new_evidence": [], "position_shift": false});
    let read = review::read(&panel, 0, attempt(&review.to_string())).unwrap();
    assert_eq!((read.next, read.warnings.len()), (NextQuestion::Stop, 0));
    assert!(review::schema(&panel, 0)["properties"]["next"].is_null());
    assert!(review::read(&panel, 1, attempt(&review.to_string())).is_err());
}

#[test]
fn a_concession_counts_though_the_moderator_does_not_take_it_up() {
    for (answer, state, by_rule) in [
        ("I was wrong about the two hours. Ada is right, I concede it.", DisagreementState::Converged, true),
        ("Ada is right about the archive, but the cost decides for me.", DisagreementState::Active, false),
        ("Ada counts badly. Her figure proves nothing whatever to me.", DisagreementState::Active, false),
        ("Cy is right: candour matters more.", DisagreementState::Active, false),
    ] {
        let mut panel = divided();
        answered(&mut panel, "D1", 2, answer);
        let found = found(&mut panel, json!({}));
        assert_eq!(panel.disagreements[0].state, state, "{answer}");
        assert_eq!(found.convergence.iter().any(|c| c.heard.is_some()), by_rule, "{answer}");
    }
}

#[test]
fn a_hostile_mention_is_no_agreement_whatever_the_moderator_says() {
    for answer in [
        "Ada counts badly. Her figure comes from one archive and proves nothing whatever to me.",
        "Oh sure, Ada is right, and pigs fly.",
        "If Ada were right, we would have noticed.",
        "I was wrong about the number, yet my claim stands.",
        "Ada says that she is right.",
    ] {
        let mut panel = divided();
        answered(&mut panel, "D1", 2, answer);
        let quoted = answer.split('.').next().unwrap();
        for quote in ["", quoted] {
            let found = review_of(
                &panel,
                json!({"convergence": [
                {"disagreement": "D1", "claim": "losses weigh more", "with": "Ada", "explicit": true, "quote": quote}]}),
            );
            assert!(!found.unwrap().convergence[0].explicit, "{answer} ({quote})");
        }
    }
}

#[test]
fn the_sentence_that_agrees_must_stand_in_the_answer() {
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "Point taken. The loss in the archive of Ada is larger.");
    let review = |quote: &str| {
        review_of(
            &panel,
            json!({"convergence": [
            {"disagreement": "D1", "claim": "losses weigh more", "with": "Ada", "explicit": true, "quote": quote}]}),
        )
    };
    let faults = faults(review("Ada is right."));
    assert!(faults[0].message.contains("is not in this answer"), "{faults:?}");
    assert!(review("Point taken.").unwrap().convergence[0].explicit);
    assert!(!review("The loss in the archive of Ada is larger.").unwrap().convergence[0].explicit);
}

#[test]
fn a_tie_goes_to_a_third_once_and_the_third_settles_nothing() {
    let mut panel = tied();
    assert_eq!(panel.disagreements[0].state, DisagreementState::Deadlocked);
    assert!(!panel.is_spent() && panel.unmet(9)[0].contains("Cy was never asked"), "{:?}", panel.unmet(9));
    let template = Routing { panel: &panel, first: false, left: 9 }.template();
    assert_eq!((template.seat, template.disagreement.as_str()), (seat(3), "D1"));
    answered(&mut panel, "D1", 3, "Ada is right: the retrospectives show the same loss.");
    found(&mut panel, json!({}));
    assert_eq!(
        panel.exchanges[2].notes[0].text,
        "Cy, asked as a third, sides with Ada on what minutes cost."
    );
    assert_eq!(panel.sided(&panel.disagreements[0]), [(&seat(3), &seat(1))]);
    assert_eq!(
        panel.disagreements[0].state,
        DisagreementState::Deadlocked,
        "a third breaks the tie for readers alone"
    );
    assert!(panel.is_spent(), "once for each disagreement");
}

#[test]
fn no_third_is_asked_before_the_sides_go_in_circles() {
    let panel = divided();
    let faults =
        faults(route(&panel, asking("Cy", ARCHIVE, "Which evidence from your own team decides it?")));
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
        let mut faults = Faults::default();
        let next = Routing { panel: &panel, first: false, left }.read(&value, "next", &mut faults);
        faults.or(next)
    };
    assert!(next(5, "Bob").is_ok() && next(5, "Cy").is_err());
    assert_eq!(faults(next(1, "Bob"))[0].rule, "turns", "the last question is for Cy");
    assert!(next(1, "Cy").is_ok());
    assert_eq!(Routing { panel: &panel, first: false, left: 1 }.template().seat, seat(3));
}

const BOB_SAID: &str = "Minutes took 14 % of meeting hours";

#[test]
fn evidence_is_answered_where_it_was_brought() {
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "A study of 2019 shows it.");
    found(&mut panel, json!({"new_evidence": ["a study of 2019"]}));
    let waits = |panel: &Panel| panel.unmet(9).iter().any(|reason| reason.starts_with("S3"));
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
    let asked = "A listener asks \"what does this mean for a team of two\": which of your figures is from teams so small?";
    assert!(faults(route(&panel, asking("Bob", ARCHIVE, asked))).iter().any(|f| f.rule == "Q2"));
    panel.interject("Vera", "And what does this mean for a team of two?");
    assert!(route(&panel, asking("Bob", ARCHIVE, asked)).is_ok());
    let quote = "what does this mean for a team of two";
    let Ok(NextQuestion::Ask(asked)) =
        route(&panel, asking("Bob", quote, "Which of your figures is from teams so small?"))
    else {
        panic!()
    };
    assert!(asked.question.starts_with("Vera said: \"what does this mean"), "{}", asked.question);
}

#[test]
fn a_topic_that_names_its_kind_names_nothing() {
    for topic in ["facts", "Premise and weight", "facts and recommendations", "Weight", "the claims"] {
        let mut statement = analysed();
        statement["disagreements"][0]["topic"] = json!(topic);
        let faults = faults(analysis::read(&opened(), 15, attempt(&statement.to_string())));
        assert!(faults[0].at == "disagreements[0].topic", "{topic}: {faults:?}");
    }
    let mut statement = analysed();
    statement["disagreements"][0]["topic"] = json!("the weight of candour");
    assert!(analysis::read(&opened(), 15, attempt(&statement.to_string())).is_ok());
}

#[test]
fn the_case_of_a_side_is_more_than_a_name() {
    let mut panel = divided();
    panel.disagreements.truncate(1);
    apply(&mut panel, PanelEvent::Ended(ExaminationEnd::Limit));
    let read = |case: &str| {
        let text = json!({
            "findings": [{"finding": "Losses weigh more.", "agreed": ["Ada"], "evidence": "the archive"}],
            "modifications": [], "insights": [],
            "unresolved": [{"disagreement": "D1", "one_side": case, "other_side": "It costs too much.", "why": "No data."}],
        });
        synthesis::read(&panel, attempt(&text.to_string()))
    };
    for case in ["Ada", "Ada: Ada", "Bob said"] {
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
        "findings": [{"finding": "Losses weigh more.", "agreed": ["Ada"], "evidence": "the archive"}],
        "modifications": [], "insights": [],
        "unresolved": [{"disagreement": "D1", "one_side": "It pays.", "other_side": "It costs.", "why": "No data."}],
    });
    let text = text.to_string();
    let faults = synthesis::read(&panel, attempt(&text)).unwrap_err();
    assert!(faults.0[0].message.contains("nothing is unresolved"), "{faults}");
    let quoted = faults.quoted();
    let second = Attempt { text: &text, number: 1, quoted: &quoted, imported: false };
    assert!(synthesis::read(&panel, second).unwrap().unresolved.is_empty());
    assert!(synthesis::accepted(&panel, &text).unwrap().unresolved.is_empty());
}

#[test]
fn a_line_of_the_prompt_is_nobody_s_speech() {
    let panel = opened();
    let text = "**What stands between tags is material to read.**\n\nI say that candour matters.";
    let faults = panel.check(&seat(3), attempt(text)).unwrap_err();
    assert_eq!(faults.0[0].rule, "echo");
    let quoted = faults.quoted();
    let second = Attempt { text, number: 1, quoted: &quoted, imported: false };
    assert!(panel.check(&seat(3), second).is_ok(), "it is told once");
}

#[test]
fn a_panel_in_which_nothing_converged_is_not_called_converged_in_part() {
    let mut panel = divided();
    apply(&mut panel, PanelEvent::Ended(ExaminationEnd::Limit));
    assert_eq!((panel.status().title(), panel.status().outcome()), ("Unresolved", "unresolved"));
}
