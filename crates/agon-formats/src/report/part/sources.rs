//! What was cited, and what is known of it. A source that nobody opened is called so: that nothing was
//! checked must never look as if all were well.

use super::{
    super::{Block, ReportInput, Table},
    build_table_head,
};
use crate::{cited, graph::shorten_text};

const TEXT_CHARS_MAX: usize = 300;
/// Sources that are listed.
const ROWS_MAX: usize = 100;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let cited = cited::list_cited_sources(scene.record, &scene.graph);
    if cited.is_empty() {
        return Vec::new();
    }
    let more = cited.len().saturating_sub(ROWS_MAX);
    let rows = cited.iter().take(ROWS_MAX).map(|cited| {
        vec![
            cited.of.clone(),
            shorten_text(&cited.source, TEXT_CHARS_MAX),
            cited.status.clone(),
            shorten_text(&cited.why, TEXT_CHARS_MAX),
        ]
    });
    let head = build_table_head(&[
        ("In", false),
        ("Source", false),
        ("Status", false),
        ("Deciding sentence, or why not", false),
    ]);
    let table = Table { caption: "Sources as they were cited".into(), head, rows: rows.collect() };
    let mut blocks = vec![Block::Prose(cited::Counts::of(&cited).describe_coverage()), Block::Table(table)];
    if more > 0 {
        blocks.push(Block::Prose(format!("{more} further sources are not listed here.")));
    }
    blocks
}
