//! Extracts the text of a page from its bytes.

pub mod html;
pub mod pdf;
mod tables;

use std::collections::BTreeSet;

use agon_text::strip_invisible;
use url::Url;

/// The extracted text of a page, with its title and date.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageText {
    /// Its title; may be empty.
    pub title: String,
    /// When it says that it was published; may be empty.
    pub date: String,
    /// Its words, in paragraphs; a row of a table is one, with each cell behind the heading of its column.
    pub text: String,
    /// The pages that it links to, in order; at most [`html::LINKS_MAX`].
    pub links: Vec<PageLink>,
}

impl PageText {
    /// Its links as whole addresses, each once, for the page at `base`; those to other things than pages are left out.
    pub fn resolve_links(&self, base: &str) -> Vec<PageLink> {
        let Ok(base) = Url::parse(base) else { return Vec::new() };
        let mut seen = BTreeSet::from([base.clone()]);
        let resolved = self.links.iter().filter_map(|link| {
            let mut to = base.join(&link.address).ok().filter(|to| matches!(to.scheme(), "http" | "https"))?;
            to.set_fragment(None);
            let label = link.label.clone();
            seen.insert(to.clone()).then(|| PageLink { address: to.into(), label })
        });
        resolved.collect()
    }
}

/// A link that a reader of a page sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageLink {
    /// Where it leads, as the page says it: often relative to the page's own address.
    pub address: String,
    /// Its words.
    pub label: String,
}

/// What kind of document a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// A web page.
    Html,
    /// A PDF file, which a separate process reads.
    Pdf,
    /// Words as they are.
    Plain,
    /// Pictures, archives and the like.
    Other,
}

impl Media {
    /// By what the server says, and by how the body begins.
    pub fn of(declared: &str, body: &[u8]) -> Self {
        let kind = declared.split(';').next().unwrap_or_default().trim().to_lowercase();
        if body.starts_with(b"%PDF-") {
            return Media::Pdf;
        }
        let start: String = String::from_utf8_lossy(&body[..body.len().min(512)]).trim_start().to_lowercase();
        let is_html = ["<!doctype html", "<html", "<head", "<body", "<?xml"].iter().any(|tag| start.starts_with(tag));
        match kind.as_str() {
            "text/html" | "application/xhtml+xml" => Media::Html,
            "" | "text/plain" if is_html => Media::Html,
            "application/pdf" => Media::Other,
            "application/json" | "application/xml" | "application/csv" => Media::Plain,
            kind if kind.ends_with("+json") => Media::Plain,
            "" if !body.contains(&0) => Media::Plain,
            kind if kind.starts_with("text/") => Media::Plain,
            _ => Media::Other,
        }
    }
}

/// The words of a page or a plain text; `None` for other media.
pub fn read_page_text(media: Media, declared: &str, body: &[u8]) -> Option<PageText> {
    match media {
        Media::Html => Some(html::read_html(&decode_text(declared, body))),
        Media::Plain => Some(read_plain_text(declared, strip_invisible(&decode_text(declared, body)).into_owned())),
        Media::Pdf | Media::Other => None,
    }
}

/// Words as they are; tables and JSON row by row.
fn read_plain_text(declared: &str, text: String) -> PageText {
    let kind = declared.split(';').next().unwrap_or_default().trim().to_lowercase();
    let is_json = kind.ends_with("json") || kind.is_empty() && text.trim_start().starts_with(['{', '[']);
    let is_table = ["text/csv", "text/tab-separated-values"].contains(&kind.as_str());
    let read = if is_json { tables::read_json(&text) } else { tables::read_separated_values(&text, is_table) };
    PageText { text: read.unwrap_or(text), ..PageText::default() }
}

/// Text in the character set that the server or the page names; UTF-8 where nobody says.
fn decode_text(declared: &str, body: &[u8]) -> String {
    let start = String::from_utf8_lossy(&body[..body.len().min(1024)]).to_lowercase();
    let named = |text: &str| {
        let rest = text.split_once("charset=")?.1.trim_start_matches(['"', '\'']);
        Some(rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect::<String>())
    };
    let charset = named(&declared.to_lowercase()).or_else(|| named(&start)).unwrap_or_default();
    let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).unwrap_or(encoding_rs::UTF_8);
    encoding.decode(body).0.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_read_by_what_they_are() {
        assert_eq!(Media::of("text/html; charset=utf-8", b"x"), Media::Html);
        assert_eq!(Media::of("text/html", b"%PDF-1.4"), Media::Pdf);
        assert_eq!(Media::of("image/png", b"\x89PNG"), Media::Other);
        assert_eq!(Media::of("", b"<html>"), Media::Html);
        assert_eq!(Media::of("text/csv", b"a,b"), Media::Plain);
        let latin = read_page_text(Media::Plain, "text/plain; charset=iso-8859-1", b"caf\xe9").unwrap();
        assert_eq!(latin.text, "caf\u{e9}");
        let page = b"<html><head><meta charset='windows-1252'></head><body>\x93caf\xe9\x94</body></html>";
        assert_eq!(read_page_text(Media::Html, "text/html", page).unwrap().text, "\u{201c}caf\u{e9}\u{201d}");
    }
}
