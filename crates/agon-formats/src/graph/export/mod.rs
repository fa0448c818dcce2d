//! A graph in the languages of other programs.

mod aif;
mod argdown;
mod dot;
mod json;
mod mermaid;

use std::collections::BTreeSet;

use agon_core::Record;

pub use self::mermaid::render_diagram;
use super::Graph;

/// A language that graphs are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    /// As the command line names it.
    pub fn name(self) -> &'static str {
        match self {
            GraphLanguage::Mermaid => "mermaid",
            GraphLanguage::Dot => "dot",
            GraphLanguage::Argdown => "argdown",
            GraphLanguage::Aif => "aif",
            GraphLanguage::Json => "json",
        }
    }

    /// The language called `name`.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }
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
        Some(_) => super::one_line(&statement.title),
        None => "redacted".into(),
    }
}

/// `text` without what cannot be seen.
fn replace_unprintable(text: &str) -> String {
    text.chars().map(|c| if agon_text::is_unprintable(c) { ' ' } else { c }).collect()
}
