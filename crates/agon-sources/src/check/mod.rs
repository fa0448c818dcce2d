//! What a passage claims, and what a page says of it. No network, no clock: the same passage and the
//! same pages give the same findings.

mod amount;
mod asides;
mod beside;
mod bounds;
pub mod citations;
pub mod coverage;
mod dates;
mod derived;
mod editing;
pub mod entailment;
mod figure;
pub mod figures;
mod inflection;
mod likeness;
mod match_figures;
mod measures;
pub mod metadata;
mod naming;
mod numerals;
pub mod quotes;
mod remarks;
pub mod ruling;
#[cfg(test)]
mod ruling_tests;
mod scales;
mod small_words;
mod topic;
mod unit_names;
mod units;
mod wording;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use agon_text::FoldedText;

pub use self::{
    figure::StatedFigure,
    match_figures::{FigureFinding, FigureStatus},
    quotes::{QuoteFinding, QuoteStatus},
};
use crate::text::{PageText, sentences};

/// A cited page, prepared for many searches: its text, sentences and figures.
#[derive(Debug, Clone)]
pub struct Page {
    /// What it says.
    pub said: PageText,
    words: FoldedText,
    sentences: Vec<Range<usize>>,
    figures: Vec<StatedFigure>,
    /// What each sentence is about, by where it begins.
    about: BTreeMap<usize, BTreeSet<String>>,
    /// Whether its numbers in words are those that are known here.
    is_english: bool,
}

impl Page {
    /// Prepares `said` to be looked through.
    pub fn of(said: PageText) -> Self {
        let words = FoldedText::new(&said.text);
        // A row is one sentence, whatever points are in it.
        let in_row = |range: &Range<usize>| {
            let after = said.rows.partition_point(|row| row.end <= range.start);
            said.rows.get(after).is_some_and(|row| row.start < range.end)
        };
        let mut all: Vec<Range<usize>> =
            sentences::sentences(&said.text).into_iter().filter(|range| !in_row(range)).collect();
        all = all.into_iter().flat_map(|range| pieces(&said.text, range)).collect();
        all.extend(said.rows.iter().cloned());
        all.sort_by_key(|range| range.start);
        let mut figures = figures::stated(&said.text);
        figures.sort_by_key(|figure| figure.at.start);
        let lower = format!(" {} ", said.text.to_lowercase());
        let is_english = lower.contains(" the ") || lower.contains(" of ") && lower.contains(" and ");
        let mut page = Self { said, words, sentences: all, figures, about: BTreeMap::new(), is_english };
        for at in page.figures.iter().map(|figure| figure.at.start).collect::<Vec<_>>() {
            let sentence = page.sentence(at);
            if !page.about.contains_key(&sentence.start) {
                let words = topic::of_sentence(page.said.text.get(sentence.clone()).unwrap_or_default());
                page.about.insert(sentence.start, words);
            }
        }
        page
    }

    /// The sentence of the page in which byte `at` stands.
    pub(crate) fn sentence(&self, at: usize) -> Range<usize> {
        let after = self.sentences.partition_point(|range| range.end <= at);
        self.sentences.get(after).cloned().unwrap_or(0..self.said.text.len())
    }

    /// The figures that stand in the sentence of `stated`.
    fn near(&self, stated: &StatedFigure) -> &[StatedFigure] {
        let range = self.sentence(stated.at.start);
        let start = self.figures.partition_point(|other| other.at.start < range.start);
        let end = self.figures.partition_point(|other| other.at.start < range.end);
        self.figures.get(start..end).unwrap_or_default()
    }

    /// Whether the sentence `range` is the row of a table.
    fn is_row(&self, range: &Range<usize>) -> bool {
        self.said.rows.binary_search_by_key(&range.start, |row| row.start).is_ok()
    }

    /// The sentence `range` with the one before and the one behind it; a row stands for itself.
    fn around(&self, range: &Range<usize>) -> Range<usize> {
        let at = self.sentences.partition_point(|other| other.start < range.start);
        if self.is_row(range) {
            return range.clone();
        }
        let beside = |at: Option<usize>| {
            at.and_then(|at| self.sentences.get(at)).filter(|other| !self.is_row(other)).cloned()
        };
        let before = beside(at.checked_sub(1)).map_or(range.start, |before| before.start);
        let behind = beside(Some(at + 1)).map_or(range.end, |behind| behind.end);
        before..behind
    }

    /// The sentence behind `range`.
    fn next(&self, range: &Range<usize>) -> Option<&str> {
        let at = self.sentences.partition_point(|other| other.start <= range.start);
        let next = self.sentences.get(at).filter(|next| !self.is_row(next))?;
        self.said.text.get(next.clone())
    }

    /// The clause of its sentence in which `figure` stands: of a row, the cell with its heading.
    fn clause_range(&self, figure: &StatedFigure) -> Range<usize> {
        let sentence = self.sentence(figure.at.start);
        let text = self.said.text.get(sentence.clone()).unwrap_or_default();
        let at = figure.at.start.saturating_sub(sentence.start);
        let clause = match self.is_row(&sentence) {
            true => {
                let start = text[..at].rfind("; ").map_or(0, |start| start + 2);
                start..text[at..].find("; ").map_or(text.len(), |end| at + end)
            }
            false => wording::clause(text, at),
        };
        sentence.start + clause.start..sentence.start + clause.end
    }

    /// The words of that clause outside of the figure, as they are written.
    fn clause_words(&self, figure: &StatedFigure) -> Vec<String> {
        let clause = self.clause_range(figure);
        let text = |range: Range<usize>| self.said.text.get(range).unwrap_or_default();
        let (before, behind) = (text(clause.start..figure.at.start), text(figure.at.end..clause.end));
        [before, behind].into_iter().flat_map(sentences::all_words).map(str::to_owned).collect()
    }

    /// Text of a range, as one line of at most `chars_max` characters.
    pub(crate) fn line(&self, range: Range<usize>, chars_max: usize) -> String {
        one_line(self.said.text.get(range).unwrap_or_default(), chars_max)
    }
}

/// Longest sentence, in bytes: what has no points is looked at piece by piece.
const SENTENCE_BYTES_MAX: usize = 4_000;

/// `range` of `text` in pieces that are no longer than a sentence may be.
fn pieces(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut start) = (Vec::new(), range.start);
    while range.end - start > SENTENCE_BYTES_MAX {
        let most = text.floor_char_boundary(start + SENTENCE_BYTES_MAX);
        let end = text[start..most].rfind(char::is_whitespace).map_or(most, |at| start + at);
        let end = if end > start { end } else { most };
        found.push(start..end);
        start = end;
    }
    found.push(start..range.end);
    found
}

/// `text` as one line of at most `chars_max` characters.
pub fn one_line(text: &str, chars_max: usize) -> String {
    let visible: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= chars_max {
        return line;
    }
    line.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}
