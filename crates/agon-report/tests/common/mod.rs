//! A scripted exchange: canned answers, no model, no clock.
#![allow(clippy::unwrap_used)]
#![allow(dead_code)]

use std::collections::BTreeMap;

use agon_core::{
    Answered, Answerer, Digest, Event, Failed, FailureKind, Limits, Opened, Protocol, Record, Reply, Request,
    SeatModel, Stamp, Step, Usage, compute_next_step,
};
use agon_protocols::exchange::Exchange;
use agon_report::File;
use serde_json::{Value, json};

pub const MOTION: &str = "This house would write its decisions down.";

/// Every text that [`opened`] names.
pub fn texts() -> BTreeMap<Digest, String> {
    let all = ["Open \"it\".\n", "Judge it: é ⚔️", "A glossary.\n"];
    all.iter().map(|text| (Digest::from_content(text), (*text).to_owned())).collect()
}

pub fn opened(rounds: u32) -> Opened {
    let mut opened = agon_core::sample::sample_opened("exchange", &["proposition", "opposition", "judge", "reporter"]);
    let models = ["openai:pro", "anthropic:con", "gemini:judge", "local"];
    opened.lineup = opened.lineup.into_iter().zip(models).map(|(s, m)| SeatModel { model: m.into(), ..s }).collect();
    opened.rules = Exchange.manifest().rules;
    opened.motion = MOTION.into();
    opened.limits = Limits { rounds, ..Limits::default() };
    let digest = |text: &str| Digest::from_content(text);
    opened.prompts = BTreeMap::from([
        ("judgment".to_owned(), digest("Judge it: é ⚔️")),
        ("opening".to_owned(), digest("Open \"it\".\n")),
        ("rebuttal".to_owned(), digest("Open \"it\".\n")),
    ]);
    opened.documents = BTreeMap::from([("glossary".to_owned(), digest("A glossary.\n"))]);
    opened
}

/// How a debate of the tests is driven.
pub struct Play<'p> {
    pub opened: Opened,
    pub answer: &'p dyn Fn(&Request) -> Option<Reply>,
    /// Answers in the reverse order of asking.
    pub reversed: bool,
}

impl Play<'_> {
    /// Drives until the end, or until nobody answers what is open.
    pub fn record(&self) -> Record {
        let mut ticks = 0;
        let mut now = || {
            ticks += 7;
            Stamp(format!("2026-01-31T09:{:02}:{:02}.{:03}Z", 30 + ticks / 1000, ticks % 60, ticks % 1000))
        };
        let mut record = Record::open(self.opened.clone(), now()).unwrap();
        loop {
            match compute_next_step(&Exchange, &record).unwrap() {
                Step::Record(decided) => {
                    for what in decided {
                        record.append_event(now(), what).unwrap();
                    }
                }
                Step::Await(mut requests) => {
                    if self.reversed {
                        requests.reverse();
                    }
                    let before = record.len();
                    for request in requests {
                        let Some(reply) = (self.answer)(&request) else { continue };
                        let model =
                            record.opened().lineup.iter().find(|s| s.seat == request.seat).unwrap().model.clone();
                        let usage =
                            Usage { requests: 1, prompt_tokens: 900, completion_tokens: 300, ..Usage::default() };
                        let by = Answerer::new(model).with_model(format!("{}-1", request.seat));
                        let answered = Answered { usage, ..Answered::new(request.key, reply, by) };
                        record.append_event(now(), Event::Answered(answered)).unwrap();
                    }
                    if record.len() == before {
                        return record;
                    }
                }
                Step::Close(outcome) => {
                    if record.closing_outcome().is_none() {
                        record.append_event(now(), Event::Closed { outcome }).unwrap();
                    }
                    return record;
                }
            }
        }
    }
}

/// A whole debate of `rounds` rebuttals (0 or 1) by the canned answers.
pub fn debate(rounds: u32) -> Record {
    Play { opened: opened(rounds), answer: &|request| canned(request.key.as_str()).map(said), reversed: false }.record()
}

/// The same with some answers replaced.
pub fn debate_with(rounds: u32, answer: impl Fn(&str) -> Option<Reply>) -> Record {
    let answer = |request: &Request| answer(request.key.as_str()).or_else(|| canned(request.key.as_str()).map(said));
    Play { opened: opened(rounds), answer: &answer, reversed: false }.record()
}

pub fn said(text: impl ToString) -> Reply {
    Reply::Said { text: text.to_string() }
}

pub fn failed(detail: &str) -> Reply {
    Reply::Failed(Failed { kind: FailureKind::Refused, detail: detail.into() })
}

pub fn argument(title: &str, claim: &str, grounds: &[[&str; 3]], warrant: &str) -> Value {
    let grounds: Vec<Value> =
        grounds.iter().map(|[s, c, r]| json!({"source": s, "content": c, "relevance": r})).collect();
    json!({"title": title, "claim": claim, "grounds": grounds, "warrant": warrant})
}

/// The canned answer to a key.
pub fn canned(key: &str) -> Option<Value> {
    Some(match key {
        "exchange-000/proposition" => {
            let mut third = argument(
                "Writing Is Fair to the Absent",
                "Whoever could not attend still learns what was decided.",
                &[[
                    "Team survey, 2025",
                    "Part-time staff named minutes as their main source.",
                    "They are those the motion serves.",
                ]],
                "A rule that binds people should reach them.",
            );
            third["qualifier"] = json!("In teams of more than five");
            json!({"stance": "for", "arguments": [
                argument("Memory Fades, Ink Stays", "Decisions that nobody wrote down are lost within a year.",
                    &[["Archive study (Müller & Søn)", "Of 40 oral decisions, 31 could not be reconstructed.", "It measures the loss itself."],
                      ["Practice", "New members ask the same questions again.", "Repetition is the price."]],
                    "What cannot be recalled cannot guide anyone."),
                argument("Reasons Outlive Their Authors", "A written reason can be tested when its author is gone.",
                    &[["Law reports", "Courts cite opinions of judges long dead.", "Testing needs a text."]],
                    "Only what is fixed can be examined."),
                third,
            ]})
        }
        "exchange-000/opposition" => {
            let mut first = argument(
                "Writing Slows the Quick",
                "Most decisions are small, and recording them costs more than they matter.",
                &[["Time sheets", "Minutes took 14 % of meeting hours (p < 0.05).", "The cost falls on everyone."]],
                "Effort should follow importance.",
            );
            first["backing"] = json!("Proportion is the first rule of administration.");
            json!({"stance": "against", "arguments": [
                first,
                argument("Paper Hardens Too Early", "What is written is defended, even when it has become wrong.",
                    &[["Psychology of commitment", "People keep to positions that they signed.", "Ink is a signature."]],
                    "A decision should stay open to better reasons."),
                argument("Records Chill Candour", "People say less when every word may be read later.",
                    &[["Interviews", "Engineers reported holding back doubts in minuted rounds.", "Lost doubts are lost knowledge."]],
                    "Good decisions need what people really think."),
            ]})
        }
        "exchange-000/judgment" => json!({
        "clash": "They meet on what is lost. prop_000a counts it; opp_000a only says that \"recording them costs more than they matter\".",
        "grades": [
            {"argument_id": "prop_000a", "grade": 9.5, "reasoning": "Measured loss — strong evidence."},
            {"argument_id": "prop_000b", "grade": 7, "reasoning": "Sound; the analogy is loose."},
            {"argument_id": "prop_000c", "grade": 4.5, "reasoning": "Thin survey."},
            {"argument_id": "opp_000a", "grade": 6, "reasoning": "Fair on cost."},
            {"argument_id": "opp_000b", "grade": 2.5, "reasoning": "Asserted | not shown."},
            {"argument_id": "opp_000c", "grade": 0.5, "reasoning": "Interviews unnamed."},
        ]}),
        "exchange-001/proposition" => {
            let mut argument = argument(
                "Short Notes Cost Little",
                "A line for each decision keeps the gain and avoids the cost.",
                &[["Own trial", "One-line notes took two minutes a meeting.", "It answers the time sheets directly."]],
                "A remedy that removes the objection removes its force.",
            );
            argument["attacks"] = json!([
                {"target_id": "opp_000a", "attack_type": "grounds_attack", "content": "The time sheets measured full minutes, not notes."},
                {"target_id": "opp_000c", "attack_type": "warrant_attack", "content": "A note of the decision quotes nobody."},
            ]);
            argument["defends"] = json!([
                {"target_id": "prop_000c", "defense_type": "concede_and_pivot", "content": "The survey is small; the rule it shows is general."},
            ]);
            json!({"stance": "for", "arguments": [argument]})
        }
        "exchange-001/opposition" => {
            let mut argument = argument(
                "A Line Is Not a Reason",
                "One-line notes record outcomes and lose the reasons that the other side praises.",
                &[[
                    "The proposition's own case",
                    "It wants reasons tested and then records none.",
                    "Its remedy defeats its purpose.",
                ]],
                "A means must serve the end it is offered for.",
            );
            argument["attacks"] = json!([
                {"target_id": "prop_000b", "attack_type": "claim_attack", "content": "A line holds no reason to test."},
            ]);
            argument["defends"] = json!([
                {"target_id": "opp_000a", "defense_type": "reinforce", "content": "What is worth keeping costs what minutes cost."},
            ]);
            json!({"stance": "against", "arguments": [argument]})
        }
        "exchange-001/judgment" => json!({
            "clash": "They meet on the short note. \"A line holds no reason to test\" decides, and opp_001 says it.",
            "grades": [
                {"argument_id": "prop_001", "grade": 3.75, "reasoning": "Trial of one team."},
                {"argument_id": "opp_001", "grade": 6.25, "reasoning": "Turns the remedy against its case."},
            ],
            "rescores": [
                {"argument_id": "prop_000b", "old_score": 0.2, "new_score": 0.05, "reasoning": "Weakened by opp_001."},
            ],
        }),
        // Only the longer debate has an argument of the opposition to the remedy.
        "report-001" | "report-002" => {
            let turned = if key == "report-001" { "opp_000a" } else { "opp_001" };
            json!({
                "title": "Ink or Memory",
                "question": "Should a team write down what it decides — or trust its memory?",
                "clash": "One side counts what is lost. The other counts what writing costs.",
                "turning_points": [
                    {"heading": "The measured loss", "text": "prop_000a showed that 31 of 40 decisions were gone."},
                    {"heading": "The remedy turned", "text": format!("{turned} showed that a line holds no reason – a blow in 2019–2020 terms.")},
                ],
                "verdict": "Measurement carried the day, though the remedy did not.",
                "answer": {"do": "Write each decision down in a line with its reason.", "unless": "nobody looks one up within a year"},
                "ahead": "proposition",
            })
        }
        _ => return None,
    })
}

/// A canned judgment as judges of the source system give it: with scores in place of clash and grades.
pub fn canned_scores(key: &str) -> Option<Value> {
    let mut judgment = canned(key)?;
    let scores = judgment["grades"].as_array()?.iter().map(|given| {
        let score = (given["grade"].as_f64().unwrap() - 5.0) / 10.0;
        json!({"argument_id": given["argument_id"], "reasoning": given["reasoning"], "score": score})
    });
    judgment["scores"] = scores.collect();
    let fields = judgment.as_object_mut()?;
    fields.retain(|name, _| name != "clash" && name != "grades");
    Some(judgment)
}

/// The exchange's own files.
pub fn files(record: &Record) -> Vec<File> {
    agon_report::find_format("exchange").unwrap().render_files(record)
}

pub fn file(record: &Record, path: &str) -> String {
    let files = files(record);
    let found = files.iter().find(|file| file.path == path);
    found.unwrap_or_else(|| panic!("no {path}")).content.clone()
}

pub fn paths(record: &Record) -> Vec<String> {
    files(record).into_iter().map(|file| file.path).collect()
}
