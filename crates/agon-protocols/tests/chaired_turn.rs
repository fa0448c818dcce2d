//! What debaters may say in a chaired debate: every rule, and where its fault points.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

use agon_core::{
    Answered, Answerer, Event, Key, Record, Reply, Request, Ruling, RulingKind, Seat, Stamp, View, sample,
};
use agon_protocols::chaired::{
    announcements,
    log::{self, DebateLog, EntryRuling, Phase, Type},
    statement::parse_statement,
    turn_rules::{DebatePart, TurnRules},
};
use serde_json::{Value, json};

fn append(record: &mut Record, what: Event) {
    record.append_event(Stamp("2026-01-01T00:00:00.000Z".into()), what).unwrap();
}

fn answer(record: &mut Record, key: &str, text: Value) {
    append(record, Event::Asked(Request::new(key, &Seat::new("debater-1").unwrap(), "opening")));
    let reply = Reply::Said { text: text.to_string() };
    let answered = Answered::new(Key::from_parts(key), reply, Answerer::default());
    append(record, Event::Answered(answered));
}

fn fix(record: &mut Record, seq: u64, mut item: EntryRuling) {
    item.seq = seq;
    let kind = if item.kind == Type::Redaction { RulingKind::Redacted } else { RulingKind::Noted };
    let ruling = Ruling::new(kind, "entry").with_data(json!(item));
    append(record, Event::Ruled { key: Key::from_parts(log::entry_key(seq)), ruling });
}

fn source(url: &str) -> Value {
    json!({"url": url, "title": "A page", "accessed": "2026-01-01"})
}

fn entry(kind: &str, content: &str) -> Value {
    json!({"type": kind, "content": content, "sources": [], "rebuttal_to_seq": null, "target_seq": null})
}

fn with(mut entry: Value, field: &str, value: Value) -> Value {
    entry[field] = value;
    entry
}

fn said(entries: Value) -> Value {
    json!({"entries": entries, "framework": ""})
}

/// Seq 0 ada with a source, 1 bob with one, 2 ada without; a ruling at 3 that ada's source is
/// unreliable.
fn record() -> Record {
    let mut record = Record::open(sample::sample_opened("chaired", &["chair"]), Stamp("t".into())).unwrap();
    let opening =
        |text: &str, url: &str| said(json!([with(entry("opening_statement", text), "sources", json!([source(url)]))]));
    answer(&mut record, "a", opening("The first words of ada about the matter at hand.", "https://a.b/ada"));
    answer(&mut record, "b", opening("Bob holds against it that the matter costs much.", "https://a.b/bob"));
    answer(&mut record, "c", said(json!([entry("new_point", "[CONJECTURE] Ada guesses at what may come of it.")])));
    fix(
        &mut record,
        0,
        EntryRuling::from_answer(Phase::Opening, "ada", Type::OpeningStatement, &Key::from_parts("a"), 0),
    );
    fix(
        &mut record,
        1,
        EntryRuling::from_answer(Phase::Opening, "bob", Type::OpeningStatement, &Key::from_parts("b"), 0),
    );
    fix(&mut record, 2, EntryRuling::from_answer(Phase::Rebuttal, "ada", Type::NewPoint, &Key::from_parts("c"), 0));
    let ruling = announcements::ruling_text(0, "the source https://a.b/ada is unreliable.");
    fix(&mut record, 3, EntryRuling::by_chair(Phase::System, Type::Ruling, ruling));
    record
}

fn log() -> DebateLog {
    DebateLog::from_view(&View::of_whole_record(&record()))
}

#[test]
fn every_rule_for_a_turn_names_itself_and_its_place() {
    let log = log();
    let point = || entry("new_point", "A new thing to say about it.");
    let rebuttal = |seq: Value| with(entry("rebuttal", "That does not hold."), "rebuttal_to_seq", seq);
    let challenge = |seq: Value, text: &str| with(entry("source_challenge", text), "target_seq", seq);
    let long = "The page of bob does not say that the matter costs much.";
    let correction = "SOURCE CORRECTION for seq 0: replacing https://a.b/ada with https://a.b/new — it moved.";
    let round = DebatePart::Round(true);
    let cases: Vec<(DebatePart, Value, &str, &str)> = vec![
        (round, json!({"entries": []}), "form", "entries"),
        (round, said(json!([point(), point(), point(), point()])), "form", "entries"),
        (round, said(json!([with(point(), "content", json!(""))])), "form", "entries[0].content"),
        (round, said(json!([entry("remark", "What is this?")])), "L5", "entries[0].type"),
        (round, said(json!([entry("opening_statement", "I open.")])), "L5", "entries[0].type"),
        (DebatePart::Opening, said(json!([point()])), "L5", "entries[0].type"),
        (DebatePart::Closing, said(json!([entry("conjecture", "[CONJECTURE] It may.")])), "L5", "entries[0].type"),
        (DebatePart::Round(false), said(json!([entry("clarification_request", "May I?")])), "L5", "entries[0].type"),
        (round, said(json!([entry("clarification_request", "May I?"), point()])), "L5", "entries"),
        (round, said(json!([rebuttal(json!(null))])), "L6", "entries[0].rebuttal_to_seq"),
        (round, said(json!([rebuttal(json!(0))])), "L6", "entries[0].rebuttal_to_seq"),
        (round, said(json!([rebuttal(json!(9))])), "L6", "entries[0].rebuttal_to_seq"),
        (round, said(json!([rebuttal(json!(3))])), "L6", "entries[0].rebuttal_to_seq"),
        (round, said(json!([with(point(), "rebuttal_to_seq", json!(1))])), "L6", "entries[0].rebuttal_to_seq"),
        (round, said(json!([rebuttal(json!("one"))])), "L6", "entries[0].rebuttal_to_seq"),
        (round, said(json!([challenge(json!(null), long)])), "L7", "entries[0].target_seq"),
        (round, said(json!([challenge(json!(0), long)])), "L7", "entries[0].target_seq"),
        (round, said(json!([challenge(json!(1), "It is wrong.")])), "L7", "entries[0].content"),
        (round, said(json!([with(point(), "target_seq", json!(1))])), "L7", "entries[0].target_seq"),
        (
            round,
            said(json!([with(point(), "sources", json!([source("no address")]))])),
            "L8",
            "entries[0].sources[0].url",
        ),
        (
            round,
            said(json!([with(point(), "sources", json!([{"url": "https://a.b/c"}]))])),
            "L8",
            "entries[0].sources[0].title",
        ),
        (
            round,
            said(json!([with(point(), "sources", json!([source("https://a.b/c"), source("https://a.b/c")]))])),
            "L8",
            "entries[0].sources[1].url",
        ),
        (round, said(json!([entry("conjecture", "It may be so.")])), "L9", "entries[0].content"),
        (
            round,
            said(json!([with(rebuttal(json!(1)), "content", json!("[CONJECTURE] It may not."))])),
            "L9",
            "entries[0].content",
        ),
        (round, said(json!([entry("new_point", &format!("First. {correction}"))])), "L17", "entries[0].content"),
        (round, said(json!([entry("new_point", correction)])), "L17", "entries[0].sources"),
        (round, said(json!([entry("new_point", &correction.replace("seq 0", "seq 1"))])), "L17", "entries[0].content"),
        (
            round,
            said(json!([entry(
                "new_point",
                "Bob holds against it that the matter costs much, bob holds against it that the matter costs much."
            )])),
            "repetition",
            "entries[0].content",
        ),
    ];
    for (part, value, rule, at) in cases {
        let faults =
            TurnRules { log: &log, speaker: "ada", part }.check_statement(&value.to_string(), false).unwrap_err();
        let found = faults.0.iter().any(|fault| fault.rule == rule && fault.at == at);
        assert!(found, "{rule} at {at}: {faults:?} for {value}");
    }
}

#[test]
fn what_keeps_the_rules_passes() {
    let log = log();
    let turn = TurnRules { log: &log, speaker: "ada", part: DebatePart::Round(true) };
    let rebuttal = with(entry("rebuttal", "[CONJECTURE] It may not."), "rebuttal_to_seq", json!("1"));
    let evidence = with(entry("new_point", "A page says it."), "sources", json!([source("https://a.b/new")]));
    let several = turn.check_statement(&said(json!([rebuttal, evidence])).to_string(), false).unwrap();
    assert_eq!(several.entries[0].rebuttal_to_seq, Some(1), "several entries in one turn; a seq as text");
    let reasoned = with(
        entry("rebuttal", "Bob counts the cost twice: what the matter costs is a part of what it saves."),
        "rebuttal_to_seq",
        json!(1),
    );
    let reasoned = turn.check_statement(&said(json!([reasoned])).to_string(), false).unwrap();
    assert!(reasoned.entries[0].sources.is_empty(), "reasoning needs neither source nor label");
    assert_eq!(turn.find_slips(&reasoned, false).0, Vec::<String>::new());
    let correction =
        "SOURCE CORRECTION for seq 0: replacing https://a.b/ada with https://a.b/new — it moved.\n\nNow on.";
    let corrected = with(entry("new_point", correction), "sources", json!([source("https://a.b/new")]));
    turn.check_statement(&said(json!([corrected])).to_string(), false).unwrap();
    let challenge = with(
        entry("source_challenge", "The page of bob does not say that the matter costs much."),
        "target_seq",
        json!(1),
    );
    assert!(turn.check_statement(&said(json!([challenge])).to_string(), false).unwrap().is_interruption());
}

#[test]
fn a_second_copy_stands_with_a_warning() {
    let log = log();
    let turn = TurnRules { log: &log, speaker: "ada", part: DebatePart::Round(true) };
    let copy = entry(
        "new_point",
        "Bob holds against it that the matter costs much, bob holds against it that the matter costs much.",
    );
    let copy = said(json!([copy])).to_string();
    let stands = turn.check_statement(&copy, true).unwrap();
    let (warnings, _) = turn.find_slips(&stands, true);
    assert!(warnings.iter().any(|warning| warning.contains("repeats seq 1")), "{warnings:?}");
}

#[test]
fn too_many_sources_and_new_ones_in_a_closing_are_counted() {
    let log = log();
    let slips = |part: DebatePart, entry: Value| {
        let turn = TurnRules { log: &log, speaker: "bob", part };
        let said = parse_statement(&said(json!([entry])).to_string()).unwrap();
        let code = |warning: &str| warning.split(':').next().unwrap_or_default().to_owned();
        turn.find_slips(&said, false).0.iter().map(|warning| code(warning)).collect::<Vec<_>>()
    };
    let six: Vec<Value> = (0..6).map(|n| source(&format!("https://a.b/{n}"))).collect();
    let round = DebatePart::Round(true);
    for words in ["It is so.", "[CONJECTURE] It may be so.", "You are a fool, ada.", "It is so. [CONJECTURE]"] {
        assert_eq!(slips(round, entry("new_point", words)), [""; 0], "{words}: words are not judged");
    }
    assert_eq!(slips(round, with(entry("new_point", "Six pages say it."), "sources", json!(six))), ["L8"]);
    let new = with(entry("closing_statement", "So it is."), "sources", json!([source("https://a.b/other")]));
    assert_eq!(slips(DebatePart::Closing, new), ["L18"]);
}

#[test]
fn a_redacted_entry_vanishes_from_the_log_that_prompts_see() {
    let mut record = record();
    let mut item =
        EntryRuling::by_chair(Phase::System, Type::Redaction, announcements::redaction_text(1, "bob", "made up"));
    item.key = Some(Key::from_parts("b"));
    item.strikes = Some(1);
    fix(&mut record, 4, item);
    let log = DebateLog::from_view(&View::of_whole_record(&record));
    let struck = log.entry_at(1).unwrap();
    assert_eq!(struck.visible_content(), "[REDACTED — made up]");
    assert!(struck.visible_sources().is_empty() && !struck.is_standing_argument());
    assert!(struck.original_content().0.contains("costs much"), "the append-only log keeps it");
    let turn = TurnRules { log: &log, speaker: "ada", part: DebatePart::Round(true) };
    assert!(!turn.statement_form().to_schema().to_string().contains("rebuttal\","), "nothing is left to rebut");
}

#[test]
fn words_keep_their_paragraphs_and_nothing_unseen() {
    let text = said(json!([entry("new_point", "One.\r\n\r\nTwo\u{1b}[2J.\n\n")])).to_string();
    assert_eq!(parse_statement(&text).unwrap().entries[0].content, "One.\n\nTwo [2J.");
}
