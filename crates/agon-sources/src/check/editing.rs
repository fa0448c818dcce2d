//! Whether what a quotation leaves out, puts in, or stands in leaves the sense of its words.

use std::ops::Range;

use super::{
    Page, one_line,
    wording::{self, denies, refutes, supposes, takes_back},
};

/// Maximum number of words that an omission may leave out.
const OMITTED_WORDS_MAX: usize = 12;
/// Words that may be put in: they name nobody and turn nothing.
const EMPTY: &str = " a an the is are was were be been being has have had he she it they we i you him her them his its \
their our my your this that these those of to in on at by as for sic emphasis added mine ours italics original der die \
das dem den ein eine er sie es ist sind war le la les un une il elle est el los las una es era lo gli è het een ";
/// Words that an omission may not leave out, besides those that deny or suppose.
const WEIGHTY: &str = " less more fewer greater than only up nearly almost about least most some few many half part below \
above under over before after except unless until although though however but weniger mehr als nur fast außer aber \
moins plus que seulement presque sauf menos más solo casi excepto pero meno più quasi tranne ma minder meer slechts ";

/// What speaks against a quotation whose parts stand at `found` on `page`, with `inserted` between them; `before`
/// is what the passage says ahead of it.
pub fn doubt(before: &str, inserted: &[String], found: &[Range<usize>], page: &Page) -> Option<String> {
    let has = |list: &str, word: &str| list.contains(&format!(" {word} "));
    let content = |text: &&String| wording::words(text).iter().any(|(_, word)| !has(EMPTY, word));
    if let Some(put_in) = inserted.iter().find(content) {
        return Some(format!("it puts in words that the page does not have: [{put_in}]"));
    }
    let text = &page.said.text;
    for pair in found.windows(2) {
        let left_out = text.get(pair[0].end..pair[1].start).unwrap_or_default();
        let words = wording::words(left_out);
        let is_long = words.len() > OMITTED_WORDS_MAX;
        let is_weighty =
            words.iter().any(|(_, word)| has(WEIGHTY, word) || word.contains(|c: char| c.is_numeric()));
        let turns = denies(left_out, left_out.len()) || refutes(left_out) || supposes(left_out);
        let is_apart = page.sentence(pair[0].start).start != page.sentence(pair[1].start).start;
        if is_long || is_weighty || turns || is_apart {
            return Some(format!("it leaves out: {}", one_line(left_out, 200)));
        }
    }
    let (first, last) = (found.first()?, found.last()?);
    let sentence = page.sentence(first.start);
    let ahead = text.get(sentence.start..first.start).unwrap_or_default();
    let behind = text.get(last.end..page.sentence(last.start).end).unwrap_or_default();
    let clause = &ahead[wording::clause(ahead, ahead.len().saturating_sub(1))];
    let is_denied = refutes(ahead)
        || refutes(behind)
        || denies(clause, clause.len())
        || page.next(&page.sentence(last.start)).is_some_and(takes_back);
    let own = before.rsplit(['.', '!', '?', '\n']).next().unwrap_or_default();
    (is_denied && !denies(own, own.len()) && !refutes(own))
        .then(|| format!("the page denies it: {}", page.line(sentence, 250)))
}
