//! The limit of an answer that was cut off there: the next attempt has twice the room.

use agon_core::FailureKind;

use super::Attempts;
use crate::drive::prepare::priced_worst_case;

impl Attempts<'_> {
    /// Doubles the limit where the answer was cut off there, unless it is fixed.
    pub(super) fn widen_limit(&mut self, ended: FailureKind) {
        let limit = self.prepared.call.tokens_max;
        if ended == FailureKind::Truncated && self.seated.participant.thinking_room().is_some() {
            self.limit_before = Some(limit);
            self.set_limit(limit.saturating_mul(2));
        }
    }

    /// Takes the limit back that was doubled, where the budget or the model has no room for that.
    pub(super) fn restore_limit(&mut self) -> bool {
        let Some(limit) = self.limit_before.take() else { return false };
        self.set_limit(limit);
        true
    }

    fn set_limit(&mut self, tokens_max: u32) {
        self.prepared.call.tokens_max = tokens_max;
        self.update_reservation();
    }

    /// Reserves for the next attempt what the call can use as it is now.
    pub(super) fn update_reservation(&mut self) {
        self.prepared.worst = priced_worst_case(&self.prepared.call, self.seated);
        if let Some(reservation) = &mut self.reservation {
            reservation.take_worst(&self.prepared.worst);
        }
    }
}
