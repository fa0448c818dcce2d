//! The clash of an exchange as a judge tells it: where the new arguments meet, and which point decides. What it quotes is
//! compared with the arguments.

use agon_core::{Faults, Opened};
use agon_text::{FoldedText, QuoteMatch, count_words, find_quotations, find_quote, markdown::strip_markdown};

use super::{
    judgment::{Clash, Score},
    state::{ExchangeState, PlacedArgument},
    verdict::{OrderedJudgment, compute_margin},
};

/// Rule of the words in quotation marks: an argument has them.
pub const QUOTATION: &str = "quotation";
/// Fewer words in quotation marks need not be a quotation.
const QUOTED_WORDS_MIN: usize = 4;

/// Of one or several judgments, the clash of the one whose margin is nearest to that of the scores that count. None where
/// no judgment tells one.
pub(super) fn nearest_clash(judgments: &[OrderedJudgment], scores: &[Score]) -> Option<Clash> {
    let margin = |scores: &[Score]| compute_margin(scores.iter().map(|score| (&score.argument_id, &score.score)));
    let counts = margin(scores);
    let off = |ordered: &&OrderedJudgment| ((margin(&ordered.judgment.scores) - counts).abs() * 1000.0) as i64;
    let told = judgments.iter().filter(|ordered| !ordered.judgment.clash.is_empty());
    let nearest = told.min_by_key(off)?;
    Some(Clash { key: nearest.key.clone(), text: nearest.judgment.clash.clone() })
}

/// The texts that a judge can quote in addition to the arguments: the motion and its terms.
pub(super) fn quotable_terms(opened: &Opened) -> Vec<String> {
    let definitions = opened.options.get("definitions").and_then(|terms| terms.as_array());
    let definitions = definitions.into_iter().flatten().map(|term| &term["definition"]);
    let terms = definitions.chain(opened.options.get("scope"));
    let terms = terms.filter_map(|term| term.as_str().map(str::to_owned));
    [opened.motion.clone()].into_iter().chain(terms).collect()
}

impl ExchangeState {
    /// What a clash quotes and neither an argument nor one of `terms` says.
    pub(super) fn check_clash_quotes(&self, clash: &str, terms: &[String]) -> Faults {
        let mut faults = Faults::default();
        let quoted = find_quotations(clash).into_iter();
        let mut quoted = quoted.filter(|quoted| count_words(quoted.text) >= QUOTED_WORDS_MIN).peekable();
        if quoted.peek().is_none() {
            return faults;
        }
        let words = |held: &PlacedArgument| {
            let argument = held.argument();
            let sources = argument.grounds.iter().map(|ground| ground.source.as_str());
            argument.field_texts().into_iter().chain(sources).map(str::to_owned).collect::<Vec<_>>()
        };
        let all = self.arguments.iter().flat_map(words).chain(terms.iter().cloned());
        let all: Vec<FoldedText> = all.map(|text| FoldedText::new(&strip_markdown(&text))).collect();
        for quoted in quoted {
            let is_said = |text: &FoldedText| {
                let found = find_quote(text, quoted.text);
                matches!(found, QuoteMatch::Verbatim(_) | QuoteMatch::Edited { .. })
            };
            if !all.iter().any(is_said) {
                let message = format!(
                    "no argument says {:?}; copy the words exactly, or tell them without quotation marks",
                    quoted.text
                );
                faults.add(QUOTATION, "clash", message);
            }
        }
        faults
    }
}
