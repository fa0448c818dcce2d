//! The only clock of the program.

use agon_core::Stamp;
use jiff::{Timestamp, ZonedDateTime, civil::Date, tz::TimeZone};

/// Now.
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// Now, as a record stamps it.
pub fn current_stamp() -> Stamp {
    to_stamp(now())
}

/// A moment as a record stamps it.
pub fn to_stamp(moment: Timestamp) -> Stamp {
    Stamp(format!("{moment:.3}"))
}

/// The moment `days` times 24 hours ago, as a record stamps it.
pub fn days_ago(days: u32) -> Stamp {
    let ago = jiff::SignedDuration::from_hours(i64::from(days) * 24);
    to_stamp(now().checked_sub(ago).unwrap_or(Timestamp::MIN))
}

/// Today where the user is, `2026-01-31`.
pub fn today() -> String {
    ZonedDateTime::now().date().to_string()
}

/// The moment `seconds` after `moment`.
pub fn add_seconds(moment: &Stamp, seconds: u32) -> Stamp {
    let from = moment.0.parse().unwrap_or_else(|_| Timestamp::now());
    let later = from.checked_add(jiff::SignedDuration::from_secs(seconds.into())).unwrap_or(from);
    Stamp(format!("{later:.3}"))
}

/// The moment `seconds` before `moment`.
pub fn subtract_seconds(moment: &Stamp, seconds: u32) -> Stamp {
    let from = moment.0.parse().unwrap_or_else(|_| Timestamp::now());
    let earlier = from.checked_sub(jiff::SignedDuration::from_secs(seconds.into())).unwrap_or(from);
    Stamp(format!("{earlier:.3}"))
}

/// A stamp in milliseconds since 1970; `None` if it is not a time.
pub fn epoch_milliseconds(stamp: &Stamp) -> Option<i64> {
    stamp.0.parse().ok().map(|moment: Timestamp| moment.as_millisecond())
}

/// The time of day of a stamp where the user is, `14:03:20`.
pub fn format_local_time(stamp: &Stamp) -> String {
    let moment: Option<Timestamp> = stamp.0.parse().ok();
    moment.map_or_else(
        || stamp.0.clone(),
        |moment| moment.to_zoned_datetime(TimeZone::system()).strftime("%H:%M:%S").to_string(),
    )
}

/// Seconds from now to a stamp; none where it is past.
pub fn seconds_until(stamp: &Stamp) -> u64 {
    let moment: Option<Timestamp> = stamp.0.parse().ok();
    let left = moment.map_or(0, |moment| moment.as_second() - now().as_second());
    left.try_into().unwrap_or(0)
}

/// Seconds since a stamp; none where it is to come.
pub fn seconds_since(stamp: &Stamp) -> u64 {
    let moment: Option<Timestamp> = stamp.0.parse().ok();
    let passed = moment.map_or(0, |moment| now().as_second() - moment.as_second());
    passed.try_into().unwrap_or(0)
}

/// Seconds from one stamp to a later one, with their fractions; `None` if one of them is not a time.
pub fn seconds_between(from: &Stamp, to: &Stamp) -> Option<f64> {
    let [from, to]: [Timestamp; 2] = [from.0.parse().ok()?, to.0.parse().ok()?];
    Some((to.as_millisecond() - from.as_millisecond()).max(0) as f64 / 1e3)
}

/// The moment that a user means: `2026-01-31`, `2026-01-31T12:00:00Z`, or so long ago as `30d`, `12h`.
pub fn parse_moment(text: &str) -> Option<Stamp> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(to_stamp(moment));
    }
    if let Ok(day) = text.parse::<Date>() {
        return Some(to_stamp(day.to_zoned_datetime(TimeZone::system()).ok()?.timestamp()));
    }
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let hours = match unit {
        "d" => number.parse::<u32>().ok()?.checked_mul(24)?,
        "h" => number.parse().ok()?,
        _ => return None,
    };
    let ago = now().checked_sub(jiff::SignedDuration::from_hours(hours.into())).ok()?;
    Some(to_stamp(ago))
}

/// The day of a stamp, `2026-01-31`.
pub fn stamp_date(stamp: &Stamp) -> &str {
    stamp.0.get(..10).unwrap_or(&stamp.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_every_form() {
        assert_eq!(parse_moment("2026-01-31T12:00:00Z").unwrap().0, "2026-01-31T12:00:00.000Z");
        assert!(parse_moment("2026-01-31").unwrap().0.starts_with("2026-01-3"));
        let (day, hours) = (parse_moment("1d").unwrap().0, parse_moment("24h").unwrap().0);
        assert_eq!(day[..16], hours[..16]);
        for bad in ["", "d", "soon", "1w", "-1d", "2026-13-01", "99999999999d", "ö"] {
            assert_eq!(parse_moment(bad), None, "{bad}");
        }
    }
}
