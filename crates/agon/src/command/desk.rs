//! What the verbs for seats that are answered from outside share: a debate's desk, and what its
//! refusals mean to a shell.

use agon_core::{DebateId, Protocol};
use agon_runtime::{
    desk::{Desk, DeskError},
    drive::DriveError,
    journal::{Journal, JournalError},
};

use super::{Hand, debate_id};
use crate::{
    declared::rules,
    failure::{Failure, Result, exit},
};

/// One debate and where it is kept.
pub struct Room<'a> {
    hand: &'a Hand,
    pub journal: Journal,
    pub id: DebateId,
    pub protocol: &'static dyn Protocol,
}

impl<'a> Room<'a> {
    /// The debate that a command names.
    pub fn enter(hand: &'a Hand, id: &str) -> Result<Self> {
        let id = debate_id(id)?;
        let journal = hand.journal()?;
        let record = journal.read(&id).map_err(DeskError::from)?;
        let protocol = rules(&record)?;
        Ok(Self { hand, journal, id, protocol })
    }

    pub fn desk(&self) -> Desk<'_> {
        Desk {
            journal: &self.journal,
            home: &self.hand.places.home,
            debate: &self.id,
            protocol: self.protocol,
        }
    }
}

impl From<DeskError> for Failure {
    fn from(error: DeskError) -> Self {
        let code = error.code();
        let mut message = error.to_string();
        if let Some(kept) = error.kept() {
            message.push_str(&format!("; your text is kept at {}", kept.display()));
        }
        let (exit, remedy) = match &error {
            DeskError::NoSuchSeat { debate, .. } => {
                (exit::UNKNOWN, format!("agon seats {debate} shows who is asked"))
            }
            DeskError::Drive(DriveError::Journal(JournalError::NoSuchDebate(_))) => {
                (exit::UNKNOWN, "agon list shows what there is".into())
            }
            DeskError::NotOutside { .. } => {
                (exit::USAGE, "seats whose model is outside are answered so".into())
            }
            DeskError::NotAllowed(_) => (exit::CONFLICT, "agon protocols show says what it takes".into()),
            DeskError::Paused { .. } => (exit::CONFLICT, "agon resume lets it go on".into()),
            DeskError::Unusable(_) => (exit::USAGE, "mend it and send it again".into()),
            DeskError::NotOpen { .. } => (exit::CONFLICT, "agon seats shows whose turn it is".into()),
            DeskError::Closed { .. } => (exit::CONFLICT, "agon extend allows a debate more".into()),
            DeskError::Denied { .. } => (exit::CONFLICT, remedy(code).into()),
            DeskError::Drive(_) => {
                let DeskError::Drive(error) = error else { unreachable!("matched just above") };
                return Self { code, ..Failure::from(error) };
            }
        };
        Self::new(exit, code, message, remedy)
    }
}

fn remedy(code: &str) -> &'static str {
    match code {
        "held" => "wait until then, or ask its holder to release it",
        "expired" => "claim the seat again with agon seats claim, and send the text again",
        "wrong_token" => "use the token of the seat's last claim, or leave --token out",
        _ => "agon seats shows what is asked now",
    }
}
