//! Critique and revision: authors write the same document independently, criticise each other's and
//! revise their own for a bounded number of rounds, until they agree or the rounds are over. Then a
//! synthesizer joins the last versions.

pub mod accepted;
pub mod concessions;
pub mod convergence;
pub mod critique;
mod dimensions;
pub mod document;
mod facts;
mod findings;
pub mod names;
pub mod plan;
pub mod review;
pub mod revision;
mod rounds;
mod rulings;
mod sample;
pub mod setup;
mod sources;
pub mod state;
pub mod synthesis;
pub mod unified;
pub mod verdict;

use std::sync::LazyLock;

use agon_core::{Absent, Facts, Floor, Flow, Manifest, Outcome, People, Protocol, Request, Ruling, RulingKind, View};
use serde_json::{Value, json};

pub use self::state::synthesis_requirements;
use self::{
    review::ReviewVerdict,
    setup::{ReviseMode, RuledAuthor, RuledAuthors, Setup, Strategy},
    state::{ReviseState, RoundStatus},
    unified::Unified,
};
use crate::common;

/// The protocol `revise`: authors write, criticise each other and revise; a synthesizer joins the results.
pub struct Revise;

static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| common::parse_shipped_manifest(include_str!("revise.toml")));
static PEOPLE: LazyLock<People> = LazyLock::new(|| common::parse_people(include_str!("people.toml")));

impl Protocol for Revise {
    fn manifest(&self) -> &Manifest {
        &MANIFEST
    }

    fn prompt_templates(&self) -> &[(&str, &str)] {
        &[
            ("draft", include_str!("prompts/draft.md")),
            ("critique", include_str!("prompts/critique.md")),
            ("revision", include_str!("prompts/revision.md")),
            ("synthesis", include_str!("prompts/synthesis.md")),
            ("author", include_str!("prompts/author.md")),
            ("pages", include_str!("prompts/pages.md")),
            ("layout", include_str!("prompts/layout.md")),
            ("debate", include_str!("prompts/debate.md")),
            ("joined", include_str!("prompts/joined.md")),
            ("unified", include_str!("prompts/unified.md")),
            ("concessions", include_str!("prompts/concessions.md")),
            ("small/critique", include_str!("prompts/small/critique.md")),
            ("small/revision", include_str!("prompts/small/revision.md")),
            ("small/synthesis", include_str!("prompts/small/synthesis.md")),
            common::final_answer::PROMPT,
            common::REDRAFT,
            common::claim_reading::PROMPT,
        ]
    }

    fn skill_text(&self) -> Option<&str> {
        Some(include_str!("skill.md"))
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        common::imported::record_import(floor)?;
        let setup = match Setup::of(floor.opened()) {
            Ok(setup) => setup,
            Err(why) => {
                floor.record_ruling("setup", Ruling::new(RulingKind::Invalidated, why.clone()))?;
                return Ok(Outcome::void("void", format!("There was no debate: {why}.")));
            }
        };
        record_opening(floor, &setup)?;
        let mut state = ReviseState::new(&setup);
        let mut joining = rounds::Joining::default();
        // Rounds that were allowed and not held: a flow without debate uses none, and what an early
        // end left over is not made up for by an extension.
        let mut unused = match setup.strategy {
            Strategy::Debate => 0,
            Strategy::Synthesize | Strategy::Single => floor.opened().limits.rounds,
        };
        // Who did not answer in the last round.
        let mut lost = Vec::new();
        for pass in 0.. {
            let left = |floor: &mut Floor<'_>, state: &ReviseState| {
                floor.current_limits().rounds.saturating_sub(unused + state.rounds.len() as u32)
            };
            let alone = setup.strategy == Strategy::Single && state.rounds.is_empty() && left(floor, &state) == 0;
            let writers = if alone { 1 } else { setup.authors.len() };
            let mut absent = rounds::ask_drafts(floor, &setup, &mut state, writers, pass)?;
            while state.present_authors().len() > 1 && left(floor, &state) > 0 {
                let more = left(floor, &state) > 1;
                lost = rounds::run_round(floor, &setup, &mut state, more)?;
                if state.last_round_status() != Some(RoundStatus::Complete) {
                    break;
                }
            }
            unused = floor.current_limits().rounds.saturating_sub(state.rounds.len() as u32);
            absent.extend(lost.iter().cloned());
            absent.extend(joining.join_versions(floor, &setup, &mut state, pass)?);
            let found = state.source_checks().map(|found| found.status);
            let outcome = build_outcome(&setup, &state, joining.unified_list(), absent);
            floor.adjourn_debate(common::verification::add_source_counts(outcome, found))?;
        }
        unreachable!("a debate adjourns, extended or not")
    }

    fn prompt_facts(&self, heard: &View<'_>, request: &Request) -> Facts {
        facts::prompt_facts(heard, request)
    }

    fn human_prompts(&self) -> &People {
        &PEOPLE
    }

    fn answer_schema(&self, heard: &View<'_>, request: &Request) -> Option<Value> {
        facts::answer_schema(heard, request)
    }

    fn count_rounds_held(&self, outcome: &Outcome) -> Option<u32> {
        common::find_count_figure(outcome, "rounds")
    }

    fn sample_answer(&self, heard: &View<'_>, request: &Request) -> Option<String> {
        sample::sample_answer(heard, request)
    }
}

/// Puts on the record who takes part, and what the opener was told about the rounds.
fn record_opening(floor: &mut Floor<'_>, setup: &Setup) -> Flow<()> {
    let names: Vec<&str> = setup.authors.iter().map(|author| author.name.as_str()).collect();
    let members = setup.authors.iter().map(|author| RuledAuthor {
        seat: author.seat.clone(),
        name: author.name.clone(),
        label: author.label.clone(),
    });
    let authors = RuledAuthors { members: members.collect() };
    let ruling = Ruling::new(RulingKind::Lineup, names.join(", ")).with_data(authors);
    floor.record_ruling("lineup", ruling)?;
    if let Some(note) = floor.opened().options.get("rounds_note").and_then(Value::as_str) {
        floor.record_ruling("rounds/warned", Ruling::new(RulingKind::Warned, common::fields::one_line(note)))?;
    }
    Ok(())
}

/// How the debate ends, with who is missing first; `list` joins the last reviews. Without a draft there
/// is not a result.
fn build_outcome(setup: &Setup, state: &ReviseState, list: Option<&Unified>, absent: Vec<Absent>) -> Outcome {
    let missing: String = absent
        .iter()
        .map(|absent| format!("{} did not answer ({}). ", absent_name(setup, absent), absent.why))
        .collect();
    let rounds = state.rounds.iter().filter(|round| round.check.is_some()).count();
    let mut figures = json!({
        "mode": setup.mode.name(), "rounds": rounds,
        "complete": state.rounds.iter().filter(|round| is_complete(round)).count(),
    });
    let present = state.present_authors();
    if present.is_empty() {
        let summary = format!("{missing}Nobody wrote a {}, so there is nothing to join.", setup.mode.name());
        return Outcome { absent, figures, ..Outcome::void("void", summary) };
    }
    let check = state.rounds.last().and_then(|round| round.check.as_ref());
    let converged = check.filter(|check| check.status == RoundStatus::Converged);
    let (name, course) = match converged {
        _ if !absent.is_empty() => {
            let joined = if state.joint.is_some() { "were joined as they stand" } else { "stand" };
            ("degraded", format!("The last versions {joined}; no agreement is claimed."))
        }
        _ if present.len() == 1 => ("single", format!("{} wrote alone.", setup.authors[present[0]].name)),
        None if rounds == 0 => ("synthesized", format!("{} versions were joined without a debate.", present.len())),
        None => {
            let text = format!(
                "The authors did not converge in {}; their last versions were joined.",
                describe_rounds(rounds)
            );
            ("max_rounds", text)
        }
        Some(check) => {
            ("converged", format!("The authors converged after {}: {}.", describe_rounds(rounds), check.reason))
        }
    };
    let mut summary = format!("{missing}{course}");
    if setup.mode == ReviseMode::Review {
        let given = verdict::of(setup, state, &absent, list);
        figures["verdict"] = json!(given.verdict.map(ReviewVerdict::name));
        if !absent.is_empty() {
            figures["degraded"] = json!(true);
        }
        let each = present.iter().map(|author| {
            let review = state.latest_review(*author);
            (setup.authors[*author].label.clone(), review.review_figures())
        });
        figures["reviews"] = Value::Object(each.collect());
        summary = format!("{summary} {}", given.says);
    }
    Outcome { absent, figures, ..Outcome::valid(name, summary) }
}

/// Whether everyone answered in a round.
fn is_complete(round: &state::Round) -> bool {
    round.check.as_ref().is_some_and(|check| check.status != RoundStatus::Failed)
}

fn absent_name(setup: &Setup, absent: &Absent) -> String {
    let author = setup.authors.iter().find(|author| author.seat == absent.seat);
    author.map_or_else(|| format!("The {}", absent.seat), |author| author.name.clone())
}

fn describe_rounds(rounds: usize) -> String {
    format!("{rounds} {}", if rounds == 1 { "round" } else { "rounds" })
}
