//! How it ended, what makes that untrustworthy, how far it can be trusted, and what the graph thinks of it.

use super::super::{Block, ReportInput};
use crate::graph::opinion;

pub(super) fn blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let decision = &scene.decision;
    let mut blocks = vec![Block::Lead(decision.verdict.clone())];
    if !decision.doubts.is_empty() {
        blocks.push(Block::Doubts(decision.doubts.clone()));
    }
    blocks.push(Block::Trust(decision.trust.clone()));
    blocks.extend(decision.told.iter().map(|told| Block::Prose(told.text.clone())));
    if !scene.graph.statements.is_empty() {
        let judged = opinion::judged(scene.record, &scene.graph);
        let compared = opinion::compared(&judged, &scene.opinion);
        let basis = scene.opinion.basis.as_ref().map(|basis| format!(" {basis}")).unwrap_or_default();
        let summary = match scene.opinion.engaged {
            true => format!("A second opinion, computed from the argument map. {compared}"),
            false => "A second opinion, computed from the argument map: none.".to_owned(),
        };
        let told = format!("{}{basis}", scene.opinion.sentence());
        blocks.push(Block::Details { summary, blocks: vec![Block::Note(told)] });
    }
    blocks
}
