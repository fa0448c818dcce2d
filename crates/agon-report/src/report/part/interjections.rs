//! What people said to all who take part, without having a seat.

use agon_core::ActKind;

use super::{Block, ReportInput, format_entry};

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let said = scene.record.acts().filter_map(|(seq, act)| match &act.deed {
        ActKind::Interjected { text } => Some((format!("{} · {}", format_entry(seq), act.by), text.clone())),
        _ => None,
    });
    vec![Block::Points { points: said.collect(), grave: false }]
}
