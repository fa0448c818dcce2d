//! A scripted duel of five turns that ends in consensus: canned answers, no model, no clock.

use std::collections::BTreeMap;

use agon_core::{
    Answered, Answerer, Digest, Event, Limits, Opened, Protocol, Record, Reply, Request, Stamp, Step,
    compute_next_step, sample,
};
use agon_protocols::duel::Duel;
use serde_json::{Value, json};

pub const PATH: &str = "/home/ada/plan (draft).md";
pub const TEXT: &str = "# Keeping a record of decisions\n\n## Proposal\n\nEvery decision is written down within a day, with its reasons and the options that lost.\n\n## Costs\n\nWriting takes a quarter of an hour a decision.\n";
pub const TOPIC: &str = "Is a day | enough? – Überlegungen";
/// The artifact of [`opened`].
pub const FILE: &str = "debates/2026-01-31-is-a-day-enough-uberlegungen.md";

pub fn opened() -> Opened {
    let mut opened = sample::opened_for(Duel.manifest());
    opened.motion = TOPIC.into();
    opened.options.insert("source_path".into(), PATH.into());
    opened.documents = BTreeMap::from([("source".to_owned(), Digest::from_content(TEXT))]);
    opened.limits = Limits { rounds: 6, ..Limits::default() };
    for (seat, (model, name)) in opened.lineup.iter_mut().zip([("openai:pro", Some("Ada")), ("local", None)]) {
        seat.model = model.into();
        seat.name = name.map(str::to_owned);
    }
    opened
}

pub fn said(text: impl ToString) -> Reply {
    Reply::Said { text: text.to_string() }
}

/// Drives to the end, or until nobody answers.
pub fn play(opened: Opened, answer: impl Fn(&Request) -> Option<Reply>) -> Record {
    let mut ticks = 0;
    let mut now = || {
        ticks += 7;
        Stamp(format!("2026-01-31T09:{:02}:{:02}.000Z", 30 + ticks / 60, ticks % 60))
    };
    let texts = BTreeMap::from([(Digest::from_content(TEXT), TEXT.to_owned())]);
    let mut record = Record::open(opened, now()).unwrap().with_documents(&texts);
    loop {
        match compute_next_step(&Duel, &record).unwrap() {
            Step::Record(decided) => {
                for what in decided {
                    record.append_event(now(), what).unwrap();
                }
            }
            Step::Await(requests) => {
                let Some(reply) = answer(&requests[0]) else { return record };
                let sat = record.opened().lineup.iter().find(|sat| sat.seat == requests[0].seat);
                let by = Answerer::new(sat.map_or("witness".into(), |sat| sat.model.clone()));
                let answered = Answered::new(requests[0].key.clone(), reply, by);
                record.append_event(now(), Event::Answered(answered)).unwrap();
            }
            Step::Close(outcome) => {
                record.append_event(now(), Event::Closed { outcome }).unwrap();
                return record;
            }
        }
    }
}

pub fn canned_answer(request: &Request) -> Option<Reply> {
    match request.seat.as_str() {
        "witness" => Some(said(json!({"source": "unchanged", "artifact": "unchanged"}))),
        _ => canned(request.key.as_str()).map(said),
    }
}

pub fn duel() -> Record {
    play(opened(), canned_answer)
}

/// The same with some answers replaced.
pub fn duel_with(answer: impl Fn(&str) -> Option<Reply>) -> Record {
    play(opened(), |request| answer(request.key.as_str()).or_else(|| canned_answer(request)))
}

/// The duel cut behind the ruling `key`.
pub fn cut_after(record: &Record, key: &str) -> Record {
    let at = record
        .entries()
        .iter()
        .position(|e| matches!(&e.what, Event::Ruled { key: ruled, .. } if ruled.as_str() == key));
    Record::from_entries(record.entries()[..=at.unwrap()].to_vec()).unwrap().with_documents_of(record)
}

pub fn artifact(record: &Record) -> String {
    let files = agon_report::find_format("duel").unwrap().render_files(record);
    assert_eq!(files.len(), 1);
    files[0].content.clone()
}

fn source(text: &str) -> Value {
    json!([{"kind": "source", "text": text}])
}

fn principle(text: &str) -> Value {
    json!([{"kind": "principle", "text": text}])
}

/// The canned answer to a key.
pub fn canned(key: &str) -> Option<Value> {
    Some(match key {
        "turn-1" => json!({
            "position": "A day is enough for most decisions. # It is not enough where the reasons are still in dispute.",
            "counterpoints": [
                {"addresses": "Source: Costs", "claim": "The price is given for one decision and not for a week of them.",
                 "repair": "State the price of a week.",
                 "support": source("Writing takes a quarter of an hour a decision.")},
                {"addresses": "Source", "claim": "It does not say who writes.",
                 "support": ["Principle: a duty of everybody is a duty of nobody.", "https://a.org/duty?a=1&b=2 shows it"]},
            ],
            "agreements": ["**Lost options** belong into the record, since they are asked for again."],
            "novel_argument": {"claim": "A deadline makes short records, and short records are read.",
                               "support": principle("What is short is read more often.")},
            "unresolved_items": [
                {"text": "Who writes when nobody led the meeting?", "blocking": true},
                {"text": "Is a week better for large decisions?", "blocking": false},
            ],
            "answer": {"do": "Do not fix a day before a writer is named.", "unless": "someone always leads the meeting"},
            "stance": "DISSENTING", "stance_revision_support": [],
        }),
        "turn-2" => json!({
            "position": "A day is right, since memory fades first where people disagree.",
            "replies": [
                {"claim": "Turn 1, counterpoint 1", "stance": "granted", "why": ""},
                {"claim": "Turn 1, counterpoint 2", "stance": "narrowed", "why": "It says when, and a day presses whoever led."},
            ],
            "counterpoints": [{"addresses": "Turn 1", "claim": "Dispute is a reason to write at once: what was said is still known.",
                               "support": [{"kind": "source", "text": "section Proposal: \"with its reasons\""}]}],
            "agreements": ["Turn 1 is right that a writer must be named."],
            "novel_argument": {"claim": "A record that is late is a defence, not a report.",
                               "support": [{"kind": "turn", "text": "Turn 1: it wants reasons that nobody disputes any more."}]},
            "unresolved_items": [{"text": "Who is named as the writer?", "blocking": false}],
            "answer": {"do": "Write within a day, and name the writer.", "unless": ""},
            "stance": "CONVERGING", "stance_revision_support": [],
        }),
        "turn-3" => json!({
            "position": "With a named writer a day is enough, disputes included.",
            "replies": [{"claim": "Turn 2, novel argument", "stance": "rejected", "why": "A late record can be honest."}],
            "counterpoints": [{"addresses": "Turn 2", "claim": "A late record can still be honest, if it says that it is late.",
                               "bears_on": "It is what happens where a day was not enough.",
                               "support": principle("A stated limit does not deceive.")}],
            "agreements": ["Dispute is best recorded while it is fresh (Turn 2)."],
            "novel_argument": {"claim": "Whoever lost the vote should read the record before it is filed.",
                               "support": [{"kind": "source", "text": "the options that lost"}]},
            "unresolved_items": [{"text": "How long may that reading take?", "blocking": false}],
            "off_topic": [{"claim": "Turn 2, novel argument", "why": "What a late record is called does not bear on the day."}],
            "answer": {"do": "Write within a day; the writer is named at the meeting.", "unless": "a vote was lost"},
            "stance": "CONVERGING",
            "stance_revision_support": [{"kind": "turn", "text": "Turn 2: fresh dispute is remembered better."}],
        }),
        "turn-4" => json!({
            "position": "Agreed: one day, a named writer, and a reader from the side that lost.",
            "counterpoints": [{"addresses": "Turn 3", "claim": "The reader may not hold the record back without an end.",
                               "support": principle("A veto without a date is a refusal.")}],
            "agreements": ["A reader from the losing side keeps the record fair."],
            "novel_argument": {"claim": "Silence of a day counts as consent of that reader.",
                               "support": [{"kind": "source", "text": "within a day"}]},
            "unresolved_items": [{"text": "What if the reader is away?", "blocking": false}],
            "answer": {"do": "Write within a day, name the writer, and let one from the losing side read it.", "unless": "nobody lost"},
            "stance": "ACCEPTING_CONSENSUS",
            "stance_revision_support": [{"kind": "turn", "text": "Turn 3: it names the writer and adds a reader."}],
        }),
        "turn-5" => json!({
            "position": "I accept: writer named, one day, one reader, silence is consent.",
            "counterpoints": [{"addresses": "Turn 4", "claim": "Absence is not silence; a deputy is needed.",
                               "support": [{"kind": "turn", "text": "Turn 4: it leaves open what happens when the reader is away."}]}],
            "agreements": ["A limit for the reader is fair."],
            "novel_argument": {"claim": "The deputy is named with the reader, at the same meeting.",
                               "support": principle("What is settled early needs no second meeting.")},
            "unresolved_items": [{"text": "May the deputy be the writer (in small teams)?", "blocking": false}],
            "answer": {"do": "Name a writer and a reader, file within a day, and take silence for consent.", "unless": "the reader has no deputy"},
            "stance": "ACCEPTING_CONSENSUS",
            "stance_revision_support": [{"kind": "turn", "text": "Turn 4: it sets an end to the reading."}],
        }),
        _ => return None,
    })
}
