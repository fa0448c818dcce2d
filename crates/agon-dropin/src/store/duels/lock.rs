//! The lock of a duel: taken for fifteen minutes, kept on, given back. Who holds it proves so with a
//! token; an expired lock is nobody's, and its token is worth nothing from then on.

use agon_journal::time::to_stamp;
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    DuelError, DuelSnapshot, DuelStatus, Duels, Look, PARTICIPANTS, TransactionFault, load_snapshot, sighting,
};

/// How long a lock is held.
pub const LEASE: SignedDuration = SignedDuration::from_mins(15);
/// When someone who was refused may ask again.
pub const RETRY_AFTER_SECONDS: u32 = 30;

const CLOSED: &str = "Duel lock context is closed";

/// Why a lock is not given back by who waited for the other one: the lock is still held.
const PEER_CAME: &str = "TIMEOUT cannot close this duel: a second participant is present; go on with the debate";

/// The answer to a request for the lock, or to keep it, or to give it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockAnswer {
    /// The duel as it stands now.
    pub now: DuelSnapshot,
    /// Why it was refused; `None` where it was granted.
    pub reason: Option<&'static str>,
}

impl LockAnswer {
    /// Whether the other one came while this one waited, so that the debate continues.
    pub fn has_peer_come(&self) -> bool {
        self.reason == Some(PEER_CAME)
    }
}

impl Duels<'_> {
    /// Takes the lock. Alone it is granted only `for_timeout`, to write down that nobody came.
    pub fn claim_lock(
        &mut self,
        duel: &str,
        participant: &str,
        for_timeout: bool,
        now: Timestamp,
        look: Look<'_>,
    ) -> Result<LockAnswer, DuelError> {
        let token = self.new_id()?;
        let receipt = self.receipt;
        self.run_transaction(|tx| {
            check_membership(tx, duel, participant)?;
            let stands = clear_expired_lock(tx, duel, now)?;
            // Only who was never told its token is told it again.
            let granted = receipt.map_or(Ok(None), |receipt| receipt.find_result(tx, now))?;
            if granted.is_some() && granted == stands.duel.lease_token {
                return Ok(LockAnswer { now: stands, reason: None });
            }
            let reason = if stands.duel.status == DuelStatus::Closed {
                Some(CLOSED)
            } else if stands.participants.len() < PARTICIPANTS && !for_timeout {
                Some("Waiting for a second participant")
            } else {
                stands.duel.current_owner_id.as_ref().map(|owner| match owner == participant {
                    true => "Participant already owns an active lock; use refresh-lock",
                    false => "Peer owns an unexpired lock",
                })
            };
            if reason.is_some() {
                return Ok(LockAnswer { now: stands, reason });
            }
            tx.execute(
                "UPDATE duels SET current_owner_id = ?2, lease_token = ?3, lease_expires_at = ?4, updated_at = ?5 WHERE id = ?1",
                params![duel, participant, token, to_stamp(now + LEASE).0, to_stamp(now).0],
            )?;
            sighting::record_sighting(tx, &stands.duel, participant, "claim", None, now, look)?;
            receipt.map_or(Ok(()), |receipt| receipt.record_result(tx, &token, now))?;
            Ok(LockAnswer { now: load_snapshot(tx, duel)?, reason })
        })
    }

    /// Keeps the lock for another lease.
    pub fn refresh_lock(
        &mut self,
        duel: &str,
        participant: &str,
        token: &str,
        now: Timestamp,
    ) -> Result<LockAnswer, DuelError> {
        self.run_transaction(|tx| {
            check_membership(tx, duel, participant)?;
            let held = load_snapshot(tx, duel)?;
            let stands = clear_expired_lock(tx, duel, now)?;
            let reason = if stands.duel.status == DuelStatus::Closed {
                Some(CLOSED)
            } else if !is_lock_owner(&held, participant, Some(token)) {
                Some("Participant does not own this lock token")
            } else if stands.duel.current_owner_id.is_none() {
                Some("Current lock has expired")
            } else {
                None
            };
            if reason.is_some() {
                return Ok(LockAnswer { now: stands, reason });
            }
            tx.execute(
                "UPDATE duels SET lease_expires_at = ?2, updated_at = ?3 WHERE id = ?1",
                params![duel, to_stamp(now + LEASE).0, to_stamp(now).0],
            )?;
            Ok(LockAnswer { now: load_snapshot(tx, duel)?, reason })
        })
    }

    /// Gives the lock back, and closes the duel with it where `close` says so; `outcome` is what it is
    /// closed as.
    #[allow(clippy::too_many_arguments)] // The request of a verb, flag by flag.
    pub fn release_lock(
        &mut self,
        duel: &str,
        participant: &str,
        token: Option<&str>,
        close: bool,
        outcome: Option<&str>,
        now: Timestamp,
        look: Look<'_>,
    ) -> Result<LockAnswer, DuelError> {
        let receipt = self.receipt;
        self.run_transaction(|tx| {
            check_membership(tx, duel, participant)?;
            let stands = clear_expired_lock(tx, duel, now)?;
            if receipt.map_or(Ok(None), |receipt| receipt.find_result(tx, now))?.is_some() {
                return Ok(LockAnswer { now: stands, reason: None });
            }
            let owner = is_lock_owner(&stands, participant, token);
            let reason = if stands.duel.status == DuelStatus::Closed {
                Some(CLOSED)
            } else if close && !owner {
                Some("Closing a duel requires an active lock owned by this participant")
            } else if close && outcome == Some("TIMEOUT") && stands.participants.len() >= PARTICIPANTS {
                Some(PEER_CAME)
            } else if stands.duel.current_owner_id.is_some() && !owner {
                Some("Participant does not own this active lock")
            } else if !owner {
                Some("No active lock to release")
            } else {
                None
            };
            if reason.is_some() {
                return Ok(LockAnswer { now: stands, reason });
            }
            tx.execute(
                "UPDATE duels SET status = ?2, current_owner_id = NULL, lease_token = NULL, lease_expires_at = NULL, updated_at = ?3 WHERE id = ?1",
                params![duel, if close { "CLOSED" } else { "ACTIVE" }, to_stamp(now).0],
            )?;
            let moment = if close { "close" } else { "release" };
            sighting::record_sighting(tx, &stands.duel, participant, moment, outcome, now, look)?;
            receipt.map_or(Ok(()), |receipt| receipt.record_result(tx, moment, now))?;
            Ok(LockAnswer { now: load_snapshot(tx, duel)?, reason })
        })
    }
}

fn is_lock_owner(stands: &DuelSnapshot, participant: &str, token: Option<&str>) -> bool {
    let duel = &stands.duel;
    duel.current_owner_id.as_deref() == Some(participant) && token.is_some() && duel.lease_token.as_deref() == token
}

fn check_membership(db: &Connection, duel: &str, participant: &str) -> Result<(), TransactionFault> {
    let of = "SELECT duel FROM duel_participants WHERE id = ?";
    let of: Option<String> = db.query_row(of, params![participant], |row| row.get(0)).optional()?;
    match of {
        None => Err(TransactionFault::Refused(format!("Participant not found: {participant}"))),
        Some(of) if of != duel => Err(TransactionFault::Refused("Participant does not belong to this duel".into())),
        Some(_) => Ok(()),
    }
}

/// A duel as it stands `now`: a lock that has expired by then is cleared. Stamps of one form compare
/// as the moments do.
pub(super) fn clear_expired_lock(
    db: &Connection,
    duel: &str,
    now: Timestamp,
) -> Result<DuelSnapshot, TransactionFault> {
    let cleared = db.execute(
        "UPDATE duels SET current_owner_id = NULL, lease_token = NULL, lease_expires_at = NULL, updated_at = ?2
         WHERE id = ?1 AND lease_expires_at <= ?2",
        params![duel, to_stamp(now).0],
    );
    cleared?;
    load_snapshot(db, duel)
}
