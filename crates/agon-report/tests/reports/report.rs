//! What the report says, in which order, and what it may do.

use agon_core::{Digest, Record};
use agon_report::{File, first_page::FirstPage, report::html};

use crate::reports::debates::{self, chaired, exchange};

pub fn files(record: &Record) -> (String, String) {
    let mut files = agon_report::find_format("report").unwrap().render_files(record).into_iter();
    let mut next = |wanted: &str| {
        let File { path, content } = files.next().unwrap();
        assert_eq!(path, wanted);
        content
    };
    (next("report.html"), next("report.md"))
}

#[test]
fn golden_reports_of_every_protocol() {
    for (name, record) in debates::all() {
        insta::assert_snapshot!(format!("{name}-report"), files(&record).1);
    }
}

#[test]
fn the_outcome_and_how_far_to_trust_it_come_before_the_record() {
    for (name, record) in debates::all() {
        let (html, text) = files(&record);
        let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let basis = FirstPage::with_extraction(&record, None).basis.title;
        let first = [
            "Answer",
            "How it ended",
            basis,
            "What would change how it ended",
            "What was not settled",
            "What did not work",
            "Who answered",
        ];
        assert_eq!(headings[..7], first, "{name}");
        assert_eq!(headings.last(), Some(&"Replay"), "{name}");
        let at = |what: &str| html.find(what).unwrap_or_else(|| panic!("{name} has no {what}"));
        assert!(
            at("id=\"answer\"") < at("class=\"trust\"")
                && at("class=\"trust\"") < at("id=\"change\"")
                && at("id=\"open\"") < at("id=\"troubles\""),
            "{name}"
        );
        assert!(at("id=\"debate\"") < at("id=\"map\""), "{name}");
    }
}

#[test]
fn a_failed_seat_a_redraft_and_a_judge_that_judges_itself_stand_at_the_head() {
    let record = exchange::debate_with(1, |key| match key {
        "exchange-000/judgment" => Some(exchange::said("I would rather not.")),
        "exchange-000/judgment/redraft-1" => Some(exchange::said(exchange::canned("exchange-000/judgment").unwrap())),
        "report-002" => Some(exchange::failed("declined")),
        _ => None,
    });
    let text = files(&record).1;
    let (head, rest) = text.split_once("## What would change").unwrap();
    assert!(head.contains("Degraded: it ended without a usable answer of reporter."), "{head}");
    assert!(head.contains("1 request without a usable answer, 1 answer refused; 1 answer asked for again"), "{head}");
    let head = rest.split("## Who answered").next().unwrap();
    assert!(head.contains("declined"), "{head}");
    assert!(head.contains("1 answer had to be requested again: judge 1."), "{head}");
    assert!(head.contains("9 of 9 sources cited were not verified by anybody."), "{head}");
}

#[test]
fn scores_that_were_centred_are_said_and_shown() {
    let record = exchange::debate_with(0, |key| {
        let mut judgment = key
            .starts_with("exchange-000/judgment")
            .then(|| exchange::canned_scores("exchange-000/judgment").unwrap())?;
        judgment["scores"][0]["score"] = serde_json::json!(0.75);
        Some(exchange::said(judgment))
    });
    let text = files(&record).1;
    assert!(text.contains("In 1 of 1 judgment the judge's scores did not sum to zero and were centred"), "{text}");
    assert!(text.contains("| prop_000a | +0.75 | +0.70 |"), "{text}");
}

#[test]
fn notes_on_form_are_one_line_that_opens() {
    let mut wordy = exchange::canned("exchange-001/proposition").unwrap();
    wordy["arguments"][0]["mood"] = "sure".into();
    let wordy = exchange::debate_with(1, |key| (key == "exchange-001/proposition").then(|| exchange::said(&wordy)));
    let (page, text) = files(&wordy);
    let note = "exchange-001/proposition: arguments[0]: unrecognised keys ignored: mood";
    let (line, rest) = text.split_once("<summary>1 note on form and length</summary>").unwrap();
    assert!(!line.contains(note) && rest.split("</details>").next().unwrap().contains(note), "{text}");
    assert!(page.contains("<details><summary>1 note on form and length</summary>"), "{page}");
    assert!(!page.contains("<details open"), "closed until somebody asks");
}

#[test]
fn findings_of_a_verifier_decide_what_is_said_of_a_source() {
    let text = files(&chaired::debate_fetched("census", "fabricated", |_| None)).1;
    assert!(text.contains("are gone or do not hold what is quoted from them."), "{text}");
    assert!(text.contains("| verified |"), "{text}");
    let unchecked = files(&chaired::debate()).1;
    assert!(unchecked.contains("nobody opened any page"), "{unchecked}");
}

#[test]
fn the_page_loads_nothing_and_runs_nothing() {
    for (name, record) in debates::all() {
        let (page, _) = files(&record);
        for barred in [
            "<script",
            "<link",
            "<img",
            "<iframe",
            "<object",
            "<form",
            " src=",
            "@import",
            " style=",
            "http-equiv=\"refresh\"",
        ] {
            assert!(!page.contains(barred), "{name} has {barred}");
        }
        // Addresses are within the page, but for the name of SVG itself.
        let elsewhere = page.matches("url(").count() - page.matches("url(#").count();
        assert_eq!(elsewhere, 0, "{name}");
        assert!(!page.contains("href=\"http"), "{name}");
        assert!(
            page.contains(&format!("content=\"{}\"", html::content_security_policy().replace('\'', "&#39;")))
                || page.contains(html::content_security_policy()),
            "{name}"
        );
        for drawing in page.split("<svg").skip(1) {
            let tag = drawing.split('>').next().unwrap();
            assert!(tag.contains("aria-label=") || tag.contains("aria-hidden="), "{name}: {tag}");
        }
    }
}

#[test]
fn the_policy_names_the_style_of_the_page() {
    let (page, _) = files(&exchange::debate(0));
    let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let hex = Digest::from_content(style).as_str().to_owned();
    let bytes: Vec<u8> = (0..64).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    use base64::{Engine, engine::general_purpose::STANDARD};
    assert!(html::content_security_policy().contains(&format!("'sha256-{}'", STANDARD.encode(bytes))));
}

#[test]
fn a_report_can_be_had_after_every_entry_and_is_the_same_every_time() {
    for (name, record) in debates::all() {
        let mut grown = Record::new(record.entries()[0].clone()).unwrap().with_documents_of(&record);
        for entry in &record.entries()[1..] {
            let (page, text) = files(&grown);
            assert!(page.ends_with("</html>\n") && text.contains("## Replay"), "{name}");
            assert!(text.contains("Not over."), "{name}");
            grown.append_entry(entry.clone()).unwrap();
        }
        assert_eq!(files(&grown), files(&record), "{name}");
    }
}
