//! How many observations of those begun ended well.

use serde::Serialize;

use crate::{estimate::Share, observation::RowState, table};

/// A name and how often it occurs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedCount {
    /// The name.
    pub name: String,
    /// How often.
    pub count: u64,
}

/// Observations by how they ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Availability {
    /// Those that ended well, of those begun.
    pub well: Share,
    /// Those that ended without a seat or a quorum.
    pub degraded: u64,
    /// Those that did not end.
    pub failed: u64,
    /// Why, the most frequent first.
    pub reasons: Vec<NamedCount>,
}

impl Availability {
    pub(crate) fn from_rows(rows: &[table::TableRow], arm: &table::ArmRows) -> Self {
        let count = |state| rows.iter().filter(|row| row.state == state).count() as u64;
        Self {
            well: Share::from_counts(count(RowState::Answered), rows.len() as u64),
            degraded: count(RowState::Degraded),
            failed: count(RowState::Failed),
            reasons: sort_tallies(&arm.reasons.0),
        }
    }
}

/// The most frequent first; equal ones by name.
pub(crate) fn sort_tallies(tallies: &std::collections::BTreeMap<String, u64>) -> Vec<NamedCount> {
    let mut counts: Vec<NamedCount> =
        tallies.iter().map(|(name, count)| NamedCount { name: name.clone(), count: *count }).collect();
    counts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    counts
}
