//! The words next to a figure: by them one tells which of several figures of a page a claim means.

use std::{collections::BTreeSet, ops::Range};

use super::{
    Page,
    bounds::Bound,
    figure::{Sort, StatedFigure},
    topic::FigureContext,
    wording::words,
};

/// Words on each side of a figure that are compared.
const WORDS_MAX: usize = 8;
/// From how many common words on another figure of the page is clearly the one that the claim means.
const SURE: usize = 6;

/// What is next to a figure of a claim.
pub struct Beside(BTreeSet<String>);

impl Beside {
    /// Of `figure`, one of `all` that `text` states, within the sentence `around`.
    pub fn of(text: &str, around: &Range<usize>, figure: &StatedFigure, all: &[StatedFigure]) -> Self {
        let others = all.iter().filter(|other| !other.is_aside && other.at != figure.at);
        let ends = others.clone().map(|other| other.at.end).filter(|end| *end <= figure.at.start);
        let start = ends.filter(|end| *end >= around.start).max().unwrap_or(around.start);
        let starts = others.map(|other| other.at.start).filter(|start| *start >= figure.at.end);
        let end = starts.filter(|start| *start <= around.end).min().unwrap_or(around.end);
        let part = |range: Range<usize>| words(text.get(range).unwrap_or_default());
        let is_word = |word: &String| word.contains(char::is_alphabetic);
        let before = part(start..figure.at.start).into_iter().rev().map(|(_, word)| word);
        let behind = part(figure.at.start..end).into_iter().map(|(_, word)| word);
        let near = before.filter(is_word).take(WORDS_MAX).chain(behind.filter(is_word).take(WORDS_MAX));
        Self(near.collect())
    }

    /// How much it has in common with what is next to `stated`; a longer word says more.
    fn shared(&self, stated: &StatedFigure, page: &Page) -> usize {
        let there = Self::of(&page.said.text, &page.sentence(stated.at.start), stated, page.near(stated));
        let weight = |word: &String| if word.chars().count() > 3 { 2 } else { 1 };
        self.0.intersection(&there.0).map(weight).sum()
    }
}

/// Figures of a page whose surroundings are looked at: those in the sentences that share most with the claim.
const LOOKED_AT_MAX: usize = 200;

/// The figures of `page` that speak of what `claim` does, each with how many words its sentence shares with it.
fn related<'p>(claim: &FigureContext<'_>, page: &'p Page) -> Vec<(&'p StatedFigure, usize)> {
    let all = page.figures.iter().map(|stated| (stated, claim.shared(page, &page.sentence(stated.at.start))));
    let mut related: Vec<(&StatedFigure, usize)> = all.filter(|(_, shared)| *shared > 0).collect();
    related.sort_by_key(|(_, shared)| usize::MAX - shared);
    related.truncate(LOOKED_AT_MAX);
    related
}

/// The sentence of the page that speaks most of what `claim` does, by its words and by those next to its figures.
pub fn nearest_sentence(claim: &FigureContext<'_>, beside: &Beside, page: &Page) -> Option<Range<usize>> {
    let ranked = related(claim, page).into_iter();
    let ranked = ranked.map(|(stated, shared)| (shared + beside.shared(stated, page), stated.at.start));
    ranked.max_by_key(|(near, at)| (*near, *at)).map(|(_, at)| page.sentence(at))
}

/// A bound of a claim, "more than 150", before a page that gives other numbers.
pub struct Limit<'c> {
    figure: &'c StatedFigure,
    /// How near to the claim a number of the page stands that does not keep within the bound.
    rival: Option<usize>,
}

/// What to make of another number than that of the bound.
pub enum Met {
    /// Nothing: the page gives the number of just that, and it does not keep within the bound.
    No,
    /// It keeps within the bound; whether it is of the same is told in words.
    Perhaps(String),
}

impl<'c> Limit<'c> {
    /// Of `figure`; `None` where it is not a bound.
    pub fn of(
        claim: &FigureContext<'_>,
        beside: &Beside,
        figure: &'c StatedFigure,
        page: &Page,
    ) -> Option<Self> {
        if !matches!(figure.bound, Bound::Above | Bound::Below) || figure.sort != Sort::Amount {
            return None;
        }
        let fails = |other: &StatedFigure| {
            other.sort == Sort::Amount && !other.is_aside && is_within(figure, other) == Some(false)
        };
        let rivals = related(claim, page).into_iter().filter(|(other, _)| fails(other));
        Some(Self { figure, rival: rivals.map(|(other, _)| beside.shared(other, page)).max() })
    }

    /// Whether `stated` meets it; `None` where the number itself stands there, or one that does not keep within it.
    pub fn met(
        &self,
        claim: &FigureContext<'_>,
        beside: &Beside,
        stated: &StatedFigure,
        page: &Page,
    ) -> Option<Met> {
        if is_within(self.figure, stated) != Some(true) {
            return None;
        }
        let own = beside.shared(stated, page);
        if self.rival.is_some_and(|rival| rival >= SURE && rival > own) {
            return Some(Met::No);
        }
        let is_same = claim.shared_at(page, stated) > 0 && self.rival.is_none_or(|rival| own >= rival);
        let why = match is_same {
            true => "only as a number that keeps within that bound",
            false => "only as a number of something else that keeps within that bound",
        };
        Some(Met::Perhaps(why.to_owned()))
    }
}

/// Whether `stated`, which counts the same or nothing that is known, is another number and keeps within the bound
/// of `figure`.
fn is_within(figure: &StatedFigure, stated: &StatedFigure) -> Option<bool> {
    let base = |figure: &StatedFigure| figure.unit.known.map(|known| (known.base, known.factor, known.power));
    let (own, there) = (figure.values.first()?.approximately(), stated.values.first()?.approximately());
    if base(figure) != base(stated) || figure.values.iter().any(|value| stated.values.contains(value)) {
        return None;
    }
    Some(if figure.bound == Bound::Above { there > own } else { there < own })
}

#[cfg(test)]
mod tests {
    use super::super::{
        figures::claimed,
        match_figures::{FigureFinding, FigureStatus, look_up},
    };
    use super::*;
    use crate::text::PageText;

    const PAGE: &str = "In March 2026 the hospital and the bakery asked 240 people who work at night how they get home. Of \
        these, 132 said that they have no way home but the night bus. Another 61 drive, and 47 walk or cycle.";

    fn finding(claim: &str, at: usize) -> FigureFinding {
        let page = Page::of(PageText { text: PAGE.into(), ..PageText::default() });
        let all = claimed(claim, &[]);
        look_up(claim, &all[at], &all, &page)
    }

    #[test]
    fn the_sentence_beside_a_wrong_figure_is_that_of_the_same_claim() {
        let claim =
            "Of the 240 people who were asked, 142 said that they have no way home but the night bus.";
        let found = finding(claim, 1);
        assert_eq!(found.status, FigureStatus::ValueAbsent);
        assert!(found.page_says.as_deref().unwrap().starts_with("Of these, 132 said"), "{found:?}");
    }

    #[test]
    fn a_bound_is_not_met_by_the_number_of_something_else() {
        let wrong = finding("More than 150 said that they have no way home but the bus.", 0);
        assert_eq!(wrong.status, FigureStatus::ValueAbsent, "{wrong:?}");
        assert!(wrong.page_says.as_deref().unwrap().starts_with("Of these, 132 said"), "{wrong:?}");
        let open = finding("They asked more than 200 people who work at night how they get home.", 0);
        assert_eq!(open.status, FigureStatus::ValueElsewhere, "{open:?}");
        assert_eq!(open.doubt.as_deref(), Some("only as a number that keeps within that bound"));
    }
}
