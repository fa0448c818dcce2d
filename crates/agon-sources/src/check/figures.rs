//! Whether the digits of a figure stand on a page. Nothing is said about what they count there.

use std::collections::BTreeSet;

use agon_text::find_figures;
use serde::Serialize;

use super::{Page, one_line};

/// Figures of one passage that are looked up.
const FIGURES_MAX: usize = 40;

/// A figure of a passage, and where its digits stand on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FigureFinding {
    /// As the passage writes it.
    pub figure: String,
    /// The first sentence of the page with an equal number; `None` where there is none.
    pub sentence: Option<String>,
}

/// The figures of `passage`, each once, without counts up to twelve and years, and where they stand on `page`.
pub fn look_up_figures(passage: &str, page: &Page) -> Vec<FigureFinding> {
    let there = find_figures(&page.said.text);
    let mut seen = BTreeSet::new();
    let said = find_figures(passage).into_iter().filter(|figure| !figure.is_common() && seen.insert(figure.text));
    let found = said.take(FIGURES_MAX).map(|figure| {
        let equal = there.iter().find(|other| figure.has_common_value(other));
        let sentence = equal.and_then(|other| page.said.text.get(page.sentence_at(other.range.start)));
        let sentence = sentence.map(|sentence| one_line(sentence, 300));
        FigureFinding { figure: figure.text.to_owned(), sentence }
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::PageText;

    #[test]
    fn the_digits_of_a_figure_stand_on_the_page_or_not() {
        let text = "The port handled 12 480 ships in 2021. Peak demand rose by 3,250 megawatts.";
        let page = Page::from_text(PageText { text: text.into(), ..PageText::default() });
        let found = |passage: &str| -> Vec<(String, bool)> {
            let found = look_up_figures(passage, &page).into_iter();
            found.map(|found| (found.figure, found.sentence.is_some())).collect()
        };
        assert_eq!(found("In 2021 it had 12,480 ships"), [("12,480".to_owned(), true)]);
        assert_eq!(found("峰值需求上升了3,250兆瓦"), [("3,250".to_owned(), true)]);
        assert_eq!(found("At 91 per cent, twice"), [("91".to_owned(), false)]);
    }
}
