//! A graph in the languages of other programs.

mod aif;
mod argdown;
mod dot;
mod json;
mod mermaid;

use std::collections::BTreeSet;

use agon_core::Record;
use strum::VariantNames;

pub use self::mermaid::render_diagram;
use super::Graph;

/// A language that graphs are written in, shown and read as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display, strum::EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum GraphLanguage {
    /// Mermaid. The graph of an exchange is its `argument-graph.mmd`, byte for byte.
    Mermaid,
    /// Graphviz.
    Dot,
    /// Argdown.
    Argdown,
    /// The Argument Interchange Format, as JSON.
    Aif,
    /// All that is known, with what follows from it.
    Json,
}

impl GraphLanguage {
    /// All.
    pub const ALL: [GraphLanguage; 5] =
        [GraphLanguage::Mermaid, GraphLanguage::Dot, GraphLanguage::Argdown, GraphLanguage::Aif, GraphLanguage::Json];

    /// As the command line names them.
    pub const NAMES: &[&str] = Self::VARIANTS;
}

/// `whole`, the graph of `record`, without its statements `struck`.
pub fn export_graph(record: &Record, whole: &Graph, struck: &BTreeSet<usize>, language: GraphLanguage) -> String {
    let graph = whole.without_statements(struck);
    match language {
        GraphLanguage::Mermaid => mermaid::render_mermaid(record, &graph, struck.is_empty()),
        GraphLanguage::Dot => dot::render_dot(record, &graph),
        GraphLanguage::Argdown => argdown::render_argdown(record, &graph),
        GraphLanguage::Aif => aif::render_aif(record, &graph),
        GraphLanguage::Json => json::render_json(record, whole, &graph),
    }
}

/// A title for a label, whatever became of the words.
fn statement_label(statement: &super::GraphStatement) -> String {
    match &statement.text {
        Some(_) => agon_text::to_single_line(&statement.title),
        None => "redacted".into(),
    }
}

/// `text` without what cannot be seen.
fn replace_unprintable(text: &str) -> String {
    text.chars().map(|c| if agon_text::is_unprintable(c) { ' ' } else { c }).collect()
}
