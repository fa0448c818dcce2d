//! How anybody can make this report again, and see that nothing was changed.

use super::super::{Block, ReportInput};

pub(super) fn blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let record = scene.record;
    let opened = record.opened();
    let id = &opened.debate;
    let head = &record.head().as_str()[..12];
    let prose = format!(
        "Every figure here follows from the record: {} entries, hash-chained, head {head}. {} by its rules number {}; {} prompt templates are pinned by digest.",
        record.len(),
        crate::graph::spelled(&opened.protocol),
        opened.rules,
        opened.prompts.len(),
    );
    let commands = vec![
        format!("agon replay {id}"),
        "agon check record.jsonl".into(),
        "agon import record record.jsonl".into(),
        format!("agon export {id} --format report --out ."),
        format!("agon graph {id} --without SEQ"),
    ];
    vec![Block::Prose(prose), Block::Commands(commands)]
}
