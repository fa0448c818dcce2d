//! Somebody outside this program who answers as an outside seat: a person, an agent, another program.

use super::{Answer, Call, CallFailure, Deltas, Participant, Probe};

/// Nobody that can be called: the driver waits until an answer is on the record.
pub struct Outside;

#[async_trait::async_trait]
impl Participant for Outside {
    async fn answer(&self, _: &Call, _: &dyn Deltas) -> Result<Answer, CallFailure> {
        let message = "this seat is answered from outside".into();
        Err(CallFailure::Unavailable { message, remedy: "agon seats shows how".into() })
    }

    async fn probe(&self) -> Result<Probe, CallFailure> {
        Ok(Probe::Ready)
    }

    fn is_outside(&self) -> bool {
        true
    }
}
