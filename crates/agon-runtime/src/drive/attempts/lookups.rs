//! Attempts of a participant that looks things up: each turn is reserved and settled like every other attempt, and does
//! not count as a failure.

use super::Attempts;
use crate::lookups::{LookupTurn, RequestedLookups};

impl Attempts<'_> {
    /// Looks up what the participant called for, and makes the next attempt one that shows it.
    pub(super) async fn look_up(&mut self, requested: RequestedLookups) {
        let Some(lookups) = &mut self.prepared.call.lookups else { return };
        let mut results = Vec::with_capacity(requested.calls.len());
        for call in &requested.calls {
            results.push(lookups.desk.look_up(&call.name, &call.arguments).await);
        }
        lookups.turns.push(LookupTurn { requested, results });
        self.update_reservation();
    }

    /// Lets the participant end with what it has looked up, where it could look further.
    pub(super) fn close_lookups(&self) -> bool {
        let lookups = self.prepared.call.lookups.as_ref();
        let open = lookups.filter(|lookups| !lookups.turns.is_empty() && !lookups.desk.is_closed());
        open.inspect(|lookups| lookups.desk.close()).is_some()
    }
}
