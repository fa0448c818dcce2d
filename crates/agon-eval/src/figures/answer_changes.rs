//! What critique or debate did to first answers: how many it rescued and how many it destroyed.

use serde::Serialize;

use crate::{estimate::Share, mcnemar::McNemar, table::TableRow};

/// First answers and final answers, of the observations that ended well and have both.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AnswerChange {
    /// Observations with both and a gold answer.
    pub n: u64,
    /// Wrong answers that became right, of those that were wrong.
    pub rescued: Share,
    /// Right answers that became wrong, of those that were right.
    pub destroyed: Share,
    /// Rescued minus destroyed, of all; 0 to 1, negative for harm. Absent without observations.
    pub net: Option<f64>,
    /// Exact test of destroyed (b) against rescued (c).
    pub test: Option<McNemar>,
}

impl AnswerChange {
    pub(crate) fn from_rows(rows: &[TableRow]) -> Self {
        let pairs: Vec<(bool, bool)> =
            rows.iter().filter_map(|row| Some((row.initial_right?, row.ended_right()?))).collect();
        let share = |initial: bool| {
            let among = pairs.iter().filter(|(before, _)| *before == initial);
            Share::from_values(among.map(|(before, after)| before != after))
        };
        let (rescued, destroyed) = (share(false), share(true));
        let n = pairs.len();
        Self {
            n: n as u64,
            rescued,
            destroyed,
            net: (n > 0).then(|| (rescued.hits as f64 - destroyed.hits as f64) / n as f64),
            test: (n > 0).then(|| McNemar::from_pairs(pairs)),
        }
    }
}
