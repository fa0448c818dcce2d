//! Where it turned: scores that moved most, stances that changed, what was granted, and rulings that
//! settled something. Chosen by figures and typed fields, never by judgment.

use agon_core::RulingKind;
use serde_json::Value;

use super::{
    super::{Block, Point, ReportInput},
    TURNING_CHARS_MAX, signed,
};
use crate::{
    first_page::Sentence,
    graph::{MOVED, Relation, shortened},
};

/// Most points of one sort.
const EACH_MAX: usize = 6;

pub(super) fn blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let views = crate::views_of(scene.record);
    let points = points(scene).into_iter();
    let points: Vec<Sentence> =
        points.map(|(seq, at, text)| Sentence::new(seq, format!("{at}: {text}"))).collect();
    let points = (!points.is_empty()).then_some(Block::Sentences(points));
    points.into_iter().chain(views.moves(scene.record).map(Block::Table)).collect()
}

/// All of them, in the order of the record.
pub(super) fn points(scene: &ReportInput<'_>) -> Vec<Point> {
    let mut points = moved(scene);
    points.extend(crate::views_of(scene.record).turning_points(scene.record, &scene.graph));
    points.extend(granted(scene));
    points.extend(settled(scene));
    points.sort();
    points
}

/// The largest corrections of scores, and exchanges in which the lead changed.
fn moved(scene: &ReportInput<'_>) -> Vec<Point> {
    let mut corrections: Vec<(f64, Point)> = Vec::new();
    let mut leads = Vec::new();
    let (mut phase, mut lead) = (String::new(), None);
    for (seq, _, ruling) in scene.record.rulings() {
        if ruling.kind == RulingKind::Phase {
            phase.clone_from(&ruling.text);
        }
        if ruling.kind != RulingKind::Scored {
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
                shortened(why, TURNING_CHARS_MAX)
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

/// What was granted to another.
fn granted(scene: &ReportInput<'_>) -> Vec<Point> {
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
            MOVED => format!("moved towards {} ({})", to.speaker, to.id),
            _ => format!("granted to {} ({})", to.speaker, to.id),
        };
        let text = format!("{} {whose}: {}", from.speaker, shortened(&edge.text, TURNING_CHARS_MAX));
        (from.seq, from.when.clone(), text)
    });
    points.take(EACH_MAX).collect()
}

fn settled(scene: &ReportInput<'_>) -> Vec<Point> {
    let settles = |kind: RulingKind| {
        matches!(
            kind,
            RulingKind::Converged | RulingKind::Deadlocked | RulingKind::Redacted | RulingKind::Invalidated
        )
    };
    let rulings = scene.record.rulings().filter(|(_, _, ruling)| settles(ruling.kind));
    rulings
        .take(EACH_MAX)
        .map(|(seq, _, ruling)| (seq, "Ruling".to_owned(), shortened(&ruling.text, TURNING_CHARS_MAX)))
        .collect()
}
