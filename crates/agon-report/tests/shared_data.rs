//! Real debates of the source system, where they are at hand: every file is rebuilt byte for byte.
#![allow(clippy::disallowed_methods)] // Tests read what formats must not.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use agon_report::exchange::{
    argument::ArgumentFile,
    debate::DebateFile,
    diagram::{self, Node},
    frontmatter::Document,
    scores::ScoreFile,
};

/// Folders of whole debates and the totals they must have; `None` where the data is not at hand.
fn debates() -> Option<Vec<(PathBuf, f64, u32, u32)>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/exchange");
    if !root.is_dir() {
        println!("skipped: {} is absent", root.display());
        return None;
    }
    let known = [("halt-ai-development", 2.05, 7, 5), ("phd-research-autonomy", 1.2, 11, 9)];
    Some(known.map(|(name, total, count, exchange)| (root.join(name), total, count, exchange)).into())
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn arguments(debate: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(debate.join("arguments")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).map(|path| (path.clone(), read(path))).collect();
    files.sort();
    files
}

#[test]
fn every_argument_file_parses_and_renders_byte_for_byte() {
    for (debate, _, count, _) in debates().unwrap_or_default() {
        let files = arguments(&debate);
        assert_eq!(files.len() as u32, 2 * count);
        for (path, text) in files {
            let file = ArgumentFile::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(file.render(), text, "{}", path.display());
            assert_eq!(path.file_stem().unwrap().to_str(), Some(file.id.as_str()));
        }
    }
}

#[test]
fn guarding_changes_nothing_but_markup() {
    for (debate, ..) in debates().unwrap_or_default() {
        for (path, text) in arguments(&debate) {
            let guarded = ArgumentFile::parse(&text).unwrap().render_escaped();
            let plain = guarded.replace("&lt;", "<").replace("\\[", "[").replace("]\\(", "](");
            assert_eq!(plain, text, "{}", path.display());
        }
    }
}

#[test]
fn the_graph_is_drawn_byte_for_byte() {
    for (debate, ..) in debates().unwrap_or_default() {
        let want = read(debate.join("argument-graph.mmd"));
        let scores = ScoreFile::parse(&read(debate.join("scores.json"))).unwrap();
        let files = arguments(&debate);
        let parsed = files.iter().map(|(_, text)| Node::from(&ArgumentFile::parse(text).unwrap())).collect();
        assert_eq!(diagram::render_diagram(parsed, |id| scores.current_score(id)), want);
        let front =
            files.iter().rev().map(|(_, text)| Node::from_frontmatter(&Document::parse(text).unwrap())).collect();
        assert_eq!(diagram::render_diagram(front, |id| scores.current_score(id)), want);
    }
}

#[test]
fn scores_are_rebuilt_byte_for_byte() {
    for (debate, ..) in debates().unwrap_or_default() {
        let text = read(debate.join("scores.json"));
        let file = ScoreFile::parse(&text).unwrap();
        assert_eq!(file.render(), text);
        let mut rebuilt = ScoreFile::default();
        for (id, scores) in &file.0 {
            for given in &scores.history {
                assert_eq!(given.triggered_by, None, "no example holds a rescore");
                rebuilt.add_score(id, given.score.clone(), &given.reasoning, &given.scored_at);
            }
        }
        assert_eq!(rebuilt.render(), text);
    }
}

#[test]
fn debate_md_is_rebuilt_byte_for_byte_with_recomputed_totals() {
    for (debate, total, count, exchange) in debates().unwrap_or_default() {
        let text = read(debate.join("debate.md"));
        assert_eq!(Document::parse(&text).unwrap().render(), text);
        let mut file = DebateFile::parse(&text).unwrap();
        assert_eq!(file.current_exchange, exchange);
        let totals = ScoreFile::parse(&read(debate.join("scores.json"))).unwrap().side_totals();
        assert_eq!(totals, file.cumulative_scores);
        assert_eq!(totals.proposition.total.as_f64(), Some(total));
        assert_eq!(totals.opposition.total.as_f64(), Some(-total));
        assert_eq!((totals.proposition.count, totals.opposition.count), (count, count));
        file.cumulative_scores = totals;
        assert_eq!(file.render(), text);
    }
}

#[test]
fn files_of_recorded_runs_are_rebuilt_byte_for_byte() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/debate_ops.json");
    if !path.is_file() {
        println!("skipped: {} is absent", path.display());
        return;
    }
    let runs: Value = serde_json::from_str(&read(path)).unwrap();
    let trees = runs.as_object().unwrap().values().flat_map(|run| run["steps"].as_array().unwrap());
    for tree in trees.map(|step| step["tree_after"].as_object().unwrap()) {
        let text = |name: &str| tree.get(name).and_then(Value::as_str);
        let scores = ScoreFile::parse(text("d/scores.json").unwrap()).unwrap();
        assert_eq!(scores.render(), text("d/scores.json").unwrap());
        let debate = DebateFile::parse(text("d/debate.md").unwrap()).unwrap();
        assert_eq!(debate.render(), text("d/debate.md").unwrap());
        assert_eq!(debate.cumulative_scores, scores.side_totals());
        let arguments = tree.iter().filter(|(name, _)| name.starts_with("d/arguments/"));
        let arguments: Vec<_> = arguments
            .map(|(name, text)| {
                let file = ArgumentFile::parse(text.as_str().unwrap()).unwrap();
                assert_eq!(file.render(), text.as_str().unwrap(), "{name}");
                file
            })
            .collect();
        if let Some(graph) = text("d/argument-graph.mmd") {
            assert_eq!(
                diagram::render_diagram(arguments.iter().map(Node::from).collect(), |id| scores.current_score(id)),
                graph
            );
        }
    }
}
