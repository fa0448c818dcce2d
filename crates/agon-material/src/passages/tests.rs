//! Where texts are cut, and how passages are shown.

use super::*;

fn places(kind: MaterialKind, text: &str) -> Vec<Option<(u32, u32)>> {
    cut_passages(kind, text).into_iter().map(|passage| passage.lines).collect()
}

#[test]
fn a_short_text_is_one_passage() {
    assert_eq!(places(MaterialKind::File, "a\nb\n"), [Some((1, 2))]);
    assert_eq!(places(MaterialKind::File, "a\r\nb"), [Some((1, 2))]);
    assert_eq!(places(MaterialKind::File, ""), []);
    assert_eq!(places(MaterialKind::File, "\n\n  \n"), []);
    assert_eq!(cut_passages(MaterialKind::Page, "a\r\n\nb")[0].shown, "1| a\n2| \n3| b\n");
}

#[test]
fn a_long_text_is_cut_at_blank_lines_before_outer_ones() {
    // Functions of 30 lines, then a blank line each.
    let function = format!("fn f() {{\n{}}}\n\n", "    call();\n".repeat(28));
    let text = function.repeat(4);
    assert_eq!(places(MaterialKind::File, &text), [Some((1, 31)), Some((32, 62)), Some((63, 93)), Some((94, 124))]);
    // Without blank lines, where the indentation ends.
    let text = format!("fn f() {{\n{}}}\n", "    call();\n".repeat(33)).repeat(3);
    assert_eq!(places(MaterialKind::File, &text), [Some((1, 35)), Some((36, 70)), Some((71, 105))]);
}

#[test]
fn a_function_reaches_from_its_head_to_the_next_one() {
    let text = "int a;\n\nstatic int\nb(void)\n{\n    one();\n\n    two();\n}\nint c(void)\n{\n    three();\n}\n";
    assert_eq!(find_blocks(text, &[(8, 8), (1, 1), (12, 12), (8, 12)]), [(3, 9), (1, 2), (10, 13), (3, 13)]);
    assert_eq!(find_blocks("", &[(3, 4)]), [(1, 0)]);
}

#[test]
fn passages_have_every_line_once_and_are_limited() {
    let mut text = String::new();
    for line in 0..1_000_u32 {
        let width = (line.wrapping_mul(2_654_435_761) >> 24) as usize;
        text.push_str(&"x".repeat(width));
        text.push('\n');
    }
    text.push_str(&"long ".repeat(3_000));
    let passages = cut_passages(MaterialKind::File, &text);
    let mut next = 1;
    for passage in &passages {
        let (first, last) = passage.lines.unwrap();
        assert_eq!(first, next);
        next = last + 1;
        let lines = (last - first + 1) as usize;
        assert!(lines <= LINES_MAX);
        assert!(passage.words.len() <= BYTES_MAX || lines == 1, "{first}-{last}");
    }
    assert_eq!(next, 1_002);
}

#[test]
fn a_diff_is_cut_by_hunk_and_shows_numbers_of_the_new_version() {
    let text = "diff --git a/o b/n\nsimilarity index 90%\nrename from o\nrename to n\n--- a/o\n+++ b/n\n\
        @@ -3,3 +3,3 @@ fn main()\n a\n-b\n+B\n c\r\n@@ -10,1 +9,0 @@\n-gone\n";
    let passages = cut_passages(MaterialKind::Diff, text);
    assert_eq!(passages.len(), 2);
    assert_eq!(passages[0].shown, "rename from o\nrename to n\n@@ fn main()\n3| a\n-| b\n4+| B\n5| c\n");
    assert_eq!(passages[0].lines, Some((3, 5)));
    assert_eq!(passages[0].words, "a\nb\nB\nc\r\n");
    assert_eq!((passages[1].lines, passages[1].shown.as_str()), (None, "-| gone\n"));
}

#[test]
fn a_diff_without_hunks_is_a_passage() {
    let text = "diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n";
    let passages = cut_passages(MaterialKind::Diff, text);
    assert_eq!((passages.len(), passages[0].lines), (1, None));
    assert_eq!(passages[0].shown, "rename from o\nrename to n\n");
}

#[test]
fn a_long_hunk_is_cut_in_its_context() {
    let body = format!("{}{}{}", "+n\n".repeat(40), " c\n".repeat(6), "+m\n".repeat(40));
    let text = format!("--- a/x\n+++ b/x\n@@ -1,6 +1,86 @@\n{body}");
    assert_eq!(places(MaterialKind::Diff, &text), [Some((1, 45)), Some((46, 86))]);
    // Without context, not between what was removed and what replaces it.
    let body = format!("{}{}", "-o\n".repeat(59), "+n\n".repeat(59));
    let text = format!("--- a/x\n+++ b/x\n@@ -1,59 +1,59 @@\n{body}");
    let passages = cut_passages(MaterialKind::Diff, &text);
    assert_eq!(passages[0].lines, Some((1, 1)));
    assert_eq!(passages.iter().map(|passage| passage.shown.lines().count()).sum::<usize>(), 118);
}

#[test]
fn numbers_and_marks_before_lines_are_taken_off() {
    for (quote, plain) in [
        ("12| let a = 1;", Some("let a = 1;")),
        ("12+| let a = 1;\n13|   b\n", Some("let a = 1;\n  b")),
        ("-| gone", Some("gone")),
        ("let a = 1 | 2;", None),
        ("12| a\nb", None),
        ("", None),
        ("|x| x + 1", None),
    ] {
        assert_eq!(without_numbers(quote).as_deref(), plain, "{quote}");
    }
}
