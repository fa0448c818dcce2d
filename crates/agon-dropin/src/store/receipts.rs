//! Requests that are carried out once, even if their caller is killed before it has the answer.
//!
//! What a request did and its receipt are one transaction; the receipt is taken back when the answer has
//! been given. A process that answers such requests holds one lock of the data directory meanwhile, so a receipt
//! that is found belongs to a process that died: the same request is told what was done then. A second
//! request of the same words, after an answer, is a second request.

use std::{
    cell::Cell,
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
};

use agon_core::Digest;
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use agon_journal::{JournalError, time::to_stamp};

use super::with_journal;

/// How long a request counts as the one that was killed. Later the same words are another wish.
const GOOD_FOR: SignedDuration = SignedDuration::from_mins(15);

const LOCK: &str = "requests.lock";

/// One request, and the lock that its execution holds.
#[derive(Debug)]
pub struct RequestReceipt {
    home: PathBuf,
    request: Digest,
    /// Whether there is something to take back.
    given: Cell<bool>,
    _lock: File,
}

impl RequestReceipt {
    /// Waits for the process that answers a request from the data directory `home`. `request` says the same for
    /// the same request.
    pub fn acquire(home: &Path, request: &str) -> Result<Self, JournalError> {
        std::fs::create_dir_all(home).map_err(|error| JournalError::io(home, error))?;
        let path = home.join(LOCK);
        let mut options = OpenOptions::new();
        let lock = options.read(true).write(true).create(true).truncate(false).open(&path);
        let lock = lock.and_then(|lock| lock.lock().map(|()| lock));
        let lock = lock.map_err(|error| JournalError::io(&path, error))?;
        let (home, request) = (home.to_owned(), Digest::from_content(request));
        Ok(Self { home, request, given: Cell::new(false), _lock: lock })
    }

    /// Where the journal is.
    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    /// What the same request did, of a process that was killed before it could say so.
    pub(super) fn find_result(&self, db: &Connection, now: Timestamp) -> rusqlite::Result<Option<String>> {
        let since = to_stamp(now - GOOD_FOR).0;
        let sql = "SELECT done FROM receipts WHERE request = ? AND at > ?";
        let found = db.query_row(sql, params![self.request.as_str(), since], |row| row.get(0)).optional()?;
        self.given.set(self.given.get() || found.is_some());
        Ok(found)
    }

    /// Notes, in the transaction that does it, what the request did.
    pub(super) fn record_result(&self, db: &Connection, done: &str, now: Timestamp) -> rusqlite::Result<()> {
        db.execute("DELETE FROM receipts WHERE at <= ?", params![to_stamp(now - GOOD_FOR).0])?;
        db.execute(
            "INSERT OR REPLACE INTO receipts (request, done, at) VALUES (?, ?, ?)",
            params![self.request.as_str(), done, to_stamp(now).0],
        )?;
        self.given.set(true);
        Ok(())
    }

    /// To be called when the answer has been given.
    pub fn mark_answered(self) -> Result<(), JournalError> {
        if !self.given.get() {
            return Ok(());
        }
        with_journal(&self.home, |db| {
            // Nobody waits for this to last: a receipt that a power cut brings back grows old.
            db.pragma_update(None, "synchronous", "NORMAL")?;
            db.execute("DELETE FROM receipts WHERE request = ?", params![self.request.as_str()]).map(drop)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_journal::{sqlite, time::now};

    #[test]
    fn a_receipt_is_for_its_request_until_it_is_answered_or_old() {
        let home = tempfile::tempdir().unwrap();
        let (_, db) = sqlite::open_journal(home.path()).unwrap();
        let ask =
            |request: &str, now| RequestReceipt::acquire(home.path(), request).unwrap().find_result(&db, now).unwrap();
        let at = now();
        RequestReceipt::acquire(home.path(), "a").unwrap().record_result(&db, "done", at).unwrap();
        assert_eq!(ask("a", at).as_deref(), Some("done"));
        assert_eq!(ask("b", at), None);
        assert_eq!(ask("a", at + GOOD_FOR), None);
        let again = RequestReceipt::acquire(home.path(), "a").unwrap();
        assert!(again.find_result(&db, at).unwrap().is_some());
        again.mark_answered().unwrap();
        assert_eq!(ask("a", at), None);
    }
}
