//! The same report as Markdown: drawings by what they say, and as tables.

use super::{Block, Cited, Illustration, ReportDocument, Table, Voice};
use crate::first_page::{FirstPage, NOTHING_DECISIVE, NOTHING_OPEN, Sentence, StatedAnswer, TRUST_HINT};
use agon_text::{
    end_sentence,
    markdown::{escape_cell, escape_line, escape_prose, escape_start, escape_title},
};

pub(super) fn render_markdown(sheet: &ReportDocument) -> String {
    let kicker: Vec<String> = sheet.kicker.iter().map(|part| escape_line(part)).collect();
    let mut blocks = vec![format!("# {}", escape_title(&sheet.title)), kicker.join(" · ")];
    blocks.extend(render_first_page(&sheet.first_page));
    for section in &sheet.sections {
        blocks.push(format!("## {}", section.title));
        blocks.extend(section.blocks.iter().flat_map(render_block));
    }
    if let Some(motion) = &sheet.motion {
        blocks.extend(["## The whole motion".to_owned(), escape_prose(motion)]);
    }
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

/// The answer, how it ended, what makes that untrustworthy, how far it can be trusted, what the answer rests on, what
/// would change the outcome, and what was not settled.
fn render_first_page(page: &FirstPage) -> Vec<String> {
    let sentences = |all: &[Sentence], between: &str| all.iter().map(render_sentence).collect::<Vec<_>>().join(between);
    let mut blocks = Vec::new();
    if !page.answers.is_empty() {
        blocks.push("## Answer".to_owned());
        blocks.extend(page.answers.iter().flat_map(render_answer));
    }
    blocks.extend(["## How it ended".to_owned(), mark_bold(&page.verdict)]);
    if !page.positions.is_empty() {
        blocks.push(list_sentences(&page.positions));
    }
    if !page.doubts.is_empty() {
        blocks.push(format!("**Read with care.** {}", sentences(&page.doubts, " ")));
    }
    blocks.extend([sentences(&page.trust, " · "), format!("_{TRUST_HINT}_")]);
    blocks.extend(page.told.iter().map(|told| escape_prose(told.text.trim())));
    blocks.extend(page.cost.iter().map(|cost| escape_start(cost)));
    if !page.basis.points.is_empty() {
        let points = page.basis_sentences();
        blocks.extend([format!("## {}", page.basis.title), list_sentences(&points)]);
    }
    let told = |all: &[Sentence], none: &str| if all.is_empty() { escape_prose(none) } else { list_sentences(all) };
    if page.told.is_some() {
        blocks.extend(["## What would change how it ended".to_owned(), told(&page.flips, NOTHING_DECISIVE)]);
    }
    blocks.extend(["## What was not settled".to_owned(), told(&page.open, NOTHING_OPEN)]);
    blocks
}

fn render_answer(answer: &StatedAnswer) -> [String; 2] {
    let StatedAnswer { by, answer, seq } = answer;
    let more = [("Why", &answer.because), ("Changes if", &answer.unless)].into_iter();
    let more: String = more
        .filter(|(_, text)| !text.is_empty())
        .map(|(label, text)| format!("{label}: {} ", end_sentence(&escape_line(text))))
        .collect();
    [mark_bold(&answer.action), format!("{more}({}, [{seq}](#entry-{seq}))", escape_line(by))]
}

fn mark_bold(text: &str) -> String {
    format!("**{}**", escape_line(text).replace('*', ""))
}

fn render_block(block: &Block) -> Vec<String> {
    match block {
        Block::Prose(text) => vec![escape_prose(text.trim())],
        Block::Note(text) => vec![escape_start(text)],
        Block::Points { points, .. } => {
            let point = |(at, text): &(String, String)| match at.is_empty() {
                true => format!("- {}", escape_start(text)),
                false => format!("- {}: {}", escape_start(at), escape_line(text)),
            };
            vec![points.iter().map(point).collect::<Vec<_>>().join("\n")]
        }
        Block::Voice(Voice { name, tag, items, .. }) => {
            let tag = if tag.is_empty() { String::new() } else { format!(" ({})", escape_line(tag)) };
            let said = items.iter().map(|(at, text)| format!("- {}: {}", escape_start(at), escape_line(text)));
            vec![format!("### {}{tag}", escape_line(name)), said.collect::<Vec<_>>().join("\n")]
        }
        Block::Table(table) => self::render_table(table),
        // A drawing has no text here: the table next to it shows the same.
        Block::Figure(Illustration { table: None, mermaid: None, .. }) => Vec::new(),
        Block::Figure(Illustration { caption, table, mermaid, .. }) => {
            let mut blocks = vec![escape_start(caption)];
            blocks.extend(mermaid.iter().map(|diagram| format!("```mermaid\n{}\n```", diagram.trim_end())));
            blocks.extend(table.iter().flat_map(self::render_table));
            blocks
        }
        Block::Commands(lines) => vec![format!("```sh\n{}\n```", lines.join("\n"))],
        Block::Sentences(all) => vec![list_sentences(all)],
        Block::Details { summary, blocks } => {
            render_details(summary, blocks.iter().flat_map(self::render_block).collect())
        }
        Block::Entry(Cited { seq, by, paragraphs, rest }) => {
            let mut blocks =
                vec![format!("### Entry {seq}"), format!("{}:", escape_start(by)), render_texts(paragraphs)];
            if !rest.is_empty() {
                blocks.extend(render_details("More of it", vec![render_texts(rest)]));
            }
            blocks
        }
    }
}

/// A sentence with its quotation, and the way to the entry that it rests on.
fn render_sentence(sentence: &Sentence) -> String {
    let Sentence { text, quote, seq } = sentence;
    let quote = quote.as_ref().map(|quote| format!(" “{}”", escape_line(quote))).unwrap_or_default();
    format!("{}{quote} [{seq}](#entry-{seq})", escape_start(text))
}

fn list_sentences(all: &[Sentence]) -> String {
    all.iter().map(|one| format!("- {}", render_sentence(one))).collect::<Vec<_>>().join("\n")
}

/// Texts of an entry: one as prose, several as the items of a list.
fn render_texts(texts: &[String]) -> String {
    match texts {
        [text] => escape_prose(text),
        all => all.iter().map(|text| format!("- {}", escape_start(text))).collect::<Vec<_>>().join("\n"),
    }
}

/// Blocks behind one line.
fn render_details(summary: &str, blocks: Vec<String>) -> Vec<String> {
    let mut all = vec![format!("<details>\n<summary>{}</summary>", escape_line(summary))];
    all.extend(blocks);
    all.push("</details>".into());
    all
}

fn render_table(table: &Table) -> Vec<String> {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut lines = vec![row(table.head.iter().map(|(head, _)| escape_cell(head)).collect())];
    let rule = |(_, figures): &(String, bool)| if *figures { "---:" } else { "---" };
    lines.push(format!("|{}|", table.head.iter().map(rule).collect::<Vec<_>>().join("|")));
    lines.extend(table.rows.iter().map(|cells| row(cells.iter().map(|text| escape_cell(text)).collect())));
    let caption = escape_start(table.caption.trim_end_matches('.'));
    vec![if caption.is_empty() { caption } else { caption + ":" }, lines.join("\n")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_without_words_leaves_no_heading() {
        let figure = |mermaid: Option<&str>| {
            Block::Figure(Illustration {
                drawing: maud::html! {},
                caption: "Tokens by seat".into(),
                legend: None,
                wide: false,
                table: None,
                mermaid: mermaid.map(str::to_owned),
            })
        };
        assert!(render_block(&figure(None)).is_empty());
        assert_eq!(render_block(&figure(Some("graph TD"))).len(), 2);
    }
}
