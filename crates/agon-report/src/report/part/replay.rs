//! How anybody can make this report again, and see that nothing was changed.

use super::{Block, ReportInput};

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let record = scene.record;
    let opened = record.opened();
    let id = &opened.debate;
    let head = &record.head_hash().as_str()[..12];
    let (entries, protocol) = (record.len(), agon_text::humanize_name(&opened.protocol));
    let (rules, prompts) = (opened.rules, opened.prompts.len());
    let prose = format!(
        "Every figure here follows from the record: {entries} entries, hash-chained, head {head}. {protocol} by its rules number {rules}; {prompts} prompt templates are pinned by digest."
    );
    let mut commands = vec![
        format!("agon replay {id}"),
        "agon check record.jsonl".into(),
        "agon import record record.jsonl".into(),
        format!("agon export {id} --format report --out ."),
        format!("agon graph {id} --without SEQ"),
    ];
    if crate::other_rules(record).is_some() {
        // What steps the script is refused.
        commands.retain(|command| command.starts_with("agon import") || command.starts_with("agon export"));
    }
    vec![Block::Prose(prose), Block::Commands(commands)]
}
