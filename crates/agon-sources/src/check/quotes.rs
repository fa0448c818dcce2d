//! Step 6: searches a page for quoted spans, word for word.

use std::{collections::BTreeMap, ops::Range};

use serde::{Deserialize, Serialize};

use super::{Page, editing, one_line};
use crate::text::fold::{Skeleton, plain};

/// Fewest words of a quotation that is looked up.
pub const WORDS_MIN: usize = 4;
/// Maximum number of quotations of one passage that are looked up.
pub const QUOTES_MAX: usize = 40;
/// Quotation marks of one passage that are looked at.
const MARKS_MAX: usize = 500;
/// Longest quotation that is compared word by word where it is not found as it is.
const NEAR_WORDS_MAX: usize = 150;
/// Words of a page in which a near quotation is looked for.
const NEAR_PAGE_WORDS_MAX: usize = 60_000;
/// From which likeness on a passage is near.
const NEAR: f64 = 0.90;
/// Fewest words of each part of a quotation with omissions; one part at least has [`WORDS_MIN`].
const PART_WORDS_MIN: usize = 2;
/// How far apart on the page the parts of a quotation with omissions may be, in letters.
const OMITTED_MAX: usize = 4_000;

/// The result of looking for a quotation on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuoteStatus {
    /// It stands there word for word.
    Verified,
    /// It does but for marked omissions and insertions.
    VerifiedEdited,
    /// Something nearly like it stands there.
    Near,
    /// Nothing like it stands there.
    Absent,
}

/// A quotation, with the result of searching a page for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteFinding {
    /// The quotation, as one line.
    pub quote: String,
    /// Where it stands in the passage, in bytes.
    pub at: Range<usize>,
    /// The result.
    pub status: QuoteStatus,
    /// Where it stands on the page, in bytes of its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Range<usize>>,
    /// What the page says there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_says: Option<String>,
    /// Why it does not bear the claim out although its words stand there: what was left out or put in, or a
    /// sentence that denies them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// Where they differ: `[-said-] {+on the page+}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

/// The quotations in `text` that are long enough to be looked up, without their marks.
pub fn quoted(text: &str) -> Vec<Range<usize>> {
    const MARKS: [(&str, &[&str]); 6] = [
        ("<quote>", &["</quote>"]),
        ("\"", &["\""]),
        ("“", &["”", "“", "\""]),
        ("„", &["“", "”", "\""]),
        ("«", &["»"]),
        ("``", &["''"]),
    ];
    let mut found = Vec::new();
    let mut marks = 0;
    for paragraph in paragraphs(text) {
        let end = paragraph.end;
        if let Some(rest) = text[paragraph.clone()].trim_start().strip_prefix('>') {
            let start = end - rest.len();
            if is_long(rest) {
                found.push(start..end);
            }
            continue;
        }
        let mut from = paragraph.start;
        while let Some((at, mark, closes)) = MARKS
            .iter()
            .filter_map(|(mark, closes)| Some((from + text[from..end].find(mark)?, *mark, *closes)))
            .min_by_key(|(at, mark, _)| (*at, usize::MAX - mark.len()))
        {
            let start = at + mark.len();
            marks += 1;
            if marks > MARKS_MAX {
                break;
            }
            // A mark of inches or minutes behind a figure opens nothing.
            if mark == "\"" && text[..at].ends_with(|c: char| c.is_alphanumeric()) {
                from = start;
                continue;
            }
            let close =
                closes.iter().filter_map(|close| Some((text[start..end].find(close)?, close.len()))).min();
            let Some((length, close)) = close else {
                from = start;
                continue;
            };
            let span = start..start + length;
            if is_long(&text[span.clone()]) {
                found.push(span.clone());
            }
            from = span.end + close;
        }
    }
    found.truncate(QUOTES_MAX);
    found
}

fn is_long(quote: &str) -> bool {
    let words = quote.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    words >= WORDS_MIN && Parts::of(quote).is_some()
}

fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        // A quotation may go over the lines of one paragraph; a line of `>` is one by itself.
        match found.last_mut() {
            Some(last @ Range { .. }) if joins(text, last, start) && !line.trim().is_empty() => {
                last.end = end
            }
            _ => found.push(start..end),
        }
        start += line.len();
    }
    found
}

fn joins(text: &str, last: &Range<usize>, start: usize) -> bool {
    let is_quote = |at: usize| text[at..].trim_start_matches(' ').starts_with('>');
    !text[last.clone()].trim().is_empty() && !is_quote(last.start) && !is_quote(start)
}

/// The parts of a quotation between its omissions and insertions.
struct Parts {
    parts: Vec<Skeleton>,
    is_edited: bool,
    /// What stands in brackets.
    inserted: Vec<String>,
}

impl Parts {
    /// `None` where too little of the quotation is left to be looked up.
    fn of(quote: &str) -> Option<Self> {
        let mut text = plain(quote);
        let mut is_edited = false;
        let mut inserted = Vec::new();
        // `[T]he` changes a letter; `[he]` and `[...]` stand in place of something.
        while let Some((open, close)) =
            text.find('[').and_then(|open| Some((open, open + text[open..].find(']')?)))
        {
            let inner = text[open + 1..close].to_owned();
            let touches = text[close + 1..].starts_with(char::is_alphanumeric);
            let put = if touches && inner.chars().count() <= 2 {
                inner
            } else {
                inserted.push(inner);
                " ... ".to_owned()
            };
            text.replace_range(open..=close, &put);
            is_edited = true;
        }
        let all: Vec<Skeleton> =
            text.split("...").map(Skeleton::of).filter(|part| !part.text().is_empty()).collect();
        is_edited |= text.trim_matches(['.', ' ', '"']).contains("...");
        let enough = all.iter().any(|part| part.words() >= WORDS_MIN)
            && all.iter().all(|part| part.words() >= PART_WORDS_MIN || all.len() == 1);
        enough.then_some(Self { parts: all, is_edited, inserted })
    }
}

/// Looks the quotation in `text[at]` up on `page`.
pub fn look_up(text: &str, at: Range<usize>, page: &Page) -> QuoteFinding {
    let quote = text.get(at.clone()).unwrap_or_default();
    let mut finding = QuoteFinding {
        quote: one_line(quote, 300),
        at,
        status: QuoteStatus::Absent,
        found: None,
        page_says: None,
        doubt: None,
        difference: None,
    };
    let Some(Parts { parts, is_edited, inserted }) = Parts::of(quote) else { return finding };
    if let Some(found) = in_order(&parts, &page.skeleton) {
        let found: Vec<Range<usize>> =
            found.iter().map(|part| page.skeleton.original(part, &page.said.text)).collect();
        let before = text.get(..finding.at.start).unwrap_or_default();
        finding.doubt = editing::doubt(before, &inserted, &found, page).map(|doubt| one_line(&doubt, 300));
        let found = found.first().map_or(0, |part| part.start)..found.last().map_or(0, |part| part.end);
        finding.status = if is_edited { QuoteStatus::VerifiedEdited } else { QuoteStatus::Verified };
        finding.page_says = Some(page.line(found.clone(), 300));
        finding.found = Some(found);
    } else if let Some((likeness, found)) = nearest(&Skeleton::of(&plain(quote)), &page.skeleton)
        && likeness >= NEAR
    {
        let found = page.skeleton.original(&found, &page.said.text);
        let says = page.said.text.get(found.clone()).unwrap_or_default();
        finding.status = QuoteStatus::Near;
        finding.difference = Some(one_line(&difference(quote, says), 400));
        finding.page_says = Some(one_line(says, 300));
        finding.found = Some(found);
    }
    finding
}

/// All `parts` in their order, near each other: where each stands.
fn in_order(parts: &[Skeleton], page: &Skeleton) -> Option<Vec<Range<usize>>> {
    let (first, rest) = parts.split_first()?;
    let mut from = 0;
    while let Some(start) = page.find(first, from) {
        let mut found = vec![start.clone()];
        let mut end = start.end;
        let all = rest.iter().all(|part| match page.find(part, end) {
            Some(next) if next.start - end <= OMITTED_MAX => {
                end = next.end;
                found.push(next);
                true
            }
            _ => false,
        });
        if all {
            return Some(found);
        }
        from = start.end;
    }
    None
}

/// The passage of `page` that is most like `quote`, by words (Sellers 1980), and how like it is by
/// letters.
fn nearest(quote: &Skeleton, page: &Skeleton) -> Option<(f64, Range<usize>)> {
    let (wanted, there) = (quote.word_ranges(), page.word_ranges());
    if wanted.is_empty() || wanted.len() > NEAR_WORDS_MAX || there.is_empty() {
        return None;
    }
    // Words as numbers: they are compared millions of times.
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let wanted: Vec<usize> = wanted
        .into_iter()
        .map(|range| {
            let next = numbers.len() + 1;
            *numbers.entry(&quote.text()[range]).or_insert(next)
        })
        .collect();
    let count = wanted.len();
    // Cost of the best alignment that ends here, and where it begins.
    let mut column: Vec<(usize, usize)> = (0..=count).map(|i| (i, 0)).collect();
    let mut best: Option<(usize, usize, usize)> = None;
    for (at, range) in there.iter().enumerate().take(NEAR_PAGE_WORDS_MAX) {
        let word = numbers.get(&page.text()[range.clone()]).copied().unwrap_or(0);
        let mut diagonal = column[0];
        column[0] = (0, at + 1);
        diagonal.1 = at;
        for (i, wanted) in wanted.iter().enumerate() {
            let above = column[i];
            let left = column[i + 1];
            let kept = (diagonal.0 + usize::from(word != *wanted), diagonal.1);
            let next = [kept, (above.0 + 1, above.1), (left.0 + 1, left.1)];
            diagonal = left;
            column[i + 1] = next.into_iter().min_by_key(|(cost, _)| *cost).unwrap_or(kept);
        }
        let (cost, start) = column[count];
        if best.is_none_or(|(least, ..)| cost < least) {
            best = Some((cost, start, at));
        }
    }
    let (cost, start, end) = best?;
    // Letters can make up for a few words only.
    if cost * 3 > count + 2 || start > end {
        return None;
    }
    let found = there[start].start..there[end].end;
    let likeness = strsim::normalized_levenshtein(quote.text(), &page.text()[found.clone()]);
    Some((likeness, found))
}

/// Word by word: `[-what was said-] {+what the page says+}`.
pub fn difference(said: &str, page: &str) -> String {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (said, page) = (words(said), words(page));
    let same = |a: &String, b: &String| Skeleton::of(a).text() == Skeleton::of(b).text();
    let (rows, columns) = (said.len(), page.len());
    if rows * columns > 250_000 {
        return String::new();
    }
    let mut longest = vec![vec![0_u16; columns + 1]; rows + 1];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            longest[i][j] = if same(&said[i], &page[j]) {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut shown: Vec<String> = Vec::new();
    while i < rows || j < columns {
        if i < rows && j < columns && same(&said[i], &page[j]) {
            shown.push(said[i].clone());
            (i, j) = (i + 1, j + 1);
        } else if i < rows && (j == columns || longest[i + 1][j] >= longest[i][j + 1]) {
            shown.push(format!("[-{}-]", said[i]));
            i += 1;
        } else {
            shown.push(format!("{{+{}+}}", page[j]));
            j += 1;
        }
    }
    shown.join(" ").replace("-] [-", " ").replace("+} {+", " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::PageText;

    const PAGE: &str = "The city’s council met on Monday. It approved a plan to plant 4,000 trees along the river \
        by 2030, which the mayor called “a modest start”. Critics said that the plan costs too much and comes too \
        late for the neighbourhoods that need shade the most.";

    fn page() -> Page {
        Page::of(PageText { text: PAGE.into(), ..PageText::default() })
    }

    fn status(quote: &str) -> QuoteStatus {
        look_up(quote, 0..quote.len(), &page()).status
    }

    #[test]
    fn a_quotation_stands_there_word_for_word_or_with_marked_changes() {
        for (quote, wanted) in [
            ("approved a plan to plant 4,000 trees along the river", QuoteStatus::Verified),
            ("Approved a plan to plant 4000 trees along the river", QuoteStatus::Verified),
            ("the mayor called \"a modest start\"", QuoteStatus::Verified),
            ("The city's council met on Monday", QuoteStatus::Verified),
            ("approved a plan … by 2030, which the mayor called", QuoteStatus::VerifiedEdited),
            (
                "[The council] approved a plan to plant [...] trees along the river",
                QuoteStatus::VerifiedEdited,
            ),
            ("[C]ritics said that the plan costs too much", QuoteStatus::VerifiedEdited),
            (
                "approved a plan to plant 4,000 trees along the rivers by 2030, which the mayor called a modest start",
                QuoteStatus::Near,
            ),
            ("approved a plan to plant 4,001 trees along the river", QuoteStatus::Near),
            ("the council rejected the proposal after a long debate", QuoteStatus::Absent),
            ("costs too much … approved a plan to plant", QuoteStatus::Absent),
        ] {
            assert_eq!(status(quote), wanted, "{quote}");
        }
    }

    #[test]
    fn one_changed_word_is_never_verified() {
        let words: Vec<&str> = PAGE.split_whitespace().collect();
        for run in words.windows(7) {
            assert_eq!(status(&run.join(" ")), QuoteStatus::Verified, "{run:?}");
            for at in 0..run.len() {
                let mut changed = run.to_vec();
                changed[at] = "zebra";
                assert!(status(&changed.join(" ")) >= QuoteStatus::Near, "{changed:?}");
            }
        }
    }

    #[test]
    fn the_difference_and_the_place_are_kept() {
        let text = "They wrote \"approved a plan to plant 5,000 trees along the river\" there.";
        let at = quoted(text).remove(0);
        let finding = look_up(text, at, &page());
        assert_eq!(
            finding.difference.as_deref(),
            Some("approved a plan to plant [-5,000-] {+4,000+} trees along the river")
        );
        assert!(PAGE[finding.found.unwrap()].starts_with("approved a plan"));
        assert!(text[finding.at].starts_with("approved a plan to plant 5,000"));
    }

    #[test]
    fn quotations_of_four_words_or_more_are_found() {
        for (text, wanted) in [
            ("He said \"one two three\" and \"one two three four\".", vec!["one two three four"]),
            (
                "„Eins zwei drei vier“ und «un deux trois quatre»",
                vec!["Eins zwei drei vier", "un deux trois quatre"],
            ),
            ("A 5\" pipe and a 6\" pipe of much the same make", vec![]),
            (
                "“over two\nlines it goes on”\n\n\"not over\n\nparagraphs it goes\"",
                vec!["over two\nlines it goes on"],
            ),
            ("> a line that is quoted\nand one that is not", vec![" a line that is quoted"]),
            ("said <quote>these very words here</quote> so", vec!["these very words here"]),
            ("\"the ... of ... and ... is\"", vec![]),
        ] {
            let found: Vec<&str> = quoted(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, wanted, "{text}");
        }
    }
}
