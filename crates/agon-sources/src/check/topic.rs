//! What a claim is about, and whether a sentence of a page is about the same: who, when, and which of
//! several figures.

use std::{collections::BTreeSet, ops::Range};

use super::{
    Page,
    figures::{Figure, Sort},
    wording::{self, Place},
};
use crate::text::sentences::{all_words, content_words, is_common, stem};

/// A figure of a claim with what stands around it.
pub struct Claim<'t> {
    /// Its sentence.
    pub sentence: &'t str,
    /// Its clause, in bytes of the passage.
    clause: Range<usize>,
    /// What the sentence is about.
    about: BTreeSet<String>,
    /// What the clause is about, or the sentence where it says nothing.
    about_clause: BTreeSet<String>,
    at: usize,
    /// Every word of the sentence.
    words: BTreeSet<String>,
}

impl<'t> Claim<'t> {
    /// Of `figure`, in the sentence `range` of `text`.
    pub fn of(text: &'t str, range: Range<usize>, figure: &Figure) -> Self {
        let sentence = &text[range.clone()];
        let at = figure.at.start - range.start;
        let clause = wording::clause(sentence, at);
        let about = topics(sentence);
        let near = topics(&sentence[clause.clone()]);
        let about_clause = if near.is_empty() { about.clone() } else { near };
        let words = wording::words(sentence).into_iter().map(|(_, word)| word).collect();
        let clause = clause.start + range.start..clause.end + range.start;
        Self { sentence, clause, about, about_clause, at, words }
    }

    /// Where the figure stands in its sentence.
    pub fn place(&self) -> Place<'t> {
        Place { sentence: self.sentence, at: self.at }
    }

    /// How many words the sentence of the page shares with that of the claim.
    pub fn shared(&self, page: &Page, range: &Range<usize>) -> usize {
        page.about.get(&range.start).map_or(0, |words| words.intersection(&self.about).count())
    }

    /// The same for the place where `stated` stands: in a table its own heading counts, not the row.
    pub fn shared_at(&self, page: &Page, stated: &Figure) -> usize {
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

/// Words at the beginning of a claim that say who found it.
const FOUND_BY: [&str; 14] = [
    "Researchers",
    "Scientists",
    "Experts",
    "Studies",
    "Analysts",
    "Officials",
    "Data",
    "Statistics",
    "Evidence",
    "Moreover",
    "Furthermore",
    "Consequently",
    "Therefore",
    "Additionally",
];

/// A name of the claim, or what it speaks of first, that stands neither in the sentence of the page nor beside it;
/// or two names that change places.
pub fn stranger(claim: &Claim<'_>, page: &Page, range: &Range<usize>) -> Option<String> {
    let text = &page.said.text;
    let sentence = text.get(range.clone())?;
    // Where every noun has a capital, capitals tell nothing.
    let lower = format!(" {} ", claim.sentence.to_lowercase());
    if [" der ", " die ", " das ", " und ", " wurde ", " ein ", " eine "]
        .iter()
        .any(|word| lower.contains(word))
    {
        return None;
    }
    let around = match page.is_row(range) {
        true => sentence,
        false => text.get(page.around(range)).unwrap_or(sentence),
    };
    let known = |name: &str, text: &str| {
        let name = stem(&name.to_lowercase());
        wording::words(text).iter().any(|(_, word)| stem(word) == name)
    };
    let names = names(claim.sentence);
    for (name, is_first) in &names {
        let is_here = known(name, around) || known(name, &page.said.title) || known(name, &page.said.heading);
        if !is_here && (!*is_first || !FOUND_BY.contains(&name.as_str())) {
            return Some(name.clone());
        }
    }
    // Who did what to whom: names that stand in both, in the same order.
    let there = wording::words(sentence);
    let place = |name: &str| there.iter().position(|(_, word)| stem(word) == stem(&name.to_lowercase()));
    let places: Vec<(usize, &String)> =
        names.iter().filter_map(|(name, _)| Some((place(name)?, name))).collect();
    let turned = places.windows(2).find(|pair| pair[0].0 > pair[1].0)?;
    Some(format!("{:?} before {:?}", turned[0].1, turned[1].1))
}

/// Words with a capital, and whether one begins the sentence. What begins it counts if it says something.
fn names(sentence: &str) -> Vec<(String, bool)> {
    const MONTHS: &str = " january february march april may june july august september october november december \
monday tuesday wednesday thursday friday saturday sunday us ";
    let mut found: Vec<(String, bool)> = Vec::new();
    let words = sentence.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '\'' && c != '’');
    for (i, word) in words.filter(|word| !word.is_empty()).enumerate() {
        let word = word.split(['\'', '’']).find(|part| part.chars().count() > 1).unwrap_or(word);
        let lower = word.to_lowercase();
        let is_first = i == 0;
        let capital = word.starts_with(char::is_uppercase);
        let is_unit = super::units::named(word).is_some() || super::numerals::scale(word).is_some();
        let small = word.chars().count() < if is_first { 4 } else { 2 };
        let says = !is_common(&lower) && !MONTHS.contains(&format!(" {lower} ")) && !is_unit && !small;
        let is_word =
            word.chars().all(|c| c.is_alphabetic() || c == '-') && super::numerals::word(&lower).is_none();
        if capital && says && is_word && !(is_first && lower.ends_with("ly")) {
            found.push((word.to_owned(), is_first));
        }
    }
    found
}

/// The years of the claim and those around `stated`, where they are others.
pub fn other_time(claim: &Claim<'_>, page: &Page, stated: &Figure) -> Option<String> {
    let years = |text: &str| -> BTreeSet<i128> {
        let all = super::figures::stated(text).into_iter();
        all.filter_map(|figure| match figure.sort {
            Sort::Year => figure.values.first()?.whole(),
            Sort::Date(year, ..) if year > 0 => Some(year.into()),
            _ => None,
        })
        .collect()
    };
    let said = years(claim.sentence);
    if said.is_empty() {
        return None;
    }
    let range = page.sentence(stated.at.start);
    let sentence = page.said.text.get(range.clone())?;
    let mut there = years(page.said.text.get(page.clause_range(stated))?);
    if there.is_empty() {
        there = years(sentence);
    }
    if there.is_empty() {
        there = years(page.said.text.get(page.around(&range))?);
    }
    let differs = !there.is_empty() && said.is_disjoint(&there);
    differs.then(|| {
        let shown: Vec<String> = there.iter().map(i128::to_string).collect();
        format!("the page says it of {}", shown.join(", "))
    })
}

/// Another figure of the page, of the same kind and with another value, that is about all that this one is about
/// and more of what the claim says.
pub fn rival(claim: &Claim<'_>, page: &Page, stated: &Figure) -> Option<String> {
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
            there != near && is_more(&share(&there, &claim.about_clause), &part)
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

fn is_more(there: &BTreeSet<String>, here: &BTreeSet<String>) -> bool {
    there.len() > here.len() && here.is_subset(there)
}

/// Another amount of the same clause that stands on the page, and not near `range`.
pub fn parted(claim: &Claim<'_>, all: &[Figure], page: &Page, range: &Range<usize>) -> Option<String> {
    let near = page.around(range);
    let inside = |figure: &&Figure| claim.clause.contains(&figure.at.start) && figure.sort == Sort::Amount;
    for other in all.iter().filter(inside) {
        let equal = |stated: &&Figure| stated.values.iter().any(|value| other.values.contains(value));
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
