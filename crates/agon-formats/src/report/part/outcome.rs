//! The answer, how it ended, what makes that untrustworthy, how far it can be trusted, and what the answer rests on.

use super::super::{Block, ReportInput};

pub(super) fn build_answer_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    scene.first_page.answers.iter().cloned().map(Block::Answer).collect()
}

pub(super) fn build_ending_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let page = &scene.first_page;
    let mut blocks = vec![Block::Lead(page.verdict.clone())];
    if !page.doubts.is_empty() {
        blocks.push(Block::Doubts(page.doubts.clone()));
    }
    blocks.push(Block::Trust(page.trust.clone()));
    blocks.extend(page.told.iter().map(|told| Block::Prose(told.text.clone())));
    blocks.extend(page.cost.clone().map(Block::Note));
    blocks
}

pub(super) fn build_basis_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let points = &scene.first_page.basis.points;
    if points.is_empty() { Vec::new() } else { vec![Block::Basis(points.clone())] }
}

pub(super) fn build_decisive_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let flips = &scene.first_page.flips;
    if scene.record.closing_outcome().is_none() {
        return Vec::new();
    }
    match flips.is_empty() {
        true => {
            vec![Block::Prose("No rule of this protocol counts anything that one answer could turn.".into())]
        }
        false => vec![Block::Sentences(flips.clone())],
    }
}

pub(super) fn build_open_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let open = &scene.first_page.open;
    match open.is_empty() {
        true => {
            vec![Block::Prose("Nothing that the record names: every point that it lists was settled.".into())]
        }
        false => vec![Block::Sentences(open.clone())],
    }
}
