//! Texts that try to become markup, in every field that others fill.

use std::collections::BTreeSet;

use agon_core::{Key, Record, Reply, SeatModel};
use agon_report::graph::{
    Graph,
    export::{self, GraphLanguage},
};
use serde_json::Value;

use super::{memo::memo, report::files};
use crate::reports::debates::{self, chaired, duel, exchange, panel};

/// Ends attributes, tags, comments, styles, table cells and fences, whichever it stands in.
const PROBE: &str =
    "\"onx='1'></title></style></svg>--><xss>|\n# xss\n```\n<!-- ![x](http://e/x.png) [y](javascript:1) \u{202e}";

/// `value` with the probe behind every text that nothing is looked up by.
fn probed(value: &mut Value) {
    const KEPT: [&str; 20] = [
        "stance",
        "target_id",
        "attack_type",
        "defense_type",
        "argument_id",
        "type",
        "kind",
        "severity",
        "place",
        "disagreement",
        "target",
        "quote",
        "with",
        "panelist",
        "rank",
        "action",
        "addresses",
        "deadlock",
        "url",
        "accessed",
    ];
    match value {
        Value::String(text) => text.push_str(PROBE),
        Value::Array(items) => items.iter_mut().for_each(probed),
        Value::Object(fields) => {
            fields.iter_mut().filter(|(name, _)| !KEPT.contains(&name.as_str())).for_each(|(_, value)| probed(value));
        }
        _ => {}
    }
}

fn harmless(name: &str, record: &Record) {
    // What could act where a memo is posted is code there, and code does nothing.
    let memo: String = memo(record).replace("\\`", "").split('`').step_by(2).collect();
    for barred in ["<xss", "<!--", "![x](", "](javascript", "\u{202e}", "\n```"] {
        assert!(!memo.contains(barred), "{name}: {barred} in the memo: {memo}");
    }
    let mut headings = memo.lines().skip(1).filter(|line| line.starts_with('#'));
    assert!(headings.all(|line| !line.contains("xss")), "{name}: {memo}");
    let (page, text) = files(record);
    assert!(page.contains("&lt;xss&gt;"), "{name}: the probe arrived");
    for barred in ["<xss", "<!--", "-->", "\u{202e}"] {
        assert!(!page.contains(barred), "{name}: {barred} in the page");
    }
    // A quotation mark ends nothing where it stands as text.
    let tags = page.split('<').filter_map(|piece| piece.split_once('>'));
    tags.for_each(|(tag, _)| assert!(!tag.contains("\"onx="), "{name}: {tag}"));
    assert_eq!(page.matches("</style>").count(), 1, "{name}");
    assert_eq!(page.matches("</title></style>").count(), 0, "{name}");
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count(), "{name}");
    for barred in ["<xss", "\n# xss", "![x](", "](javascript", "\u{202e}", "\n```\n<"] {
        assert!(!text.contains(barred), "{name}: {barred} in the Markdown: {text}");
    }
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        assert!(row.ends_with(" |"), "{name}: {row}");
    }
    let drawn = |language| export::export_graph(record, &Graph::from_record(record), &BTreeSet::new(), language);
    for language in [GraphLanguage::Mermaid, GraphLanguage::Argdown, GraphLanguage::Dot] {
        let drawn = drawn(language);
        assert!(!drawn.contains("\n# xss") && !drawn.contains('\u{202e}'), "{name} as {}: {drawn}", language);
    }
    for quoted in drawn(GraphLanguage::Dot).lines() {
        let bare = quoted.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(bare.matches('"').count() % 2, 0, "{name}: {quoted}");
    }
    assert!(
        !drawn(GraphLanguage::Argdown).contains("<xss") && !drawn(GraphLanguage::Mermaid).contains("<xss"),
        "{name}"
    );
    serde_json::from_str::<Value>(&drawn(GraphLanguage::Aif)).unwrap();
    serde_json::from_str::<Value>(&drawn(GraphLanguage::Json)).unwrap();
}

/// The key of the first draft: the probe makes texts alike, and a second copy stands.
fn first(key: &str) -> &str {
    key.split("/redraft").next().unwrap()
}

fn models(lineup: &mut [SeatModel]) {
    lineup.iter_mut().for_each(|sat| sat.model.push_str(PROBE));
}

#[test]
fn an_exchange_full_of_markup() {
    let mut opened = exchange::opened(1);
    opened.motion.push_str(PROBE);
    models(&mut opened.lineup);
    let answer = |request: &agon_core::Request| {
        let key = request.key.as_str();
        if key.starts_with("report") {
            return Some(exchange::failed(PROBE));
        }
        let mut said = exchange::canned(first(key))?;
        probed(&mut said);
        Some(exchange::said(said))
    };
    let record = exchange::Play { opened, answer: &answer, reversed: false }.record();
    assert!(record.closing_outcome().is_some_and(|outcome| outcome.winner.is_some()), "it ran to its end");
    harmless("exchange", &record);
}

#[test]
fn a_duel_full_of_markup() {
    let mut opened = duel::opened();
    opened.motion.push_str(PROBE);
    models(&mut opened.lineup);
    let record = duel::play(opened, |request| match duel::canned(first(request.key.as_str())) {
        Some(mut said) => {
            // Only what carries no reference: a changed one would be no turn of a duel.
            for field in ["position", "agreements"] {
                probed(&mut said[field]);
            }
            Some(duel::said(said))
        }
        None => duel::canned_answer(request),
    });
    assert!(record.entries().len() > 20, "turns were accepted");
    harmless("duel", &record);
}

#[test]
fn a_panel_full_of_markup() {
    let mut opened = panel::opened();
    opened.motion.push_str(PROBE);
    models(&mut opened.lineup);
    opened.lineup.iter_mut().for_each(|sat| sat.persona = sat.persona.as_ref().map(|text| format!("{text}{PROBE}")));
    let record = panel::panel_with(opened, |key| {
        let text = panel::canned(first(key))?;
        let prose = key.starts_with("opening") || first(key).ends_with("/answer");
        Some(panel::said(if prose { format!("{text}\n\n{PROBE}") } else { text }))
    });
    harmless("panel", &record);
}

#[test]
fn a_chaired_debate_full_of_markup() {
    let mut opened = chaired::opened();
    opened.motion.push_str(PROBE);
    models(&mut opened.lineup);
    opened.lineup.iter_mut().for_each(|sat| sat.persona = Some(PROBE.into()));
    let record = chaired::play(opened, |request| {
        let mut asked = request.clone();
        asked.key = Key::from_parts(first(request.key.as_str()));
        let Some(Reply::Said { text }) = chaired::canned(&asked) else { return chaired::canned(&asked) };
        let Ok(mut value) = serde_json::from_str::<Value>(&text) else { return Some(chaired::said(text)) };
        if value.get("entries").is_some() {
            for entry in value["entries"].as_array_mut().unwrap() {
                probed(&mut entry["content"]);
            }
        }
        Some(chaired::said(value))
    });
    harmless("chaired", &record);
}

#[test]
fn a_revision_full_of_markup() {
    use debates::revise;
    let mut opened = revise::track("plan");
    opened.motion.push_str(PROBE);
    models(&mut opened.lineup);
    let record = revise::play(opened, |key| {
        let Some(Reply::Said { text }) = revise::canned("plan", first(key)) else { return None };
        let mut value: Value = serde_json::from_str(&text).ok()?;
        for field in ["strengths", "concessions"] {
            value.get_mut(field).into_iter().for_each(probed);
        }
        for field in ["weaknesses", "disagreements"] {
            value.get_mut(field).into_iter().for_each(probed);
        }
        revise::said(value)
    });
    harmless("revise", &record);
}

#[test]
fn a_review_full_of_markup() {
    use debates::review;
    let record = review::review_with(|key| {
        let mut said = review::canned(first(key))?;
        if first(key).contains("verification") {
            return None;
        }
        probed(&mut said);
        // What the verifier finds is by place alone here, so a quotation may be any.
        for finding in said["findings"].as_array_mut().into_iter().flatten() {
            finding["quote"] = format!("{}{}", finding["quote"].as_str().unwrap(), &PROBE[..40]).into();
        }
        Some(Some(said))
    });
    assert!(record.closing_outcome().is_some(), "it ran to its end");
    harmless("review", &record);
}
