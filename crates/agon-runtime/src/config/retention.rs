//! `[retention]`: how long closed debates are kept.

use agon_journal::labels::is_label;
use serde::Deserialize;

use crate::value_fault::{ValueFault, refuse_found};

/// Longest time that can be set, in days: a hundred years.
const DAYS_MAX: u32 = 36_500;

/// The section `[retention]` of the user's configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionConfig {
    /// Days after its last entry for which a closed debate is kept; without it, for ever.
    pub keep_days: Option<u32>,
    /// Labels whose debates are kept for ever.
    pub keep: Vec<String>,
}

impl RetentionConfig {
    /// Refuses the first field whose value cannot be meant.
    pub(super) fn check(&self) -> Result<(), ValueFault> {
        refuse_found(self.keep_days.filter(|days| !(1..=DAYS_MAX).contains(days)), "keep_days", |days| {
            format!("{days} is not within 1 and {DAYS_MAX} days")
        })?;
        refuse_found(self.keep.iter().find(|label| !is_label(label)), "keep", |wrong| {
            format!("{wrong:?} is not a label: use a-z, 0-9, - _ . and :")
        })
    }
}
