//! Somebody outside this program who answers through the desk: a person, an agent, another program.

use super::{Answer, Call, Deltas, Failure, Participant, Probe};

/// Nobody that can be called: the driver waits until an answer is on the record.
pub struct Outside;

#[async_trait::async_trait]
impl Participant for Outside {
    async fn answer(&self, _: &Call, _: &dyn Deltas) -> Result<Answer, Failure> {
        let message = "this seat is answered from outside".into();
        Err(Failure::Unavailable { message, remedy: "agon seats shows how".into() })
    }

    async fn probe(&self) -> Result<Probe, Failure> {
        Ok(Probe::Ready)
    }

    fn is_outside(&self) -> bool {
        true
    }
}
