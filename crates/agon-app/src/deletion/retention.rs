//! Debates that are older than `[retention]` keeps them.

use std::path::Path;

use agon_core::Stamp;
use agon_runtime::{
    config::RetentionConfig,
    journal::{DebateSummary, Journal, tombstone::Deletion},
    time::days_ago,
};

use super::{DeletedDebate, delete};
use crate::failure::Result;

/// Maximum number of debates of one sweep.
pub const SWEEP_MAX: u32 = 10_000;
/// Who deletes what is too old.
const BY: &str = "retention";

/// What a sweep would delete.
#[derive(Debug, Clone)]
pub struct RetentionPlan {
    /// For how many days closed debates are kept.
    pub days: u32,
    /// Debates whose last entry is older are to go.
    pub before: Stamp,
    /// They, oldest first.
    pub debates: Vec<DebateSummary>,
}

/// What is to be deleted now; `None` where the configuration keeps everything. Debates that are not closed stay.
pub fn plan(journal: &Journal, config: &RetentionConfig) -> Result<Option<RetentionPlan>> {
    let Some(days) = config.keep_days else { return Ok(None) };
    let before = days_ago(days);
    let debates = journal.expired(&before.0, &config.keep, SWEEP_MAX)?;
    Ok(Some(RetentionPlan { days, before, debates }))
}

/// Deletes what `plan` lists, and tells of each. One that cannot be deleted, for example because a process drives it,
/// does not stop the others.
pub async fn sweep(
    journal: &Journal,
    home: &Path,
    plan: RetentionPlan,
    mut told: impl FnMut(&DebateSummary, Result<DeletedDebate>),
) {
    for summary in plan.debates {
        // It may have gone with the debate that it is a companion of, or was continued meanwhile.
        let is_there =
            journal.summary(&summary.id).map(|now| now.is_some_and(|now| now.head == summary.head));
        if !matches!(is_there, Ok(true)) {
            continue;
        }
        let why = format!("closed for more than {} days", plan.days);
        let deletion = Deletion { debate: summary.id.clone(), entries: None, by: BY.to_owned(), why };
        let done = delete(journal, home, deletion).await;
        told(&summary, done);
    }
}
