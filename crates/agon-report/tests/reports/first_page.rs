//! The first page: trust, doubts, what the answer rests on, what would change the outcome, and what is open.

use agon_core::{Answerer, Digest, Event, Limits, Protocol, Record, Seat, Stamp, Step, compute_next_step, sample};
use agon_protocols::baseline::Baseline;
use agon_report::first_page::{FirstPage, Sentence};
use serde_json::{Value, json};

use crate::reports::debates::{self, chaired, declared, duel, exchange, panel, revise};

pub fn first_page(record: &Record) -> FirstPage {
    FirstPage::with_extraction(record, None)
}

/// `record` with other names of those who answered.
fn answered_by(record: &Record, by: impl Fn(&Seat) -> Answerer) -> Record {
    let entries = record.entries();
    let mut renamed = Record::open(record.opened().clone(), entries[0].at.clone()).unwrap();
    for entry in &entries[1..] {
        let mut what = entry.what.clone();
        if let Event::Answered(answered) = &mut what {
            answered.by = by(&record.find_request(&answered.key).unwrap().1.seat);
        }
        renamed.append_event(entry.at.clone(), what).unwrap();
    }
    renamed.with_documents_of(record)
}

fn told(sentences: &[Sentence]) -> Vec<String> {
    sentences.iter().map(Sentence::full_text).collect()
}

/// A baseline in which one model answers so, one word a sample.
pub fn baseline(answers: &[&str]) -> Record {
    let mut opened = sample::opened_for(Baseline.manifest());
    opened.motion = exchange::MOTION.into();
    opened.limits = Limits { rounds: answers.len() as u32, ..Limits::default() };
    let mut record = Record::open(opened, Stamp("2026-01-31T09:30:00.000Z".into())).unwrap();
    let mut words = answers.iter();
    loop {
        let stamp = || Stamp("2026-01-31T09:31:00.000Z".into());
        match compute_next_step(&Baseline, &record).unwrap() {
            Step::Record(decided) => decided.into_iter().for_each(|what| {
                record.append_event(stamp(), what).unwrap();
            }),
            Step::Await(requests) => {
                for request in requests {
                    let reply = exchange::said(json!({
                        "reasons_for": "What is written down can be read again by those who come later.",
                        "reasons_against": "Most decisions are small, and to record them costs more than they matter.",
                        "weighing": "The loss weighs more.", "answer": words.next().unwrap(),
                    }));
                    let answered = agon_core::Answered::new(
                        request.key,
                        reply,
                        agon_core::Answerer::new("openai:solo").with_model("solo-1"),
                    );
                    record.append_event(stamp(), Event::Answered(answered)).unwrap();
                }
            }
            Step::Close(outcome) => {
                record.append_event(stamp(), Event::Closed { outcome }).unwrap();
                return record;
            }
        }
    }
}

#[test]
fn the_trust_line_names_judge_orders_sources_and_losses() {
    let trust = told(&first_page(&exchange::debate(1)).trust);
    assert_eq!(
        trust,
        [
            "Judged by one judge (the model judge-1), in one order of the sides",
            "0 of 9 sources cited verified",
            "Every request got a usable answer",
            "The embedded model answered for reporter",
        ]
    );
    let trust = told(&first_page(&duel::duel()).trust);
    assert_eq!(trust[0], "Nobody judged: the outcome follows from the stances that both took");
    assert!(trust[1].contains("cited stand word for word in the document"), "{trust:?}");
}

#[test]
fn the_sources_of_the_trust_line_are_those_of_the_outcome() {
    let record = chaired::debate_fetched("census", "unreliable", |_| None);
    let figures = &record.closing_outcome().unwrap().figures["sources"];
    let wanted = format!("{} of {} sources looked up are verified", figures["verified"], figures["all"]);
    let trust = told(&first_page(&record).trust);
    assert!(trust.iter().any(|text| text.starts_with(&wanted)), "{trust:?}");
    let by = |seat: &Seat| match seat.as_str() {
        "debater-2" => Answerer::new("scripted:bob.json"),
        _ => Answerer::new("outside:somebody"),
    };
    let trust = told(&first_page(&answered_by(&record, by)).trust);
    assert!(trust.iter().any(|text| text == "A script answered for bob"), "{trust:?}");
}

#[test]
fn one_model_at_every_seat_is_said_first() {
    let alone = answered_by(&exchange::debate(1), |_| Answerer::new("local").with_model("Small 1B"));
    let doubts = told(&first_page(&alone).doubts);
    assert!(doubts[0].starts_with("One model (Small 1B) answered for all seats"), "{doubts:?}");
    assert_eq!(told(&first_page(&exchange::debate(1)).doubts), Vec::<String>::new());
    let by = |seat: &Seat| match seat.as_str() {
        "chair" | "debater-1" | "debater-2" => Answerer::new("outside:somebody"),
        other => Answerer::new("local").with_model(format!("{other}-model")),
    };
    let doubts = told(&first_page(&answered_by(&chaired::debate(), by)).doubts);
    assert_eq!(doubts[0], "The chair (somebody) also spoke for ada and bob.");
}

#[test]
fn changes_that_were_left_out_are_told_before_the_outcome_is_relied_on() {
    let list = json!({"version": 2, "sources": ["git:main...HEAD"], "files": [], "left_out": [
        {"path": "@evil.rs", "reason": "too large: 3000000 bytes", "changed": true},
        {"path": "docs/old.png", "reason": "binary"},
    ]})
    .to_string();
    let digest = Digest::from_content(&list);
    let mut opened = sample::opened_for(Baseline.manifest());
    opened.documents.insert("material".into(), digest.clone());
    let record = Record::open(opened, Stamp("2026-01-31T09:30:00.000Z".into())).unwrap();
    let record = record.with_documents(&[(digest, list)].into());
    let found = first_page(&record).doubts;
    let told = "1 changed file was not reviewed: @evil.rs (too large: 3000000 bytes).";
    assert_eq!((found[0].text.as_str(), found[0].seq), (told, 0));
    let summary = agon_report::summary::render_summary(&record, Some("pass"), "");
    let told = "**Read with care.** 1 changed file was not reviewed: `@evil.rs` (too large: `3000000` bytes).";
    assert!(summary.contains(told), "{summary}");
}

#[test]
fn a_debate_without_a_verdict_says_so_and_whose_answer_is_missing() {
    let declined = |key: &str| key.contains("opposition").then(|| exchange::failed("declined"));
    let found = first_page(&exchange::debate_with(0, declined));
    assert!(found.is_void && found.verdict.ends_with("no result"), "{}", found.verdict);
    assert_eq!(told(&found.doubts), ["Nobody was heard; there is no verdict."]);
    assert_eq!(told(&found.flips), ["A usable answer of opposition, which did not come: declined."]);
    let declined = |key: &str| key.contains("judgment").then(|| exchange::failed("declined"));
    let found = first_page(&exchange::debate_with(0, declined));
    assert_eq!(told(&found.doubts), ["There is no verdict: nothing below is a result."]);
    assert_eq!(found.trust[0].text, "Nobody judged");
}

#[test]
fn a_statement_that_was_given_up_after_its_redrafts_is_counted_as_lost() {
    let record =
        exchange::debate_with(0, |key| key.contains("judgment").then(|| exchange::said("I would rather not.")));
    let trust = told(&first_page(&record).trust);
    assert_eq!(
        trust[2],
        "1 request without a usable answer, 1 statement given up after its redrafts; 2 answers asked for again"
    );
    let first = record.rulings().find(|(_, key, _)| key.as_str().ends_with("/absent")).unwrap().0;
    assert_eq!(first_page(&record).trust[2].seq, first);
}

#[test]
fn what_flips_an_exchange_is_computed_from_its_scores() {
    let flips = told(&first_page(&exchange::debate(1)).flips);
    assert_eq!(
        flips[0],
        "No single score decides: the totals are 0.80 apart, and the largest score is +0.45 for prop_000a."
    );
    // The proposition leads by little, and one argument carries it.
    let record = exchange::debate_with(0, |key| {
        let mut judgment = key
            .starts_with("exchange-000/judgment")
            .then(|| exchange::canned_scores("exchange-000/judgment").unwrap())?;
        let scores = [0.6, -0.2, -0.2, 0.1, -0.15, -0.15];
        scores.iter().enumerate().for_each(|(at, score)| judgment["scores"][at]["score"] = json!(score));
        Some(exchange::said(judgment))
    });
    let flips = first_page(&record).flips;
    assert_eq!(
        flips[0].text,
        "If prop_000a (Memory Fades, Ink Stays) were worth nothing and not +0.60, the opposition would be ahead."
    );
    let (seq, _) = record.find_answer(&agon_core::Key::from_parts("exchange-000/proposition")).unwrap();
    assert_eq!(flips[0].seq, seq, "it is linked to the argument");
}

#[test]
fn what_flips_the_others_follows_from_their_own_rules() {
    let flips = |record: &Record| told(&first_page(record).flips).join("\n");
    let found = flips(&duel::duel());
    let wanted = "Ada accepted. Had it kept one blocking item, the duel would have ended in dissent.";
    assert!(found.contains(wanted), "{found}");
    let found = flips(&panel::panel());
    assert!(found.contains("the panel would be"), "{found}");
    let found = flips(&revise::play(revise::track("plan"), |_| None));
    assert_eq!(found, "It rests on one criterion: all disagreements are of low severity (V2).");
    let found = flips(&chaired::debate());
    assert!(found.contains("The chair's reason"), "{found}");
    let found = flips(&declared::debate(declared::DELPHI));
    assert!(found.contains("the median would be") || found.contains("moves the median"), "{found}");
    let found = flips(&declared::debate(declared::PRE_MORTEM));
    assert!(found.contains("leads by ") && found.contains(" had gone there"), "{found}");
    let found = flips(&baseline(&["for", "for", "against"]));
    assert_eq!(found, "The majority leads by 1 of 3 answers: 1 answer otherwise would end it.");
}

#[test]
fn the_end_is_told_in_words_and_not_in_those_of_the_rules() {
    let record = duel::duel();
    let said = first_page(&record).told.unwrap().text;
    assert!(
        record.closing_outcome().unwrap().summary.contains("Ada: accepting consensus"),
        "the record keeps its words"
    );
    assert!(said.contains("Ada: accepting consensus") && !said.contains("ACCEPTING"), "{said}");
    let mut opened = revise::track("plan");
    opened.limits.rounds = 1;
    let record = revise::play(opened, |_| None);
    let page = first_page(&record);
    assert_eq!(page.verdict, "Joined without agreement");
    let told = "The authors' last versions were joined after 1 round, and nobody read the answers to its critiques.";
    assert_eq!(page.told.unwrap().text, told);
    assert!(super::report::files(&record).0.contains("nobody read the answers to its critiques."));
}

#[test]
fn what_was_left_open_is_named_in_the_words_of_those_who_left_it() {
    let open = |record: &Record| told(&first_page(record).open).join("\n");
    let blocking = |key: &str| {
        let mut turn = duel::canned(key).filter(|_| key == "turn-3")?;
        turn["unresolved_items"][0]["blocking"] = json!(true);
        Some(duel::said(turn))
    };
    let found = open(&duel::cut_after(&duel::duel_with(blocking), "turn-3/accepted"));
    assert!(found.contains("Ada leaves open, as blocking: “"), "{found}");
    let marked = "Ada holds Turn 2, novel argument to be off the topic: “What a late record is called";
    assert!(open(&duel::duel()).contains(marked));
    let found = open(&panel::panel());
    assert!(found.contains("deadlocked. Cy: “"), "{found}");
    let found = open(&exchange::debate(1));
    assert!(found.contains("No argument of the other side attacks prop_000a"), "{found}");
    assert!(found.contains("9 of 9 sources cited were not verified by anybody."), "{found}");
    let found = open(&chaired::debate());
    assert!(found.contains("The chair left to the closings: “"), "{found}");
}

#[test]
fn a_baseline_shows_the_reasons_of_both_sides() {
    let found = first_page(&baseline(&["for", "against", "for"]));
    let states: Vec<&str> = found.basis.points.iter().map(|point| point.state).collect();
    assert_eq!(states, ["for", "against"]);
    assert!(found.basis.points[1].text.starts_with("Most decisions are small"));
    assert_eq!(found.trust[0].text, "Nobody judged: the outcome is what one model said most often, asked alone");
}

/// Every text in `value`, those of a form within a text included.
fn list_texts(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            if let Ok(form @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text.trim()) {
                list_texts(&form, all);
            }
            all.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        Value::Array(items) => items.iter().for_each(|item| list_texts(item, all)),
        Value::Object(fields) => fields.values().for_each(|field| list_texts(field, all)),
        _ => {}
    }
}

#[test]
fn answers_and_what_they_rest_on_are_words_of_the_entries_that_they_name() {
    for (name, record) in debates::all() {
        let page = first_page(&record);
        assert!(!page.answers.is_empty(), "{name} has no answer");
        assert!(!page.basis.points.is_empty(), "{name}: the answer rests on nothing");
        let said = page.answers.iter().filter(|answer| answer.by != "the program");
        let said = said.map(|answer| (answer.seq, answer.answer.action.as_str()));
        let points = page.basis.points.iter().map(|point| (point.seq, point.text.as_str()));
        for (seq, text) in said.chain(points) {
            let mut all = Vec::new();
            list_texts(&serde_json::to_value(&record.entries()[seq as usize].what).unwrap(), &mut all);
            assert!(all.iter().any(|whole| whole.contains(text)), "{name}: entry {seq} does not hold {text:?}");
        }
    }
}

#[test]
fn a_first_page_names_the_answer_before_anything_else() {
    for (name, record) in debates::all() {
        let files = agon_report::find_format("report").unwrap().render_files(&record);
        for file in files {
            let answer = first_page(&record).answers[0].answer.action.clone();
            let shown = file.content.find(answer.split_whitespace().next().unwrap());
            let ended = file.content.find("How it ended");
            assert!(shown.is_some() && shown < ended, "{name}: {}", file.path);
        }
    }
}

#[test]
fn a_declared_protocol_answers_by_the_field_that_its_file_names() {
    let record = declared::debate(declared::DELPHI);
    let page = first_page(&record);
    let [answer] = page.answers.as_slice() else { panic!("{:?}", page.answers) };
    let (seq, held) = record.answers().find(|(_, answered)| answered.key.as_str().starts_with("report/")).unwrap();
    assert_eq!((answer.seq, answer.answer.unless.as_str()), (seq, ""));
    let said: Value = serde_json::from_str(held.reply.text().unwrap()).unwrap();
    assert_eq!(said["answer"], answer.answer.action);
    assert!(first_page(&declared::debate(declared::PRE_MORTEM)).answers.is_empty(), "its file names none");
}
