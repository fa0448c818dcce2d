//! What each side holds, in its own words.

use agon_core::View;
use agon_protocols::{
    duel::history::History,
    exchange::argument::Side,
    panel::{disagreement::State, state::Panel},
};
use comrak::{Arena, Node, Options, nodes::NodeValue, parse_document};

use super::{
    super::{Block, Scene, Table, Voice},
    head,
};
use crate::graph::{debaters, one_line, shortened};

/// Longest excerpt, in characters.
const EXCERPT_CHARS_MAX: usize = 600;

pub(super) fn blocks(scene: &Scene<'_>) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        (0..scene.graph.sides.len()).filter_map(|side| voice(scene, side)).map(Block::Voice).collect();
    if crate::graph::protocol(scene.record) == "panel" {
        blocks.extend(disagreements(scene));
    }
    blocks
}

fn voice(scene: &Scene<'_>, side: usize) -> Option<Voice> {
    let view = View::whole(scene.record);
    let protocol = crate::graph::protocol(scene.record);
    let own: Vec<_> = scene.graph.statements.iter().filter(|statement| statement.side == side).collect();
    let shown: Vec<_> = match protocol {
        // The case that was made before anybody answered it, and what it came to.
        "exchange" => own.clone(),
        // Where it began and where it ended.
        _ => own.first().into_iter().chain(own.last().filter(|_| own.len() > 1)).copied().collect(),
    };
    let items = shown.iter().map(|statement| {
        let text = statement.text.as_deref().unwrap_or("This text was redacted.");
        let text = match protocol {
            "exchange" if !statement.title.is_empty() => {
                format!("{}. {text}", statement.title.trim_end_matches('.'))
            }
            _ => excerpt(text),
        };
        (format!("{} · {}", statement.id, statement.when), text)
    });
    let items: Vec<(String, String)> = items.collect();
    let tag = match protocol {
        "exchange" => format!("{} the motion", Side::BOTH.get(side)?.stance()),
        "duel" => {
            let history = History::of(&view);
            let latest = history.members.get(side).and_then(|member| history.latest(member));
            latest.map(|turn| stance(turn.accepted.stance.name())).unwrap_or_default()
        }
        _ => {
            let seat = debaters(scene.record).into_iter().nth(side).map(|(seat, _)| seat);
            let sat = scene.record.opened().lineup.iter().find(|sat| Some(&sat.seat) == seat.as_ref());
            sat.and_then(|sat| sat.persona.clone()).unwrap_or_default()
        }
    };
    Some(Voice { side: Some(side), name: scene.graph.sides[side].clone(), tag, items })
}

/// What a text says, as prose: its paragraphs and the items of its lists, without headings, tables, code
/// and the marks of its layout. What is all layout is shown as words.
fn excerpt(text: &str) -> String {
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

/// `ACCEPTING_CONSENSUS` as people write it.
pub(super) fn stance(name: &str) -> String {
    name.to_lowercase().replace('_', " ")
}

fn disagreements(scene: &Scene<'_>) -> Option<Block> {
    let panel = Panel::of(&View::whole(scene.record));
    let rows = panel.disagreements.iter().map(|about| {
        let [one, other] =
            about.claims.each_ref().map(|claim| format!("{}: “{}”", panel.name(&claim.seat), claim.quote));
        let state = match about.state {
            State::Active => "open",
            State::Converged => "converged",
            State::Deadlocked => "deadlocked",
            State::Unresolved => "unresolved",
        };
        vec![about.id.clone(), about.topic.clone(), one, other, state.to_owned()]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    (!rows.is_empty()).then(|| {
        Block::Table(Table {
            caption: "What they disagreed about".into(),
            head: head(&[
                ("", false),
                ("About", false),
                ("One side", false),
                ("The other", false),
                ("Now", false),
            ]),
            rows,
        })
    })
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
