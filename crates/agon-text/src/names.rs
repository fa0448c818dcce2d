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
    fn only_one_is_singular() {
        let calls: Vec<String> = (0..3_u32).map(|count| count_noun(count, "call", "calls")).collect();
        assert_eq!(calls, ["0 calls", "1 call", "2 calls"]);
        assert_eq!(agree_with(&1_usize, "was", "were"), "was");
    }
}
