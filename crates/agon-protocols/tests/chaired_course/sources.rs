//! What follows from a source that does not bear out what was said: rulings, corrections, and what may still be told.

use super::*;

const PAGE: &str = "https://a.b/workers";
const FAULTY: &str = "Of those who were asked, 142 said that they have no way home but the bus of the night.";
const TRUE: &str = "Of these, 132 said that they have no way home but the bus of the night.";

fn entry(kind: &str, content: &str, target: Option<&str>) -> Value {
    let source = json!({"url": PAGE, "title": "How workers get home", "accessed": "2026-01-30"});
    json!({"type": kind, "content": content, "sources": [source], "rebuttal_to_seq": null, "target_seq": target})
}

fn turn(entry: Value) -> Option<Reply> {
    said(json!({"entries": [entry], "framework": ""}))
}

/// What the verifier finds: the figure of the opening does not stand on its page, everything else does.
fn found(request: &Request) -> Option<Reply> {
    let cited = request.facts.get("sources").and_then(Value::as_array).cloned().unwrap_or_default();
    let finding = |cited: &Value| {
        let (status, code) =
            if cited["seq"] == 2 { ("unreliable", "value-absent") } else { ("verified", "verified") };
        json!({"seq": cited["seq"], "url": cited["url"], "status": status, "code": code,
            "explanation": "142 does not stand on the page", "sentence": TRUE})
    };
    said(json!({"findings": cited.iter().map(finding).collect::<Vec<_>>(), "unlabelled": []}))
}

/// Ada opens with a wrong figure, and corrects it where `corrects`; bob challenges it; the blog opens with `words`.
fn debate(corrects: bool, words: &'static str) -> Record {
    let mut opened = settled(["ada", "bob"]);
    opened.limits.rounds = 2;
    opened.limits.rounds_min = Some(2);
    opened.options.insert("verify".into(), "fetched".into());
    play(opened, |request| match request.key.as_str() {
        key if key.contains("/verification") => found(request),
        "opening/debater-1" => turn(entry("opening_statement", FAULTY, None)),
        "round-001/debater-1" if corrects => turn(entry(
            "new_point",
            &format!(
                "SOURCE CORRECTION for seq 2: replacing {PAGE} with {PAGE} — the page is right.\n\nIt says: \"{TRUE}\""
            ),
            None,
        )),
        "round-001/debater-2" => turn(entry(
            "source_challenge",
            "I challenge the 142 of seq 2, since the page that it names has another number there.",
            Some("2"),
        )),
        "blog" => {
            let filler = |count: usize| vec!["word"; count].join(" ");
            said(json!({"headline": "The way home", "opening": words, "case_for": filler(420),
                "case_against": filler(420), "takeaways": ["Write it down.", "Keep it short.", "Read it again."]}))
        }
        _ => None,
    })
}

fn texts(record: &Record) -> Vec<String> {
    DebateLog::of(&View::whole(record)).0.iter().map(agon_protocols::chaired::log::Logged::content).collect()
}

#[test]
fn one_wrong_figure_is_ruled_on_once() {
    let all = texts(&debate(false, "It begins."));
    assert!(all.iter().any(|text| text.contains("the challenge to seq 2 is upheld")), "{all:?}");
    assert_eq!(all.iter().filter(|text| text.starts_with("Ruling on seq 2: the source")).count(), 1);
}

#[test]
fn what_was_corrected_is_held_against_nobody() {
    let issues = |record: &Record, key: &str| {
        let all = facts(record, key)["issues"].as_array().unwrap().clone();
        all.into_iter().filter(|issue| issue["seq"] == 2).count()
    };
    let record = debate(true, "It begins.");
    assert_eq!(issues(&record, "round-001/debater-1"), 1);
    assert_eq!(issues(&record, "round-002/debater-1"), 0);
    assert_eq!(
        issues(&debate(false, "It begins."), "round-002/debater-1"),
        1,
        "told once, though looked at twice"
    );
    let log = facts(&record, "round-002/debater-1")["log"].clone();
    let entry = log.as_array().unwrap().iter().find(|entry| entry["seq"] == 2).unwrap();
    let correction = texts(&record).iter().position(|text| text.starts_with("SOURCE CORRECTION")).unwrap();
    assert_eq!(entry["corrected"], correction, "the entry points to its correction");
}

#[test]
fn a_challenge_is_looked_up_without_what_it_challenges() {
    let record = debate(true, "It begins.");
    for key in ["round-001/debater-2/draft/verification", "round-001/debater-2/verification"] {
        assert_eq!(facts(&record, key)["entries"][0]["challenged"], FAULTY, "{key}");
    }
    let other = &facts(&record, "round-001/debater-1/draft/verification")["entries"][0];
    assert!(other.get("challenged").is_none(), "{other}");
}

#[test]
fn words_of_a_verified_page_are_no_leak_and_a_leak_is_quoted() {
    let leak = |words: &'static str| {
        let record = debate(true, words);
        let redraft = asked(&record, "blog/redraft-1").and_then(|asked| asked.redraft.clone());
        let faults = redraft.into_iter().flat_map(|redraft| redraft.faults);
        faults.filter(|fault| fault.rule == "leak").map(|fault| fault.message).collect::<Vec<_>>()
    };
    assert_eq!(leak(TRUE), Vec::<String>::new());
    let quoted = leak("It is true that 142 said that they have no way home.");
    assert!(
        quoted[0].contains("\"142 said that they have no way home\"")
            || quoted[0].contains("142 said that they have no"),
        "{quoted:?}"
    );
}
