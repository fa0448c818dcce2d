//! Leases: who holds an outside seat, and until when.
//!
//! A lease is a hint for people and agents; what excludes is the check of its token in the
//! transaction that appends. A token is shown once and stored as its digest.

use agon_core::{Answered, Answerer, DebateId, Digest, Entry, Event, Key, Reply, Request, Seat, ShownPassage, Stamp};
use serde::Serialize;

use super::{
    Append, Journal, Result, append, pending_lookups,
    storage::{SqlRow, StoreConnection},
};
use crate::{
    accounts::{AccountSecret, PrincipalId},
    time::{add_seconds, current_stamp},
};

/// Longest lease, in seconds.
pub const LEASE_SECONDS_MAX: u32 = 3600;
/// A lease that nobody asked to be longer or shorter, in seconds.
pub const LEASE_SECONDS: u32 = 900;

/// A seat that someone holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lease {
    /// The seat.
    pub seat: Seat,
    /// Who, as they call themselves.
    pub holder: String,
    /// Grows with every claim of the seat.
    pub fence: u64,
    /// The first moment at which it is no longer held.
    pub until: Stamp,
}

/// A seat that was claimed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeatClaim {
    /// What proves it; shown this once.
    pub token: String,
    /// The lease.
    #[serde(flatten)]
    pub lease: Lease,
}

/// An answer that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// What it answers.
    pub key: Key,
    /// The entry that holds it.
    pub seq: u64,
    /// Digest of its text.
    pub digest: Digest,
}

/// Why a claim or an answer of an outside seat is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// Someone else holds the seat.
    #[error("{} is held by {} until {}", .0.seat, .0.holder, .0.until.0)]
    Held(Lease),
    /// The lease ran out.
    #[error("the lease of {} expired at {}", .0.seat, .0.until.0)]
    Expired(Lease),
    /// The token is not that of this seat's last claim in this debate.
    #[error("this token does not hold the seat {0}")]
    Token(Seat),
    /// Another answer stands.
    #[error("{} was already answered, by entry {}", .0.key, .0.seq)]
    Answered(Receipt),
    /// Nothing is open under this key at this seat.
    #[error("{0} is not open")]
    NotOpen(Key),
}

type Decided<T> = Result<T, Denied>;

impl Journal {
    /// Gives the seat to `holder` for `seconds`, unless someone holds it.
    pub async fn claim_seat(
        &self,
        debate: &DebateId,
        seat: &Seat,
        holder: &str,
        seconds: u32,
    ) -> Result<Decided<SeatClaim>> {
        // Without randomness of the system no seat is given: the empty token matches nothing.
        let token = AccountSecret::random("").map_or_else(String::new, |secret| secret.text().to_owned());
        let (seat, holder) = (seat.clone(), holder.to_owned());
        self.transact_leases(debate, move |leases| {
            let now = leases.db.now()?;
            let before = leases.find_last_lease(&seat)?;
            if let Some((lease, _)) = before.clone().filter(|(lease, _)| lease.until > now) {
                return Ok(Err(Denied::Held(lease)));
            }
            let fence = before.map_or(1, |(lease, _)| lease.fence + 1);
            let until = add_seconds(&now, seconds.min(LEASE_SECONDS_MAX));
            let lease = Lease { seat: seat.clone(), holder: holder.clone(), fence, until };
            leases.write_lease(&lease, Digest::from_content(&token).as_str())?;
            Ok(Ok(SeatClaim { token: token.clone(), lease }))
        })
        .await
    }

    /// Holds the seat for `seconds` from now.
    pub async fn refresh_lease(
        &self,
        debate: &DebateId,
        seat: &Seat,
        token: &str,
        seconds: u32,
    ) -> Result<Decided<Lease>> {
        self.set_lease_end(debate, seat, token, move |now| add_seconds(now, seconds.min(LEASE_SECONDS_MAX))).await
    }

    /// Gives the seat back.
    pub async fn release_seat(&self, debate: &DebateId, seat: &Seat, token: &str) -> Result<Decided<Lease>> {
        self.set_lease_end(debate, seat, token, Stamp::clone).await
    }

    /// Gives a seat back that `holder` has, for who knows that the process which took it is gone.
    pub async fn vacate_seat(&self, debate: &DebateId, seat: &Seat, holder: &str) -> Result<()> {
        let (debate, seat, holder) = (debate.clone(), seat.clone(), holder.to_owned());
        self.transact(move |db| {
            let leases = Leases { db, debate: &debate };
            match leases.find_last_lease(&seat)? {
                Some((lease, digest)) if lease.holder == holder => {
                    leases.write_lease(&Lease { until: db.now()?, ..lease }, &digest)
                }
                _ => Ok(()),
            }
        })
        .await
    }

    /// Lets the lease that `token` proves end at what `until` makes of this moment.
    async fn set_lease_end(
        &self,
        debate: &DebateId,
        seat: &Seat,
        token: &str,
        until: impl Fn(&Stamp) -> Stamp + Send + 'static,
    ) -> Result<Decided<Lease>> {
        let (seat, token) = (seat.clone(), token.to_owned());
        self.transact_leases(debate, move |leases| {
            let now = leases.db.now()?;
            let lease = match leases.verify_lease(&seat, &token, &now)? {
                Ok(lease) => Lease { until: until(&now), ..lease },
                Err(denied) => return Ok(Err(denied)),
            };
            leases.write_lease(&lease, Digest::from_content(&token).as_str())?;
            Ok(Ok(lease))
        })
        .await
    }

    /// Puts the reply of a seat's holder, whose prompt showed these passages, on the record. The same text again
    /// gets the same receipt.
    pub async fn submit_reply(
        &self,
        debate: &DebateId,
        request: &Request,
        token: &str,
        reply: Reply,
        shown: Vec<ShownPassage>,
    ) -> Result<Decided<Receipt>> {
        let (request, token) = (request.clone(), token.to_owned());
        self.transact_leases(debate, move |leases| {
            let (key, seat) = (&request.key, &request.seat);
            let digest = Digest::from_content(reply.text().unwrap_or_default());
            // A first receipt is given again before the lease is looked at: a client that sends twice
            // because an answer was lost has done nothing wrong.
            if let Some((seq, standing)) = leases.find_answer(key)? {
                let receipt = Receipt { key: key.clone(), seq, digest: Digest::from_content(&standing) };
                let same = receipt.digest == digest;
                return Ok(if same { Ok(receipt) } else { Err(Denied::Answered(receipt)) });
            }
            let lease = match leases.verify_lease(seat, &token, &leases.db.now()?)? {
                Ok(lease) => lease,
                Err(denied) => return Ok(Err(denied)),
            };
            let Some((length, head)) = leases.find_open_head(key)? else {
                return Ok(Err(Denied::NotOpen(key.clone())));
            };
            let by = Answerer::new(format!("outside:{}", lease.holder));
            let lookups = pending_lookups::take_lookups(leases.db, leases.debate, key)?;
            let answered = Answered::new(key.clone(), reply.clone(), by);
            let what = Event::Answered(Answered { shown: shown.clone(), lookups, ..answered });
            let entry = Entry::seal(length, current_stamp(), what, head);
            let append = Append { entries: vec![entry.into()], ..Append::default() };
            append::append_entries(leases.db, leases.debate, &append)?;
            Ok(Ok(Receipt { key: key.clone(), seq: length, digest }))
        })
        .await
    }

    /// The lease that `token` proves now.
    pub async fn verify_lease(&self, debate: &DebateId, seat: &Seat, token: &str) -> Result<Decided<Lease>> {
        let (seat, token) = (seat.clone(), token.to_owned());
        self.transact_leases(debate, move |leases| leases.verify_lease(&seat, &token, &leases.db.now()?)).await
    }

    /// The leases of a debate that are held now.
    pub fn list_leases(&self, debate: &DebateId) -> Result<Vec<Lease>> {
        self.read_store(|db| {
            let sql = "SELECT holder, fence, until, token, seat FROM leases WHERE debate = ?1 ORDER BY seat";
            let rows = db.query(sql, &[&debate])?;
            if rows.is_empty() {
                return Ok(Vec::new());
            }
            let now = db.now()?;
            let mut leases = Vec::new();
            for mut row in rows {
                let Ok(seat) = Seat::new(row.take::<String>(4)?) else { continue };
                leases.push(read_lease(row, &seat)?.0);
            }
            leases.retain(|lease| lease.until > now);
            Ok(leases)
        })
    }

    /// Decides about the leases of a debate in one transaction, which nobody else can write to meanwhile.
    async fn transact_leases<T: Send + 'static>(
        &self,
        debate: &DebateId,
        decide: impl Fn(&Leases<'_>) -> Result<Decided<T>> + Send + 'static,
    ) -> Result<Decided<T>> {
        let debate = debate.clone();
        self.transact(move |db| {
            db.lock_debate(&debate)?;
            decide(&Leases { db, debate: &debate })
        })
        .await
    }
}

/// Ends the leases that a person holds, in one debate or in all: what they may do was taken back.
pub(super) fn end_leases(db: &dyn StoreConnection, debate: Option<&DebateId>, person: PrincipalId) -> Result<()> {
    let sql = "UPDATE leases SET until = ?1 WHERE holder = ?2 AND until > ?1
        AND (CAST(?3 AS TEXT) IS NULL OR debate = ?3)";
    let (now, holder) = (db.now()?, person.on_record());
    db.execute(sql, &[&now, &holder, &debate]).map(drop)
}

/// The leases of one debate, and what they decide about.
struct Leases<'c> {
    db: &'c dyn StoreConnection,
    debate: &'c DebateId,
}

/// The lease of `seat` in a row of its holder, fence, end and token, with the digest of the token.
fn read_lease(row: SqlRow, seat: &Seat) -> Result<(Lease, String)> {
    let (holder, fence, until, token) = row.read()?;
    Ok((Lease { seat: seat.clone(), holder, fence, until }, token))
}

impl Leases<'_> {
    /// The one row that `sql` finds for this debate and `name`.
    fn query_row(&self, sql: &str, name: &str) -> Result<Option<SqlRow>> {
        self.db.query_first(sql, &[&self.debate, &name])
    }

    /// The last lease of a seat, run out or not, and the digest of its token.
    fn find_last_lease(&self, seat: &Seat) -> Result<Option<(Lease, String)>> {
        let sql = "SELECT holder, fence, until, token FROM leases WHERE debate = ?1 AND seat = ?2";
        self.query_row(sql, seat.as_str())?.map(|row| read_lease(row, seat)).transpose()
    }

    /// The lease of a seat that `token` proves and that has not run out.
    fn verify_lease(&self, seat: &Seat, token: &str, now: &Stamp) -> Result<Decided<Lease>> {
        Ok(match self.find_last_lease(seat)? {
            Some((lease, digest)) if !token.is_empty() && digest == Digest::from_content(token).as_str() => {
                if lease.until > *now { Ok(lease) } else { Err(Denied::Expired(lease)) }
            }
            _ => Err(Denied::Token(seat.clone())),
        })
    }

    /// Writes down a lease in place of the seat's last.
    fn write_lease(&self, lease: &Lease, token: &str) -> Result<()> {
        let Lease { seat, holder, fence, until } = lease;
        let sql = "INSERT INTO leases (debate, seat, token, holder, fence, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                   ON CONFLICT (debate, seat) DO UPDATE SET token = excluded.token, holder = excluded.holder,
                   fence = excluded.fence, until = excluded.until";
        self.db.execute(sql, &[&self.debate, seat, &token, holder, fence, until]).map(drop)
    }

    /// The entry and the words under `key`, where it was answered.
    fn find_answer(&self, key: &Key) -> Result<Option<(u64, String)>> {
        let sql = "SELECT line FROM entries WHERE debate = ?1 AND kind = 'answered' AND key = ?2";
        let Some(mut row) = self.query_row(sql, key.as_str())? else { return Ok(None) };
        let entry: Entry = row.take_json(0)?;
        let words = match &entry.what {
            Event::Answered(answered) => answered.reply.text().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        Ok(Some((entry.seq, words)))
    }

    /// Length and head of the debate, where it is not closed and has asked `key`.
    fn find_open_head(&self, key: &Key) -> Result<Option<(u64, Digest)>> {
        let sql = "SELECT length, head FROM debates d WHERE id = ?1 AND outcome IS NULL AND EXISTS
                   (SELECT 1 FROM entries WHERE debate = ?1 AND kind = 'asked' AND key = ?2)";
        self.query_row(sql, key.as_str())?.map(SqlRow::read).transpose()
    }
}
