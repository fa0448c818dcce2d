//! Steps 0 and 8: the addresses that a text cites, and the passage that rests on each.

use std::ops::Range;

use agon_text::{collect_different, find_links, link_length, split_sentences};
use url::{Host, Url};

/// Sources of one passage that are looked up; further ones are only named.
pub const SOURCES_MAX: usize = 5;
/// Longest address, in characters.
const URL_CHARS_MAX: usize = 2_000;

/// A passage and what it cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedPassage {
    /// Its words.
    pub text: String,
    /// The addresses, each once, in their order.
    pub urls: Vec<String>,
}

/// `url` as an address that may be fetched; says why it is none.
pub fn parse_fetchable_url(url: &str) -> Result<Url, String> {
    if url.chars().count() > URL_CHARS_MAX {
        return Err("it is longer than 2000 characters".into());
    }
    let mut parsed = Url::parse(url.trim()).map_err(|error| error.to_string())?;
    if !["http", "https"].contains(&parsed.scheme()) {
        return Err(format!("{} is neither http nor https", parsed.scheme()));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("it contains a user name".into());
    }
    let is_site = |host: Host<&str>| !matches!(host, Host::Domain(name) if name.trim_end_matches('.').is_empty());
    if !parsed.host().is_some_and(is_site) {
        return Err("it names no site".into());
    }
    parsed.set_fragment(None);
    Ok(parsed)
}

/// The passages of `text` that cite something: a paragraph, or its part up to each address.
pub fn find_cited_passages(text: &str) -> Vec<CitedPassage> {
    let notes: Vec<(String, String)> = text.lines().filter_map(parse_note).collect();
    let mut found = Vec::new();
    for paragraph in split_paragraphs(text) {
        let words = &text[paragraph.clone()];
        // The list of addresses at the end is cited from, and claims nothing.
        if parse_note(words).is_some() {
            continue;
        }
        let mut start = 0;
        let mut urls: Vec<String> = Vec::new();
        for sentence in split_sentences(words).into_iter().map(|sentence| sentence.range) {
            let cited = collect_cited_urls(&words[sentence.clone()], &notes);
            if cited.is_empty() {
                continue;
            }
            let fresh: Vec<String> = cited.into_iter().filter(|url| !urls.contains(url)).collect();
            urls.extend(collect_different(fresh));
            // Further addresses right behind it belong to the same passage.
            let mut rest = words[sentence.end..].split(char::is_whitespace).filter(|word| !is_address(word));
            let claims = rest.any(|word| word.contains(char::is_alphanumeric));
            let text = without_addresses(&words[start..sentence.end]);
            if claims || urls.len() > 1 && text.trim().is_empty() {
                found.push(CitedPassage { text, urls: std::mem::take(&mut urls) });
                start = sentence.end;
            }
        }
        if !urls.is_empty() {
            found.push(CitedPassage { text: without_addresses(&words[start..]), urls });
        }
    }
    // Addresses of the list that nothing refers to by number are cited all the same.
    let all: Vec<String> = found.iter().flat_map(|passage: &CitedPassage| passage.urls.clone()).collect();
    let rest = notes.iter().filter(|(_, url)| !all.contains(url));
    found.extend(rest.map(|(_, url)| CitedPassage { text: String::new(), urls: vec![url.clone()] }));
    found
}

/// References that name a work and no address: `(Smith, 2020)`, `Smith et al. (2019)`.
pub fn without_address(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, _) in text.match_indices('(') {
        let Some(length) = text[at..].find(')').filter(|length| *length < 120) else { continue };
        let inner = &text[at + 1..at + length];
        let year = inner.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
            let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
            digits.len() == 4 && digits.parse::<u32>().is_ok_and(|year| (1800..=2199).contains(&year))
        });
        let named = inner.starts_with(char::is_uppercase) && !inner.contains("://");
        let before = text[..at].trim_end();
        let et_al = before.ends_with("et al.") || before.ends_with("et al");
        if year && (named || et_al) {
            let author: Vec<&str> = before.split_whitespace().rev().take(if named { 0 } else { 3 }).collect();
            let author: String = author.iter().rev().map(|word| format!("{word} ")).collect();
            found.push(super::one_line(&format!("{author}({inner})"), 120));
        }
    }
    collect_different(found)
}

/// The paragraphs of `text`; an item of a list is one.
pub fn split_paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut open = false;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len().min(line.len());
        let trimmed = line.trim_start();
        let own = trimmed.starts_with(['-', '*', '#', '|', '+'])
            || trimmed.starts_with(|c: char| c.is_ascii_digit()) && trimmed.contains(". ")
            || parse_note(trimmed).is_some();
        match found.last_mut().filter(|_| open && !own) {
            _ if line.trim().is_empty() => open = false,
            Some(last) => last.end = end,
            None => {
                found.push(start..end);
                open = parse_note(trimmed).is_none();
            }
        }
        start += line.len();
    }
    found
}

/// `[1]: https://…`, `[^1]: https://…`, `[1] https://…`: the number and the address.
fn parse_note(line: &str) -> Option<(String, String)> {
    let rest = line.trim_start().trim_start_matches("- ").strip_prefix('[')?;
    let (label, rest) = rest.split_once(']')?;
    if label.is_empty() || label.chars().count() > 20 || rest.starts_with('(') {
        return None;
    }
    let url = find_addresses(rest).into_iter().next().map(|(_, url)| url)?;
    let words = rest.split_whitespace().filter(|word| !is_address(word)).count();
    (rest.starts_with(':') || words <= 12).then(|| (label.trim_start_matches('^').to_owned(), url))
}

fn collect_cited_urls(sentence: &str, notes: &[(String, String)]) -> Vec<String> {
    let named = |label: &str| ["", "^"].iter().any(|mark| sentence.contains(&format!("[{mark}{label}]")));
    let noted = notes.iter().filter(|(label, _)| named(label)).map(|(_, url)| url.clone());
    find_addresses(sentence).into_iter().map(|(_, url)| url).chain(noted).collect()
}

fn is_address(word: &str) -> bool {
    !find_addresses(word).is_empty()
}

/// Addresses in `text`, DOIs and arXiv numbers as the pages they stand for.
pub fn find_addresses(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    let mut from = 0;
    let lower = text.to_ascii_lowercase();
    // Every place where one may begin, found in one pass each: a text may hold very many.
    let blanks = |at: usize| lower[at..].len() - lower[at..].trim_start_matches([' ', '\t']).len();
    let web = find_links(text).into_iter().map(|link| (link.range.start, 0, ""));
    let doi = lower.match_indices("10.").filter(|(at, _)| is_doi(text, *at)).map(|(at, _)| (at, 0, "https://doi.org/"));
    let arxiv = lower.match_indices("arxiv:").map(|(at, _)| (at, 6 + blanks(at + 6), "https://arxiv.org/abs/"));
    let arxiv = arxiv.filter(|(at, skip, _)| lower[at + skip..].starts_with(|c: char| c.is_ascii_digit()));
    let mut starts: Vec<(usize, usize, &str)> = web.chain(doi).chain(arxiv).collect();
    starts.sort_unstable();
    for (start, skip, site) in starts {
        if start < from {
            continue;
        }
        let body = &text[start + skip..];
        let url = &body[..link_length(body)];
        let end = start + skip + url.len();
        let whole = format!("{site}{url}");
        if whole.len() >= 10 {
            found.push((start..end, whole));
        }
        from = end;
    }
    found
}

/// Schemes of addresses that are written without two slashes.
const SCHEMES: [&str; 10] =
    ["file", "data", "javascript", "urn", "magnet", "ipfs", "blob", "view-source", "unix", "about"];
/// Letters of an address that are shown where it is not a page of the web: `data:` addresses are long.
const SHOWN_CHARS_MAX: usize = 200;

/// Addresses in `text` that are not pages of the web, as `ftp://a.b/c` or `data:text/html,x`: they can be cited,
/// and nobody can look them up here.
pub fn other_addresses(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || "<>\"`“”«»[]|^".contains(c)) {
        let inner = word.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let Some((scheme, rest)) = inner.split_once(':') else { continue };
        // What stands before the last bracket is the text of a link.
        let scheme = scheme.rsplit(|c: char| !(c.is_ascii_alphanumeric() || "+.-".contains(c))).next();
        let scheme = scheme.unwrap_or_default().to_ascii_lowercase();
        let is_scheme = scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_listed =
            SCHEMES.contains(&scheme.as_str()) && rest.chars().count() > 2 && !rest.starts_with(['\'', '*']);
        let is_other = rest.starts_with("//") && rest.len() > 2 && !["http", "https"].contains(&scheme.as_str());
        if !is_scheme || !(is_listed || is_other) {
            continue;
        }
        let rest = rest.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '’', '*', '_', ')', '}']);
        found.push(super::one_line(&format!("{scheme}:{rest}"), SHOWN_CHARS_MAX));
    }
    collect_different(found)
}

/// `10.1234/…`, not within a longer number or word.
fn is_doi(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let rest = &text[at + 3..];
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    (4..=9).contains(&digits)
        && rest[digits..].starts_with('/')
        && rest[digits + 1..].starts_with(|c: char| c.is_ascii_alphanumeric())
        && !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '.')
}

fn without_addresses(text: &str) -> String {
    // What is left of a link: `[text]()`.
    replace_addresses(text, "").replace("]()", "]").replace("<>", "").replace("()", "").trim().to_owned()
}

/// `text` with `sign` in place of each byte of its addresses.
pub fn replace_addresses(text: &str, sign: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut from = 0;
    for (range, _) in find_addresses(text) {
        words.push_str(&text[from..range.start]);
        words.push_str(&sign.repeat(range.len()));
        from = range.end;
    }
    words + &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for (text, wanted) in [
            ("See https://a.b/c.", vec!["https://a.b/c"]),
            ("([link](https://a.b/c_(d)), <http://x.y>)", vec!["https://a.b/c_(d)", "http://x.y"]),
            (
                "doi:10.1000/xyz123, arXiv: 2410.04663v2.",
                vec!["https://doi.org/10.1000/xyz123", "https://arxiv.org/abs/2410.04663v2"],
            ),
            ("https://doi.org/10.1000/1", vec!["https://doi.org/10.1000/1"]),
            ("It grew by 10.5/year and 110.1234/5", vec![]),
            ("HTTPS://A.B/ü und “https://c.d/e”", vec!["HTTPS://A.B/ü", "https://c.d/e"]),
            ("（https://a.b/zh）。见https://c.d/zh，去年", vec!["https://a.b/zh", "https://c.d/zh"]),
            (
                "（doi:10.1000/xyz123）、10.1000/abc。",
                vec!["https://doi.org/10.1000/xyz123", "https://doi.org/10.1000/abc"],
            ),
            ("https://a.b/hi। https://c.d/en—3,200", vec!["https://a.b/hi", "https://c.d/en"]),
        ] {
            let found: Vec<String> = find_addresses(text).into_iter().map(|(_, url)| url).collect();
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn an_address_that_may_be_fetched_is_http_and_without_a_user() {
        assert_eq!(
            parse_fetchable_url("https://müller.example/ä#x").unwrap().as_str(),
            "https://xn--mller-kva.example/%C3%A4"
        );
        assert_eq!(parse_fetchable_url("http://0x7f.1/").unwrap().host_str(), Some("127.0.0.1"));
        for url in [
            "ftp://a.b",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://u:p@a.b",
            "https://u@a.b",
            "data:text/html,x",
            "//a.b",
            "https://",
            "x",
        ] {
            assert!(parse_fetchable_url(url).is_err(), "{url}");
        }
        assert!(parse_fetchable_url(&format!("https://a.b/{}", "x".repeat(2_000))).is_err());
    }

    #[test]
    fn each_passage_goes_with_its_addresses() {
        let text = "# Title\n\nTrees cool streets by 2 degrees (https://a.b/1). They cost $300 each [1].\nNothing more.\n\n\
            - A list: 5% https://c.d\n- Another: 6%\n\nUncited 7%.\n\n[1]: https://e.f/1 \"Costs\"\n[2]: https://e.f/2\n";
        let found: Vec<(String, String)> =
            find_cited_passages(text).into_iter().map(|passage| (passage.text, passage.urls.join(" "))).collect();
        assert_eq!(
            found,
            [
                ("Trees cool streets by 2 degrees .".to_owned(), "https://a.b/1".to_owned()),
                ("They cost $300 each [1].".into(), "https://e.f/1".into()),
                ("- A list: 5%".into(), "https://c.d".into()),
                (String::new(), "https://e.f/2".into()),
            ]
        );
    }

    #[test]
    fn addresses_of_other_schemes_are_cited_too() {
        let text = "See ftp://a.b/c, (file:///etc/x.txt), [s](gopher://d.e/1), `unix:/run/x`, data:text/html,<b>x \
            and ipfs://Qm/1; not https://a.b/c, 10:30, note: this, C:\\x, std::io, data: many, or doi:10.1000/1.";
        assert_eq!(
            other_addresses(text),
            ["ftp://a.b/c", "file:///etc/x.txt", "gopher://d.e/1", "unix:/run/x", "data:text/html", "ipfs://Qm/1"]
        );
    }

    #[test]
    fn works_without_an_address_are_named() {
        let text = "As shown (Smith, 2020; Li 2021), and by Okafor et al. (2019), it grew (by 3) in (may 2020).";
        assert_eq!(without_address(text), ["(Smith, 2020; Li 2021)", "Okafor et al. (2019)"]);
    }
}
