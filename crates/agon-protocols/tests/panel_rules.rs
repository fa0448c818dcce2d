//! What the moderator of a panel may say: every rule of the format, and what its fault tells.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

pub(crate) use crate::panel::stage;

use agon_core::Attempt;
use agon_protocols::panel::{
    analysis,
    answer_effect::Deadlock,
    disagreement::DisagreementState,
    question::{NextQuestion, Routing},
    review,
    state::{ExaminationEnd, Panel, PanelEvent},
    synthesis,
};
use serde_json::{Value, json};
use stage::*;

#[test]
fn disagreements_are_ranked_and_the_most_productive_comes_first() {
    let panel = divided();
    let ids: Vec<(&str, &str)> = panel.disagreements.iter().map(|d| (d.id.as_str(), d.topic.as_str())).collect();
    assert_eq!(ids, [("D1", "what minutes cost"), ("D2", "candour")]);
    let next = analysis::parse_comparison(&opened(), 15, attempt(&analysed().to_string())).unwrap().next;
    let NextQuestion::Ask(asked) = next else { panic!("{next:?}") };
    assert_eq!((asked.disagreement.as_str(), &asked.seat), ("D1", &seat(2)));
    assert_eq!(
        asked.question,
        "Ada: \"Our archive lost 31 of 40 oral decisions\" Which figure of yours shows that minutes cost more than such a loss?"
    );
}

#[test]
fn every_rule_of_the_analysis_names_its_place_and_what_is_wanted() {
    let with = |path: &str, value: Value| {
        let mut statement = analysed();
        *statement.pointer_mut(path).unwrap() = value;
        statement
    };
    let claims = "/disagreements/0/claims";
    for (statement, at, says) in [
        (with("/shared_position", json!("")), "shared_position", "missing"),
        (with("/all_agree", json!("no")), "all_agree", "true or false"),
        (with("/disagreements", json!([])), "disagreements", "if all agree"),
        (with("/disagreements/0/kind", json!("taste")), "disagreements[0].kind", "not one of facts"),
        (with("/disagreements/0/rank", json!("top")), "disagreements[0].rank", "not one of high"),
        (with(claims, json!([claim("Ada", "Written decisions are found again")])), "disagreements[0].claims", "two"),
        (
            with(claims, json!([claim("Ada", "Written decisions are found"), claim("Ada", "Our archive lost 31")])),
            "disagreements[0].claims",
            "both claims are of Ada",
        ),
        (
            with("/disagreements/0/claims/0", claim("Dora", "x")),
            "disagreements[0].claims[0].panelist",
            "not one of Ada, Bob, Cy",
        ),
        (
            with("/disagreements/0/claims/0", claim("Cy", "People hide doubts when recorded")),
            "disagreements[0].claims[0].quote",
            "for example \"People hold back doubts when every word is recorded\"",
        ),
        (
            with("/disagreements/0/claims/0", claim("Cy", "Written decisions are found again")),
            "disagreements[0].claims[0].quote",
            "Cy did not say",
        ),
        (with("/next/target", json!("Cy")), "next.target", "no side of D1"),
    ] {
        let faults = faults(analysis::parse_comparison(&opened(), 15, attempt(&statement.to_string())));
        let found = faults.iter().any(|fault| fault.at == at && fault.message.contains(says));
        assert!(found, "{at} {says}: {faults:?}");
    }
}

#[test]
fn white_space_and_quotation_marks_do_not_make_a_quote_false() {
    let mut statement = analysed();
    statement["disagreements"][0]["claims"][0] =
        claim("cy", "“People hold back\n doubts  when every word is recorded.”");
    assert!(analysis::parse_comparison(&opened(), 15, attempt(&statement.to_string())).is_ok());
}

#[test]
fn where_all_agree_there_is_nothing_to_ask_yet() {
    let mut statement = analysed();
    statement["all_agree"] = json!(true);
    let read = analysis::parse_comparison(&opened(), 15, attempt(&statement.to_string())).unwrap();
    assert!(read.found.disagreements.is_empty());
    assert_eq!(read.next, NextQuestion::Stop);
}

#[test]
fn q1_seventy_four_words_pass_and_seventy_five_fail() {
    let panel = divided();
    let quote = "Our archive lost 31 of 40 oral decisions";
    // The quote stands before it, with its speaker's name: nine words.
    let question = |words: usize| format!("What in the archive {}shows it?", "and ".repeat(words - 9 - 6));
    assert!(route(&panel, asking("Bob", quote, &question(74))).is_ok());
    let faults = faults(route(&panel, asking("Bob", quote, &question(75))));
    assert_eq!((faults[0].rule.as_str(), faults.len()), ("Q1", 1), "{faults:?}");
    let chinese = "这份档案里还有什么能够说明问题的材料？".repeat(12);
    let faults = self::faults(route(&panel, asking("Bob", quote, &chinese)));
    assert_eq!(faults[0].rule, "Q1", "words of a script without blanks are counted as well");
}

#[test]
fn how_a_question_is_worded_is_the_moderator_s_business() {
    let panel = divided();
    let quote = "Our archive lost 31 of 40 oral decisions";
    for question in [
        "You counted rent and heating; where in your sum is the loss of a team of four?",
        "Name one team that kept no minutes and tell us what happened there.",
        "¿A partir de cuántas reuniones deja de compensar?",
        "这笔损失在您的时间表里算在哪里？",
        "Missä näistä luvuista näkyy kokouksen hinta?",
        "Explain how the time sheets were kept.",
    ] {
        assert!(route(&panel, asking("Bob", quote, question)).is_ok(), "{question}");
    }
}

#[test]
fn q2_a_question_quotes_another_panelist_word_for_word() {
    let panel = divided();
    let ask = "What evidence speaks against that?";
    for (quote, says) in [
        ("Our archive lost most of all decisions", "for example \"Our archive lost 31 of 40 oral decisions"),
        ("Minutes took 14 % of meeting hours", "Bob said that"),
        ("Our archive", "the quote has 2 words"),
    ] {
        let faults = faults(route(&panel, asking("Bob", quote, ask)));
        assert!(faults.iter().any(|f| f.rule == "Q2" && f.message.contains(says)), "{quote}: {faults:?}");
    }
    let own = "Ada says \"our archive lost nearly everything\". Why is that no cost?";
    let faults = faults(route(&panel, asking("Bob", "Our archive lost 31 of 40 oral decisions", own)));
    assert!(faults[0].message.contains("nobody said \"our archive lost nearly everything\""), "{faults:?}");
    let whole = "\"Our archive lost 31 of 40 oral decisions\": what in your time sheets outweighs that?";
    let Ok(NextQuestion::Ask(asked)) = route(&panel, asking("Bob", "Our archive lost 31 of 40 oral decisions", whole))
    else {
        panic!()
    };
    assert_eq!(asked.question, whole, "a question that holds its quote is put as it is");
}

#[test]
fn a_question_that_was_asked_before_is_warned_of_and_put() {
    let mut panel = divided();
    let next = asking("Bob", "Our archive lost 31 of 40 oral decisions", "What outweighs that?");
    let Ok(NextQuestion::Ask(asked)) = route(&panel, next.clone()) else { panic!() };
    panel.apply_event(PanelEvent::Asked(asked), |_| unreachable!());
    let (again, warnings) = next_step(&panel, 9, 0, next);
    assert!(again.is_ok());
    assert_eq!(warnings, ["Bob was asked the same before"]);
}

#[test]
fn q6_and_q8_one_panelist_is_asked_whose_position_is_challenged() {
    let panel = divided();
    let quote = "Our archive lost 31 of 40 oral decisions";
    for (target, question, rule) in [
        ("Dora", "What outweighs that?", "Q6"),
        ("moderator", "What outweighs that?", "Q6"),
        ("Cy", "What outweighs that?", "Q8"),
    ] {
        let faults = faults(route(&panel, asking(target, quote, question)));
        assert!(faults.iter().any(|fault| fault.rule == rule), "{target} {question}: {faults:?}");
    }
    assert!(route(&panel, asking("bob", quote, "Bob, what outweighs that?")).is_ok());
}

#[test]
fn a_question_that_keeps_breaking_rules_is_not_put_and_never_replaced() {
    let mut statement = analysed();
    statement["next"]["question"] = json!("word ".repeat(90) + "?");
    let text = statement.to_string();
    let read = |number: u32| {
        analysis::parse_comparison(&opened(), 15, Attempt { text: &text, number, quoted: &[], imported: false })
    };
    assert!(read(1).is_err());
    let last = read(2).unwrap();
    assert_eq!(last.next, NextQuestion::Unusable);
    assert!(last.warnings[0].contains("Q1"), "{:?}", last.warnings);
    assert_eq!(last.found.disagreements.len(), 2, "what was found stands");
}

#[test]
fn s1_to_s3_must_hold_before_the_moderator_may_stop() {
    let stop = json!({"action": "stop", "disagreement": "D1", "target": "", "quote": "", "question": ""});
    let mut panel = divided();
    let message = |panel: &Panel| faults(route(panel, stop.clone()))[0].message.clone();
    assert!(message(&panel).contains("S1: D1 and D2 can still be asked about"));
    let quiet = |deadlock, evidence: Vec<String>| {
        let text = reviewed(
            json!({"next": asking("Bob", "Our archive lost 31 of 40 oral decisions", "Which of them mattered?")}),
        );
        let mut panel = divided();
        answered(&mut panel, "D1", 2, "No.");
        let mut found = review::parse_review(&panel, 9, attempt(&text.to_string())).unwrap().found;
        (found.deadlock, found.new_evidence) = (deadlock, evidence);
        PanelEvent::Found(found)
    };
    answered(&mut panel, "D1", 2, "The time sheets stand.");
    panel.apply_event(quiet(Deadlock::Repetition { round: 0 }, vec![]), |_| unreachable!());
    assert!(message(&panel).contains("S1: D2") && message(&panel).contains("S2"));
    answered(&mut panel, "D2", 3, "A study of 2019 shows it.");
    panel.apply_event(quiet(Deadlock::None, vec!["a study of 2019".into()]), |_| unreachable!());
    let unmet = message(&panel);
    assert!(unmet.contains("S1: D2") && unmet.contains("S2"), "{unmet}");
    assert!(unmet.contains("S3: Ada has not been asked about the evidence of Cy: a study of 2019"), "{unmet}");
    answered(&mut panel, "D2", 1, "It was small.");
    panel.apply_event(quiet(Deadlock::None, vec![]), |_| unreachable!());
    assert!(message(&panel).contains("S2") && !message(&panel).contains("S3"), "one quiet exchange is not two");
    answered(&mut panel, "D2", 3, "It was not.");
    panel.apply_event(quiet(Deadlock::Repetition { round: 0 }, vec![]), |_| unreachable!());
    assert_eq!(panel.list_unmet_rules(9), [] as [String; 0]);
    assert_eq!(route(&panel, stop).unwrap(), NextQuestion::Stop);
}

#[test]
fn repetition_names_the_round_and_circular_needs_both_sides() {
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "Minutes cost too much, as I said.");
    let wrong = faults(review_of(&panel, json!({"deadlock": "repetition", "repeats_round": 1})));
    assert!(wrong[0].message.contains("Bob spoke before in round 0"), "{wrong:?}");
    let early = faults(review_of(&panel, json!({"deadlock": "circular"})));
    assert!(early[0].message.contains("answers of both sides"), "{early:?}");
    let new = faults(review_of(&panel, json!({"deadlock": "repetition", "repeats_round": 0, "new_insight": true})));
    assert!(new[0].message.contains("nothing new"), "{new:?}");
    let found = review_of(&panel, json!({"deadlock": "repetition", "repeats_round": 0})).unwrap();
    panel.apply_event(PanelEvent::Found(found), |_| unreachable!());
    assert_eq!(panel.disagreements[0].state, DisagreementState::Deadlocked);
    assert_eq!(
        panel.exchanges[0].notes[0].text,
        "Bob has restated their position from Round 0 without new evidence. Moving to next topic."
    );
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "Minutes cost too much.");
    answered(&mut panel, "D1", 1, "Losses cost more.");
    let found = review_of(&panel, json!({"deadlock": "circular"})).unwrap();
    panel.apply_event(PanelEvent::Found(found), |_| unreachable!());
    let note = "Ada and Bob are repeating the same arguments on what minutes cost. Moving to next topic.";
    assert_eq!(panel.exchanges[1].notes[0].text, note);
}

#[test]
fn a_copy_word_for_word_is_repetition_whatever_the_moderator_says() {
    let mut panel = divided();
    answered(&mut panel, "D1", 2, BOB);
    panel.exchanges[0].answer.as_mut().unwrap().copies = Some(0);
    let found = review_of(&panel, json!({"new_insight": true, "new_evidence": ["a figure"]})).unwrap();
    assert_eq!((found.deadlock, found.is_new()), (Deadlock::Repetition { round: 0 }, false));
}

#[test]
fn a_review_may_not_ask_about_what_it_has_just_settled() {
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "Ada has the better of it here.");
    let mut changes = claimed("gives_up", "Ada has the better of it here.", "Ada");
    changes["next"] = asking("Bob", "Our archive lost 31 of 40 oral decisions", "What follows from that?");
    let faults = faults(review_of(&panel, changes));
    assert!(faults[0].message.contains("D1 is settled or left; ask about D2"), "{faults:?}");
}

#[test]
fn the_synthesis_names_each_open_disagreement_once_and_nobody_from_outside() {
    let mut panel = divided();
    panel.apply_event(PanelEvent::Ended(ExaminationEnd::Limit), |_| unreachable!());
    panel.disagreements[0].state = DisagreementState::Converged;
    let open = |id: &str| json!({"disagreement": id, "one_side": "a", "other_side": "b", "why": "c"});
    let written = |agreed: Value, unresolved: Value, insights: Value| {
        json!({
            "findings": [{"finding": "Losses weigh more.", "disagreement": "D1", "agreed": agreed, "evidence": "the archive"}],
            "modifications": [], "unresolved": unresolved, "insights": insights,
            "answer": {"do": "Keep a line for each decision.", "unless": ""},
        })
        .to_string()
    };
    let read = |text: String| synthesis::parse_synthesis(&panel, attempt(&text));
    let one = |name: &str, quote: &str| json!({"name": name, "quote": quote});
    let ada = one("Ada", "Written decisions are found again after years");
    let both = json!([ada, one("Bob", "Small decisions are not worth the ink they need")]);
    assert!(read(written(both, json!([open("D2")]), json!([]))).is_ok());
    assert!(read(written(json!([]), json!([open("D2")]), json!([]))).is_ok(), "nobody need have agreed");
    for (text, says) in [
        (written(json!([ada]), json!([]), json!([])), "D2 did not converge and is missing"),
        (written(json!([ada]), json!([open("D2"), open("D1")]), json!([])), "\"D1\" is not one of D2"),
        (written(json!([ada]), json!([open("D2"), open("D2")]), json!([])), "twice"),
        (
            written(json!([one("Dora", "Written decisions")]), json!([open("D2")]), json!([])),
            "\"Dora\" is not one of Ada, Bob, Cy",
        ),
        (
            written(
                json!([one("Cy", "Written decisions are found again after years")]),
                json!([open("D2")]),
                json!([]),
            ),
            "Cy did not say",
        ),
        (written(json!([ada]), json!([open("D2")]), json!([ADA])), "stands in an opening"),
    ] {
        let faults = read(text).unwrap_err().to_string();
        assert!(faults.contains(says), "{says}: {faults}");
    }
}

#[test]
fn schemas_offer_what_the_rules_accept_and_forbid_no_quotation() {
    let texts = |schema: &Value, path: &str| -> Vec<String> {
        let values = schema.pointer(path).and_then(Value::as_array).unwrap_or_else(|| panic!("{path} in {schema}"));
        values.iter().map(|value| value.as_str().unwrap().to_owned()).collect()
    };
    let kinds = |schema: &Value, path: &str| -> Vec<Value> {
        schema.pointer(path).and_then(Value::as_array).unwrap_or_else(|| panic!("{path} in {schema}")).clone()
    };
    let panel = divided();
    let seat = |name: &str| panel.speakers().find(|speaker| speaker.name == name).unwrap().seat.clone();
    let schema = json!(analysis::comparison_form(&opened(), 15).to_schema());
    let claims = kinds(&schema, "/properties/disagreements/items/properties/claims/items/anyOf");
    let names: Vec<_> = claims.iter().flat_map(|claim| texts(claim, "/properties/panelist/enum")).collect();
    assert_eq!(names, ["Ada", "Bob", "Cy"]);
    for (claim, name) in claims.iter().zip(&names) {
        assert!(claim.pointer("/properties/quote/enum").is_none());
        for quote in texts(claim, "/properties/quote/examples") {
            assert!(panel.said.has_said(&seat(name), &quote), "{name}: {quote}");
        }
    }
    let steps =
        kinds(&json!(Routing { panel: &panel, first: false, left: 9 }.next_step_kind(None).to_schema()), "/anyOf");
    assert!(!steps.is_empty());
    for step in &steps {
        let target = texts(step, "/properties/target/enum").remove(0);
        for about in texts(step, "/properties/disagreement/enum") {
            assert!(panel.find_disagreement(&about).unwrap().has_side(&seat(&target)), "{target}: {about}");
        }
        assert!(step.pointer("/properties/quote/enum").is_none());
        for quote in texts(step, "/properties/quote/examples") {
            let mut others = panel.speakers().filter(|other| other.name != target);
            assert!(others.any(|other| panel.said.has_said(&other.seat, &quote)), "{target}: {quote}");
        }
    }
    let plain = agon_core::form::FormField::from_schema(&schema).without_examples().to_string();
    assert!(!plain.contains("archive") && plain.len() < 3_000, "{}", plain.len());
}

#[test]
fn the_first_question_may_go_to_every_side() {
    let schema = json!(analysis::comparison_form(&opened(), 15).to_schema());
    let steps = schema["properties"]["next"]["anyOf"].as_array().unwrap();
    let targets: Vec<&str> =
        steps.iter().map(|step| step["properties"]["target"]["enum"][0].as_str().unwrap()).collect();
    assert_eq!(targets, ["Ada", "Bob", "Cy"], "who disagrees is not known yet");
}
