//! What the prompts of the panel are filled with.

use agon_core::{Facts, Key, Request, View, form::FormField};
use serde::Serialize;
use serde_json::json;

use super::{
    LENSES, PANELIST, WANTED, analysis, confirmation, left_of,
    lens::{self, Lens},
    panelist_prose::Speech,
    review,
    state::{Panel, Panelist},
    synthesis, transcript,
};
use crate::common::{
    form::{choice_kind, form_field},
    lineup::{self, Member},
    prompt_facts::{FactSheet, shared_facts, shared_schema},
    request_values::read_fact,
    verification::{CitedPlace, find_cited_passages, is_fetched, render_entries, verification_schema},
};

/// Facts of every prompt: the topic, and by prompt who is asked, the panel and its transcript.
pub fn prompt_facts(heard: &View<'_>, request: &Request) -> Facts {
    if let Some(facts) = shared_facts(heard, request) {
        return facts;
    }
    let mut facts = FactSheet::new(heard, request);
    facts.put("verify", is_fetched(heard.opened()));
    if let Some(cited) = collect_draft_citations(heard, request) {
        facts.put("entries", render_entries(&cited));
        return facts.0;
    }
    match request.prompt.as_str() {
        LENSES => {
            let (members, known) = open_lenses(heard);
            let member = |(member, lens): (&Member, &Option<Lens>)| json!({"name": member.name, "role": member.persona, "lens": lens.as_ref().map(|lens| &lens.name)});
            facts.put("members", members.iter().zip(&known).map(member).collect::<Vec<_>>());
            facts.put("lenses", lens::lens_catalogue());
        }
        "lineup" => {
            let members = lineup::list_row_members(heard.opened(), PANELIST);
            let named = members.iter().enumerate().filter(|(_, member)| !member.name.is_empty());
            let given = named.map(|(at, m)| json!({"place": at + 1, "name": m.name, "persona": m.persona}));
            facts.put("given", given.collect::<Vec<_>>());
            facts.put("filled", lineup::prefill_lineup(&members));
            facts.put("lenses", lens::lens_catalogue());
        }
        "approval" => {}
        _ => panel_facts(&Panel::from_view(heard), request, &mut facts),
    }
    facts.0
}

/// What is known of the panel.
fn panel_facts(panel: &Panel, request: &Request, facts: &mut FactSheet) {
    if let Some(you) = panel.find_panelist(&request.seat) {
        facts.put("you", ShownPanelist::from_panelist(you));
    }
    // Before the openings, all are listed: the list is a part of what every prompt of a panel begins with.
    let listed: Vec<ShownPanelist<'_>> = match panel.openings.is_empty() {
        true => panel.panelists.iter().map(ShownPanelist::from_panelist).collect(),
        false => panel.speakers().map(ShownPanelist::from_panelist).collect(),
    };
    facts.put("panel", listed);
    facts.put("transcript", transcript::render_transcript(panel, str::to_owned));
    if let Some(analysed) = &panel.analysed {
        facts.put("shared", &analysed.shared);
        facts.put("agreements", &analysed.agreements);
    }
    if let Some(valve) = panel.valves.last() {
        facts.put("challenger", panel.panelist_name(&valve.seat));
    }
    facts.put("disagreements", render_disagreements(panel));
    // Known where a next step is asked for.
    let left = left_of(request);
    facts.put("left", left);
    facts.put("unmet", panel.list_unmet_rules(left));
    facts.put("due", panel.list_due_panelists(left).into_iter().map(|p| &p.name).collect::<Vec<_>>());
    facts.put("thirds", render_ties(panel));
    facts.put("status", panel.status().title());
    facts.put("rounds", panel.count_answers());
    if let Some(exchange) = panel.exchanges.last() {
        let asked = &exchange.asked;
        facts.put("question", &asked.question);
        facts.put("speaker", panel.panelist_name(&asked.seat));
        facts.put("about", &asked.disagreement);
        facts.put("answered", exchange.answer.is_some());
        facts.put("copies", exchange.answer.as_ref().and_then(|answer| answer.copies));
        let concerned = panel.disagreements.iter().filter(|about| about.has_side(&asked.seat));
        let others = concerned.map(|about| &about.id).filter(|id| **id != asked.disagreement);
        facts.put("others", others.collect::<Vec<_>>());
        facts.put("third", panel.is_third(asked));
    }
    if request.prompt == confirmation::PROMPT {
        facts.put("confirmed", render_confirmation(panel, request));
    }
}

/// What a speaker is asked to confirm: the claim, against what it stands, the question and the answer.
fn render_confirmation(panel: &Panel, request: &Request) -> impl Serialize {
    let said = panel.said.list_turns(&request.seat).next_back().map_or("", |turn| turn.speech.text.as_str());
    let about = read_fact::<String>(request, "disagreement").and_then(|id| panel.find_disagreement(&id));
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
    let members = lineup::ruled_members(heard);
    let known = lens::known_lenses(&members, &lineup::list_row_members(heard.opened(), PANELIST));
    (members, known)
}

/// The schema of what a prompt asks for; panelists answer in prose.
pub fn answer_schema(heard: &View<'_>, request: &Request) -> Option<FormField> {
    if let Some(schema) = shared_schema(heard, request) {
        return Some(schema);
    }
    if let Some(cited) = collect_draft_citations(heard, request) {
        return Some(verification_schema(&cited));
    }
    let (panel, left) = (|| Panel::from_view(heard), left_of(request));
    let form = match request.prompt.as_str() {
        "lineup" => {
            let names = lens::lens_catalogue().iter().map(|entry| entry.lens.name.as_str());
            return Some(lineup::proposal_schema(WANTED, request, [form_field("lens", choice_kind(names))]));
        }
        LENSES => {
            let (members, known) = open_lenses(heard);
            lens::lens_form(&members, &known)
        }
        confirmation::PROMPT => confirmation::confirmation_form(),
        "disagreements" => analysis::comparison_form(&panel(), left),
        "challenge" => analysis::challenge_form(&panel(), left),
        "review" => review::last_review_form(&panel(), left)?,
        "route" => review::route_form(&panel(), left),
        "synthesis" => synthesis::synthesis_form(&panel()),
        _ => return None,
    };
    Some(form.to_schema())
}

/// Ties that wait for a third panelist, and who that can be.
fn render_ties(panel: &Panel) -> Vec<impl Serialize> {
    let ties = panel.disagreements.iter();
    let ties = ties.filter(|about| panel.wants_a_third(about) || panel.may_want_a_third(about));
    let ties = ties.map(|about| {
        let thirds = panel.speakers().filter(|speaker| !about.has_side(&speaker.seat));
        json!({"id": about.id, "names": thirds.map(|third| third.name.clone()).collect::<Vec<_>>()})
    });
    ties.collect()
}

/// A panelist as prompts show it.
#[derive(Serialize)]
struct ShownPanelist<'p> {
    name: &'p str,
    role: &'p str,
    lens: &'p str,
    description: &'p str,
}

impl<'p> ShownPanelist<'p> {
    fn from_panelist(panelist: &'p Panelist) -> Self {
        let Panelist { name, role, lens: Lens { name: lens, description, .. }, .. } = panelist;
        Self { name, role: role.trim_end_matches('.'), lens, description }
    }
}

fn render_disagreements(panel: &Panel) -> Vec<impl Serialize> {
    let each = panel.disagreements.iter().map(|about| {
        let name = |seat| panel.panelist_name(seat);
        let sides = about.claims.each_ref().map(|claim| json!({"name": name(&claim.seat), "quote": claim.quote}));
        let thirds = panel.sides_of_thirds(about).into_iter();
        let sided = thirds.map(|(third, side)| format!("{} sided with {}", name(third), name(side)));
        json!({
            "id": about.id, "topic": about.topic, "kind": about.kind, "rank": about.rank, "state": about.state,
            "sides": sides, "sided": sided.collect::<Vec<_>>(),
        })
    });
    each.collect()
}

/// What a speech cites that is to be looked up; `None` for other requests.
fn collect_draft_citations(heard: &View<'_>, request: &Request) -> Option<Vec<CitedPlace>> {
    let of = Key::from_parts(request.facts.get("of")?.as_str()?);
    let said = heard.answer_text(&of).unwrap_or_default();
    (request.seat.as_str() == "verifier").then(|| find_cited_passages(&Speech::from_text(said).text))
}
