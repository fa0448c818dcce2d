//! The course of a debate as a drawing: the balance of scores, or what its protocol records.

use agon_core::Record;

use super::{Block, Illustration, ReportInput, Table, chart};
use crate::{graph::Graph, ruling_view::list_scores, statement::format_score};

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let figure = crate::views_of(scene.record).draw_course(scene.record, &scene.graph);
    figure.map(Block::Figure).into_iter().collect()
}

/// Totals of two sides at every scoring, whatever the protocol.
pub(crate) fn draw_score_balance(record: &Record, graph: &Graph) -> Option<Illustration> {
    let [first, second] = graph.sides.as_slice() else { return None };
    // The beginning of the name of a phase stands before a dash or a colon.
    let begin = |phase: &str| phase.split([':', '—', '–']).next().unwrap_or(phase).trim().to_owned();
    let points: Vec<(String, [f64; 2])> = list_scores(record)
        .into_iter()
        .map(|(_, phase, scores)| (begin(&phase), scores.totals.map(|(_, total)| total)))
        .collect();
    let (_, [one, other]) = points.last()?;
    let said = format!("{first} {}, {second} {} at the end.", format_score(*one), format_score(*other));
    let rows = points.iter().map(|(at, [one, other])| {
        vec![at.clone(), format_score(*one), format_score(*other), format_score(one - other)]
    });
    let caption =
        format!("The judge's scores of {first}, summed up, less those of {second}, after each judgment. {said}");
    let table = Table::new("Totals after each judgment", &["After", first, second, "Balance"], &[1, 2, 3], rows);
    let drawing = chart::draw_balance([first, second], &points, &said);
    Some(Illustration { table: Some(table), ..Illustration::new(drawing, caption) })
}
