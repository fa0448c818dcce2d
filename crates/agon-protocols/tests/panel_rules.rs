//! What the moderator of a panel may say: every rule of the format, and what its fault tells.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

use std::sync::Arc;

use agon_core::{Attempt, Fault, Faults, Key, Seat};
use agon_protocols::{
    common::{fields::Fields, lineup::Member},
    panel::{
        analysis,
        disagreement::State,
        question::{Next, QUESTION_WORDS_BELOW, Routing, wording},
        review::{self, Deadlock},
        speech::Speech,
        state::{Analysed, Asked, End, Event, Panel, Spoken},
        synthesis,
    },
};
use serde_json::{Value, json};

const ADA: &str = "Written decisions are found again after years. Our archive lost 31 of 40 oral decisions within twelve months.";
const BOB: &str =
    "Minutes took 14 % of meeting hours in our time sheets. Small decisions are not worth the ink they need.";
const CY: &str =
    "People hold back doubts when every word is recorded. Candour is what good decisions live on.";

fn seat(n: u32) -> Seat {
    Seat::new(format!("panelist-{n}")).unwrap()
}

fn speech(key: &Key, more: &[(&str, &str)]) -> Arc<Speech> {
    let openings = [("opening/panelist-1", ADA), ("opening/panelist-2", BOB), ("opening/panelist-3", CY)];
    Arc::new(Speech::of(openings.iter().chain(more).find(|(at, _)| *at == key.as_str()).unwrap().1))
}

/// Ada, Bob and Cy after their openings.
fn opened() -> Panel {
    let (persona, details) = (String::new(), serde_json::Map::new());
    let member = |n: u32, name: &str| {
        let (persona, details) = (persona.clone(), details.clone());
        Member { seat: seat(n), name: name.into(), persona, details }
    };
    let mut panel = Panel::of_members(vec![member(1, "Ada"), member(2, "Bob"), member(3, "Cy")]);
    let key = |n| Key::of(format!("opening/{}", seat(n)));
    let spoken = (1..=3).map(|n| Spoken { seat: seat(n), key: key(n), sources: Vec::new() });
    panel.apply(Event::Opened(spoken.collect()), |key| speech(key, &[]));
    panel
}

fn attempt(text: &str) -> Attempt<'_> {
    Attempt { text, number: 0, quoted: &[], imported: false }
}

fn claim(name: &str, quote: &str) -> Value {
    json!({"panelist": name, "quote": quote})
}

fn analysed() -> Value {
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
fn divided() -> Panel {
    let mut panel = opened();
    let text = analysed().to_string();
    let found = analysis::read(&panel, attempt(&text)).unwrap().found;
    panel.apply(Event::Analysed(found), |_| unreachable!());
    panel
}

/// The same after `name` (a number) answered a question about `about`.
fn answered(panel: &mut Panel, about: &str, n: u32, text: &str) {
    let number = panel.exchanges.len() + 1;
    let key = Key::of(format!("exchange-{number:03}/answer"));
    let question = format!("Question {number} about {about}?");
    let asked = Asked { disagreement: about.into(), seat: seat(n), question, of: None };
    panel.apply(Event::Asked(asked), |_| unreachable!());
    let event = Event::Answered { key: key.clone(), copies: None, sources: Vec::new() };
    panel.apply(event, |at| speech(at, &[(key.as_str(), text)]));
}

fn faults<T: std::fmt::Debug>(result: Result<T, Faults>) -> Vec<Fault> {
    result.unwrap_err().0
}

#[test]
fn disagreements_are_ranked_and_the_most_productive_comes_first() {
    let panel = divided();
    let ids: Vec<(&str, &str)> =
        panel.disagreements.iter().map(|d| (d.id.as_str(), d.topic.as_str())).collect();
    assert_eq!(ids, [("D1", "what minutes cost"), ("D2", "candour")]);
    let next = analysis::read(&opened(), attempt(&analysed().to_string())).unwrap().next;
    let Next::Ask(asked) = next else { panic!("{next:?}") };
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
        let faults = faults(analysis::read(&opened(), attempt(&statement.to_string())));
        let found = faults.iter().any(|fault| fault.at == at && fault.message.contains(says));
        assert!(found, "{at} {says}: {faults:?}");
    }
}

#[test]
fn white_space_and_quotation_marks_do_not_make_a_quote_false() {
    let mut statement = analysed();
    statement["disagreements"][0]["claims"][0] =
        claim("cy", "“People hold back\n doubts  when every word is recorded.”");
    assert!(analysis::read(&opened(), attempt(&statement.to_string())).is_ok());
}

#[test]
fn where_all_agree_there_is_nothing_to_ask_yet() {
    let mut statement = analysed();
    statement["all_agree"] = json!(true);
    let read = analysis::read(&opened(), attempt(&statement.to_string())).unwrap();
    assert!(read.found.disagreements.is_empty());
    assert_eq!(read.next, Next::Stop);
}

#[test]
fn q1_seventy_four_words_pass_and_seventy_five_fail() {
    assert_eq!(QUESTION_WORDS_BELOW, 75);
    let question = |words: usize| format!("{}why?", "word ".repeat(words - 1));
    assert_eq!(wording(&question(74)), []);
    let faults = wording(&question(75));
    assert_eq!(faults[0].0, "Q1");
    assert!(faults[0].1.contains("75 words"), "{faults:?}");
}

#[test]
fn q3_q4_q5_and_q7_are_told_by_their_words() {
    for (rule, question) in [
        ("Q3", "Explain how the archive was searched."),
        ("Q4", "Can you restate why the archive matters?"),
        ("Q5", "What do you think about what Ada said?"),
        ("Q5", "Do you agree or disagree?"),
        ("Q5", "Ada said: \"Why is it lost?\" Do you agree with her?"),
        ("Q5", "Can you elaborate on your position?"),
        ("Q7", "I think that is wrong; how do you reconcile it?"),
        ("Q7", "Clearly the archive failed. Why?"),
    ] {
        let faults = wording(question);
        assert!(faults.iter().any(|(at, _)| *at == rule), "{rule} {question}: {faults:?}");
    }
    for question in [
        "Ada said: \"I think we lost it\". How do you reconcile this with your time sheets?",
        "If you agree with Ada on the archive, why does the cost of minutes still decide?",
        "Which source shows this?",
        "¿Qué dato lo demuestra?",
    ] {
        assert_eq!(wording(question), [], "{question}");
    }
}

fn route(panel: &Panel, next: Value) -> Result<Next, Faults> {
    let value = json!({ "next": next });
    let mut faults = Faults::default();
    let fields = Fields::of(&value["next"], "next", &mut faults).unwrap();
    let next = Routing { panel, first: false }.read(&fields, &mut faults);
    faults.or(next)
}

fn asking(target: &str, quote: &str, question: &str) -> Value {
    json!({"action": "ask", "disagreement": "D1", "target": target, "quote": quote, "question": question})
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
    let Ok(Next::Ask(asked)) =
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
    let Ok(Next::Ask(asked)) = route(&panel, next.clone()) else { panic!() };
    panel.apply(Event::Asked(asked), |_| unreachable!());
    assert!(faults(route(&panel, next)).iter().any(|fault| fault.rule == "Q4"));
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
        analysis::read(&opened(), Attempt { text: &text, number: 1, quoted: &[], imported: false }).is_err()
    );
    let read =
        analysis::read(&opened(), Attempt { text: &text, number: 2, quoted: &[], imported: false }).unwrap();
    let Next::Ask(asked) = read.next else { panic!() };
    assert!(asked.of.is_none() && !asked.question.contains("word"));
    assert!(
        asked.question.starts_with("Ada said: \"Our archive lost 31 of 40 oral decisions\""),
        "{}",
        asked.question
    );
    assert_eq!(wording(&asked.question), [], "its own question keeps the rules");
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
            "position_shift": false, "next": asking("Bob", "Our archive lost 31 of 40 oral decisions", "Why?"),
        });
        let mut panel = divided();
        answered(&mut panel, "D1", 2, "No.");
        let mut found = review::read(&panel, attempt(&text.to_string())).unwrap().found;
        (found.deadlock, found.new_evidence) = (deadlock, evidence);
        Event::Found(found)
    };
    answered(&mut panel, "D1", 2, "The time sheets stand.");
    panel.apply(quiet(Deadlock::Repetition { round: 0 }, vec![]), |_| unreachable!());
    assert!(message(&panel).contains("S1: D2") && message(&panel).contains("S2"));
    answered(&mut panel, "D2", 3, "A study of 2019 shows it.");
    panel.apply(quiet(Deadlock::Repetition { round: 0 }, vec!["a study of 2019".into()]), |_| unreachable!());
    let unmet = message(&panel);
    assert!(!unmet.contains("S1") && unmet.contains("S2"), "{unmet}");
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
    panel.apply(quiet(Deadlock::None, vec![]), |_| unreachable!());
    assert_eq!(panel.unmet(), [] as [String; 0]);
    assert_eq!(route(&panel, stop).unwrap(), Next::Stop);
}

fn review_of(panel: &Panel, changes: Value) -> Result<review::Found, Faults> {
    let mut statement = json!({
        "convergence": [], "deadlock": "none", "repeats_round": 0, "new_insight": false, "new_evidence": [],
        "position_shift": false,
        "next": {"action": "ask", "disagreement": "D2", "target": "Ada",
                 "quote": "People hold back doubts when every word is recorded", "question": "How is that met?"},
    });
    statement.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    Ok(review::read(panel, attempt(&statement.to_string()))?.found)
}

fn converged(with: &str, explicit: bool) -> Value {
    json!({"convergence": [{"disagreement": "D1", "claim": "the [archive] losses.", "with": with, "explicit": explicit}]})
}

#[test]
fn explicit_convergence_resolves_and_is_noted_implicit_is_only_noted() {
    for (answer, explicit, state, note) in [
        (
            "Ada is right: the loss is larger.",
            true,
            State::Converged,
            "Bob and Ada have converged on the archive losses.",
        ),
        (
            "So the archive losses do weigh.",
            false,
            State::Active,
            "Bob has moved towards Ada on the archive losses without saying so.",
        ),
        (
            "The archive losses are what counts.",
            true,
            State::Active,
            "Bob has moved towards Ada on the archive losses without saying so.",
        ),
    ] {
        let mut panel = divided();
        answered(&mut panel, "D1", 2, answer);
        let found = review_of(&panel, converged("Ada", explicit)).unwrap();
        panel.apply(Event::Found(found), |_| unreachable!());
        assert_eq!(panel.disagreements[0].state, state, "{answer}");
        assert_eq!(panel.exchanges[0].notes[0].text, note);
    }
}

#[test]
fn a_third_panelist_s_agreement_is_noted_and_resolves_nothing() {
    let mut panel = divided();
    answered(&mut panel, "D2", 3, "On the archive Ada is right.");
    let found = review_of(&panel, converged("Ada", true)).unwrap();
    panel.apply(Event::Found(found), |_| unreachable!());
    assert_eq!(panel.disagreements[0].state, State::Active);
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
    panel.apply(Event::Found(found), |_| unreachable!());
    assert_eq!(panel.disagreements[0].state, State::Deadlocked);
    assert_eq!(
        panel.exchanges[0].notes[0].text,
        "Bob has restated their position from Round 0 without new evidence. Moving to next topic."
    );
    let mut panel = divided();
    answered(&mut panel, "D1", 2, "Minutes cost too much.");
    answered(&mut panel, "D1", 1, "Losses cost more.");
    let found = review_of(&panel, json!({"deadlock": "circular"})).unwrap();
    panel.apply(Event::Found(found), |_| unreachable!());
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
    panel.apply(Event::Ended(End::Limit), |_| unreachable!());
    panel.disagreements[0].state = State::Converged;
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
    let claims =
        kinds(&analysis::schema(&opened()), "/properties/disagreements/items/properties/claims/items/anyOf");
    let names: Vec<_> = claims.iter().flat_map(|claim| offered(claim, "/properties/panelist/enum")).collect();
    assert_eq!(names, ["Ada", "Bob", "Cy"]);
    for (claim, name) in claims.iter().zip(&names) {
        for quote in offered(claim, "/properties/quote/enum") {
            assert!(panel.said.by(&seat(name), &quote), "{name}: {quote}");
        }
    }
    let steps = kinds(&Routing { panel: &panel, first: false }.schema(), "/anyOf");
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
