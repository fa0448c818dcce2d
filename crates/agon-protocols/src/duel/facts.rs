//! The facts of a turn's prompt.

use agon_core::{Facts, Request, View, form::FormField};
use serde::Serialize;
use serde_json::json;

use super::{
    artifact_check, citations,
    state::{self, History, Turn},
    turn::{Contribution, DuelTurnRules},
};
use crate::common::{
    WITNESS,
    citable_document::file_name,
    claim_reading,
    lineup::Member,
    request_values::{find_named_answer, read_fact},
    verification::{self, CitedPlace},
};

/// Topic, document, who speaks, and every turn so far. Neither model nor host is among them.
pub fn prompt_facts(heard: &View<'_>, request: &Request) -> Facts {
    if request.prompt == claim_reading::PROMPT.0 {
        return claim_reading::reader_facts(heard, request);
    }
    let mut facts = request.facts.clone();
    let opened = heard.opened();
    let history = History::from_view(heard);
    let name = |member: Option<&Member>| member.map(|member| member.name.clone()).unwrap_or_default();
    let own = history.find_member(&request.seat);
    let peer = history.members.iter().find(|member| member.seat != request.seat);
    let before = own.and_then(|own| history.latest_turn(own)).map(|turn| turn.accepted.stance.name());
    let shortened = heard.shortened.min(history.turns.len() as u32);
    facts.insert("topic".into(), opened.motion.clone().into());
    facts.insert("document".into(), heard.document("source").unwrap_or_default().into());
    facts.insert("file".into(), file_name(state::source_path(opened)).into());
    facts.insert("name".into(), name(own).into());
    facts.insert("peer".into(), name(peer).into());
    facts.insert("persona".into(), own.map(|own| own.persona.clone()).unwrap_or_default().into());
    facts.insert("stance".into(), json!(before));
    facts.insert("shortened".into(), shortened.into());
    let turns = history.turns.iter().enumerate();
    let turns = turns.map(|(i, turn)| json!(render_turn(&history, turn, i < shortened as usize)));
    facts.insert("turns".into(), turns.collect());
    let rules = history.next_turn_rules(state::source_path(opened), None);
    facts.insert("peer_claims".into(), json!(rules.peer_claims));
    facts.insert("answerable".into(), json!(rules.answerable));
    facts.insert("verify".into(), verification::is_fetched(opened).into());
    if request.seat.as_str() == "verifier" {
        let cited = collect_draft_citations(heard, &history, request);
        facts.insert("entries".into(), json!(verification::render_entries(&cited)));
    }
    facts
}

/// The schema of a turn, or of what the witness says.
pub fn answer_schema(heard: &View<'_>, request: &Request) -> Option<FormField> {
    if request.prompt == claim_reading::PROMPT.0 {
        return Some(claim_reading::reader_schema(heard, request));
    }
    match request.prompt.as_str() {
        "opening" | "reply" => {
            let history = History::from_view(heard);
            let path = state::source_path(heard.opened());
            Some(history.next_turn_rules(path, heard.document("source")).turn_form().to_schema())
        }
        _ if request.seat.as_str() == WITNESS => Some(match read_fact(request, "files") {
            Some(files) => artifact_check::schema_of_files(files),
            None => artifact_check::snapshot_schema(),
        }),
        _ if request.seat.as_str() == "verifier" => Some(verification::verification_schema(&collect_draft_citations(
            heard,
            &History::from_view(heard),
            request,
        ))),
        _ => None,
    }
}

/// The support with pages of the draft that a verification is about.
fn collect_draft_citations(heard: &View<'_>, history: &History, request: &Request) -> Vec<CitedPlace> {
    let rules = history.next_turn_rules(state::source_path(heard.opened()), heard.document("source"));
    // One whose author was told of support that cannot be shown stands without it.
    let told = DuelTurnRules { told: true, ..rules.clone() };
    let parse = |text: &str| rules.parse_turn(text).or_else(|_| told.parse_turn(text)).ok();
    let said = find_named_answer(heard, request, "of").and_then(parse);
    said.map(|said| citations::collect_turn_citations(&said)).unwrap_or_default()
}

/// A turn as prompts show it; a short one keeps what it asserts.
fn render_turn(history: &History, turn: &Turn, short: bool) -> impl Serialize + use<> {
    let by = history.find_member(&turn.accepted.seat).map(|member| member.name.as_str());
    let mut shown =
        json!({"number": turn.accepted.turn, "by": by, "stance": turn.accepted.stance.name(), "said": false});
    let Some(said) = &turn.contribution else { return shown };
    // What was found about pages stands behind the words that cite them.
    let mut said = Contribution::clone(said);
    for (at, words) in said.citable_texts_mut() {
        *words = verification::tag_words(words, &at, &turn.accepted.sources);
    }
    if short {
        said.counterpoints.iter_mut().for_each(|point| point.support.clear());
    }
    shown["said"] = true.into();
    shown["position"] = json!(said.position);
    shown["counterpoints"] = json!(said.counterpoints);
    shown["novel"] = json!(said.novel.claim);
    shown["novel_bears_on"] = json!(said.novel.bears_on);
    shown["novel_repair"] = json!(said.novel.repair);
    shown["answer"] = json!(said.answer);
    shown["replies"] = json!(said.replies.unwrap_or_default());
    shown["unresolved"] = json!(said.unresolved);
    if !short {
        shown["novel_support"] = json!(said.novel.support);
        shown["agreements"] = json!(said.agreements);
        shown["stance_support"] = json!(said.stance_support);
    }
    shown
}
