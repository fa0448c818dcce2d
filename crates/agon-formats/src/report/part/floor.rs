//! What people said to all who take part, without having a seat.

use agon_core::Deed;

use super::{
    super::{Block, Scene},
    entry,
};

pub(super) fn blocks(scene: &Scene<'_>) -> Vec<Block> {
    let said = scene.record.acts().filter_map(|(seq, act)| match &act.deed {
        Deed::Interjected { text } => Some((format!("{} · {}", entry(seq), act.by), text.clone())),
        _ => None,
    });
    let points: Vec<(String, String)> = said.collect();
    if points.is_empty() { Vec::new() } else { vec![Block::Points { points, grave: false }] }
}
