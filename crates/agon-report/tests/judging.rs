//! How an exchange is judged: blind, in both orders, by a panel, and when it may stop.
#![allow(clippy::unwrap_used)]

use crate::common;

use agon_core::{
    Answered, Answerer, Event, Extension, Key, Opened, Protocol, Record, Reply, Request, RulingKind, Seat, SeatModel,
    Stamp, Standing, Step, View, compute_next_step,
};
use agon_protocols::exchange::{Exchange, argument::Side, state::ExchangeState};
use common::{failed, said};
use serde_json::{Value, json};

fn stamp() -> Stamp {
    Stamp("2026-01-31T09:30:00.000Z".into())
}

fn seat(name: &str) -> Seat {
    Seat::new(name).unwrap()
}

fn opened(orders: &str, judges: usize, rounds: u32) -> Opened {
    let mut opened = common::opened(rounds);
    if !orders.is_empty() {
        opened.options.insert("orders".into(), orders.into());
    }
    if judges > 1 {
        opened.lineup.retain(|sat| sat.seat.as_str() != "judge");
        opened
            .lineup
            .extend((1..=judges).map(|n| SeatModel::new(seat(&format!("judge-{n}")), format!("lab:judge-{n}"))));
    }
    opened
}

/// What somebody sees of a request.
struct Shown {
    facts: Value,
    request: Request,
}

impl Shown {
    fn judge(&self) -> &str {
        self.request.seat.as_str()
    }

    /// A judgment that gives each new argument of side A so much, and as little to those of B.
    fn judgment(&self, worth: impl Fn(&Value) -> f64) -> Reply {
        let new = self.facts["new"].as_array().unwrap();
        let grade = |a: &Value| json!({"argument_id": a["id"], "reasoning": format!("{} of side A or B.", a["id"]), "grade": 5.0 + 10.0 * worth(a)});
        said(
            json!({"clash": "Side A and side B meet on what is lost.", "grades": new.iter().map(grade).collect::<Vec<_>>()}),
        )
    }

    fn prefers_the_first(&self) -> Reply {
        self.judgment(|argument| if argument["side"] == "SideA" { 0.4 } else { -0.4 })
    }

    /// Prefers a side, whatever it is called.
    fn prefers(&self, side: Side, by: f64) -> Reply {
        let first = self.request.facts.get("first").and_then(Value::as_str) == Some(side.name());
        self.judgment(|argument| if (argument["side"] == "SideA") == first { by } else { -by })
    }
}

/// Goes on with a debate to its end; canned or made-up arguments where `answer` says nothing.
fn drive_record(mut record: Record, answer: &dyn Fn(&Shown) -> Option<Reply>) -> Record {
    loop {
        match compute_next_step(&Exchange, &record).unwrap() {
            Step::Record(decided) => decided.into_iter().for_each(|what| {
                record.append_event(stamp(), what).unwrap();
            }),
            Step::Await(requests) => {
                for request in requests {
                    let view = View::new(&record, &request);
                    let facts = Value::from(Exchange.prompt_facts(&view, &request));
                    let schema = Exchange.answer_schema(&view, &request);
                    let shown = Shown { facts, request };
                    let canned = || Some(said(common::canned(shown.request.key.as_str())?));
                    let seed = record.len() * 31;
                    let sample = || said(agon_core::sample::sample_answer(schema.as_ref(), seed));
                    let reply = answer(&shown).or_else(canned).unwrap_or_else(sample);
                    let by = Answerer::new(format!("{}-answers", shown.judge()));
                    let answered = Answered::new(shown.request.key, reply, by);
                    record.append_event(stamp(), Event::Answered(answered)).unwrap();
                }
            }
            Step::Close(outcome) => {
                if record.closing_outcome().is_none() {
                    record.append_event(stamp(), Event::Closed { outcome }).unwrap();
                }
                return record;
            }
        }
    }
}

fn run(opened: Opened, answer: &dyn Fn(&Shown) -> Option<Reply>) -> Record {
    drive_record(Record::open(opened, stamp()).unwrap(), answer)
}

fn judging<'a>(judge: impl Fn(&Shown) -> Reply + 'a) -> impl Fn(&Shown) -> Option<Reply> + 'a {
    move |shown| (shown.request.prompt == "judgment").then(|| judge(shown))
}

fn transcript(record: &Record) -> String {
    agon_report::find_format("transcript").unwrap().render_files(record).remove(0).content
}

#[test]
fn a_judge_that_always_picks_the_first_side_gives_a_draw_and_flips_every_time() {
    let record = run(opened("both", 1, 1), &judging(Shown::prefers_the_first));
    let outcome = record.closing_outcome().unwrap();
    assert_eq!((outcome.name.as_str(), &outcome.winner), ("even", &None), "{}", outcome.summary);
    assert_eq!(outcome.figures["proposition"]["total"], 0.0);
    let judges = &outcome.figures["judges"];
    assert_eq!((&judges["flips"], &judges["in_both_orders"]), (&json!(2), &json!(2)));
    assert!(outcome.summary.contains("The order of the sides decided 2 of 2 judgments"), "{}", outcome.summary);
    assert!(transcript(&record).contains("judge: the order decided, a tie (margin"));
    // In one order nobody would have noticed.
    let one = run(opened("one", 1, 1), &judging(Shown::prefers_the_first));
    assert!(one.closing_outcome().unwrap().winner.is_some());
}

#[test]
fn a_judge_with_a_reason_is_believed_in_both_orders() {
    let record = run(opened("both", 1, 1), &judging(|shown| shown.prefers(Side::Opposition, 0.2)));
    let outcome = record.closing_outcome().unwrap();
    assert_eq!(outcome.winner.as_deref(), Some("opposition"));
    assert_eq!(outcome.figures["opposition"]["total"], 0.8);
    let keys = ["exchange-000/judgment", "exchange-000/judgment/swapped"].map(Key::from_parts);
    let firsts = keys.each_ref().map(|key| record.find_request(key).unwrap().1.facts["first"].clone());
    assert_ne!(firsts[0], firsts[1]);
    // Reasons are told with the ids and names of readers.
    let reading = transcript(&record);
    assert!(reading.contains("\"opp_000a\" of the"), "{reading}");
    assert!(!reading.contains("a_000a") && !reading.contains("SideA"), "{reading}");
}

#[test]
fn nothing_in_a_judges_prompt_says_who_argued() {
    let mut opened = opened("both", 3, 1);
    for (n, sat) in opened.lineup.iter_mut().enumerate() {
        sat.model = format!("vendor{n}:mo-del-{n}");
        sat.name = Some(format!("Name{n}"));
        sat.persona = Some(format!("Persona{n}"));
    }
    let secrets: Vec<String> = (0..opened.lineup.len())
        .flat_map(|n| [format!("vendor{n}"), format!("mo-del-{n}"), format!("name{n}"), format!("persona{n}")])
        .collect();
    let seen = std::cell::Cell::new(0);
    run(opened, &|shown| {
        if shown.request.key.as_str() == "exchange-000/proposition" {
            // Somebody signs.
            let mut canned = common::canned("exchange-000/proposition").unwrap();
            canned["arguments"][0]["warrant"] = json!("Believe MO-DEL-0 in **this**, against opp_000a.");
            return Some(said(canned));
        }
        if shown.request.prompt != "judgment" {
            return None;
        }
        seen.set(seen.get() + 1);
        let text = shown.facts.to_string();
        for secret in &secrets {
            assert!(!text.to_lowercase().contains(secret), "{secret}: {text}");
        }
        for named in ["prop_0", "opp_0", "\"proposition\"", "\"opposition\"", "**", "\"first\""] {
            assert!(!text.contains(named), "{named}: {text}");
        }
        let sides: Vec<&Value> = shown.facts["new"].as_array().unwrap().iter().map(|a| &a["side"]).collect();
        assert!(sides.is_sorted_by_key(|side| side.as_str()), "A is read first: {sides:?}");
        Some(shown.prefers(Side::Proposition, 0.1))
    });
    assert_eq!(seen.get(), 12);
}

#[test]
fn padding_a_turn_does_not_move_the_verdict() {
    // A judge that takes length for strength.
    let long = |shown: &Shown| {
        shown.judgment(|argument| (argument["grounds"].to_string().split(' ').count() as f64 / 1000.0).min(1.0))
    };
    let verdict = |words: usize| {
        let record = run(opened("both", 1, 0), &|shown| {
            if shown.request.key.as_str() == "exchange-000/proposition" {
                let mut canned = common::canned("exchange-000/proposition").unwrap();
                for (at, argument) in canned["arguments"].as_array_mut().unwrap().iter_mut().enumerate() {
                    let text: Vec<String> = (0..words).map(|n| format!("w{at}x{n}")).collect();
                    argument["grounds"][0]["content"] = json!(text.join(" "));
                }
                return Some(said(canned));
            }
            judging(long)(shown)
        });
        record.closing_outcome().unwrap().figures["proposition"]["total"].as_f64().unwrap()
    };
    assert_eq!(verdict(130), verdict(400));
    assert!(verdict(130) > verdict(20), "below the cap it would move this judge");
}

#[test]
fn a_panel_keeps_each_judges_scores_and_says_how_they_stand() {
    let record = run(
        opened("one", 3, 0),
        &judging(|shown| match shown.judge() {
            "judge-3" => shown.prefers(Side::Opposition, 0.3),
            _ => shown.prefers(Side::Proposition, 0.2),
        }),
    );
    let outcome = record.closing_outcome().unwrap();
    assert_eq!(outcome.winner.as_deref(), Some("proposition"));
    let state = ExchangeState::from_view(&View::of_whole_record(&record));
    let margins: Vec<f64> = state.votes.iter().map(|vote| vote.margin).collect();
    assert_eq!(margins, [1.2, 1.2, -1.8]);
    let tally = state.judgments[0].panel.as_ref().unwrap();
    assert_eq!((tally.votes, tally.unanimous), ([2, 1, 0], false));
    assert!(transcript(&record).contains("Ruling: judge-3: for the opposition (margin"));
}

#[test]
fn a_winner_needs_a_majority_of_the_judges() {
    // Two judges follow the order; the third alone makes the median lean.
    let record = run(
        opened("both", 3, 0),
        &judging(|shown| match shown.judge() {
            "judge-1" => shown.prefers(Side::Opposition, 0.3),
            "judge-2" => {
                shown.judgment(|argument| if argument["id"].as_str().unwrap().ends_with('a') { 0.3 } else { 0.0 })
            }
            _ => shown.prefers_the_first(),
        }),
    );
    let outcome = record.closing_outcome().unwrap();
    assert_eq!(outcome.winner, None, "{}", outcome.summary);
    assert!(["undecided", "even"].contains(&outcome.name.as_str()));
    let votes: Vec<bool> =
        ExchangeState::from_view(&View::of_whole_record(&record)).votes.iter().map(|vote| vote.flip).collect();
    assert_eq!(votes, [false, false, true]);
}

#[test]
fn a_judge_that_fails_is_named_and_below_the_quorum_there_is_no_verdict() {
    let lost = |silent: &'static [&'static str]| {
        run(
            opened("one", 3, 0),
            &judging(move |shown| match silent.contains(&shown.judge()) {
                true => failed("it would not"),
                false => shown.prefers(Side::Proposition, 0.2),
            }),
        )
    };
    let record = lost(&["judge-2"]);
    let outcome = record.closing_outcome().unwrap();
    assert_eq!(outcome.winner.as_deref(), Some("proposition"));
    assert_eq!(outcome.absent[0].seat.as_str(), "judge-2");
    assert!(outcome.summary.starts_with("The judge-2 did not answer (it would not)."), "{}", outcome.summary);
    let record = lost(&["judge-1", "judge-3"]);
    let outcome = record.closing_outcome().unwrap();
    assert_eq!((outcome.name.as_str(), outcome.standing), ("no_verdict", Standing::Void));
    assert_eq!((outcome.winner.as_deref(), outcome.absent.len()), (None, 2));
    // An extension gives those who are missing another try, and nobody else.
    let mut record = record;
    record.append_event(stamp(), Event::Extended { limits: Extension::default() }).unwrap();
    let record = drive_record(record, &judging(|shown| shown.prefers(Side::Proposition, 0.2)));
    assert_eq!(record.closing_outcome().unwrap().winner.as_deref(), Some("proposition"));
    assert!(record.find_request(&Key::from_parts("exchange-000/judgment/judge-1/again-1")).is_some());
    assert!(record.find_request(&Key::from_parts("exchange-000/judgment/judge-2/again-1")).is_none());
}

#[test]
fn a_judge_that_answers_in_one_order_counts_with_it_and_it_is_said() {
    let record = run(
        opened("both", 1, 0),
        &judging(|shown| match shown.request.key.as_str().contains("swapped") {
            true => failed("it would not"),
            false => shown.prefers(Side::Proposition, 0.2),
        }),
    );
    let outcome = record.closing_outcome().unwrap();
    assert_eq!((outcome.winner.as_deref(), outcome.absent.len()), (Some("proposition"), 0));
    let reading = transcript(&record);
    assert!(reading.contains("judge judged in one order only; in the other: it would not"), "{reading}");
}

#[test]
fn a_stable_and_decisive_debate_stops_and_can_be_extended() {
    let mut opened = opened("both", 1, 6);
    opened.options.insert("stop".into(), "stable".into());
    // One clear opening, then nothing that moves it.
    let judge = |shown: &Shown| {
        let first = shown.request.key.as_str().starts_with("exchange-000");
        shown.prefers(Side::Proposition, if first { 0.2 } else { 0.05 })
    };
    let record = run(opened.clone(), &judging(judge));
    let stop = record.rulings().find(|(_, key, _)| key.as_str().ends_with("/stop")).unwrap();
    assert_eq!((stop.1.as_str(), stop.2.kind), ("exchange-002/stop", RulingKind::Converged));
    let figures = &record.closing_outcome().unwrap().figures;
    assert_eq!((&figures["exchanges"], &figures["stopped"]), (&json!(3), &json!("stable")));
    assert!(transcript(&record).contains("Stopped after exchange 2 of 6"));
    // More budget alone does not go on; one more round does.
    let extend = |rounds: u32| {
        let mut record = Record::from_entries(record.entries().to_vec()).unwrap();
        record.append_event(stamp(), Event::Extended { limits: Extension { rounds, ..Extension::default() } }).unwrap();
        drive_record(record, &judging(judge)).closing_outcome().unwrap().figures["exchanges"].clone()
    };
    assert_eq!((extend(0), extend(1)), (json!(3), json!(4)));
    // A judge that follows the order never settles anything.
    let record = run(opened, &judging(Shown::prefers_the_first));
    assert_eq!(record.closing_outcome().unwrap().figures["exchanges"], 7);
}

#[test]
fn a_clash_is_told_with_the_names_of_readers_and_quotes_what_an_argument_says() {
    let clash = |shown: &Shown, quoted: &str| {
        let judged = shown.prefers(Side::Proposition, 0.2);
        let mut judgment: Value = serde_json::from_str(judged.text().unwrap()).unwrap();
        judgment["clash"] = format!("Side A meets side B: \"{quoted}\" decides.").into();
        Some(said(judgment))
    };
    let is_judged = |shown: &Shown| shown.request.prompt == "judgment";
    let scored = |record: &Record| ExchangeState::from_view(&View::of_whole_record(record)).judgments[0].clone();
    let told = |record: &Record| scored(record).clash.clone().unwrap();
    let false_words = "the analogy of 31 of 40 oral decisions";
    let record = run(opened("both", 1, 0), &|shown: &Shown| {
        is_judged(shown).then(|| clash(shown, "31 could not be reconstructed")).flatten()
    });
    let found = told(&record);
    let named = ["The proposition meets the opposition", "The opposition meets the proposition"];
    assert!(named.iter().any(|named| found.text.contains(named)), "{}", found.text);
    assert!(
        record.find_answer(&found.key).is_some() && scored(&record).scores.iter().all(|score| score.grade.is_some())
    );
    assert!(
        !record.entries().iter().any(|entry| matches!(&entry.what, Event::Asked(asked) if asked.redraft.is_some()))
    );
    // Words that nobody said come back once, and then stand with a warning.
    let record =
        run(opened("one", 1, 0), &|shown: &Shown| is_judged(shown).then(|| clash(shown, false_words)).flatten());
    let (_, again) = record.find_request(&Key::from_parts("exchange-000/judgment/redraft-1")).unwrap();
    let fault = &again.redraft.as_ref().unwrap().faults[0];
    assert!(fault.rule == "quotation" && fault.message.contains(false_words), "{fault:?}");
    assert!(record.find_request(&Key::from_parts("exchange-000/judgment/redraft-2")).is_none());
    assert!(told(&record).key.as_str().ends_with("redraft-1"));
    assert!(transcript(&record).contains("no argument says"));
}
