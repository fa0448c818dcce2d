//! Diffs of each kind, read and printed again.

use super::*;

fn one(text: &str) -> FileDiff {
    let mut files = read_diff(text).unwrap();
    assert_eq!(files.len(), 1, "{text}");
    files.remove(0)
}

const CHANGED: &str = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n\
    @@ -3,4 +3,5 @@ fn main() {\n one\n-two\n+TWO\n+two and a half\n three\n four\n\
    @@ -20,1 +21 @@\n-old\n+new\n\\ No newline at end of file\n";

#[test]
fn lines_have_the_numbers_of_both_versions() {
    let diff = one(CHANGED);
    assert_eq!((diff.path(), diff.is_deleted(), diff.is_renamed()), ("src/a.rs", false, false));
    let numbers: Vec<_> = diff.hunks[0].lines.iter().map(|line| (line.mark.sign(), line.old, line.new)).collect();
    let wanted = [
        (' ', Some(3), Some(3)),
        ('-', Some(4), None),
        ('+', None, Some(4)),
        ('+', None, Some(5)),
        (' ', Some(5), Some(6)),
        (' ', Some(6), Some(7)),
    ];
    assert_eq!(numbers, wanted);
    assert_eq!(diff.hunks[0].section_heading(), "fn main() {");
    assert_eq!(diff.hunks[1].section_heading(), "");
    assert!(diff.hunks[1].lines[1].is_unterminated && !diff.hunks[1].lines[0].is_unterminated);
}

#[test]
fn a_diff_prints_as_it_was_read() {
    let renamed = "diff --git a/old name b/new name\nsimilarity index 90%\nrename from old name\nrename to new name\n\
        index 1..2 100644\n--- a/old name\t\n+++ b/new name\t\n@@ -1 +1 @@\n-a\n+b\n";
    let deleted =
        "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let crlf = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\r\n+b\r\n c\r\n";
    for text in [CHANGED, renamed, deleted, crlf] {
        assert_eq!(one(text).to_string(), text);
    }
    let all = [CHANGED, renamed, deleted, crlf].concat();
    let files = read_diff(&all).unwrap();
    assert_eq!(files.iter().map(ToString::to_string).collect::<String>(), all);
}

#[test]
fn paths_are_read_in_every_notation() {
    let header = |lines: &str| one(&format!("{lines}\n"));
    for (lines, old, new) in [
        ("diff --git a/x b/x\n--- a/x\n+++ b/x", Some("x"), Some("x")),
        ("diff --git a/x b/x\nnew file mode 100644\nindex 0..1", None, Some("x")),
        ("diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x", None, Some("x")),
        ("diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null", Some("x"), None),
        ("diff --git a/p q b/p q\nold mode 100644\nnew mode 100755", Some("p q"), Some("p q")),
        ("diff --git x x\n--- x\n+++ x", Some("x"), Some("x")),
        ("diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x", None, Some("b/x")),
        ("diff --git a/x a/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null", Some("a/x"), None),
        ("diff --git b/x b/x\nold mode 100644\nnew mode 100755", Some("b/x"), Some("b/x")),
        ("diff --git a/x a/x\n--- a/x\n+++ a/x", Some("a/x"), Some("a/x")),
        ("diff --git i/x w/x\n--- i/x\n+++ w/x", Some("x"), Some("x")),
        ("diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n", Some("o"), Some("n")),
        ("diff --git \"a/\\303\\244.txt\" \"b/\\303\\244.txt\"\nold mode 1\nnew mode 2", Some("ä.txt"), Some("ä.txt")),
        ("--- \"a/q\\\"\\t.txt\"\n+++ \"b/q\\\"\\t.txt\"\t", Some("q\"\t.txt"), Some("q\"\t.txt")),
        (
            "--- lib/x.c.orig\t2020-01-01 00:00:00\n+++ lib/x.c\t2021-01-01 00:00:00",
            Some("lib/x.c.orig"),
            Some("lib/x.c"),
        ),
        ("--- a/x\r\n+++ b/x\r", Some("x"), Some("x")),
    ] {
        let diff = header(lines);
        assert_eq!((diff.old_path.as_deref(), diff.new_path.as_deref()), (old, new), "{lines}");
        assert!(!diff.has_foreign_path);
    }
    assert!(header("--- \"a/\\377\"\n+++ \"b/\\377\"").has_foreign_path);
}

#[test]
fn binary_files_and_modes_are_told() {
    let binary = one("diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n");
    assert!(binary.is_binary && binary.hunks.is_empty());
    let patch = one("diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n\nliteral 0\n\n");
    assert!(patch.is_binary);
    let mode = one("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n");
    assert_eq!(mode.mode.as_deref(), Some("100755"));
    assert_eq!(mode.remark_lines().collect::<Vec<_>>(), ["old mode 100644", "new mode 100755"]);
}

#[test]
fn what_surrounds_a_diff_is_left_out() {
    let commit = format!(
        "commit {}\nAuthor: A\n\n    --- a heading\n    @@ an address\n\n{CHANGED}-- \n2.47.3\n",
        "0".repeat(40)
    );
    assert!(as_diff(&commit).is_some());
    assert_eq!(one(&commit).to_string(), CHANGED);
    // A removed line that looks like a header is a line.
    let tricky = "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- a/y\n-+++ b/y\n+z\n";
    assert_eq!(one(tricky).hunks[0].lines.len(), 3);
    let bare = one("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n");
    assert_eq!(bare.hunks[0].lines[1].new, Some(2));
}

#[test]
fn a_text_that_quotes_a_diff_is_not_one() {
    for (text, is) in [
        (CHANGED, true),
        ("\n\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n", true),
        ("Index: x\n=====\n--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", true),
        ("diff -ru a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", true),
        ("diff --cc x\n", true),
        ("From here on:\n\ndiff --git a/x b/x\n", false),
        ("# Title\n\n```\ndiff --git a/x b/x\n```\n", false),
        ("---\ntitle: front matter\n---\n", false),
        ("Index: a word\n", false),
        ("", false),
    ] {
        assert_eq!(as_diff(text).is_some(), is, "{text:?}");
    }
}

#[test]
fn what_programs_write_before_a_diff_does_not_hide_it() {
    let coloured: String = CHANGED.lines().map(|line| format!("\u{1b}[1;31m{line}\u{1b}[m\u{1b}[K\n")).collect();
    for head in [
        "\u{feff}",
        " src/a.rs | 3 ++-\n logo.png | Bin 0 -> 12 bytes\n 2 files changed, 2 insertions(+), 1 deletion(-)\n create mode 100644 logo.png\n\n",
        "3\t1\tsrc/a.rs\n-\t-\tlogo.png\n\n",
        "M\tsrc/a.rs\nR090\told.rs\tnew.rs\n\n",
        ":100644 100644 1111111 2222222 M\tsrc/a.rs\n\n",
        "Subject: [PATCH] count\nFrom: A <a@example.org>\nX-Long: one\n two\n\nWhy.\n---\n src/a.rs | 3 ++-\n 1 file changed\n\n",
        " src/a.rs | 3 \u{1b}[32m++\u{1b}[m\u{1b}[31m-\u{1b}[m\n 1 file changed\n\n\u{1b}[1mdiff --git a/y b/y\u{1b}[m\n",
        "Return-Path: <a@example.org>\nsubject: count\n\n",
    ] {
        let text = [head, CHANGED].concat();
        if head.contains("a/y") {
            assert_eq!(as_diff(&text).map(|text| read_diff(&text).unwrap().len()), Some(2), "{head:?}");
            continue;
        }
        let diff = as_diff(&text).map(|text| one(&text).to_string());
        assert_eq!(diff.as_deref(), Some(CHANGED), "{head:?}");
        let diff = as_diff(&[head, CHANGED].concat().replace('\n', "\r\n")).map(|text| one(&text).path().to_owned());
        assert_eq!(diff.as_deref(), Some("src/a.rs"), "{head:?} with CRLF");
    }
    assert_eq!(as_diff(&coloured).map(|text| one(&text).to_string()).as_deref(), Some(CHANGED));
    for text in [
        " a | b\n--- | ---\n 1 | 2\n",
        "Subject: hello\n\nHow are you?\n",
        "Subject: Proposal\nDate: today\n\nWe propose\n\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n\nThe risks.\n",
        "Subject: git\nTitle: Post\n\nA diff begins with\ndiff --git a/x b/x\nas its first line.\n",
        "Subject: Re: hunk\nFrom: a\n\n@@ -1,2 +1,2 @@ is odd\n",
        "Subject: fence\n\n```\n---\ndiff --git a/x b/x\n```\n",
        "Index: of terms\n\nuse it\n--- old\n+++ new\n",
        "Note: this is how it looks.\ndiff --git a/x b/x\n",
        "- one\n- two\n\ndiff --git a/x b/x\n",
        "\u{1b}[31mred\u{1b}[m\n",
    ] {
        assert_eq!(as_diff(text), None, "{text:?}");
    }
}

#[test]
fn what_cannot_be_read_says_where_and_why() {
    let named = "--- a/x\n+++ b/x\n";
    for (text, error) in [
        ("diff --cc x\nindex 1,2..3\n", DiffError::Combined(1)),
        ("--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n", DiffError::Combined(3)),
        ("@@ -1 +1 @@\n-a\n+b\n", DiffError::NoFile(1)),
        (&format!("{named}@@ -1,2 +1,2 @@\n a\n"), DiffError::Short(5)),
        (&format!("{named}@@ -1,2 +1,2 @@\n a\ndiff --git a/y b/y\n"), DiffError::Short(5)),
        (&format!("{named}@@ -1 +1 @@\n-a\n-b\n+c\n"), DiffError::Short(5)),
        (&format!("{named}@@ -x +1 @@\n"), DiffError::Head { line: 3, head: "@@ -x +1 @@".into() }),
        (
            &format!("{named}@@ -1 +4294967295,4 @@\n"),
            DiffError::Head { line: 3, head: "@@ -1 +4294967295,4 @@".into() },
        ),
    ] {
        assert_eq!(read_diff(text), Err(error), "{text}");
    }
}
