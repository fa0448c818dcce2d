//! Words in a row that stand in a text which may not be shown: found in other texts, and left out there.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use agon_core::parse;
use serde_json::Value;

use super::verification::addresses;

/// Words in a row that nobody writes twice by chance.
pub const RUN: usize = 6;
/// Fewest words of a short text that count as a quotation of it.
const SHORTEST: usize = 4;
/// Fewest words of a title that is known as one.
const TITLE_WORDS_MIN: usize = 2;
/// Stands in place of what is left out.
pub const REDACTED: &str = "[REDACTED]";
/// Fields that name something and quote nobody.
const NAMES: [&str; 8] = ["url", "final_url", "at", "key", "of", "seat", "path", "sha256"];

/// Runs of words that are not to be repeated, by their length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quoted(BTreeMap<usize, BTreeSet<Vec<String>>>);

impl Quoted {
    /// Every `run` words in a row of `texts`.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>, run: usize) -> Self {
        let mut quoted = Self::default();
        texts.into_iter().for_each(|text| quoted.bar(text, run));
        quoted
    }

    /// Bars every `run` words in a row of `text`, or all of them where it has fewer.
    pub fn bar(&mut self, text: &str, run: usize) {
        let hidden = tokens(text);
        let count = run.min(hidden.len());
        if count >= SHORTEST {
            self.0.entry(count).or_default().extend(hidden.windows(count).map(<[String]>::to_vec));
        }
    }

    /// Bars the words of `text` likewise, without its addresses: to name a page is not to quote someone.
    pub fn bar_words(&mut self, text: &str, run: usize) {
        let addresses = addresses(text);
        let mut pieces = vec![text];
        for address in &addresses {
            pieces = pieces.into_iter().flat_map(|piece| piece.split(address.as_str())).collect();
        }
        pieces.into_iter().for_each(|piece| self.bar(piece, run));
    }

    /// Bars a title as a whole.
    pub fn bar_title(&mut self, title: &str) {
        let words = tokens(title);
        if words.len() >= TITLE_WORDS_MIN {
            self.0.entry(words.len()).or_default().insert(words);
        }
    }

    /// Allows what stands in `text`: who quotes that quotes someone else.
    pub fn allow(&mut self, text: &str) {
        let allowed = tokens(text);
        for (count, runs) in &mut self.0 {
            for run in allowed.windows(*count) {
                runs.remove(run);
            }
        }
    }

    /// Bars what `other` bars, too.
    pub fn join(&mut self, other: Self) {
        for (count, runs) in other.0 {
            self.0.entry(count).or_default().extend(runs);
        }
    }

    /// Whether nothing is barred.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(BTreeSet::is_empty)
    }

    /// Whether `text` repeats anything.
    pub fn is_in(&self, text: &str) -> bool {
        let written = tokens(text);
        self.0.iter().any(|(count, runs)| written.windows(*count).any(|run| runs.contains(run)))
    }

    /// Where `text` repeats something: each passage once, at its full length.
    pub fn repeated(&self, text: &str) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        let (spans, written) = (spans(text), tokens(text));
        let mut quoted = vec![false; spans.len()];
        for (count, runs) in &self.0 {
            for (at, _) in written.windows(*count).enumerate().filter(|(_, run)| runs.contains(*run)) {
                quoted[at..at + count].fill(true);
            }
        }
        let mut found: Vec<Range<usize>> = Vec::new();
        for (i, (from, to)) in spans.iter().enumerate().filter(|(i, _)| quoted[*i]) {
            match found.last_mut().filter(|_| i > 0 && quoted[i - 1]) {
                Some(last) => last.end = *to,
                None => found.push(*from..*to),
            }
        }
        found
    }

    /// `text` without what it repeats; `None` where it repeats nothing.
    pub fn masked(&self, text: &str) -> Option<String> {
        let repeated = self.repeated(text);
        let end = repeated.last()?.end;
        let (mut out, mut last) = (String::new(), 0);
        for range in repeated {
            out.push_str(&text[last..range.start]);
            out.push_str(REDACTED);
            last = range.end;
        }
        Some(out + &text[end..])
    }
}

/// Where the words of `text` stand.
pub fn spans(text: &str) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric() || *c == '-') {
        match spans.last_mut() {
            Some((_, to)) if *to == at => *to = at + c.len_utf8(),
            _ => spans.push((at, at + c.len_utf8())),
        }
    }
    spans
}

/// The words of `text` in lower case.
pub fn tokens(text: &str) -> Vec<String> {
    spans(text).into_iter().map(|(from, to)| text[from..to].to_lowercase()).collect()
}

/// An answer, prose or JSON, with its texts as `other` gives them; `None` where it changes none.
pub fn said_otherwise(text: &str, other: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    match parse::json(text) {
        Ok(mut value @ (Value::Object(_) | Value::Array(_))) => {
            rewrite(&mut value, other).then(|| value.to_string())
        }
        _ => other(text),
    }
}

/// Gives every text within `value` that quotes someone as `other` gives it; says whether any changed.
pub fn rewrite(value: &mut Value, other: &dyn Fn(&str) -> Option<String>) -> bool {
    match value {
        Value::String(text) => match other(text) {
            Some(shown) => {
                *text = shown;
                true
            }
            None => false,
        },
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| rewrite(item, other) | changed),
        Value::Object(fields) => {
            let fields = fields.iter_mut().filter(|(name, _)| !NAMES.contains(&name.as_str()));
            fields.fold(false, |changed, (_, field)| rewrite(field, other) | changed)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRUCK: &str = "Forty teams lost nine decisions in the first cold winter of their work.";

    #[test]
    fn what_is_quoted_is_masked_and_a_word_or_two_in_common_are_no_quotation() {
        let quoted = Quoted::of([STRUCK], RUN);
        let quoting = "They say: \"forty teams lost nine decisions in the first cold winter\". I doubt it.";
        assert_eq!(quoted.masked(quoting).as_deref(), Some("They say: \"[REDACTED]\". I doubt it."));
        assert!(quoted.is_in(quoting));
        assert_eq!(quoted.masked("Nine decisions in the first winter."), None);
        assert_eq!(quoted.masked(""), None);
    }

    #[test]
    fn who_quotes_what_was_said_before_quotes_somebody_else() {
        let mut quoted = Quoted::of(
            ["As Ada said, teams that write nothing down forget. Forty did so within a year."],
            RUN,
        );
        quoted.allow("Teams that write nothing down forget.");
        assert_eq!(quoted.masked("Teams that write nothing down forget."), None);
        assert!(quoted.is_in("forget. Forty did so within a year"));
    }

    #[test]
    fn an_address_may_be_named_though_its_entry_may_not_be_quoted() {
        let page = "http://minutes.council.test/county/winter-count/1998";
        let mut quoted = Quoted::default();
        quoted.bar_words(&format!("The committee sat all winter and counted ({page}). So it is known."), RUN);
        assert_eq!(quoted.masked(&format!("{page} is fabricated")), None);
        assert!(quoted.is_in("they said the committee sat all winter and counted"));
    }

    #[test]
    fn a_title_is_barred_as_a_whole() {
        let mut quoted = Quoted::default();
        quoted.bar_title("Census of forgetting");
        assert_eq!(quoted.masked("The census of forgetting says").as_deref(), Some("The [REDACTED] says"));
        assert_eq!(quoted.masked("A census of trees"), None);
    }
}
