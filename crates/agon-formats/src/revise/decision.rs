//! What would change the outcome of critique and revision, by the functions that decide it and what they left
//! unresolved.

use agon_core::{Key, View};
use agon_protocols::revise::{
    convergence,
    critique::{Critique, Severity},
    review::ReviewVerdict,
    setup::ReviseMode,
    state::{Criticised, ReviseState, RoundStatus, round_key},
    verdict,
};

use agon_text::count_noun;

use crate::first_page::{Sentence, quote::QuotedEntries};

/// Who alone keeps the authors from converging, or whose review makes the verdict.
pub(super) fn list_decisive_points(entries: &QuotedEntries<'_>) -> Vec<Sentence> {
    let Some(state) = ReviseState::of(&View::of_whole_record(entries.record)) else { return Vec::new() };
    let mut all = Vec::new();
    if state.setup.mode == ReviseMode::Review {
        all.extend(list_decisive_reviewers(entries, &state));
    }
    let Some(last) = state.rounds.last() else { return all };
    let check = entries.record.find_ruling(&Key::of(round_key(state.rounds.len() as u32, "check")));
    let seq = check.map_or(entries.end_seq(), |(seq, _)| seq);
    match last.check.as_ref().filter(|check| check.status == RoundStatus::Converged) {
        Some(check) => all.push(Sentence::new(seq, format!("It rests on one criterion: {}.", check.reason))),
        None => all.extend(list_blocking_critics(entries, &state, seq)),
    }
    all
}

/// Authors that alone make the verdict: without one of them it would be another.
fn list_decisive_reviewers(entries: &QuotedEntries<'_>, state: &ReviseState) -> Vec<Sentence> {
    let list = state.read_unified_list(&View::of_whole_record(entries.record));
    let absent = entries.record.closing_outcome().map(|outcome| outcome.absent.as_slice()).unwrap_or_default();
    let now = verdict::of(state, absent, list.as_ref()).verdict;
    let name = |verdict: Option<ReviewVerdict>| verdict.map_or("none", ReviewVerdict::name);
    let told = state.present_authors().into_iter().filter(|_| state.present_authors().len() > 1).filter_map(|author| {
        let mut others = ReviseState::clone(state);
        others.versions[author].clear();
        let then = verdict::of(&others, absent, None).verdict;
        let by = &state.setup.authors[author].name;
        let text = format!("Without the review of {by} the verdict would be {}.", name(then));
        (then != now).then(|| Sentence::new(entries.end_seq(), text))
    });
    told.collect()
}

/// Critics without whose objections the last round would have converged.
fn list_blocking_critics(entries: &QuotedEntries<'_>, state: &ReviseState, check: u64) -> Vec<Sentence> {
    let Some((last, before)) = state.rounds.split_last() else { return Vec::new() };
    let stands = |held: &Criticised| Some((held.critic, held.critique.clone()?));
    let now: Vec<(usize, Critique)> = last.critiques.iter().filter_map(stands).collect();
    let earlier = before.iter().flat_map(|round| &round.critiques);
    let earlier: Vec<(usize, &Critique)> =
        earlier.filter_map(|held| Some((held.critic, held.critique.as_ref()?))).collect();
    let mut told: Vec<Sentence> = not_read_again(state, check).into_iter().collect();
    for critic in 0..state.setup.authors.len() {
        let mut others = now.clone();
        for (_, critique) in others.iter_mut().filter(|(by, _)| *by == critic) {
            critique.weaknesses.retain(|weakness| weakness.severity == Severity::Low);
            critique.disagreements.retain(|disagreement| disagreement.severity == Severity::Low);
        }
        let others: Vec<(usize, &Critique)> = others.iter().map(|(by, critique)| (*by, critique)).collect();
        if let Some(reason) = convergence::find_convergence(&others, last.critiques.len(), &earlier) {
            let own = last.critiques.iter().find(|held| held.critic == critic);
            let seq = own.map_or(check, |held| find_answer_seq(entries, &held.key));
            let name = &state.setup.authors[critic].name;
            let text = format!("Without the graver objections of {name} the authors would have converged: {reason}.");
            told.push(Sentence::new(seq, text));
        }
    }
    if told.is_empty() && !now.is_empty() {
        let text = "No author alone keeps it from converging: each has objections above low severity.";
        told.push(Sentence::new(check, text));
    }
    told
}

/// How many weaknesses of the last round were answered, where another round would read the answers.
fn not_read_again(state: &ReviseState, check: u64) -> Option<Sentence> {
    let last = state.rounds.last()?;
    let named: usize = last.critiques.iter().map(|held| held.weaknesses).sum();
    let revisions = last.revisions.iter().filter_map(|held| held.revision.as_ref());
    let answered: usize = revisions.map(|revision| revision.points.len()).sum();
    let text = format!(
        "{answered} of {} of the last round were answered, and nobody read the answers: another round would.",
        count_noun(named, "weakness", "weaknesses")
    );
    (answered > 0).then(|| Sentence::new(check, text))
}

/// Disagreements above low severity in the last round that the joined text does not decide, and in a review who is against
/// whom.
pub(super) fn list_open_points(entries: &QuotedEntries<'_>) -> Vec<Sentence> {
    let view = View::of_whole_record(entries.record);
    let Some(state) = ReviseState::of(&view) else { return Vec::new() };
    let Some(last) = state.rounds.last() else { return Vec::new() };
    let synthesis = state.read_synthesis(&view);
    let is_decided =
        |point: &str| synthesis.iter().flat_map(|joined| &joined.unresolved).any(|note| note.point == point);
    let left = state.unresolved_disagreements().into_iter().filter(|(_, _, point)| !is_decided(point));
    let told = left.filter_map(|(critic, target, point)| {
        let held = last.critiques.iter().find(|held| (held.critic, held.target) == (critic, target))?;
        let [critic, target] = [critic, target].map(|author| state.setup.authors[author].name.as_str());
        entries.quote_entry(find_answer_seq(entries, &held.key), format!("{critic} disagrees with {target}:"), point)
    });
    told.chain(list_defended_weaknesses(entries, &state)).collect()
}

/// Weaknesses that the last revisions did not fix, since their authors hold them to be none.
fn list_defended_weaknesses(entries: &QuotedEntries<'_>, state: &ReviseState) -> Vec<Sentence> {
    let Some(last) = state.rounds.last() else { return Vec::new() };
    let points = last.revisions.iter().flat_map(|held| {
        let points = held.revision.iter().flat_map(|revision| &revision.points);
        points.filter(|point| point.defended).map(|point| (held.author, point.weakness))
    });
    let told = points.filter_map(|(author, number)| {
        let named = state.list_weaknesses(state.rounds.len() as u32, author);
        let (_, held, weakness) = named.into_iter().find(|(at, ..)| *at == number)?;
        let [critic, author] = [held.critic, author].map(|at| state.setup.authors[at].name.as_str());
        let severity = weakness.severity.name().to_lowercase();
        let text = format!("{author} rejects a weakness of {severity} severity that {critic} names:");
        entries.quote_entry(find_answer_seq(entries, &held.key), text, &weakness.problem)
    });
    told.collect()
}

fn find_answer_seq(entries: &QuotedEntries<'_>, key: &Key) -> u64 {
    entries.record.find_answer(key).map_or(entries.end_seq(), |(seq, _)| seq)
}
