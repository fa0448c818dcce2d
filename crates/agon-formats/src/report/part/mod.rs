//! The parts of a report, in reading order: what a reader decides by, then the record.

mod answered;
mod cost;
mod entries;
mod floor;
mod judges;
mod map;
mod material;
mod outcome;
mod overlap;
pub(crate) mod positions;
mod replay;
mod rulings;
pub(crate) mod scores;
mod sources;
mod troubles;
mod turning;

use super::{Block, ReportInput, ReportSection};
use agon_text::format_signed;

/// Longest text of a turning point, in characters.
pub(crate) const TURNING_CHARS_MAX: usize = 260;

/// Every part that has something to say.
pub(super) fn all(scene: &ReportInput<'_>) -> Vec<ReportSection> {
    type Part = fn(&ReportInput<'_>) -> Vec<Block>;
    let course = crate::views_of(scene.record).course_title();
    let basis_title = scene.first_page.basis.title;
    // Whether the page of a debate draws it in a form of its own.
    let parts: [(bool, &str, &str, Part); 20] = [
        (true, "answer", "Answer", outcome::answer),
        (true, "outcome", "How it ended", outcome::ending),
        (true, "basis", basis_title, outcome::basis),
        (true, "change", "What would change the outcome", outcome::flips),
        (true, "open", "What was not settled", outcome::open),
        (false, "troubles", "What did not work", troubles::blocks),
        (false, "seats", "Who answered", answered::blocks),
        (true, "positions", "Positions", positions::blocks),
        (true, "floor", "From the floor", floor::blocks),
        (false, "turning", "Turning points", turning::blocks),
        (false, "map", "The argument map", map::blocks),
        (false, "over-time", course, scores::blocks),
        (false, "judges", "Judgments", judges::blocks),
        (false, "sources", "Sources", sources::blocks),
        (false, "material", "Material", material::blocks),
        (true, "rulings", "Rulings", rulings::blocks),
        (false, "overlap", "New and repeated", overlap::blocks),
        (false, "cost", "What it used", cost::blocks),
        (true, "entries", "The entries behind it", entries::blocks),
        (false, "replay", "Replay", replay::blocks),
    ];
    let filled = |block| match block {
        Block::Table(table) => Block::Table(table.filled()),
        block => block,
    };
    let drawn = parts.into_iter().map(|(is_on_page, id, title, part)| {
        let blocks = part(scene).into_iter().map(filled).collect();
        ReportSection { id, title, is_on_page, blocks }
    });
    drawn.filter(|section| !section.blocks.is_empty()).collect()
}

/// Heads of a table's columns; `true` for one of figures.
pub(crate) fn head(columns: &[(&str, bool)]) -> Vec<(String, bool)> {
    columns.iter().map(|(name, figures)| ((*name).to_owned(), *figures)).collect()
}

/// `1 turn`, `2 turns`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// An entry of the record, as references name it.
fn entry(seq: u64) -> String {
    format!("entry {seq}")
}

/// A score for a reader: signed, two decimals, three where they matter.
fn signed(score: f64) -> String {
    let text = format_signed(score, 3);
    // A minus sign, not a hyphen.
    text.strip_suffix('0').unwrap_or(&text).replace('-', "\u{2212}")
}
