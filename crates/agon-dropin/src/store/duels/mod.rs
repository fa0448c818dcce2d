//! Duels whose participants write the artifact themselves: who takes part, and who holds the lock.
//!
//! Everything is decided within one immediate transaction, so that of any number of processes
//! exactly one gets a lock. Every function takes the time; none reads a clock.

mod identity;
mod lock;
mod search;
mod sighting;

use std::path::{Path, PathBuf};

use agon_journal::time::to_stamp;
use agon_journal::{JournalError, sqlite, uuid};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

pub use self::{
    identity::{Identity, Target},
    lock::{LEASE, LockAnswer, RETRY_AFTER_SECONDS},
    search::{DuelLine, list_duels, of_artifact},
    sighting::{ArtifactReport, ArtifactSnapshot},
};

use super::receipts::RequestReceipt;

/// How many take part.
pub const PARTICIPANTS: usize = 2;

/// Why a request about a duel failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DuelError {
    /// It names what does not exist or may not be.
    #[error("{0}")]
    Refused(String),
    /// The store cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl From<DuelError> for String {
    fn from(error: DuelError) -> Self {
        error.to_string()
    }
}

/// Whether a duel is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "String", rename_all = "UPPERCASE")]
pub enum DuelStatus {
    /// It continues.
    Active,
    /// It is over, and its artifact says how.
    Closed,
}

impl From<String> for DuelStatus {
    fn from(stored: String) -> Self {
        if stored == "ACTIVE" { Self::Active } else { Self::Closed }
    }
}

/// A duel.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredDuel {
    /// A UUID.
    pub id: String,
    /// The source document, links followed.
    pub target_path: String,
    /// What no two active duels share.
    pub target_key: String,
    /// What it is about.
    pub topic: Option<String>,
    /// The topic as a part of file names.
    pub topic_slug: Option<String>,
    /// Where its artifact is written.
    pub debate_path: Option<String>,
    /// Whether it continues.
    pub status: DuelStatus,
    /// The participant that holds the lock.
    pub current_owner_id: Option<String>,
    /// What proves it.
    pub lease_token: Option<String>,
    /// Until when.
    pub lease_expires_at: Option<String>,
    /// When it was opened.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// One who takes part.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DuelParticipant {
    /// A UUID.
    pub id: String,
    /// The duel.
    pub duel_id: String,
    /// How it calls itself.
    pub display_name: String,
    /// The program it runs in.
    pub harness: String,
    /// The model behind it.
    pub model_id: String,
    /// When it joined.
    pub joined_at: String,
    /// When it last joined.
    pub last_seen_at: String,
}

/// A duel as it stands, participants in the order in which they joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuelSnapshot {
    /// The duel.
    pub duel: StoredDuel,
    /// Who takes part.
    pub participants: Vec<DuelParticipant>,
}

/// Who wants to take part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joiner {
    /// How it calls itself.
    pub name: String,
    /// The program it runs in.
    pub harness: String,
    /// The model behind it.
    pub model: String,
}

/// Reads an artifact; `None` if there is none.
pub type Look<'l> = &'l dyn Fn(&Path) -> Option<ArtifactSnapshot>;

/// The duels of the journal that other systems' programs keep through agon.
pub struct Duels<'r> {
    path: PathBuf,
    db: Connection,
    receipt: Option<&'r RequestReceipt>,
}

/// What ends a transaction without effect.
enum TransactionFault {
    Sql(rusqlite::Error),
    Refused(String),
}

impl From<rusqlite::Error> for TransactionFault {
    fn from(error: rusqlite::Error) -> Self {
        TransactionFault::Sql(error)
    }
}

impl<'r> Duels<'r> {
    /// The duels of the journal in the data directory `home`.
    pub fn open(home: &Path) -> Result<Self, DuelError> {
        let (path, db) = sqlite::open_journal(home)?;
        Ok(Self { path, db, receipt: None })
    }

    /// The same, for one request: what it changes for good, it changes once.
    pub fn open_for(receipt: &'r RequestReceipt) -> Result<Self, DuelError> {
        Ok(Self { receipt: Some(receipt), ..Self::open(receipt.home())? })
    }

    /// Takes part in the active duel of this identity, which is opened where there is none. The same
    /// name, harness and model are the same participant. `today` is a part of a new artifact's name.
    pub fn join_duel(
        &mut self,
        identity: &Identity,
        joiner: &Joiner,
        now: Timestamp,
        today: &str,
    ) -> Result<(DuelSnapshot, String), DuelError> {
        let [duel_id, participant_id] = [self.new_id()?, self.new_id()?];
        let at = to_stamp(now).0;
        self.run_transaction(|tx| {
            let known = format!("{DUEL} WHERE target_key = ? AND status = 'ACTIVE'");
            let known = tx.query_row(&known, params![identity.target.key], |row| row.get(0)).optional()?;
            let duel_id = match known {
                Some(id) => id,
                None => {
                    let artifact = identity.choose_artifact_path(today, |path| is_path_taken(tx, path));
                    tx.execute(
                        "INSERT INTO duels (id, target_path, target_key, topic, topic_slug, debate_path, status, created_at, updated_at)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'ACTIVE', ?7, ?7)",
                        params![duel_id, identity.target.path, identity.target.key, identity.topic, identity.slug, artifact, at],
                    )?;
                    duel_id
                }
            };
            let joined = load_participants(tx, &duel_id)?;
            let same = joined.iter().find(|known| {
                (&known.display_name, &known.harness, &known.model_id) == (&joiner.name, &joiner.harness, &joiner.model)
            });
            let participant_id = match same {
                Some(same) => {
                    tx.execute("UPDATE duel_participants SET last_seen_at = ?2 WHERE id = ?1", params![same.id, at])?;
                    same.id.clone()
                }
                None if joined.len() >= PARTICIPANTS => {
                    return Err(TransactionFault::Refused(
                        "Active Socratic Duel already has two participants; resume with an existing participant identity".into(),
                    ));
                }
                None => {
                    tx.execute(
                        "INSERT INTO duel_participants (id, duel, display_name, harness, model_id, joined_at, last_seen_at)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
                        params![participant_id, duel_id, joiner.name, joiner.harness, joiner.model, at],
                    )?;
                    participant_id
                }
            };
            tx.execute("UPDATE duels SET updated_at = ?2 WHERE id = ?1", params![duel_id, at])?;
            Ok((load_snapshot(tx, &duel_id)?, participant_id))
        })
    }

    /// A duel as it stands, an expired lock cleared.
    pub fn load_status(&mut self, duel: &str, now: Timestamp) -> Result<DuelSnapshot, DuelError> {
        self.run_transaction(|tx| lock::clear_expired_lock(tx, duel, now))
    }

    /// The active duel of a target.
    pub fn status_of_target(&mut self, key: &str, now: Timestamp) -> Result<DuelSnapshot, DuelError> {
        self.run_transaction(|tx| {
            let id = "SELECT id FROM duels WHERE target_key = ? AND status = 'ACTIVE'";
            let id: Option<String> = tx.query_row(id, params![key], |row| row.get(0)).optional()?;
            let id = id.ok_or_else(|| TransactionFault::Refused(format!("No active duel found for target: {key}")))?;
            lock::clear_expired_lock(tx, &id, now)
        })
    }

    /// Does `work` in one immediate transaction.
    fn run_transaction<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, TransactionFault>,
    ) -> Result<T, DuelError> {
        let done = self.db.transaction_with_behavior(TransactionBehavior::Immediate);
        let done = done.map_err(TransactionFault::Sql).and_then(|tx| {
            let value = work(&tx)?;
            tx.commit()?;
            Ok(value)
        });
        done.map_err(|fault| match fault {
            TransactionFault::Refused(why) => DuelError::Refused(why),
            TransactionFault::Sql(error) => JournalError::sqlite(&self.path, error).into(),
        })
    }

    fn new_id(&self) -> Result<String, DuelError> {
        uuid::random_uuid().map_err(|error| JournalError::io(&self.path, error).into())
    }
}

const DUEL: &str = "SELECT id, target_path, target_key, topic, topic_slug, debate_path, status, current_owner_id, lease_token, lease_expires_at, created_at, updated_at FROM duels";

fn load_participants(db: &Connection, duel: &str) -> rusqlite::Result<Vec<DuelParticipant>> {
    let mut rows = db.prepare_cached(
        "SELECT id, duel, display_name, harness, model_id, joined_at, last_seen_at FROM duel_participants
         WHERE duel = ? ORDER BY joined_at, number",
    )?;
    rows.query_map(params![duel], sqlite::read_row)?.collect()
}

fn load_snapshot(db: &Connection, id: &str) -> Result<DuelSnapshot, TransactionFault> {
    let found = db.query_row(&format!("{DUEL} WHERE id = ?"), params![id], sqlite::read_row).optional()?;
    let duel = found.ok_or_else(|| TransactionFault::Refused(format!("Duel not found: {id}")))?;
    Ok(DuelSnapshot { duel, participants: load_participants(db, id)? })
}

/// Whether an artifact may not be written at `path`: one is there, or a duel has it.
fn is_path_taken(db: &Connection, path: &Path) -> bool {
    let owned = db.query_row("SELECT 1 FROM duels WHERE debate_path = ?", params![path.to_string_lossy()], |_| Ok(()));
    // A path that cannot be asked about is not given away.
    path.symlink_metadata().is_ok() || !matches!(owned, Err(rusqlite::Error::QueryReturnedNoRows))
}
