//! What judges said: each judge in each order, where several were heard, and the scores that stand
//! with their reasons. Read from the rulings alone, so that any protocol that scores is shown.

use agon_core::{Ruling, RulingKind};
use serde_json::Value;

use super::{
    super::{Block, ReportInput, Table},
    head, signed,
};

pub(super) fn blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let mut blocks: Vec<Block> = votes(scene).into_iter().map(Block::Table).collect();
    let mut phase = String::new();
    for (_, _, ruling) in scene.record.rulings() {
        if ruling.kind == RulingKind::Phase {
            phase.clone_from(&ruling.text);
        }
        if ruling.kind == RulingKind::Scored {
            blocks.extend(scores(scene, ruling, &phase).map(Block::Table));
        }
    }
    blocks
}

/// Rulings about one judge: which side it read first, how far it preferred whom, and whether the
/// order decided.
fn votes(scene: &ReportInput<'_>) -> Option<Table> {
    let mut rows = Vec::new();
    for (_, key, ruling) in scene.record.rulings().filter(|(_, key, _)| key.as_str().contains("/votes/")) {
        let data = &ruling.data;
        let judge = data["judge"].as_str().unwrap_or_default();
        let at = key.as_str().split('/').next().unwrap_or_default();
        let orders = data["orders"].as_array().map(Vec::as_slice).unwrap_or_default();
        let margin = |value: &Value| value["margin"].as_f64().map(signed).unwrap_or_default();
        let order = |number: usize| match orders.get(number) {
            Some(order) => {
                let first =
                    order["first"].as_str().map(|first| format!(" ({first} first)")).unwrap_or_default();
                format!("{}{first}", margin(order))
            }
            None => "not heard".into(),
        };
        let flip = if data["flip"] == true { "the order decided: a tie" } else { "" };
        let vote = format!("{} {flip}", margin(data));
        rows.push(vec![at.to_owned(), judge.to_owned(), order(0), order(1), vote.trim().to_owned()]);
    }
    (!rows.is_empty()).then(|| Table {
        caption: "Each judge in each order: above zero the first side is preferred".into(),
        head: head(&[
            ("At", false),
            ("Judge", false),
            ("One order", false),
            ("The other", false),
            ("Its vote", false),
        ]),
        rows,
    })
}

fn scores(scene: &ReportInput<'_>, ruling: &Ruling, phase: &str) -> Option<Table> {
    let listed = |name: &str| ruling.data[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let hidden = ruling.data["key"].as_str().and_then(|key| agon_core::Key::new(key).ok());
    let hidden = hidden.is_some_and(|key| scene.record.redacted(&key).is_some());
    let why = |value: &Value| match hidden {
        true => "This text was redacted.".to_owned(),
        false => text(value, "reasoning"),
    };
    let centred = listed("scores").iter().any(|score| score["raw"].is_number());
    let number = |value: &Value, name: &str| value[name].as_f64().map(signed).unwrap_or_default();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for score in listed("scores") {
        let given = if centred { number(score, "raw") } else { String::new() };
        rows.push(vec![text(score, "argument_id"), given, number(score, "score"), why(score)]);
    }
    for rescore in listed("rescores") {
        let was = number(rescore, "old_score");
        rows.push(vec![text(rescore, "argument_id"), was, number(rescore, "new_score"), why(rescore)]);
    }
    let second = match (centred, listed("rescores").is_empty()) {
        (true, true) => "As given",
        (true, false) => "As given, or before",
        (false, _) => "Before",
    };
    let mut head = head(&[("Argument", false), (second, true), ("Score", true), ("Reason", false)]);
    if rows.iter().all(|row| row[1].is_empty()) {
        head.remove(1);
        rows.iter_mut().for_each(|row| drop(row.remove(1)));
    }
    (!rows.is_empty()).then(|| Table { caption: phase.to_owned(), head, rows })
}
