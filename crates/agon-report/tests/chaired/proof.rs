//! Every source is looked up before anybody relies on it, and what is written about a debate is held to
//! what stands.

use agon_core::{Record, Reply, Request, RulingKind};
use agon_report::{File, participation};
use serde_json::{Value, json};

use crate::chaired::{
    contents, lines, none,
    stage::{canned, debate, debate_fetched, debate_with, entry, failed, file, said, steady, stem, turn},
};

/// The answer to the request under `key`, whatever its draft.
fn to(request: &Request, key: &str, value: impl FnOnce() -> Value) -> Option<Reply> {
    (stem(request) == key).then(|| said(value()))
}

/// The canned answer under `key` with some of its fields set.
fn edited(request: &Request, key: &str, edit: impl FnOnce(&mut Value)) -> Option<Reply> {
    let is_it = stem(request) == key;
    let mut value: Value = serde_json::from_str(is_it.then(|| canned(request))??.text()?).ok()?;
    edit(&mut value);
    Some(said(value))
}

fn place(record: &Record, is_it: impl Fn(&agon_report::chaired::log::LogEntry) -> bool) -> usize {
    lines(record).iter().position(is_it).unwrap()
}

fn closing(request: &Request) -> Option<Reply> {
    let words = "The registry counted 4,711 closed drawers, and that settles it.";
    to(request, "closing/debater-2", || turn(&[entry("closing_statement", words, &["registry"], None)]))
}

#[test]
fn a_fabricated_source_in_a_closing_does_not_win() {
    let record = debate_fetched("registry", "fabricated", |request| {
        closing(request).or_else(|| {
            let ada = request.key.as_str().contains("/redraft");
            edited(request, "conclusion", |value| value["outcome"] = json!(if ada { "ada_wins" } else { "bob_wins" }))
        })
    });
    assert_eq!(record.closing_outcome().unwrap().name, "ada_wins", "bob_wins is refused");
    let struck = place(&record, |entry| entry.kind == "redaction");
    let over = place(&record, |entry| entry.content.starts_with("Phase 3 complete"));
    assert!(struck < over, "struck before anybody judges");
    let report = file(&record, "verifier-report.md");
    assert!(report.contains("| fabricated | 1 |") && report.contains("https://archive.org/registry"), "{report}");
    assert!(!file(&record, "transcript.md").contains("4,711"));
}

#[test]
fn an_unreliable_source_in_a_closing_is_ruled_on_and_nobody_is_told_to_correct_it() {
    let record = debate_fetched("registry", "unreliable", closing);
    let ruling = contents(&record, "ruling").pop().unwrap();
    assert!(ruling.contains("registry is unreliable") && ruling.contains("No entry of bob follows"), "{ruling}");
}

#[test]
fn a_fabricated_source_of_the_last_opener_is_struck_before_round_1() {
    let record = debate_fetched("timesheets", "fabricated", |request| {
        to(request, "round-001/debater-1", || turn(&[entry("new_point", "A line takes two minutes.", &[], None)]))
    });
    let struck = place(&record, |entry| entry.kind == "redaction");
    let round = place(&record, |entry| entry.content.starts_with("Round 1 of"));
    assert!(struck < round, "{struck} {round}");
}

#[test]
fn a_fabricated_source_of_a_round_s_last_speaker_is_struck_before_the_audience_asks() {
    let record = debate_fetched("drawers", "fabricated", none);
    let struck = place(&record, |entry| entry.kind == "redaction");
    let relay = place(&record, |entry| entry.content.starts_with("Verifier findings relayed this round"));
    assert!(struck < relay);
    let asked = record.find_request(&agon_core::Key::from_parts("round-001/questions")).unwrap().0;
    let (ruled, ..) = record.rulings().find(|(_, _, ruling)| ruling.kind == RulingKind::Redacted).unwrap();
    assert!(ruled < asked);
}

fn challenge(request: &Request) -> Option<Reply> {
    let challenge = |sources: &[&str]| {
        let mut challenge =
            entry("source_challenge", "The timesheets do not say that a note takes longer.", sources, None);
        challenge["target_seq"] = json!(3);
        turn(&[challenge])
    };
    let resumed = || turn(&[entry("new_point", "A line takes two minutes, a quarrel a morning.", &["minutes"], None)]);
    to(request, "round-001/debater-1", || challenge(&["ledger"]))
        .or_else(|| to(request, "round-001/debater-1/resumed", resumed))
}

#[test]
fn a_challenged_source_is_looked_up_once_and_re_confirmed() {
    let record = debate_fetched("nothing", "verified", challenge);
    let results = contents(&record, "verification_result");
    let about: Vec<&String> = results.iter().filter(|result| result.contains("timesheets")).collect();
    assert_eq!(about.len(), 2, "{about:?}");
    assert!(about[1].contains("Re-confirmed from seq 5"), "{}", about[1]);
    assert!(record.find_request(&agon_core::Key::from_parts("round-001/debater-1/challenge/verification")).is_none());
    let verified = record.closing_outcome().unwrap().figures["sources"]["verified"].as_u64().unwrap();
    let listed = file(&record, "verifier-report.md").matches("| verified |").count() as u64;
    assert_eq!(listed, verified + 1, "a row for each source, and the line of the statistics");
    let metadata: Value = serde_json::from_str(&file(&record, "metadata.json")).unwrap();
    assert_eq!(metadata["verification_results"]["verified"], verified);
}

#[test]
fn a_challenger_s_own_source_is_looked_up_too() {
    let record = debate_fetched("ledger", "fabricated", challenge);
    assert_eq!(contents(&record, "redaction").len(), 1);
    assert_eq!(record.closing_outcome().unwrap().figures["sources"]["fabricated"], 1);
}

/// The reporter tells again what was struck, and takes a side; the assessor objects to both.
fn objected() -> Record {
    let retold = "Almost every team forgot what it had chosen, within one winter.";
    let partial = "Bob made a fool of himself.";
    let open = "Whether notes are read at all";
    let objection = |place: &str, kind: &str, quote: &str| json!({"where": place, "kind": kind, "quote": quote});
    debate_fetched("census", "fabricated", move |request| {
        let second = |kind: &str, quote: &str| Some(said(json!({"choice": kind, "quote": quote})));
        match request.key.as_str() {
            "assessment/confirm/objection-1" | "assessment/confirm/objection-1/again" => second("struck", retold),
            "assessment/confirm/objection-2" | "assessment/confirm/objection-2/again" => second("neutrality", partial),
            "assessment/confirm/objection-3" => second("neutrality", open),
            "summary/objected" => steady_summary(retold, partial),
            key if key == "summary" || key.starts_with("summary/redraft") => edited_summary(request, retold, partial),
            _ => edited(request, "assessment", |value| {
                value["objections"] = json!([
                    objection("summary", "struck", retold),
                    objection("summary", "neutrality", partial),
                    objection("review", "neutrality", open),
                ])
            }),
        }
    })
}

fn edited_summary(request: &Request, retold: &str, partial: &str) -> Option<Reply> {
    let mut value: Value = serde_json::from_str(steady(request)?.text()?).ok()?;
    value["overview"] = json!(format!("It is late. {retold} {partial} So be it."));
    Some(said(value))
}

/// The same once more, with the numbers of entries that held.
fn steady_summary(retold: &str, partial: &str) -> Option<Reply> {
    let points = |seq: &str| json!([1, 2, 3].map(|_| json!({"point": "A quarrel is dear.", "seqs": [seq]})));
    Some(said(json!({
        "overview": format!("It is late. {retold} {partial} So be it."),
        "arguments": [{"debater": "ada", "points": points("9")}, {"debater": "bob", "points": points("3")}],
        "exchanges": [{"point": "The cost was met.", "seqs": ["3"]}], "flow": "It went on.",
    })))
}

#[test]
fn what_is_objected_to_twice_is_withheld_or_marked_in_every_file() {
    let record = objected();
    let summary = file(&record, "summary.md");
    assert!(summary.contains("> A sentence is withheld here"), "{summary}");
    assert!(summary.contains("> **Read with care.** Of “Bob made a fool of himself.”"), "{summary}");
    assert!(summary.contains("It is late. [REDACTED]. Bob made a fool"), "{summary}");
    assert!(summary.contains("> **Read with care.** Of “Whether notes are read at all”"), "{summary}");
    let assessed = file(&record, "assessor-report.md");
    assert!(assessed.contains("## Objections") && assessed.contains("The sentence is withheld."), "{assessed}");
    for File { path, content } in agon_report::render_debate_files(&record, None) {
        assert!(!content.contains("Almost every team"), "{path}");
    }
}

#[test]
fn a_lifted_finding_is_held_against_nobody_in_any_file() {
    let words = "Forty of forty-one teams forgot their own choices";
    let lift = json!({"seq": "2", "rule": "13", "quote": words, "ruling": "lifted", "reason": "The page has these words in its table."});
    let record = debate_fetched("census", "unreliable", |request| match request.key.as_str() {
        "round-001/ending" => {
            Some(said(json!({"reason": "More can be said.", "natural_end": false, "rulings": [lift]})))
        }
        "round-001/ending/confirm/seq-2-rule-13" => Some(said(json!({"choice": "lifted", "quote": words}))),
        _ => None,
    });
    let report = file(&record, "verifier-report.md");
    assert!(
        report.contains("| unreliable | 0 |") && report.contains("the chair lifted the finding in seq"),
        "{report}"
    );
    assert!(file(&record, "summary.md").contains("| unreliable | 0 |"));
    let report = agon_report::find_format("report").unwrap().render_files(&record);
    let report = &report.iter().find(|file| file.path == "report.md").unwrap().content;
    assert!(!report.contains("| unreliable |") && report.contains("the chair lifted the finding"), "{report}");
}

#[test]
fn what_a_summary_says_of_the_outcome_is_not_judged_by_its_words() {
    let record = debate_with(|request| {
        edited(request, "summary", |value| {
            value["overview"] = json!("Bob won by a wide margin, said the chair; 91 percent agreed.")
        })
    });
    assert!(record.find_request(&agon_core::Key::from_parts("summary/redraft-1")).is_none());
    assert!(file(&record, "summary.md").contains("Bob won by a wide margin"));
}

#[test]
fn a_key_argument_is_the_debater_s_own() {
    let wrong = |seqs: &str, point: &str| {
        let record = debate_with(|request| {
            edited(request, "summary", |value| {
                value["arguments"][1]["points"][0] = json!({"point": point, "seqs": [seqs]})
            })
        });
        record.find_request(&agon_core::Key::from_parts("summary/redraft-1")).is_some()
    };
    assert!(wrong("6", "Notes are not read."), "an entry of ada");
    assert!(
        !wrong("10", "Bob's argument is not compelling enough."),
        "what it says of whom is not judged by its words"
    );
    assert!(!wrong("10", "Notes are not read."));
}

#[test]
fn the_file_says_why_the_summary_is_missing_and_not_why_the_post_is() {
    let record = debate_with(|request| {
        edited(request, "summary", |value| value["arguments"][0]["points"][0]["seqs"] = json!(["1"]))
            .or_else(|| request.key.as_str().starts_with("blog").then(failed))
    });
    let summary = file(&record, "summary.md");
    let line = summary.lines().find(|line| line.starts_with("The reporter gave no summary")).unwrap();
    assert!(line.contains("not the seq of an argument") && !line.contains("declined"), "{line}");
    let why = &record.closing_outcome().unwrap().absent[0].why;
    assert!(why.contains("no summary: ") && why.contains("no blog: the model declined"), "{why}");
}

#[test]
fn a_post_of_another_length_is_warned_of() {
    let record =
        debate_with(|request| edited(request, "blog", |value| value["case_for"] = json!("Short. ".repeat(30))));
    assert!(!file(&record, "blog-post.md").is_empty());
    let warned = participation::list_warnings(&record);
    assert!(warned.iter().any(|(of, text)| *of == "blog" && text.contains("800 to 1500")), "{warned:?}");
}

#[test]
fn a_page_that_stands_in_the_words_alone_is_a_source() {
    let words = "Half of the offices keep a book (https://archive.org/offices), and so do we.";
    let record = debate_fetched("nothing", "verified", |request| {
        to(request, "round-002/debater-1", || turn(&[entry("new_point", words, &[], None)]))
    });
    let link = "[https://archive.org/offices](https://archive.org/offices)";
    let (transcript, blog) = (file(&record, "transcript.md"), file(&record, "blog-post.md"));
    assert!(transcript.contains(link) && blog.contains(&format!("- {link}")), "{blog}");
    assert!(file(&record, "debate-log.jsonl").contains("and so do we.\",\"sources\":null"), "the log stays as it is");
}

#[test]
fn sources_of_closings_are_counted_and_unchecked_where_nobody_looked() {
    let record = debate();
    let report = file(&record, "verifier-report.md");
    let closing = place(&record, |entry| entry.kind == "closing_statement" && entry.speaker == "ada");
    assert!(report.contains(&format!("| {closing} | https://archive.org/minutes |")), "{report}");
    assert!(report.contains("| total | 6 |") && report.contains("| unchecked | 6 |"), "{report}");
    let metadata: Value = serde_json::from_str(&file(&record, "metadata.json")).unwrap();
    assert_eq!(metadata["verification_results"]["unchecked"], 6, "{metadata}");
}
