//! The verdict of a review debate: the stricter of all last versions and of the list that joins them,
//! even if a seat was lost on the way. Nobody's loss makes a finding go away.

use agon_core::Absent;

use super::{joint_findings::Unified, review::ReviewVerdict, state::ReviseState};

/// A verdict, and in a sentence or two whose it is and what it does without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributedVerdict {
    /// Nothing where no review holds what a verdict could rest on.
    pub verdict: Option<ReviewVerdict>,
    /// For readers.
    pub says: String,
    /// Whether the findings that are published do not lead to it by themselves.
    pub unexplained: bool,
}

/// The verdict of the last versions in `state` and of `list`, what joins them, where someone did. A list
/// may be stricter than the reviews, for it counts what several found apart; milder it overrules nobody.
pub fn attribute_verdict(state: &ReviseState, absent: &[Absent], list: Option<&Unified>) -> AttributedVerdict {
    let given =
        state.present_authors().into_iter().filter_map(|author| Some((state.latest_review(author).verdict()?, author)));
    let given: Vec<(ReviewVerdict, usize)> = given.collect();
    let joined = list.filter(|_| !given.is_empty());
    let joined =
        joined.map(|list| ReviewVerdict::from_severities(list.findings.iter().map(|finding| finding.severity)));
    let Some(strictest) = given.iter().map(|(verdict, _)| *verdict).max() else {
        let says = "No verdict follows from the reviews.".to_owned();
        return AttributedVerdict { verdict: None, says, unexplained: false };
    };
    let verdict = joined.map_or(strictest, |joined| joined.max(strictest));
    let head = if absent.is_empty() { "Verdict" } else { "Verdict (degraded)" };
    let by = |author: &usize| state.setup.authors[*author].name.as_str();
    let mut says = match given.as_slice() {
        _ if verdict > strictest => format!("{head}: {}, by the joined list of findings.", verdict.name()),
        [(_, author)] => format!("{head} of {}'s last review alone: {}.", by(author), verdict.name()),
        all if all.iter().all(|(given, _)| *given == verdict) => format!("{head}: {}.", verdict.name()),
        all => {
            let against: Vec<&str> =
                all.iter().filter(|(given, _)| *given == verdict).map(|(_, author)| by(author)).collect();
            format!("{head}: {}, by the stricter side ({}).", verdict.name(), against.join(", "))
        }
    };
    let unexplained = joined.is_some_and(|joined| joined < verdict);
    if unexplained {
        says += " The joined findings alone do not lead to it, but who joins them overrules no reviewer.";
    }
    AttributedVerdict { verdict: Some(verdict), says, unexplained }
}
