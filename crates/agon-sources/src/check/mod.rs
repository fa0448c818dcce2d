//! What a passage claims, and what a page says of it. No network, no clock: the same passage and the
//! same pages give the same findings.

pub mod citations;
pub mod entailment;
pub mod figures;
mod match_figures;
pub mod metadata;
mod numerals;
pub mod quotes;
pub mod ruling;
mod units;

use std::collections::{BTreeMap, BTreeSet};

pub use self::{
    figures::{Figure, FigureFinding, FigureStatus},
    quotes::{QuoteFinding, QuoteStatus},
};
use crate::text::{PageText, fold::Skeleton, sentences};

/// A page that is looked through again and again.
#[derive(Debug, Clone)]
pub struct Page {
    /// What it says.
    pub said: PageText,
    skeleton: Skeleton,
    sentences: Vec<std::ops::Range<usize>>,
    figures: Vec<Figure>,
    /// What each sentence with a figure is about, by where it begins.
    about: BTreeMap<usize, BTreeSet<String>>,
}

impl Page {
    /// Prepares `said` to be looked through.
    pub fn of(said: PageText) -> Self {
        let (skeleton, sentences) = (Skeleton::of(&said.text), sentences::sentences(&said.text));
        let figures = figures::stated(&said.text);
        let mut page = Self { said, skeleton, sentences, figures, about: BTreeMap::new() };
        for at in page.figures.iter().map(|figure| figure.at.start).collect::<Vec<_>>() {
            let sentence = page.sentence(at);
            if !page.about.contains_key(&sentence.start) {
                let words =
                    sentences::content_words(page.said.text.get(sentence.clone()).unwrap_or_default());
                page.about.insert(sentence.start, words);
            }
        }
        page
    }

    /// The sentence of the page in which byte `at` stands.
    pub(crate) fn sentence(&self, at: usize) -> std::ops::Range<usize> {
        let after = self.sentences.partition_point(|range| range.end <= at);
        self.sentences.get(after).cloned().unwrap_or(0..self.said.text.len())
    }

    /// Text of a range, as one line of at most `chars_max` characters.
    pub(crate) fn line(&self, range: std::ops::Range<usize>, chars_max: usize) -> String {
        one_line(self.said.text.get(range).unwrap_or_default(), chars_max)
    }
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
