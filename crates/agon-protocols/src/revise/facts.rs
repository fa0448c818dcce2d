//! The facts of the prompts.

use agon_core::{Facts, Request, View};
use serde_json::{Value, json};

use super::{
    concessions,
    critique::{self, Severity},
    document, names,
    review::ReviewVerdict,
    revision,
    setup::{ReviseMode, Setup},
    sources,
    state::{Criticised, ReviseState, RoundStatus, synthesis_requirements},
    unified,
};
use crate::common::{
    claim_reading,
    verification::{self, SourceCheck},
};

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
    let Ok(setup) = Setup::of(heard.opened()) else { return facts };
    if let Some(cited) = sources::collect_draft_citations(heard, request) {
        facts.insert("entries".into(), verification::render_entries(&cited));
        return facts;
    }
    let state = ReviseState::of(heard, &setup);
    let mut fact = |name: &str, value: Value| drop(facts.insert(name.to_owned(), value));
    fact("motion", heard.opened().motion.clone().into());
    fact("mode", setup.mode.name().into());
    fact("phase", setup.phase.into());
    fact("title", setup.title.clone().into());
    fact("verify", verification::is_fetched(heard.opened()).into());
    let round = round_of(request);
    let own = setup.authors.iter().position(|author| author.seat == request.seat);
    if let Some(own) = own {
        let author = &setup.authors[own];
        let names: Vec<&str> = setup.authors.iter().map(|author| author.name.as_str()).collect();
        fact("name", author.name.clone().into());
        fact("authors", agon_text::join_names(&names).into());
        fact("persona", author.persona.clone().into());
        fact("stance", STANCES[own % STANCES.len()].into());
        fact("own", state.latest_text(own).into());
    }
    match (request.prompt.as_str(), own) {
        ("critique", _) => {
            let target = target_of(request);
            fact("competing", state.latest_text(target).into());
            let shown = (0..setup.authors.len()).filter(|author| own == Some(*author) || *author == target);
            fact("documents", shown.map(|author| latest_version_fact(&setup, &state, author)).collect());
            fact("author", setup.authors.get(target).map(|author| author.name.clone()).into());
            fact("places", json!(document::list_places(state.latest_text(target))));
            let earlier = own.map(|own| state.named_before(own, round)).unwrap_or_default();
            let earlier = earlier.into_iter().filter(|(_, of, _)| *of == target).map(|(number, _, weakness)| {
                json!({
                    "id": critique::weakness_id(number), "place": weakness.place, "problem": weakness.problem,
                    "severity": weakness.severity.name(),
                })
            });
            fact("earlier", earlier.collect());
        }
        ("revision", Some(own)) => {
            fact("documents", json!([latest_version_fact(&setup, &state, own)]));
            let about = state.critiques_of(round, own).map(|held| critique_fact(&setup, held));
            fact("critiques", about.collect());
            let weaknesses = state.list_weaknesses(round, own);
            let weaknesses = weaknesses.iter().map(|(number, critic, weakness)| {
                json!({
                    "id": critique::weakness_id(*number), "by": setup.authors[*critic].name, "place": weakness.place,
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
        ("synthesis", _) => add_synthesis_facts(heard, &setup, &state, &mut fact),
        (concessions::PROMPT, _) => {
            let mut lists = concession_facts(&setup, &state, round);
            if is_swapped(request) {
                lists.reverse();
            }
            for (list, name) in lists.iter_mut().zip(["A", "B"]) {
                list["name"] = name.into();
            }
            fact("lists", lists.into());
        }
        _ => {}
    }
    facts
}

/// The schema of what a prompt asks for; a first version is Markdown.
pub fn answer_schema(heard: &View<'_>, request: &Request) -> Option<Value> {
    if request.prompt == claim_reading::PROMPT.0 {
        return Some(claim_reading::reader_schema(heard, request));
    }
    if let Some(cited) = sources::collect_draft_citations(heard, request) {
        return Some(verification::verification_schema(&cited));
    }
    let setup = Setup::of(heard.opened()).ok()?;
    let state = ReviseState::of(heard, &setup);
    match request.prompt.as_str() {
        "critique" => {
            let (target, round) = (target_of(request), round_of(request));
            let own = setup.authors.iter().position(|author| author.seat == request.seat)?;
            let earlier = state.named_before(own, round).into_iter().filter(|(_, of, _)| *of == target);
            let earlier: Vec<usize> = earlier.map(|(number, ..)| number).collect();
            Some(critique::critique_schema(&document::list_places(state.latest_text(target)), &earlier))
        }
        concessions::PROMPT => {
            let mut counts = concessions::list_concessions(&state, round_of(request))?.map(|points| points.len());
            if is_swapped(request) {
                counts.reverse();
            }
            Some(concessions::pairs_schema(counts))
        }
        "revision" => {
            let own = setup.authors.iter().position(|author| author.seat == request.seat)?;
            let weaknesses = state.weakness_count(state.rounds.len() as u32, own);
            Some(revision::revision_schema(weaknesses, state.latest_text(own)))
        }
        "synthesis" if setup.mode == ReviseMode::Review => {
            Some(unified::unified_schema(&state.list_finding_sources(&setup)))
        }
        "synthesis" => Some(synthesis_requirements(&setup, &state).synthesis_schema()),
        _ => None,
    }
}

fn add_synthesis_facts(heard: &View<'_>, setup: &Setup, state: &ReviseState, fact: &mut impl FnMut(&str, Value)) {
    let documents = state.present_authors().into_iter().filter_map(|author| {
        let round = state.latest_version(author)?.round;
        let name = names::version_file(setup, author, round);
        let verdict = state.latest_review(author).verdict().map(ReviewVerdict::name);
        Some(json!({"name": name, "by": setup.authors[author].name, "text": state.latest_text(author), "verdict": verdict, "sources": looked_up(state, author)}))
    });
    fact("documents", documents.collect());
    let held = state
        .rounds
        .iter()
        .zip(1_u32..)
        .flat_map(|(round, number)| round.critiques.iter().map(move |held| (number, held)));
    let held: Vec<(u32, &Criticised)> = held.collect();
    // Critiques are what a synthesis can do with less of: the oldest lose all but their weaknesses.
    let shortened = (heard.shortened as usize).min(held.len());
    let critiques = held.iter().enumerate().map(|(at, (number, held))| {
        let mut shown = critique_fact(setup, held);
        shown["file"] = names::critique_file(setup, held.critic, held.target, *number).into();
        let named = state.list_weaknesses(*number, held.target).into_iter();
        let named = named.filter(|(_, critic, _)| *critic == held.critic);
        let weaknesses = shown["weaknesses"].as_array_mut().into_iter().flatten();
        for (weakness, (at, ..)) in weaknesses.zip(named) {
            weakness["id"] = names::weakness_name(setup, held.target, at, *number).into();
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
    let log = state.rounds.iter().zip(1_u32..).filter_map(|(round, number)| {
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
    let shared =
        synthesis_requirements(setup, state).shared.into_iter().map(|task| json!({"id": task.id, "title": task.title}));
    fact("shared", shared.collect());
    if setup.mode == ReviseMode::Review {
        let sources = state.list_finding_sources(setup).into_iter().map(|source| {
            json!({"id": source.id, "severity": Severity::name_or_unread(source.finding.severity), "text": source.finding.text})
        });
        fact("findings", sources.collect());
    }
}

/// An author's latest version, with what was found about its sources.
fn latest_version_fact(setup: &Setup, state: &ReviseState, author: usize) -> Value {
    json!({"by": setup.authors[author].name, "text": state.latest_text(author), "sources": looked_up(state, author)})
}

/// What was found about the sources of an author's latest version.
fn looked_up(state: &ReviseState, author: usize) -> Value {
    let found = state.latest_version(author).into_iter().flat_map(|version| &version.sources);
    found.map(|found: &SourceCheck| format!("{}: {}", found.url, found.describe_status())).collect()
}

fn critique_fact(setup: &Setup, held: &Criticised) -> Value {
    let critique = held.critique.clone().unwrap_or_default();
    let tagged = |at: String, words: &str| verification::tag_words(words, &at, &held.sources);
    let weaknesses = critique.weaknesses.iter().enumerate().map(|(i, weakness)| {
        let problem = tagged(format!("weaknesses[{i}].problem"), &weakness.problem);
        json!({"severity": weakness.severity.name(), "place": weakness.place, "problem": problem})
    });
    let disagreements = critique.disagreements.iter().enumerate().map(|(i, disagreement)| {
        let reason = tagged(format!("disagreements[{i}].reason"), &disagreement.reason);
        json!({"severity": disagreement.severity.name(), "point": disagreement.point, "reason": reason})
    });
    json!({
        "by": setup.authors[held.critic].name, "strengths": critique.strengths,
        "weaknesses": weaknesses.collect::<Value>(), "disagreements": disagreements.collect::<Value>(),
        "concessions": critique.concessions,
    })
}

/// What each author concedes in a round, and to whom.
fn concession_facts(setup: &Setup, state: &ReviseState, round: u32) -> Vec<Value> {
    let (Some(lists), [one, other]) = (concessions::list_concessions(state, round), &state.present_authors()[..])
    else {
        return Vec::new();
    };
    let name = |author: &usize| setup.authors[*author].name.as_str();
    let sides = [(one, other), (other, one)].into_iter().zip(lists);
    sides.map(|((by, to), points)| json!({"by": name(by), "to": name(to), "points": points})).collect()
}

fn is_swapped(request: &Request) -> bool {
    request.facts.get("swapped").and_then(Value::as_bool).unwrap_or(false)
}

fn round_of(request: &Request) -> u32 {
    request.facts.get("round").and_then(Value::as_u64).unwrap_or(0) as u32
}

fn target_of(request: &Request) -> usize {
    request.facts.get("target").and_then(Value::as_u64).unwrap_or(0) as usize
}
