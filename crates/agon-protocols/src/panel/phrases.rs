//! The wording of questions by the rules before [`super::RULES_SETTLED`]: lists of phrases. Records made by
//! them are replayed by them.

use super::wording::{QUESTION_WORDS_BELOW, outside};
use crate::common::fields::words;

/// Questions that a restatement answers, or nothing (Q4, Q5).
const EMPTY: [(&str, &str); 14] = [
    ("Q5", "what do you think"),
    ("Q5", "what are your thoughts"),
    ("Q5", "what is your opinion"),
    ("Q5", "what's your opinion"),
    ("Q5", "how do you feel about"),
    ("Q5", "any comment"),
    ("Q5", "elaborate"),
    ("Q5", "tell us more"),
    ("Q5", "say more"),
    ("Q5", "expand on"),
    ("Q4", "restate"),
    ("Q4", "summarize your"),
    ("Q4", "summarise your"),
    ("Q4", "remind us"),
];
/// Words by which a moderator takes a side (Q7).
const PARTIAL: [&str; 18] = [
    "i think",
    "i believe",
    "i feel",
    "i agree",
    "i disagree",
    "i doubt",
    "i suspect",
    "i find",
    "in my view",
    "in my opinion",
    "my opinion",
    "my view",
    "to my mind",
    "personally",
    "clearly",
    "obviously",
    "of course",
    "as we all know",
];
/// Words that ask for more than yes or no.
const ASKING: [&str; 9] = ["what", "which", "how", "why", "where", "when", "who", "whose", "name"];

/// What is wrong with the wording of a question, whatever its addressee.
pub(super) fn faults(question: &str) -> Vec<(&'static str, String)> {
    let mut faults = Vec::new();
    let count = words(question);
    if count >= QUESTION_WORDS_BELOW {
        let message = format!(
            "the question has {count} words with its quotes; it must have fewer than {QUESTION_WORDS_BELOW}"
        );
        faults.push(("Q1", message));
    }
    let own = outside(question).to_lowercase();
    if !own.contains(['?', '？', '؟']) {
        faults.push((
            "Q3",
            "it asks nothing; end with a question that evidence or reasoning can answer".into(),
        ));
    }
    if let Some((rule, words)) = EMPTY.iter().find(|(_, words)| has_words(&own, words)) {
        let message =
            format!("{words:?} invites a restatement; ask how the claim stands against the one quoted");
        faults.push((rule, message));
    }
    let agreement = ["agree", "disagree"].iter().any(|word| has_words(&own, word)) && has_words(&own, "you");
    if agreement && !ASKING.iter().any(|word| has_words(&own, word)) {
        let message = "agree or disagree is answered in a word; ask for what decides it, and why";
        faults.push(("Q5", message.into()));
    }
    if let Some(words) = PARTIAL.iter().find(|words| has_words(&own, words)) {
        faults.push((
            "Q7",
            format!("{words:?} is an opinion of yours; the moderator has none, ask without it"),
        ));
    }
    faults
}

/// Whether `words` stand in `text` where a word begins.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric))
}
