//! A scripted chaired debate: canned answers, no model, no clock. Two debaters, two rounds.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/drive.rs"]
mod drive;

use agon_core::{
    Answerer, Failed, FailureKind, Limits, Opened, Protocol, Record, Reply, Request, SeatModel, Stamp, Usage, sample,
};
use agon_protocols::chaired::Chaired;
use serde_json::{Value, json};

pub const TOPIC: &str = "Should teams write their decisions down?";
/// What ada says first; its source turns out to be made up where a test wants it so.
pub const SECRET: &str =
    "Forty of forty-one teams forgot their own choices within a single winter, says the census of forgetting.";

pub fn opened() -> Opened {
    let seats = ["debater-1", "debater-2", "chair", "verifier", "audience", "reporter", "assessor"];
    let mut opened = sample::sample_opened("chaired", &seats);
    opened.rules = Chaired.manifest().rules;
    opened.motion = TOPIC.into();
    opened.limits = Limits { rounds: 2, rounds_min: Some(1), ..Limits::default() };
    for (i, (name, persona, position, incentives)) in [
        ("ada", "An archivist of a small firm", "Yes, all of them", "Wants nothing to be lost"),
        ("bob", "A foreman in a hurry", "No, only the large ones", "Wants work to go on"),
    ]
    .into_iter()
    .enumerate()
    {
        let seat: &mut SeatModel = &mut opened.lineup[i];
        seat.name = Some(name.into());
        seat.persona = Some(persona.into());
        seat.details.insert("starting_position".into(), position.into());
        seat.details.insert("incentives".into(), incentives.into());
    }
    opened
}

pub fn said(value: impl ToString) -> Reply {
    Reply::Said { text: value.to_string() }
}

pub fn failed() -> Reply {
    Reply::Failed(Failed { kind: FailureKind::Refused, detail: "the model declined".into() })
}

fn source(page: &str, quote: &str) -> Value {
    json!({"url": format!("https://archive.org/{page}"), "title": format!("The {page}"), "accessed": "2026-01-30", "quote": quote})
}

pub fn entry(kind: &str, content: &str, sources: &[&str], rebuts: Option<u64>) -> Value {
    let sources: Vec<Value> = sources.iter().map(|page| source(page, content)).collect();
    json!({"type": kind, "content": content, "sources": sources, "rebuttal_to_seq": rebuts, "target_seq": null})
}

pub fn turn(entries: &[Value]) -> Value {
    json!({"entries": entries, "framework": ""})
}

/// Findings of a verifier that opened pages: `status` for `page`, verified for all others.
pub fn findings(request: &Request, page: &str, status: &str) -> Value {
    let sources = request.facts["sources"].as_array().unwrap();
    let found = sources.iter().map(|source| {
        let hit = source["url"].as_str().unwrap().ends_with(page);
        let (status, why) = if hit { (status, "No such page was ever there.") } else { ("verified", "") };
        json!({"url": source["url"], "status": status, "explanation": why})
    });
    json!({"findings": found.collect::<Vec<_>>()})
}

fn points(first: &str, seqs: [&str; 3]) -> Value {
    let point = |text: &str, seq: &str| json!({"point": text, "seqs": [seq]});
    json!([point(first, seqs[0]), point("It costs what it saves.", seqs[1]), point("People matter most.", seqs[2])])
}

fn long(text: &str, times: usize) -> String {
    vec![text; times].join(" ")
}

/// The key of what was asked, whatever its draft and in whichever order of the debaters.
pub fn stem(request: &Request) -> String {
    request.key.as_str().split("/redraft-").next().unwrap_or_default().replace("/swapped", "")
}

/// Whether it is the first draft of a conclusion, in either order.
pub fn concludes(request: &Request) -> bool {
    stem(request) == "conclusion" && request.redraft.is_none()
}

/// The canned answer to a request.
pub fn canned(request: &Request) -> Option<Reply> {
    let key = stem(request);
    let value = match key.as_str() {
        "time-budget" => return None,
        "opening/debater-1" => turn(&[entry("opening_statement", SECRET, &["census"], None)]),
        "opening/debater-2" => turn(&[entry(
            "opening_statement",
            "Most choices are small, and a note about each takes longer than making it again. — Time is what we lack.",
            &["timesheets"],
            None,
        )]),
        "round-001/debater-1" => turn(&[
            entry(
                "rebuttal",
                "A line takes two minutes; the same quarrel held twice takes a morning.",
                &["minutes"],
                Some(3),
            ),
            entry(
                "conjecture",
                "[CONJECTURE] Newcomers would settle in faster where they could look things up.",
                &[],
                None,
            ),
        ]),
        "round-001/debater-2" => json!({
            "entries": [entry("clarification_request", "May I speak of the cost of reading notes as well?", &[], None)],
            "framework": "",
        }),
        "round-001/debater-2/resumed" => json!({
            "entries": [entry("rebuttal", "Nobody reads what is written; a drawer is not a memory, by the ladder of attention.", &["drawers"], Some(6))],
            "framework": "Ladder of attention: people read only what they were waiting for",
        }),
        "round-001/debater-2/clarification" => {
            json!({"ruling": "Yes; the cost of reading belongs to the topic."})
        }
        "round-002/debater-1" => turn(&[entry(
            "new_point",
            "The ladder of attention speaks for short notes: one waits for the answer to one's own question.",
            &["questions"],
            None,
        )]),
        "round-002/debater-2" => {
            turn(&[entry("new_point", "Whoever signs a note defends it later, right or wrong.", &[], None)])
        }
        "round-001/questions" => json!({"questions": [
            {"to": "ada", "question": "Who is to read all these notes?"},
            {"to": "bob", "question": "Is this not unfair?"},
        ]}),
        "round-001/questions/relay" => json!({"relay": [true, false]}),
        "round-002/questions" => json!({"questions": []}),
        "round-001/ending" => {
            json!({"reason": "seq 10 stands unanswered.", "natural_end": false, "rulings": []})
        }
        "unresolved" | "again-1/unresolved" => {
            json!({"points": [{"point": "Whether notes are read at all", "seqs": ["10"]}], "rulings": []})
        }
        "closing/debater-2" | "again-1/closing/debater-2" => {
            turn(&[entry("closing_statement", "Write the large ones down. Let the small ones go.", &[], None)])
        }
        "closing/debater-1" | "again-1/closing/debater-1" => turn(&[entry(
            "closing_statement",
            "What we do not keep we argue about again; seq 6 was not met.",
            &["minutes"],
            None,
        )]),
        "conclusion" | "again-1/conclusion" => json!({
            "reasons": [
                {"for": "ada", "text": "It rested on sources and met the cost with a figure.", "entries": ["6"]},
                {"for": "bob", "text": "It asked the better question and left its last point unsourced.", "entries": [10]},
            ],
            "reason": "Seq 6 met the cost, and seq 10 was met only in part.",
            "outcome": "ada_wins",
            "answer": {"do": "Write a line for each large decision.", "unless": "nobody reads it within a year"},
        }),
        "opinion" | "again-1/opinion" => {
            json!({"opinion": long("I think of seq 6 and seq 10, and keep a small notebook from now on.", 16)})
        }
        "summary" | "again-1/summary" => json!({
            "overview": "Two people of one firm asked what is worth a note.",
            "arguments": [
                {"debater": "ada", "points": points("A line takes two minutes.", ["6", "7", "6"])},
                {"debater": "bob", "points": points("Notes are not read.", ["10", "10", "3"])},
            ],
            "exchanges": [{"point": "The cost of a note was met by the cost of a quarrel.", "seqs": ["6", "10"]}],
            "flow": "It went from forgetting to reading.",
        }),
        "blog" | "again-1/blog" => json!({
            "headline": "The notebook in the drawer",
            "opening": long("Every firm decides more than it remembers.", 20),
            "case_for": long("What is written can be found by those who come later.", 40),
            "case_against": long("What is written must also be read by somebody with time.", 40),
            "takeaways": ["Short notes cost little.", "Somebody must read them.", "Large choices deserve a page."],
        }),
        "assessment" | "again-1/assessment" => {
            let role = |name: &str| json!({"role": name, "strengths": "Kept to its duty.", "improvements": "Could be shorter.", "suggestions": "Name the entry."});
            json!({
                "reason": "Both sides answered each other.", "quality": "Good",
                "roles": (["chair", "ada", "bob", "reporter", "verifier", "audience"].map(role)),
                "execution": ["More sources.", "Shorter turns.", "A third voice."],
                "output": ["A table.", "A chart.", "An index."], "objections": [],
            })
        }
        key if key.starts_with("again-1/") || key.starts_with("round-003/") => return third_round(key),
        key => panic!("nobody wrote an answer to {key}"),
    };
    Some(said(value))
}

fn third_round(key: &str) -> Option<Reply> {
    let value = match key {
        "round-003/debater-1" => turn(&[entry(
            "new_point",
            "A firm that moves loses its drawers, and keeps what was copied.",
            &["moves"],
            None,
        )]),
        "round-003/debater-2" => turn(&[entry(
            "rebuttal",
            "A firm that moves has other worries than the minutes of last year.",
            &["worries"],
            Some(6),
        )]),
        "round-003/questions" => json!({"questions": []}),
        key if key.ends_with("/verification") => return Some(failed()),
        key => panic!("nobody wrote an answer to {key}"),
    };
    Some(said(value))
}

/// Drives a debate until the end, or until nobody answers what is open.
pub fn play(opened: Opened, answer: impl Fn(&Request) -> Option<Reply>) -> Record {
    play_on(Record::open(opened, Stamp("2026-01-31T09:30:00.123Z".into())).unwrap(), answer)
}

pub fn play_on(mut record: Record, answer: impl Fn(&Request) -> Option<Reply>) -> Record {
    let now = |record: &Record| {
        let ticks = record.len() * 7;
        Stamp(format!(
            "2026-01-31T{:02}:{:02}:{:02}.{:03}Z",
            9 + ticks / 3600,
            ticks / 60 % 60,
            ticks % 60,
            ticks % 1000
        ))
    };
    let by = |request: &Request| {
        let by = Answerer::new("scripted").with_model(format!("{}-1", request.seat));
        (by, Usage::default())
    };
    drive::drive(&Chaired, &mut record, now, by, |request, _| answer(request));
    record
}

/// The whole debate.
pub fn debate() -> Record {
    play(opened(), canned)
}

/// The same with some answers replaced.
pub fn debate_with(answer: impl Fn(&Request) -> Option<Reply>) -> Record {
    play(opened(), |request| answer(request).or_else(|| canned(request)))
}

/// Answers whose references hold whatever the verifier adds to the log.
pub fn steady(request: &Request) -> Option<Reply> {
    Some(said(match stem(request).as_str() {
        "round-001/debater-1" => {
            turn(&[entry("rebuttal", "A line takes two minutes, a quarrel takes a morning.", &["minutes"], Some(3))])
        }
        "round-001/debater-2" => turn(&[entry("new_point", "Nobody reads what lies in a drawer.", &["drawers"], None)]),
        "unresolved" => {
            json!({"points": [{"point": "Whether notes are read at all", "seqs": ["3"]}], "rulings": []})
        }
        "conclusion" => json!({
            "reasons": [{"for": "ada", "text": "It had few sources left.", "entries": ["3"]}, {"for": "bob", "text": "It answered.", "entries": ["3"]}],
            "reason": "Seq 3 was not met.", "outcome": "bob_wins", "answer": {"do": "Write nothing down."},
        }),
        "summary" => {
            // What is logged before ada's first rebuttal differs from debate to debate.
            let own = ["8", "9", "10"][request.redraft.as_ref().map_or(0, |redraft| redraft.number as usize)];
            json!({
                "overview": "Two people of one firm asked what is worth a note.",
                "arguments": [
                    {"debater": "ada", "points": points("A quarrel is dear.", [own; 3])},
                    {"debater": "bob", "points": points("Time is short.", ["3"; 3])},
                ],
                "exchanges": [{"point": "The cost was met.", "seqs": ["3"]}], "flow": "It went on.",
            })
        }
        "closing/debater-1" => {
            turn(&[entry("closing_statement", "What we do not keep we argue about again.", &[], None)])
        }
        _ => return None,
    }))
}

/// The same with pages fetched: `page` is found to be `status`.
pub fn debate_fetched(page: &str, status: &str, answer: impl Fn(&Request) -> Option<Reply>) -> Record {
    let mut opened = opened();
    opened.options.insert("verify".into(), "fetched".into());
    play(opened, |request| {
        // A draft is looked at before it is logged, too; there it says nothing.
        if request.key.as_str().ends_with("/draft/verification") {
            return Some(said(json!({"findings": []})));
        }
        let fetched = request.key.as_str().ends_with("/verification").then(|| said(findings(request, page, status)));
        answer(request).or(fetched).or_else(|| steady(request)).or_else(|| canned(request))
    })
}

pub fn file(record: &Record, path: &str) -> String {
    let files = agon_report::find_format("chaired").unwrap().render_files(record);
    let found = files.iter().find(|file| file.path == path);
    found.unwrap_or_else(|| panic!("no {path}")).content.clone()
}

pub fn paths(record: &Record) -> Vec<String> {
    agon_report::find_format("chaired").unwrap().render_files(record).into_iter().map(|file| file.path).collect()
}
