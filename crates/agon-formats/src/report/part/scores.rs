//! The course of a debate as a drawing: the balance of scores, or what its protocol records.

use agon_core::Record;

use super::{
    super::{Block, Illustration, ReportInput, Table, chart},
    build_table_head, format_signed_score,
};
use crate::{graph::Graph, ruling_view::list_scores};

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let figure = crate::views_of(scene.record).draw_course(scene.record, &scene.graph);
    figure.map(Block::Figure).into_iter().collect()
}

/// Totals of two sides at every scoring, whatever the protocol.
pub(crate) fn draw_score_balance(record: &Record, graph: &Graph) -> Option<Illustration> {
    let [first, second] = graph.sides.as_slice() else { return None };
    let points: Vec<(String, [f64; 2])> = list_scores(record)
        .into_iter()
        .map(|(_, phase, scores)| (shorten_phase(&phase), scores.totals.map(|(_, total)| total)))
        .collect();
    let (_, [one, other]) = points.last()?;
    let said = format!("{first} {}, {second} {} at the end.", format_signed_score(*one), format_signed_score(*other));
    let rows = points.iter().map(|(at, [one, other])| {
        vec![at.clone(), format_signed_score(*one), format_signed_score(*other), format_signed_score(one - other)]
    });
    let table = Table {
        caption: "Totals after each judgment".into(),
        head: build_table_head(&[("After", false), (first, true), (second, true), ("Balance", true)]),
        rows: rows.collect(),
    };
    let caption =
        format!("The judge's scores of {first}, summed up, less those of {second}, after each judgment. {said}");
    Some(Illustration {
        drawing: chart::draw_balance([first, second], &points, &said),
        caption,
        legend: None,
        wide: false,
        table: Some(table),
        mermaid: None,
    })
}

/// The beginning of the name of a phase: what stands before a dash or a colon.
fn shorten_phase(phase: &str) -> String {
    phase.split([':', '—', '–']).next().unwrap_or(phase).trim().to_owned()
}
