//! What the prompts of the panel are filled with.

use agon_core::{Facts, Request, View};
use serde_json::{Value, json};

use super::{
    PANELIST, WANTED, analysis, confirm,
    disagreement::Disagreement,
    left_of,
    lens::{self, Lens},
    members::LENSES,
    review, sources,
    state::{Panel, Panelist},
    synthesis, transcript, valve,
};
use crate::common::{
    claim_reading,
    lineup::{self, Member},
    verification,
};

/// Facts of every prompt: the topic, and by prompt who is asked, the panel and its transcript.
pub fn prompt_facts(heard: &View<'_>, request: &Request) -> Facts {
    if request.prompt == claim_reading::PROMPT.0 {
        return claim_reading::reader_facts(heard, request);
    }
    if request.prompt == lineup::CONSENT.0 {
        return lineup::consent_facts(heard, request);
    }
    let mut facts = request.facts.clone();
    let mut put = |name: &str, value: Value| drop(facts.insert(name.to_owned(), value));
    put("motion", heard.opened().motion.clone().into());
    put("verify", verification::is_fetched(heard.opened()).into());
    if let Some(cited) = sources::collect_draft_citations(heard, request) {
        put("entries", verification::render_entries(&cited));
        return facts;
    }
    if matches!(request.prompt.as_str(), "lineup" | "approval" | LENSES) {
        if request.prompt == LENSES {
            let (members, known) = open_lenses(heard);
            let member = |(member, lens): (&Member, &Option<Lens>)| {
                let lens = lens.as_ref().map(|lens| lens.name.clone());
                json!({"name": member.name, "role": member.persona, "lens": lens})
            };
            put("members", members.iter().zip(&known).map(member).collect());
            put("lenses", json!(lens::lens_catalogue()));
        }
        if request.prompt == "lineup" {
            put("given", json!(render_named_seats(heard)));
            put("filled", lineup::prefill_lineup(&lineup::list_row_members(heard.opened(), PANELIST)));
            put("lenses", json!(lens::lens_catalogue()));
        }
        return facts;
    }
    let panel = Panel::of(heard);
    if let Some(you) = panel.find_panelist(&request.seat) {
        put("you", render_panelist(you));
    }
    // Before the openings, all are listed: the list is a part of what every prompt of a panel begins with.
    let listed: Vec<Value> = match panel.openings.is_empty() {
        true => panel.panelists.iter().map(render_panelist).collect(),
        false => panel.speakers().map(render_panelist).collect(),
    };
    put("panel", listed.into());
    put("transcript", transcript::render_transcript(&panel, str::to_owned).into());
    if let Some(analysed) = &panel.analysed {
        put("shared", analysed.shared.clone().into());
        put("agreements", json!(analysed.agreements));
    }
    if let Some(valve) = panel.valves.last() {
        put("challenger", panel.panelist_name(&valve.seat).into());
    }
    put("disagreements", render_disagreements(&panel));
    // Known where a next step is asked for.
    let left = left_of(request);
    put("left", left.into());
    put("unmet", json!(panel.list_unmet_rules(left)));
    put("due", panel.list_due_panelists(left).into_iter().map(|p| p.name.clone()).collect());
    put("thirds", render_ties(&panel));
    put("status", panel.status().title().into());
    put("rounds", panel.count_answers().into());
    if let Some(exchange) = panel.exchanges.last() {
        put("question", exchange.asked.question.clone().into());
        put("speaker", panel.panelist_name(&exchange.asked.seat).into());
        put("about", exchange.asked.disagreement.clone().into());
        put("answered", exchange.answer.is_some().into());
        put("copies", json!(exchange.answer.as_ref().and_then(|answer| answer.copies)));
        let concerned = panel.disagreements.iter().filter(|about| about.has_side(&exchange.asked.seat));
        let other = concerned.filter(|about| about.id != exchange.asked.disagreement);
        put("others", other.map(|about| about.id.clone()).collect());
        put("third", panel.is_third(&exchange.asked).into());
    }
    if request.prompt == confirm::PROMPT {
        put("confirmed", render_confirmation(&panel, request));
    }
    facts
}

/// What a speaker is asked to confirm: the claim, against what it stands, the question and the answer.
fn render_confirmation(panel: &Panel, request: &Request) -> Value {
    let said = panel.said.of(&request.seat).next_back().map_or("", |turn| turn.speech.text.as_str());
    let about = request.facts.get("disagreement").and_then(Value::as_str).and_then(|id| panel.find_disagreement(id));
    let own = about.and_then(|about| about.claims.iter().find(|claim| claim.seat == request.seat));
    let (Some(about), Some(own)) = (about, own) else { return json!({"answer": said}) };
    let other = about.opposing_claim(&request.seat);
    json!({
        "answer": said, "topic": about.topic, "own": own.quote,
        "other": other.map(|claim| panel.panelist_name(&claim.seat)), "against": other.map(|claim| claim.quote.as_str()),
    })
}

/// The members of the line-up with the lenses that are known.
fn open_lenses(heard: &View<'_>) -> (Vec<Member>, Vec<Option<Lens>>) {
    let members = lineup::of(heard);
    let known = lens::known_lenses(&members, &lineup::list_row_members(heard.opened(), PANELIST));
    (members, known)
}

/// The schema of what a prompt asks for; panelists answer in prose.
pub fn answer_schema(heard: &View<'_>, request: &Request) -> Option<Value> {
    if request.prompt == claim_reading::PROMPT.0 {
        return Some(claim_reading::reader_schema(heard, request));
    }
    if request.prompt == lineup::CONSENT.0 {
        return Some(lineup::consent_schema(request));
    }
    if let Some(cited) = sources::collect_draft_citations(heard, request) {
        return Some(verification::verification_schema(&cited));
    }
    let panel = || Panel::of(heard);
    match request.prompt.as_str() {
        "lineup" => {
            let mut schema = lineup::proposal_schema(WANTED, request);
            let names: Vec<&str> = lens::lens_catalogue().iter().map(|entry| entry.lens.name.as_str()).collect();
            schema["properties"]["members"]["items"]["properties"]["lens"] = json!({"type": "string", "enum": names});
            Some(schema)
        }
        LENSES => {
            let (members, known) = open_lenses(heard);
            Some(lens::lens_schema(&members, &known))
        }
        confirm::PROMPT => Some(confirm::confirmation_schema()),
        "disagreements" => Some(analysis::analysis_schema(&panel(), left_of(request))),
        "challenge" => Some(valve::challenge_schema(&panel(), left_of(request))),
        "review" => Some(review::review_schema(&panel(), left_of(request))),
        "route" => Some(review::route_schema(&panel(), left_of(request))),
        "synthesis" => Some(synthesis::synthesis_schema(&panel())),
        _ => None,
    }
}

/// Ties that wait for a third panelist, and who that can be.
fn render_ties(panel: &Panel) -> Value {
    let ties = panel.disagreements.iter();
    let ties = ties.filter(|about| panel.wants_a_third(about) || panel.may_want_a_third(about));
    let ties = ties.map(|about| {
        let thirds = panel.speakers().filter(|speaker| !about.has_side(&speaker.seat));
        json!({"id": about.id, "names": thirds.map(|third| third.name.clone()).collect::<Vec<_>>()})
    });
    ties.collect()
}

/// Seats for which the opener named a participant.
fn render_named_seats(heard: &View<'_>) -> Vec<Value> {
    let members = lineup::list_row_members(heard.opened(), PANELIST).into_iter().enumerate();
    let named = members.filter(|(_, member)| !member.name.is_empty());
    named.map(|(at, m)| json!({"place": at + 1, "name": m.name, "persona": m.persona})).collect()
}

fn render_panelist(panelist: &Panelist) -> Value {
    let Panelist { name, role, lens, .. } = panelist;
    json!({"name": name, "role": role.trim_end_matches('.'), "lens": lens.name, "description": lens.description})
}

/// With whom thirds sided, in words.
fn describe_thirds(panel: &Panel, about: &Disagreement) -> Vec<String> {
    let each = panel.sides_of_thirds(about).into_iter();
    each.map(|(third, side)| format!("{} sided with {}", panel.panelist_name(third), panel.panelist_name(side)))
        .collect()
}

fn render_disagreements(panel: &Panel) -> Value {
    let each = panel.disagreements.iter().map(|about| {
        let sides = about
            .claims
            .each_ref()
            .map(|claim| json!({"name": panel.panelist_name(&claim.seat), "quote": claim.quote}));
        json!({
            "id": about.id, "topic": about.topic, "kind": about.kind, "rank": about.rank, "state": about.state,
            "sides": sides, "sided": describe_thirds(panel, about),
        })
    });
    each.collect()
}
