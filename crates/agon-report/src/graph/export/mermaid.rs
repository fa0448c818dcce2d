//! Mermaid: the protocol's own diagram where there is one, else one of the same make.

use agon_core::Record;

use super::{replace_unprintable, statement_label};
use crate::graph::{Graph, Relation};

const FILE: &str = "argument-graph.mmd";
const COLOURS: [(&str, &str); 6] = [
    ("#1B5E20", "#4CAF50"),
    ("#B71C1C", "#F44336"),
    ("#283593", "#7986CB"),
    ("#5D4037", "#BCAAA4"),
    ("#6A1B9A", "#BA68C8"),
    ("#00695C", "#4DB6AC"),
];

pub(super) fn render_mermaid(record: &Record, graph: &Graph, whole: bool) -> String {
    // A protocol's own file has no place for what a model extracted.
    let own = crate::find_recorded_format(record).filter(|_| whole && graph.extracted.is_none());
    let own = own.and_then(|format| format.render_files(record).into_iter().find(|file| file.path == FILE));
    own.map_or_else(|| render_graph(graph), |file| file.content)
}

/// A Mermaid diagram of `graph`, every text in it guarded: one that was taken over as it is may hold whatever its maker
/// wrote.
pub fn render_diagram(record: &Record, graph: &Graph) -> String {
    let own = crate::views_of(record).render_diagram(record).filter(|_| graph.extracted.is_none());
    own.unwrap_or_else(|| render_graph(graph))
}

fn render_graph(graph: &Graph) -> String {
    let mut lines = vec!["graph TD".to_owned()];
    let by = graph.extraction_label(true).map(|by| escape_text(&by)).unwrap_or_default();
    for statement in &graph.statements {
        let id = node_id(&statement.id);
        let (fill, stroke) = COLOURS[statement.side % COLOURS.len()];
        let (speaker, title) = (escape_text(&statement.speaker), escape_text(&statement_label(statement)));
        let score = statement.score.map(|score| format!("<br/>⭐ {score:.2}")).unwrap_or_default();
        lines.push(format!("    {id}[\"{}<br/>{speaker}: {title}{score}\"]", statement.id));
        lines.push(format!("    style {id} fill:{fill},stroke:{stroke},stroke-width:2px,color:#FFFFFF"));
    }
    let (mut edges, mut styles) = (Vec::new(), Vec::new());
    for edge in &graph.edges {
        let (from, to) = (&graph.statements[edge.from].id, &graph.statements[edge.to].id);
        let (arrow, mark, colour) = match edge.relation {
            Relation::Attack => ("-->", "⚔️", "#ff9800"),
            Relation::Support => ("-->", "🛡️", "#2196F3"),
            Relation::Concession => ("-.->", "↩️", "#2196F3"),
            Relation::Citation => ("-.->", "🔗", "#9E9E9E"),
        };
        let (arrow, kind) = if edge.extracted { ("-.->", &by) } else { (arrow, &escape_text(&edge.kind)) };
        let line = format!("    {} {arrow}|{mark} {kind}| {}", node_id(from), node_id(to));
        // Several points of one kind between the same two are one line.
        if !edges.contains(&line) {
            styles.push(format!("    linkStyle {} stroke:{colour},stroke-width:2px", edges.len()));
            edges.push(line);
        }
    }
    for part in [edges, styles].into_iter().filter(|part| !part.is_empty()) {
        lines.push(String::new());
        lines.extend(part);
    }
    lines.join("\n") + "\n"
}

/// An id that cannot be a word of the language, such as `end`.
fn node_id(id: &str) -> String {
    format!("s_{}", id.replace('-', "_"))
}

/// A text within a quoted label or between bars.
fn escape_text(text: &str) -> String {
    let mut out = String::new();
    for c in replace_unprintable(text).chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '#' | '`' | '|' | '{' | '}' | '[' | ']' | '(' | ')' | ';' | '%' | '&' | '\\' => {
                out.push_str(&format!("#{};", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}
