//! Quotas: a debate is counted before it is opened, and owned by the person who opens it.

use std::sync::Arc;

use agon_app::OpeningRequest;
use agon_core::DebateId;
use agon_journal::accounts::{
    AuditEvent, DebateRole, PrincipalId, PrincipalState, Quotas, RaisedStart, StartReservation,
};

use crate::{Refusal, State, visitor::Visitor};

/// A US dollar in its millionths.
const MICRO: f64 = 1e6;

fn to_microusd(cost: f64) -> u64 {
    (cost.max(0.0) * MICRO).round() as u64
}

/// Counts a debate that a person is about to open, and limits what it may cost to what the person's quota leaves.
/// `None` where nobody counts.
pub(crate) async fn reserve_start(
    shared: &State,
    visitor: Visitor,
    opening: &mut OpeningRequest,
) -> Result<Option<StartReservation>, Refusal> {
    let (Some(accounts), Some(person)) = (&shared.accounts, visitor.person) else { return Ok(None) };
    let known = shared.journal.find_principal(person)?.filter(|known| known.state == PrincipalState::Active);
    let quotas = known.map(|known| accounts.person_quotas(&known)).ok_or_else(super::not_permitted)?;
    let wanted = opening.budget.max_cost.map(to_microusd);
    let start = shared.journal.reserve_start(person, quotas, wanted).await?;
    if quotas.cost_microusd.is_some() {
        opening.budget.max_cost = start.cost_max.map(|cost| cost as f64 / MICRO);
    }
    Ok(Some(start))
}

/// The debate was opened, and the person owns it; or it was not, and does not count.
pub(crate) async fn settle_start(
    shared: &State,
    start: Option<StartReservation>,
    opened: Result<&DebateId, &Refusal>,
) -> Result<(), Refusal> {
    let Some(start) = start else { return Ok(()) };
    shared.journal.settle_start(start, opened.ok()).await?;
    if let Ok(debate) = opened {
        let principal = Some(start.principal);
        let audit = AuditEvent { principal, ..super::new_audit_event("start", "grant_role") };
        shared.journal.grant_role(debate, start.principal, DebateRole::Owner, None, audit).await?;
    }
    Ok(())
}

/// Lets a debate cost what a person extends it to, within the quota of the person who started it: `max_cost` in US dollars,
/// which becomes what it may cost. Gives what is to be undone if the debate is not extended after all.
pub(crate) async fn raise_start_limit(
    shared: &State,
    visitor: Visitor,
    debate: &DebateId,
    max_cost: &mut Option<f64>,
) -> Result<Option<RaisedStart>, Refusal> {
    let Some(person) = visitor.person.filter(|_| shared.accounts.is_some()) else { return Ok(None) };
    let of = Arc::clone(shared);
    let quotas = move |owner: PrincipalId| quotas_of(&of, owner);
    let allowed = shared.journal.raise_start(debate, person, quotas, (*max_cost).map(to_microusd)).await?;
    // A limit that nobody asked to raise stays as the debate has it, if it has one.
    let record = shared.journal.read_record(debate)?;
    if max_cost.is_some() || agon_runtime::drive::current_limits(&record).cost_microusd_max.is_none() {
        *max_cost = allowed.cost_max.map(|cost| cost as f64 / MICRO);
    }
    Ok(Some(allowed))
}

fn quotas_of(shared: &State, person: PrincipalId) -> Quotas {
    let known = shared.journal.find_principal(person).ok().flatten();
    match (&shared.accounts, known) {
        (Some(accounts), Some(known)) => accounts.person_quotas(&known),
        (Some(accounts), None) => accounts.config.quotas.to_quotas(),
        (None, _) => Quotas::default(),
    }
}
