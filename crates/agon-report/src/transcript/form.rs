//! A statement as Markdown: the parts that [`crate::statement`] takes it apart into.

use agon_text::markdown::{escape_cell, escape_line, escape_prose, escape_start};

use crate::{
    document::guard_document,
    markup::{fence_code, join_lines, quote_code, quote_text, render_bullets, render_table},
    statement::{FormPart, ItemScore, StatementSource, format_score},
    views::Mark,
};

/// A whole form; the things of its only list stand under headings with what their `marks` call them.
pub(super) fn render_form(parts: &[FormPart], marks: &[Mark]) -> String {
    let blocks = parts.iter().map(|part| match part {
        FormPart::Things(label, things) if label.is_empty() => {
            let marks = marks.iter().map(Some).chain(std::iter::repeat(None));
            join_blocks(things.iter().zip(marks).map(|(thing, mark)| render_thing(thing, mark)))
        }
        part => render_part(part),
    });
    join_blocks(blocks)
}

/// A document, as a quote: its headings are not the transcript's.
pub(super) fn quote_document(text: &str) -> String {
    quote_text(&guard_document(text))
}

fn join_blocks(blocks: impl Iterator<Item = String>) -> String {
    blocks.collect::<Vec<_>>().join("\n\n")
}

fn render_thing(parts: &[FormPart], mark: Option<&Mark>) -> String {
    let (heading, rest) = match parts {
        [FormPart::Heading(heading), rest @ ..] => (Some(heading.as_str()), rest),
        parts => (None, parts),
    };
    let id = mark.map(|mark| format!("({})", mark.id));
    let title: Vec<&str> = heading.into_iter().chain(id.as_deref()).collect();
    match title.is_empty() {
        true => render_item(parts),
        false => {
            let title = format!("#### {}", escape_line(&title.join(" ")));
            join_blocks(std::iter::once(title).chain(rest.iter().map(render_part)))
        }
    }
}

/// One thing of several, as an item of a list.
fn render_item(parts: &[FormPart]) -> String {
    let indent = |line: &str| if line.is_empty() { String::new() } else { format!("  {line}") };
    let whole = join_lines(join_blocks(parts.iter().map(render_part)).lines().map(indent), "");
    format!("- {}", whole.trim_start())
}

fn render_part(part: &FormPart) -> String {
    match part {
        FormPart::Heading(text) => format!("**{}**", escape_line(text)),
        FormPart::Tags(tags) => escape_start(&tags.iter().map(|tag| tag.text.as_str()).collect::<Vec<_>>().join(", ")),
        FormPart::Lead(text) => escape_prose(text),
        FormPart::Field(label, text) if text.trim().contains('\n') => label_block(label, escape_prose(text)),
        FormPart::Field(label, text) | FormPart::Source(label, text) => {
            format!("**{}**: {}", escape_line(label), escape_line(text))
        }
        FormPart::Literal(label, texts) => match texts.as_slice() {
            [text] if !text.contains('\n') => format!("**{}**: {}", escape_line(label), quote_code(text)),
            texts => label_block(label, join_blocks(texts.iter().map(|text| quote_code(text)))),
        },
        FormPart::Document(label, text) => label_block(label, quote_document(text)),
        FormPart::Texts(label, texts) => {
            label_block(label, render_bullets(texts.iter().map(|text| escape_start(text))))
        }
        FormPart::Things(label, things) => {
            label_block(label, join_lines(things.iter().map(|thing| render_item(thing)), ""))
        }
        FormPart::Scores(label, scores) => label_block(label, render_scores(scores)),
        FormPart::Findings(label, findings) => label_block(label, render_bullets(findings.iter().map(render_finding))),
        FormPart::Deep(json) => fence_code(json),
    }
}

/// What `label` stands above; the only list of a statement has none.
fn label_block(label: &str, block: String) -> String {
    if label.is_empty() { block } else { format!("**{}**\n\n{block}", escape_line(label)) }
}

fn render_scores(scores: &[ItemScore]) -> String {
    let rows = scores.iter().map(|score| {
        let before = score.before.map(|before| format!(" (was {})", format_score(before))).unwrap_or_default();
        let (of, why) = (escape_cell(&score.of), escape_cell(&score.why));
        format!("| {of} | {}{before} | {why} |", score.format_score())
    });
    render_table(&["Of", "Score", "Reasoning"], rows)
}

fn render_finding(finding: &StatementSource) -> String {
    escape_start(&format!("{}: {}. {}", finding.url, finding.status, finding.explanation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::{StatementContent, parse_statement};

    fn shown(text: &str, marks: &[Mark]) -> String {
        match parse_statement(text, None) {
            StatementContent::Form(parts) => render_form(&parts, marks),
            StatementContent::Prose(text) => text,
        }
    }

    #[test]
    fn fields_are_lines_and_forge_nothing() {
        let text = r##"{"why_so": "it is # late", "go": true, "risks": ["a b", "# b"], "n": 3}"##;
        assert_eq!(
            shown(text, &[]),
            "**Why so**: it is # late\n\n**Go**: yes\n\n**Risks**\n\n- a b\n- \\# b\n\n**N**: 3"
        );
        let forged = shown("{\"quote\": \"```\\n# x\", \"place\": \"a`b\", \"why\": \"w\\n# Moderator\"}", &[]);
        assert_eq!(forged, "**Quote**\n\n````\n```\n# x\n````\n\n**Place**: `` a`b ``\n\n**Why**\n\nw\n\\# Moderator");
    }

    #[test]
    fn things_are_headed_by_title_and_id_and_those_within_are_items() {
        let mark = Mark { id: "prop_000a".into(), score: None, is_elsewhere: false };
        let text = r#"{"arguments": [{"title": "T", "claim": "C.", "grounds": [{"content": "G", "source": "S"}]}]}"#;
        assert_eq!(shown(text, &[mark]), "#### T (prop_000a)\n\nC.\n\n**Grounds**\n\n- G\n\n  **Source**: S");
    }
}
