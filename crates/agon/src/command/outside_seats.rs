//! What the verbs for seats that are answered from outside share: a debate, and what its
//! refusals mean to a shell.

use agon_app::{Result, declarations::find_rules};
use agon_core::{DebateId, Protocol};
use agon_journal::Journal;
use agon_runtime::outside_seats::{OutsideSeatError, OutsideSeats};

use super::{CommandContext, debate_id};

/// A debate with its journal, for the commands of outside seats.
pub struct CommandDebate<'a> {
    command_context: &'a CommandContext,
    pub journal: Journal,
    pub id: DebateId,
    pub protocol: &'static dyn Protocol,
}

impl<'a> CommandDebate<'a> {
    /// The debate that a command names.
    pub fn open(command_context: &'a CommandContext, id: &str) -> Result<Self> {
        let journal = command_context.open_journal()?;
        let id = debate_id::find_debate(&journal, id)?;
        let record = journal.read_record(&id).map_err(OutsideSeatError::from)?;
        let protocol = find_rules(&record)?;
        Ok(Self { command_context, journal, id, protocol })
    }

    pub fn outside_seats(&self) -> OutsideSeats<'_> {
        OutsideSeats {
            journal: &self.journal,
            home: &self.command_context.places.home,
            debate: &self.id,
            protocol: self.protocol,
        }
    }
}
