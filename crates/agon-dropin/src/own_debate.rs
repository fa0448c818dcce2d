//! The folder of an open debate of agon's own: what a verb is handed answers what the debate asks, by
//! the module `outside_seats` that every answer from outside goes through.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use agon_app::{FileSet, Frontend, output_folder};
use agon_core::{DebateId, Key, Protocol, Record};
use agon_journal::{DriveLock, Journal, sqlite};
use agon_runtime::outside_seats::OutsideSeats;

use crate::store::receipts::RequestReceipt;

/// Who answers, as leases name it.
const HOLDER: &str = "drop-in verb";
/// How many of the latest debates are looked through for the one of a folder.
const LATEST: u32 = 500;

/// An open debate, and its folder.
pub struct OwnDebate {
    journal: Journal,
    home: PathBuf,
    id: DebateId,
    protocol: &'static dyn Protocol,
    directory: PathBuf,
    /// As it is on record now.
    pub record: Record,
    runtime: tokio::runtime::Runtime,
    /// No other verb answers meanwhile.
    _alone: RequestReceipt,
}

impl OwnDebate {
    /// The debate whose files are in `folder`; `None` where the journal in `home` knows none. One that
    /// is closed, of another protocol than `wanted`, or held by other rules than those of this version, is an error in
    /// one line.
    pub fn find_in_folder(folder: &Path, home: Option<&Path>, wanted: &str) -> Result<Option<Self>, String> {
        // Looking must not make a store where there is none.
        let Some(home) = home.filter(|home| sqlite::has_journal(home)) else { return Ok(None) };
        let Ok(directory) = folder.canonicalize() else { return Ok(None) };
        let journal = Journal::open(home).map_err(|error| error.to_string())?;
        let known = journal.list_debates(LATEST).map_err(|error| error.to_string())?;
        let found = known.into_iter().find(|known| {
            let place = known.directory.as_ref().and_then(|place| place.canonicalize().ok());
            place.is_some_and(|place| place == directory)
        });
        let Some(found) = found else { return Ok(None) };
        let alone = RequestReceipt::acquire(home, found.id.as_str()).map_err(|error| error.to_string())?;
        let id = found.id;
        if found.protocol != wanted {
            return Err(format!("the debate {id} is a {}", found.protocol));
        }
        let record = journal.read_record(&id).map_err(|error| error.to_string())?;
        let protocol = agon_protocols::find_rules(&record).map_err(|error| error.to_string())?;
        if let Some(outcome) = found.outcome {
            return Err(format!("the debate {id} is closed ({outcome}); agon extend {id} continues it"));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        Ok(Some(Self { journal, home: home.to_owned(), id, protocol, directory, record, runtime, _alone: alone }))
    }

    /// Answers what is asked of `seat`, once: the same text again is the same answer. Gives the key of
    /// what was answered, or why it could not be.
    pub fn answer_seat(&mut self, seat: &str, text: &str) -> Result<Key, String> {
        let Self { journal, home, id, protocol, runtime, .. } = self;
        let seats = OutsideSeats { journal, home, debate: id, protocol: *protocol };
        // Whatever verb holds the seat is dead: this one is the only one.
        let sits = seats.find_seat(seat).map_err(|error| error.to_string())?;
        let vacated = runtime.block_on(journal.vacate_seat(id, &sits, HOLDER));
        vacated.map_err(|error| error.to_string())?;
        let receipt = runtime.block_on(seats.answer_as(None, seat, HOLDER, text));
        let receipt = receipt.map_err(|error| error.to_string())?;
        self.record = self.journal.read_record(&self.id).map_err(|error| error.to_string())?;
        Ok(receipt.key)
    }

    /// Whether `text` is what `seat` answered last.
    pub fn is_last_answer(&self, seat: &str, text: &str) -> bool {
        let own = self.record.answers().filter(|(_, answered)| {
            self.record.find_request(&answered.key).is_some_and(|(_, request)| request.seat.as_str() == seat)
        });
        own.last().is_some_and(|(_, answered)| answered.reply.text() == Some(text))
    }

    /// What the answer to `key` broke, where it is asked for again.
    pub fn broken_rules(&self, key: &Key) -> Option<Vec<String>> {
        let mut again = self.record.unanswered_requests().filter_map(|request| request.redraft.as_ref());
        let again = again.find(|redraft| redraft.of == *key)?;
        Some(again.faults.iter().map(|fault| format!("{} {fault}", fault.rule)).collect())
    }

    /// Draws the debate's files, unless the process that drives it does; gives what to tell about them.
    pub fn write_files(&self) -> Result<String, String> {
        let Ok(_lock) = DriveLock::acquire(&self.journal, &self.id) else { return Ok(String::new()) };
        let told = MessageLog::default();
        let left = output_folder::write_debate_files(&self.journal, &self.record, &self.directory, FileSet::All, &told);
        left.map_err(|failure| failure.message)?;
        let told = told.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(told.join("\n"))
    }
}

/// What is told while files are written.
#[derive(Default)]
struct MessageLog(Mutex<Vec<String>>);

impl Frontend for MessageLog {
    fn warn(&self, message: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message.to_owned());
    }

    fn note(&self, _: &str) {}
}
