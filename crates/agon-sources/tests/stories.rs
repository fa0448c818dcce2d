//! Quotations of real debates, where that material is at hand: every one stands in its story, and
//! none does with one word changed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)] // Helpers are part of the test.

use std::{collections::BTreeMap, fs, path::Path};

use agon_sources::{
    check::{Page, QuoteStatus, quotes},
    text::PageText,
};
use serde_json::Value;

fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_true_quotation_is_found_and_no_changed_one() {
    let Some(folder) = std::env::var_os("AGON_TEST_STORIES") else {
        eprintln!("skipped: AGON_TEST_STORIES names no folder with debates.jsonl and stories.jsonl");
        return;
    };
    let folder = Path::new(&folder);
    let mut stories: BTreeMap<String, (Page, Vec<String>)> = BTreeMap::new();
    for row in rows(&folder.join("stories.jsonl")) {
        let tokens: Vec<String> = serde_json::from_value(row["tokens"].clone()).unwrap();
        let page = Page::from_text(PageText {
            text: tokens.join(" ").replace("-LRB-", "(").replace("-RRB-", ")"),
            ..PageText::default()
        });
        stories.insert(row["article_id"].as_str().unwrap().to_owned(), (page, tokens));
    }
    let (mut found, mut missed, mut accepted, mut changed_count, mut short) = (0, Vec::new(), Vec::new(), 0, 0);
    for debate in rows(&folder.join("debates.jsonl")) {
        let Some((page, _)) = stories.get(debate["article_id"].as_str().unwrap()) else { continue };
        for turn in debate["turns"].as_array().unwrap() {
            for quote in turn["quotes"].as_array().into_iter().flatten() {
                let text = quote["text"].as_str().unwrap();
                let whole = format!("<quote>{text}</quote>");
                if quotes::find_long_quotations(&whole).is_empty() {
                    short += 1;
                    continue;
                }
                match quotes::look_up(text, page).status {
                    QuoteStatus::Verified | QuoteStatus::VerifiedEdited => found += 1,
                    status => missed.push(format!("{status:?}: {text}")),
                }
                let words: Vec<&str> = text.split_whitespace().collect();
                let longest = (0..words.len()).max_by_key(|i| words[*i].len()).unwrap();
                let mut changed = words.clone();
                changed[longest] = "zebra";
                let changed = changed.join(" ");
                changed_count += 1;
                if quotes::look_up(&changed, page).status <= QuoteStatus::VerifiedEdited {
                    accepted.push(changed);
                }
            }
        }
    }
    eprintln!(
        "{found} found, {} missed, {changed_count} changed, {} accepted, {short} too short",
        missed.len(),
        accepted.len()
    );
    assert!(found > 100, "{found}");
    assert_eq!((missed, accepted), (Vec::<String>::new(), Vec::<String>::new()));
}
