//! Debates that are older than `[retention]` keeps them.

use std::path::Path;

use agon_core::{DebateId, Stamp};
use agon_journal::{DebateSummary, Journal, time::days_ago, tombstone::Deletion};
use agon_runtime::config::RetentionConfig;

use super::{DeletedDebate, delete_debate};
use crate::{companion, failure::Result};

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
    /// Labels of debates that stay.
    pub keep: Vec<String>,
    /// They, oldest first.
    pub debates: Vec<DebateSummary>,
}

/// What is to be deleted now; `None` where the configuration keeps everything. Debates that are not closed stay, and so do
/// those with a companion that is open or has a label to keep: companions go with their debate.
pub fn plan_retention(journal: &Journal, config: &RetentionConfig) -> Result<Option<RetentionPlan>> {
    let Some(days) = config.keep_days else { return Ok(None) };
    let before = days_ago(days);
    let mut debates = journal.list_expired_debates(&before.0, &config.keep, SWEEP_MAX)?;
    // One that cannot be read is reported when it is to be deleted.
    debates.retain(|summary| !has_kept_companion(journal, &summary.id, &config.keep).unwrap_or(false));
    Ok(Some(RetentionPlan { days, before, keep: config.keep.clone(), debates }))
}

/// Whether a companion of `debate` is open or has one of the labels `keep`.
fn has_kept_companion(journal: &Journal, debate: &DebateId, keep: &[String]) -> Result<bool> {
    let ids = companion::usual_ids(debate);
    // Few debates have companions: the others need not be read.
    if journal.count_entries(&ids.iter().collect::<Vec<_>>())?.is_empty() {
        return Ok(false);
    }
    for companion in companion::existing_companions(journal, &journal.read_record(debate)?)? {
        let labels = journal.list_labels(&companion.opened().debate)?;
        if companion.closing_outcome().is_none() || labels.iter().any(|label| keep.contains(label)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes what `plan` lists, and tells of each. One that cannot be deleted, for example because a process drives it,
/// does not stop the others.
pub async fn delete_expired(
    journal: &Journal,
    home: &Path,
    plan: RetentionPlan,
    mut told: impl FnMut(&DebateSummary, Result<DeletedDebate>),
) {
    for summary in plan.debates {
        // It may have gone with the debate that it is a companion of, or was continued meanwhile.
        let is_there = journal.find_summary(&summary.id).map(|now| now.is_some_and(|now| now.head == summary.head));
        let stays = || has_kept_companion(journal, &summary.id, &plan.keep).unwrap_or(false);
        if !matches!(is_there, Ok(true)) || stays() {
            continue;
        }
        let why = format!("closed for more than {} days", plan.days);
        let deletion = Deletion { debate: summary.id.clone(), entries: None, by: BY.to_owned(), why };
        let done = delete_debate(journal, home, deletion).await;
        told(&summary, done);
    }
}
