//! A duel without models: turns made by rule, and a driver that asks a function.

use std::collections::BTreeMap;

use agon_core::{
    Answered, Answerer, Digest, Event, Failed, FailureKind, Limits, Opened, Protocol, Record, Reply, Request, Stamp,
    Step, compute_next_step, sample,
};
use agon_protocols::duel::Duel;
use serde_json::{Value, json};

pub const PATH: &str = "/home/ada/plan.md";
pub const TEXT: &str = "# Keeping a record\n\n## Proposal\n\nEvery decision is written down within a day, with its reasons.\n\n## Costs\n\nWriting takes a quarter of an hour a decision.\n";

/// Words that no other turn uses, so that no two turns are copies.
const WORDS: [&str; 12] = [
    "archive", "habit", "meeting", "memory", "newcomer", "deadline", "author", "margin", "reader", "review", "silence",
    "proof",
];

/// A sound turn: each number gives other words.
pub fn turn(number: usize, stance: &str) -> Value {
    let word = |at: usize| WORDS[(number * 5 + at) % WORDS.len()];
    json!({
        "position": format!("Stand {number}: the {} decides more than the {}, as {number} cases show.", word(0), word(1)),
        "counterpoints": [{
            "addresses": if number == 1 { "Source: Costs".into() } else { format!("Turn {}", number - 1) },
            "claim": format!("Point {number} leaves out what a {} costs the {}.", word(2), word(3)),
            "support": [{"kind": "source", "text": "Writing takes a quarter of an hour a decision."}],
        }],
        "agreements": [format!("It is right that {} and {} belong together.", word(4), word(5))],
        "novel_argument": {
            "claim": format!("New {number}: a {} that nobody reads is no {}.", word(6), word(7)),
            "support": [{"kind": "principle", "text": format!("What serves no {} is waste.", word(8))}],
        },
        "unresolved_items": [{"text": format!("Who pays for the {} number {number}?", word(9)), "blocking": false}],
        "answer": {"do": format!("Keep the {} and drop the {}.", word(10), word(11)), "unless": "it costs more than a day"},
        "stance": stance,
        "stance_revision_support": [{"kind": "principle", "text": "A better reason was given."}],
    })
}

/// The same with its open item blocking.
pub fn blocked(number: usize, stance: &str) -> Value {
    let mut turn = turn(number, stance);
    turn["unresolved_items"][0]["blocking"] = true.into();
    turn
}

pub fn said(text: impl ToString) -> Reply {
    Reply::Said { text: text.to_string() }
}

pub fn failed(kind: FailureKind, detail: &str) -> Reply {
    Reply::Failed(Failed { kind, detail: detail.into() })
}

pub fn opened(rounds: u32) -> Opened {
    let mut opened = sample::opened_for(Duel.manifest());
    opened.motion = "Is the deadline sound?".into();
    opened.options.insert("source_path".into(), PATH.into());
    opened.documents = BTreeMap::from([("source".to_owned(), Digest::from_content(TEXT))]);
    opened.limits = Limits { rounds, ..Limits::default() };
    opened
}

fn stamp() -> Stamp {
    Stamp("2026-01-31T09:30:00.000Z".into())
}

pub fn open(opened: Opened) -> Record {
    let texts = BTreeMap::from([(Digest::from_content(TEXT), TEXT.to_owned())]);
    Record::open(opened, stamp()).unwrap().with_documents(&texts)
}

pub fn extend(record: &mut Record, rounds: u32) {
    let limits = agon_core::Extension { rounds, ..Default::default() };
    record.append_event(stamp(), Event::Extended { limits }).unwrap();
}

/// Goes on to the next end. The witness sees nothing wrong unless `answer` says so.
pub fn drive_record(record: &mut Record, answer: impl Fn(&Request) -> Option<Reply>) {
    loop {
        match compute_next_step(&Duel, record).unwrap() {
            Step::Record(whats) => {
                for what in whats {
                    record.append_event(stamp(), what).unwrap();
                }
            }
            Step::Await(open) => {
                let [request] = open.as_slice() else { panic!("one at a time speaks, not {open:?}") };
                let usual = || {
                    (request.seat.as_str() == "witness")
                        .then(|| said(json!({"source": "unchanged", "artifact": "unchanged"})))
                };
                let reply = answer(request).or_else(usual).unwrap_or_else(|| panic!("{}", request.key));
                let answered = Answered::new(request.key.clone(), reply, Answerer::default());
                record.append_event(stamp(), Event::Answered(answered)).unwrap();
            }
            Step::Close(outcome) if record.closing_outcome().is_none() => {
                record.append_event(stamp(), Event::Closed { outcome }).unwrap();
            }
            Step::Close(_) => return,
        }
    }
}

/// A duel of these turns, in order; a turn that is asked again gets its own answer.
pub fn duel(rounds: u32, turns: &[Value]) -> Record {
    let mut record = open(opened(rounds));
    drive_record(&mut record, |request| {
        let number = request.facts["turn"].as_u64().unwrap() as usize;
        (request.seat.as_str() != "witness").then(|| said(&turns[number - 1]))
    });
    record
}
