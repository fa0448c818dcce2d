//! Extracts the text of a page from its bytes.

pub mod html;
pub mod pdf;

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
    /// Its words, in paragraphs; a row of a table is one.
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
    pub fn from_declared(declared: &str, body: &[u8]) -> Self {
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

/// Stands between the cells of a row, so that their figures and words stay apart.
const CELL_GAP: &str = " | ";

/// Words as they are; rows of separated values, and JSON, with their values apart.
fn read_plain_text(declared: &str, text: String) -> PageText {
    let kind = declared.split(';').next().unwrap_or_default().trim().to_lowercase();
    let is_json = kind.ends_with("json") || kind.is_empty() && text.trim_start().starts_with(['{', '[']);
    let is_table = ["text/csv", "text/tab-separated-values"].contains(&kind.as_str());
    let read = if is_json { part_json(&text) } else { part_rows(&text, is_table) };
    PageText { text: read.unwrap_or(text), ..PageText::default() }
}

/// JSON with a value on each line; `None` where `text` is not JSON.
fn part_json(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    serde_json::to_string_pretty(&value).ok()
}

/// Comma-separated values and their like, each row a paragraph; `None` where `text` has none.
fn part_rows(text: &str, is_declared: bool) -> Option<String> {
    let lines = text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty());
    let first: Vec<&str> = lines.clone().take(10).collect();
    let mark = ['\t', ';', ','].into_iter().find(|mark| {
        let wanted = first.first().map_or(0, |line| line.matches(*mark).count());
        // Commas of prose have blanks behind them.
        let is_prose = *mark != '\t' && first.iter().any(|line| line.contains(&format!("{mark} ")));
        let is_even = first.iter().all(|line| line.matches(*mark).count() == wanted);
        wanted > 0 && (is_declared || first.len() > 1 && !is_prose && is_even)
    })?;
    let rows = lines.map(|line| {
        let mut is_quoted = false;
        let fields = line.split(|c| {
            is_quoted ^= c == '"';
            c == mark && !is_quoted
        });
        fields.collect::<Vec<_>>().join(CELL_GAP)
    });
    Some(rows.collect::<Vec<_>>().join("\n\n"))
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
        assert_eq!(Media::from_declared("text/html; charset=utf-8", b"x"), Media::Html);
        assert_eq!(Media::from_declared("text/html", b"%PDF-1.4"), Media::Pdf);
        assert_eq!(Media::from_declared("image/png", b"\x89PNG"), Media::Other);
        assert_eq!(Media::from_declared("", b"<html>"), Media::Html);
        assert_eq!(Media::from_declared("text/csv", b"a,b"), Media::Plain);
        let latin = read_page_text(Media::Plain, "text/plain; charset=iso-8859-1", b"caf\xe9").unwrap();
        assert_eq!(latin.text, "caf\u{e9}");
        let page = b"<html><head><meta charset='windows-1252'></head><body>\x93caf\xe9\x94</body></html>";
        assert_eq!(read_page_text(Media::Html, "text/html", page).unwrap().text, "\u{201c}caf\u{e9}\u{201d}");
    }
    /// Whether each of `figures` stands apart from the others on the page `body`, and `row` as one line.
    fn assert_figures_stand_apart(declared: &str, body: &str, figures: &[&str], row: &str) {
        let page = read_page_text(Media::from_declared(declared, body.as_bytes()), declared, body.as_bytes()).unwrap();
        assert!(page.text.lines().any(|line| line.trim() == row), "{}", page.text);
        let there: Vec<&str> = agon_text::find_figures(&page.text).iter().map(|figure| figure.text).collect();
        for figure in figures {
            assert!(there.contains(figure), "{figure}: {there:?} in {}", page.text);
        }
    }

    #[test]
    fn figures_of_tables_stand_apart_in_their_rows() {
        assert_figures_stand_apart("text/csv", "year,n\n2021,6573\n", &["2021", "6573"], "2021 | 6573");
        assert_figures_stand_apart("text/csv", "n,of\n\"6,573\",12\n", &["6,573", "12"], "\"6,573\" | 12");
        let german = "Jahr;Anteil\n2021;\"12,5\"\n";
        assert_figures_stand_apart("text/plain", german, &["2021", "12,5"], "2021 | \"12,5\"");
        assert_figures_stand_apart("text/plain", "\u{feff}a\tb\n20\t30\n", &["20", "30"], "20 | 30");
        assert_figures_stand_apart("application/json", "{\"rain\":[1204,960]}", &["1204", "960"], "960");
        let page =
            "<table><tr>\n<th>Region\n</th>\n<th>Share</th></tr><tr><td>Westland</td>\n<td>22.9%</td></tr></table>";
        assert_figures_stand_apart("text/html", page, &["22.9"], "Westland | 22.9%");
        assert_figures_stand_apart("text/html", page, &[], "Region | Share");
        let cells =
            "<table><tr><td><p>12</p></td><td>480<table><tr><td>5</td><td>6</td></tr></table></td></tr></table>";
        assert_figures_stand_apart("text/html", cells, &["12", "480", "5", "6"], "5 | 6");
    }

    #[test]
    fn prose_with_commas_stays_as_it_is() {
        let prose = "It rained, then it stopped.\nIt snowed, too, all day.\n";
        assert_eq!(read_page_text(Media::Plain, "text/plain", prose.as_bytes()).unwrap().text, prose);
    }
}
