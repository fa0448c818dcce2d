//! The prompts of `revise` in every mode and flow: each renders with the facts that it is given.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

use std::collections::BTreeMap;

use agon_core::{Digest, Protocol, sample};
use agon_protocols::revise::Revise;
use agon_runtime::{cancellation::StopFlag, prompts::Renderer, rehearse::rehearse_debate};
use serde_json::{Value, json};

const PLAN: &str = include_str!("../../agon-protocols/src/revise/testdata/plan.md");
const REVIEW: &str = include_str!("../../agon-protocols/src/revise/testdata/review.md");

/// What is asked of each seat, with first versions that were given.
fn rehearsed(options: Value, given: Option<&str>) -> String {
    let templates: BTreeMap<String, String> =
        Revise.prompt_templates().iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let mut opened = sample::opened_for(Revise.manifest());
    opened.options = options.as_object().unwrap().clone();
    opened.prompts = templates.iter().map(|(name, text)| (name.clone(), Digest::from_content(text))).collect();
    let mut documents = BTreeMap::new();
    if let Some(text) = given {
        for label in ["first", "second"] {
            opened.documents.insert(format!("draft/{label}"), Digest::from_content(text));
        }
        documents.insert(Digest::from_content(text), text.to_owned());
    }
    let (_, calls) =
        rehearse_debate(&Revise, opened, &documents, &Renderer::new(&templates).unwrap(), &StopFlag::default())
            .unwrap();
    let mut seen = std::collections::BTreeSet::new();
    let mut text = String::new();
    for call in calls.into_iter().filter(|call| seen.insert(call.prompt.clone())) {
        text += &format!("===== {} ({})\n", call.prompt, call.key);
        for message in call.messages {
            text += &format!("--- {:?}\n{}\n", message.role, message.text);
        }
    }
    text
}

#[test]
fn prompts_of_a_plan_read_as_reviewed() {
    insta::assert_snapshot!(rehearsed(json!({"mode": "plan", "phase": 1, "title": "Notes"}), Some(PLAN)));
}

#[test]
fn prompts_of_a_review_read_as_reviewed() {
    insta::assert_snapshot!(rehearsed(json!({"mode": "review"}), Some(REVIEW)));
}

#[test]
fn a_flow_without_debate_asks_for_a_synthesis_of_first_versions() {
    let text = rehearsed(json!({"strategy": "synthesize"}), None);
    assert!(text.contains("===== synthesis (synthesis)") && !text.contains("critique"), "{text}");
}
