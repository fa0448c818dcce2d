//! The only clock of the program.

use agon_core::Stamp;
use jiff::Timestamp;

/// Now, as a record stamps it.
pub fn stamp() -> Stamp {
    Stamp(format!("{:.3}", Timestamp::now()))
}

/// The moment `seconds` after `moment`.
pub fn after(moment: &Stamp, seconds: u32) -> Stamp {
    let from = moment.0.parse().unwrap_or_else(|_| Timestamp::now());
    let later = from.checked_add(jiff::SignedDuration::from_secs(seconds.into())).unwrap_or(from);
    Stamp(format!("{later:.3}"))
}

/// The day of a stamp, `2026-01-31`.
pub fn date(stamp: &Stamp) -> &str {
    stamp.0.get(..10).unwrap_or(&stamp.0)
}
