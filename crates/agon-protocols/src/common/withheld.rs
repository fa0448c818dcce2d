//! Passages of answers that may no longer be shown: what rests on pages that never were. A protocol
//! strikes them from its own statements; whoever shows an answer as it was given strikes them here.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use agon_core::{Key, Record, View, What, parse};
use serde_json::Value;

use super::{
    fields::one_line,
    verification::{self, Cited, STRUCK, Status},
};

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
        let Some(passages) = self.0.get(key) else { return Cow::Borrowed(text) };
        let mut shown = Cow::Borrowed(text);
        for (passage, stands) in passages.iter().filter(|(passage, _)| !passage.is_empty()) {
            if shown.contains(passage) {
                shown = Cow::Owned(shown.replace(passage, stands));
            }
        }
        // Within JSON a passage may be written in more ways than one.
        let Ok(mut value) = parse::json(text) else { return shown };
        match strike(&mut value, passages) {
            true => Cow::Owned(value.to_string()),
            false => shown,
        }
    }
}

/// Strikes `passages` from every text in `value`; says whether there was one.
fn strike(value: &mut Value, passages: &[(String, &'static str)]) -> bool {
    match value {
        Value::String(text) => {
            let mut words = one_line(text);
            for (passage, stands) in passages {
                words = words.replace(&one_line(passage), stands);
            }
            let is_struck = words != one_line(text);
            if is_struck {
                *text = words;
            }
            is_struck
        }
        Value::Array(items) => items.iter_mut().fold(false, |struck, item| strike(item, passages) | struck),
        Value::Object(fields) => {
            fields.values_mut().fold(false, |struck, field| strike(field, passages) | struck)
        }
        _ => false,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_struck_however_json_writes_it() {
        let key = Key::of("a");
        let passage = "The “guild” runs 91 % (http://a.b).".to_owned();
        let withheld = Withheld([(key.clone(), vec![(passage, STRUCK)])].into());
        for said in [
            "So. The “guild” runs 91 % (http://a.b). Well.",
            r#"{"why": ["The “guild”\nruns 91 % (http://a.b)."]}"#,
            r#"{"why": "The \u201cguild\u201d runs 91 %  (http:\/\/a.b)."}"#,
        ] {
            let shown = withheld.hide(&key, said);
            assert!(!shown.contains("91") && shown.contains("REDACTED"), "{said}: {shown}");
        }
        assert_eq!(withheld.hide(&key, "{\"why\": \"no\"}"), "{\"why\": \"no\"}");
        assert_eq!(withheld.hide(&Key::of("b"), "91"), "91");
    }
}
