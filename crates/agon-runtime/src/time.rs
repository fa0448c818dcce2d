//! The only clock of the program.

use agon_core::Stamp;
use jiff::{Timestamp, Zoned};

/// Now.
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// Now, as a record stamps it.
pub fn stamp() -> Stamp {
    stamped(now())
}

/// A moment as a record stamps it.
pub fn stamped(moment: Timestamp) -> Stamp {
    Stamp(format!("{moment:.3}"))
}

/// Today where the user is, `2026-01-31`.
pub fn today() -> String {
    Zoned::now().date().to_string()
}

/// The day of a stamp, `2026-01-31`.
pub fn date(stamp: &Stamp) -> &str {
    stamp.0.get(..10).unwrap_or(&stamp.0)
}
