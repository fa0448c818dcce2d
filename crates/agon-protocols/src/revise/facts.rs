//! The facts of the prompts.

use agon_core::{Facts, Request, View, form::FormField};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    artifact_names, concessions,
    critique::{self, Severity},
    document, joint_findings,
    review::ReviewVerdict,
    revision,
    settings::{ReviseMode, Setup},
    sources,
    state::{Criticised, ReviseState, RoundStatus, Version},
};
use crate::common::{claim_reading, form::Form, request_values::read_fact, verification};

/// Who an author is where nobody says so: the source system has one that is thorough and one that is
/// pragmatic.
const STANCES: [&str; 2] = ["thorough", "pragmatic"];

/// Facts of every prompt: the task and who is asked, and by prompt the documents and critiques it
/// works on.
pub fn prompt_facts(heard: &View<'_>, request: &Request) -> Facts {
    if request.prompt == claim_reading::PROMPT.0 {
        return claim_reading::reader_facts(heard, request);
    }
    let mut facts = request.facts.clone();
    let Some(state) = ReviseState::from_view(heard) else { return facts };
    let setup = &state.setup;
    if let Some(cited) = sources::collect_draft_citations(heard, request) {
        facts.insert("entries".into(), json!(verification::render_entries(&cited)));
        return facts;
    }
    let mut fact = |name: &str, value| drop(facts.insert(name.to_owned(), value));
    fact("motion", heard.opened().motion.clone().into());
    fact("mode", setup.mode.name().into());
    fact("phase", setup.phase.into());
    fact("title", setup.title.clone().into());
    fact("verify", verification::is_fetched(heard.opened()).into());
    let round = read_fact(request, "round").unwrap_or_default();
    let own = setup.find_author(&request.seat);
    if let Some(own) = own {
        let author = &setup.authors[own];
        let names: Vec<&str> = setup.authors.iter().map(|author| author.name.as_str()).collect();
        fact("name", author.name.clone().into());
        fact("authors", agon_text::join_names(&names).into());
        fact("persona", author.persona.clone().into());
        fact("stance", STANCES[own % STANCES.len()].into());
        fact("own", state.latest_text(own).into());
    }
    let latest_version = |author: usize| {
        let (by, text) = (&setup.authors[author].name, state.latest_text(author));
        json!({"by": by, "text": text, "sources": looked_up(state.latest_version(author))})
    };
    match (request.prompt.as_str(), own) {
        ("critique", _) => {
            let target = read_fact(request, "target").unwrap_or_default();
            fact("competing", state.latest_text(target).into());
            let shown = (0..setup.authors.len()).filter(|author| own == Some(*author) || *author == target);
            fact("documents", shown.map(latest_version).collect());
            fact("author", setup.authors.get(target).map(|author| author.name.clone()).into());
            fact("places", json!(document::list_places(state.latest_text(target))));
            let earlier = own.map(|own| state.named_before(own, round)).unwrap_or_default();
            let earlier =
                earlier.into_iter().filter(|(_, held, _)| held.target == target).map(|(number, _, weakness)| {
                    json!({
                        "id": critique::weakness_id(number), "place": weakness.place, "problem": weakness.problem,
                        "severity": weakness.severity,
                    })
                });
            fact("earlier", earlier.collect());
        }
        ("revision", Some(own)) => {
            fact("documents", json!([latest_version(own)]));
            fact("critiques", state.critiques_of(round, own).map(|held| critique_fact(setup, held)).collect());
            let weaknesses = state.list_weaknesses(round, own).into_iter().map(|(number, held, weakness)| {
                json!({
                    "id": critique::weakness_id(number), "by": setup.authors[held.critic].name, "place": weakness.place,
                    "problem": weakness.problem, "severity": weakness.severity.name(),
                })
            });
            fact("weaknesses", weaknesses.collect());
            fact("count", state.weakness_count(round, own).into());
            let granted = state.rounds.last().into_iter().flat_map(|round| &round.critiques);
            let granted = granted.filter(|held| held.critic == own).filter_map(|held| held.critique.as_ref());
            fact("granted", granted.flat_map(|critique| critique.concessions.clone()).collect::<Vec<_>>().into());
            let headings = document::parse_headings(state.latest_text(own)).into_iter();
            let headings = headings.map(|heading| format!("{} {}", "#".repeat(heading.level), heading.text));
            fact("headings", headings.collect::<Vec<_>>().into());
        }
        ("synthesis", _) => facts.extend(synthesis_facts(heard, &state)),
        (concessions::PROMPT, _) => fact("lists", json!(concession_facts(&state, request))),
        _ => {}
    }
    facts
}

/// The schema of what a prompt asks for; a first version is Markdown.
pub fn answer_schema(heard: &View<'_>, request: &Request) -> Option<FormField> {
    if request.prompt == claim_reading::PROMPT.0 {
        return Some(claim_reading::reader_schema(heard, request));
    }
    if let Some(cited) = sources::collect_draft_citations(heard, request) {
        return Some(verification::verification_schema(&cited));
    }
    Some(answer_form(heard, request)?.to_schema())
}

fn answer_form(heard: &View<'_>, request: &Request) -> Option<Form> {
    let state = ReviseState::from_view(heard)?;
    let setup = &state.setup;
    match request.prompt.as_str() {
        "critique" => {
            let (round, target) = (read_fact(request, "round"), read_fact(request, "target").unwrap_or_default());
            let earlier = state.named_before(setup.find_author(&request.seat)?, round.unwrap_or_default()).into_iter();
            let earlier = earlier.filter(|(_, held, _)| held.target == target).map(|(number, ..)| number);
            let earlier: Vec<usize> = earlier.collect();
            Some(critique::critique_form(document::list_places(state.latest_text(target)), &earlier))
        }
        concessions::PROMPT => {
            Some(concessions::pairs_form(concessions::list_shown(&state, request)?.map(|(.., points)| points.len())))
        }
        "revision" => {
            let own = setup.find_author(&request.seat)?;
            let weaknesses = state.weakness_count(state.rounds.len() as u32, own);
            Some(revision::revision_form(weaknesses, !document::parse_headings(state.latest_text(own)).is_empty()))
        }
        "synthesis" if setup.mode == ReviseMode::Review => {
            let ids: Vec<String> = state.list_finding_sources().into_iter().map(|source| source.id).collect();
            Some(joint_findings::unified_form(&ids))
        }
        "synthesis" => Some(state.synthesis_requirements().synthesis_form(false)),
        _ => None,
    }
}

fn synthesis_facts(heard: &View<'_>, state: &ReviseState) -> Facts {
    let (setup, mut facts) = (&state.setup, Facts::new());
    let mut fact = |name: &str, value| drop(facts.insert(name.to_owned(), value));
    let documents = state.present_authors().into_iter().filter_map(|author| {
        let version = state.latest_version(author)?;
        let name = artifact_names::version_file(setup, author, version.round);
        let (by, verdict) = (&setup.authors[author].name, version.to_review().verdict().map(ReviewVerdict::name));
        let (text, sources) = (state.latest_text(author), looked_up(Some(version)));
        Some(json!({"name": name, "by": by, "text": text, "verdict": verdict, "sources": sources}))
    });
    fact("documents", documents.collect());
    let rounds = state.rounds.iter().zip(1_u32..);
    let held = rounds.clone().flat_map(|(round, number)| round.critiques.iter().map(move |held| (number, held)));
    let held: Vec<(u32, &Criticised)> = held.collect();
    // Critiques are what a synthesis can do with less of: the oldest lose all but their weaknesses.
    let shortened = (heard.shortened as usize).min(held.len());
    let critiques = held.iter().enumerate().map(|(at, (number, held))| {
        let mut shown = critique_fact(setup, held);
        shown["file"] = artifact_names::critique_file(setup, held.critic, held.target, *number).into();
        let named = state.list_weaknesses(*number, held.target).into_iter();
        let named = named.filter(|(_, of, _)| of.critic == held.critic);
        let weaknesses = shown["weaknesses"].as_array_mut().into_iter().flatten();
        for (weakness, (at, ..)) in weaknesses.zip(named) {
            weakness["id"] = artifact_names::weakness_name(setup, held.target, at, *number).into();
        }
        shown["of"] = setup.authors[held.target].name.clone().into();
        if at < shortened {
            for section in ["strengths", "disagreements", "concessions"] {
                shown[section] = json!([]);
            }
        }
        shown
    });
    fact("critiques", critiques.collect());
    fact("shortened", shortened.into());
    let log = rounds.filter_map(|(round, number)| {
        let check = round.check.as_ref()?;
        let course = match check.status {
            RoundStatus::Complete => "not converged".to_owned(),
            RoundStatus::Converged => format!("converged: {}", check.reason),
            RoundStatus::Failed => format!("incomplete: {}", check.reason),
        };
        Some(format!("round {number}: {course}"))
    });
    fact("log", log.collect::<Vec<_>>().into());
    let open = state.unresolved_disagreements().into_iter().map(|(critic, target, point)| {
        json!({"by": setup.authors[critic].name, "of": setup.authors[target].name, "point": point})
    });
    fact("unresolved", open.collect());
    let shared = state.synthesis_requirements().shared.into_iter();
    fact("shared", shared.map(|shared| json!({"id": shared.task.id, "title": shared.task.title})).collect());
    if setup.mode == ReviseMode::Review {
        let sources = state.list_finding_sources().into_iter().map(|source| {
            json!({"id": source.id, "severity": Severity::name_or_unread(source.finding.severity), "text": source.finding.text})
        });
        fact("findings", sources.collect());
    }
    facts
}

/// What was found about the sources of a version.
fn looked_up(version: Option<&Version>) -> Vec<String> {
    let found = version.into_iter().flat_map(|version| &version.sources);
    found.map(|found| format!("{}: {}", found.url, found.describe_status())).collect()
}

fn critique_fact(setup: &Setup, held: &Criticised) -> Value {
    let mut critique = held.critique.clone().unwrap_or_default();
    for (at, words) in critique.citing_texts() {
        *words = verification::tag_words(words, &at, &held.sources);
    }
    json!({
        "by": setup.authors[held.critic].name, "strengths": critique.strengths, "weaknesses": critique.weaknesses,
        "disagreements": critique.disagreements, "concessions": critique.concessions,
    })
}

/// What each author concedes in a round, and to whom.
fn concession_facts(state: &ReviseState, request: &Request) -> impl Serialize + use<> {
    let name = |author: usize| state.setup.authors[author].name.as_str();
    let lists = concessions::list_shown(state, request).into_iter().flatten().zip(["A", "B"]);
    let lists =
        lists.map(|((by, to, points), list)| json!({"by": name(by), "to": name(to), "points": points, "name": list}));
    lists.collect::<Vec<_>>()
}
