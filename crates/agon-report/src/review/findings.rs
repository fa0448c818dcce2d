//! `findings.json`: every finding with its place, what was said about it and what became of it. Its schema is
//! `docs/schemas/findings.schema.json`.

use agon_core::Record;
use agon_protocols::review::{
    answers::PlaceCheck,
    finding::FindingSeverity,
    list_reviewers,
    state::{FindingCase, FindingStatus, ReviewState},
};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::json;

use super::locate_finding;

/// Version of the file's layout.
const VERSION: u32 = 1;

/// The file.
pub(super) fn render_findings(record: &Record, state: &ReviewState) -> String {
    let opened = record.opened();
    let outcome = record.closing_outcome();
    let count = |status: FindingStatus| (status.name(), state.with_status(status).count());
    let file = json!({
        "version": VERSION,
        "debate": opened.debate,
        "motion": opened.motion,
        "verdict": outcome.map(|outcome| outcome.name.as_str()),
        "summary": outcome.map(|outcome| outcome.render_summary()),
        "reviewers": {"asked": list_reviewers(opened).len(), "heard": state.heard.len()},
        "absent": outcome.map(|outcome| outcome.absent.as_slice()).unwrap_or_default(),
        "counts": FindingStatus::ALL.into_iter().map(count).collect::<IndexMap<_, _>>(),
        "findings": state.cases.iter().map(|case| build_finding(state, case)).collect::<Vec<_>>(),
    });
    format!("{file:#}\n")
}

fn build_finding(state: &ReviewState, case: &FindingCase) -> impl Serialize {
    let (path, lines) = locate_finding(case);
    let said = &case.finding;
    let check =
        case.check.as_ref().map(|check| json!({"code": check.code.name(), "named": said.place, "note": check.note}));
    let looks = case.looks.iter().map(|look| {
        let said = &look.said;
        json!({"answer": said.stance.name(), "checked": said.checked, "place": said.place, "quote": said.quote,
            "lowered": said.lowered.map(FindingSeverity::name), "counts": look.is_counted(),
            "check": build_place_check(look.check.as_ref())})
    });
    let rulings = case.rulings.iter().map(|ruling| {
        let said = &ruling.said;
        json!({"ruling": said.ruling.name(), "reasoning": said.reasoning, "quote": said.quote,
            "counts": ruling.is_counted(), "check": build_place_check(ruling.check.as_ref())})
    });
    json!({
        "id": case.id,
        "status": case.status().name(),
        "severity": case.severity().name(),
        "path": path,
        "first_line": lines.map(|(first, _)| first),
        "last_line": lines.map(|(_, last)| last),
        "quote": said.quote,
        "claim": said.claim,
        "why": said.why,
        "refuted_by": said.refuted_by,
        "reviewer": case.by,
        "pass": case.round,
        "check": check,
        "merged_into": case.merged_into.map(|into| state.cases[into].id.as_str()),
        "critic": looks.collect::<Vec<_>>(),
        "judge": rulings.collect::<Vec<_>>(),
    })
}

/// What the comparison of a quote found.
fn build_place_check(check: Option<&PlaceCheck>) -> impl Serialize {
    check.map(|check| json!({"code": check.code.name(), "place": check.place, "note": check.note}))
}
