//! Every source is looked up before anybody relies on it, and what is written about a debate is held to
//! what stands.

use agon_core::{Record, Reply, Request, RulingKind};
use agon_formats::{File, conduct};
use serde_json::{Value, json};

use crate::chaired::{
    contents, lines, none,
    stage::{canned, debate, debate_fetched, debate_with, entry, failed, file, said, turn},
};

/// The answer to the request under `key`, whatever its draft.
fn to(request: &Request, key: &str, value: impl FnOnce() -> Value) -> Option<Reply> {
    (request.key.as_str().split("/redraft").next() == Some(key)).then(|| said(value()))
}

/// The canned answer under `key` with some of its fields set.
fn edited(request: &Request, key: &str, edit: impl FnOnce(&mut Value)) -> Option<Reply> {
    let is_it = request.key.as_str().split("/redraft").next() == Some(key);
    let mut value: Value = serde_json::from_str(is_it.then(|| canned(request))??.text()?).ok()?;
    edit(&mut value);
    Some(said(value))
}

fn place(record: &Record, is_it: impl Fn(&agon_formats::chaired::log::LogEntry) -> bool) -> usize {
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
            edited(request, "conclusion", |value| {
                value["outcome"] = json!(if ada { "ada_wins" } else { "bob_wins" })
            })
        })
    });
    assert_eq!(record.closed().unwrap().name, "ada_wins", "bob_wins is refused");
    let struck = place(&record, |entry| entry.kind == "redaction");
    let over = place(&record, |entry| entry.content.starts_with("Phase 3 complete"));
    assert!(struck < over, "struck before anybody judges");
    let report = file(&record, "verifier-report.md");
    assert!(
        report.contains("| fabricated | 1 |") && report.contains("https://archive.org/registry"),
        "{report}"
    );
    assert!(!file(&record, "transcript.md").contains("4,711"));
}

#[test]
fn an_unreliable_source_in_a_closing_is_ruled_on_and_nobody_is_told_to_correct_it() {
    let record = debate_fetched("registry", "unreliable", closing);
    let ruling = contents(&record, "ruling").pop().unwrap();
    assert!(
        ruling.contains("registry is unreliable") && ruling.contains("No entry of bob follows"),
        "{ruling}"
    );
}

#[test]
fn a_fabricated_source_of_the_last_opener_is_struck_before_round_1() {
    let record = debate_fetched("timesheets", "fabricated", |request| {
        to(request, "round-001/debater-1", || {
            turn(&[entry("new_point", "A line takes two minutes.", &[], None)])
        })
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
    let asked = record.asked(&agon_core::Key::of("round-001/questions")).unwrap().0;
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
    let resumed =
        || turn(&[entry("new_point", "A line takes two minutes, a quarrel a morning.", &["minutes"], None)]);
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
    assert!(record.asked(&agon_core::Key::of("round-001/debater-1/challenge/verification")).is_none());
    let verified = record.closed().unwrap().figures["sources"]["verified"].as_u64().unwrap();
    let listed = file(&record, "verifier-report.md").matches("| verified |").count() as u64;
    assert_eq!(listed, verified + 1, "a row for each source, and the line of the statistics");
    let metadata: Value = serde_json::from_str(&file(&record, "metadata.json")).unwrap();
    assert_eq!(metadata["verification_results"]["verified"], verified);
}

#[test]
fn a_challenger_s_own_source_is_looked_up_too() {
    let record = debate_fetched("ledger", "fabricated", challenge);
    assert_eq!(contents(&record, "redaction").len(), 1);
    assert_eq!(record.closed().unwrap().figures["sources"]["fabricated"], 1);
}

#[test]
fn what_is_told_of_a_debate_gives_no_figure_that_was_struck_and_names_no_source_that_nobody_cites() {
    let told = "It is late. They say that 40 of 41 teams did forget. A survey by the University of Oxford agrees. So be it.";
    let record = debate_fetched("census", "fabricated", |request| {
        edited(request, "blog", |value| {
            value["opening"] = json!(format!("{told} {}", value["opening"].as_str().unwrap()))
        })
        .or_else(|| {
            to(request, "assessment", || {
                let mut value: Value =
                    serde_json::from_str(canned(request).unwrap().text().unwrap()).unwrap();
                value["reason"] = json!("All 41 teams were named, and the debate had 14 entries.");
                value
            })
        })
    });
    let again: Vec<&str> = record
        .answers()
        .map(|(_, answer)| answer.key.as_str())
        .filter(|key| key.contains("/redraft"))
        .collect();
    assert!(again.contains(&"blog/redraft-1") && again.contains(&"assessment/redraft-1"), "{again:?}");
    let blog = file(&record, "blog-post.md");
    assert!(blog.contains("It is late. [A sentence is withheld") && blog.contains("So be it."), "{blog}");
    for File { path, content } in agon_formats::files(&record, None) {
        let shows =
            content.contains("Oxford") || content.contains("of 41 teams did") || content.contains("All 41");
        assert!(!shows, "{path}");
        assert_eq!(content.contains("forty-one"), path == "debate-log.jsonl", "{path}");
    }
    let warned: Vec<_> = conduct::warnings(&record)
        .into_iter()
        .filter(|(_, text)| text.contains("is withheld"))
        .map(|(of, _)| of.to_owned())
        .collect();
    assert_eq!(warned, ["blog", "assessment"]);
}

#[test]
fn a_conclusion_that_gives_a_figure_which_nobody_holds_goes_back_and_is_then_logged_without_it() {
    let record = debate_with(|request| {
        edited(request, "conclusion", |value| {
            value["reason"] = json!("Ninety-one per cent of teams agree. Seq 6 met the cost.")
        })
    });
    let conclusion = contents(&record, "conclusion").remove(0);
    assert!(conclusion.ends_with("counts.] Seq 6 met the cost."), "{conclusion}");
    assert!(record.asked(&agon_core::Key::of("conclusion/redraft-1")).is_some());
    assert!(!record.closed().unwrap().summary.to_lowercase().contains("ninety-one"));
}

#[test]
fn a_key_argument_is_the_debater_s_own() {
    let wrong = |seqs: &str, point: &str| {
        let record = debate_with(|request| {
            edited(request, "summary", |value| {
                value["arguments"][1]["points"][0] = json!({"point": point, "seqs": [seqs]})
            })
        });
        record.asked(&agon_core::Key::of("summary/redraft-1")).is_some()
    };
    assert!(wrong("6", "Notes are not read."), "an entry of ada");
    assert!(wrong("10", "Ada holds that a line is short."), "it tells of ada");
    assert!(wrong("10", "Bob's argument is not compelling enough."), "it judges");
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
    let why = &record.closed().unwrap().absent[0].why;
    assert!(why.contains("no summary: ") && why.contains("no blog: the model declined"), "{why}");
}

#[test]
fn a_post_of_another_length_is_warned_of() {
    let record = debate_with(|request| {
        edited(request, "blog", |value| value["case_for"] = json!("Short. ".repeat(30)))
    });
    assert!(!file(&record, "blog-post.md").is_empty());
    let warned = conduct::warnings(&record);
    assert!(warned.iter().any(|(of, text)| *of == "blog" && text.contains("800 to 1500")), "{warned:?}");
}

#[test]
fn a_page_that_stands_in_the_words_alone_is_a_source() {
    let words = "Half of the 90 offices keep a book (https://archive.org/offices), and so do we.";
    let record = debate_fetched("nothing", "verified", |request| {
        to(request, "round-002/debater-1", || turn(&[entry("new_point", words, &[], None)]))
    });
    let link = "[https://archive.org/offices](https://archive.org/offices)";
    let (transcript, blog) = (file(&record, "transcript.md"), file(&record, "blog-post.md"));
    assert!(transcript.contains(link) && blog.contains(&format!("- {link}")), "{blog}");
    assert!(
        file(&record, "debate-log.jsonl").contains("and so do we.\",\"sources\":null"),
        "the log stays as it is"
    );
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
