//! The host of a debate without a person: it approves the line-up, as `--yes` does.

use agon_core::Usage;
use agon_runtime::participant::{Answer, Call, CallFailure, Deltas, Participant};

/// Says yes.
pub struct Consenting;

#[async_trait::async_trait]
impl Participant for Consenting {
    async fn answer(&self, _: &Call, _: &dyn Deltas) -> Result<Answer, CallFailure> {
        Ok(Answer { text: "yes".into(), usage: Some(Usage::default()), model: None, engine: None })
    }
}
