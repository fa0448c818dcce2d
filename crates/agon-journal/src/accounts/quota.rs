//! How much a person may start. Quotas are checked before a debate is opened, in the transaction that counts it.

use agon_core::{DebateId, Stamp};
use serde::Serialize;

use super::PrincipalId;

/// Limits of what one person starts; no limit where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Quotas {
    /// Debates that are started within 24 hours.
    pub debates_per_day: Option<u32>,
    /// Debates that are open at a time.
    pub open_debates: Option<u32>,
    /// What the debates of 30 days may cost, in millionths of a US dollar.
    pub cost_microusd: Option<u64>,
}

impl Quotas {
    /// These, with `default` where there is none.
    pub fn with_defaults(self, default: Self) -> Self {
        Self {
            debates_per_day: self.debates_per_day.or(default.debates_per_day),
            open_debates: self.open_debates.or(default.open_debates),
            cost_microusd: self.cost_microusd.or(default.cost_microusd),
        }
    }
}

/// A debate that counts already and has not been opened yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartReservation {
    /// Number of its row.
    pub number: i64,
    /// The person.
    pub principal: PrincipalId,
    /// What it may cost at most, in millionths of a US dollar, where the person has a quota of money.
    pub cost_max: Option<u64>,
}

/// A debate that may cost more from now on, and what is put back where it is not extended after all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaisedStart {
    pub(crate) debate: DebateId,
    /// What it may cost in all, in millionths of a US dollar; `None` for no limit.
    pub cost_max: Option<u64>,
    /// When that was written, if it was.
    pub(crate) written: Option<Stamp>,
    /// What stood there before: the limit, and when it was written.
    pub(crate) before: Option<(Option<u64>, Stamp)>,
}
