//! The participant of an outside seat: a person, an agent or another program answers.

use super::{Answer, Call, CallFailure, Deltas, Participant};

/// The participant of an outside seat. It is never called: the driver waits for an answer on the record.
pub struct Outside;

#[async_trait::async_trait]
impl Participant for Outside {
    async fn answer(&self, _: &Call, _: &dyn Deltas) -> Result<Answer, CallFailure> {
        let message = "this seat is answered from outside".into();
        Err(CallFailure::Unavailable { message, remedy: "agon seats shows how".into() })
    }

    fn is_outside(&self) -> bool {
        true
    }
}
