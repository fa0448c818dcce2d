//! The shipped arms of an evaluation: who is shown what, who argues for what, and how an answer is decided.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

use std::collections::BTreeMap;

use agon_core::{
    Answered, Answerer, Digest, Event, Facts, Outcome, Protocol, Record, Reply, Request, Stamp, Step, View,
    compute_next_step, sample,
};
use agon_protocols::declared::{self, shipped_arms};
use serde_json::{Value, json};

const CONTEXT: &str = "The mill was built in 1871.";

fn at() -> Stamp {
    Stamp("2026-01-01T00:00:00.000Z".into())
}

/// A debate of an arm about a question with three choices, to its end; `said` answers by key, else a sample does. Gives
/// the facts of each prompt, too.
fn play(arm: &str, said: impl Fn(&str) -> Option<Value>) -> (Outcome, BTreeMap<String, Facts>, Record) {
    let text = shipped_arms::find_shipped_text(arm).unwrap();
    let declaration = declared::parse_declaration(text).unwrap();
    let protocol = declared::intern_protocol(text, &declaration, &BTreeMap::new()).unwrap();
    let mut opened = sample::opened_for(protocol.manifest());
    opened.options.insert("choices".into(), json!(["1771", "1871", "1971"]));
    let texts = BTreeMap::from([CONTEXT, text].map(|text| (Digest::from_content(text), text.to_owned())));
    opened.documents.insert("context".into(), Digest::from_content(CONTEXT));
    opened.documents.insert(declared::DOCUMENT.into(), Digest::from_content(text));
    let mut record = Record::open(opened, at()).unwrap().with_documents(&texts);
    let mut facts = BTreeMap::new();
    loop {
        match compute_next_step(protocol, &record).unwrap() {
            Step::Close(outcome) => {
                record.append_event(at(), Event::Closed { outcome: outcome.clone() }).unwrap();
                return (outcome, facts, record);
            }
            Step::Record(whats) => {
                for what in whats {
                    record.append_event(at(), what).unwrap();
                }
            }
            Step::Await(open) => {
                let request: &Request = &open[0];
                let view = View::new(&record, request);
                facts.insert(request.key.to_string(), protocol.prompt_facts(&view, request));
                let schema = protocol.answer_schema(&view, request);
                let any = || sample::sample_answer(schema.as_ref(), facts.len() as u64);
                let text = said(request.key.as_str()).map_or_else(any, |value| value.to_string());
                let answered = Answered::new(request.key.clone(), Reply::Said { text }, Answerer::default());
                record.append_event(at(), Event::Answered(answered)).unwrap();
            }
        }
    }
}

fn answer(letter: &str, shares: [f64; 3]) -> Value {
    json!({"answer": letter, "probabilities": {"A": shares[0], "B": shares[1], "C": shares[2]}})
}

fn verdict(letter: &str, shares: [f64; 3]) -> Value {
    let mut verdict = answer(letter, shares);
    verdict["quote"] = "none".into();
    verdict["reasoning"] = "So.".into();
    verdict
}

/// The facts of the request whose key ends so.
fn find_facts<'f>(facts: &'f BTreeMap<String, Facts>, end: &str) -> &'f Facts {
    let found = facts.iter().find(|(key, _)| key.ends_with(end));
    found.map(|(_, facts)| facts).unwrap_or_else(|| panic!("{end} is not among {:?}", facts.keys()))
}

#[test]
fn the_two_likeliest_answers_are_argued_for_and_the_mirror_swaps_them() {
    let (_, facts, _) = play("debate-mirrored", |key| key.contains("/ranking/").then(|| answer("C", [0.1, 0.3, 0.6])));
    let side = |end: &str| find_facts(&facts, end)["side"]["letter"].as_str().unwrap().to_owned();
    assert_eq!((side("/opening/speaker-1"), side("/opening/speaker-2")), ("C".into(), "B".into()));
    assert_eq!((side("/mirrored-opening/speaker-1"), side("/mirrored-opening/speaker-2")), ("B".into(), "C".into()));
    let heard = |end: &str| -> Vec<String> {
        let heard = find_facts(&facts, end)["heard"].as_array().unwrap().iter();
        heard.filter(|said| said["mine"] == false).map(|said| said["ask"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(heard("/verdict/judge"), ["opening", "opening", "rebuttal", "rebuttal"]);
    assert_eq!(
        heard("/mirrored-verdict/judge"),
        ["mirrored-opening", "mirrored-opening", "mirrored-rebuttal", "mirrored-rebuttal"],
        "the mirror is judged by itself"
    );
}

#[test]
fn a_judge_without_the_text_is_not_shown_it_and_is_told_which_quotes_are_in_it() {
    for (arm, reads) in [("debate", false), ("judge-with-source", true)] {
        let (_, facts, _) = play(arm, |key| {
            key.contains("/opening/").then(|| json!({"quotes": ["Built in 1871", "built in 1771"], "argument": "So."}))
        });
        let judge = find_facts(&facts, "/verdict/judge");
        assert_eq!(judge["context"], if reads { CONTEXT } else { "" }, "{arm}");
        assert_eq!(find_facts(&facts, "/first/judge")["context"], judge["context"], "{arm}");
        assert_eq!(judge["has_context"], true);
        assert_eq!(find_facts(&facts, "/opening/speaker-1")["context"], CONTEXT);
        let quotes = &judge["last"]["opening"][0]["quotes"];
        assert_eq!(quotes, &json!(["\"Built in 1871\" [in the text]", "\"built in 1771\" [not in the text]"]));
    }
}

#[test]
fn two_verdicts_that_differ_are_decided_by_their_probabilities() {
    for (second, wanted) in [([0.1, 0.8, 0.1], "B"), ([0.3, 0.4, 0.3], "A"), ([0.2, 0.7, 0.1], "undecided")] {
        let (outcome, ..) = play("debate-mirrored", |key| match key {
            key if key.contains("/mirrored-verdict/") => Some(verdict("B", second)),
            key if key.contains("/verdict/") => Some(verdict("A", [0.7, 0.2, 0.1])),
            _ => None,
        });
        assert_eq!(outcome.name, wanted, "{second:?}: {}", outcome.summary);
        assert_eq!(outcome.figures["decided"]["votes"], json!({"A": 1, "B": 1, "C": 0}));
    }
}

#[test]
fn probabilities_that_do_not_sum_to_one_go_back_and_letters_may_have_words_behind_them() {
    let (outcome, facts, _) = play("direct", |key| {
        Some(match key.contains("redraft") {
            false => answer("B", [0.5, 0.3, 0.1]),
            true => answer("(b) 1871", [0.1, 0.89, 0.0]),
        })
    });
    assert_eq!(outcome.name, "B", "{}", outcome.summary);
    assert!(facts.keys().any(|key| key.ends_with("/redraft-1")), "{:?}", facts.keys());
    assert_eq!(outcome.figures["decided"]["text"], "1871");
}

#[test]
fn without_choices_a_question_is_answered_by_yes_or_no() {
    let text = shipped_arms::find_shipped_text("cot").unwrap();
    let declaration = declared::parse_declaration(text).unwrap();
    let protocol = declared::intern_protocol(text, &declaration, &BTreeMap::new()).unwrap();
    let record = Record::open(sample::opened_for(protocol.manifest()), at()).unwrap();
    let request =
        Request::new("answer/round-1/verdict/answerer", &agon_core::Seat::new("answerer").unwrap(), "verdict");
    let facts = protocol.prompt_facts(&View::new(&record, &request), &request);
    assert_eq!(facts["choices"], json!([{"letter": "A", "text": "yes"}, {"letter": "B", "text": "no"}]));
    assert_eq!(facts["question"], json!(record.opened().motion));
}

#[test]
fn what_cannot_decide_between_choices_is_refused_with_key_and_remedy() {
    let base = shipped_arms::find_shipped_text("debate-mirrored").unwrap();
    for (old, new, key, says) in [
        ("argues = 2", "argues = 3", "seat.argues", "not within 1 and 2"),
        ("ask = \"ranking\"", "ask = \"rankin\"", "candidates.ask", "no ask"),
        ("field = \"probabilities\"", "field = \"answer\"", "candidates.field", "holds no probabilities"),
        ("ask = \"ranking\"", "ask = \"verdict\"", "candidates.ask", "before those who argue"),
        ("ask = \"verdict\"", "ask = \"opening\"", "outcome.ask", "no field of the type answer"),
        ("also = [\"mirrored-verdict\"]", "also = [\"verdict\"]", "outcome.also", "is there already"),
        ("also = [\"mirrored-verdict\"]", "also = [\"nothing\"]", "outcome.also", "no ask"),
        ("before = \"first\"", "before = \"rebuttal\"", "outcome.before", "no field of the type answer"),
        ("read = \"answer\"", "read = \"vote\"\nfield = \"answer\"", "outcome.also", "only an answer"),
        ("type = \"probabilities\"", "type = \"probabilities\", max = 1", "phase.ask.field.max", "has no max"),
        ("type = \"quotes\", min = 1, max = 3", "type = \"quotes\"", "phase.ask.field", "no maximum"),
        ("sees = []\n", "sees = []\nsamples = 65\n", "phase.ask.samples", "not within 1 and 64"),
    ] {
        assert!(base.contains(old), "{old}");
        let fault = declared::parse_declaration(&base.replacen(old, new, 1)).expect_err(new);
        assert!(fault.key == key && fault.message.contains(says) && !fault.remedy.is_empty(), "{new}: {fault}");
    }
    let unused = shipped_arms::find_shipped_text("direct")
        .unwrap()
        .replace("name = \"answer\"\n\n", "name = \"answer\"\nswap = true\n\n");
    let fault = declared::parse_declaration(&unused).unwrap_err();
    assert!(fault.key == "phase.swap", "{fault}");
}
