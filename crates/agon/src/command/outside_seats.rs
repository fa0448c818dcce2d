//! What the verbs for seats that are answered from outside share: a debate's desk, and what its
//! refusals mean to a shell.

use agon_app::{Result, declarations::rules, opening::debate_id};
use agon_core::{DebateId, Protocol};
use agon_runtime::{
    outside_seats::{DeskError, OutsideSeats},
    journal::Journal,
};

use super::CommandContext;

/// One debate and where it is kept.
pub struct CommandDebate<'a> {
    hand: &'a CommandContext,
    pub journal: Journal,
    pub id: DebateId,
    pub protocol: &'static dyn Protocol,
}

impl<'a> CommandDebate<'a> {
    /// The debate that a command names.
    pub fn enter(hand: &'a CommandContext, id: &str) -> Result<Self> {
        let id = debate_id(id)?;
        let journal = hand.journal()?;
        let record = journal.read(&id).map_err(DeskError::from)?;
        let protocol = rules(&record)?;
        Ok(Self { hand, journal, id, protocol })
    }

    pub fn desk(&self) -> OutsideSeats<'_> {
        OutsideSeats {
            journal: &self.journal,
            home: &self.hand.places.home,
            debate: &self.id,
            protocol: self.protocol,
        }
    }
}
