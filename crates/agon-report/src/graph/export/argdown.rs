//! Argdown: statements by their titles, relations below the statement that speaks.

use agon_core::Record;

use super::{replace_unprintable, statement_label};
use crate::graph::{Graph, GraphStatement, Relation, shorten_text};

pub(super) fn render_argdown(record: &Record, graph: &Graph) -> String {
    let title = strip_markup(&shorten_text(&record.opened().motion, 120));
    let mut blocks = vec![format!("===\ntitle: {}\n===", serde_json::json!(title))];
    for (at, statement) in graph.statements.iter().enumerate() {
        let said = statement.text.as_deref().map_or("(redacted)".to_owned(), strip_markup);
        let speaker = strip_markup(&statement.speaker).replace(['(', ')'], "");
        let mut lines = vec![format!("[{}]: {said} #({speaker})", statement_name(statement))];
        for edge in graph.edges.iter().filter(|edge| edge.from == at) {
            let sign = match edge.relation {
                Relation::Attack => "->",
                Relation::Support => "+>",
                Relation::Concession | Relation::Citation => continue,
            };
            let by = graph.extraction_label(edge.extracted);
            let mark = by.map(|by| format!(" /* {} */", strip_markup(&by))).unwrap_or_default();
            let line = format!("  {sign} [{}]{mark}", statement_name(&graph.statements[edge.to]));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        blocks.push(lines.join("\n"));
    }
    blocks.join("\n\n") + "\n"
}

/// A title that no other statement has.
fn statement_name(statement: &GraphStatement) -> String {
    format!("{} {}", statement.id, strip_markup(&statement_label(statement))).trim().to_owned()
}

/// Text in which nothing is markup: brackets, tags, and signs of relations are taken out.
fn strip_markup(text: &str) -> String {
    let line = agon_text::to_single_line(&replace_unprintable(text));
    let plain: String = line.chars().map(|c| if "[]{}<>#@*_`\\|=~".contains(c) { ' ' } else { c }).collect();
    let plain = agon_text::to_single_line(&plain.replace("//", "/ /").replace("/*", "/ *").replace("--", "- -"));
    plain.trim_start_matches(['+', '-', '(', '.', ' ']).to_owned()
}
