//! What prompts of a review are filled with, the schemas of its answers, and answers for rehearsals.

use agon_core::{Facts, Request, View, form::FormField};
use serde::Serialize;
use serde_json::json;

use super::{
    answers::{CriticAnswer, CriticStance, FindingCritique, FindingRuling, PlaceCheck},
    asked_about,
    finding::FindingsList,
    is_first_look, list_reviewers, requested_comparison,
    state::{FindingCase, FindingStatus, ReviewState, UncomparedQuote},
};

/// The task, the pass, and the findings that the request is about. It never names who found what.
pub(super) fn prompt_facts(heard: &View<'_>, request: &Request) -> Facts {
    let mut facts = request.facts.clone();
    let state = ReviewState::from_view(heard);
    facts.insert("motion".into(), heard.opened().motion.clone().into());
    let asked = asked_about(&state, request);
    let cases = asked.iter().filter_map(|id| state.find_case(id));
    match (request.prompt.as_str(), requested_comparison(request)) {
        ("", Some(of)) => {
            let entry = |(id, case, said): UncomparedQuote<'_>| {
                let near = case.looks.iter().map(|look| look.said.place.as_str()).chain([case.place()]);
                json!({"at": id, "place": said.place(), "quote": said.quote(), "near": near.collect::<Vec<_>>()})
            };
            facts.insert("entries".into(), state.list_uncompared(of).into_iter().map(entry).collect());
        }
        ("", None) => {
            let entry =
                |case: &FindingCase| json!({"at": case.id, "place": case.finding.place, "quote": case.finding.quote});
            facts.insert("entries".into(), cases.map(entry).collect());
        }
        ("reviewer", _) => {
            let known = state.cases.iter().filter(|case| case.status() != FindingStatus::Merged);
            let known = known.map(|case| json!({"place": case.place(), "claim": case.finding.claim}));
            facts.insert("known".into(), known.collect());
            facts.insert("task".into(), reviewer_task(heard, request).into());
        }
        _ => {
            facts.insert("findings".into(), cases.map(|case| json!(render_finding(&state, case))).collect());
        }
    }
    facts
}

/// What a reviewer looks at first: two of them do not read the same material in the same way, and one alone reads it in
/// both.
fn reviewer_task(heard: &View<'_>, request: &Request) -> &'static str {
    let all = list_reviewers(heard.opened());
    match all.iter().position(|seat| *seat == request.seat) {
        _ if all.len() < 2 => "both",
        Some(at) if at % 2 == 1 => "consequences",
        _ => "walk",
    }
}

fn render_finding(state: &ReviewState, case: &FindingCase) -> impl Serialize + use<> {
    let finding = &case.finding;
    let also: Vec<&str> = state.merged_into(case).map(|other| other.finding.claim.as_str()).collect();
    let refuted = case.counted_looks().map(|look| &look.said).filter(|look| look.stance == CriticStance::Refuted);
    let refuted = refuted.map(|look| json!({"checked": look.checked, "place": look.place, "quote": look.quote}));
    json!({
        "id": case.id, "severity": case.severity(), "place": case.place(), "quote": finding.quote,
        "claim": finding.claim, "why": finding.why, "refuted_by": finding.refuted_by, "also": also,
        "refutations": refuted.collect::<Vec<_>>(),
    })
}

/// The form of the answer that a request wants.
pub(super) fn answer_schema(heard: &View<'_>, request: &Request) -> Option<FormField> {
    let ids = asked_about(&ReviewState::from_view(heard), request);
    let form = match request.prompt.as_str() {
        "" => PlaceCheck::form(&ids),
        "reviewer" => FindingsList::form(),
        "critique" => CriticAnswer::form(&ids, is_first_look(request)),
        "judgment" => FindingRuling::form(&ids),
        _ => return None,
    };
    Some(form.to_schema())
}

/// An answer after which every seat is asked: a serious finding, refuted by the critic.
pub(super) fn sample_answer(heard: &View<'_>, request: &Request) -> Option<String> {
    let ids = asked_about(&ReviewState::from_view(heard), request);
    let quote = "let sample = 1;";
    let answer = match request.prompt.as_str() {
        "reviewer" => json!({"findings": [{
            "place": format!("{}.txt:{}", request.seat, request.facts["round"]), "quote": quote,
            "claim": "This sample is wrong.", "why": "It is only a sample.",
            "refuted_by": "A line that is none.", "severity": "high",
        }]}),
        "critique" => json!({"answers": ids.iter().map(|id| json!({
            "finding": id, "checked": "The sample was read.", "place": "sample.txt:1", "quote": quote,
            "answer": "refuted", "severity": FindingCritique::SAME,
        })).collect::<Vec<_>>()}),
        "judgment" => json!({"rulings": ids.iter().map(|id| json!({
            "finding": id, "reasoning": "The sample says so.", "quote": quote, "ruling": "holds",
        })).collect::<Vec<_>>()}),
        _ => return None,
    };
    Some(answer.to_string())
}
