//! Where it turned: scores that moved most, stances that changed, what was granted, and rulings that
//! settled something. Chosen by figures and typed fields, never by judgment.

use agon_core::RulingKind;

use super::{Block, Point, ReportInput, TURNING_CHARS_MAX};
use crate::{
    first_page::Sentence,
    graph::{MOVED, Relation, shorten_text},
    ruling_view::{ScoreBefore, list_scores},
    statement::format_score,
};

/// Most points of one sort.
const EACH_MAX: usize = 6;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let views = crate::views_of(scene.record);
    let points = collect_turning_points(scene).into_iter();
    let points = points.map(|(seq, at, text)| Sentence::new(seq, format!("{at}: {text}")));
    let moves = views.build_move_table(scene.record).map(Block::Table);
    [Block::Sentences(points.collect())].into_iter().chain(moves).collect()
}

/// All of them, in the order of the record.
pub(super) fn collect_turning_points(scene: &ReportInput<'_>) -> Vec<Point> {
    let mut points = find_score_moves(scene);
    points.extend(crate::views_of(scene.record).turning_points(scene.record, &scene.graph));
    points.extend(find_concessions(scene));
    points.extend(find_settling_rulings(scene));
    points.sort();
    points
}

/// The largest corrections of scores, and exchanges in which the lead changed.
fn find_score_moves(scene: &ReportInput<'_>) -> Vec<Point> {
    let mut corrections: Vec<(f64, Point)> = Vec::new();
    let mut leads = Vec::new();
    let mut lead = None;
    for (seq, phase, scores) in list_scores(scene.record) {
        for line in &scores.lines {
            let ScoreBefore::Corrected(before) = line.before else { continue };
            let verb = if line.score < before { "fell" } else { "rose" };
            let [from, to] = [before, line.score].map(format_score);
            let why = shorten_text(&line.why, TURNING_CHARS_MAX);
            let text = format!("{} {verb} from {from} to {to}. {why}", line.argument);
            corrections.push(((line.score - before).abs(), (seq, phase.clone(), text)));
        }
        let now = scores.leading_side();
        if let (Some(before), Some(now)) = (lead, now)
            && before != now
        {
            leads.push((seq, phase, format!("The lead passed from the {before} to the {now}.")));
        }
        lead = now.or(lead);
    }
    corrections.sort_by(|a, b| b.0.total_cmp(&a.0));
    leads.into_iter().chain(corrections.into_iter().take(EACH_MAX).map(|(_, point)| point)).collect()
}

/// What was granted to another.
fn find_concessions(scene: &ReportInput<'_>) -> Vec<Point> {
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
        let text = format!("{} {whose}: {}", from.speaker, shorten_text(&edge.text, TURNING_CHARS_MAX));
        (from.seq, from.when.clone(), text)
    });
    points.take(EACH_MAX).collect()
}

fn find_settling_rulings(scene: &ReportInput<'_>) -> Vec<Point> {
    let settles = |kind: RulingKind| {
        matches!(kind, RulingKind::Converged | RulingKind::Deadlocked | RulingKind::Redacted | RulingKind::Invalidated)
    };
    let rulings = scene.record.rulings().filter(|(_, _, ruling)| settles(ruling.kind));
    rulings
        .take(EACH_MAX)
        .map(|(seq, _, ruling)| (seq, "Ruling".to_owned(), shorten_text(&ruling.text, TURNING_CHARS_MAX)))
        .collect()
}
