//! How a chaired debate gets its line-up, and how conduct is ruled on: whole debates in memory, in which a
//! test says what is answered under some keys and samples answer the rest.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

mod conduct;
mod languages;
mod objections;
mod outcomes;
mod sources;

use agon_core::{
    Answered, Answerer, Event, Facts, Failed, FailureKind, Limits, Opened, Protocol, Record, Reply, Request,
    RulingKind, Seat, SeatModel, Stamp, Step, View, compute_next_step, sample,
};
use agon_protocols::{
    chaired::{Chaired, log::DebateLog},
    common::lineup,
};
use serde_json::{Value, json};

fn stamp() -> Stamp {
    Stamp("2026-01-01T00:00:00.000Z".into())
}

/// A debate with so many seats for debaters; of one round.
fn opened(debaters: usize) -> Opened {
    let row: Vec<String> = (1..=debaters).map(|n| format!("debater-{n}")).collect();
    let others = ["chair", "verifier", "audience", "reporter", "assessor"];
    let seats: Vec<&str> = row.iter().map(String::as_str).chain(others).collect();
    let mut opened = sample::sample_opened("chaired", &seats);
    opened.rules = Chaired.manifest().rules;
    opened.limits = Limits { rounds: 1, rounds_min: Some(1), ..Limits::default() };
    opened.options.insert("verify".into(), "off".into());
    opened
}

/// The same with a host who is asked, and a first proposal of two.
fn asking(debaters: usize) -> Opened {
    let mut opened = opened(debaters);
    opened.options.insert("approve".into(), true.into());
    opened.options.insert(lineup::NUMBER.into(), json!({"min": 2, "max": 2}));
    opened.lineup.push(SeatModel::new(Seat::new("host").unwrap(), "human"));
    opened
}

/// The whole debate with these members, who need nothing.
fn settled(names: [&str; 2]) -> Opened {
    let mut opened = opened(2);
    for (sat, (name, position)) in opened.lineup.iter_mut().zip(names.into_iter().zip(["Yes.", "No."])) {
        sat.name = Some(name.into());
        sat.persona = Some("Somebody who lives there".into());
        sat.details.insert("starting_position".into(), position.into());
        sat.details.insert("incentives".into(), "To be right".into());
    }
    opened
}

/// Drives a debate to its end. `answers` has what is said under some keys; what it leaves to others is a sample.
fn play(opened: Opened, answers: impl Fn(&Request) -> Option<Reply>) -> Record {
    play_by(opened, answers, |_| Answerer::default())
}

/// The same with who answers.
fn play_by(opened: Opened, answers: impl Fn(&Request) -> Option<Reply>, by: impl Fn(&Request) -> Answerer) -> Record {
    let mut record = Record::open(opened, stamp()).unwrap();
    for _ in 0..2_000 {
        match compute_next_step(&Chaired, &record).unwrap() {
            Step::Record(decided) => {
                for what in decided {
                    record.append_event(stamp(), what).unwrap();
                }
            }
            Step::Await(open) => {
                let request = open.iter().find(|request| request.seat.as_str() != "clock").unwrap_or(&open[0]);
                let sampled = || {
                    let schema = Chaired.answer_schema(&View::new(&record, request), request);
                    let seed = record.len();
                    Reply::Said { text: sample::sample_answer(schema.as_ref(), seed) }
                };
                let reply = if request.seat.as_str() == "clock" { None } else { answers(request) };
                let answered = Answered::new(request.key.clone(), reply.unwrap_or_else(sampled), by(request));
                record.append_event(stamp(), Event::Answered(answered)).unwrap();
            }
            Step::Close(outcome) => {
                record.append_event(stamp(), Event::Closed { outcome }).unwrap();
                return record;
            }
        }
    }
    panic!("it does not end");
}

fn said(text: impl ToString) -> Option<Reply> {
    Some(Reply::Said { text: text.to_string() })
}

fn failed() -> Option<Reply> {
    Some(Reply::Failed(Failed { kind: FailureKind::Refused, detail: "it declined".into() }))
}

fn member(name: &str, position: &str) -> Value {
    json!({"name": name, "persona": format!("{name} of the town"), "starting_position": position, "incentives": "To be right"})
}

fn lineup_of(members: &[Value]) -> Option<Reply> {
    said(json!({"members": members}))
}

fn names(record: &Record) -> Vec<String> {
    lineup::ruled_members(&View::of_whole_record(record)).into_iter().map(|member| member.name).collect()
}

/// Texts of the log's entries.
fn texts(record: &Record) -> Vec<String> {
    DebateLog::from_view(&View::of_whole_record(record))
        .0
        .iter()
        .map(agon_protocols::chaired::log::Logged::visible_content)
        .collect()
}

/// Texts of the chair's rulings in the log.
fn rulings(record: &Record) -> Vec<String> {
    let log = DebateLog::from_view(&View::of_whole_record(record));
    let ruled = log.0.iter().filter(|logged| logged.item.kind.name() == "ruling");
    ruled.map(agon_protocols::chaired::log::Logged::visible_content).collect()
}

fn warnings(record: &Record) -> Vec<String> {
    View::of_whole_record(record).rulings_of_kind(RulingKind::Warned).map(|(_, ruling)| ruling.text.clone()).collect()
}

/// An entry without sources.
fn plain(kind: &str, content: &str) -> Value {
    json!({"type": kind, "content": content, "sources": [], "rebuttal_to_seq": null, "target_seq": null})
}

fn spoken(entry: Value) -> Option<Reply> {
    said(json!({"entries": [entry], "framework": ""}))
}

fn asked<'r>(record: &'r Record, key: &str) -> Option<&'r Request> {
    record.find_request(&agon_core::Key::from_parts(key)).map(|(_, request)| request)
}

fn facts(record: &Record, key: &str) -> Facts {
    let request = asked(record, key).unwrap_or_else(|| panic!("{key} was never asked"));
    Chaired.prompt_facts(&View::new(record, request), request)
}

/// The host says `words`; the chair proposes Ada and Bob, and reads an answer as `reading`.
fn hosted(words: &str, reading: Value, revised: Option<Reply>) -> Record {
    let first = lineup_of(&[member("Ada", "Close it."), member("Bob", "Keep it.")]);
    play(asking(6), |request| match request.key.as_str() {
        "lineup" => first.clone(),
        "lineup/approval" => said(words),
        "lineup/approval/reading" => said(&reading),
        "lineup/revised" => revised.clone(),
        key if key.starts_with("lineup/") && key.ends_with("approval") => said("yes"),
        _ => None,
    })
}

#[test]
fn what_named_debaters_lack_is_proposed_and_what_they_have_stays() {
    let mut opened = opened(2);
    opened.lineup[0].name = Some("shopkeeper".into());
    opened.lineup[0].details.insert("starting_position".into(), "Cars bring  my customers.".into());
    opened.lineup[1].name = Some("planner".into());
    let record = play(opened, |request| match request.key.as_str() {
        // In another order, and with other words for what is settled.
        "lineup" => lineup_of(&[member("planner", "Close it."), member("shopkeeper", "Something else.")]),
        _ => None,
    });
    let members = lineup::ruled_members(&View::of_whole_record(&record));
    assert_eq!(names(&record), ["shopkeeper", "planner"]);
    assert_eq!(members[0].detail("starting_position"), "Cars bring  my customers.");
    assert_eq!(
        (members[1].detail("starting_position"), members[1].persona.as_str()),
        ("Close it.", "planner of the town")
    );
    let given = facts(&record, "lineup")["given"].clone();
    assert_eq!(given[0]["position"], "Cars bring  my customers.", "the chair is shown what is settled");
    let opening = facts(&record, "opening/debater-1");
    assert!(opening["persona"] != "" && opening["incentives"] != "");
}

#[test]
fn debaters_who_have_names_debate_though_nobody_proposes_what_they_lack() {
    let mut opened = opened(2);
    opened.lineup[0].name = Some("shopkeeper".into());
    opened.lineup[1].name = Some("planner".into());
    let record = play(opened, |request| if request.key.as_str() == "lineup" { failed() } else { None });
    assert_eq!(names(&record), ["shopkeeper", "planner"]);
    let view = View::of_whole_record(&record);
    let mut warned = view.rulings_of_kind(RulingKind::Warned).map(|(_, ruling)| ruling.text.as_str());
    assert!(warned.any(|text| text.starts_with("nobody proposed what the line-up lacks")));
    assert!(asked(&record, "conclusion").is_some(), "it is held to its end");
}

#[test]
fn a_line_up_that_lacks_nothing_is_nobody_s_to_propose() {
    let record = play(settled(["ada", "bob"]), |_| None);
    assert!(asked(&record, "lineup").is_none());
}

#[test]
fn where_the_number_is_open_the_chair_chooses_and_seats_in_reserve_stay_empty() {
    let mut opened = opened(4);
    opened.options.insert(lineup::NUMBER.into(), json!({"min": 2, "max": 4}));
    let record = play(opened, |request| match request.key.as_str() {
        "lineup" => lineup_of(&[member("Ada", "Close it."), member("Bob", "Keep it."), member("Cy", "Toll it.")]),
        _ => None,
    });
    assert_eq!(names(&record), ["Ada", "Bob", "Cy"]);
    assert!(asked(&record, "opening/debater-3").is_some() && asked(&record, "opening/debater-4").is_none());
    let taken = lineup::list_taken_seats(record.opened(), &lineup::ruled_members(&View::of_whole_record(&record)));
    assert!(!taken.iter().any(|sat| sat.seat.as_str() == "debater-4"));
}

#[test]
fn two_on_one_side_are_told_once_and_then_warned_of() {
    let record = play(opened(2), |request| match request.key.as_str() {
        key if key.starts_with("lineup") => lineup_of(&[member("Ada", "Close it!"), member("Bob", "close it")]),
        _ => None,
    });
    assert!(asked(&record, "lineup/redraft-1").is_some());
    let warned: Vec<&str> =
        View::of_whole_record(&record).rulings_of_kind(RulingKind::Warned).map(|(_, r)| r.text.as_str()).collect();
    assert!(warned.contains(&"Ada and Bob stand on one side"), "{warned:?}");
}

#[test]
fn a_yes_in_any_words_begins_the_debate() {
    for words in ["Looks good", "Sure, proceed", "passt so", "Oui, merci beaucoup!", "I like these two a lot"] {
        let reading = json!({"choice": "approve", "quote": words, "members": 0, "changed": []});
        let record = hosted(words, reading, None);
        assert_eq!(names(&record), ["Ada", "Bob"], "{words}");
        assert_eq!(facts(&record, "lineup/approval/reading")["said"], words);
    }
    let plain = hosted("Yes.", json!({}), None);
    assert_eq!(names(&plain), ["Ada", "Bob"]);
    assert!(asked(&plain, "lineup/approval/reading").is_none(), "a plain yes needs no reading");
}

#[test]
fn a_wish_changes_the_number_and_leaves_the_others_word_for_word() {
    let revised = lineup_of(&[member("Ada", "Other words."), member("Bob", "Others too."), member("Cy", "Toll it.")]);
    let reading = json!({"choice": "change", "members": 3, "changed": []});
    let record = hosted("make it three debaters", reading, revised);
    let members = lineup::ruled_members(&View::of_whole_record(&record));
    assert_eq!(names(&record), ["Ada", "Bob", "Cy"]);
    assert_eq!(members[0].detail("starting_position"), "Close it.");
    assert!(asked(&record, "lineup/revised/approval").is_some(), "it is put to the host again");

    let swapped = lineup_of(&[member("nurse", "Toll it."), member("Bob", "Another.")]);
    let record = hosted("swap Ada for a nurse", json!({"choice": "change", "members": 0, "changed": ["Ada"]}), swapped);
    assert_eq!(names(&record), ["nurse", "Bob"]);
    let bob =
        lineup::ruled_members(&View::of_whole_record(&record)).into_iter().find(|member| member.name == "Bob").unwrap();
    assert_eq!((bob.detail("starting_position"), bob.seat.as_str()), ("Keep it.", "debater-2"));
}

#[test]
fn who_starts_over_gets_other_people() {
    let reading = json!({"choice": "start_over", "members": 0, "changed": []});
    let others = lineup_of(&[member("Eve", "Close it."), member("Finn", "Keep it.")]);
    let record = hosted("start over with completely different people", reading.clone(), others);
    assert_eq!(names(&record), ["Eve", "Finn"]);
    let same = lineup_of(&[member("Ada", "Close it."), member("Finn", "Keep it.")]);
    let record = hosted("start over", reading, same);
    let redraft = asked(&record, "lineup/revised/redraft-1").unwrap().redraft.clone().unwrap();
    assert!(redraft.faults[0].message.contains("\"Ada\" was there before"), "{redraft:?}");
}

#[test]
fn an_answer_that_cannot_be_read_costs_nobody_the_debate() {
    let play_with = |words: &'static str| {
        play(asking(6), move |request| match request.key.as_str() {
            "lineup" => lineup_of(&[member("Ada", "Close it."), member("Bob", "Keep it.")]),
            "lineup/approval" => said(words),
            "lineup/approval/again-1" => said("yes"),
            key if key.contains("/reading") => failed(),
            _ => None,
        })
    };
    for words in ["Looks good", "I want Cy in it", "Sure, it is fine that you start", "ok", "passt so"] {
        let record = play_with(words);
        assert_eq!(names(&record), ["Ada", "Bob"], "{words}");
        assert_eq!(facts(&record, "lineup/approval/again-1")["note"], "unclear", "it is never a yes: {words}");
    }
}

#[test]
fn what_the_chair_cannot_change_leaves_the_line_up_as_it_was() {
    let reading = json!({"choice": "change", "members": 3, "changed": []});
    let record = hosted("make it three", reading, said("no line-up"));
    assert_eq!(names(&record), ["Ada", "Bob"]);
    assert_eq!(facts(&record, "lineup/revised/approval")["note"], "unchanged");
}

#[test]
fn who_cancels_is_named_in_the_outcome() {
    for (words, reading) in
        [("cancel", json!({})), ("Ach nein, lassen wir das", json!({"choice": "cancel", "quote": "lassen wir das"}))]
    {
        let record = hosted(words, reading, None);
        let outcome = record.closing_outcome().unwrap();
        assert_eq!(outcome.name, "void");
        assert!(outcome.summary.contains("the host cancelled"), "{}", outcome.summary);
        assert!(outcome.absent.is_empty(), "nobody is blamed");
    }
}

#[test]
fn an_unclear_answer_is_asked_for_again() {
    for (reading, note) in [
        (json!({"choice": "unclear"}), "unclear"),
        (json!({"choice": "change", "members": 9, "changed": []}), "number"),
    ] {
        let record = play(asking(6), |request| match request.key.as_str() {
            "lineup" => lineup_of(&[member("Ada", "Close it."), member("Bob", "Keep it.")]),
            "lineup/approval" => said("Hm, what about nine of them?"),
            "lineup/approval/reading" => said(&reading),
            "lineup/approval/again-1" => said("yes"),
            _ => None,
        });
        assert_eq!(names(&record), ["Ada", "Bob"]);
        assert_eq!(facts(&record, "lineup/approval/again-1")["note"], note);
    }
}

#[test]
fn after_five_revisions_the_host_accepts_or_cancels() {
    let insisting = |last: &'static str| {
        play(asking(6), move |request| match request.key.as_str() {
            key if key.ends_with("/reading") => said(json!({"choice": "change", "members": 0, "changed": []})),
            key if key.ends_with("revised-5/approval/again-1") => said(last),
            key if key.contains("/approval") => said("change something"),
            key if key.starts_with("lineup") => lineup_of(&[member("Ada", "Close it."), member("Bob", "Keep it.")]),
            _ => None,
        })
    };
    let accepted = insisting("yes");
    assert_eq!(names(&accepted), ["Ada", "Bob"]);
    assert_eq!(facts(&accepted, "lineup/revised-5/approval/again-1")["note"], "last");
    let never = insisting("something else");
    assert!(never.closing_outcome().unwrap().summary.contains("neither accepted the line-up nor cancelled"));
    assert!(never.closing_outcome().unwrap().absent.is_empty());
}
