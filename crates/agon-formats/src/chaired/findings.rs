//! What is known of every source of a debate: what was found last, and of what nobody looked at that nobody
//! did. A source of an entry counts once, however often it was looked up.

use std::ops::Range;

use agon_protocols::{
    chaired::{
        log::DebateLog,
        source::SOURCES_MAX,
        verification::{self, SourceFinding, SourceStatus},
    },
    common::figures,
};

use agon_text::{find_links, find_quotations, sentences};

use super::log::LogEntry;

/// Why nobody looked at a source of an entry that has more than are looked up.
const TOO_MANY: &str = "not opened: the limit of sources for one entry is reached";

/// Of every source of `log`, in the order of its entries; `found` is what was ruled, and results that
/// stand in `entries` alone are those of a log that was taken over.
pub fn of(log: &DebateLog, entries: &[LogEntry], found: &[SourceFinding]) -> Vec<SourceFinding> {
    let mut all: Vec<SourceFinding> = entries.iter().filter_map(taken).collect();
    all.retain(|taken| !found.iter().any(|found| found.seq == taken.seq && found.url == taken.url));
    all.extend(found.iter().cloned());
    let mut all: Vec<SourceFinding> = verification::latest(&all).into_iter().cloned().collect();
    for logged in &log.0 {
        let seq = logged.item.seq;
        for (at, url) in logged.cites().enumerate() {
            if !all.iter().any(|known| known.seq == seq && known.url == url) {
                let explanation = if at < SOURCES_MAX { String::new() } else { TOO_MANY.to_owned() };
                let (url, status) = (url.to_owned(), SourceStatus::Unchecked);
                all.push(SourceFinding { seq, url, status, explanation, sentence: None, reading: None });
            }
        }
    }
    all.sort_by_key(|found| found.seq);
    all
}

/// What an entry `verification_result` says.
fn taken(entry: &LogEntry) -> Option<SourceFinding> {
    let value: serde_json::Value =
        (entry.kind == "verification_result").then(|| serde_json::from_str(&entry.content).ok())??;
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let status = SourceStatus::ALL.into_iter().find(|status| status.name() == text("status"))?;
    let (seq, url) = (value["verified_seq"].as_u64()?, text("url"));
    Some(SourceFinding { seq, url, status, explanation: text("explanation"), sentence: None, reading: None })
}

/// The sentence of `content` that `finding` is about: the one with what was looked up, with the address, or
/// with the first quotation or figure; else the first that says something.
pub fn claim(content: &str, finding: &SourceFinding) -> String {
    // The form of a correction says nothing of the matter.
    let words = match verification_free(content) {
        Some(rest) if !rest.trim().is_empty() => rest,
        _ => content,
    };
    let sentences: Vec<&str> = cited_spans(words).into_iter().map(|span| &words[span]).collect();
    let has_quote = |sentence: &str| !find_quotations(sentence).is_empty();
    let looked_up = |sentence: &&&str| {
        figures::of(sentence).iter().any(|figure| finding.explanation.contains(&sentence[figure.at.clone()]))
            || quotes(&finding.explanation).iter().any(|quote| sentence.contains(quote))
    };
    let cites = |sentence: &&&str| sentence.contains(&finding.url);
    let claims = |sentence: &&&str| has_quote(sentence) || !figures::of(sentence).is_empty();
    let found = sentences.iter().find(looked_up).or_else(|| sentences.iter().find(cites));
    let found = found.or_else(|| sentences.iter().find(claims)).or_else(|| sentences.first());
    agon_protocols::chaired::log::gist(found.copied().unwrap_or_default())
}

/// Where the sentences of `words` stand. An address that begins one, as behind `… said so." (https://a.b/c)`, belongs
/// to the sentence before it.
fn cited_spans(words: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for span in sentences(words).into_iter().map(|sentence| sentence.trim().range) {
        let sentence = &words[span.clone()];
        let bare = sentence.trim_start_matches(['(', '[', '<', '"', '\u{201d}', ' ']);
        let link = find_links(bare).into_iter().next().filter(|link| link.range.start == 0);
        let end = link.map_or(0, |link| {
            let behind = &bare[link.range.end..];
            let close = behind.len() - behind.trim_start_matches([')', ']', '>', '.', ',', ';', ' ']).len();
            sentence.len() - bare.len() + link.range.end + close
        });
        let is_own_line = words[..span.start].trim_end_matches(' ').ends_with('\n');
        match spans.last_mut().filter(|_| end > 0 && !is_own_line) {
            Some(last) => {
                last.end = span.start + sentence[..end].trim_end().len();
                let rest = span.start + end..span.end;
                spans.extend((!words[rest.clone()].trim().is_empty()).then_some(rest));
            }
            None => spans.push(span),
        }
    }
    spans
}

/// What follows the first paragraph of a source correction.
fn verification_free(content: &str) -> Option<&str> {
    let is_correction = agon_protocols::chaired::source::correction(content).ok()?.is_some();
    is_correction.then(|| content.split_once('\n').map_or("", |(_, rest)| rest))
}

/// What stands in quotation marks in `text`, its beginning where it was cut.
fn quotes(text: &str) -> Vec<&str> {
    let quotations = find_quotations(text).into_iter().map(|quotation| quotation.text);
    quotations
        .map(|quote| quote.trim_end_matches('\u{2026}').trim())
        .filter(|quote| quote.len() > 8)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(url: &str, explanation: &str) -> SourceFinding {
        let (url, explanation) = (url.to_owned(), explanation.to_owned());
        SourceFinding {
            seq: 3,
            url,
            status: SourceStatus::Verified,
            explanation,
            sentence: None,
            reading: None,
        }
    }

    #[test]
    fn an_address_behind_a_sentence_is_the_one_of_that_sentence() {
        let content = "It counts: \"In 2025 it carried many.\" (https://a.b/c). That is not dying out. It says: \"They would \
            go.\" (https://a.b/d)\n\nhttps://a.b/e says more.";
        let claim =
            |url: &str| claim(content, &finding(url, "all 2 quotations are word for word on the page"));
        assert_eq!(claim("https://a.b/c"), "It counts: \"In 2025 it carried many.\" (https://a.b/c).");
        assert_eq!(claim("https://a.b/d"), "It says: \"They would go.\" (https://a.b/d)");
        assert_eq!(claim("https://a.b/e"), "https://a.b/e says more.");
    }

    #[test]
    fn the_claim_is_the_sentence_that_was_looked_up() {
        let content =
            "Ada is a nurse. \"It is late\", they say. Of 240 people 132 walk home. See https://a.b/c too.";
        let claim = |url: &str, why: &str| claim(content, &finding(url, why));
        assert_eq!(
            claim("https://a.b/x", "132 found; the page says: 132 of them"),
            "Of 240 people 132 walk home."
        );
        assert_eq!(claim("https://a.b/c", "gone"), "See https://a.b/c too.");
        assert_eq!(claim("https://a.b/x", ""), "\"It is late\", they say.");
        let correction = "SOURCE CORRECTION for seq 2: replacing https://a.b/o with https://a.b/n \u{2014} moved.\n\nHalf of 90 left.";
        assert_eq!(super::claim(correction, &finding("https://a.b/n", "")), "Half of 90 left.");
        assert_eq!(super::claim("It is so.", &finding("https://a.b/n", "")), "It is so.");
    }
}
