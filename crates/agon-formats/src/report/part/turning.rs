//! Where it turned: scores that moved most, stances that changed, what was granted, and rulings that
//! settled something. Chosen by figures and typed fields, never by judgment.

use agon_core::{Kind, View};
use agon_protocols::{duel::history::History, panel::state::Panel};
use serde_json::Value;

use super::{
    super::{Block, Scene, Table},
    head,
    positions::stance,
    signed,
};
use crate::graph::{MOVED, Relation, shortened};

/// Most points of one sort.
const EACH_MAX: usize = 6;
const TEXT_CHARS_MAX: usize = 260;

/// A point: the entry that brought it, where it stands, and what it is.
type Point = (u64, String, String);

pub(super) fn blocks(scene: &Scene<'_>) -> Vec<Block> {
    let mut points = Vec::new();
    points.extend(moved(scene));
    points.extend(stances(scene));
    points.extend(granted(scene));
    points.extend(settled(scene));
    points.sort();
    let points: Vec<(String, String)> = points.into_iter().map(|(_, at, text)| (at, text)).collect();
    let points = (!points.is_empty()).then_some(Block::Points { points, grave: false });
    points.into_iter().chain(ledger(scene).map(Block::Table)).collect()
}

/// Of a panel, who moved towards whom and what was new by then: a move that nothing new came before is
/// agreement without a reason that anybody heard.
fn ledger(scene: &Scene<'_>) -> Option<Table> {
    if crate::graph::protocol(scene.record) != "panel" {
        return None;
    }
    let panel = Panel::of(&View::whole(scene.record));
    let mut rows = Vec::new();
    for (at, exchange) in panel.exchanges.iter().enumerate() {
        let (Some(found), Some(answer)) = (&exchange.found, &exchange.answer) else { continue };
        let mover = &exchange.asked.seat;
        let since = panel.exchanges[..at].iter().rposition(|earlier| earlier.asked.seat == *mover);
        let heard = panel.exchanges[since.map_or(0, |last| last + 1)..=at].iter();
        let new: Vec<&str> = heard
            .filter_map(|exchange| exchange.found.as_ref())
            .flat_map(|found| found.new_evidence.iter().map(String::as_str))
            .collect();
        let new = match new.is_empty() {
            true => "nothing new had been brought".to_owned(),
            false => shortened(&new.join("; "), TEXT_CHARS_MAX),
        };
        for convergence in &found.convergence {
            let how = if convergence.explicit { "agreed" } else { "moved without saying so" };
            rows.push(vec![
                format!("round {}", answer.round),
                panel.name(mover).to_owned(),
                format!("{how}, towards {}", panel.name(&convergence.with)),
                shortened(&convergence.claim, TEXT_CHARS_MAX),
                new.clone(),
            ]);
        }
    }
    (!rows.is_empty()).then(|| Table {
        caption: "Changes of stance, and what was new since the one who moved last spoke".into(),
        head: head(&[
            ("When", false),
            ("Who", false),
            ("How", false),
            ("On", false),
            ("New evidence by then", false),
        ]),
        rows,
    })
}

/// The largest corrections of scores, and exchanges in which the lead changed.
fn moved(scene: &Scene<'_>) -> Vec<Point> {
    let mut corrections: Vec<(f64, Point)> = Vec::new();
    let mut leads = Vec::new();
    let (mut phase, mut lead) = (String::new(), None);
    for (seq, _, ruling) in scene.record.rulings() {
        if ruling.kind == Kind::Phase {
            phase.clone_from(&ruling.text);
        }
        if ruling.kind != Kind::Scored {
            continue;
        }
        for rescore in ruling.data["rescores"].as_array().into_iter().flatten() {
            let number = |name: &str| rescore[name].as_f64();
            let (Some(old), Some(new)) = (number("old_score"), number("new_score")) else { continue };
            let id = rescore["argument_id"].as_str().unwrap_or_default();
            let why = rescore["reasoning"].as_str().unwrap_or_default();
            let verb = if new < old { "fell" } else { "rose" };
            let text = format!(
                "{id} {verb} from {} to {}. {}",
                signed(old),
                signed(new),
                shortened(why, TEXT_CHARS_MAX)
            );
            corrections.push(((new - old).abs(), (seq, phase.clone(), text)));
        }
        let Some(totals) = ruling.data["totals"].as_object() else { continue };
        let total = |value: &Value| value.as_f64().or_else(|| value["total"].as_f64());
        let mut totals: Vec<(&str, f64)> =
            totals.iter().filter_map(|(name, value)| Some((name.as_str(), total(value)?))).collect();
        totals.sort_by(|a, b| b.1.total_cmp(&a.1));
        let now = match totals.as_slice() {
            [first, second, ..] if first.1 - second.1 > 0.01 => Some(first.0.to_owned()),
            _ => None,
        };
        if let (Some(before), Some(now)) = (&lead, &now)
            && before != now
        {
            leads.push((seq, phase.clone(), format!("The lead passed from the {before} to the {now}.")));
        }
        lead = now.or(lead);
    }
    corrections.sort_by(|a, b| b.0.total_cmp(&a.0));
    leads.into_iter().chain(corrections.into_iter().take(EACH_MAX).map(|(_, point)| point)).collect()
}

fn stances(scene: &Scene<'_>) -> Vec<Point> {
    if crate::graph::protocol(scene.record) != "duel" {
        return Vec::new();
    }
    let history = History::of(&View::whole(scene.record));
    let changes = history.turns.iter().enumerate().filter_map(|(at, turn)| {
        let before =
            history.turns[..at].iter().rev().find(|other| other.accepted.seat == turn.accepted.seat)?;
        let (old, new) = (before.accepted.stance, turn.accepted.stance);
        let statement = scene.graph.statements.get(at)?;
        let why = turn.contribution.as_ref().and_then(|said| said.stance_support.first().cloned());
        let why = why.map(|why| format!(": {}", shortened(&why, TEXT_CHARS_MAX))).unwrap_or_default();
        let text =
            format!("{} moved from {} to {}{why}", statement.speaker, stance(old.name()), stance(new.name()));
        (old != new).then(|| (statement.seq, statement.when.clone(), text))
    });
    changes.collect()
}

/// What was granted to another.
fn granted(scene: &Scene<'_>) -> Vec<Point> {
    let graph = &scene.graph;
    let granted = graph.edges.iter().filter(|edge| {
        let sides = [edge.from, edge.to].map(|at| graph.statements[at].side);
        let typed = edge.relation == Relation::Concession && !edge.extracted;
        typed && (sides[0] != sides[1] || edge.kind == "concede_and_pivot")
    });
    let points = granted.map(|edge| {
        let (from, to) = (&graph.statements[edge.from], &graph.statements[edge.to]);
        let whose = match edge.kind.as_str() {
            "concede_and_pivot" => format!("gave ground on {}", to.id),
            "addressed" => format!("took up {}", to.id),
            MOVED => format!("moved towards {} ({}) without saying so", to.speaker, to.id),
            _ => format!("granted to {} ({})", to.speaker, to.id),
        };
        let text = format!("{} {whose}: {}", from.speaker, shortened(&edge.text, TEXT_CHARS_MAX));
        (from.seq, from.when.clone(), text)
    });
    points.take(EACH_MAX).collect()
}

fn settled(scene: &Scene<'_>) -> Vec<Point> {
    let settles =
        |kind: Kind| matches!(kind, Kind::Converged | Kind::Deadlocked | Kind::Redacted | Kind::Invalidated);
    let rulings = scene.record.rulings().filter(|(_, _, ruling)| settles(ruling.kind));
    rulings
        .take(EACH_MAX)
        .map(|(seq, _, ruling)| (seq, "Ruling".to_owned(), shortened(&ruling.text, TEXT_CHARS_MAX)))
        .collect()
}
