//! The argument map, and the same in words.

use std::collections::BTreeSet;

use super::{Block, Illustration, ReportInput, Table};
use crate::{
    first_page::Sentence,
    graph::{
        Graph, export, map,
        opinion::{self, Opinion},
    },
};

/// Statements of a graph from which on none is struck for a trial: each costs a computation of the graph.
const TRIALS_MAX: usize = 80;
/// Sentences about them.
const TRIALS_TOLD_MAX: usize = 2;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let (graph, opinion) = (&scene.graph, &scene.opinion);
    if graph.statements.is_empty() {
        return Vec::new();
    }
    let mut blocks = Vec::new();
    if graph.has_sides() {
        blocks.push(Block::Prose(opinion.describe_tally()));
    }
    blocks.extend(opinion.basis.clone().map(Block::Note));
    match map::draw_map(graph, opinion) {
        Some(drawing) => blocks.push(Block::Figure(Illustration {
            legend: Some(map::render_legend(graph, opinion)),
            wide: true,
            mermaid: Some(export::render_diagram(scene.record, graph)),
            ..Illustration::new(
                drawing,
                "Who said what, from top to bottom in time, and what it says of other statements.",
            )
        })),
        None => blocks.push(Block::Note(format!(
            "The map has {} statements, more than the {} that are drawn; the table holds them all.",
            graph.statements.len(),
            map::STATEMENTS_MAX
        ))),
    }
    blocks.push(Block::Table(build_statement_table(scene)));
    blocks.extend(build_extraction_table(scene).map(Block::Table));
    if !graph.has_sides() {
        return blocks;
    }
    let judged = opinion::find_judgment(scene.record, graph);
    let compared = if opinion.engaged { opinion::describe_agreement(&judged, opinion) } else { String::new() };
    let told = opinion.describe_opinion();
    blocks.push(Block::Note(format!("A second opinion, computed from the map. {told} {compared}")));
    blocks.push(Block::Sentences(list_pivotal_statements(graph, opinion)));
    blocks
}

/// Statements without which the graph would favour another side, or nobody.
fn list_pivotal_statements(graph: &Graph, opinion: &Opinion) -> Vec<Sentence> {
    if opinion.favours.is_none() || !opinion.engaged || graph.statements.len() > TRIALS_MAX {
        return Vec::new();
    }
    let name = |favours: Option<usize>| favours.map_or("nobody", |side| graph.sides[side].as_str());
    let trials = graph.statements.iter().enumerate().filter_map(|(at, statement)| {
        let then = Opinion::find_favoured_side(&graph.without_statements(&BTreeSet::from([at])));
        let (id, speaker) = (&statement.id, &statement.speaker);
        (then != opinion.favours).then(|| {
            let (then, now) = (name(then), name(opinion.favours));
            let what = format!("the argument graph would favour {then}; now it favours {now}.");
            Sentence::new(statement.seq, format!("Without {id} of {speaker} {what}"))
        })
    });
    trials.take(TRIALS_TOLD_MAX).collect()
}

/// What a model extracted, with the words that support it, so that a reader can check each edge.
fn build_extraction_table(scene: &ReportInput<'_>) -> Option<Table> {
    let graph = &scene.graph;
    let by = &graph.extracted.as_ref()?.by;
    let rows = graph.edges.iter().filter(|edge| edge.extracted).map(|edge| {
        let [from, to] = [edge.from, edge.to].map(|at| graph.statements[at].id.clone());
        vec![from, format!("{} {to}", edge.relation.verb()), edge.text.clone()]
    });
    let caption =
        format!("Relations extracted from prose by {by}, kept where two readings agree and the words stand there.");
    Table::new(caption, &["Statement", "Extracted", "By the words"], &[], rows).if_filled()
}

fn build_statement_table(scene: &ReportInput<'_>) -> Table {
    let (graph, opinion) = (&scene.graph, &scene.opinion);
    let rows = graph.statements.iter().enumerate().map(|(at, statement)| {
        let strength = opinion.strengths[1].as_ref().filter(|_| graph.has_sides());
        let strength = strength.map(|all| format!("{:.2}", all[at])).unwrap_or_default();
        let title = if statement.text.is_some() { statement.title.as_str() } else { "redacted" };
        let is_ruled_on = graph.has_sides() || graph.decided_label(statement).is_some();
        let standing = if is_ruled_on { opinion.standing[at].to_string() } else { String::new() };
        vec![
            statement.id.clone(),
            format!("{}: {title}", statement.speaker),
            graph.describe_relations(at).join("; "),
            standing,
            strength,
            statement.score.map(crate::statement::format_score).unwrap_or_default(),
        ]
    });
    let became = if graph.has_sides() { "By the graph" } else { "Became of it" };
    let head = ["Statement", "Says", "Of others", became, "Strength", "Judge"];
    let caption = match graph.has_sides() {
        true => {
            "The map in words. Strength is from 0 to 1; every statement begins at 0.5, and attacks and supports move it."
        }
        false => "The map in words.",
    };
    Table::new(caption, &head, &[4, 5], rows)
}
