//! Critique and revision: authors write the same document independently, criticise each other's and
//! revise their own for a bounded number of rounds, until they agree or the rounds are over. Then a
//! synthesizer joins the last versions.

pub mod artifact_names;
pub mod concessions;
pub mod convergence;
pub mod critique;
mod dimensions;
pub mod document;
mod drafts;
mod facts;
mod findings;
pub mod joint_findings;
pub mod plan;
pub mod review;
pub mod revision;
mod rulings;
mod sample;
mod script;
pub mod settings;
mod sources;
pub mod state;
pub mod synthesis;
pub mod tolerated_faults;
mod track;
pub mod verdict;

use std::sync::Arc;

use agon_core::{Absent, DraftRules, Facts, Floor, Flow, Outcome, Protocol, Request, Ruling, RulingKind, View};
use agon_text::count_noun;
use serde_json::json;

use self::{
    joint_findings::Unified,
    review::ReviewVerdict,
    settings::{ReviseMode, RuledAuthors, Setup, Strategy},
    state::{ReviseState, RoundCheck, RoundStatus},
};
use crate::common;

/// The protocol `revise`: authors write, criticise each other and revise; a synthesizer joins the results.
pub struct Revise;

impl Protocol for Revise {
    crate::shipped_files! {
        "revise.toml", facts, people, skill;
        "draft", "critique", "revision", "synthesis", "author", "pages", "layout", "debate", "joined", "unified",
        "concessions", "small/critique", "small/revision", "small/synthesis";
        common::final_answer::PROMPT, common::REDRAFT, common::claim_reading::PROMPT
    }

    fn draft_rules(&self) -> Option<&dyn DraftRules> {
        Some(self)
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        common::imported_debate::record_import(floor)?;
        let setup = match Setup::from_opened(floor.opened()) {
            Ok(setup) => setup,
            Err(why) => {
                floor.record_ruling("setup", Ruling::new(RulingKind::Invalidated, why.clone()))?;
                return Ok(Outcome::void("void", format!("There was no debate: {why}.")));
            }
        };
        record_opening(floor, &setup)?;
        let mut state = ReviseState::new(setup);
        let setup = Arc::clone(&state.setup);
        let mut joining = script::Joining::default();
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
            let mut absent = script::ask_drafts(floor, &mut state, writers, pass)?;
            while state.present_authors().len() > 1 && left(floor, &state) > 0 {
                let more = left(floor, &state) > 1;
                lost = script::run_round(floor, &mut state, more)?;
                if state.last_round_status() != Some(RoundStatus::Complete) {
                    break;
                }
            }
            unused = floor.current_limits().rounds.saturating_sub(state.rounds.len() as u32);
            absent.extend(lost.iter().cloned());
            absent.extend(joining.join_versions(floor, &mut state, pass)?);
            let found = state.source_checks().map(|found| found.status);
            let outcome = build_outcome(&state, joining.list.as_ref(), absent);
            floor.adjourn_debate(common::verification::add_source_counts(outcome, found))?;
        }
        unreachable!("a debate adjourns, extended or not")
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
    let authors = RuledAuthors { members: setup.authors.clone() };
    let ruling = Ruling::new(RulingKind::Lineup, names.join(", ")).with_data(authors);
    floor.record_ruling("lineup", ruling)?;
    if let Some(note) = floor.opened().options.get("rounds_note").and_then(|note| note.as_str()) {
        floor.record_ruling("rounds/warned", Ruling::new(RulingKind::Warned, common::fields::one_line(note)))?;
    }
    Ok(())
}

/// How the debate ends, with who is missing first; `list` joins the last reviews. Without a draft there
/// is not a result.
fn build_outcome(state: &ReviseState, list: Option<&Unified>, absent: Vec<Absent>) -> Outcome {
    let setup = &state.setup;
    let missing = absent.iter().map(|Absent { seat, why }| {
        let author = setup.find_author(seat).map(|author| setup.authors[author].name.clone());
        format!("{} did not answer ({why}). ", author.unwrap_or_else(|| format!("The {seat}")))
    });
    let missing: String = missing.collect();
    let checks: Vec<&RoundCheck> = state.rounds.iter().filter_map(|round| round.check.as_ref()).collect();
    let rounds = checks.len();
    let complete = checks.iter().filter(|check| check.status != RoundStatus::Failed).count();
    let mut figures = json!({"mode": setup.mode.name(), "rounds": rounds, "complete": complete});
    let present = state.present_authors();
    if present.is_empty() {
        let summary = format!("{missing}Nobody wrote a {}, so there is nothing to join.", setup.mode.name());
        return Outcome { absent, figures, ..Outcome::void("void", summary) };
    }
    let check = state.rounds.last().and_then(|round| round.check.as_ref());
    let converged = check.filter(|check| check.status == RoundStatus::Converged);
    let in_rounds = count_noun(rounds, "round", "rounds");
    let (name, course) = match converged {
        _ if !absent.is_empty() => {
            let joined = if state.joint.is_some() { "were joined as they stand" } else { "stand" };
            ("degraded", format!("The last versions {joined}; no agreement is claimed."))
        }
        _ if present.len() == 1 => ("single", format!("{} wrote alone.", setup.authors[present[0]].name)),
        None if rounds == 0 => ("synthesized", format!("{} versions were joined without a debate.", present.len())),
        // In one round nobody can converge: the answers to its critiques are read in the next.
        None if rounds == 1 => {
            let text =
                "The authors' last versions were joined after 1 round, and nobody read the answers to its critiques.";
            ("max_rounds", text.to_owned())
        }
        None => {
            let text = format!("The authors did not converge in {in_rounds}; their last versions were joined.");
            ("max_rounds", text)
        }
        Some(check) => ("converged", format!("The authors converged after {in_rounds}: {}.", check.reason)),
    };
    let mut summary = format!("{missing}{course}");
    if setup.mode == ReviseMode::Review {
        let given = verdict::attribute_verdict(state, &absent, list);
        figures["verdict"] = json!(given.verdict.map(ReviewVerdict::name));
        if !absent.is_empty() {
            figures["degraded"] = json!(true);
        }
        let each = present.iter().map(|author| {
            let review = state.latest_review(*author);
            (setup.authors[*author].label.clone(), json!(review.review_figures()))
        });
        figures["reviews"] = each.collect::<Facts>().into();
        summary = format!("{summary} {}", given.says);
    }
    Outcome { absent, figures, ..Outcome::valid(name, summary) }
}
