//! Something that drives debates in place of this process, and what it is asked to do.

use agon_core::DebateId;
use serde::{Deserialize, Serialize};

use crate::{failure::Result, request::SeatRequest};

/// What an engine is asked to do: to drive a debate of the journal that it shares with this process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveOrder {
    /// Which debate.
    pub debate: DebateId,
    /// Models in place of those that the record names.
    #[serde(flatten)]
    pub seats: SeatRequest,
    /// Whether the network may not be used to fetch models and pages.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
}

impl DriveOrder {
    /// To drive `debate` with the models that its record names, except for those of `seats`.
    pub fn new(debate: DebateId, seats: &SeatRequest, offline: bool) -> Self {
        Self { debate, seats: seats.clone(), offline }
    }

    /// The models that it names.
    pub fn seat_request(&self) -> SeatRequest {
        self.seats.clone()
    }
}

/// Something that drives debates of the shared journal on other machines.
#[async_trait::async_trait]
pub trait DebateEngine: Send + Sync {
    /// Where it is, for messages.
    fn address(&self) -> &str;

    /// Whether it can be reached now.
    ///
    /// # Errors
    ///
    /// Why not, with exit code 3.
    async fn check_reachable(&self) -> Result<()>;

    /// Has a debate driven until it closes. It continues there if the future is dropped.
    ///
    /// # Errors
    ///
    /// Why it stopped before its end, or why it could not be begun.
    async fn drive_debate(&self, order: &DriveOrder) -> Result<()>;
}
