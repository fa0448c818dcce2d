//! The only clock of the program.

use agon_core::Stamp;
use jiff::Timestamp;

/// Now, as a record stamps it.
pub fn stamp() -> Stamp {
    Stamp(format!("{:.3}", Timestamp::now()))
}

/// The day of a stamp, `2026-01-31`.
pub fn date(stamp: &Stamp) -> &str {
    stamp.0.get(..10).unwrap_or(&stamp.0)
}
