//! The verdict of a review: counted from what became of the findings, not voted on.

use agon_core::{Facts, Outcome, Seat};
use serde_json::json;

use super::{
    ReviewPass,
    finding::FindingSeverity,
    state::{FindingCase, FindingStatus, ReviewState},
};

/// Findings that a summary names.
const NAMED_MAX: usize = 3;

/// The verdict that follows from what became of the findings, of `asked` reviewers.
pub fn decide_verdict(state: &ReviewState, statuses: &[FindingStatus], asked: usize) -> &'static str {
    let serious = |status| {
        let all = state.cases.iter().zip(statuses);
        all.filter(move |(case, is)| case.severity() == FindingSeverity::High && **is == status).count() > 0
    };
    let is_whole = state.list_unchecked().is_empty() && 2 * count_readers(state, statuses) >= asked;
    match (serious(FindingStatus::Held), serious(FindingStatus::Undecided) || !is_whole) {
        _ if state.heard.is_empty() => "no_quorum",
        (true, _) => "blocked",
        (false, true) => "unclear",
        (false, false) => "approved",
    }
}

/// How many reviewers are known to have read the material: of those who were shown some of it, those who found nothing,
/// and those with a finding that cites something there. A reviewer whose every finding cites nothing says as little as one
/// who is absent.
fn count_readers(state: &ReviewState, statuses: &[FindingStatus]) -> usize {
    let reads = |seat: &&Seat| {
        let mut own = state.cases.iter().zip(statuses).filter(|(case, _)| case.by == **seat).peekable();
        let cites = own.peek().is_none() || own.any(|(_, is)| *is != FindingStatus::Demoted);
        cites && !state.unseeing.contains(seat)
    };
    state.heard.iter().filter(reads).count()
}

/// How the debate stands after the last pass.
pub(super) fn review_outcome(pass: &ReviewPass) -> Outcome {
    let missing: Vec<String> =
        pass.absent.iter().map(|absent| format!("the {} ({})", absent.seat, absent.why)).collect();
    let without = if missing.is_empty() { String::new() } else { format!("Without {}. ", missing.join(" and ")) };
    let (state, asked) = (&pass.state, pass.reviewers.len());
    let statuses: Vec<FindingStatus> = state.cases.iter().map(FindingCase::status).collect();
    let verdict = decide_verdict(state, &statuses, asked);
    let outcome = match verdict {
        "no_quorum" => Outcome::void(verdict, format!("{without}No reviewer answered.")),
        _ => Outcome::valid(verdict, format!("{without}{}.", explain_verdict(verdict, state, asked))),
    };
    Outcome { absent: pass.absent.clone(), figures: outcome_figures(state, asked).into(), ..outcome }
}

/// Why the verdict is what it is, in a sentence.
fn explain_verdict(verdict: &str, state: &ReviewState, asked: usize) -> String {
    let serious = |status| -> Vec<&FindingCase> {
        state.with_status(status).filter(|case| case.severity() == FindingSeverity::High).collect()
    };
    let statuses: Vec<FindingStatus> = state.cases.iter().map(FindingCase::status).collect();
    let (undecided, heard) = (serious(FindingStatus::Undecided), state.heard.len());
    match verdict {
        "blocked" => {
            format!("Blocked: {}", describe_findings(&serious(FindingStatus::Held), "holds", "hold"))
        }
        "unclear" if !state.list_unchecked().is_empty() => {
            "Unclear: the places of findings could not be looked up".to_owned()
        }
        "unclear" if !undecided.is_empty() => {
            format!("Unclear: {}", describe_findings(&undecided, "is undecided", "are undecided"))
        }
        "unclear" if !state.unseeing.is_empty() => {
            let unseeing = state.unseeing.len();
            format!("Unclear: {unseeing} of {asked} reviewers were shown nothing of the material")
        }
        "unclear" => match (asked.saturating_sub(heard), heard - count_readers(state, &statuses)) {
            (_, 0) => format!("Unclear: {heard} of {asked} reviewers answered"),
            (0, lost) => format!("Unclear: {lost} of {asked} reviewers cited only what is not there"),
            (_, lost) => format!(
                "Unclear: {heard} of {asked} reviewers answered, and {lost} of them cited only what is not there"
            ),
        },
        _ => match state.with_status(FindingStatus::Held).count() {
            0 => "Approved: no finding holds".to_owned(),
            1 => "Approved: no serious finding holds; one of less weight does".to_owned(),
            others => format!("Approved: no serious finding holds; {others} of less weight do"),
        },
    }
}

/// How many serious findings, and the places of the first.
fn describe_findings(cases: &[&FindingCase], one: &str, many: &str) -> String {
    let named: Vec<String> =
        cases.iter().take(NAMED_MAX).map(|case| format!("{} at {}", case.id, case.place())).collect();
    let more = if cases.len() > NAMED_MAX { ", …" } else { "" };
    let head = match cases {
        [_] => format!("one serious finding {one}"),
        all => format!("{} serious findings {many}", all.len()),
    };
    format!("{head} ({}{more})", named.join(", "))
}

fn outcome_figures(state: &ReviewState, asked: usize) -> Facts {
    let count = |status: FindingStatus| (status.name().to_owned(), state.with_status(status).count().into());
    let mut figures: Facts = FindingStatus::ALL.into_iter().map(count).collect();
    figures.insert("findings".into(), state.cases.len().into());
    figures.insert("reviewers".into(), json!({"heard": state.heard.len(), "asked": asked}));
    figures
}
