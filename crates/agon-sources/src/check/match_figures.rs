//! Whether a page states a figure of a claim.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{
    Page,
    figures::{Figure, Sort, Unit},
    one_line,
};
use crate::text::sentences::{content_words, sentences};

/// What came of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureStatus {
    /// An equal value stands in a sentence about the same.
    ValueFound,
    /// An equal value stands elsewhere, or one that is equal if its separators or unit are read so.
    ValueElsewhere,
    /// No equal value stands there.
    ValueAbsent,
}

/// A figure of a claim and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureFinding {
    /// The figure as it was claimed.
    pub figure: String,
    /// Where it stands in the passage, in bytes.
    pub at: Range<usize>,
    /// What came of it.
    pub status: FigureStatus,
    /// Whether a claim stands or falls with it: no bare year or small count.
    pub is_strong: bool,
    /// The sentence of the page: with the value, or the one that is most about the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_says: Option<String>,
    /// Where that sentence stands on the page, in bytes of its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    Equal,
    Perhaps,
    Other,
}

/// Looks `figure`, which `text` claims, up on `page`.
pub fn look_up(text: &str, figure: &Figure, page: &Page) -> FigureFinding {
    let around = sentences(text).into_iter().find(|range| range.contains(&figure.at.start));
    let around = around.map_or(text, |range| &text[range]);
    let about = content_words(around);
    let shared = |range: &Range<usize>| {
        page.about.get(&range.start).map_or(0, |words| words.intersection(&about).count())
    };
    // The best so far: how like the value is, whether the sentence shares a word, and the sentence.
    let mut best: Option<(Likeness, bool, usize, Range<usize>)> = None;
    for stated in &page.figures {
        let likeness = compare(figure, stated);
        if likeness == Likeness::Other {
            continue;
        }
        let sentence = page.sentence(stated.at.start);
        let count = shared(&sentence);
        let found = (likeness, count == 0, usize::MAX - count, sentence);
        if best.as_ref().is_none_or(|best| (found.0, found.1, found.2) < (best.0, best.1, best.2)) {
            best = Some(found);
        }
    }
    let (status, sentence) = match best {
        Some((Likeness::Equal, false, _, sentence)) => (FigureStatus::ValueFound, Some(sentence)),
        Some((.., sentence)) => (FigureStatus::ValueElsewhere, Some(sentence)),
        None => {
            let like = page.figures.iter().map(|stated| page.sentence(stated.at.start));
            let like = like.max_by_key(shared).filter(|range| shared(range) > 0);
            (FigureStatus::ValueAbsent, like)
        }
    };
    FigureFinding {
        figure: one_line(&text[figure.at.clone()], 60),
        at: figure.at.clone(),
        status,
        is_strong: figure.is_strong,
        page_says: sentence.clone().map(|range| page.line(range, 300)),
        found: sentence,
    }
}

fn compare(claimed: &Figure, stated: &Figure) -> Likeness {
    match (claimed.sort, stated.sort) {
        (Sort::Date(year, month, day), Sort::Date(y, m, d)) => {
            let same = |a: i32, b: i32| a == 0 || b == 0 || a == b;
            let all = same(year, y) && month == m && same(day.into(), d.into());
            let exact = (year, day) == (y, d) || (year == 0 && day == d) || (day == 0 && year == y);
            match (all, exact) {
                (true, true) => Likeness::Equal,
                (true, false) => Likeness::Perhaps,
                _ => Likeness::Other,
            }
        }
        (Sort::Year, Sort::Date(y, ..)) => {
            let year = claimed.values.first().and_then(|value| value.whole());
            if year == Some(y.into()) { Likeness::Equal } else { Likeness::Other }
        }
        (Sort::Date(..), _) | (_, Sort::Date(..)) => Likeness::Other,
        _ => amounts(claimed, stated),
    }
}

fn amounts(claimed: &Figure, stated: &Figure) -> Likeness {
    let (Some(value), Some(other)) = (claimed.values.first(), stated.values.first()) else {
        return Likeness::Other;
    };
    let unit = match (claimed.unit, stated.unit) {
        (a, b) if a == b => Likeness::Equal,
        // A table names the unit elsewhere.
        (Unit::None, _) | (_, Unit::None) => Likeness::Perhaps,
        _ => return Likeness::Other,
    };
    if value == other {
        return unit;
    }
    // What is said to be rounded is equal to what it is rounded from; the other way round perhaps.
    let rounds = |rough: &Figure, fine: f64| {
        let step = 10_f64.powi(rough.precision);
        let value = rough.values.first().map_or(f64::NAN, |value| value.approximately());
        (fine - value).abs() <= step / 2.0 * (1.0 + 1e-9)
    };
    if claimed.hedged && rounds(claimed, other.approximately()) {
        return unit;
    }
    let finer = |a: &Figure, b: &Figure| a.precision > b.precision;
    if finer(claimed, stated) && rounds(claimed, other.approximately())
        || stated.hedged && finer(stated, claimed) && rounds(stated, value.approximately())
    {
        return Likeness::Perhaps;
    }
    let otherwise = claimed.values.iter().any(|value| stated.values.contains(value));
    if otherwise { Likeness::Perhaps } else { Likeness::Other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check::figures::claimed, text::PageText};

    const PAGE: &str = "In May 2021 the unemployment rate fell to 5.8 per cent. Some 12,345 jobs were added, worth \
        $1.2 billion a year. The harbour was closed for forty-two days. A tunnel of 3.5 km was opened on 12 March 2020. \
        Turnover reached 1,234 tonnes; exports were 48.4% of it. Households paid 1\u{a0}200 euros.";

    fn status(claim: &str) -> Vec<FigureStatus> {
        let page = Page::of(PageText { text: PAGE.into(), ..PageText::default() });
        claimed(claim, &[]).iter().map(|figure| look_up(claim, figure, &page).status).collect()
    }

    #[test]
    fn v5_right_figures_are_found_whatever_their_typography() {
        for claim in [
            "Unemployment fell to 5.8%.",
            "The unemployment rate fell to 5,8 percent.",
            "About 12 345 jobs were added."
                .replace(' ', "\u{202f}")
                .replace("About\u{202f}", "About ")
                .replace("\u{202f}jobs", " jobs")
                .as_str(),
            "12345 jobs were added.",
            "The jobs are worth US$1,200 million.",
            "The harbour stayed closed for 42 days.",
            "A 3.5-kilometre tunnel was opened.",
            "The tunnel measures 3,500 metres.",
            "The tunnel opened on March 12, 2020.",
            "The tunnel opened on 2020-03-12.",
            "Households paid €1,200.",
            "Roughly 12,300 jobs were added.",
        ] {
            let found = status(claim);
            assert!(
                !found.is_empty() && found.iter().all(|s| *s == FigureStatus::ValueFound),
                "{claim}: {found:?}"
            );
        }
    }

    #[test]
    fn v5_wrong_figures_are_never_found() {
        for claim in [
            "Unemployment fell to 5.9%.",
            "Unemployment fell to 8.5%.",
            "Unemployment fell to 58%.",
            "Unemployment fell to 5.8 million.",
            "12,354 jobs were added.",
            "1,234 jobs were added every week, 123.45 a day.",
            "The jobs are worth $1.2 million.",
            "The jobs are worth €1.2 billion.",
            "The tunnel measures 3.5 miles.",
            "The tunnel measures 35 km.",
            "The tunnel opened on 21 March 2020.",
            "The harbour stayed closed for 24 days.",
            "Turnover reached 1.234 tonnes.",
            "Exports were 48% of turnover.",
            "Households paid -1,200 euros.",
            "About 13,000 jobs were added.",
        ] {
            let found = status(claim);
            assert!(
                !found.is_empty() && found.iter().any(|s| *s != FigureStatus::ValueFound),
                "{claim}: {found:?}"
            );
        }
    }

    #[test]
    fn a_value_in_another_place_is_said_to_be_elsewhere() {
        assert_eq!(status("Obesity reached 48.4% last decade."), [FigureStatus::ValueElsewhere]);
        assert_eq!(status("Obesity reached 48.5% last decade."), [FigureStatus::ValueAbsent]);
    }

    #[test]
    fn the_page_s_sentence_stands_beside_a_wrong_figure() {
        let page = Page::of(PageText { text: PAGE.into(), ..PageText::default() });
        let claim = "Unemployment fell to 5.9%.";
        let finding = look_up(claim, &claimed(claim, &[])[0], &page);
        assert_eq!(
            finding.page_says.as_deref(),
            Some("In May 2021 the unemployment rate fell to 5.8 per cent.")
        );
    }
}
