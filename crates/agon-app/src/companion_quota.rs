//! Whose a companion is: what it may cost counts against the quota of the person who started its debate on a server with
//! accounts, and everyone who has a role in the debate has it in the companion too.

use std::sync::Arc;

use agon_core::{DebateId, Opened, Record};
use agon_journal::accounts::{AccountError, PrincipalId};

use crate::{
    context::Context,
    failure::{Failure, Result, exit},
};

/// Counts the companion that is to be opened so, or was, and gives it no more than the quota leaves. Nothing happens where
/// nobody with an account started the debate `of`.
///
/// # Errors
///
/// Exit code 4 where the quota leaves nothing.
pub async fn count_companion(context: &Context, of: &Record, opened: &mut Opened) -> Result<()> {
    let (debate, companion) = (&of.opened().debate, &opened.debate);
    let (journal, default) = (Arc::clone(&context.journal), context.config.accounts.quotas.to_quotas());
    let quotas = move |person: PrincipalId| {
        let known = journal.find_principal(person).ok().flatten();
        known.map_or(default, |known| known.quotas.with_defaults(default))
    };
    let wanted = opened.limits.cost_microusd_max;
    let counted = context.journal.start_companion(debate, companion, quotas, wanted).await;
    opened.limits.cost_microusd_max = counted.map_err(|error| match error {
        AccountError::Journal(error) => error.into(),
        error => {
            let remedy = format!("ask an administrator for a higher quota, then: agon resume {debate}");
            Failure::new(exit::BUDGET, "quota", error.to_string(), remedy)
        }
    })?;
    Ok(())
}

/// It was not opened, and does not count.
pub async fn forget_companion(context: &Context, companion: &DebateId) {
    if let Err(error) = context.journal.forget_companion(companion).await {
        tracing::warn!(%error, %companion, "counts although it was not opened");
    }
}

/// Gives everyone who has a role in the debate `of` the same in its companion, if nobody has one there.
pub async fn share_roles(context: &Context, of: &Record, companion: &DebateId) -> Result<()> {
    let shared = context.journal.copy_grants(&of.opened().debate, companion).await;
    shared.map_err(|error| match error {
        AccountError::Journal(error) => error.into(),
        error => Failure::new(exit::CONFLICT, "accounts", error.to_string(), ""),
    })
}
