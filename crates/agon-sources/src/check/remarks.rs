//! What a passage says and does not claim of its sources: numbers that it tells in addition to what it quotes ("two of us",
//! "five o'clock"), and what it names in order to challenge it.

use std::ops::Range;

use agon_text::FoldedText;

use super::{
    citations,
    figure::{Sort, StatedFigure},
    figures,
};
use crate::text::sentences::sentences;

/// Names that a passage mentions without claiming them: they are in the statement that it challenges.
pub struct Named {
    words: FoldedText,
    figures: Vec<StatedFigure>,
}

impl Named {
    /// Of the statement `challenged`; of none where it is empty.
    pub fn of(challenged: &str) -> Self {
        Self { words: FoldedText::new(challenged), figures: figures::stated(challenged) }
    }

    /// Whether the statement has these words.
    pub fn quotes(&self, quote: &str) -> bool {
        self.words.find(&FoldedText::new(quote), 0).is_some()
    }

    /// Whether the statement has this figure.
    pub fn gives(&self, figure: &StatedFigure) -> bool {
        let equal = |other: &StatedFigure| other.values.iter().any(|value| figure.values.contains(value));
        self.figures.iter().any(|other| other.sort == figure.sort && equal(other))
    }
}

/// Which of `figures` are side remarks of `passage`: small counts in words and bare numbers, in sentences that neither
/// quote nor cite anything. `cited` is the passage with its addresses.
pub fn remarks(passage: &str, cited: &str, quoted: &[Range<usize>], figures: &[StatedFigure]) -> Vec<bool> {
    let all = sentences(passage);
    let cited: Vec<Range<usize>> = citations::addresses(cited).into_iter().map(|(at, _)| at).collect();
    let of = |at: usize| all.iter().position(|sentence| sentence.end > at);
    // Behind a full stop an address belongs to what stands before it.
    let leads = |sentence: &Range<usize>, at: usize| {
        !passage.get(sentence.start..at).unwrap_or_default().contains(char::is_alphanumeric)
    };
    let citing = cited.iter().filter_map(|range| {
        let at = of(range.start)?;
        Some(if leads(&all[at], range.start) { at.saturating_sub(1) } else { at })
    });
    let quoting = quoted.iter().flat_map(|range| {
        let last = of(range.end.saturating_sub(1)).unwrap_or(all.len());
        of(range.start).unwrap_or(all.len())..=last
    });
    let rests: Vec<usize> = citing.chain(quoting).collect();
    let is_remark = |figure: &StatedFigure| {
        figure.sort == Sort::Amount
            && !figure.is_strong
            && (figure.written.is_empty() || figure.unit.is_none())
            && of(figure.at.start).is_none_or(|sentence| !rests.contains(&sentence))
    };
    figures.iter().map(is_remark).collect()
}
