//! Answers for rehearsals: documents with the layout that plans and reviews must have, which no text
//! of a schema has.

use agon_core::{Request, View, sample};
use serde_json::json;

use super::{
    concessions, facts,
    settings::{ReviseMode, Setup},
    state::ReviseState,
};

const PLAN: &str = include_str!("testdata/plan.md");
const REVIEW: &str = include_str!("testdata/review.md");

/// An answer to `request` that is a document of the debate's mode, or holds one; or pairs of concessions that are read
/// twice and end nothing, so that a plan counts every call.
pub fn sample_answer(heard: &View<'_>, request: &Request) -> Option<String> {
    if request.prompt == concessions::PROMPT {
        return ReviseState::from_view(heard).and_then(|state| concessions::sample_pairs(&state, request));
    }
    let document = sample_document(&Setup::from_opened(heard.opened()).ok()?)?;
    match request.prompt.as_str() {
        "draft" => Some(document),
        "revision" | "synthesis" => {
            let seed = request.key.as_str().bytes().map(u64::from).sum();
            let mut value = sample::sample_value(&facts::answer_schema(heard, request)?, seed);
            let held = value.get_mut("document")?;
            *held = json!(format!("{document}\n\nWritten for {}.\n", request.key));
            Some(value.to_string())
        }
        _ => None,
    }
}

fn sample_document(setup: &Setup) -> Option<String> {
    let (one, number) = ("Phase 1", format!("Phase {}", setup.phase));
    match setup.mode {
        ReviseMode::Plan => Some(PLAN.replace(one, &number).replace("P1-", &format!("P{}-", setup.phase))),
        ReviseMode::Review => {
            Some(REVIEW.replace(one, &number).replace("phase: 1", &format!("phase: {}", setup.phase)))
        }
        ReviseMode::Draft => None,
    }
}
