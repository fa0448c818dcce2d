//! Numbers with their nouns, and names in a row, for texts that people read.

use std::fmt::Display;

/// `1 call`, `2 calls`, `0 calls`.
pub fn count_noun<N: Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    format!("{count} {}", agree_with(&count, one, many))
}

/// The form of a noun or a verb that agrees with `count`.
pub fn agree_with<'w, N: PartialEq + From<u8>>(count: &N, one: &'w str, many: &'w str) -> &'w str {
    if *count == N::from(1) { one } else { many }
}

/// `duel`, `duel and panel`, `duel, panel and review`.
pub fn join_names(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}

/// The first `most` of `names` in a row, and how many more there are.
pub fn name_first(names: &[impl AsRef<str>], most: usize) -> String {
    let named: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let more = names.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// `text` with a capital at its beginning.
pub fn capitalise_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// `word-like_this` as people write it.
pub fn humanize_name(name: &str) -> String {
    capitalise_first(&name.replace(['-', '_'], " "))
}

/// The digits of a whole number in groups of three, with `separator` between them.
pub fn group_digits(number: impl Display, separator: &str) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(separator)
}

/// A score or a margin with its sign; what rounds to zero has none.
pub fn format_signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    let is_zero = text.chars().all(|c| !c.is_ascii_digit() || c == '0');
    if is_zero { text[1..].to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_row_have_one_and() {
        let all = ["duel", "panel", "review"];
        assert_eq!(
            (0..=3).map(|count| join_names(&all[..count])).collect::<Vec<_>>(),
            ["", "duel", "duel and panel", "duel, panel and review"]
        );
    }

    #[test]
    fn what_rounds_to_zero_has_no_sign() {
        let shown = [0.0, -0.0, -0.004, 0.004, -0.005_1, 1.0].map(|value| format_signed(value, 2));
        assert_eq!(shown, ["0.00", "0.00", "0.00", "0.00", "-0.01", "+1.00"]);
    }

    #[test]
    fn only_one_is_singular() {
        let calls: Vec<String> = (0..3_u32).map(|count| count_noun(count, "call", "calls")).collect();
        assert_eq!(calls, ["0 calls", "1 call", "2 calls"]);
        assert_eq!(agree_with(&1_usize, "was", "were"), "was");
    }
}
