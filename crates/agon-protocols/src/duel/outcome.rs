//! The five outcomes, in the words of the format.

use agon_core::{Absent, Faults, Lost, Outcome};
use agon_text::count_noun;
use serde_json::json;

use super::state::{ClosingVerdict, History, TURNS_MAX};

/// Both accept.
pub const ACCEPTED_CONSENSUS: &str = "ACCEPTED_CONSENSUS";
/// They disagree.
pub const DISSENT: &str = "DISSENT";
/// The turns are used up.
pub const MAX_TURNS: &str = "MAX_TURNS";
/// Someone never took part.
pub const TIMEOUT: &str = "TIMEOUT";
/// The duel cannot be relied on.
pub const INVALIDATED: &str = "INVALIDATED";
/// All of them.
pub const OUTCOMES: [&str; 5] = [ACCEPTED_CONSENSUS, DISSENT, MAX_TURNS, TIMEOUT, INVALIDATED];

/// The outcome of the format that a closed duel has: one that was ended from outside has no result.
pub fn closing_name(outcome: &Outcome) -> &str {
    let known = OUTCOMES.contains(&outcome.name.as_str());
    if known { &outcome.name } else { INVALIDATED }
}

impl ClosingVerdict {
    /// Its word.
    pub fn name(self) -> &'static str {
        [ACCEPTED_CONSENSUS, DISSENT, MAX_TURNS][self as usize]
    }
}

/// The end of a duel in which both spoke.
pub fn duel_outcome(verdict: ClosingVerdict, history: &History) -> Outcome {
    let turns = history.turns.len();
    let stances = history.members.iter().filter_map(|member| {
        let latest = &history.latest_turn(member)?.accepted;
        let blocking = count_noun(latest.blocking, "blocking item", "blocking items");
        let blocking = if latest.blocking == 0 { String::new() } else { format!(", {blocking}") };
        Some(format!("{}: {}{blocking}", member.name, latest.stance.describe()))
    });
    let stances = stances.collect::<Vec<_>>().join("; ");
    let summary = match verdict {
        ClosingVerdict::Consensus => {
            format!("Both accept consensus after {turns} turns, and nothing blocks it ({stances}).")
        }
        ClosingVerdict::Dissent => format!("After {turns} turns material disagreement remains ({stances})."),
        ClosingVerdict::MaxTurns => {
            let all = turns >= TURNS_MAX as usize;
            let used = if all { format!("All {turns} turns") } else { format!("The {turns} turns allowed") };
            format!("{used} are used up without consensus or dissent ({stances}).")
        }
    };
    with_figures(Outcome::valid(verdict.name(), summary), history)
}

/// The end of a duel whose turn did not come: `TIMEOUT` where no turn of that participant ever did
/// and it was silent, else `INVALIDATED`.
pub fn absence_outcome(history: &History, name: &str, absent: Absent, lost: &Lost) -> Outcome {
    let turn = history.next();
    let never = history.turns.iter().all(|turn| turn.accepted.seat != absent.seat);
    let mut outcome = if never && is_silent(lost) {
        let why = "the wait for a first turn ended, and nothing can be concluded without it";
        Outcome::valid(TIMEOUT, format!("{name} never took part: {why}."))
    } else {
        let why = match lost {
            Lost::Unusable(Faults(faults)) => {
                let first = faults.first().map(|fault| format!(", for example {fault}")).unwrap_or_default();
                format!("no draft of it kept the rules{first}")
            }
            lost => lost.to_string(),
        };
        Outcome::void(INVALIDATED, format!("{name} gave no usable turn {turn}: {why}. The duel has no result."))
    };
    outcome.absent = vec![absent];
    with_figures(outcome, history)
}

/// The end of a duel for what is wrong with its files, which was seen `when`.
pub fn invalid_outcome(history: &History, when: &str, why: &str) -> Outcome {
    with_figures(Outcome::void(INVALIDATED, format!("{when}: {why} The duel has no result.")), history)
}

fn is_silent(lost: &Lost) -> bool {
    match lost {
        Lost::Elapsed => true,
        Lost::Failed(failed) => failed.kind == agon_core::FailureKind::Elapsed,
        Lost::Unusable(_) => false,
    }
}

fn with_figures(outcome: Outcome, history: &History) -> Outcome {
    let figures = json!({"turns": history.turns.len(), "candidate_convergence": history.candidate_convergence()});
    Outcome { figures, ..outcome }
}
