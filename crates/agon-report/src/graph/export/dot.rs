//! DOT, the language of Graphviz.

use agon_core::Record;

use super::{replace_unprintable, statement_label};
use crate::graph::{Graph, Relation};

const COLOURS: [&str; 6] = ["#0d6a60", "#a3431f", "#4b4fa3", "#7a5b00", "#8a2f6b", "#2b6a2f"];

pub(super) fn render_dot(record: &Record, graph: &Graph) -> String {
    let mut lines = vec![
        format!("digraph {} {{", quote_text(record.opened().debate.as_str())),
        "  rankdir=BT;".into(),
        "  node [shape=box, style=rounded, fontname=\"sans-serif\"];".into(),
    ];
    for statement in &graph.statements {
        let colour = COLOURS[statement.side % COLOURS.len()];
        let text = format!("{}\n{}: {}", statement.id, statement.speaker, statement_label(statement));
        let style = if statement.text.is_none() { ", style=\"rounded,dashed\"" } else { "" };
        let (id, label) = (quote_text(&statement.id), quote_text(&text));
        lines.push(format!("  {id} [label={label}, color=\"{colour}\"{style}];"));
    }
    for edge in &graph.edges {
        let (from, to) = (&graph.statements[edge.from].id, &graph.statements[edge.to].id);
        let look = match edge.relation {
            Relation::Attack => "color=\"#b3261e\"",
            Relation::Support => "color=\"#1d5fa8\", arrowhead=empty",
            Relation::Concession => "color=\"#1d5fa8\", style=dashed",
            Relation::Citation => "color=\"#8a8578\", style=dotted, arrowhead=open",
        };
        let (kind, look) = match graph.extraction_label(edge.extracted) {
            Some(by) => (by, format!("{look}, style=dashed, penwidth=0.7")),
            None => (edge.kind.clone(), look.to_owned()),
        };
        let kind = format!("{}: {kind}", edge.relation);
        lines.push(format!("  {} -> {} [label={}, {look}];", quote_text(from), quote_text(to), quote_text(&kind)));
    }
    lines.push("}".into());
    lines.join("\n") + "\n"
}

/// A quoted text. A backslash would begin an escape of the language.
fn quote_text(text: &str) -> String {
    let escaped = |line: &str| replace_unprintable(line).replace('\\', "\\\\").replace('"', "\\\"");
    let lines: Vec<String> = text.split('\n').map(escaped).collect();
    format!("\"{}\"", lines.join("\\n"))
}
