//! The material of the debate: which files there were, how much of them prompts showed, and what was left out.

use std::collections::BTreeSet;

use agon_core::plural;

use super::{
    super::{Block, ReportInput, Table},
    head,
};
use crate::places::{self, PinnedMaterial};

/// Files that are listed.
const ROWS_MAX: usize = 60;

pub(super) fn blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let Some(list) = PinnedMaterial::of(scene.record) else { return Vec::new() };
    let shown: BTreeSet<&str> = scene
        .record
        .answers()
        .flat_map(|(_, answered)| &answered.shown)
        .map(|passage| passage.place.as_str())
        .collect();
    let is_shown = |path: &str| {
        let within = |place: &&str| {
            place.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        };
        shown.iter().filter(|place| within(place)).count()
    };
    let rows = list.files.iter().take(ROWS_MAX).map(|file| {
        vec![
            file.path.clone(),
            file.kind.clone(),
            file.lines.to_string(),
            is_shown(&file.path).to_string(),
            file.seats.join(", "),
            file.digest.chars().take(12).collect(),
        ]
    });
    let head = head(&[
        ("File", false),
        ("Kind", false),
        ("Lines", true),
        ("Passages shown", true),
        ("For", false),
        ("SHA-256", false),
    ]);
    let table =
        Table { caption: "Material, as it was when the debate began".into(), head, rows: rows.collect() };
    let count = |count: usize| count as u64;
    let text = format!(
        "{}; prompts showed {} of it.",
        plural(count(list.files.len()), "file", "files"),
        plural(count(shown.len()), "passage", "passages")
    );
    let mut blocks = vec![Block::Prose(text), Block::Table(table)];
    if list.files.len() > ROWS_MAX {
        blocks.push(Block::Prose(format!(
            "{} further files are not listed here.",
            list.files.len() - ROWS_MAX
        )));
    }
    if !list.left_out.is_empty() {
        let all = list.left_out.len();
        let named = list.left_out.iter().take(ROWS_MAX).map(|left| (left.path.clone(), left.reason.clone()));
        let more = all.saturating_sub(ROWS_MAX);
        let more = (more > 0).then(|| (String::new(), format!("and {more} more")));
        blocks.push(Block::Prose(format!("Left out ({all}):")));
        blocks.push(Block::Points { points: named.chain(more).collect(), grave: false });
    }
    blocks.extend(places(scene));
    blocks
}

/// The places of the material that statements name.
fn places(scene: &ReportInput<'_>) -> Vec<Block> {
    let named = places::named(scene.record, &scene.graph);
    let Some(text) = places::coverage(&named) else { return Vec::new() };
    let rows = named.iter().take(ROWS_MAX).map(|named| {
        let found = if named.is_there { "found" } else { "not found" };
        vec![named.of.clone(), named.place.clone(), found.to_owned(), named.note.clone()]
    });
    let head = head(&[("In", false), ("Place", false), ("Result", false), ("Note", false)]);
    let caption = "Places of the material that statements name".to_owned();
    let mut blocks = vec![Block::Prose(text), Block::Table(Table { caption, head, rows: rows.collect() })];
    if named.len() > ROWS_MAX {
        blocks.push(Block::Prose(format!("{} further places are not listed here.", named.len() - ROWS_MAX)));
    }
    blocks
}
