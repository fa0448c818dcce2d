//! `memo.md`: what a reader decides by, on one page. Every sentence ends with the entry of the record that it rests on,
//! as `report.md` and `report.html` show it; what it quotes stands there. It is posted as a comment, so words of others
//! notify nobody there and link nowhere.

use agon_text::{
    count_noun, count_words,
    markdown::{escape_posted, escape_posted_start, shorten_title},
    split_sentences,
};

use super::ReportDocument;
use crate::{
    first_page::{FirstPage, Sentence},
    graph::shorten_text,
};

/// Most words of a memo: one printed page.
pub const WORDS_MAX: usize = 450;
/// Longest account of the outcome, in characters.
const TOLD_CHARS_MAX: usize = 360;
/// Longest point of what the answer rests on, in characters.
const POINT_CHARS_MAX: usize = 320;
/// Longest quotation, in characters.
const QUOTE_CHARS_MAX: usize = 170;
/// Shortest text that is cut from a longer one, in characters.
const KEPT_CHARS_MIN: usize = 50;
/// Words of the line that says what was left out.
const LEFT_WORDS: usize = 5;
/// Says how to read it; the one line that rests on no entry.
pub const HINT: &str = "_Each sentence ends with the number of the entry that it rests on, as report.md shows it._";
/// The file that shows the entries.
const REPORT: &str = "report.md";

/// A sentence on its way to the page.
struct Line {
    part: usize,
    /// Its place there: those of place 0 are told before any other.
    place: usize,
    order: usize,
    text: String,
}

pub(super) fn render_memo(sheet: &ReportDocument) -> String {
    let parts = collect_memo_parts(&sheet.first_page);
    let kicker = sheet.kicker.iter().chain(&sheet.first_page.cost);
    let kicker: Vec<String> = kicker.map(|part| escape_posted(part)).collect();
    let head = [format!("# {}", escape_posted(&shorten_title(&sheet.title))), kicker.join(" · "), HINT.to_owned()];
    let mut words: usize = head.iter().map(|text| count_words(text)).sum();
    let mut lines: Vec<Line> = Vec::new();
    for (part, (heading, sentences)) in parts.iter().enumerate() {
        words += if sentences.is_empty() { 0 } else { count_words(heading) + 1 };
        for (order, (place, one)) in sentences.iter().enumerate() {
            let text = format!("- {}", render_sentence(&shorten_sentence(one)));
            lines.push(Line { part, place: *place, order, text });
        }
    }
    let all = lines.len();
    // After the first of each part, what is open or would turn it comes before more of a case.
    lines
        .sort_by_key(|line| (line.place, line.part.abs_diff(if line.place > 0 { parts.len() } else { 0 }), line.order));
    lines.retain(|line| {
        let fits = words + count_words(&line.text) + LEFT_WORDS <= WORDS_MAX;
        words += if fits { count_words(&line.text) } else { 0 };
        fits
    });
    lines.sort_by_key(|line| (line.part, line.order));
    let left = all - lines.len();
    let mut blocks = head.to_vec();
    for (part, (heading, _)) in parts.iter().enumerate() {
        let own: Vec<&str> = lines.iter().filter(|line| line.part == part).map(|line| line.text.as_str()).collect();
        if !own.is_empty() {
            blocks.extend([format!("## {heading}"), own.join("\n")]);
        }
    }
    if left > 0 {
        blocks.push(format!("_{} in {REPORT}._", count_noun(left, "more point", "more points")));
    }
    blocks.join("\n\n") + "\n"
}

/// The parts of a memo in reading order, each sentence with its place.
fn collect_memo_parts(page: &FirstPage) -> Vec<(&'static str, Vec<(usize, Sentence)>)> {
    let seq = page.told.as_ref().or(page.trust.first()).map(|one| one.seq);
    let ended = seq.map(|seq| Sentence::new(seq, keep_sentences(&page.describe_ending(), TOLD_CHARS_MAX)));
    let first = |all: &[Sentence]| all.iter().map(|one| (0, one.clone())).collect();
    let ranked = |all: &[Sentence]| all.iter().cloned().enumerate().collect();
    let basis: Vec<Sentence> = page
        .basis_sentences()
        .into_iter()
        .map(|one| Sentence { text: keep_sentences(&one.text, POINT_CHARS_MAX), ..one })
        .collect();
    vec![
        ("Answer", first(&page.answer_sentences())),
        ("How it ended", ended.map(|one| (0, one)).into_iter().collect()),
        ("Who argued what", first(&page.positions)),
        ("Read with care", first(&page.doubts)),
        ("How far to trust it", first(&page.trust)),
        (page.basis.title, ranked(&basis)),
        ("What would change how it ended", ranked(&page.flips)),
        ("What was not settled", ranked(&page.open)),
    ]
}

/// A sentence whose quotation is as short as a page needs.
fn shorten_sentence(one: &Sentence) -> Sentence {
    Sentence { quote: one.quote.as_ref().map(|quote| keep_sentences(quote, QUOTE_CHARS_MAX)), ..one.clone() }
}

/// The whole sentences of `text` that fit into `max` characters, or the beginning of the first. Of a short first sentence
/// alone nobody learns anything.
fn keep_sentences(text: &str, max: usize) -> String {
    let fits = |end: &usize| text[..*end].chars().count() <= max;
    let mut ends = split_sentences(text).into_iter().map(|one| one.trim().range.end).filter(fits);
    let end = ends.next_back().filter(|end| text[..*end].chars().count() >= KEPT_CHARS_MIN);
    match (text.chars().count() <= max, end) {
        (true, _) => text.to_owned(),
        (false, Some(end)) => text[..end].to_owned(),
        (false, None) => shorten_text(text.trim_end_matches('…'), max),
    }
}

/// A sentence with its quotation, and the way to the entry that it rests on.
fn render_sentence(sentence: &Sentence) -> String {
    let Sentence { text, quote, seq } = sentence;
    let quote = quote.as_ref().map(|quote| format!(" “{}”", escape_posted(quote))).unwrap_or_default();
    format!("{}{quote} [{seq}]({REPORT}#entry-{seq})", escape_posted_start(text))
}
