//! The course of a debate as a drawing: the balance of scores, stances turn by turn, or what was
//! found wrong round by round, by what the protocol records.

use std::collections::BTreeMap;

use agon_core::{Kind, View};
use agon_protocols::{
    duel::{history::History, turn::Stance},
    revise::{critique::Severity, hall::Hall, setup::Setup},
};
use serde_json::Value;

use super::{
    super::{Block, Figure, Scene, Table, chart},
    counted, head,
    positions::stance,
    signed,
};
use crate::graph::spelled;

pub(super) fn blocks(scene: &Scene<'_>) -> Vec<Block> {
    let figure = match crate::graph::protocol(scene.record) {
        "duel" => stances(scene),
        "revise" => weaknesses(scene),
        _ => balance(scene),
    };
    figure.map(Block::Figure).into_iter().collect()
}

/// Totals of two sides at every scoring, whatever the protocol.
fn balance(scene: &Scene<'_>) -> Option<Figure> {
    let mut points: Vec<(String, BTreeMap<String, f64>)> = Vec::new();
    let mut phase = String::new();
    for (_, _, ruling) in scene.record.rulings() {
        if ruling.kind == Kind::Phase {
            phase.clone_from(&ruling.text);
        }
        let Some(totals) = ruling.data["totals"].as_object().filter(|_| ruling.kind == Kind::Scored) else {
            continue;
        };
        let total = |value: &Value| value.as_f64().or_else(|| value["total"].as_f64());
        let totals = totals.iter().filter_map(|(name, value)| Some((spelled(name), total(value)?)));
        points.push((phase.clone(), totals.collect()));
    }
    let [first, second] = scene.graph.sides.as_slice() else { return None };
    let points: Vec<(String, [f64; 2])> = points
        .into_iter()
        .filter_map(|(phase, totals)| Some((short(&phase), [*totals.get(first)?, *totals.get(second)?])))
        .collect();
    let (_, [one, other]) = points.last()?;
    let said = format!("{first} {}, {second} {} at the end.", signed(*one), signed(*other));
    let rows = points
        .iter()
        .map(|(at, [one, other])| vec![at.clone(), signed(*one), signed(*other), signed(one - other)]);
    let table = Table {
        caption: "Totals after each judgment".into(),
        head: head(&[("After", false), (first, true), (second, true), ("Balance", true)]),
        rows: rows.collect(),
    };
    let caption = format!(
        "The judge's scores of {first}, summed up, less those of {second}, after each judgment. {said}"
    );
    Some(Figure {
        drawing: chart::balance([first, second], &points, &said),
        caption,
        legend: None,
        wide: false,
        table: Some(table),
        mermaid: None,
    })
}

/// The beginning of the name of a phase: what stands before a dash or a colon.
fn short(phase: &str) -> String {
    phase.split([':', '—', '–']).next().unwrap_or(phase).trim().to_owned()
}

fn stances(scene: &Scene<'_>) -> Option<Figure> {
    let scale = [
        Stance::AcceptingConsensus,
        Stance::Converging,
        Stance::Revising,
        Stance::OpenToDebate,
        Stance::Dissenting,
    ];
    let history = History::of(&View::whole(scene.record));
    let level = |wanted: Stance| scale.iter().position(|known| *known == wanted).unwrap_or(scale.len() - 1);
    let people: Vec<(String, Vec<(usize, usize)>)> = history
        .members
        .iter()
        .map(|member| {
            let own = history.turns.iter().enumerate().filter(|(_, turn)| turn.accepted.seat == member.seat);
            (member.name.clone(), own.map(|(at, turn)| (at, level(turn.accepted.stance))).collect())
        })
        .collect();
    if history.turns.is_empty() {
        return None;
    }
    let times: Vec<String> = (1..=history.turns.len()).map(|turn| format!("Turn {turn}")).collect();
    let said = people.iter().map(|(name, course)| {
        let words: Vec<String> = course.iter().map(|(_, level)| stance(scale[*level].name())).collect();
        format!("{name}: {}.", words.join(", then "))
    });
    let said = said.collect::<Vec<_>>().join(" ");
    let words: Vec<String> = scale.iter().map(|known| stance(known.name())).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let rows = history.turns.iter().zip(&scene.graph.statements).map(|(turn, statement)| {
        let blocking = turn.accepted.blocking.to_string();
        vec![statement.when.clone(), statement.speaker.clone(), stance(turn.accepted.stance.name()), blocking]
    });
    let table = Table {
        caption: "Stances".into(),
        head: head(&[("Turn", false), ("Who", false), ("Stance", false), ("Blocking items", true)]),
        rows: rows.collect(),
    };
    Some(Figure {
        drawing: chart::stances(&words, &people, &times, &said),
        caption: format!("Where each stood after each turn. {said}"),
        legend: None,
        wide: false,
        table: Some(table),
        mermaid: None,
    })
}

fn weaknesses(scene: &Scene<'_>) -> Option<Figure> {
    let setup = Setup::of(scene.record.opened()).ok()?;
    let hall = Hall::of(&View::whole(scene.record), &setup);
    let mut rows = Vec::new();
    for (round, number) in hall.rounds.iter().zip(1_u32..) {
        for author in 0..setup.authors.len() {
            if !round.critiques.iter().any(|held| held.target == author) {
                continue;
            }
            let named = hall.weaknesses(number, author);
            let count = |severity: Severity| {
                named.iter().filter(|(_, _, weakness)| weakness.severity == severity).count() as f64
            };
            let parts = Severity::ALL.map(count);
            rows.push(chart::Row {
                label: format!("Round {number}: {}", setup.authors[author].name),
                side: Some(author),
                value: parts.iter().sum::<f64>().to_string(),
                parts: parts.into(),
            });
        }
    }
    if rows.is_empty() {
        return None;
    }
    let said = rows.iter().map(|row| {
        let [high, medium, low] = row.parts[..] else { return String::new() };
        format!("{}: {high} high, {medium} medium, {low} low.", row.label)
    });
    let said = said.collect::<Vec<_>>().join(" ");
    let table = Table {
        caption: "Weaknesses named by others".into(),
        head: head(&[("Document", false), ("High", true), ("Medium", true), ("Low", true)]),
        rows: rows
            .iter()
            .map(|row| {
                std::iter::once(row.label.clone()).chain(row.parts.iter().map(f64::to_string)).collect()
            })
            .collect(),
    };
    Some(Figure {
        drawing: chart::bars(&rows, &said),
        caption: format!(
            "Weaknesses that others named in each document, {}.",
            counted(hall.rounds.len(), "round")
        ),
        legend: Some(chart::legend(&["high", "medium", "low"])),
        wide: false,
        table: Some(table),
        mermaid: None,
    })
}
