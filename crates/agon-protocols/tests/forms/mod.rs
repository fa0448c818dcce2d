//! Schemas as they are sent to models, and the faults of every wrong draft: records hold both, so who changes
//! one gives the protocol new rules.
//!
//! `AGON_FORMS=panel` writes the fixtures whose names begin so; every changed line is a record that no longer
//! replays. A fixture shows what is usual, and has a digest of the rest.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.
#![allow(clippy::disallowed_methods)] // Fixtures are files, and written where a variable says so.

mod declared;
mod engine;
mod exchange;
mod panel;
mod revise;
pub(crate) use crate::panel::stage;

use std::fmt::Write as _;

use agon_core::{Digest, Faults};
use serde_json::{Value, json};

/// Characters of a message that a fixture shows; the digest of its block covers all of it.
const SHOWN_CHARS: usize = 160;

/// Compares `found` with the fixture called `name`, or writes it.
fn compare(name: &str, found: &str) {
    let path = format!("{}/tests/forms/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("AGON_FORMS").is_ok_and(|written| name.starts_with(&written)) {
        std::fs::write(&path, found).unwrap();
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap();
    for (at, (was, is)) in known.lines().zip(found.lines()).enumerate() {
        assert_eq!(is, was, "{path}:{}", at + 1);
    }
    assert_eq!(found.lines().count(), known.lines().count(), "{path}");
}

/// Every way to spoil one value of `statement`: where, how, and the statement then.
fn spoilt(statement: &Value) -> Vec<(String, &'static str, Value)> {
    let mut spoilt = Vec::new();
    let mut places = vec![String::new()];
    places.extend(pointers(statement, ""));
    for place in places {
        let was = statement.pointer(&place).unwrap();
        let mut ways = vec![
            ("null", json!(null)),
            ("7", json!(7)),
            ("-1", json!(-1)),
            ("1.5", json!(1.5)),
            ("true", json!(true)),
            ("false", json!(false)),
            ("empty", json!("")),
            ("dashes", json!(" -- ")),
            ("word", json!("Something")),
            ("lines", json!("Two\n lines\tof words")),
            ("long", json!("so it is ".repeat(500))),
            ("list", json!([])),
            ("numbers", json!([1, 2])),
            ("object", json!({})),
        ];
        if let Some(text) = was.as_str() {
            ways.push(("upper", json!(text.to_uppercase())));
            ways.push(("name", json!(place.rsplit('/').next())));
        }
        if let Some(items) = was.as_array() {
            ways.push(("twice", [&items[..], items].concat().into()));
            ways.push(("many", std::iter::repeat_n(items, 9).flatten().cloned().collect()));
            ways.push(("first", items.iter().take(1).cloned().collect()));
        }
        for (way, value) in ways {
            let mut changed = statement.clone();
            *changed.pointer_mut(&place).unwrap() = value;
            spoilt.push((place.clone(), way, changed));
        }
        if let Some((object, name)) = place.rsplit_once('/') {
            let mut changed = statement.clone();
            let object = changed.pointer_mut(object).unwrap();
            if let Some(fields) = object.as_object_mut() {
                fields.shift_remove(name);
                spoilt.push((place.clone(), "left out", changed));
            }
        }
    }
    // Everything wrong at once shows the order of the faults.
    let mut all = statement.clone();
    for place in pointers(statement, "") {
        if let Some(value) = all.pointer_mut(&place).filter(|value| !value.is_array() && !value.is_object()) {
            *value = json!("");
        }
    }
    spoilt.push(("everywhere".into(), "empty", all));
    spoilt
}

fn pointers(value: &Value, at: &str) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
        _ => Vec::new(),
    };
    let each = inner.into_iter().flat_map(|(name, value)| {
        let at = format!("{at}/{name}");
        [vec![at.clone()], pointers(value, &at)].concat()
    });
    each.collect()
}

/// What comes of every spoilt draft, the ways with one outcome on one line, and the digest of it all in
/// full; where `shown` is not set, the digest alone.
fn outcomes(title: &str, statement: &Value, shown: bool, read: impl Fn(&str) -> Result<Value, Faults>) -> String {
    let (mut lines, mut full): (Vec<(String, Vec<&str>, String)>, _) = (Vec::new(), String::new());
    let whole = [("as it is".to_owned(), "", statement.clone())];
    for (place, way, draft) in whole.into_iter().chain(spoilt(statement)) {
        let (all, short) = match read(&draft.to_string()) {
            Ok(found) => {
                let found = found.to_string();
                let digest = Digest::from_content(&found).to_string();
                (found, format!("  taken as {}\n", &digest[digest.len() - 12..]))
            }
            Err(faults) => {
                let cut = |text: &str| text.chars().take(SHOWN_CHARS).collect::<String>();
                let line = |message: &dyn Fn(&str) -> String| {
                    let each = faults.0.iter();
                    each.map(|f| format!("  {} | {} | {}\n", f.rule, f.at, message(&f.message))).collect()
                };
                (line(&str::to_owned), line(&cut))
            }
        };
        write!(full, "{place} {way}\n{all}").unwrap();
        match lines.iter_mut().find(|(at, _, outcome)| *at == place && *outcome == short) {
            Some((_, ways, _)) => ways.push(way),
            None => lines.push((place, vec![way], short)),
        }
    }
    let mut out = format!("## {title}: {}\n", Digest::from_content(&full));
    for (place, ways, outcome) in lines.iter().filter(|_| shown) {
        write!(out, "{place} [{}]\n{outcome}", ways.join(", ")).unwrap();
    }
    out
}
