//! The strongest case of each side, what would change the outcome, and what was not settled: as
//! [`Decision`](super::super::decision::Decision) has them.

use super::super::{Block, ReportInput};

pub(super) fn blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    scene.decision.cases.iter().cloned().map(Block::Case).collect()
}

pub(super) fn flips(scene: &ReportInput<'_>) -> Vec<Block> {
    let flips = &scene.decision.flips;
    if scene.record.closed().is_none() {
        return Vec::new();
    }
    match flips.is_empty() {
        true => {
            vec![Block::Prose("No rule of this protocol counts anything that one answer could turn.".into())]
        }
        false => vec![Block::Sentences(flips.clone())],
    }
}

pub(super) fn open(scene: &ReportInput<'_>) -> Vec<Block> {
    let open = &scene.decision.open;
    match open.is_empty() {
        true => {
            vec![Block::Prose("Nothing that the record names: every point that it lists was settled.".into())]
        }
        false => vec![Block::Sentences(open.clone())],
    }
}
