//! A graph in the languages of other programs.

mod aif;
mod argdown;
mod dot;
mod json;
mod mermaid;

use std::collections::BTreeSet;

use agon_core::Record;

use super::Graph;

/// A language that graphs are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
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

impl Language {
    /// All.
    pub const ALL: [Language; 5] =
        [Language::Mermaid, Language::Dot, Language::Argdown, Language::Aif, Language::Json];

    /// As the command line names it.
    pub fn name(self) -> &'static str {
        match self {
            Language::Mermaid => "mermaid",
            Language::Dot => "dot",
            Language::Argdown => "argdown",
            Language::Aif => "aif",
            Language::Json => "json",
        }
    }

    /// The language called `name`.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }
}

/// `whole`, the graph of `record`, without its statements `struck`.
pub fn render(record: &Record, whole: &Graph, struck: &BTreeSet<usize>, language: Language) -> String {
    let graph = whole.without(struck);
    match language {
        Language::Mermaid => mermaid::render(record, &graph, struck.is_empty()),
        Language::Dot => dot::render(record, &graph),
        Language::Argdown => argdown::render(record, &graph),
        Language::Aif => aif::render(record, &graph),
        Language::Json => json::render(record, whole, &graph),
    }
}

/// A Mermaid diagram of `graph`, every text in it guarded.
pub fn diagram(record: &Record, graph: &Graph) -> String {
    mermaid::diagram(record, graph)
}

/// A title for a label, whatever became of the words.
fn label(statement: &super::Statement) -> String {
    match &statement.text {
        Some(_) => super::one_line(&statement.title),
        None => "redacted".into(),
    }
}

/// `text` without what cannot be seen.
fn visible(text: &str) -> String {
    text.chars().map(|c| if crate::markdown::is_unseen(c) { ' ' } else { c }).collect()
}
