//! How it ended and why, and what the graph thinks of it.

use agon_core::{RulingKind, Standing, View};

use super::super::{Block, ReportInput};
use crate::graph::{opinion, spelled};

pub(super) fn blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    match scene.record.closed() {
        Some(outcome) => {
            let name = spelled(&outcome.name.to_lowercase());
            blocks.push(Block::Lead(match outcome.standing {
                Standing::Void => format!("{name}: no result"),
                Standing::Valid => name,
            }));
            blocks.push(Block::Prose(outcome.told()));
        }
        None => {
            let phase = View::whole(scene.record).rulings(RulingKind::Phase).last();
            let at = phase.map(|(_, ruling)| format!(" It stands at: {}.", ruling.text)).unwrap_or_default();
            blocks.push(Block::Lead(format!("Not over.{at}")));
        }
    }
    if !scene.graph.statements.is_empty() {
        let judged = opinion::judged(scene.record, &scene.graph);
        let compared = opinion::compared(&judged, &scene.opinion);
        let second = match scene.opinion.engaged {
            true => format!("{compared} {}", scene.opinion.sentence()),
            false => scene.opinion.sentence(),
        };
        let basis = scene.opinion.basis.as_ref().map(|basis| format!(" {basis}")).unwrap_or_default();
        let told = format!("A second opinion, computed from the argument map. {second}{basis}");
        blocks.push(Block::Note(told));
    }
    blocks
}
