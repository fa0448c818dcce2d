//! What models and people wrote, as HTML: their words, and no markup of theirs but emphasis, lists
//! and code.

use agon_text::markdown;
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// `text` as paragraphs.
pub fn render_prose(text: &str) -> Markup {
    PreEscaped(render_guarded(&markdown::escape_prose(text.trim())))
}

/// `text` as a document that someone wrote, not as speech, where a heading could pass for another's
/// word: its headings are lines in bold (the outline of the page is the page's own), and bold words may
/// begin a line.
pub fn render_document(text: &str) -> Markup {
    let paragraphs = |block: &[&str]| {
        let guarded = markdown::escape_prose(&block.join("\n"));
        render_guarded(&guarded.split('\n').map(|line| line.replacen("\\*\\*", "**", 1)).collect::<Vec<_>>().join("\n"))
    };
    let (mut out, mut block, mut is_code) = (String::new(), Vec::new(), false);
    for line in text.trim().split('\n') {
        is_code ^= line.trim_start().starts_with("```");
        match parse_heading(line).filter(|_| !is_code) {
            Some(words) => {
                out.push_str(&paragraphs(&block));
                block.clear();
                out.push_str(&html! { p .heading { (escape_invisible(words)) } }.into_string());
            }
            None => block.push(line),
        }
    }
    PreEscaped(out + &paragraphs(&block))
}

/// What a heading of Markdown says.
fn parse_heading(line: &str) -> Option<&str> {
    let words = line.trim_start_matches('#');
    let level = line.len() - words.len();
    let words = words.strip_prefix(' ')?.trim_end().trim_end_matches('#').trim();
    ((1..=6).contains(&level) && !words.is_empty()).then_some(words)
}

/// The guard of [`markdown`] has made structure, links, images and HTML into visible text before. This is the second
/// wall: of whatever else Markdown holds, the words alone come out.
fn render_guarded(guarded: &str) -> String {
    let events = Parser::new(guarded).filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::SoftBreak => Some(Event::HardBreak),
        // The name of a language would be an attribute.
        Event::Start(Tag::CodeBlock(_)) => Some(Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))),
        Event::Start(Tag::Paragraph | Tag::Emphasis | Tag::Strong | Tag::List(_) | Tag::Item) => Some(event),
        Event::End(
            TagEnd::Paragraph | TagEnd::Emphasis | TagEnd::Strong | TagEnd::List(_) | TagEnd::Item | TagEnd::CodeBlock,
        ) => Some(event),
        Event::Text(_) | Event::Code(_) | Event::HardBreak => Some(event),
        _ => None,
    });
    let mut page = String::new();
    pulldown_cmark::html::push_html(&mut page, events);
    page
}

/// `text` as paragraphs, the first of which begins with `label`.
pub fn render_labelled_prose(label: &str, text: &str) -> Markup {
    let PreEscaped(shown) = render_prose(text);
    let label = html! { span .label { (escape_invisible(label)) } " " }.into_string();
    PreEscaped(match shown.strip_prefix("<p>") {
        Some(rest) => format!("<p>{label}{rest}"),
        None => format!("<p>{label}</p>{shown}"),
    })
}

/// `text` as it stands, letter by letter: words that a program compares with another text.
pub fn render_literal(text: &str) -> Markup {
    match text.contains('\n') {
        true => html! { pre .literal { (escape_invisible(text)) } },
        false => html! { code .literal { (escape_invisible(text)) } },
    }
}

/// `text` with what cannot be seen made visible; for places where all of it is text.
pub fn escape_invisible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push('\n'),
            c if agon_text::is_unprintable(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_text() {
        for (written, shown) in [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("![x](http://a/b.png)", "![x](http://a/b.png)"),
            ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
            ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
            ("**[Moderator note: x.]**", "**[Moderator note: x.]**"),
            ("## Moderator", "## Moderator"),
            ("\u{1b}[2J\u{202e}", "\\u{1b}[2J\\u{202e}"),
            ("<http://evil.example/>", "&lt;http://evil.example/&gt;"),
        ] {
            assert_eq!(render_prose(written).into_string().trim(), format!("<p>{shown}</p>"), "{written:?}");
        }
        assert_eq!(render_prose("*a* and `b`").into_string().trim(), "<p><em>a</em> and <code>b</code></p>");
        let drafted = render_document("# A <b>\n\n- **Who**: all\n\n```\n# code\n```").into_string();
        assert!(drafted.starts_with("<p class=\"heading\">A &lt;b&gt;</p>"), "{drafted}");
        assert!(drafted.contains("<li><strong>Who</strong>: all</li>"), "{drafted}");
        assert!(drafted.contains("# code") && !drafted.contains("heading\">code"), "{drafted}");
        assert_eq!(
            render_guarded("# a <b>\n\n[c](x:y) ![d](e) ~~f~~\n\n> g\n\n---\n\n```js\n</code>\n```"),
            "a &lt;b&gt;\n<p>c d ~~f~~</p>\n<p>g</p>\n<pre><code>&lt;/code&gt;\n</code></pre>\n"
        );
        assert!(
            render_labelled_prose("<b>", "x").into_string().starts_with("<p><span class=\"label\">&lt;b&gt;</span> x")
        );
    }
}
