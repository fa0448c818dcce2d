//! The pages of a kept debate and the entries that cite them, compared again: `examples/night-bus`, in which everybody
//! quoted faithfully.

#![allow(clippy::unwrap_used)] // Helpers are part of the test.

use std::{collections::BTreeMap, fs, path::PathBuf};

use agon_sources::{
    check::{
        Page,
        ruling::{SourceReport, SourceStanding, compare_passage},
    },
    fetch::Fetched,
    liveness::Liveness,
    text::{self, Media},
};
use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/night-bus")
}

fn rows(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn pages() -> BTreeMap<String, Fetched> {
    let page = |row: &Value| {
        let (url, digest) = (row["url"].as_str().unwrap(), row["sha256"].as_str().unwrap());
        let body = fs::read(folder().join("sources").join(&digest[..2]).join(digest)).unwrap();
        let said = text::read_page_text(Media::Html, "text/html", &body).unwrap();
        let page = Some(Page::from_text(said).into());
        (url.to_owned(), Fetched { page, ..Fetched::unread(url, Liveness::Live, "") })
    };
    rows("sources/fetched.jsonl").iter().map(page).collect()
}

/// What comes of the sources of every entry, by its number.
fn judged() -> BTreeMap<u64, Vec<SourceReport>> {
    let (pages, log) = (pages(), rows("debate-log.jsonl"));
    let content = |entry: &Value| entry["content"].as_str().unwrap().to_owned();
    let mut all = BTreeMap::new();
    for entry in &log {
        let cited = entry["sources"].as_array().into_iter().flatten();
        let cited: Vec<Fetched> = cited.filter_map(|source| pages.get(source["url"].as_str()?).cloned()).collect();
        if !cited.is_empty() {
            let seq = entry["seq"].as_u64().unwrap();
            all.insert(seq, compare_passage(&content(entry), &cited));
        }
    }
    all
}

#[test]
fn what_is_quoted_faithfully_is_verified_and_prose_is_not_judged() {
    let all = judged();
    let of: Vec<(u64, &SourceReport)> =
        all.iter().flat_map(|(seq, reports)| reports.iter().map(move |report| (*seq, report))).collect();
    let other: Vec<String> = of
        .iter()
        .filter(|(_, report)| report.standing != SourceStanding::Verified)
        .map(|(seq, report)| format!("{seq} {} {}: {}", report.url, report.standing.name(), report.why))
        .collect();
    assert_eq!(of.len(), 27);
    let beginnings = [
        // Their figures are in prose, and nothing is quoted.
        "14 http://lindenbrook.test/workers unverified: the page opens; nothing is quoted from it",
        "23 http://lindenbrook.test/taxi unverified: the page opens; nothing is quoted from it",
    ];
    assert_eq!(other.len(), beginnings.len(), "{other:#?}");
    for (other, begin) in other.iter().zip(beginnings) {
        assert!(other.starts_with(begin), "{other}");
    }
}
