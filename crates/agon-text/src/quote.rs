//! Where a quotation stands in a text: word for word, with marked omissions and insertions, or nearly.

use std::{collections::BTreeMap, iter::successors, ops::Range};

use crate::{
    fold::{FoldedText, fold_marks},
    span::Span,
    words::{folded_words, split_words},
};

/// Fewest words of one part at least of a quotation with omissions.
const EDITED_WORDS_MIN: usize = 4;
/// Fewest words of each of its parts.
const PART_WORDS_MIN: usize = 2;
/// How far apart the parts of a quotation with omissions may be, in bytes of the folded text.
const OMITTED_MAX: usize = 4_000;
/// Places of one quotation that are told.
const PLACES_MAX: usize = 100;
/// Longest quotation that is compared word by word where it is not found as it is.
const NEAR_WORDS_MAX: usize = 150;
/// Words of a text in which a near quotation is looked for.
const NEAR_TEXT_WORDS_MAX: usize = 60_000;
/// From which likeness on a passage is near.
const NEAR_MIN: f64 = 0.90;
/// Pairs of words above which two texts are too long to be shown side by side.
const DIFFERENCE_MAX: usize = 250_000;

/// The result of a search for a quotation. Ranges are bytes of the original text.
#[derive(Debug, Clone, PartialEq)]
pub enum QuoteMatch {
    /// It stands there word for word: every place.
    Verbatim(Vec<Range<usize>>),
    /// It does but for marked omissions and insertions.
    Edited {
        /// Its parts, in their order.
        parts: Vec<Range<usize>>,
        /// What it puts in, as it stands in brackets.
        inserted: Vec<String>,
    },
    /// Something nearly like it stands there.
    Near {
        /// Where.
        range: Range<usize>,
        /// How like it is, by letters, 0.9 to 1.
        likeness: f64,
    },
    /// Nothing like it stands there.
    Absent,
}

impl QuoteMatch {
    /// Every place where the quotation stands word for word; `None` where it does not.
    pub fn verbatim_ranges(self) -> Option<Vec<Range<usize>>> {
        if let QuoteMatch::Verbatim(ranges) = self { Some(ranges) } else { None }
    }
}

/// Where `quote` stands in the text: whole words, wherever it has letters or digits.
pub fn find_quote(text: &FoldedText, quote: &str) -> QuoteMatch {
    let original = |part: &Range<usize>| text.original_range(part.clone());
    // A text can hold brackets and dots of its own: what looks like a mark of an omission is first looked for as it is.
    let whole = FoldedText::new(&fold_marks(quote));
    let has_words = whole.as_str().contains(char::is_alphanumeric);
    let first = text.find_words(&whole, 0).filter(|_| has_words);
    let places = successors(first, |place| text.find_words(&whole, place.end)).take(PLACES_MAX);
    let places: Vec<Range<usize>> = places.collect();
    if !places.is_empty() {
        return QuoteMatch::Verbatim(places.iter().map(original).collect());
    }
    let Some(QuoteParts { parts, is_edited, inserted }) = QuoteParts::parse(quote) else {
        return QuoteMatch::Absent;
    };
    if is_edited && let Some(found) = find_in_order(&parts, text) {
        return QuoteMatch::Edited { parts: found.iter().map(original).collect(), inserted };
    }
    match find_nearest(&whole, text) {
        Some((likeness, found)) if likeness >= NEAR_MIN => {
            QuoteMatch::Near { range: text.original_range(found), likeness }
        }
        _ => QuoteMatch::Absent,
    }
}

/// Whether enough of a quotation is left between its omissions to be looked up.
pub fn is_searchable(quote: &str) -> bool {
    QuoteParts::parse(quote).is_some()
}

/// The parts of a quotation between its omissions and insertions.
struct QuoteParts {
    parts: Vec<FoldedText>,
    is_edited: bool,
    /// What stands in brackets.
    inserted: Vec<String>,
}

impl QuoteParts {
    /// `None` where too little of the quotation is left to be looked up.
    fn parse(quote: &str) -> Option<Self> {
        let mut text = fold_marks(quote);
        let mut is_edited = false;
        let mut inserted = Vec::new();
        // `[T]he` changes a letter; `[he]` and `[...]` stand in place of something.
        while let Some((open, close)) = text.find('[').and_then(|open| Some((open, open + text[open..].find(']')?))) {
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
        is_edited |= text.trim_matches(['.', ' ', '"']).contains("...");
        let written = text.split("...").map(|part| (FoldedText::new(part), folded_words(part).len()));
        let written: Vec<(FoldedText, usize)> = written.filter(|(part, _)| !part.as_str().is_empty()).collect();
        let is_enough = match is_edited {
            true => {
                written.iter().any(|(_, count)| *count >= EDITED_WORDS_MIN)
                    && written.iter().all(|(_, count)| *count >= PART_WORDS_MIN || written.len() == 1)
            }
            false => !written.is_empty(),
        };
        let parts = written.into_iter().map(|(part, _)| part).collect();
        is_enough.then_some(Self { parts, is_edited, inserted })
    }
}

/// All `parts` in their order, near each other: where each stands.
fn find_in_order(parts: &[FoldedText], text: &FoldedText) -> Option<Vec<Range<usize>>> {
    let (first, rest) = parts.split_first()?;
    let mut from = 0;
    while let Some(start) = text.find_words(first, from) {
        let mut found = vec![start.clone()];
        let mut end = start.end;
        let all = rest.iter().all(|part| match text.find_words(part, end) {
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

/// The passage of `text` that is most like `quote`, by words (Sellers 1980), and how like it is by letters.
fn find_nearest(quote: &FoldedText, text: &FoldedText) -> Option<(f64, Range<usize>)> {
    let (wanted, there) = (quote.word_ranges(), text.word_ranges());
    if wanted.is_empty() || wanted.len() > NEAR_WORDS_MAX || there.is_empty() {
        return None;
    }
    // Words as numbers: they are compared millions of times.
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let wanted: Vec<usize> = wanted
        .into_iter()
        .map(|range| {
            let next = numbers.len() + 1;
            *numbers.entry(&quote.as_str()[range]).or_insert(next)
        })
        .collect();
    let count = wanted.len();
    // Cost of the best alignment that ends here, and where it begins.
    let mut column: Vec<(usize, usize)> = (0..=count).map(|i| (i, 0)).collect();
    let mut best: Option<(usize, usize, usize)> = None;
    for (at, range) in there.iter().enumerate().take(NEAR_TEXT_WORDS_MAX) {
        let word = numbers.get(&text.as_str()[range.clone()]).copied().unwrap_or(0);
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
    let likeness = strsim::normalized_levenshtein(quote.as_str(), &text.as_str()[found.clone()]);
    Some((likeness, found))
}

/// Two texts word by word: `[-what was said-] {+what stands there+}`; empty where they are too long.
pub fn show_difference(said: &str, there: &str) -> String {
    let (said, there) = (split_words(said), split_words(there));
    let (rows, columns) = (said.len(), there.len());
    if rows * columns > DIFFERENCE_MAX {
        return String::new();
    }
    let folded = |words: &[Span<'_>]| words.iter().map(|word| FoldedText::new(word.text)).collect::<Vec<_>>();
    let (one, other) = (folded(&said), folded(&there));
    let mut longest = vec![vec![0_u16; columns + 1]; rows + 1];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            longest[i][j] = if one[i].as_str() == other[j].as_str() {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut shown: Vec<String> = Vec::new();
    while i < rows || j < columns {
        if i < rows && j < columns && one[i].as_str() == other[j].as_str() {
            shown.push(said[i].text.to_owned());
            (i, j) = (i + 1, j + 1);
        } else if i < rows && (j == columns || longest[i + 1][j] >= longest[i][j + 1]) {
            shown.push(format!("[-{}-]", said[i].text));
            i += 1;
        } else {
            shown.push(format!("{{+{}+}}", there[j].text));
            j += 1;
        }
    }
    shown.join(" ").replace("-] [-", " ").replace("+} {+", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "The city’s council met on Monday. It approved a plan to plant 4,000 trees along the river \
        by 2030, which the mayor called “a modest start”. Critics said that the plan costs too much and comes too \
        late for the neighbourhoods that need shade the most.";

    /// V, E, N or A: how `quote` stands on the page.
    fn kind(page: &str, quote: &str) -> char {
        match find_quote(&FoldedText::new(page), quote) {
            QuoteMatch::Verbatim(places) if !places.is_empty() => 'V',
            QuoteMatch::Edited { .. } => 'E',
            QuoteMatch::Near { likeness, .. } if likeness >= NEAR_MIN => 'N',
            QuoteMatch::Absent => 'A',
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_quotation_stands_there_word_for_word_or_with_marked_changes() {
        for (quote, wanted) in [
            ("approved a plan to plant 4,000 trees along the river", 'V'),
            ("Approved a plan to plant 4000 trees along the river", 'V'),
            ("the mayor called \"a modest start\"", 'V'),
            ("The city's council met on Monday", 'V'),
            ("approved", 'V'),
            ("approved a plan … by 2030, which the mayor called", 'E'),
            ("[The council] approved a plan to plant [...] trees along the river", 'E'),
            // What its brackets hold stands there too.
            ("[C]ritics said that the plan costs too much", 'V'),
            (
                "approved a plan to plant 4,000 trees along the rivers by 2030, which the mayor called a modest start",
                'N',
            ),
            ("approved a plan to plant 4,001 trees along the river", 'N'),
            ("the council rejected the proposal after a long debate", 'A'),
            ("costs too much … approved a plan to plant", 'A'),
            ("a ... of ... the", 'A'),
            ("…", 'A'),
            ("", 'A'),
        ] {
            assert_eq!(kind(PAGE, quote), wanted, "{quote}");
        }
    }

    #[test]
    fn one_changed_word_is_never_verbatim() {
        let words: Vec<&str> = PAGE.split_whitespace().collect();
        for run in words.windows(7) {
            assert_eq!(kind(PAGE, &run.join(" ")), 'V', "{run:?}");
            for at in 0..run.len() {
                let mut changed = run.to_vec();
                changed[at] = "zebra";
                assert!("NA".contains(kind(PAGE, &changed.join(" "))), "{changed:?}");
            }
        }
    }

    #[test]
    fn brackets_and_dots_of_the_text_itself_are_quoted_as_they_stand() {
        let text = "[REDACTED — the page never existed] So it stays ... [sic] and goes on.";
        for quote in ["[REDACTED — the page never existed] So it stays", "stays ... [sic] and", "[redacted"] {
            assert_eq!(kind(text, quote), 'V', "{quote}");
        }
        assert_eq!(kind(text, "..."), 'A');
        assert_eq!(kind(text, "[]"), 'A');
    }

    #[test]
    fn every_place_of_a_quotation_is_told() {
        let text = "So it is. “So it is”, she said.";
        let QuoteMatch::Verbatim(places) = find_quote(&FoldedText::new(text), "so it is") else { panic!() };
        assert_eq!(places.iter().map(|place| &text[place.clone()]).collect::<Vec<_>>(), ["So it is"; 2]);
    }

    #[test]
    fn a_changed_character_is_near_in_a_script_without_spaces() {
        let page = "报告指出，每周一天的休息可以减少工伤事故，并且提高工作效率。";
        assert_eq!(kind(page, "每周一天的休息可以减少工伤事故"), 'V');
        assert_eq!(kind(page, "每周两天的休息可以减少工伤事故"), 'N');
        assert_eq!(kind(page, "每周一天的休息会增加工伤事故，并且降低工资"), 'A');
    }

    #[test]
    fn a_difference_is_shown_word_by_word() {
        assert_eq!(
            show_difference("They plant 5,000 trees", "they plant 4,000 old trees"),
            "They plant [-5,000-] {+4,000 old+} trees"
        );
        assert_eq!(show_difference("增加事故", "减少事故"), "[-增加-] {+减少+} 事故");
    }
}
