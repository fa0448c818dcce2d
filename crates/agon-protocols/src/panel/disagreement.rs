//! What panelists disagree about: kinds, ranks, states, and the status that follows from them.

use agon_core::Seat;
use serde::{Deserialize, Serialize};

/// How two claims conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conflict {
    /// One says that something is so, the other that it is not.
    Facts,
    /// Both recommendations cannot be followed.
    Recommendations,
    /// One rejects what the other takes for granted.
    Premise,
    /// The same factor decides for one and is secondary for the other.
    Weight,
}

/// How much an answer to it would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rank {
    /// Evidence on both sides; to resolve it would change the conclusion.
    High,
    /// Evidence against intuition.
    Medium,
    /// A matter of words, or beside the point.
    Low,
}

/// Where a disagreement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It can still be asked about.
    #[default]
    Active,
    /// One side has said that the other is right.
    Converged,
    /// Both have nothing new to say.
    Deadlocked,
    /// Left open: the limit was reached, or a side did not answer.
    Unresolved,
}

/// A claim of one panelist, in their own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Whose.
    pub seat: Seat,
    /// Found verbatim in what they said.
    pub quote: String,
}

/// Two claims that cannot both stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// `D1`, `D2` and so on, the most productive first.
    pub id: String,
    /// What it is about, in a line.
    pub topic: String,
    /// How the claims conflict.
    pub kind: Conflict,
    /// How much an answer would change.
    pub rank: Rank,
    /// The two sides.
    pub claims: [Claim; 2],
    /// Where it stands.
    #[serde(default)]
    pub state: State,
}

impl Disagreement {
    /// Whether `seat` is one of its sides.
    pub fn concerns(&self, seat: &Seat) -> bool {
        self.claims.iter().any(|claim| claim.seat == *seat)
    }

    /// The side against `seat`, if that is one of its sides.
    pub fn against(&self, seat: &Seat) -> Option<&Claim> {
        let [one, other] = &self.claims;
        match seat {
            seat if one.seat == *seat => Some(other),
            seat if other.seat == *seat => Some(one),
            _ => None,
        }
    }
}

/// How a panel came out, computed from its disagreements and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Every disagreement converged, or there was none.
    Converged,
    /// Some converged, others did not.
    PartiallyConverged,
    /// None converged and at least one is deadlocked.
    Deadlocked,
    /// None converged and none is deadlocked.
    Unresolved,
}

impl Status {
    /// By the states of all disagreements.
    pub fn of(states: impl IntoIterator<Item = State>) -> Self {
        let states: Vec<State> = states.into_iter().collect();
        let any = |wanted: State| states.contains(&wanted);
        if states.iter().all(|state| *state == State::Converged) {
            Status::Converged
        } else if any(State::Converged) {
            Status::PartiallyConverged
        } else if any(State::Deadlocked) {
            Status::Deadlocked
        } else {
            Status::Unresolved
        }
    }

    /// As the synthesis has it.
    pub fn title(self) -> &'static str {
        match self {
            Status::Converged => "Converged",
            Status::PartiallyConverged => "Partially converged",
            Status::Deadlocked => "Deadlocked",
            Status::Unresolved => "Unresolved",
        }
    }

    /// As the outcome has it.
    pub fn outcome(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::PartiallyConverged => "partially_converged",
            Status::Deadlocked => "deadlocked",
            Status::Unresolved => "unresolved",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_follows_from_the_states() {
        use State::{Converged, Deadlocked, Unresolved};
        for (states, status) in [
            (vec![], Status::Converged),
            (vec![Converged, Converged], Status::Converged),
            (vec![Deadlocked, Deadlocked], Status::Deadlocked),
            (vec![Deadlocked, Unresolved], Status::Deadlocked),
            (vec![Converged, Deadlocked], Status::PartiallyConverged),
            (vec![Converged, Unresolved], Status::PartiallyConverged),
            (vec![Unresolved], Status::Unresolved),
        ] {
            assert_eq!(Status::of(states.clone()), status, "{states:?}");
        }
    }
}
