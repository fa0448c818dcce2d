//! Passages of answers that may no longer be shown: what rests on pages that never were. A protocol
//! strikes them from its own statements; whoever shows an answer as it was given strikes them here.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use agon_core::{Key, Record, View, What};
use serde_json::Value;

use super::verification::{self, Cited, STRUCK, Status};

/// Stands in place of the address of such a page.
const ADDRESS: &str = "[REDACTED]";

/// The passages by the answer that holds them.
#[derive(Debug, Clone, Default)]
pub struct Withheld(BTreeMap<Key, Vec<(String, &'static str)>>);

impl Withheld {
    /// Those of `record`: empty where no page is opened. A chaired debate strikes whole entries, by
    /// rulings of its own.
    pub fn of(record: &Record) -> Self {
        let mut withheld = Self::default();
        let opened = record.opened();
        if !verification::is_fetched(opened) || opened.protocol == "chaired" {
            return withheld;
        }
        let Ok(protocol) = crate::of(record) else { return withheld };
        for entry in record.entries() {
            let What::Asked(request) = &entry.what else { continue };
            let (Some(of), Some((_, answer))) = (request.facts.get("of"), record.answer(&request.key)) else {
                continue;
            };
            let facts = protocol.facts(&View::new(record, request), request);
            let cited = listed(facts.get("entries"));
            let found = verification::read(&answer.reply, &cited);
            let invented = found.iter().filter(|found| found.status == Status::Fabricated);
            let places: BTreeSet<&str> = invented.clone().map(|found| found.at.as_str()).collect();
            let words = cited.iter().filter(|cited| places.contains(cited.at.as_str()));
            let passages = words.map(|cited| (cited.content.clone(), STRUCK));
            let addresses = invented.map(|found| (found.url.clone(), ADDRESS));
            let key = Key::of(of.as_str().unwrap_or_default());
            withheld.0.entry(key).or_default().extend(passages.chain(addresses));
        }
        withheld
    }

    /// The answer under `key` without them, whether it is prose or JSON.
    pub fn hide<'t>(&self, key: &Key, text: &'t str) -> Cow<'t, str> {
        let mut shown = Cow::Borrowed(text);
        for (passage, stands) in self.0.get(key).into_iter().flatten() {
            let escaped = Value::from(passage.as_str()).to_string();
            for form in [passage.as_str(), &escaped[1..escaped.len() - 1]] {
                if !form.is_empty() && shown.contains(form) {
                    shown = Cow::Owned(shown.replace(form, stands));
                }
            }
        }
        shown
    }
}

/// The places that a verifier was asked about, as [`verification::entries`] lists them.
fn listed(entries: Option<&Value>) -> Vec<Cited> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let cited = |entry: &Value| Cited {
        at: text(&entry["at"]),
        content: text(&entry["content"]),
        urls: entry["sources"].as_array().into_iter().flatten().map(|source| text(&source["url"])).collect(),
    };
    entries.and_then(Value::as_array).into_iter().flatten().map(cited).collect()
}
