//! The material of the debate: which files there were, how much of them prompts showed, and what was left out.

use std::collections::{BTreeMap, BTreeSet};

use agon_text::count_noun;

use super::{Block, ReportInput, Table, list_in_table};
use crate::material_places::{self, NamedPlace, PinnedFile, PinnedMaterial};

/// Files that are listed.
const ROWS_MAX: usize = 60;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let Some(list) = PinnedMaterial::from_record(scene.record) else { return Vec::new() };
    // A passage of a diff and one of the file can have the same lines; their texts differ.
    let shown: BTreeSet<(&str, &str)> = scene
        .record
        .answers()
        .flat_map(|(_, answered)| &answered.shown)
        .map(|passage| (passage.place.as_str(), passage.digest.as_str()))
        .collect();
    let passages = |path: &str| {
        let within =
            |place: &str| place.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
        shown.iter().filter(|(place, _)| within(place)).count()
    };
    // A place on the record names a path, so that a diff and its file are told together.
    let mut files: BTreeMap<&str, Vec<&PinnedFile>> = BTreeMap::new();
    for file in &list.files {
        files.entry(&file.path).or_default().push(file);
    }
    let rows = files.iter().take(ROWS_MAX).map(|(path, entries)| {
        let joined = |of: &dyn Fn(&PinnedFile) -> String| {
            let mut all: Vec<String> = entries.iter().map(|entry| of(entry)).collect();
            all.dedup();
            all.join(", ")
        };
        let whole = entries.iter().find(|entry| entry.kind != "diff").or(entries.first());
        vec![
            (*path).to_owned(),
            joined(&|entry| entry.kind.clone()),
            // Lines of the file, not those of a diff, if both are there.
            whole.map_or(0, |entry| entry.lines).to_string(),
            passages(path).to_string(),
            joined(&|entry| entry.seats.join(", ")),
            joined(&|entry| entry.digest.chars().take(12).collect()),
        ]
    });
    let head = ["File", "Kind", "Lines", "Passages shown", "For", "SHA-256"];
    let table = Table::new("Material, as it was when the debate began", &head, &[2, 3], rows);
    let listed = count_noun(files.len(), "file", "files");
    let text = format!("{listed}; prompts showed {} of it.", count_noun(shown.len(), "passage", "passages"));
    let mut blocks = vec![Block::Prose(text), Block::Table(table)];
    if files.len() > ROWS_MAX {
        let more = count_noun(files.len() - ROWS_MAX, "further file is", "further files are");
        blocks.push(Block::Prose(format!("{more} not listed here.")));
    }
    if !list.left_out.is_empty() {
        let all = list.left_out.len();
        let named = list.left_out.iter().take(ROWS_MAX).map(|left| (left.path.clone(), left.reason.clone()));
        let more = all.saturating_sub(ROWS_MAX);
        let more = (more > 0).then(|| (String::new(), format!("and {more} more")));
        blocks.push(Block::Prose(format!("Left out ({all}):")));
        blocks.push(Block::Points { points: named.chain(more).collect(), grave: false });
    }
    blocks.extend(build_place_blocks(scene));
    blocks
}

/// The places of the material that statements name.
fn build_place_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let named = material_places::collect_named_places(scene.record, &scene.graph);
    let Some(text) = material_places::describe_coverage(&named) else { return Vec::new() };
    let row = |named: &NamedPlace| {
        let found = if named.is_there { "found" } else { "not found" };
        vec![named.of.clone(), named.place.clone(), found.to_owned(), named.note.clone()]
    };
    let caption = "Places of the material that statements name";
    let table = list_in_table(caption, &["In", "Place", "Result", "Note"], &named, ROWS_MAX, row, "places");
    [Block::Prose(text)].into_iter().chain(table).collect()
}
