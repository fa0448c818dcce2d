//! Quotas: a debate is counted before it is opened, and owned by the person who opens it.

use std::sync::Arc;

use agon_app::OpeningRequest;
use agon_core::DebateId;
use agon_runtime::accounts::{
    AccountError, AuditEvent, DebateRole, PrincipalId, PrincipalState, Quotas, StartReservation,
};

use crate::{Refusal, State, visitor::Visitor};

/// A US dollar in its millionths.
const MICRO: f64 = 1e6;

fn micro(cost: f64) -> u64 {
    (cost.max(0.0) * MICRO).round() as u64
}

/// Counts a debate that a person is about to open, and limits what it may cost to what the person's quota leaves.
/// `None` where nobody counts.
pub(crate) async fn reserve(
    shared: &State,
    visitor: Visitor,
    opening: &mut OpeningRequest,
) -> Result<Option<StartReservation>, Refusal> {
    let (Some(accounts), Some(person)) = (&shared.accounts, visitor.person) else { return Ok(None) };
    let known = shared.journal.principal(person)?.filter(|known| known.state == PrincipalState::Active);
    let quotas = known.map(|known| accounts.quotas(&known)).ok_or_else(super::not_permitted)?;
    let wanted = opening.budget.max_cost.map(micro);
    let start = shared.journal.reserve_start(person, quotas, wanted).await?;
    if quotas.cost_microusd.is_some() {
        opening.budget.max_cost = start.cost_max.map(|cost| cost as f64 / MICRO);
    }
    Ok(Some(start))
}

/// The debate was opened, and the person owns it; or it was not, and does not count.
pub(crate) async fn settle(
    shared: &State,
    start: Option<StartReservation>,
    opened: Result<&DebateId, &Refusal>,
) -> Result<(), Refusal> {
    let Some(start) = start else { return Ok(()) };
    shared.journal.settle_start(start, opened.ok()).await?;
    if let Ok(debate) = opened {
        let audit = AuditEvent {
            principal: Some(start.principal),
            via: "start".into(),
            action: "grant_role",
            debate: None,
            target: None,
            result: "ok".into(),
            address: None,
        };
        shared.journal.grant(debate, start.principal, DebateRole::Owner, None, audit).await?;
    }
    Ok(())
}

/// What a debate may cost that a person extends, within the quota of the person who started it; in US dollars, as it
/// is asked for.
pub(crate) async fn raise(
    shared: &State,
    visitor: Visitor,
    debate: &DebateId,
    max_cost: Option<f64>,
) -> Result<Option<f64>, Refusal> {
    let Some(person) = visitor.person.filter(|_| shared.accounts.is_some()) else { return Ok(max_cost) };
    let of = Arc::clone(shared);
    let quotas = move |owner: PrincipalId| quotas_of(&of, owner);
    let allowed = shared.journal.raise_start(debate, person, quotas, max_cost.map(micro)).await;
    let allowed = allowed.map_err(|error: AccountError| Refusal::from(error))?;
    // A limit that nobody asked to raise stays as the debate has it.
    Ok(allowed.filter(|_| max_cost.is_some()).map(|cost| cost as f64 / MICRO))
}

fn quotas_of(shared: &State, person: PrincipalId) -> Quotas {
    let known = shared.journal.principal(person).ok().flatten();
    match (&shared.accounts, known) {
        (Some(accounts), Some(known)) => accounts.quotas(&known),
        (Some(accounts), None) => accounts.config.quotas.quotas(),
        (None, _) => Quotas::default(),
    }
}
