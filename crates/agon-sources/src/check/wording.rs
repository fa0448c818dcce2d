//! What a sentence says of its figures or of its words: whether it denies them, whether it means what may
//! be, and which of two opposites. Words of several languages are known; others say nothing here.

use std::ops::Range;

use super::inflection::is_ideograph;
use super::small_words::{FALSE, MAYBE, NOT, NOT_AHEAD, NOT_BUT, OPPOSITES};

/// A word in lower case, without apostrophes, and where it stands.
pub type Word = (usize, String);

/// The words of `text`.
pub fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut open: Option<usize> = None;
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (inner(c), open) {
            (true, None) => open = Some(at),
            (false, Some(start)) => {
                let word: String = text[start..at].chars().filter(|c| !matches!(c, '\'' | '’')).collect();
                let is_may = word == "May";
                let lower = word.to_lowercase();
                if !lower.is_empty() {
                    // The month is not a doubt.
                    found.push((start, if is_may { "MAY".into() } else { lower }));
                }
                open = None;
            }
            _ => {}
        }
    }
    found
}

fn has(list: &str, word: &str) -> bool {
    !word.is_empty() && list.contains(&format!(" {word} "))
}

/// The parts of `sentence` that say one thing each: split where something else begins.
pub fn clauses(sentence: &str) -> Vec<Range<usize>> {
    const JOINTS: [&str; 26] = [
        "; ",
        " but ",
        " while ",
        " whereas ",
        " although ",
        " though ",
        " and ",
        " und ",
        " aber ",
        " während ",
        " et ",
        " mais ",
        " tandis ",
        " y ",
        " pero ",
        " mientras ",
        " e ",
        " ma ",
        " mentre ",
        " maar ",
        " terwijl ",
        " och ",
        " medan ",
        " mas ",
        " ale ",
        " jednak ",
    ];
    let mut cuts: Vec<usize> = Vec::new();
    for joint in JOINTS {
        for (at, _) in sentence.match_indices(joint) {
            // "Between 2010 and 2020" is one.
            let between = sentence[..at].ends_with(|c: char| c.is_ascii_digit())
                && sentence[at + joint.len()..].starts_with(|c: char| c.is_ascii_digit());
            if !between {
                cuts.push(at + 1);
            }
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([sentence.len()]);
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

/// The clause of `sentence` in which byte `at` stands.
pub fn clause(sentence: &str, at: usize) -> Range<usize> {
    clauses(sentence).into_iter().find(|range| range.contains(&at)).unwrap_or(0..sentence.len())
}

/// Whether `clause` denies what stands at byte `at` of it.
pub fn denies(clause: &str, at: usize) -> bool {
    let words = words(clause);
    let is_denial = |(i, (start, word)): (usize, &Word)| {
        let next = words.get(i + 1).map(|(_, word)| word.as_str()).unwrap_or_default();
        let is_not =
            has(NOT, word) || word.ends_with("nt") && word.len() > 4 && is_contraction(clause, *start);
        is_not && !has(NOT_BUT, next) && (!has(NOT_AHEAD, word) || *start < at)
    };
    words.iter().enumerate().any(is_denial)
        || ["不", "没", "沒", "無い", "ない", "ません", "않", "못했", "아니"]
            .iter()
            .any(|word| clause.contains(word))
            && clause.chars().any(is_ideograph)
}

/// `didn't`, not `percent`.
fn is_contraction(text: &str, start: usize) -> bool {
    let word = text[start..].split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’')).next();
    word.is_some_and(|word| word.ends_with("n't") || word.ends_with("n’t"))
}

/// Whether `text` says that something is not so: `it is false that`, `he denied`.
pub fn refutes(text: &str) -> bool {
    let words = words(text);
    words.iter().enumerate().any(|(i, (_, word))| {
        let near = words.iter().skip(i + 1).take(3).map(|(_, word)| word.as_str());
        let so = [
            "true", "correct", "case", "so", "accurate", "wahr", "richtig", "vrai", "verdad", "cierto",
            "vero", "waar", "sant",
        ];
        has(FALSE, word) || has(NOT, word) && near.into_iter().any(|word| so.contains(&word))
    })
}

/// Whether `sentence` takes back the one before it: `That is false.`
pub fn takes_back(sentence: &str) -> bool {
    words(sentence).len() <= 8 && refutes(sentence)
}

/// Whether `clause` says what may be, is planned, or is asked.
pub fn supposes(clause: &str) -> bool {
    let words = words(clause);
    // "More than planned" tells what came.
    let told = |i: usize| {
        i.checked_sub(1).is_some_and(|i| ["than", "as", "als", "que", "wie"].contains(&&*words[i].1))
    };
    let is_open = |(i, (_, word)): (usize, &Word)| (has(MAYBE, word) || word == "may") && !told(i);
    words.iter().enumerate().any(is_open) || clause.trim_end().ends_with('?')
}

/// Which opposites `text` names, the word nearest to byte `at` for each: pair, side, and the word.
fn sides(text: &str, at: usize) -> Vec<(usize, bool, String)> {
    let words = words(text);
    let place = words.partition_point(|(start, _)| *start < at);
    let next = |i: usize| words.get(i + 1).map(|(_, word)| word.as_str()).unwrap_or_default();
    let is = |list: &str, i: usize, word: &str| {
        let is_loose = matches!(word, "up" | "down");
        let moves = ["by", "from", "on", "about", "nearly", "almost"].contains(&next(i))
            || next(i).starts_with(|c: char| c.is_ascii_digit())
            || word == "down" && next(i) == "to";
        (!is_loose || moves)
            && list.split_whitespace().any(|name| match name.strip_suffix('*') {
                Some(start) => word.starts_with(start),
                None if name.chars().any(is_ideograph) => word.contains(name),
                None => name == word,
            })
    };
    let mut found = Vec::new();
    for (pair, (one, other)) in OPPOSITES.iter().enumerate() {
        let nearest = words
            .iter()
            .enumerate()
            .filter_map(|(i, (_, word))| {
                let side = match (is(one, i, word), is(other, i, word)) {
                    (true, false) => true,
                    (false, true) => false,
                    _ => return None,
                };
                Some((place.abs_diff(i), side, word.clone()))
            })
            .min_by_key(|(distance, ..)| *distance);
        if let Some((_, side, word)) = nearest {
            found.push((pair, side, word));
        }
    }
    found
}

/// Why a sentence of a page does not bear out a claim that has its figure or its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// One of them denies it.
    Denied,
    /// The page says that it may be, or asks.
    Supposed,
    /// The claim says one word and the page its opposite.
    Opposite(String, String),
    /// The claim says that something changed, and the page does not.
    Unsaid(String),
}

/// A place in a text: a sentence, and a byte in it.
#[derive(Debug, Clone, Copy)]
pub struct SentencePlace<'t> {
    /// The sentence.
    pub sentence: &'t str,
    /// The byte of it.
    pub at: usize,
}

impl<'t> SentencePlace<'t> {
    fn clause(self) -> SentencePlace<'t> {
        let range = clause(self.sentence, self.at);
        SentencePlace { at: self.at - range.start, sentence: &self.sentence[range] }
    }
}

/// How `page` turns what `claim` says.
pub fn turned(claim: SentencePlace<'_>, page: SentencePlace<'_>) -> Option<Mismatch> {
    let (said, there) = (claim.clause(), page.clause());
    let denied = |whole: SentencePlace<'_>, part: SentencePlace<'_>| {
        denies(part.sentence, part.at) || refutes(whole.sentence)
    };
    if denied(claim, said) != denied(page, there) {
        return Some(Mismatch::Denied);
    }
    if supposes(there.sentence) && !supposes(claim.sentence) {
        return Some(Mismatch::Supposed);
    }
    let whole = sides(page.sentence, page.at);
    let near = sides(there.sentence, there.at);
    let find = |pair: usize, all: &[(usize, bool, String)]| all.iter().find(|side| side.0 == pair).cloned();
    for (pair, side, word) in sides(said.sentence, said.at) {
        match find(pair, &near).or_else(|| find(pair, &whole)) {
            Some((_, other, there)) if other != side => return Some(Mismatch::Opposite(word, there)),
            None if pair == 0 => return Some(Mismatch::Unsaid(word)),
            _ => {}
        }
    }
    affixed(said.sentence, there.sentence)
}

/// `employed` where the page says `unemployed`, or the other way round.
fn affixed(claim: &str, page: &str) -> Option<Mismatch> {
    const BEFORE: [&str; 9] = ["un", "in", "im", "il", "ir", "non", "dis", "mis", "de"];
    let (said, there) = (words(claim), words(page));
    let long = |word: &&Word| word.1.chars().count() >= 5;
    for (_, word) in said.iter().filter(long) {
        if there.iter().any(|(_, other)| other == word) {
            continue;
        }
        let is_opposite = |a: &str, b: &str| BEFORE.iter().any(|start| a.strip_prefix(start) == Some(b));
        let found =
            there.iter().filter(long).find(|(_, other)| is_opposite(word, other) || is_opposite(other, word));
        if let Some((_, other)) = found.filter(|(_, other)| !said.iter().any(|(_, word)| word == other)) {
            return Some(Mismatch::Opposite(word.clone(), other.clone()));
        }
    }
    None
}

impl Mismatch {
    /// In words.
    pub fn words(&self) -> String {
        match self {
            Mismatch::Denied => "one of the two denies it".into(),
            Mismatch::Supposed => "the page says what may be, is planned or is asked".into(),
            Mismatch::Opposite(said, there) => format!("the claim says {said}, the page {there}"),
            Mismatch::Unsaid(said) => format!("the page's sentence does not say {said}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(claim: &str, page: &str, figure: &str) -> Option<Mismatch> {
        let place = |text| SentencePlace { sentence: text, at: str::find(text, figure).unwrap() };
        turned(place(claim), place(page))
    }

    #[test]
    fn denials_and_opposites_are_seen_in_several_languages() {
        for (claim, page, figure) in [
            ("Sales rose by 40 percent", "Sales didn’t rise by 40 percent", "40"),
            ("Costs fell by 12 percent", "Costs rose by 12 percent", "12"),
            ("It cured 9 people", "It is false that it cured 9 people", "9"),
            ("It cured 9 people", "Ministers denied that it cured 9 people", "9"),
            ("Die Preise stiegen um 5 Prozent", "Die Preise sind nicht um 5 Prozent gestiegen", "5"),
            ("Les ventes ont augmenté de 5 %", "Les ventes ont baissé de 5 %", "5"),
            ("It costs 9 euros", "It could cost 9 euros", "9"),
            ("It has 300 employed people", "It has 300 unemployed people", "300"),
            ("Prices rose to 9 euros", "Prices were 9 euros", "9"),
            ("Did 9 of them come", "Nobody knows whether 9 of them came", "9"),
        ] {
            assert!(turn(claim, page, figure).is_some(), "{claim} / {page}");
        }
        for (claim, page, figure) in [
            ("Sales rose by 40 percent", "Sales rose by 40 percent, but costs did not fall", "40"),
            ("Costs were 12 euros", "Not only that: costs were no less than 12 euros", "12"),
            ("In May 2020 it had 9 rooms", "It had 9 rooms in May 2020", "9"),
            ("Imports fell by 8 percent", "Exports rose by 12 percent, while imports fell by 8 percent", "8"),
            ("It took 9 weeks", "It took 9 weeks without a break", "9"),
            ("The percent is 9", "Its percent is 9", "9"),
            ("It cost 9 euros", "It cost 9 euros, less than planned", "9"),
        ] {
            assert_eq!(turn(claim, page, figure), None, "{claim} / {page}");
        }
    }
}
