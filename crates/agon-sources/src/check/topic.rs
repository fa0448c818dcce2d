//! What a claim is about, and whether a sentence of a page is about the same: who, when, and which of
//! several figures.

use std::{collections::BTreeSet, ops::Range};

use super::{
    Page,
    figure::{Sort, StatedFigure},
    figures,
    wording::{self, SentencePlace},
};
use crate::text::sentences::{all_words, content_words, stem};

/// A figure of a claim with its context.
pub struct FigureContext<'t> {
    /// Its sentence.
    pub sentence: &'t str,
    /// Its clause, in bytes of the passage.
    clause: Range<usize>,
    /// What the sentence is about.
    about: BTreeSet<String>,
    /// What the clause is about, or the sentence where it says nothing.
    about_clause: BTreeSet<String>,
    at: usize,
    /// Where its clause begins in the sentence.
    pub from: usize,
    /// Every word of the sentence.
    words: BTreeSet<String>,
}

impl<'t> FigureContext<'t> {
    /// Of `figure`, in the sentence `range` of `text`.
    pub fn of(text: &'t str, range: Range<usize>, figure: &StatedFigure) -> Self {
        let sentence = &text[range.clone()];
        let at = figure.at.start - range.start;
        let clause = wording::clause(sentence, at);
        let about = topics(sentence);
        let near = topics(&sentence[clause.clone()]);
        let about_clause = if near.is_empty() { about.clone() } else { near };
        let words = wording::words(sentence).into_iter().map(|(_, word)| word).collect();
        let from = clause.start;
        let clause = clause.start + range.start..clause.end + range.start;
        Self { sentence, clause, about, about_clause, at, from, words }
    }

    /// Where the figure stands in its sentence.
    pub fn place(&self) -> SentencePlace<'t> {
        SentencePlace { sentence: self.sentence, at: self.at }
    }

    /// How many words the sentence of the page shares with that of the claim.
    pub fn shared(&self, page: &Page, range: &Range<usize>) -> usize {
        page.about.get(&range.start).map_or(0, |words| words.intersection(&self.about).count())
    }

    /// The same for the place where `stated` stands: in a table its own heading counts, not the row.
    pub fn shared_at(&self, page: &Page, stated: &StatedFigure) -> usize {
        let range = page.sentence(stated.at.start);
        if !page.is_row(&range) {
            return self.shared(page, &range);
        }
        // A year is what a whole row is about, and so is what stands below one.
        let own = page.clause_words(stated);
        let is_numbered = !own.is_empty() && !own.iter().any(|word| word.contains(char::is_alphabetic));
        let heading = if stated.sort == Sort::Amount && !is_numbered {
            own
        } else {
            all_words(page.said.text.get(range).unwrap_or_default()).into_iter().map(str::to_owned).collect()
        };
        let heading = heading.into_iter().map(|word| word.to_lowercase());
        let is_said = |word: &String| {
            self.words.contains(word) && word.chars().any(char::is_alphabetic)
                || self.about.contains(&stem(word))
        };
        heading.filter(is_said).count()
    }
}

/// What a text is about; where words are not parted by blanks, by pairs of signs.
fn topics(text: &str) -> BTreeSet<String> {
    let mut all = content_words(text);
    let signs: Vec<char> = text.chars().filter(|c| super::inflection::is_ideograph(*c)).collect();
    all.extend(signs.windows(2).map(|pair| pair.iter().collect::<String>()));
    all
}

/// What a sentence of a page is about.
pub fn of_sentence(text: &str) -> BTreeSet<String> {
    topics(text)
}

/// Months and days of the week that `text` names.
fn months(text: &str) -> BTreeSet<String> {
    const NAMES: &str = " MAY january february march april june july august september october november december monday \
tuesday wednesday thursday friday saturday sunday januar februar märz mai juni juli oktober dezember janvier février \
mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto \
septiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre ";
    let words = wording::words(text).into_iter().map(|(_, word)| word);
    words.filter(|word| NAMES.contains(&format!(" {word} "))).collect()
}

/// The years of the claim and those around `stated`, where they are others.
pub fn other_time(claim: &FigureContext<'_>, page: &Page, stated: &StatedFigure) -> Option<String> {
    let years = |text: &str| -> BTreeSet<i128> {
        let all = figures::stated(text).into_iter();
        all.filter_map(|figure| match figure.sort {
            Sort::Year => figure.values.first()?.whole(),
            Sort::Date(year, ..) if year > 0 => Some(year.into()),
            _ => None,
        })
        .collect()
    };
    let said = years(claim.sentence);
    let range = page.sentence(stated.at.start);
    let sentence = page.said.text.get(range.clone())?;
    let clause = page.clause_range(stated);
    let mut there = years(page.said.text.get(clause.clone())?);
    if there.is_empty() {
        // A year goes for what stands behind it, and not for what stood before.
        there = years(page.said.text.get(range.start..clause.end)?);
        let behind = page.said.text.get(clause.end..range.end).unwrap_or_default();
        let is_own = figures::stated(behind).iter().any(|figure| figure.sort == Sort::Amount);
        if there.is_empty() && is_own && !page.is_row(&range) && !said.is_disjoint(&years(behind)) {
            return Some("the year belongs to another figure".into());
        }
        if there.is_empty() {
            there = years(sentence);
        }
    }
    if there.is_empty() {
        there = years(page.said.text.get(page.around(&range))?);
    }
    let (own, near) = (months(claim.sentence), months(page.said.text.get(page.clause_range(stated))?));
    if !own.is_empty() && !near.is_empty() && own.is_disjoint(&near) {
        return Some(format!("the page says it of {}", near.into_iter().collect::<Vec<_>>().join(", ")));
    }
    let differs = !said.is_empty() && !there.is_empty() && said.is_disjoint(&there);
    differs.then(|| {
        let shown: Vec<String> = there.iter().map(i128::to_string).collect();
        format!("the page says it of {}", shown.join(", "))
    })
}

/// Another figure of the page, of the same kind and with another value, that is about all that this one is about
/// and more of what the claim says.
pub fn rival(claim: &FigureContext<'_>, page: &Page, stated: &StatedFigure) -> Option<String> {
    let own = page.sentence(stated.at.start);
    let near = page.clause_range(stated);
    let share = |range: &Range<usize>, of: &BTreeSet<String>| -> BTreeSet<String> {
        let words = topics(page.said.text.get(range.clone()).unwrap_or_default());
        words.intersection(of).cloned().collect()
    };
    let whole = page.about.get(&own.start)?.intersection(&claim.about).cloned().collect::<BTreeSet<String>>();
    let part = share(&near, &claim.about_clause);
    for other in page.figures.iter().filter(|other| other.sort == Sort::Amount && !other.is_aside) {
        let is_like = match (other.unit.known, stated.unit.known) {
            (Some(a), Some(b)) => a.base == b.base,
            (None, None) => true,
            _ => page.is_row(&own),
        };
        if !is_like || other.values == stated.values || other.at == stated.at {
            continue;
        }
        let sentence = page.sentence(other.at.start);
        let better = if sentence == own {
            let there = page.clause_range(other);
            let (shared, own_words) = (share(&there, &claim.about_clause), topics_of(page, &near));
            // What the claim names stands with the other figure, and what stands before this one it does not name.
            let ahead = topics_of(page, &(near.start..stated.at.start.max(near.start)));
            let is_swapped = shared.iter().any(|word| !own_words.contains(word))
                && ahead.iter().any(|word| !claim.about.contains(word));
            there != near && (is_more(&shared, &part) || is_swapped && !page.is_row(&own))
        } else {
            page.about.get(&sentence.start).is_some_and(|there| {
                let shared = there.intersection(&claim.about).collect::<Vec<_>>();
                shared.len() > whole.len() && whole.iter().all(|word| there.contains(word))
            })
        };
        if better {
            return Some(format!(
                "nearer to the claim the page says: {}",
                page.line(page.clause_range(other), 120)
            ));
        }
    }
    None
}

fn topics_of(page: &Page, range: &Range<usize>) -> BTreeSet<String> {
    topics(page.said.text.get(range.clone()).unwrap_or_default())
}

fn is_more(there: &BTreeSet<String>, here: &BTreeSet<String>) -> bool {
    there.len() > here.len() && here.is_subset(there)
}

/// Another amount of the same clause that stands on the page, and not near `range`.
pub fn parted(
    claim: &FigureContext<'_>,
    all: &[StatedFigure],
    page: &Page,
    range: &Range<usize>,
) -> Option<String> {
    let near = page.around(range);
    let inside =
        |figure: &&StatedFigure| claim.clause.contains(&figure.at.start) && figure.sort == Sort::Amount;
    for other in all.iter().filter(inside) {
        let equal = |stated: &&StatedFigure| stated.values.iter().any(|value| other.values.contains(value));
        let (mut here, mut there) = (false, false);
        for stated in page.figures.iter().filter(equal) {
            if near.contains(&stated.at.start) { here = true } else { there = true }
        }
        if there && !here {
            return Some(
                other.values.first().map(|value| value.approximately().to_string()).unwrap_or_default(),
            );
        }
    }
    None
}
