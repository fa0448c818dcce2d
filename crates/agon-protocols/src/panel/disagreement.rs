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
    /// A matter of words, or irrelevant.
    Low,
}

/// Where a disagreement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DisagreementState {
    /// It can still be asked about.
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
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Whose.
    pub seat: Seat,
    /// Found verbatim in what they said.
    pub quote: String,
}

/// Two claims that cannot both stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    pub state: DisagreementState,
}

impl Disagreement {
    /// Whether it is not settled: it can be asked about, or could be where more is allowed.
    pub fn is_open(&self) -> bool {
        matches!(self.state, DisagreementState::Active | DisagreementState::Unresolved)
    }

    /// Whether `seat` is one of its sides.
    pub fn has_side(&self, seat: &Seat) -> bool {
        self.claims.iter().any(|claim| claim.seat == *seat)
    }

    /// The side against `seat`, if that is one of its sides.
    pub fn opposing_claim(&self, seat: &Seat) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.seat != *seat).filter(|_| self.has_side(seat))
    }
}

/// How a panel came out, computed from its disagreements and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelStatus {
    /// Every disagreement converged, or there was none.
    Converged,
    /// Some converged, others did not.
    PartiallyConverged,
    /// None converged and at least one is deadlocked.
    Deadlocked,
    /// None converged and none is deadlocked.
    Unresolved,
}

impl PanelStatus {
    /// By the states of all disagreements.
    pub fn from_states(states: impl IntoIterator<Item = DisagreementState>) -> Self {
        let states: Vec<DisagreementState> = states.into_iter().collect();
        let count = |wanted: DisagreementState| states.iter().filter(|state| **state == wanted).count();
        match (count(DisagreementState::Converged), count(DisagreementState::Deadlocked)) {
            (converged, _) if converged == states.len() => PanelStatus::Converged,
            (0, 0) => PanelStatus::Unresolved,
            (0, _) => PanelStatus::Deadlocked,
            _ => PanelStatus::PartiallyConverged,
        }
    }

    /// As the synthesis has it.
    pub fn title(self) -> &'static str {
        match self {
            PanelStatus::Converged => "Converged",
            PanelStatus::PartiallyConverged => "Partially converged",
            PanelStatus::Deadlocked => "Deadlocked",
            PanelStatus::Unresolved => "Unresolved",
        }
    }

    /// As the outcome has it.
    pub fn outcome_name(self) -> String {
        self.title().to_lowercase().replace(' ', "_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_follows_from_the_states() {
        use DisagreementState::{Converged, Deadlocked, Unresolved};
        for (states, status) in [
            (vec![], PanelStatus::Converged),
            (vec![Converged, Converged], PanelStatus::Converged),
            (vec![Deadlocked, Deadlocked], PanelStatus::Deadlocked),
            (vec![Deadlocked, Unresolved], PanelStatus::Deadlocked),
            (vec![Converged, Deadlocked], PanelStatus::PartiallyConverged),
            (vec![Converged, Unresolved], PanelStatus::PartiallyConverged),
            (vec![Unresolved], PanelStatus::Unresolved),
        ] {
            assert_eq!(PanelStatus::from_states(states.clone()), status, "{states:?}");
        }
    }
}
