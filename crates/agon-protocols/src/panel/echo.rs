//! Echoes: small models hand sentences of their prompt back as headings, topics or findings.

use std::{collections::BTreeSet, sync::LazyLock};

use agon_core::{Attempt, Faults, Seat};
use agon_text::{folded_words, sentences};

use super::{speech::Speech, state::Panel};

/// Fewer words may be anybody's.
const WORDS_MIN: usize = 5;
/// What the speaker reads.
const PROMPTS: [&str; 18] = [
    include_str!("prompts/opening.md"),
    include_str!("prompts/panelist.md"),
    include_str!("prompts/question.md"),
    include_str!("prompts/valve.md"),
    include_str!("prompts/moderator.md"),
    include_str!("prompts/disagreements.md"),
    include_str!("prompts/review.md"),
    include_str!("prompts/next.md"),
    include_str!("prompts/synthesis.md"),
    include_str!("prompts/small/opening.md"),
    include_str!("prompts/small/question.md"),
    include_str!("prompts/small/panelist.md"),
    include_str!("prompts/small/disagreements.md"),
    include_str!("prompts/small/moderator.md"),
    include_str!("prompts/small/valve.md"),
    include_str!("prompts/small/challenge.md"),
    include_str!("prompts/small/review.md"),
    include_str!("prompts/small/synthesis.md"),
];

static SENTENCES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let lines = PROMPTS.iter().flat_map(|prompt| prompt.lines()).filter(|line| !line.contains("{%"));
    let each =
        lines.flat_map(sentences).map(|sentence| sentence.text).filter(|sentence| !sentence.contains("{{"));
    each.map(|sentence| folded_words(sentence).join(" "))
        .filter(|sentence| sentence.split(' ').count() >= WORDS_MIN)
        .collect()
});

/// Whether `text` is a sentence of a prompt and nothing else.
pub(super) fn is_echo(text: &str) -> bool {
    SENTENCES.contains(&folded_words(text).join(" "))
}

/// What a prompt puts before the question. An answer that has it copies the prompt.
const LABELS: [&str; 4] = ["The question:", "The question of the panel:", "The topic:", "What you share:"];

/// A paragraph of `text` that is none of its author's words: a label of the prompt with what follows it, or a paragraph
/// that stood there before.
fn copied(text: &str) -> Option<&str> {
    let mut seen = BTreeSet::new();
    let mut paragraphs = text.lines().map(str::trim).filter(|line| !line.is_empty());
    paragraphs.find(|line| {
        let words = folded_words(line).join(" ");
        LABELS.iter().any(|label| line.starts_with(label))
            || (words.split(' ').count() >= WORDS_MIN && !seen.insert(words))
    })
}

impl Panel {
    /// A panelist's prose, or why it is none; by [`super::speech::Said::check`], and without the prompt's
    /// own sentences, which are told once.
    pub fn check(&self, seat: &Seat, draft: Attempt<'_>) -> Result<Speech, Faults> {
        let told = draft.was_told("echo");
        let fault = |line: &str, why: &str| {
            let line = line.trim_matches(|c: char| !c.is_alphanumeric());
            Err(Faults::one("echo", "", format!("{line:?} {why}")))
        };
        if let Some(line) = draft.text.lines().find(|line| is_echo(line)).filter(|_| !told) {
            return fault(line, "is a line of what you were asked, and not yours; leave it out");
        }
        if let Some(line) = copied(draft.text).filter(|_| !told) {
            return fault(
                line,
                "is copied from what you were asked or wrote; say something of your own instead",
            );
        }
        self.said.check(seat, draft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_with_the_question_and_a_paragraph_twice_are_copies() {
        let own =
            "Shops on the road live from those who walk.\n\nA baker sold more after the cars were gone.";
        assert_eq!(copied(own), None);
        assert_eq!(copied("The question: Should we?\n\nYes, we should."), Some("The question: Should we?"));
        let twice =
            "Fewer cars mean fewer accidents here.\n\nYes.\n\nYes.\n\nFewer cars mean fewer accidents here!";
        assert_eq!(copied(twice), Some("Fewer cars mean fewer accidents here!"));
    }
}
