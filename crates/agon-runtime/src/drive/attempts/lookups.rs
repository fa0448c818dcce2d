//! Attempts of a participant that looks things up: each turn is reserved and settled like every other attempt, and does
//! not count as a failure.

use super::Attempts;
use crate::lookups::{LookupTurn, MadeCall, RequestedLookups};

impl Attempts<'_> {
    /// Looks up what the participant called for, and makes the next attempt one that shows it.
    pub(super) async fn look_up(&mut self, requested: RequestedLookups) {
        let Some(lookups) = &mut self.prepared.call.lookups else { return };
        let RequestedLookups { thoughts, said, calls } = requested;
        let mut results = Vec::with_capacity(calls.len());
        for call in calls {
            let text = lookups.desk.look_up(&call.name, &call.arguments).await;
            results.push(MadeCall { call, text });
        }
        lookups.turns.push(LookupTurn { thoughts, said, results });
        self.update_reservation();
    }

    /// Lets the participant end with what it has looked up, where it could look further.
    pub(super) fn close_lookups(&self) -> bool {
        let open = self
            .prepared
            .call
            .lookups
            .as_ref()
            .filter(|lookups| !lookups.turns.is_empty() && !lookups.desk.is_closed());
        open.inspect(|lookups| lookups.desk.close()).is_some()
    }
}
