//! `[retention]`: how long closed debates are kept.

use serde::Deserialize;

use agon_journal::labels::is_label;

/// Longest time that can be set, in days: a hundred years.
const DAYS_MAX: u32 = 36_500;

/// The section `[retention]` of the user's configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionConfig {
    /// Days after its last entry for which a closed debate is kept; without it, for ever.
    pub keep_days: Option<u32>,
    /// Labels whose debates are kept for ever.
    #[serde(default)]
    pub keep: Vec<String>,
}

impl RetentionConfig {
    /// Whether nothing is set.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The first field whose value cannot be meant, and why.
    pub(super) fn contradiction(&self) -> Option<(String, String)> {
        if let Some(days) = self.keep_days.filter(|days| !(1..=DAYS_MAX).contains(days)) {
            return Some(("keep_days".into(), format!("{days} is not within 1 and {DAYS_MAX} days")));
        }
        let wrong = self.keep.iter().find(|label| !is_label(label))?;
        Some(("keep".into(), format!("{wrong:?} is not a label: use a-z, 0-9, - _ . and :")))
    }
}
