//! What each side holds, in its own words.

use agon_core::Record;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{Block, ReportInput, Voice};
use crate::graph::{Graph, GraphStatement, list_debaters, semantics::StatementLabel, shorten_text};

/// Longest excerpt, in characters.
const EXCERPT_CHARS_MAX: usize = 600;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let views = crate::views_of(scene.record);
    let sides = 0..scene.graph.sides.len();
    let voices = sides.filter_map(|side| views.build_voice(scene.record, &scene.graph, side)).map(Block::Voice);
    voices.chain(views.build_disagreement_table(scene.record).map(Block::Table)).collect()
}

/// Where a side began and where it ended; where nobody takes a side, what held of what was said, if anything did.
pub(crate) fn build_ends_voice(graph: &Graph, side: usize, tag: String) -> Option<Voice> {
    let held = |statement: &&GraphStatement| graph.decided_label(statement) == Some(StatementLabel::Stands);
    let own = graph.statements.iter().filter(|statement| statement.side == side);
    let mut shown: Vec<_> = own.filter(|statement| graph.has_sides() || held(statement)).collect();
    if graph.has_sides() && shown.len() > 2 {
        shown.drain(1..shown.len() - 1);
    }
    let items = shown.into_iter().map(|statement| build_voice_item(statement, extract_prose)).collect::<Vec<_>>();
    let is_told = graph.has_sides() || !items.is_empty();
    is_told.then(|| Voice { side: Some(side), name: graph.sides[side].clone(), tag, items })
}

/// Who argues as `side`, in the words of the line-up.
pub(crate) fn describe_persona(record: &Record, side: usize) -> String {
    let seat = list_debaters(record).into_iter().nth(side).map(|(seat, _)| seat);
    let sat = record.opened().lineup.iter().find(|sat| Some(&sat.seat) == seat.as_ref());
    sat.and_then(|sat| sat.persona.clone()).unwrap_or_default()
}

/// A statement of a voice, with its words as `shown` has them.
pub(crate) fn build_voice_item(statement: &GraphStatement, shown: impl FnOnce(&str) -> String) -> (String, String) {
    let text = statement.text.as_deref().unwrap_or("This text was redacted.");
    (format!("{} · {}", statement.id, statement.when), shown(text))
}

/// What a text says, as prose: its paragraphs and the items of its lists, without headings, tables, code
/// and the marks of its layout. What is all layout is shown as words.
pub(crate) fn extract_prose(text: &str) -> String {
    let (mut prose, mut all) = (String::new(), String::new());
    // The paragraph that is being read, and how deep that is in headings, tables and code.
    let (mut paragraph, mut is_item, mut layout) = (String::new(), false, 0_usize);
    let mut end = |paragraph: &mut String, is_item: bool| {
        let words = agon_text::to_single_line(&std::mem::take(paragraph));
        if !words.is_empty() {
            // Items of a list are read one after the other.
            let mark = if is_item && words.ends_with(char::is_alphanumeric) { "; " } else { " " };
            prose.extend([&words, mark]);
        }
    };
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        let words = match &event {
            Event::Start(Tag::Heading { .. } | Tag::Table(_) | Tag::CodeBlock(_)) => {
                layout += 1;
                " "
            }
            Event::End(TagEnd::Heading(_) | TagEnd::Table | TagEnd::CodeBlock) => {
                layout -= 1;
                " "
            }
            Event::Start(Tag::Paragraph | Tag::List(_) | Tag::Item) | Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                end(&mut paragraph, is_item);
                is_item = matches!(event, Event::Start(Tag::Item))
                    || is_item && matches!(event, Event::Start(Tag::Paragraph));
                " "
            }
            // Angle brackets are words here, as everywhere.
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => text,
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::TableCell) => " ",
            _ => "",
        };
        all.push_str(words);
        if layout == 0 {
            paragraph.push_str(words);
        }
    }
    end(&mut paragraph, is_item);
    let prose = if prose.is_empty() { agon_text::to_single_line(&all) } else { prose };
    shorten_text(prose.trim_end_matches([' ', ';']), EXCERPT_CHARS_MAX)
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
            ("| a | b |\n|---|---|\n| c | d |\n\nThe table says it [here](https://a.b).", "The table says it here."),
            ("## Only\n\n### headings", "Only headings"),
            ("I say 2 * 3 is six - or so.", "I say 2 * 3 is six - or so."),
            ("It is a Vec<String> of <b>.", "It is a Vec<String> of <b>."),
            ("> quoted words\n\n```\nlet x;\n```\n", "quoted words"),
        ] {
            assert_eq!(extract_prose(text), wanted, "{text}");
        }
    }
}
