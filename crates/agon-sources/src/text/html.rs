//! The visible words of an HTML page. Only the tokenizer runs: no tree, no recursion, nothing that a
//! page could make deep.

use std::cell::RefCell;

use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, EndTag, StartTag, Tag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::{Rawtext, Rcdata, ScriptData},
    },
};

use super::PageText;

/// What is never shown.
const HIDDEN: [&str; 9] =
    ["script", "style", "noscript", "template", "svg", "iframe", "object", "select", "head"];
/// What stands around the text of a page.
const AROUND: [&str; 4] = ["nav", "footer", "aside", "form"];
/// What begins a line of its own.
const BLOCKS: [&str; 31] = [
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
    "td",
    "th",
    "body",
    "details",
];
/// Elements without an end.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    "param",
];
/// Elements that hide something and are open at once; deeper ones count as hidden.
const OPEN_MAX: usize = 10_000;

/// The title, date and visible words of `html`.
pub fn read(html: &str) -> PageText {
    let sink = Words::default();
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    // The sink asks for no script, so one feed takes everything.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let State { title, heading, date, inner, all, .. } = tokenizer.sink.0.into_inner();
    // Where the page marks no main part, or nearly nothing in it, everything counts.
    let inner = tidy(&inner);
    let text = if inner.chars().filter(|c| c.is_alphanumeric()).count() >= 200 { inner } else { tidy(&all) };
    PageText { title: one_line(&title), heading: one_line(&heading), date: one_line(&date), text }
}

#[derive(Default)]
struct Words(RefCell<State>);

#[derive(Default)]
struct State {
    title: String,
    heading: String,
    date: String,
    /// Words outside of navigation and the like.
    inner: String,
    /// Every visible word.
    all: String,
    /// Open elements within the outermost hidden one.
    hidden: Vec<String>,
    /// Open elements within the outermost one around the text.
    around: Vec<String>,
    in_title: bool,
    in_heading: bool,
}

impl State {
    fn write(&mut self, text: &str) {
        if self.in_title {
            return self.title.push_str(text);
        }
        if !self.hidden.is_empty() {
            return;
        }
        if self.in_heading && self.heading.len() < 500 {
            self.heading.push_str(text);
        }
        self.all.push_str(text);
        if self.around.is_empty() {
            self.inner.push_str(text);
        }
    }

    fn start(&mut self, tag: &Tag) {
        let name = tag.name.to_string();
        let attribute = |wanted: &str| {
            let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == wanted);
            found.map(|attribute| attribute.value.to_string())
        };
        if name == "meta" {
            self.meta(attribute("property").or(attribute("name")), attribute("content"));
        }
        if name == "body" {
            self.hidden.clear();
        }
        if name == "time" && self.date.is_empty() {
            self.date = attribute("datetime").unwrap_or_default();
        }
        if BLOCKS.contains(&name.as_str()) {
            self.write("\n");
        }
        if name == "h1" && self.heading.is_empty() {
            self.in_heading = true;
        }
        if VOID.contains(&name.as_str()) || tag.self_closing && name == "path" {
            return;
        }
        let style = attribute("style").unwrap_or_default().to_lowercase().replace(' ', "");
        let hidden = HIDDEN.contains(&name.as_str())
            || attribute("hidden").is_some()
            || attribute("aria-hidden").as_deref() == Some("true")
            || style.contains("display:none")
            || style.contains("visibility:hidden")
            || style.contains("font-size:0");
        if (hidden || !self.hidden.is_empty()) && self.hidden.len() < OPEN_MAX {
            self.hidden.push(name.clone());
        }
        if (AROUND.contains(&name.as_str()) || !self.around.is_empty()) && self.around.len() < OPEN_MAX {
            self.around.push(name);
        }
    }

    fn end(&mut self, name: &str) {
        if BLOCKS.contains(&name) {
            self.write("\n");
        }
        if name == "h1" {
            self.in_heading = false;
        }
        for open in [&mut self.hidden, &mut self.around] {
            if let Some(at) = open.iter().rposition(|other| other == name) {
                open.truncate(at);
            }
        }
    }

    fn meta(&mut self, name: Option<String>, content: Option<String>) {
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

impl TokenSink for Words {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => state.write(&text),
            Token::TagToken(tag) if tag.kind == StartTag => match &*tag.name {
                "title" if state.hidden.iter().all(|open| open == "head") => {
                    state.title.clear();
                    state.in_title = true;
                    return TokenSinkResult::RawData(Rcdata);
                }
                "textarea" => {
                    state.start(&tag);
                    return TokenSinkResult::RawData(Rcdata);
                }
                "script" => {
                    state.start(&tag);
                    return TokenSinkResult::RawData(ScriptData);
                }
                "style" | "noscript" | "iframe" | "noembed" | "noframes" | "xmp" => {
                    state.start(&tag);
                    return TokenSinkResult::RawData(Rawtext);
                }
                _ => state.start(&tag),
            },
            Token::TagToken(tag) if tag.kind == EndTag => {
                state.in_title &= &*tag.name != "title";
                let name = tag.name.to_string();
                state.end(&name);
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

/// Lines without blanks at their ends; what a source breaks within a paragraph is kept as it is.
fn tidy(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_sees_is_kept_and_nothing_else() {
        let page = read(
            "<!doctype html><html><head><title>A &amp; B</title><meta property='article:published_time' content='2024-05-06'>\
             <style>p{color:red}</style></head><body><nav>Menu</nav><h1>Heading</h1><p>One&nbsp;<b>two</b> three.</p>\
             <script>var x = '<p>never</p>';</script><div style='display: none'>hidden <p>words</p></div>\
             <!-- comment --><p hidden>gone</p><table><tr><td>12</td><td>apples</td></tr></table></body></html>",
        );
        assert_eq!(
            (page.title.as_str(), page.date.as_str(), page.heading.as_str()),
            ("A & B", "2024-05-06", "Heading")
        );
        for seen in ["One two three.", "12", "apples"] {
            assert!(page.text.contains(seen), "{}", page.text);
        }
        for unseen in ["never", "hidden", "words", "gone", "comment", "color"] {
            assert!(!page.text.contains(unseen), "{unseen}: {}", page.text);
        }
    }

    #[test]
    fn a_page_that_is_nothing_but_tags_ends() {
        assert_eq!(read(&"<div>".repeat(200_000)).text, "");
        assert_eq!(read("<script>").text, "");
        let long = format!("<main><p>{}</p></main><footer>tail</footer>", "Some words here. ".repeat(40));
        assert!(!read(&long).text.contains("tail"));
    }
}
