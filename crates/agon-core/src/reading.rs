//! Readings: what a text means, answered by a seat with a quotation from that text.
//!
//! A reading is a field of an answer that is asked for anyway. One that would decide something is asked a second time,
//! in a request of its own; only what both answers say is settled. What is not settled changes nothing.

use std::fmt::Debug;

use agon_text::{FoldedText, find_quote, is_quoted};
use serde::{Deserialize, Serialize};

use crate::Key;

/// What a reader chose, with the words that decide. The record holds words, never the number of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading<C> {
    /// One of the choices that the reader was given.
    pub choice: C,
    /// The words that decide; empty where the choice needs none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub quote: String,
}

/// Why a reading settles nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// The reader itself cannot tell.
    Chosen,
    /// The second answer differs from the first.
    Differs,
    /// The speaker of what was read as given up gives up a part of it.
    Partly,
    /// There is no second answer, or it was not usable.
    NotConfirmed,
    /// The model that read is not known to read well enough to decide.
    UnfitReader,
}

/// What the two answers to one question of meaning come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning<C> {
    /// Both say the same.
    Settled {
        /// What it is.
        choice: C,
        /// The words that decide.
        quote: String,
        /// The answer that read it first.
        read: Key,
        /// The answer that confirmed it.
        confirmed: Key,
    },
    /// Nothing follows from it.
    Unclear {
        /// The answer that read it first.
        read: Key,
        /// What stands against it.
        why: Doubt,
    },
}

impl<C> Meaning<C> {
    /// The choice, where it is settled.
    pub fn settled_choice(&self) -> Option<&C> {
        if let Meaning::Settled { choice, .. } = self { Some(choice) } else { None }
    }

    /// What stands against it, where it is not settled.
    pub fn doubt(&self) -> Option<Doubt> {
        if let Meaning::Unclear { why, .. } = self { Some(*why) } else { None }
    }
}

/// A text that is read, and the texts whose words decide nothing: the question, the prompt's own sentences, what
/// others said before.
#[derive(Debug, Clone, Copy)]
pub struct ReadText<'t> {
    /// What is read.
    pub text: &'t str,
    /// Whose words may not be quoted for its own.
    pub not_from: &'t [&'t str],
}

/// Why a quotation cannot bear a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuoteFault {
    /// There are no words.
    #[error("quote the words that decide, copied exactly from the text")]
    Missing,
    /// The text does not hold them.
    #[error("these words do not stand in the text; copy them exactly, word for word")]
    Absent,
    /// The author of the text quotes them from another speaker.
    #[error("these words stand within quotation marks, so that they are not the author's own")]
    Quoted,
    /// The question, or another speaker, said them before.
    #[error("these words are those of the question or of another speaker")]
    SaidBefore,
}

impl ReadText<'_> {
    /// Whether `quote` can bear a reading of this text: it stands there word for word, outside quotation marks, and
    /// nobody else said it.
    pub fn check_quote(&self, quote: &str) -> Result<(), QuoteFault> {
        if quote.trim().is_empty() {
            return Err(QuoteFault::Missing);
        }
        let found = find_quote(&FoldedText::new(self.text), quote);
        let ranges = found.verbatim_ranges().ok_or(QuoteFault::Absent)?;
        if ranges.iter().all(|range| is_quoted(self.text, range.clone())) {
            return Err(QuoteFault::Quoted);
        }
        let said_before = |other: &&str| find_quote(&FoldedText::new(other), quote).verbatim_ranges().is_some();
        if self.not_from.iter().any(said_before) {
            return Err(QuoteFault::SaidBefore);
        }
        Ok(())
    }

    /// Whether two quotations of this text have words in common.
    fn is_overlap(&self, one: &str, other: &str) -> bool {
        let text = FoldedText::new(self.text);
        let ranges = |quote: &str| find_quote(&text, quote).verbatim_ranges().unwrap_or_default();
        let others = ranges(other);
        ranges(one).iter().any(|a| others.iter().any(|b| a.start < b.end && b.start < a.end))
    }

    /// What two readings of this text by one seat come to: settled where they make one choice and quote overlapping
    /// words.
    pub fn compare_readings<C: Copy + PartialEq>(
        &self,
        (read, first): (&Key, &Reading<C>),
        (confirmed, second): (&Key, &Reading<C>),
    ) -> Meaning<C> {
        if first.choice != second.choice || !self.is_overlap(&first.quote, &second.quote) {
            return Meaning::Unclear { read: read.clone(), why: Doubt::Differs };
        }
        let (choice, quote) = (first.choice, first.quote.clone());
        Meaning::Settled { choice, quote, read: read.clone(), confirmed: confirmed.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str = "Which of your figures still stands, if the count was of visits?";
    const ANSWER: &str = "Marta says “I was wrong about the count”, and she is welcome. Je retire mon chiffre. 我认输，王芳的理由更充分。 Which of your figures still stands, if the count was of visits? None.";

    #[test]
    fn a_quotation_is_the_authors_own_words_or_bears_nothing() {
        let read = ReadText { text: ANSWER, not_from: &[QUESTION] };
        for (quote, wanted) in [
            ("Je retire mon chiffre.", Ok(())),
            ("je retire  mon chiffre", Ok(())),
            ("王芳的理由更充分", Ok(())),
            ("None.", Ok(())),
            ("", Err(QuoteFault::Missing)),
            ("I withdraw my figure.", Err(QuoteFault::Absent)),
            ("I was wrong about the count", Err(QuoteFault::Quoted)),
            ("if the count was of visits", Err(QuoteFault::SaidBefore)),
        ] {
            assert_eq!(read.check_quote(quote), wanted, "{quote}");
        }
    }

    #[test]
    fn two_readings_settle_where_they_agree_on_the_words() {
        let read = ReadText { text: ANSWER, not_from: &[] };
        let reading = |choice: bool, quote: &str| Reading { choice, quote: quote.into() };
        let (one, two) = (Key::from_parts("review"), Key::from_parts("review/confirm"));
        let first = reading(true, "Je retire mon chiffre.");
        for (second, wanted) in [
            (reading(true, "retire mon chiffre"), None),
            (reading(true, "None."), Some(Doubt::Differs)),
            (reading(false, "Je retire mon chiffre."), Some(Doubt::Differs)),
        ] {
            assert_eq!(read.compare_readings((&one, &first), (&two, &second)).doubt(), wanted, "{second:?}");
        }
    }
}
