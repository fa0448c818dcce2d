//! The memo: one page, every sentence with its entry, and what it quotes stands there.

use agon_core::{Record, Request};
use agon_report::{first_page::FirstPage, report::memo};
use agon_text::markdown;
use serde_json::Value;

use super::{first_page::baseline, report::files};
use crate::reports::debates::{self, declared, exchange, panel, review};

pub fn memo(record: &Record) -> String {
    let files = agon_report::find_format("report").unwrap().render_files(record);
    files.into_iter().find(|file| file.path == "memo.md").unwrap().content
}

/// Every text in `value`, those of a form within a text included, as a Markdown file shows it.
fn texts(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            if let Ok(form @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text.trim()) {
                texts(&form, all);
            }
            all.extend([markdown::escape_line(text), markdown::escape_posted(text)]);
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, all)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, all)),
        _ => {}
    }
}

/// Follows every sentence of the memo to its entry.
fn walk(name: &str, record: &Record) {
    let text = memo(record);
    let (page, report) = files(record);
    assert!(text.split_whitespace().count() <= memo::WORDS_MAX, "{name}: {text}");
    let mut heading = "";
    for (at, line) in text.lines().enumerate() {
        heading = line.strip_prefix("## ").unwrap_or(heading);
        let Some(sentence) = line.strip_prefix("- ") else {
            let is_frame = line.is_empty() || line.starts_with('#') || at == 2 || line == memo::HINT;
            assert!(is_frame || (line.starts_with('_') && line.ends_with(" in report.md._")), "{name}: {line}");
            continue;
        };
        let (told, link) = sentence.rsplit_once(" [").unwrap_or_else(|| panic!("{name}: no entry: {line}"));
        let seq: u64 = link.split(']').next().unwrap().parse().unwrap();
        assert_eq!(link, format!("{seq}](report.md#entry-{seq})"), "{name}");
        assert!(report.contains(&format!("\n### Entry {seq}\n")), "{name}: report.md has no entry {seq}");
        assert!(page.contains(&format!(" id=\"entry-{seq}\"")), "{name}: report.html has no entry {seq}");
        // Answers and what they rest on are compared by tests of the first page.
        let is_quoted = heading.starts_with("What w");
        let Some((_, quote)) = told.split_once(": “").filter(|_| is_quoted) else { continue };
        let quote = quote.strip_suffix('”').unwrap_or(quote).trim_end_matches('…');
        let what = serde_json::to_value(&record.entries()[seq as usize].what).unwrap();
        let mut all = Vec::new();
        texts(&what, &mut all);
        assert!(all.iter().any(|text| text.contains(quote)), "{name}: entry {seq} does not hold {quote:?}");
    }
    assert!(text.contains("## How it ended\n") && text.contains("## How far to trust it\n"), "{name}: {text}");
}

#[test]
fn every_sentence_of_a_memo_leads_to_its_entry_and_its_words_stand_there() {
    for (name, record) in debates::all().into_iter().chain([("review", review::review())]) {
        walk(name, &record);
        let text = memo(&record);
        assert!(text.contains("## Answer\n"), "{name}");
        let FirstPage { basis, .. } = FirstPage::with_extraction(&record, None);
        let (_, told) = text.split_once(&format!("## {}\n\n", basis.title)).unwrap_or_else(|| panic!("{name}: {text}"));
        let (first, start) = (&basis.points[0], told.lines().next().unwrap());
        assert!(start.ends_with(&format!("#entry-{})", first.seq)), "{name}: {start}");
        let words: Vec<&str> =
            first.text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        assert!(words.iter().take(4).all(|word| start.contains(word)), "{name}: {start}");
    }
    for (name, text) in [("delphi", declared::DELPHI), ("pre-mortem", declared::PRE_MORTEM)] {
        walk(name, &declared::debate(text));
    }
    walk("baseline", &baseline(&["for", "against", "for"]));
}

#[test]
fn a_memo_of_a_debate_without_a_verdict_says_so_first() {
    let declined = |key: &str| key.contains("/proposition").then(|| exchange::failed("declined"));
    let record = exchange::debate_with(0, declined);
    walk("void exchange", &record);
    let text = memo(&record);
    let first: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(first[0].starts_with("- No verdict: "), "{text}");
    assert!(first[1].starts_with("- Nobody was heard; there is no verdict."), "{text}");
    let nobody = panel::panel_with(panel::opened(), |key| {
        key.starts_with("opening").then(|| panel::failed(agon_core::FailureKind::Refused, "declined"))
    });
    walk("void panel", &nobody);
    assert!(memo(&nobody).contains("there is no verdict"), "{}", memo(&nobody));
}

#[test]
fn a_memo_that_is_posted_notifies_nobody_and_links_nowhere() {
    let mut opened = exchange::opened(0);
    opened.motion = "@octocat says that https://evil.example fixes #12".into();
    let answer = |request: &Request| {
        let mut form = exchange::canned(request.key.as_str())?;
        if request.key.as_str().ends_with("/opposition") {
            form["arguments"][0]["claim"] = "Ask @octocat; /close it and see www.evil.example.".into();
        }
        if form["clash"].is_string() {
            form["clash"] = "They meet on what is lost.".into();
        }
        Some(exchange::said(form))
    };
    let text = memo(&exchange::Play { opened, answer: &answer, reversed: false }.record());
    assert!(text.starts_with("# `@octocat` says that `https://evil.example` fixes `#12`\n"), "{text}");
    assert!(text.contains("Ask `@octocat`; `/close` it and see `www.evil.example`."), "{text}");
}

#[test]
fn a_memo_can_be_had_at_any_time() {
    for (name, record) in debates::all() {
        let mut grown = Record::new(record.entries()[0].clone()).unwrap().with_documents_of(&record);
        for entry in &record.entries()[1..] {
            let text = memo(&grown);
            assert!(
                text.contains("- Not over.") && text.split_whitespace().count() <= memo::WORDS_MAX,
                "{name}: {text}"
            );
            grown.append_entry(entry.clone()).unwrap();
        }
    }
}
