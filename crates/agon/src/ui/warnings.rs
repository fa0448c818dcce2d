//! The warnings of a debate, repeated at its end because most have scrolled away.

use agon_core::{Key, Record, noun, plural};
use agon_formats::conduct;

use super::{DIM, YELLOW, is_verbose, out, paint, wrapped};

/// Maximum number of kinds of warnings that are told without `--verbose`.
const KINDS_MAX: usize = 5;

/// Warnings of one kind: the first of them, and how many there are.
struct WarningGroup<'r> {
    kind: String,
    of: &'r str,
    text: &'r str,
    count: usize,
}

/// Prints the warnings of a closed debate, each kind once with its number.
pub fn warnings(record: &Record) {
    let all = conduct::warnings(record);
    if all.is_empty() {
        return;
    }
    let told = if is_verbose() { each(&all) } else { kinds(&all) };
    out("");
    out(&paint(&format!("{}:", plural(all.len(), "warning", "warnings")), YELLOW));
    let most = if is_verbose() { told.len() } else { KINDS_MAX };
    for WarningGroup { of, text, count, .. } in told.iter().take(most) {
        let more = if *count > 1 { format!(" (and {} more like it)", count - 1) } else { String::new() };
        let line = format!("- {}: {text}{more}", about(record, of));
        out(&wrapped(&line, "  "));
    }
    let rest = told.len().saturating_sub(most);
    if rest > 0 {
        let line = format!(
            "{rest} more {}; agon watch -v {} shows all of them",
            noun(&rest, "kind", "kinds"),
            record.opened().debate
        );
        out(&paint(&wrapped(&line, "  "), DIM));
    }
}

/// What a protocol says at its end, without the warnings that [`warnings`] tells.
pub fn without_warnings(report: &str) -> String {
    let Some((before, after)) = report.split_once("**Warnings**:") else { return report.to_owned() };
    let rest = after.split_once("\n\n").map_or("", |(_, rest)| rest);
    format!("{}\n\n{rest}", before.trim_end()).trim_end().to_owned()
}

/// Whom a warning is about, as readers know them; keys are for those who want everything.
fn about(record: &Record, of: &str) -> String {
    match record.asked(&Key::of(of)) {
        Some((_, request)) if !is_verbose() => conduct::called(record, &request.seat),
        _ => of.to_owned(),
    }
}

fn each<'r>(all: &[(&'r str, &'r str)]) -> Vec<WarningGroup<'r>> {
    all.iter().map(|(of, text)| WarningGroup { kind: String::new(), of, text, count: 1 }).collect()
}

/// The most frequent first; those of one frequency in their order.
fn kinds<'r>(all: &[(&'r str, &'r str)]) -> Vec<WarningGroup<'r>> {
    let mut told: Vec<WarningGroup<'r>> = Vec::new();
    for (of, text) in all {
        let kind = kind(text);
        match told.iter_mut().find(|told| told.kind == kind) {
            Some(told) => told.count += 1,
            None => told.push(WarningGroup { kind, of, text, count: 1 }),
        }
    }
    told.sort_by_key(|told| std::cmp::Reverse(told.count));
    told
}

/// What a warning is about: its rule, where it names one, else its words without names and figures.
fn kind(text: &str) -> String {
    let rule = text.split_once(": ").map(|(rule, _)| rule).filter(|rule| {
        rule.len() <= 4
            && rule.starts_with(|c: char| c.is_ascii_uppercase())
            && rule.ends_with(|c: char| c.is_ascii_digit())
    });
    let words = text.split('"').step_by(2).collect::<String>();
    rule.map_or_else(|| words.chars().filter(|c| !c.is_ascii_digit()).collect(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_of_one_kind_are_told_once_with_their_number() {
        let all = [
            ("ada", "L10: entry 1: no source"),
            ("bob", "the score of \"prop_1\" was 3"),
            ("bob", "L10: entry 2: no source"),
            ("bob", "the score of \"opp_2\" was 4"),
            ("bob", "L10: entry 3: neither"),
        ];
        let told = kinds(&all);
        let shown: Vec<(&str, &str, usize)> =
            told.iter().map(|told| (told.of, told.text, told.count)).collect();
        assert_eq!(
            shown,
            [("ada", "L10: entry 1: no source", 3), ("bob", "the score of \"prop_1\" was 3", 2)]
        );
        assert_eq!(each(&all).len(), 5);
    }

    #[test]
    fn what_is_told_once_more_is_not_told_twice() {
        let report = "Complete.\n\n**Warnings**:\n- a: b\n- c: d\n\nGo on.";
        assert_eq!(without_warnings(report), "Complete.\n\nGo on.");
        assert_eq!(without_warnings("Complete.\n**Warnings**:\n- a: b\n"), "Complete.");
        assert_eq!(without_warnings("Complete."), "Complete.");
    }
}
