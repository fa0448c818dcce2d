//! Days, as files and statements write them.

/// Whether `text` is a day in the calendar's form.
pub fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |part: &str, count: usize| part.len() == count && part.bytes().all(|b| b.is_ascii_digit());
    let [year, month, day] = parts[..] else { return false };
    let within = |part: &str, most: u32| part.parse::<u32>().is_ok_and(|n| (1..=most).contains(&n));
    digits(year, 4) && digits(month, 2) && digits(day, 2) && within(month, 12) && within(day, 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_three_numbers_of_fixed_length() {
        assert!(is_date("2026-02-21"));
        for text in ["2026-2-21", "2026-13-01", "2026-00-10", "21.02.2026", "2026-02-21T00", "today"] {
            assert!(!is_date(text), "{text}");
        }
    }
}
