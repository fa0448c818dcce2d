//! How much of each statement is new, how much its author had said before, and how much others had:
//! shares of its runs of four words, counted. High shares of others' words hint at conformity, of own
//! words at repetition; they prove neither.

use std::collections::BTreeMap;

use agon_text::hash_runs;

use super::{
    super::{Block, Illustration, ReportInput, Table, chart},
    build_table_head,
};

/// Words in a row that are compared together.
const RUN: usize = 4;
/// Runs that a statement must have for shares to mean anything.
const RUNS_MIN: usize = 8;
/// Most statements that are drawn.
const ROWS_MAX: usize = 80;

/// Shares of one statement: new, own words again, others' words.
struct Shares {
    label: String,
    side: usize,
    shares: [f64; 3],
}

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let all = compute_shares(scene);
    if all.is_empty() {
        return Vec::new();
    }
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let rows: Vec<chart::Row> = all
        .iter()
        .take(ROWS_MAX)
        .map(|one| chart::Row {
            label: one.label.clone(),
            side: Some(one.side),
            parts: one.shares.into(),
            value: format!("{} new", percent(one.shares[0])),
        })
        .collect();
    let means = [0, 1, 2].map(|part| all.iter().map(|one| one.shares[part]).sum::<f64>() / all.len() as f64);
    let [new, own, others] = means.map(percent);
    let said = format!("On average {new} of a statement is new, {own} repeats its author and {others} repeats others.");
    let table = Table {
        caption: "New and repeated".into(),
        head: build_table_head(&[
            ("Statement", false),
            ("New", true),
            ("Own words again", true),
            ("Others' words", true),
        ]),
        rows: all
            .iter()
            .map(|one| std::iter::once(one.label.clone()).chain(one.shares.map(percent)).collect())
            .collect(),
    };
    vec![Block::Figure(Illustration {
        drawing: chart::draw_bars(&rows, &said),
        caption: format!("Share of each statement's runs of four words that nobody had used before. {said}"),
        legend: Some(chart::render_legend(&["new", "own words again", "others' words"])),
        wide: false,
        table: Some(table),
        mermaid: None,
    })]
}

fn compute_shares(scene: &ReportInput<'_>) -> Vec<Shares> {
    // Who has used a run, however many sides there are.
    let mut known: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
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
                all.push(Shares {
                    label: format!("{} {}", statement.id, statement.speaker),
                    side: statement.side,
                    shares,
                });
            }
            said.push((statement.side, runs));
        }
        for (side, runs) in said {
            for run in runs {
                let sides = known.entry(run).or_default();
                if !sides.contains(&side) {
                    sides.push(side);
                }
            }
        }
    }
    all
}
