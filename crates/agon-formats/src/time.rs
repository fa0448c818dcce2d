//! Times in the formats of other programs' files.

/// Whether `text` is a point of time: date, `T`, time to the second or finer, and `Z` or an offset.
pub fn is_time(text: &str) -> bool {
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    let within = |text: &str, most: u32| digits(text, 2) && text.parse::<u32>().is_ok_and(|n| n <= most);
    let Some((date, rest)) = text.split_once('T') else { return false };
    let Some(zone) = rest.find(['Z', '+', '-']) else { return false };
    let (clock, zone) = rest.split_at(zone);
    let zone_is_sound = match zone.strip_prefix(['+', '-']) {
        None => zone == "Z",
        Some(offset) => offset.split_once(':').is_some_and(|(h, m)| within(h, 23) && within(m, 59)),
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let parts: Vec<&str> = clock.split(':').collect();
    let [hour, minute, second] = parts[..] else { return false };
    agon_text::is_date(date)
        && within(hour, 23)
        && within(minute, 59)
        && within(second, 60)
        && (1..=9).contains(&fraction.len())
        && digits(fraction, fraction.len())
        && zone_is_sound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_date_a_clock_and_a_zone() {
        for time in ["2026-02-21T15:15:43Z", "2026-01-31T09:30:00.123000+00:00", "2026-01-31T09:30:00-05:30"] {
            assert!(is_time(time), "{time}");
        }
        for text in [
            "",
            "yesterday",
            "2026-02-21",
            "2026-02-21 15:15:43Z",
            "2026-02-21T15:15:43",
            "2026-13-21T15:15:43Z",
            "2026-02-21T25:15:43Z",
            "2026-02-21T15:15Z",
            "2026-02-21T15:15:43.Z",
            "2026-02-21T15:15:43+1",
            "T",
            "٢٠٢٦-02-21T15:15:43Z",
        ] {
            assert!(!is_time(text), "{text}");
        }
    }
}
