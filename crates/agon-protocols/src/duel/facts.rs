//! What the prompt of a turn is filled with.

use agon_core::{Facts, Request, View};
use serde_json::{Value, json};

use super::{
    history::{self, History, Turn},
    source::file_name,
    witness,
};

/// Topic, document, who speaks, and every turn so far. Neither model nor host is among them.
pub fn facts(heard: &View<'_>, request: &Request) -> Facts {
    let mut facts = request.facts.clone();
    let opened = heard.opened();
    let history = History::of(heard);
    let name = |member: Option<&crate::common::lineup::Member>| {
        member.map(|member| member.name.clone()).unwrap_or_default()
    };
    let own = history.member(&request.seat);
    let peer = history.members.iter().find(|member| member.seat != request.seat);
    let before = own.and_then(|own| history.latest(own)).map(|turn| turn.accepted.stance.name());
    let shortened = heard.shortened.min(history.turns.len() as u32);
    facts.insert("topic".into(), opened.motion.clone().into());
    facts.insert("document".into(), heard.document("source").unwrap_or_default().into());
    facts.insert("file".into(), file_name(history::source_path(opened)).into());
    facts.insert("name".into(), name(own).into());
    facts.insert("peer".into(), name(peer).into());
    facts.insert("persona".into(), own.map(|own| own.persona.clone()).unwrap_or_default().into());
    facts.insert("stance".into(), json!(before));
    facts.insert("shortened".into(), shortened.into());
    let turns = history.turns.iter().enumerate();
    let turns: Vec<Value> = turns.map(|(i, turn)| shown(&history, turn, i < shortened as usize)).collect();
    facts.insert("turns".into(), turns.into());
    facts
}

/// The schema of a turn, or of what the witness says.
pub fn schema(heard: &View<'_>, request: &Request) -> Option<Value> {
    match request.prompt.as_str() {
        "opening" | "reply" => {
            let history = History::of(heard);
            let path = history::source_path(heard.opened());
            Some(history.rules(path, heard.document("source")).schema())
        }
        _ if request.seat.as_str() == super::WITNESS => Some(witness::schema()),
        _ => None,
    }
}

/// A turn as prompts show it; a short one keeps what it asserts.
fn shown(history: &History, turn: &Turn, short: bool) -> Value {
    let by = history.member(&turn.accepted.seat).map(|member| member.name.as_str());
    let mut shown =
        json!({"number": turn.accepted.turn, "by": by, "stance": turn.accepted.stance.name(), "said": false});
    let Some(said) = &turn.contribution else { return shown };
    let points = said.counterpoints.iter().map(|point| {
        let support: &[String] = if short { &[] } else { &point.support };
        json!({"addresses": point.addresses, "claim": point.claim, "support": support})
    });
    shown["said"] = true.into();
    shown["position"] = json!(said.position);
    shown["counterpoints"] = points.collect();
    shown["novel"] = json!(said.novel.claim);
    let items = said.unresolved.iter().map(|item| json!({"text": item.text, "blocking": item.blocking}));
    shown["unresolved"] = items.collect();
    if !short {
        shown["novel_support"] = json!(said.novel.support);
        shown["agreements"] = json!(said.agreements);
        shown["stance_support"] = json!(said.stance_support);
    }
    shown
}
