//! The parts of a report behind what a reader decides by, in reading order.

mod answering_models;
mod cost;
mod entries;
mod interjections;
mod judges;
mod lookups;
mod map;
mod material;
mod overlap;
pub(crate) mod positions;
mod replay;
mod rulings;
pub(crate) mod scores;
mod sources;
mod troubles;
mod turning_points;

use super::{Block, Cited, Illustration, Point, ReportInput, ReportSection, Table, Voice, chart};
use agon_core::RulingKind;

/// Longest text of a turning point, in characters.
pub(crate) const TURNING_CHARS_MAX: usize = 260;

/// Every part that has something to say.
pub(super) fn build_sections(scene: &ReportInput<'_>) -> Vec<ReportSection> {
    type Part = fn(&ReportInput<'_>) -> Vec<Block>;
    let course = crate::views_of(scene.record).course_title();
    // Whether the page of a debate draws it in a form of its own.
    let parts: [(bool, &str, &str, Part); 16] = [
        (false, "troubles", "What did not work", troubles::build_blocks),
        (false, "seats", "Who answered", answering_models::build_blocks),
        (true, "positions", "Positions", positions::build_blocks),
        (true, "floor", "From the floor", interjections::build_blocks),
        (false, "turning", "Turning points", turning_points::build_blocks),
        (false, "map", "The argument map", map::build_blocks),
        (false, "over-time", course, scores::build_blocks),
        (false, "judges", "Judgments", judges::build_blocks),
        (false, "sources", "Sources", sources::build_blocks),
        (false, "lookups", "What was looked up", lookups::build_blocks),
        (false, "material", "Material", material::build_blocks),
        (true, "rulings", "Rulings", rulings::build_blocks),
        (false, "overlap", "New and repeated", overlap::build_blocks),
        (false, "cost", "What it used", cost::build_blocks),
        (true, "entries", "The entries behind it", entries::build_blocks),
        (false, "replay", "Replay", replay::build_blocks),
    ];
    let filled = |block| match block {
        Block::Table(table) => Block::Table(table.without_empty_columns()),
        block => block,
    };
    let drawn = parts.into_iter().map(|(is_on_page, id, title, part)| {
        let blocks = part(scene).into_iter().filter(|block| !block.is_empty()).map(filled).collect();
        ReportSection { id, title, is_on_page, blocks }
    });
    drawn.filter(|section| !section.blocks.is_empty()).collect()
}

/// The first `most` of `all` as a table with these heads, and how many `others` there are, if any.
fn list_in_table<T>(
    caption: &str,
    head: &[&str],
    all: &[T],
    most: usize,
    row: impl Fn(&T) -> Vec<String>,
    others: &str,
) -> Vec<Block> {
    let more = all.len().saturating_sub(most);
    let more = (more > 0).then(|| Block::Prose(format!("{more} further {others} are not listed here.")));
    let table = Table::new(caption, head, &[], all.iter().take(most).map(row));
    [Block::Table(table)].into_iter().chain(more).collect()
}

/// An entry of the record, as references name it.
fn format_entry(seq: u64) -> String {
    format!("entry {seq}")
}

/// The kind of a ruling in a word.
fn ruling_word(kind: RulingKind) -> String {
    format!("{kind:?}").to_lowercase()
}
