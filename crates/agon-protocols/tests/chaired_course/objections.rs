//! What the assessor objects to before the texts about a debate are published, and what comes of it.

use super::*;
use agon_protocols::chaired::objections::{self, ObjectionEnd, RuledObjection};

const PAGE: &str = "https://a.b/quagga";
const STRUCK: &str =
    "The quagga survey found that 71.3 percent of all riders would never take the bus again in winter.";
const PARTIAL: &str = "Oskar embarrassed himself in every round of it.";
const RETOLD: &str = "Seven in ten, it was said, had given up on the bus.";

fn summary(words: &str) -> Option<Reply> {
    summary_by("2", words)
}

/// The same, with the entry of bob that stands.
fn summary_by(bobs: &str, words: &str) -> Option<Reply> {
    summary_of("3", bobs, words)
}

/// The same, with an entry of each.
fn summary_of(adas: &str, bobs: &str, words: &str) -> Option<Reply> {
    let points = json!([1, 2, 3].map(
        |n| json!({"point": format!("Point {n} of what was argued about the tram and its cost."), "seqs": ["4"]})
    ));
    let own = |name: &str, seq: &str| {
        let mut points = points.clone();
        points.as_array_mut().unwrap().iter_mut().for_each(|point| point["seqs"] = json!([seq]));
        json!({"debater": name, "points": points})
    };
    said(
        json!({"overview": format!("Two people asked whether the tram is worth its price. {words} It ended as the chair declared."),
        "arguments": [own("ada", adas), own("bob", bobs)], "exchanges": [{"point": "They met once.", "seqs": ["3"]}],
        "flow": "It went from the cost to the riders and back again to the cost."}),
    )
}

fn assessment(objections: Value) -> Option<Reply> {
    let text = "It did what could be expected of it in this debate.";
    let role = |name: &str| json!({"role": name, "strengths": text, "improvements": text, "suggestions": text});
    let roles = ["chair", "ada", "bob", "reporter", "verifier", "audience"].map(role);
    said(
        json!({"reason": "Both kept to the rules and answered each other in every round.", "quality": "Good", "roles": roles,
        "execution": [text, text, text], "output": [text, text, text], "objections": objections}),
    )
}

fn objection(place: &str, kind: &str, quote: &str) -> Value {
    json!({"where": place, "kind": kind, "quote": quote})
}

fn choice(kind: &str, quote: &str) -> Option<Reply> {
    said(json!({"choice": kind, "quote": quote}))
}

/// A debate in which the entry `seq 2` of bob is struck, where `has_struck`.
fn debate(has_struck: bool, answers: impl Fn(&Request) -> Option<Reply>) -> Record {
    let mut opened = settled(["bob", "ada"]);
    opened.options.insert("verify".into(), "fetched".into());
    play(opened, |request| {
        let key = request.key.as_str();
        if key.contains("/verification") {
            let cited = request.facts.get("sources").and_then(Value::as_array).cloned().unwrap_or_default();
            let status = if has_struck { "fabricated" } else { "verified" };
            let finding =
                |cited: &Value| json!({"seq": cited["seq"], "url": cited["url"], "status": status, "explanation": ""});
            return said(json!({"findings": cited.iter().map(finding).collect::<Vec<_>>()}));
        }
        if let Some(reply) = answers(request) {
            return Some(reply);
        }
        match key {
            "opening/debater-1" => {
                let mut entry = plain("opening_statement", STRUCK);
                entry["sources"] =
                    json!([{"url": PAGE, "title": "The quagga", "accessed": "2026-01-30", "quote": STRUCK}]);
                spoken(entry)
            }
            "opening/debater-2" => spoken(plain(
                "opening_statement",
                "[CONJECTURE] The tram may be worth what it costs, if people ride on it at night.",
            )),
            "round-001/debater-1" => spoken(plain(
                "new_point",
                "[CONJECTURE] Whoever waits for a bus in winter may well buy a car in spring.",
            )),
            "round-001/debater-2" => spoken(plain(
                "new_point",
                "[CONJECTURE] A tram may come when it says it does, and that may be worth a lot.",
            )),
            "closing/debater-1" => spoken(plain(
                "closing_statement",
                "[CONJECTURE] I stay with what I have: nobody may want to pay for it in the end.",
            )),
            "closing/debater-2" => spoken(plain(
                "closing_statement",
                "[CONJECTURE] I stay with what I have: the town may well be glad of it in the end.",
            )),
            key if key.starts_with("opinion") => {
                said(json!({"opinion": vec!["I think of seq 3 and seq 4 as I walk home this evening."; 20].join(" ")}))
            }
            _ => None,
        }
    })
}

fn ends(record: &Record) -> Vec<ObjectionEnd> {
    all(record).into_iter().map(|ruled| ruled.end).collect()
}

fn all(record: &Record) -> Vec<RuledObjection> {
    objections::collect_ruled_objections(&View::of_whole_record(record), None)
}

#[test]
fn what_both_readings_object_to_is_written_again() {
    let record = debate(false, |request| match request.key.as_str() {
        "summary" => summary(PARTIAL),
        "summary/objected" => summary("Oskar was asked about the cost in every round."),
        "assessment" => assessment(json!([objection("summary", "neutrality", PARTIAL)])),
        "assessment/confirm/objection-1" => choice("neutrality", "embarrassed himself"),
        "assessment/confirm/objection-1/again" => choice("none", ""),
        _ => None,
    });
    assert_eq!(ends(&record), [ObjectionEnd::Redrafted]);
    let redraft = asked(&record, "summary/objected").unwrap().redraft.clone().unwrap();
    assert!(redraft.faults[0].message.contains(PARTIAL), "{redraft:?}");
    let view = View::of_whole_record(&record);
    let accepted = view
        .rulings_of_kind(RulingKind::Noted)
        .filter(|(_, ruling)| ruling.decode_data::<serde_json::Value>().unwrap()["what"] == "summary")
        .last()
        .unwrap();
    assert_eq!(accepted.1.decode_data::<serde_json::Value>().unwrap()["key"], "summary/objected");
}

#[test]
fn what_its_author_says_again_or_the_log_holds_is_marked() {
    let record = debate(false, |request| match request.key.as_str() {
        "summary" => summary(PARTIAL),
        "summary/objected" => summary("Oskar made a fool of himself in every round of it."),
        "assessment" => assessment(json!([
            objection("summary", "neutrality", PARTIAL),
            objection("opinion", "neutrality", "as I walk home this evening"),
        ])),
        "assessment/confirm/objection-1" => choice("neutrality", PARTIAL),
        "assessment/confirm/objection-1/again" => choice("neutrality", "made a fool of himself"),
        "assessment/confirm/objection-2" => choice("neutrality", "as I walk home"),
        _ => None,
    });
    assert_eq!(ends(&record), [ObjectionEnd::Marked; 2]);
    assert_eq!(all(&record)[0].objection.quote, "made a fool of himself", "the mark is on the new words");
    assert!(asked(&record, "opinion/objected").is_none(), "what the log holds is not written again");
}

#[test]
fn what_is_not_confirmed_changes_nothing() {
    for second in [choice("none", ""), choice("neutrality", "It ended as the chair declared."), failed(), said("Well.")]
    {
        let record = debate(false, |request| match request.key.as_str() {
            "summary" => summary(PARTIAL),
            "assessment" => assessment(json!([objection("summary", "neutrality", PARTIAL)])),
            "assessment/confirm/objection-1" => second.clone(),
            key if key.starts_with("assessment/confirm/objection-1/redraft") => second.clone(),
            _ => None,
        });
        assert_eq!(ends(&record), [ObjectionEnd::Stands], "{second:?}");
        assert!(asked(&record, "summary/objected").is_none());
    }
}

#[test]
fn struck_matter_that_is_told_again_is_withheld_even_where_the_readings_differ() {
    for second in [choice("struck", "Seven in ten"), choice("none", ""), failed()] {
        let is_shared = second == choice("struck", "Seven in ten");
        let record = debate(true, |request| match request.key.as_str() {
            key if key.starts_with("summary") => summary_by("8", RETOLD),
            "assessment" => assessment(json!([objection("summary", "struck", "Seven in ten, it was said")])),
            key if key.starts_with("assessment/confirm/") => second.clone(),
            _ => None,
        });
        assert_eq!(ends(&record), [ObjectionEnd::Withheld], "{second:?}");
        assert_eq!(asked(&record, "summary/objected").is_some(), is_shared, "{second:?}");
        let shown = agon_protocols::common::struck_text::publishable_record(&record);
        let text = shown.entries().iter().map(|entry| serde_json::to_string(entry).unwrap()).collect::<String>();
        assert!(!text.contains("Seven in ten"), "it leaves by no output");
        assert!(text.contains("[REDACTED]. It ended as the chair declared"), "the rest stands");
    }
}

/// Everything that outputs show of `record`.
fn shown(record: &Record) -> String {
    let shown = agon_protocols::common::struck_text::publishable_record(record);
    shown.entries().iter().map(|entry| serde_json::to_string(entry).unwrap()).collect()
}

#[test]
fn struck_matter_is_shown_by_nothing_once_it_was_written_again() {
    for (again, still) in [
        (choice("none", ""), "Both spoke of the winter."),
        (choice("struck", "Most riders"), "Most riders gave up on the bus."),
    ] {
        let record = debate(true, |request| match request.key.as_str() {
            "summary" => summary_by("8", RETOLD),
            "summary/objected" => summary_by("8", still),
            "assessment" => assessment(json!([objection("summary", "struck", "Seven in ten")])),
            "assessment/confirm/objection-1" => choice("struck", "Seven in ten"),
            "assessment/confirm/objection-1/again" => again.clone(),
            _ => None,
        });
        let is_withheld = ends(&record) == [ObjectionEnd::Withheld];
        assert_eq!(is_withheld, still.starts_with("Most"), "{:?}", ends(&record));
        let text = shown(&record);
        assert!(!text.contains("Seven in ten"), "neither the first draft nor the request that quotes it is shown");
        assert_eq!(text.contains(still), !is_withheld);
        assert!(text.contains("It ended as the chair declared"), "the rest stands");
    }
}

#[test]
fn a_sentence_is_withheld_however_short_it_is() {
    for words in ["Seven in ten.", "71.3 percent!", "十人走了七人。"] {
        let record = debate(true, |request| match request.key.as_str() {
            key if key.starts_with("summary") => summary_by("8", words),
            "assessment" => {
                assessment(json!([objection("summary", "struck", words.trim_end_matches(['.', '!', '。']))]))
            }
            key if key.starts_with("assessment/confirm/") => choice("none", ""),
            _ => None,
        });
        assert_eq!(ends(&record), [ObjectionEnd::Withheld], "{words}");
        assert!(!shown(&record).contains(words), "{words}");
    }
}

#[test]
fn what_a_debater_said_stands_whatever_is_withheld_of_a_text_that_repeats_it() {
    let said_by_ada = "The tram may be worth what it costs, if people ride on it at night.";
    let record = debate(true, |request| match request.key.as_str() {
        key if key.starts_with("summary") => summary_by("8", said_by_ada),
        "assessment" => assessment(json!([objection("summary", "struck", said_by_ada)])),
        key if key.starts_with("assessment/confirm/") => choice("none", ""),
        _ => None,
    });
    assert_eq!(ends(&record), [ObjectionEnd::Withheld]);
    let shown = agon_protocols::common::struck_text::publishable_record(&record);
    let said =
        |key: &str| View::of_whole_record(&shown).answer_text(&agon_core::Key::from_parts(key)).unwrap().to_owned();
    assert!(said("opening/debater-2").contains(said_by_ada), "{}", said("opening/debater-2"));
    assert!(!said("summary").contains(said_by_ada), "{}", said("summary"));
}

#[test]
fn a_blind_assessor_objects_by_letters_and_reads_no_name() {
    let words = "bob embarrassed himself in every round of it.";
    let by_letter = |request: &Request| {
        let labels = request.facts["labels"].as_array().unwrap();
        let at = labels.iter().position(|label| label["name"] == "bob").unwrap();
        words.replace("bob", ["Debater-A", "Debater-B"][at])
    };
    let mut opened = settled(["bob", "ada"]);
    opened.options.insert("orders".into(), "both".into());
    let record = play(opened, |request| match request.key.as_str() {
        "summary" => summary_of("3", "2", words),
        "summary/objected" => summary_of("3", "2", "Bob was asked about the cost in every round."),
        "assessment" => {
            let text = "It did what could be expected of it in this debate.";
            let role = |name: &str| json!({"role": name, "strengths": text, "improvements": text, "suggestions": text});
            let roles = ["chair", "Debater-A", "Debater-B", "reporter", "verifier", "audience"].map(role);
            said(
                json!({"reason": "Both kept to the rules and answered each other in every round.", "quality": "Good", "roles": roles,
                "execution": [text, text, text], "output": [text, text, text],
                "objections": [objection("summary", "neutrality", &by_letter(request))]}),
            )
        }
        "assessment/confirm/objection-1" => choice("neutrality", &by_letter(request)),
        "assessment/confirm/objection-1/again" => choice("none", ""),
        _ => None,
    });
    assert_eq!(ends(&record), [ObjectionEnd::Redrafted]);
    let redraft = asked(&record, "summary/objected").unwrap().redraft.clone().unwrap();
    assert!(redraft.faults[0].message.contains(words), "the reporter is told by names: {redraft:?}");
    for key in ["assessment/confirm/objection-1", "assessment/confirm/objection-1/again"] {
        let text = facts(&record, key)["text"].to_string().to_lowercase();
        assert!(text.contains("debater-") && !text.contains("bob"), "{key}: {text}");
    }
}

#[test]
fn what_the_chair_named_as_unresolved_is_objected_to_like_any_other_text() {
    let point = "Ada's crushing proof, which bob plainly could not answer.";
    let record = debate(false, |request| match request.key.as_str() {
        "unresolved" => said(json!({"points": [point], "rulings": []})),
        "assessment" => assessment(json!([objection("review", "neutrality", "Ada's crushing proof")])),
        "assessment/confirm/objection-1" => choice("neutrality", "crushing proof"),
        _ => None,
    });
    assert_eq!(ends(&record), [ObjectionEnd::Marked]);
    assert!(facts(&record, "assessment/confirm/objection-1")["text"].as_str().unwrap().contains(point));
}

#[test]
fn the_assessor_alone_is_shown_what_was_struck() {
    let record = debate(true, |_| None);
    for (_, request) in record.entries().iter().filter_map(|entry| match &entry.what {
        Event::Asked(request) => Some(((), request)),
        _ => None,
    }) {
        let is_before = request.key.as_str().starts_with("opening");
        let shown = json!(Chaired.prompt_facts(&View::new(&record, request), request)).to_string();
        let is_shown = shown.contains("71.3 percent");
        assert!(
            !is_shown || is_before || request.seat.as_str() == "assessor" || request.seat.as_str() == "verifier",
            "{}",
            request.key
        );
    }
    assert!(json!(facts(&record, "assessment")).to_string().contains("71.3 percent"));
}

#[test]
fn an_objection_quotes_the_text_it_is_about() {
    let wrong = json!([
        objection("summary", "neutrality", "Oskar is a hero."),
        objection("summary", "leak", PARTIAL),
        objection("summary", "struck", PARTIAL),
    ]);
    let record = debate(false, |request| match request.key.as_str() {
        "summary" => summary(PARTIAL),
        key if key.starts_with("assessment") => assessment(wrong.clone()),
        _ => None,
    });
    let redraft = asked(&record, "assessment/redraft-1").unwrap().redraft.clone().unwrap();
    assert_eq!(redraft.faults.len(), 3, "{redraft:?}");
    assert!(asked(&record, "assessment/redraft-2").is_none(), "told once, they are left out");
    assert_eq!(ends(&record), []);
}

#[test]
fn an_assessor_that_reads_too_badly_objects_in_vain() {
    let mut opened = settled(["bob", "ada"]);
    opened.options.insert("verify".into(), "off".into());
    let record = play_by(
        opened,
        |request| match request.key.as_str() {
            "assessment" => {
                let quote = "I think of seq 2 and seq 3";
                assessment(json!([objection("opinion", "neutrality", quote)]))
            }
            "opinion" => {
                said(json!({"opinion": vec!["I think of seq 2 and seq 3 as I walk home this evening."; 20].join(" ")}))
            }
            _ => None,
        },
        |request| Answerer { is_unfit_reader: request.seat.as_str() == "assessor", ..Answerer::default() },
    );
    assert_eq!(ends(&record), [ObjectionEnd::Stands]);
    assert!(asked(&record, "assessment/confirm/objection-1").is_none());
}
