//! How much of each statement is new, how much its author had said before, and how much others had:
//! shares of its runs of four words, counted. High shares of others' words hint at conformity, of own
//! words at repetition; they prove neither.

use std::collections::{BTreeMap, BTreeSet};

use agon_text::hash_runs;

use super::{Block, Illustration, ReportInput, Table, chart};

/// Words in a row that are compared together.
const RUN: usize = 4;
/// Runs that a statement must have for shares to mean anything.
const RUNS_MIN: usize = 8;
/// Most statements that are drawn.
const ROWS_MAX: usize = 80;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let all = compute_shares(scene);
    if all.is_empty() {
        return Vec::new();
    }
    let means = [0, 1, 2].map(|part| all.iter().map(|one| one.parts[part]).sum::<f64>() / all.len() as f64);
    let [new, own, others] = means.map(format_percent);
    let said = format!("On average {new} of a statement is new, {own} repeats its author and {others} repeats others.");
    let figures = all.iter().map(|one| {
        let shares = one.parts.iter().map(|share| format_percent(*share));
        std::iter::once(one.label.clone()).chain(shares).collect()
    });
    let head = ["Statement", "New", "Own words again", "Others' words"];
    vec![Block::Figure(Illustration {
        legend: Some(chart::render_legend(&["new", "own words again", "others' words"])),
        table: Some(Table::new("New and repeated", &head, &[1, 2, 3], figures)),
        ..Illustration::new(
            chart::draw_bars(&all[..all.len().min(ROWS_MAX)], &said),
            format!("Share of each statement's runs of four words that nobody had used before. {said}"),
        )
    })]
}

fn format_percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Of each statement the shares that are new, own words again, and others' words.
fn compute_shares(scene: &ReportInput<'_>) -> Vec<chart::Row> {
    // Who has used a run, however many sides there are.
    let mut known: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
    let mut all = Vec::new();
    // What was said in one step was said without knowledge of the rest of it.
    for step in scene.graph.statements.chunk_by(|a, b| a.step == b.step) {
        let mut said = Vec::new();
        for statement in step {
            let runs = hash_runs(&statement.words, RUN);
            if runs.len() >= RUNS_MIN {
                let mut counts = [0_usize; 3];
                for run in &runs {
                    let part = match known.get(run) {
                        None => 0,
                        Some(sides) if sides.contains(&statement.side) => 1,
                        Some(_) => 2,
                    };
                    counts[part] += 1;
                }
                let shares = counts.map(|count| count as f64 / runs.len() as f64);
                all.push(chart::Row {
                    label: format!("{} {}", statement.id, statement.speaker),
                    side: Some(statement.side),
                    parts: shares.into(),
                    value: format!("{} new", format_percent(shares[0])),
                });
            }
            said.extend(runs.into_iter().map(|run| (run, statement.side)));
        }
        for (run, side) in said {
            known.entry(run).or_default().insert(side);
        }
    }
    all
}
