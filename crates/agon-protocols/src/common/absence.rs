//! Seats that do not answer, and broken rules without consequence: both are always recorded.

use agon_core::{Absent, AbsentSeat, Floor, Flow, Lost, Ruling, RulingKind, Seat, Warnings};

/// Rules that `seat` gave no usable answer to what was asked under `key`; `name` is what readers
/// call it.
pub fn rule_absent(floor: &mut Floor<'_>, seat: &Seat, name: &str, key: &str, lost: &Lost) -> Flow<Absent> {
    let why = lost.to_string();
    let text = format!("{name} did not answer: {why}");
    let ruling = Ruling::new(RulingKind::Absent, text).with_data(AbsentSeat { seat: seat.clone() });
    floor.record_ruling(format!("{key}/absent"), ruling)?;
    Ok(Absent { seat: seat.clone(), why })
}

/// Rules that what was said under `key` stands in spite of `warnings`; nothing where there are none.
pub fn record_warnings(floor: &mut Floor<'_>, key: &str, of: &str, warnings: &[String]) -> Flow<()> {
    if warnings.is_empty() {
        return Ok(());
    }
    floor.rule_by(format!("{key}/warned"), || {
        let data = Warnings { of: of.to_owned(), warnings: warnings.to_vec() };
        Ruling::new(RulingKind::Warned, warnings.join("; ")).with_data(data)
    })
}
