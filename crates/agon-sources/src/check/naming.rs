//! The subject of a claim, and whether a sentence of a page has the same subject.

use std::ops::Range;

use super::{
    Page,
    figure::Sort,
    figures,
    inflection::same,
    small_words::STOPS,
    topic::FigureContext,
    wording::{self, SentencePlace},
};
use crate::text::sentences::{is_common, stem};

/// Small words before what a sentence is about.
const ARTICLES: &str = " a an the of der die das den dem ein eine einen le la les un une du des el los las il lo gli \
una de di del della von vom zum zur het een ";
/// Small words before what a figure is of.
const OF: &str = " of von vom de du des di del della van av ";
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

/// A name of the claim, or what it speaks of first, that stands neither in the sentence of the page nor next to it;
/// or two names that change places.
pub fn stranger(claim: &FigureContext<'_>, page: &Page, range: &Range<usize>) -> Option<String> {
    let text = &page.said.text;
    let sentence = text.get(range.clone())?;
    // Where every noun has a capital, capitals tell nothing.
    let lower = format!(" {} ", claim.sentence.to_lowercase());
    let is_capitalised = [" der ", " die ", " das ", " und ", " wurde ", " ein ", " eine "]
        .iter()
        .any(|word| lower.contains(word));
    let around = match page.is_row(range) {
        true => sentence,
        false => text.get(page.around(range)).unwrap_or(sentence),
    };
    let known = |name: &str, text: &str| {
        let name = stem(&name.to_lowercase());
        wording::words(text).iter().any(|(_, word)| stem(word) == name)
    };
    if let Some(name) = missing(claim, around, page) {
        return Some(name);
    }
    if is_capitalised {
        return None;
    }
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
        let is_unit = super::units::named(word).is_some() || super::scales::scale(word).is_some();
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

/// What `text` calls by a small word before it: `the harbour`, `of rye`.
fn called(text: &str, before: &str) -> Vec<String> {
    let words = wording::words(text);
    let pairs = words.windows(2).filter(|pair| before.contains(&format!(" {} ", pair[0].1)));
    let says = |word: &String| {
        word.chars().count() > 2
            && word.chars().all(char::is_alphabetic)
            && !is_common(word)
            && !STOPS.contains(&format!(" {word} "))
            && super::numerals::word(word).is_none()
            && super::scales::scale(word).is_none()
            && super::units::named(word).is_none()
    };
    pairs.map(|pair| pair[1].1.clone()).filter(says).collect()
}

/// What the claim says the figure is of, that the page does not name there.
fn missing(claim: &FigureContext<'_>, around: &str, page: &Page) -> Option<String> {
    let SentencePlace { sentence, at } = claim.place();
    let comma = sentence[..at].rfind([',', ';', ':']).map_or(0, |at| at + 1);
    let ahead = sentence.get(comma.max(claim.from)..at).unwrap_or_default();
    // What stands before another figure is of that one.
    let amounts = figures::stated(ahead).into_iter().filter(|figure| figure.sort == Sort::Amount);
    let ahead = &ahead[amounts.map(|figure| figure.at.end).max().unwrap_or(0)..];
    let behind = sentence.get(at..).unwrap_or_default();
    let behind = behind.split([';', ':']).next().unwrap_or_default().split(", ").next().unwrap_or_default();
    let there = [around, &page.said.title, &page.said.heading].into_iter().flat_map(wording::words);
    let there: Vec<String> = there.map(|(_, word)| word).collect();
    let is_there = |name: &String| there.iter().any(|word| same(word, name) || stem(word) == stem(name));
    called(ahead, ARTICLES).into_iter().chain(called(behind, OF)).find(|name| !is_there(name))
}
