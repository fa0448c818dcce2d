//! What each side holds, in its own words.

use agon_core::Record;
use comrak::{Arena, Node, Options, nodes::NodeValue, parse_document};

use super::super::{Block, ReportInput, Voice};
use crate::graph::{Graph, GraphStatement, debaters, one_line, shortened};

/// Longest excerpt, in characters.
const EXCERPT_CHARS_MAX: usize = 600;

pub(super) fn blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let views = crate::views_of(scene.record);
    let sides = 0..scene.graph.sides.len();
    let voices = sides.filter_map(|side| views.voice(scene.record, &scene.graph, side)).map(Block::Voice);
    voices.chain(views.disagreements(scene.record).map(Block::Table)).collect()
}

/// Where a side began and where it ended.
pub(crate) fn ends(graph: &Graph, side: usize, tag: String) -> Voice {
    let own: Vec<_> = graph.statements.iter().filter(|statement| statement.side == side).collect();
    let shown = own.first().into_iter().chain(own.last().filter(|_| own.len() > 1));
    let items = shown.map(|statement| item(statement, excerpt)).collect();
    Voice { side: Some(side), name: graph.sides[side].clone(), tag, items }
}

/// Who argues as `side`, in the words of the line-up.
pub(crate) fn persona(record: &Record, side: usize) -> String {
    let seat = debaters(record).into_iter().nth(side).map(|(seat, _)| seat);
    let sat = record.opened().lineup.iter().find(|sat| Some(&sat.seat) == seat.as_ref());
    sat.and_then(|sat| sat.persona.clone()).unwrap_or_default()
}

/// A statement of a voice, with its words as `shown` has them.
pub(crate) fn item(statement: &GraphStatement, shown: impl FnOnce(&str) -> String) -> (String, String) {
    let text = statement.text.as_deref().unwrap_or("This text was redacted.");
    (format!("{} · {}", statement.id, statement.when), shown(text))
}

/// What a text says, as prose: its paragraphs and the items of its lists, without headings, tables, code
/// and the marks of its layout. What is all layout is shown as words.
pub(crate) fn excerpt(text: &str) -> String {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    let arena = Arena::new();
    let page = parse_document(&arena, text, &options);
    let paragraphs = page.descendants().filter(|node| matches!(node.data().value, NodeValue::Paragraph));
    let mut prose = String::new();
    for paragraph in paragraphs {
        let is_item = |node: &Node<'_>| matches!(node.data().value, NodeValue::Item(_));
        let words = words(paragraph);
        if words.is_empty() {
            continue;
        }
        prose.push_str(&words);
        // Items of a list are read one after the other.
        if paragraph.parent().as_ref().is_some_and(is_item) && words.ends_with(char::is_alphanumeric) {
            prose.push(';');
        }
        prose.push(' ');
    }
    let prose = if prose.is_empty() { words(page) } else { prose };
    shortened(prose.trim_end_matches([' ', ';']), EXCERPT_CHARS_MAX)
}

/// The words below `node`, in one line.
fn words(node: Node<'_>) -> String {
    let mut words = String::new();
    for node in node.descendants() {
        match &node.data().value {
            NodeValue::Text(text) => words.push_str(text),
            NodeValue::Code(code) => words.push_str(&code.literal),
            // Angle brackets are words here, as everywhere.
            NodeValue::HtmlInline(text) => words.push_str(text),
            NodeValue::CodeBlock(code) => words.push_str(&code.literal),
            value if value.block() => words.push(' '),
            NodeValue::SoftBreak | NodeValue::LineBreak => words.push(' '),
            _ => {}
        }
    }
    one_line(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_reads_as_prose() {
        for (text, wanted) in [
            (
                "# Plan\n\n**Goal**: keep *one* cache.\n\n- **Size**: `64 MB`\n- Clear it at night.\n\nDone.",
                "Goal: keep one cache. Size: 64 MB; Clear it at night. Done.",
            ),
            ("One line\nand its end.\n\n1. first\n2. second\n", "One line and its end. first; second"),
            (
                "| a | b |\n|---|---|\n| c | d |\n\nThe table says it [here](https://a.b).",
                "The table says it here.",
            ),
            ("## Only\n\n### headings", "Only headings"),
            ("I say 2 * 3 is six - or so.", "I say 2 * 3 is six - or so."),
            ("It is a Vec<String> of <b>.", "It is a Vec<String> of <b>."),
            ("> quoted words\n\n```\nlet x;\n```\n", "quoted words"),
        ] {
            assert_eq!(excerpt(text), wanted, "{text}");
        }
    }
}
