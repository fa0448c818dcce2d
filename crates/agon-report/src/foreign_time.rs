//! Times in the formats of other programs' files.

/// Shortest: `2026-02-21T15:15:43Z`.
const LENGTH_MIN: usize = 20;

/// Whether `text` is a point of time: date, `T`, time to the second or finer, and `Z` or an offset.
pub fn is_time(text: &str) -> bool {
    text.len() >= LENGTH_MIN && text.contains('T') && text.parse::<jiff::Timestamp>().is_ok()
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
