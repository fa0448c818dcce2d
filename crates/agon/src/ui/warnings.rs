//! The warnings of a debate, repeated at its end because most have scrolled away.

use agon_core::Record;
use agon_report::{participation, ruling_view::name_form_places};
use agon_text::count_noun;

use super::{DIM, YELLOW, is_verbose, paint_text, print_line, wrap_text};

/// Warnings of one kind: the first of them, and how many there are.
struct WarningGroup<'r> {
    kind: String,
    of: &'r str,
    text: &'r str,
    count: usize,
}

/// Prints that a closed debate has warnings, on one line; with `--verbose` all of them.
pub fn print_warnings(record: &Record) {
    let all = participation::list_warnings(record).into_iter();
    let all: Vec<(&str, String)> = all.map(|(of, text)| (of, name_form_places(&text))).collect();
    if all.is_empty() {
        return;
    }
    print_line("");
    if !is_verbose() {
        let told = summarize_warnings(&all, record.opened().debate.as_str());
        return print_line(&paint_text(&wrap_text(&told, ""), DIM));
    }
    print_line(&paint_text(&format!("{}:", count_noun(all.len(), "warning", "warnings")), YELLOW));
    for (of, text) in &all {
        print_line(&wrap_text(&format!("- {of}: {text}"), "  "));
    }
}

/// What a protocol says at its end, without the marks of Markdown that a terminal shows as they are.
pub fn without_marks(report: &str) -> String {
    let line = |line: &str| line.trim_start_matches("## ").replace("**", "");
    report.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// How many warnings there are, which is the most frequent, and where all of them are told.
fn summarize_warnings(all: &[(&str, String)], id: &str) -> String {
    let kinds = group_warnings(all);
    let most = kinds.first().filter(|most| most.count > 1).map(|most| {
        let WarningGroup { of, text, count, .. } = most;
        format!(", {count} of them like \"{of}: {text}\"")
    });
    let warnings = count_noun(all.len(), "warning", "warnings");
    format!("{warnings}{}; agon watch -v {id} tells all of them", most.unwrap_or_default())
}

/// What a protocol says at its end, without the warnings that [`print_warnings`] tells.
pub fn without_warnings(report: &str) -> String {
    let Some((before, after)) = report.split_once("**Warnings**:") else { return report.to_owned() };
    let rest = after.split_once("\n\n").map_or("", |(_, rest)| rest);
    format!("{}\n\n{rest}", before.trim_end()).trim_end().to_owned()
}

/// The most frequent first; those of one frequency in their order.
fn group_warnings<'r>(all: &'r [(&'r str, String)]) -> Vec<WarningGroup<'r>> {
    let mut told: Vec<WarningGroup<'r>> = Vec::new();
    for (of, text) in all {
        let kind = find_warning_kind(text);
        match told.iter_mut().find(|told| told.kind == kind) {
            Some(told) => told.count += 1,
            None => told.push(WarningGroup { kind, of, text, count: 1 }),
        }
    }
    told.sort_by_key(|told| std::cmp::Reverse(told.count));
    told
}

/// What a warning is about: its rule, where it names one, else its words without names and figures.
fn find_warning_kind(text: &str) -> String {
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
        ]
        .map(|(of, text)| (of, text.to_owned()));
        let told = group_warnings(&all);
        let shown: Vec<(&str, &str, usize)> = told.iter().map(|told| (told.of, told.text, told.count)).collect();
        assert_eq!(shown, [("ada", "L10: entry 1: no source", 3), ("bob", "the score of \"prop_1\" was 3", 2)]);
        assert_eq!(
            summarize_warnings(&all, "d1"),
            "5 warnings, 3 of them like \"ada: L10: entry 1: no source\"; agon watch -v d1 tells all of them"
        );
        assert_eq!(summarize_warnings(&all[..1], "d1"), "1 warning; agon watch -v d1 tells all of them");
    }

    #[test]
    fn what_is_told_once_more_is_not_told_twice() {
        let report = "Complete.\n\n**Warnings**:\n- a: b\n- c: d\n\nGo on.";
        assert_eq!(without_warnings(report), "Complete.\n\nGo on.");
        assert_eq!(without_warnings("Complete.\n**Warnings**:\n- a: b\n"), "Complete.");
        assert_eq!(without_warnings("Complete."), "Complete.");
    }

    #[test]
    fn marks_of_markdown_are_left_out() {
        let report = "## Run Complete\n\n**Current Scores** (zero-sum):\n- Proposition: 2 * 3, `agon extend`";
        let told = "Run Complete\n\nCurrent Scores (zero-sum):\n- Proposition: 2 * 3, `agon extend`";
        assert_eq!(without_marks(report), told);
    }
}
