//! Words in a row that may not be repeated: found in other texts, and left out there.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use crate::{links::find_links, words::each_folded_word};

/// Fewest words of a short text that count as a quotation of it.
const WORDS_MIN: usize = 4;
/// Fewest words of a title that is known as one.
const TITLE_WORDS_MIN: usize = 2;

/// `text` with every passage of `hidden` of four words or more replaced by `mark`.
pub fn redact_passages(text: &str, hidden: &[&str], mark: &str) -> String {
    let passages = HiddenPassages::from_texts(hidden.iter().copied(), WORDS_MIN);
    passages.redact_text(text, mark).unwrap_or_else(|| text.to_owned())
}

/// Runs of words that are not to be repeated, by their length. Case and typography do not count.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HiddenPassages(BTreeMap<usize, BTreeSet<Vec<String>>>);

impl HiddenPassages {
    /// Every `run` words in a row of `texts`.
    pub fn from_texts<'t>(texts: impl IntoIterator<Item = &'t str>, run: usize) -> Self {
        let mut passages = Self::default();
        texts.into_iter().for_each(|text| passages.hide_runs(text, run));
        passages
    }

    /// Hides every `run` words in a row of `text`, or all of them where it has fewer.
    pub fn hide_runs(&mut self, text: &str, run: usize) {
        let (hidden, _) = placed_words(text);
        let count = run.min(hidden.len());
        if count >= WORDS_MIN {
            self.0.entry(count).or_default().extend(hidden.windows(count).map(<[String]>::to_vec));
        }
    }

    /// Hides the words of `text` likewise, without its addresses: to name a page is not to quote someone.
    pub fn hide_around_links(&mut self, text: &str, run: usize) {
        let mut from = 0;
        for link in find_links(text) {
            self.hide_runs(&text[from..link.range.start], run);
            from = link.range.end;
        }
        self.hide_runs(&text[from..], run);
    }

    /// Hides a title as a whole.
    pub fn hide_title(&mut self, title: &str) {
        let (words, _) = placed_words(title);
        if words.len() >= TITLE_WORDS_MIN {
            self.0.entry(words.len()).or_default().insert(words);
        }
    }

    /// Allows what stands in `text`: who quotes that quotes someone else.
    pub fn allow_text(&mut self, text: &str) {
        let (allowed, _) = placed_words(text);
        for (count, runs) in &mut self.0 {
            for run in allowed.windows(*count) {
                runs.remove(run);
            }
        }
    }

    /// Hides what `other` hides, too.
    pub fn merge_passages(&mut self, other: Self) {
        for (count, runs) in other.0 {
            self.0.entry(count).or_default().extend(runs);
        }
    }

    /// Whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(BTreeSet::is_empty)
    }

    /// Where `text` repeats something: each passage once, at its full length.
    pub fn find_in(&self, text: &str) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        let (written, places) = placed_words(text);
        let mut is_hidden = vec![false; written.len()];
        for (count, runs) in &self.0 {
            for (at, _) in written.windows(*count).enumerate().filter(|(_, run)| runs.contains(*run)) {
                is_hidden[at..at + count].fill(true);
            }
        }
        let mut found: Vec<Range<usize>> = Vec::new();
        for (at, place) in places.into_iter().enumerate().filter(|(at, _)| is_hidden[*at]) {
            match found.last_mut().filter(|_| at > 0 && is_hidden[at - 1]) {
                Some(last) => last.end = place.end,
                None => found.push(place),
            }
        }
        found
    }

    /// `text` with `mark` in place of what it repeats; `None` where it repeats nothing.
    pub fn redact_text(&self, text: &str, mark: &str) -> Option<String> {
        let found = self.find_in(text);
        let end = found.last()?.end;
        let (mut shown, mut from) = (String::new(), 0);
        for range in found {
            shown.push_str(&text[from..range.start]);
            shown.push_str(mark);
            from = range.end;
        }
        Some(shown + &text[end..])
    }
}

/// The words of `text` as they are compared, and where each stands.
fn placed_words(text: &str) -> (Vec<String>, Vec<Range<usize>>) {
    let (mut words, mut places) = (Vec::new(), Vec::new());
    each_folded_word(text, |place, word| {
        words.push(word.to_owned());
        places.push(place);
    });
    (words, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRUCK: &str = "Forty teams lost nine decisions in the first cold winter of their work.";
    const MARK: &str = "[REDACTED]";

    #[test]
    fn what_is_quoted_is_redacted_and_a_word_or_two_in_common_are_no_quotation() {
        let hidden = HiddenPassages::from_texts([STRUCK], 6);
        let quoting = "They say: \"forty teams lost nine decisions in the first cold winter\". I doubt it.";
        assert_eq!(hidden.redact_text(quoting, MARK).as_deref(), Some("They say: \"[REDACTED]\". I doubt it."));
        assert!(!hidden.find_in(quoting).is_empty());
        assert_eq!(hidden.redact_text("Nine decisions in the first winter.", MARK), None);
        assert_eq!(hidden.redact_text("", MARK), None);
    }

    #[test]
    fn passages_are_redacted_in_every_script() {
        for (text, hidden, wanted) in [
            (
                "他说每周一天的休息可以减少工伤事故，我不信。",
                "每周一天的休息可以减少工伤事故。",
                "他说[REDACTED]，我不信。",
            ),
            (
                "Ο Ίων λέει: ΣΑΡΆΝΤΑ ΟΜΆΔΕΣ ΈΧΑΣΑΝ ΕΝΝΈΑ. Γιατί;",
                "σαράντα ομάδες έχασαν εννέα",
                "Ο Ίων λέει: [REDACTED]. Γιατί;",
            ),
            ("قال: خسرت أربعون فرقة تسعة قرارات.", "خسرت أربعون فرقة تسعة", "قال: [REDACTED] قرارات."),
            ("one two three", "one two three", "one two three"),
        ] {
            assert_eq!(redact_passages(text, &[hidden], MARK), wanted, "{text}");
        }
    }

    #[test]
    fn who_quotes_what_was_said_before_quotes_another() {
        let mut hidden = HiddenPassages::from_texts(
            ["As Ada said, teams that write nothing down forget. Forty did so within a year."],
            6,
        );
        hidden.allow_text("Teams that write nothing down forget.");
        assert_eq!(hidden.redact_text("Teams that write nothing down forget.", MARK), None);
        assert!(!hidden.find_in("forget. Forty did so within a year").is_empty());
    }

    #[test]
    fn an_address_may_be_named_though_its_entry_may_not_be_quoted() {
        let page = "http://minutes.council.test/county/winter-count/1998";
        let mut hidden = HiddenPassages::default();
        hidden.hide_around_links(&format!("The committee sat all winter and counted ({page}). So it is known."), 6);
        assert_eq!(hidden.redact_text(&format!("{page} is fabricated"), MARK), None);
        assert!(!hidden.find_in("they said the committee sat all winter and counted").is_empty());
    }

    #[test]
    fn a_title_is_hidden_as_a_whole() {
        let mut hidden = HiddenPassages::default();
        hidden.hide_title("Census of forgetting");
        assert_eq!(hidden.redact_text("The census of forgetting says", MARK).as_deref(), Some("The [REDACTED] says"));
        assert_eq!(hidden.redact_text("A census of trees", MARK), None);
    }
}
