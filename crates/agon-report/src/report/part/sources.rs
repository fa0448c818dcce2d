//! What was cited, and what is known of it. A source that nobody opened is called so: that nothing was
//! checked must never look as if all were well.

use super::{Block, ReportInput, list_in_table};
use crate::{cited_source, graph::shorten_text};

const TEXT_CHARS_MAX: usize = 300;
/// Sources that are listed.
const ROWS_MAX: usize = 100;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let all = cited_source::list_cited_sources(scene.record, &scene.graph);
    if all.is_empty() {
        return Vec::new();
    }
    let row = |cited: &cited_source::CitedSource| {
        let [source, why] = [&cited.source, &cited.why].map(|text| shorten_text(text, TEXT_CHARS_MAX));
        vec![cited.of.clone(), source, cited.status.clone(), why]
    };
    let head = ["In", "Source", "Status", "Deciding sentence, or why not"];
    let mut blocks = vec![Block::Prose(cited_source::Counts::from_cited(&all).describe_coverage())];
    blocks.extend(list_in_table("Sources as they were cited", &head, &all, ROWS_MAX, row, "sources"));
    blocks
}
