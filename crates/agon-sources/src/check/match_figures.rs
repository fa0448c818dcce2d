//! Whether a page states a figure of a claim, about the same thing and in the same sense.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{
    Page,
    beside::{Beside, Limit, Met, nearest_sentence},
    derived::follows,
    figure::{Sort, StatedFigure},
    likeness::{Likeness, compare},
    naming, one_line,
    topic::{self, FigureContext},
    wording::{self, SentencePlace},
};
use crate::text::sentences::sentences;

/// Places of one value on a page that are looked at.
const CANDIDATES_MAX: usize = 40;

/// The result of searching a page for a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureStatus {
    /// An equal value stands in a sentence about the same.
    ValueFound,
    /// An equal value stands elsewhere, or in another sense, or one that is equal if its separators or unit
    /// are read so.
    ValueElsewhere,
    /// No equal value stands there.
    ValueAbsent,
}

/// A figure of a claim, with the result of searching a page for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureFinding {
    /// The figure as it was claimed.
    pub figure: String,
    /// Where it stands in the passage, in bytes.
    pub at: Range<usize>,
    /// The result.
    pub status: FigureStatus,
    /// Whether a claim stands or falls with it: no bare year or small count.
    pub is_strong: bool,
    /// Whether the passage says it temporarily, in a sentence that neither quotes nor cites anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_remark: bool,
    /// Why it is not found although its value stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// The sentence of the page: with the value, or the one that is most about the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_says: Option<String>,
    /// Where that sentence stands on the page, in bytes of its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Range<usize>>,
}

/// Looks `figure`, one of those that `text` claims, up on `page`.
pub fn look_up(text: &str, figure: &StatedFigure, all: &[StatedFigure], page: &Page) -> FigureFinding {
    let around =
        sentences(text).into_iter().find(|range| range.contains(&figure.at.start)).unwrap_or(0..text.len());
    let claim = FigureContext::of(text, around.clone(), figure);
    let beside = Beside::of(text, &around, figure, all);
    let limit = Limit::of(&claim, &beside, figure, page);
    let alike = page.figures.iter().filter_map(|stated| {
        let (mut likeness, mut doubt) = compare(figure, claim.sentence, stated, page);
        if likeness == Likeness::Perhaps {
            match limit.as_ref().and_then(|limit| limit.met(&claim, &beside, stated, page)) {
                Some(Met::No) => likeness = Likeness::Other,
                Some(Met::Perhaps(why)) => doubt = Some(why),
                None => {}
            }
        }
        let shared = claim.shared(page, &page.sentence(stated.at.start));
        (likeness != Likeness::Other).then_some((likeness, usize::MAX - shared, doubt, stated))
    });
    let mut alike: Vec<_> = alike.collect();
    alike.sort_by_key(|(likeness, unlike, ..)| (*likeness, *unlike));
    // The best: what speaks against it, and its sentence.
    let mut best: Option<(Option<String>, Range<usize>)> = None;
    for (likeness, _, doubt, stated) in alike.into_iter().take(CANDIDATES_MAX) {
        let doubt = match likeness {
            Likeness::Equal => against(&claim, figure, all, stated, page),
            _ => Some(doubt.unwrap_or_else(|| "it may mean something else".into())),
        };
        let is_found = doubt.is_none();
        if is_found || best.is_none() {
            best = Some((doubt, page.sentence(stated.at.start)));
        }
        if is_found {
            break;
        }
    }
    if best.is_none() && figure.sort == Sort::Amount {
        best = follows(figure, page).map(|(doubt, at)| (Some(doubt), page.sentence(at)));
    }
    let (status, doubt, sentence) = match best {
        Some((None, sentence)) => (FigureStatus::ValueFound, None, Some(sentence)),
        Some((doubt, sentence)) => (FigureStatus::ValueElsewhere, doubt, Some(sentence)),
        None => (FigureStatus::ValueAbsent, None, nearest_sentence(&claim, &beside, page)),
    };
    FigureFinding {
        figure: one_line(&text[figure.at.clone()], 60),
        at: figure.at.clone(),
        status,
        is_strong: figure.is_strong && !may_be_spelled(figure, page),
        is_remark: false,
        doubt,
        page_says: sentence.clone().map(|range| page.line(range, 300)),
        found: sentence,
    }
}

/// Whether a page in another language may write the number in words that are not known here.
fn may_be_spelled(figure: &StatedFigure, page: &Page) -> bool {
    let short = |value: &super::numerals::Number| {
        value.whole().is_some_and(|whole| whole.abs().to_string().trim_end_matches('0').len() <= 2)
    };
    !page.is_english && figure.values.first().is_some_and(short)
}

/// What speaks against `stated`, whose value is equal, as what the claim means.
fn against(
    claim: &FigureContext<'_>,
    figure: &StatedFigure,
    all: &[StatedFigure],
    stated: &StatedFigure,
    page: &Page,
) -> Option<String> {
    let range = page.sentence(stated.at.start);
    let sentence = page.said.text.get(range.clone())?;
    if claim.shared_at(page, stated) == 0 {
        return Some("the sentence shares no word with the claim".into());
    }
    if let Some(name) = naming::stranger(claim, page, &range) {
        return Some(format!("{name} is not there"));
    }
    let place = SentencePlace { sentence, at: stated.at.start - range.start };
    if let Some(turn) = wording::turned(claim.place(), place) {
        return Some(turn.words());
    }
    if page.next(&range).is_some_and(wording::takes_back) {
        return Some("the next sentence takes it back".into());
    }
    if figure.sort == Sort::Amount {
        if let Some(why) = topic::other_time(claim, page, stated) {
            return Some(why);
        }
        if let Some(why) = topic::rival(claim, page, stated) {
            return Some(why);
        }
        if let Some(other) = topic::parted(claim, all, page, &range) {
            return Some(format!("{other} is on another part of the page"));
        }
    }
    None
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
        let all = claimed(claim, &[]);
        all.iter().map(|figure| look_up(claim, figure, &all, &page).status).collect()
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
            "12 345 jobs were added.",
            "The jobs are worth US$1,200 million a year.",
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
            "The jobs are worth $1.2 billion a month.",
            "The jobs are worth €1.2 billion.",
            "The tunnel measures 3.5 miles.",
            "The tunnel measures 35 km.",
            "The tunnel opened on 21 March 2020.",
            "The harbour stayed closed for 24 days.",
            "The harbour stayed closed for 42 weeks.",
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
        let all = claimed(claim, &[]);
        let finding = look_up(claim, &all[0], &all, &page);
        assert_eq!(
            finding.page_says.as_deref(),
            Some("In May 2021 the unemployment rate fell to 5.8 per cent.")
        );
    }
}
