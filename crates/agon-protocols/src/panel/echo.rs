//! Echoes: small models hand sentences of their prompt back as headings, topics or findings.

use std::{collections::BTreeSet, sync::LazyLock};

use agon_core::{Attempt, Faults, Seat};

use super::{RULES_SETTLED, speech::Speech, state::Panel};
use crate::common::prose::{folded, sentences};

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
    let each = lines.flat_map(sentences).filter(|sentence| !sentence.contains("{{"));
    each.map(folded).filter(|sentence| sentence.split(' ').count() >= WORDS_MIN).collect()
});

/// Whether `text` is a sentence of a prompt and nothing else.
pub(super) fn is_echo(text: &str) -> bool {
    SENTENCES.contains(&folded(text))
}

impl Panel {
    /// A panelist's prose, or why it is none; by [`super::speech::Said::check`], and without the prompt's
    /// own sentences, which are told once.
    pub fn check(&self, seat: &Seat, draft: Attempt<'_>) -> Result<Speech, Faults> {
        let echo = draft.text.lines().find(|line| is_echo(line));
        if let Some(line) = echo.filter(|_| self.goes_by(RULES_SETTLED) && !draft.was_told("echo")) {
            let line = line.trim_matches(|c: char| !c.is_alphanumeric());
            let message = format!("{line:?} is a line of what you were asked, and not yours; leave it out");
            return Err(Faults::one("echo", "", message));
        }
        self.said.check(seat, draft)
    }
}
