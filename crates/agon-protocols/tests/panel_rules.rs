//! What the moderator of a panel may say: every rule of the format, and what its fault tells.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

pub(crate) use crate::panel::stage;

use std::sync::Arc;

use agon_core::{Attempt, Key};
use agon_protocols::panel::{
    analysis,
    disagreement::DisagreementState,
    finding::Deadlock,
    question::{NextQuestion, Routing},
    review,
    speech::Speech,
    state::{Analysed, ExaminationEnd, Panel, PanelEvent, Panelist},
    synthesis,
    wording::{self, QUESTION_WORDS_BELOW},
};
use serde_json::{Value, json};
use stage::*;

#[test]
fn disagreements_are_ranked_and_the_most_productive_comes_first() {
    let panel = divided();
    let ids: Vec<(&str, &str)> =
        panel.disagreements.iter().map(|d| (d.id.as_str(), d.topic.as_str())).collect();
    assert_eq!(ids, [("D1", "what minutes cost"), ("D2", "candour")]);
    let next = analysis::read(&opened(), 15, attempt(&analysed().to_string())).unwrap().next;
    let NextQuestion::Ask(asked) = next else { panic!("{next:?}") };
    assert_eq!((asked.disagreement.as_str(), &asked.seat), ("D1", &seat(2)));
    assert_eq!(
        asked.question,
        "Ada said: \"Our archive lost 31 of 40 oral decisions\" Which figure of yours shows that minutes cost more than such a loss?"
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
        (
            with(claims, json!([claim("Ada", "Written decisions are found again")])),
            "disagreements[0].claims",
            "two",
        ),
        (
            with(
                claims,
                json!([claim("Ada", "Written decisions are found"), claim("Ada", "Our archive lost 31")]),
            ),
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
        let faults = faults(analysis::read(&opened(), 15, attempt(&statement.to_string())));
        let found = faults.iter().any(|fault| fault.at == at && fault.message.contains(says));
        assert!(found, "{at} {says}: {faults:?}");
    }
}

#[test]
fn white_space_and_quotation_marks_do_not_make_a_quote_false() {
    let mut statement = analysed();
    statement["disagreements"][0]["claims"][0] =
        claim("cy", "“People hold back\n doubts  when every word is recorded.”");
    assert!(analysis::read(&opened(), 15, attempt(&statement.to_string())).is_ok());
}

#[test]
fn where_all_agree_there_is_nothing_to_ask_yet() {
    let mut statement = analysed();
    statement["all_agree"] = json!(true);
    let read = analysis::read(&opened(), 15, attempt(&statement.to_string())).unwrap();
    assert!(read.found.disagreements.is_empty());
    assert_eq!(read.next, NextQuestion::Stop);
}

/// What is wrong with a question to Bob about Ada's archive.
fn wrong(question: &str) -> Vec<&'static str> {
    let quote = "Our archive lost 31 of 40 oral decisions";
    let whole = format!("Ada said: \"{quote}\" {question}");
    let known = format!("{ADA} {BOB} {CY}");
    wording::faults(&whole, question, "Bob", &["Ada", "Cy"], &known)
        .into_iter()
        .map(|(rule, _)| rule)
        .collect()
}

#[test]
fn q1_seventy_four_words_pass_and_seventy_five_fail() {
    assert_eq!(QUESTION_WORDS_BELOW, 75);
    let question = |words: usize| format!("What in the archive {}shows it?", "and ".repeat(words - 6));
    for (words, rules) in [(74, vec![]), (75, vec!["Q1"])] {
        let question = question(words);
        let found = wording::faults(&question, &question, "Bob", &["Ada"], ADA);
        assert_eq!(found.iter().map(|(rule, _)| *rule).collect::<Vec<_>>(), rules, "{found:?}");
    }
}

#[test]
fn questions_are_told_by_their_grammar_and_not_by_phrases() {
    for (rule, question) in [
        ("Q3", "Explain how the archive was searched."),
        ("Q4", "How would you restate what the archive shows?"),
        ("Q4", "What is your main argument against the archive?"),
        ("Q5", "What do you think about what Ada said?"),
        ("Q5", "Do you agree or disagree?"),
        ("Q5", "Can you elaborate on your position?"),
        ("Q5", "Really?"),
        ("Q5", "Do you accept that?"),
        ("Q5", "Is that so or is it not so?"),
        ("Q5", "Would you clarify what you meant?"),
        ("Q5", "What is your response to this?"),
        ("Q5", "How would you react to that?"),
        ("Q5", "Stimmen Sie dem zu?"),
        ("Q6", "Ada and Cy, what evidence do you have for that?"),
        ("Q6", "What evidence do both of you have?"),
        ("Q7", "I think that is wrong; how do you reconcile it?"),
        ("Q7", "Clearly the archive failed. Why?"),
        ("Q7", "Given that Ada has shown you wrong, what evidence could you still offer?"),
        ("Q7", "Why do you still cling to your time sheets?"),
        ("Q2", "What is the capital of France called?"),
    ] {
        assert!(wrong(question).contains(&rule), "{rule} {question}: {:?}", wrong(question));
    }
    for question in [
        "How do you reconcile this with your time sheets?",
        "Ada says \"I think we lost it\". Which of your time sheets speaks against it?",
        "If you agree with Ada on the archive, why does the cost of minutes still decide?",
        "Which source shows this?",
        "What outweighs that?",
        "Bob, what outweighs that?",
        "¿Qué dato lo demuestra?",
        "何がそれを示しますか？",
    ] {
        assert_eq!(wrong(question), [] as [&str; 0], "{question}");
    }
}

#[test]
fn q2_a_question_quotes_another_panelist_word_for_word() {
    let panel = divided();
    let ask = "What evidence speaks against that?";
    for (quote, says) in [
        ("Our archive lost most decisions", "for example \"Our archive lost 31 of 40 oral decisions"),
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
    let Ok(NextQuestion::Ask(asked)) =
        route(&panel, asking("Bob", "Our archive lost 31 of 40 oral decisions", whole))
    else {
        panic!()
    };
    assert_eq!(asked.question, whole, "a question that holds its quote is put as it is");
}

#[test]
fn q4_the_same_question_is_not_asked_twice() {
    let mut panel = divided();
    let next = asking("Bob", "Our archive lost 31 of 40 oral decisions", "What outweighs that?");
    let Ok(NextQuestion::Ask(asked)) = route(&panel, next.clone()) else { panic!() };
    panel.apply(PanelEvent::Asked(asked), |_| unreachable!());
    assert!(faults(route(&panel, next)).iter().any(|fault| fault.rule == "Q4"));
    let quote = "Our archive lost 31 of 40 oral decisions";
    for question in ["Bob, what is it that outweighs that?", "And what outweighs this loss?"] {
        let near = faults(route(&panel, asking("Bob", quote, question)));
        assert!(near.iter().any(|fault| fault.rule == "Q4"), "{question}: {near:?}");
    }
    let other = asking("Bob", quote, "Which of your time sheets counts decisions that were made twice?");
    assert!(route(&panel, other).is_ok());
}

#[test]
fn q6_and_q8_one_panelist_is_asked_whose_position_is_challenged() {
    let panel = divided();
    let quote = "Our archive lost 31 of 40 oral decisions";
    for (target, question, rule) in [
        ("Dora", "What outweighs that?", "Q6"),
        ("moderator", "What outweighs that?", "Q6"),
        ("Bob", "Cy, what outweighs that?", "Q6"),
        ("Bob", "Cy and Bob, what outweighs that?", "Q6"),
        ("Cy", "What outweighs that?", "Q8"),
    ] {
        let faults = faults(route(&panel, asking(target, quote, question)));
        assert!(faults.iter().any(|fault| fault.rule == rule), "{target} {question}: {faults:?}");
    }
    assert!(route(&panel, asking("bob", quote, "Bob, what outweighs that?")).is_ok());
}

#[test]
fn a_question_that_keeps_breaking_rules_becomes_the_program_s_and_is_never_cut() {
    let mut statement = analysed();
    statement["next"]["question"] = json!("word ".repeat(90) + "?");
    let text = statement.to_string();
    assert!(
        analysis::read(&opened(), 15, Attempt { text: &text, number: 1, quoted: &[], imported: false })
            .is_err()
    );
    let read =
        analysis::read(&opened(), 15, Attempt { text: &text, number: 2, quoted: &[], imported: false })
            .unwrap();
    let NextQuestion::Ask(asked) = read.next else { panic!() };
    assert!(asked.of.is_none() && !asked.question.contains("word"));
    assert!(
        asked.question.starts_with("Ada said: \"Our archive lost 31 of 40 oral decisions\""),
        "{}",
        asked.question
    );
    assert_eq!(wrong(asked.question.rsplit('"').next().unwrap()), [] as [&str; 0], "it keeps the rules");
    assert!(read.warnings[0].contains("replaced by one of the program"), "{:?}", read.warnings);
}

#[test]
fn s1_to_s3_must_hold_before_the_moderator_may_stop() {
    let stop = json!({"action": "stop", "disagreement": "D1", "target": "", "quote": "", "question": ""});
    let mut panel = divided();
    let message = |panel: &Panel| faults(route(panel, stop.clone()))[0].message.clone();
    assert!(message(&panel).contains("S1: D1 and D2 can still be asked about"));
    let quiet = |deadlock, evidence: Vec<String>| {
        let text = json!({
            "convergence": [], "deadlock": "none", "repeats_round": 0, "new_insight": false, "new_evidence": [],
            "position_shift": false, "next": asking("Bob", "Our archive lost 31 of 40 oral decisions", "Which of them mattered?"),
        });
        let mut panel = divided();
        answered(&mut panel, "D1", 2, "No.");
        let mut found = review::read(&panel, 9, attempt(&text.to_string())).unwrap().found;
        (found.deadlock, found.new_evidence) = (deadlock, evidence);
        PanelEvent::Found(found)
    };
    answered(&mut panel, "D1", 2, "The time sheets stand.");
    panel.apply(quiet(Deadlock::Repetition { round: 0 }, vec![]), |_| unreachable!());
    assert!(message(&panel).contains("S1: D2") && message(&panel).contains("S2"));
    answered(&mut panel, "D2", 3, "A study of 2019 shows it.");
    panel.apply(quiet(Deadlock::None, vec!["a study of 2019".into()]), |_| unreachable!());
    let unmet = message(&panel);
    assert!(unmet.contains("S1: D2") && unmet.contains("S2"), "{unmet}");
    assert!(
        unmet.contains("S3: Ada has not been asked about the evidence of Cy: a study of 2019"),
        "{unmet}"
    );
    answered(&mut panel, "D2", 1, "It was small.");
    panel.apply(quiet(Deadlock::None, vec![]), |_| unreachable!());
    assert!(
        message(&panel).contains("S2") && !message(&panel).contains("S3"),
        "one quiet exchange is not two"
    );
    answered(&mut panel, "D2", 3, "It was not.");
    panel.apply(quiet(Deadlock::Repetition { round: 0 }, vec![]), |_| unreachable!());
    assert_eq!(panel.unmet(9), [] as [String; 0]);
    assert_eq!(route(&panel, stop).unwrap(), NextQuestion::Stop);
}

#[test]
fn explicit_convergence_resolves_and_is_noted_implicit_is_only_noted() {
    for (answer, explicit, state, note) in [
        (
            "Ada is right: the loss is larger.",
            true,
            DisagreementState::Converged,
            "Bob and Ada have converged on the archive losses.",
        ),
        (
            "So the archive losses do weigh.",
            false,
            DisagreementState::Active,
            "Bob has moved towards Ada on the archive losses without saying so.",
        ),
        (
            "The archive losses are what counts.",
            true,
            DisagreementState::Active,
            "Bob has moved towards Ada on the archive losses without saying so.",
        ),
    ] {
        let mut panel = divided();
        answered(&mut panel, "D1", 2, answer);
        let found = review_of(&panel, converged("Ada", explicit)).unwrap();
        panel.apply(PanelEvent::Found(found), |_| unreachable!());
        assert_eq!(panel.disagreements[0].state, state, "{answer}");
        assert_eq!(panel.exchanges[0].notes[0].text, note);
    }
}

#[test]
fn a_third_panelist_s_agreement_is_noted_and_resolves_nothing() {
    let mut panel = divided();
    answered(&mut panel, "D2", 3, "On the archive Ada is right.");
    let found = review_of(&panel, converged("Ada", true)).unwrap();
    panel.apply(PanelEvent::Found(found), |_| unreachable!());
    assert_eq!(panel.disagreements[0].state, DisagreementState::Active);
    assert_eq!(panel.exchanges[0].notes[0].text, "Cy and Ada have converged on the archive losses.");
}

#[test]
fn repetition_names_the_round_and_circular_needs_both_sides() {
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "Minutes cost too much, as I said.");
    let wrong = faults(review_of(&panel, json!({"deadlock": "repetition", "repeats_round": 1})));
    assert!(wrong[0].message.contains("Bob spoke before in round 0"), "{wrong:?}");
    let early = faults(review_of(&panel, json!({"deadlock": "circular"})));
    assert!(early[0].message.contains("answers of both sides"), "{early:?}");
    let new =
        faults(review_of(&panel, json!({"deadlock": "repetition", "repeats_round": 0, "new_insight": true})));
    assert!(new[0].message.contains("nothing new"), "{new:?}");
    let found = review_of(&panel, json!({"deadlock": "repetition", "repeats_round": 0})).unwrap();
    panel.apply(PanelEvent::Found(found), |_| unreachable!());
    assert_eq!(panel.disagreements[0].state, DisagreementState::Deadlocked);
    assert_eq!(
        panel.exchanges[0].notes[0].text,
        "Bob has restated their position from Round 0 without new evidence. Moving to next topic."
    );
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "Minutes cost too much.");
    answered(&mut panel, "D1", 1, "Losses cost more.");
    let found = review_of(&panel, json!({"deadlock": "circular"})).unwrap();
    panel.apply(PanelEvent::Found(found), |_| unreachable!());
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
    answered(&mut panel, "D1", 2, "Ada is right.");
    let mut changes = converged("Ada", true);
    changes["next"] = asking("Bob", "Our archive lost 31 of 40 oral decisions", "What follows from that?");
    let faults = faults(review_of(&panel, changes));
    assert!(faults[0].message.contains("D1 is settled or left; ask about D2"), "{faults:?}");
}

#[test]
fn the_synthesis_names_each_open_disagreement_once_and_nobody_from_outside() {
    let mut panel = divided();
    panel.apply(PanelEvent::Ended(ExaminationEnd::Limit), |_| unreachable!());
    panel.disagreements[0].state = DisagreementState::Converged;
    let open = |id: &str| json!({"disagreement": id, "one_side": "a", "other_side": "b", "why": "c"});
    let written = |agreed: Value, unresolved: Value, insights: Value| {
        json!({
            "findings": [{"finding": "Losses weigh more.", "agreed": agreed, "evidence": "the archive"}],
            "modifications": [], "unresolved": unresolved, "insights": insights,
        })
        .to_string()
    };
    let read = |text: String| synthesis::read(&panel, attempt(&text));
    assert!(read(written(json!(["Ada", "Bob"]), json!([open("D2")]), json!([]))).is_ok());
    for (text, says) in [
        (written(json!(["Ada"]), json!([]), json!([])), "D2 did not converge and is missing"),
        (written(json!(["Ada"]), json!([open("D2"), open("D1")]), json!([])), "\"D1\" is not one of D2"),
        (written(json!(["Ada"]), json!([open("D2"), open("D2")]), json!([])), "twice"),
        (written(json!(["Dora"]), json!([open("D2")]), json!([])), "\"Dora\" is not one of Ada, Bob, Cy"),
        (written(json!([]), json!([open("D2")]), json!([])), "name who agreed"),
        (written(json!(["Ada"]), json!([open("D2")]), json!([ADA])), "stands in an opening"),
    ] {
        let faults = read(text).unwrap_err().to_string();
        assert!(faults.contains(says), "{says}: {faults}");
    }
}

#[test]
fn schemas_offer_only_what_the_rules_accept() {
    let offered = |schema: &Value, path: &str| -> Vec<String> {
        let values =
            schema.pointer(path).and_then(Value::as_array).unwrap_or_else(|| panic!("{path} in {schema}"));
        values.iter().map(|value| value.as_str().unwrap().to_owned()).collect()
    };
    let kinds = |schema: &Value, path: &str| -> Vec<Value> {
        schema.pointer(path).and_then(Value::as_array).unwrap_or_else(|| panic!("{path} in {schema}")).clone()
    };
    let panel = divided();
    let seat = |name: &str| panel.speakers().find(|speaker| speaker.name == name).unwrap().seat.clone();
    let claims = kinds(
        &analysis::schema(&opened(), 15),
        "/properties/disagreements/items/properties/claims/items/anyOf",
    );
    let names: Vec<_> = claims.iter().flat_map(|claim| offered(claim, "/properties/panelist/enum")).collect();
    assert_eq!(names, ["Ada", "Bob", "Cy"]);
    for (claim, name) in claims.iter().zip(&names) {
        for quote in offered(claim, "/properties/quote/enum") {
            assert!(panel.said.by(&seat(name), &quote), "{name}: {quote}");
        }
    }
    let steps = kinds(&Routing { panel: &panel, first: false, left: 9 }.steps().schema(), "/anyOf");
    assert!(!steps.is_empty());
    for step in &steps {
        let target = offered(step, "/properties/target/enum").remove(0);
        for about in offered(step, "/properties/disagreement/enum") {
            assert!(panel.disagreement(&about).unwrap().concerns(&seat(&target)), "{target}: {about}");
        }
        for quote in offered(step, "/properties/quote/enum") {
            let others = panel.speakers().filter(|other| other.name != target);
            assert!(others.into_iter().any(|other| panel.said.by(&other.seat, &quote)), "{target}: {quote}");
        }
    }
    let _: Option<Analysed> = panel.analysed;
}

#[test]
fn the_first_question_may_go_to_every_side_and_quote_everybody() {
    let panel = opened();
    let offered = |panel: &Panel| -> Vec<(String, Vec<usize>)> {
        let schema = analysis::schema(panel, 15);
        let steps = schema["properties"]["next"]["anyOf"].as_array().unwrap().clone();
        let step = |step: &Value| {
            let target = step["properties"]["target"]["enum"][0].as_str().unwrap().to_owned();
            let quotes = step["properties"]["quote"]["enum"].as_array().unwrap().clone();
            let of = |other: &Panelist| {
                quotes.iter().filter(|quote| panel.said.by(&other.seat, quote.as_str().unwrap())).count()
            };
            (target.clone(), panel.speakers().filter(|other| other.name != target).map(of).collect())
        };
        let mut steps: Vec<_> = steps.iter().map(step).collect();
        steps.sort();
        steps
    };
    let targets = |panel: &Panel| offered(panel).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(targets(&panel), ["Ada", "Bob", "Cy"], "who disagrees is not known yet");
    for (target, quotes) in offered(&panel) {
        assert!(quotes.iter().all(|count| *count > 0), "{target}: {quotes:?}");
    }
}

#[test]
fn passages_of_everybody_are_offered_alike() {
    let mut panel = opened();
    // Whoever spoke last said much.
    let many: String =
        (1..40).map(|at| format!("In the year {at} the costs of it were {at} again. ")).collect();
    let last = panel.panelists[2].seat.clone();
    panel.said.push(&last, 0, &Key::of("more"), Arc::new(Speech::of(&many)));
    let schema = analysis::schema(&panel, 15);
    let steps = schema["properties"]["next"]["anyOf"].as_array().unwrap().clone();
    let step = steps.iter().find(|step| step["properties"]["target"]["enum"][0] == "Ada").unwrap();
    let quotes: Vec<&str> =
        step["properties"]["quote"]["enum"].as_array().unwrap().iter().map(|q| q.as_str().unwrap()).collect();
    let bob = panel.panelists[1].seat.clone();
    let own = panel.said.of(&bob).flat_map(|turn| turn.speech.passages()).count();
    let offered = quotes.iter().filter(|quote| panel.said.by(&bob, quote)).count();
    assert_eq!(offered, own, "all that Bob said can be quoted: {quotes:?}");
}
