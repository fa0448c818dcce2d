//! The tables of docs/run.md say what the manifests say.

use std::fs;

use agon_core::{OptionKind, OptionSpec};
use agon_protocols::{ALL, common::options::declared_options};

use crate::tidy::root;

/// The option as a reader types it, such as `--orders both|one`.
fn typed(option: &OptionSpec) -> String {
    let names: Vec<&str> = option.values.iter().map(|choice| choice.name.as_str()).collect();
    let value = option.placeholder.clone().or(match option.kind {
        OptionKind::Switch => None,
        OptionKind::Choice => Some(names.join("|")),
        OptionKind::Count => Some("N".into()),
        OptionKind::Duration => Some("TIME".into()),
        OptionKind::Model => Some("MODEL".into()),
        OptionKind::Models => Some("MODELS".into()),
        OptionKind::Text => Some("TEXT".into()),
        OptionKind::Terms => Some("TERM=MEANING".into()),
        OptionKind::Texts => Some("NAME=PATH".into()),
        OptionKind::Folder => Some("DIR".into()),
    });
    let value = value.map(|value| format!(" {}", value.replace('|', "\\|")));
    format!("{}{}", option.render_flag(), value.unwrap_or_default())
}

/// One row for each option of a shipped protocol, in the order of the manifests.
fn rows() -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for option in ALL.iter().flat_map(|protocol| &protocol.manifest().options) {
        if seen.contains(&option.name.as_str()) {
            continue;
        }
        seen.push(&option.name);
        let takes = ALL.iter().filter(|protocol| protocol.manifest().find_option(&option.name).is_some());
        let mut takers: Vec<&str> = takers_first(takes.map(|protocol| protocol.name()).collect());
        if declared_options().iter().any(|shared| shared.name == option.name) {
            takers.push("declared protocols");
        }
        rows.push(format!("| `{}` | {} | {} |", typed(option), takers.join(", "), option.about));
    }
    rows
}

/// "all" where every shipped protocol takes it.
fn takers_first(takers: Vec<&'static str>) -> Vec<&'static str> {
    if takers.len() == ALL.len() { vec!["all"] } else { takers }
}

fn page() -> String {
    fs::read_to_string(root().join("docs/run.md")).unwrap()
}

#[test]
fn the_page_on_running_lists_the_options_of_the_manifests() {
    let page = page();
    let table = page.split_once("| option | taken by | meaning |\n|---|---|---|\n").expect("the table").1;
    let listed: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
    let wanted = rows();
    assert_eq!(listed, wanted, "the table is to be:\n{}\n", wanted.join("\n"));
}

#[test]
fn the_page_on_running_says_what_rounds_are_and_who_has_a_row() {
    let page = page();
    for protocol in ALL {
        let manifest = protocol.manifest();
        let start = format!("| `{}` |", manifest.name);
        let row = page.lines().find(|line| line.starts_with(&start)).expect(&start);
        let row_of_seats = if manifest.find_seat_row().is_some() { "yes" } else { "no" };
        let end = format!(" | {row_of_seats} | {} |", manifest.rounds.about);
        assert!(row.ends_with(&end), "{row}\nends with {end}");
    }
}
