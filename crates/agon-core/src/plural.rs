//! Numbers with their nouns, for texts that people read.

use std::fmt::Display;

/// `1 call`, `2 calls`, `0 calls`.
pub fn plural<N: Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    format!("{count} {}", noun(&count, one, many))
}

/// The form of a noun or a verb that agrees with `count`.
pub fn noun<'w, N: PartialEq + From<u8>>(count: &N, one: &'w str, many: &'w str) -> &'w str {
    if *count == N::from(1) { one } else { many }
}

/// `duel`, `duel and panel`, `duel, panel and review`.
pub fn series(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_has_one_and() {
        let all = ["duel", "panel", "review"];
        assert_eq!(
            (0..=3).map(|count| series(&all[..count])).collect::<Vec<_>>(),
            ["", "duel", "duel and panel", "duel, panel and review"]
        );
    }

    #[test]
    fn only_one_is_singular() {
        let calls: Vec<String> = (0..3_u32).map(|count| plural(count, "call", "calls")).collect();
        assert_eq!(calls, ["0 calls", "1 call", "2 calls"]);
        assert_eq!(noun(&1_usize, "was", "were"), "was");
    }
}
