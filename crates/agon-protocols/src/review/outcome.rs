//! The verdict of a review: counted from what became of the findings, by nobody's vote.

use agon_core::Outcome;
use serde_json::{Map, Value, json};

use super::{
    ReviewPass,
    finding::FindingSeverity,
    state::{FindingCase, FindingStatus},
};

/// Findings that a summary names.
const NAMED_MAX: usize = 3;

/// How the debate stands after the last pass.
pub(super) fn of(pass: &ReviewPass) -> Outcome {
    let missing: Vec<String> =
        pass.absent.iter().map(|absent| format!("the {} ({})", absent.seat, absent.why)).collect();
    let without =
        if missing.is_empty() { String::new() } else { format!("Without {}. ", missing.join(" and ")) };
    let (state, of) = (&pass.state, pass.reviewers.len());
    let outcome = |name: &str, summary: String| Outcome {
        absent: pass.absent.clone(),
        figures: figures(pass),
        ..Outcome::valid(name, format!("{without}{summary}"))
    };
    if state.heard.is_empty() {
        let void = Outcome::void("no_quorum", format!("{without}No reviewer answered."));
        return Outcome { absent: pass.absent.clone(), figures: figures(pass), ..void };
    }
    let serious = |status| -> Vec<&FindingCase> {
        state.with(status).filter(|case| case.severity == FindingSeverity::High).collect()
    };
    let (held, undecided) = (serious(FindingStatus::Held), serious(FindingStatus::Undecided));
    if !held.is_empty() {
        return outcome("blocked", format!("Blocked: {}.", counted(&held, "holds", "hold")));
    }
    if !state.unchecked().is_empty() {
        return outcome("unclear", "Unclear: the places of findings could not be looked up.".into());
    }
    if !undecided.is_empty() {
        return outcome(
            "unclear",
            format!("Unclear: {}.", counted(&undecided, "is undecided", "are undecided")),
        );
    }
    if 2 * state.heard.len() < of {
        return outcome("unclear", format!("Unclear: {} of {of} reviewers answered.", state.heard.len()));
    }
    let others = state.with(FindingStatus::Held).count();
    let rest = match others {
        0 => "no finding holds".to_owned(),
        1 => "no serious finding holds; one of less weight does".to_owned(),
        others => format!("no serious finding holds; {others} of less weight do"),
    };
    outcome("approved", format!("Approved: {rest}."))
}

/// How many serious findings, and the places of the first.
fn counted(cases: &[&FindingCase], one: &str, many: &str) -> String {
    let named: Vec<String> =
        cases.iter().take(NAMED_MAX).map(|case| format!("{} at {}", case.id, case.place())).collect();
    let more = if cases.len() > NAMED_MAX { ", …" } else { "" };
    let head = match cases {
        [_] => format!("one serious finding {one}"),
        all => format!("{} serious findings {many}", all.len()),
    };
    format!("{head} ({}{more})", named.join(", "))
}

fn figures(pass: &ReviewPass) -> Value {
    let mut figures: Map<String, Value> = FindingStatus::ALL
        .into_iter()
        .map(|status| (status.name().to_owned(), pass.state.with(status).count().into()))
        .collect();
    figures.insert("findings".into(), pass.state.cases.len().into());
    figures
        .insert("reviewers".into(), json!({"heard": pass.state.heard.len(), "asked": pass.reviewers.len()}));
    figures.into()
}
