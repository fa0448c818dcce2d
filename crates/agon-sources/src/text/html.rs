//! The visible words of an HTML page. Only the tokenizer runs: no tree, no recursion, nothing that a
//! page could make deep.

use std::cell::RefCell;

use agon_text::strip_invisible;
use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, EndTag, StartTag, Tag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::{Rawtext, Rcdata, ScriptData},
    },
};

use super::{CELL_GAP, PageLink, PageText};

/// What is never shown.
const HIDDEN: [&str; 9] = ["script", "style", "noscript", "template", "svg", "iframe", "object", "select", "head"];
/// What stands around the text of a page.
const AROUND: [&str; 4] = ["nav", "footer", "aside", "form"];
/// What begins a line of its own.
const BLOCKS: [&str; 29] = [
    "p",
    "div",
    "br",
    "li",
    "ul",
    "ol",
    "tr",
    "table",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "section",
    "article",
    "main",
    "header",
    "footer",
    "blockquote",
    "pre",
    "dd",
    "dt",
    "dl",
    "figure",
    "figcaption",
    "hr",
    "body",
    "details",
];
/// Elements without an end.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "param"];
/// Elements that hide something and are open at once; deeper ones count as hidden.
const OPEN_MAX: usize = 10_000;
/// Links that are kept of a page.
pub const LINKS_MAX: usize = 200;
/// Bytes of an address, and of the words of a link, that are kept.
const LINK_BYTES_MAX: usize = 500;

/// The title, date and visible words of `html`.
pub fn read_html(html: &str) -> PageText {
    let sink = TextSinkCell::default();
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    // The sink asks for no script, so one feed takes everything.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let mut state = tokenizer.sink.0.into_inner();
    state.close_link();
    let TextSink { title, date, inner, all, links, .. } = state;
    // Where the page marks no main part, or nearly nothing in it, everything counts.
    let inner = tidy_lines(&inner);
    let text = if inner.chars().filter(|c| c.is_alphanumeric()).count() >= 200 { inner } else { tidy_lines(&all) };
    PageText { title: one_line(&title), date: one_line(&date), text, links }
}

#[derive(Default)]
struct TextSinkCell(RefCell<TextSink>);

#[derive(Default)]
struct TextSink {
    title: String,
    date: String,
    /// TextSinkCell outside of navigation and the like.
    inner: String,
    /// Every visible word.
    all: String,
    /// Open elements within the outermost hidden one.
    hidden: Vec<String>,
    /// Open elements within the outermost one around the text.
    around: Vec<String>,
    in_title: bool,
    /// Whether a row of a table is open: it is one line, however its source is broken.
    in_row: bool,
    /// The link whose words are being written.
    open_link: Option<PageLink>,
    links: Vec<PageLink>,
}

impl TextSink {
    fn write_text(&mut self, text: &str) {
        if self.in_title {
            return self.title.push_str(text);
        }
        if !self.hidden.is_empty() {
            return;
        }
        let text = strip_invisible(text);
        if let Some(link) = self.open_link.as_mut().filter(|link| link.label.len() < LINK_BYTES_MAX) {
            link.label.push_str(&text);
        }
        self.all.push_str(&text);
        if self.around.is_empty() {
            self.inner.push_str(&text);
        }
    }

    /// Keeps the open link, if it has words and leads to a page.
    fn close_link(&mut self) {
        let Some(link) = self.open_link.take() else { return };
        let label = one_line(&link.label);
        let leads_on = !link.address.starts_with('#') && link.address.len() <= LINK_BYTES_MAX;
        if leads_on && !label.is_empty() && self.links.len() < LINKS_MAX {
            self.links.push(PageLink { label, ..link });
        }
    }

    fn open_tag(&mut self, tag: &Tag) {
        let name = tag.name.to_string();
        let attribute = |wanted: &str| {
            let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == wanted);
            found.map(|attribute| attribute.value.to_string())
        };
        if name == "meta" {
            self.read_meta(attribute("property").or(attribute("name")), attribute("content"));
        }
        if name == "body" {
            self.hidden.clear();
        }
        if name == "time" && self.date.is_empty() {
            self.date = attribute("datetime").unwrap_or_default();
        }
        if name == "a" && self.hidden.is_empty() {
            self.close_link();
            let address = attribute("href").map(|address| address.trim().to_owned());
            self.open_link = address.map(|address| PageLink { address, label: String::new() });
        }
        self.in_row |= name == "tr";
        if ["td", "th"].contains(&name.as_str()) {
            self.write_text(CELL_GAP);
        }
        if BLOCKS.contains(&name.as_str()) {
            self.write_text("\n");
        }
        // A note behind a figure is not part of it.
        if name == "sup" && self.all.ends_with(|c: char| c.is_ascii_digit()) {
            self.write_text(" ");
        }
        if VOID.contains(&name.as_str()) || tag.self_closing && name == "path" {
            return;
        }
        let style = attribute("style").unwrap_or_default().to_lowercase().replace(' ', "");
        let hidden = HIDDEN.contains(&name.as_str())
            || attribute("hidden").is_some()
            || attribute("aria-hidden").as_deref() == Some("true")
            || ["display:none", "visibility:hidden", "font-size:0"].iter().any(|rule| style.contains(rule));
        if (hidden || !self.hidden.is_empty()) && self.hidden.len() < OPEN_MAX {
            self.hidden.push(name.clone());
        }
        if (AROUND.contains(&name.as_str()) || !self.around.is_empty()) && self.around.len() < OPEN_MAX {
            self.around.push(name);
        }
    }

    fn close_tag(&mut self, name: &str) {
        if name == "a" {
            self.close_link();
        }
        self.in_row &= !["tr", "table"].contains(&name);
        if BLOCKS.contains(&name) {
            self.write_text("\n");
        }
        for open in [&mut self.hidden, &mut self.around] {
            if let Some(at) = open.iter().rposition(|other| other == name) {
                open.truncate(at);
            }
        }
    }

    fn read_meta(&mut self, name: Option<String>, content: Option<String>) {
        const DATES: [&str; 6] = [
            "article:published_time",
            "date",
            "dc.date",
            "citation_publication_date",
            "citation_date",
            "datepublished",
        ];
        let (Some(name), Some(content)) = (name, content) else { return };
        let name = name.to_lowercase();
        if DATES.contains(&name.as_str()) && self.date.is_empty() {
            self.date = content;
        } else if (name == "og:title" || name == "citation_title") && self.title.is_empty() {
            self.title = content;
        }
    }
}

impl TokenSink for TextSinkCell {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) if state.in_row => state.write_text(&text.replace(['\n', '\r'], " ")),
            Token::CharacterTokens(text) => state.write_text(&text),
            Token::TagToken(tag) if tag.kind == StartTag => {
                if &*tag.name == "title" && state.hidden.iter().all(|open| open == "head") {
                    state.title.clear();
                    state.in_title = true;
                    return TokenSinkResult::RawData(Rcdata);
                }
                state.open_tag(&tag);
                match &*tag.name {
                    "textarea" => return TokenSinkResult::RawData(Rcdata),
                    "script" => return TokenSinkResult::RawData(ScriptData),
                    "style" | "noscript" | "iframe" | "noembed" | "noframes" | "xmp" => {
                        return TokenSinkResult::RawData(Rawtext);
                    }
                    _ => {}
                }
            }
            Token::TagToken(tag) if tag.kind == EndTag => {
                state.in_title &= &*tag.name != "title";
                let name = tag.name.to_string();
                state.close_tag(&name);
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn one_line(text: &str) -> String {
    agon_text::to_single_line(text).chars().take(300).collect()
}

/// Lines without blanks and gaps of tables at their ends; what a source breaks within a paragraph is kept as it is, and so are the
/// blanks that stand between thousands.
fn tidy_lines(text: &str) -> String {
    let narrow = |c: char| matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{2007}');
    let words = |line: &str| {
        let mut made = String::with_capacity(line.len());
        for (at, c) in line.char_indices() {
            let is_between = narrow(c)
                && made.ends_with(|c: char| c.is_ascii_digit())
                && line[at + c.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
            match c {
                c if is_between || !c.is_whitespace() => made.push(c),
                _ if !made.is_empty() && !made.ends_with(' ') => made.push(' '),
                _ => {}
            }
        }
        made.trim_matches(|c| CELL_GAP.contains(c)).to_owned()
    };
    let lines = text.lines().map(words);
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_kept_with_their_words() {
        let page = read_html(
            "<body><nav><a href='/a b'>One <b>two</b></a><a href='#top'>up</a></nav><p><a href='c'>open <a href='d'>next</a>\
             <a>bare</a><a href='e'><img></a><p hidden><a href='f'>unseen</a></p>",
        );
        let links: Vec<_> = page.links.iter().map(|link| (link.address.as_str(), link.label.as_str())).collect();
        assert_eq!(links, [("/a b", "One two"), ("c", "open"), ("d", "next")]);
        let text = "<a href='/x#a'>x</a><a href='../x'>x again</a><a href='mailto:a@b.test'>m</a><a href='https://o.test/'>o</a>";
        let whole = read_html(text).resolve_links("http://h.test/b/c");
        let addresses: Vec<_> = whole.iter().map(|link| link.address.as_str()).collect();
        assert_eq!(addresses, ["http://h.test/x", "https://o.test/"]);
        let many = "<a href='x'>y</a>".repeat(LINKS_MAX + 1);
        assert_eq!(read_html(&many).links.len(), LINKS_MAX);
        assert_eq!(read_html(&format!("<a href='{}'>y</a>", "z".repeat(501))).links, []);
    }

    #[test]
    fn what_a_reader_sees_is_kept_and_nothing_else() {
        let page = read_html(
            "<!doctype html><html><head><title>A &amp; B</title><meta property='article:published_time' content='2024-05-06'>\
             <style>p{color:red}</style></head><body><nav>Menu</nav><h1>Heading</h1><p>One&nbsp;<b>two</b> three.</p>\
             <script>var x = '<p>never</p>';</script><div style='display: none'>hidden <p>words</p></div>\
             <!-- comment --><p hidden>gone</p><table><tr><td>12</td><td>apples</td></tr></table></body></html>",
        );
        assert_eq!((page.title.as_str(), page.date.as_str()), ("A & B", "2024-05-06"));
        for seen in ["One two three.", "12", "apples"] {
            assert!(page.text.contains(seen), "{}", page.text);
        }
        for unseen in ["never", "hidden", "words", "gone", "comment", "color"] {
            assert!(!page.text.contains(unseen), "{unseen}: {}", page.text);
        }
    }

    #[test]
    fn a_page_that_is_nothing_but_tags_ends() {
        assert_eq!(read_html(&"<div>".repeat(200_000)).text, "");
        assert_eq!(read_html("<script>").text, "");
        let long = format!("<main><p>{}</p></main><footer>tail</footer>", "Some words here. ".repeat(40));
        assert!(!read_html(&long).text.contains("tail"));
    }
}
