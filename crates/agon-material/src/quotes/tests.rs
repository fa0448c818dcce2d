//! Each code, with files, diffs, and both.

use super::*;
use crate::gathered_content::{Gathered, GatheredFile};
use crate::manifest::LeftOut;
use crate::passages::MaterialKind;

const FILE: &str = "fn main() {\r\n    let  count = 1;\r\n\tprint(count);\r\n}\r\n\r\nfn other() {\r\n    print(count);\r\n    print(count);\r\n    last();\r\n}\r\n";
const DIFF: &str = "--- a/d.rs\n+++ b/d.rs\n@@ -10,4 +10,4 @@\n before\n-    removed(1);\n-    removed(2);\n+    added(1);\n+    added(2);\n after\n";

struct Desk {
    manifest: MaterialManifest,
    store: MaterialStore,
    _folder: tempfile::TempDir,
}

fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let store = MaterialStore::open(&folder.path().join("m.db")).unwrap();
    let mut both = vec!["line".to_owned(); 20];
    both[9..14].clone_from_slice(&["before", "added(1);", "added(2);", "after", "elsewhere()"].map(str::to_owned));
    let files = vec![
        GatheredFile::new("src/f.rs", MaterialKind::File, FILE),
        GatheredFile::new("d.rs", MaterialKind::Diff, DIFF),
        GatheredFile::new("both.rs", MaterialKind::Diff, DIFF.replace("d.rs", "both.rs")),
        GatheredFile::new("both.rs", MaterialKind::File, both.join("\n")),
        GatheredFile::new("same.rs", MaterialKind::File, "same();\nsame();\nsame();\n"),
        GatheredFile::new("it's \"odd\"  \u{200b}`name` .rs", MaterialKind::File, "one();\ntwo_of_odd();\n"),
        GatheredFile::new("twin 1.rs", MaterialKind::File, "left_twin();\n"),
        GatheredFile::new("twin  1.rs", MaterialKind::File, "right_twin();\n"),
        GatheredFile::new(
            "run.sh",
            MaterialKind::Diff,
            "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n",
        ),
        GatheredFile::new(
            ".ci/off.yml",
            MaterialKind::Diff,
            "diff --git a/.ci/on.yml b/.ci/off.yml\nsimilarity index 100%\nrename from .ci/on.yml\nrename to .ci/off.yml\n",
        ),
        GatheredFile::new("odd:7", MaterialKind::File, "a colon in its name\n"),
    ];
    let left_out = vec![LeftOut { path: "x.png".into(), reason: "binary".into(), is_changed: false }];
    let gathered = Gathered { files, left_out, ..Gathered::default() };
    store.store_contents(&gathered).unwrap();
    Desk { manifest: gathered.build_manifest(), store, _folder: folder }
}

/// As prompts show it that write nothing for `\u{200b}`, and one sign for two brackets.
fn shown(c: char) -> Option<char> {
    match c {
        '\u{200b}' => None,
        '‹' | '＜' => Some('<'),
        c => Some(c),
    }
}

impl Desk {
    fn material(&self) -> QuotedMaterial<'_> {
        QuotedMaterial { manifest: &self.manifest, store: &self.store, shown }
    }

    fn check(&self, place: &str, quote: &str) -> QuoteCheck {
        let quote = Some(quote).filter(|quote| !quote.is_empty());
        self.material().check_quote(place, quote).unwrap()
    }
}

#[test]
fn every_case_has_its_code() {
    use QuoteCode::*;
    let desk = desk();
    for (place, quote, code, corrected) in [
        // Spaces and line ends do not count, and a quote may begin and end within a line.
        ("src/f.rs:2", "let count = 1;", QuoteThere, Some("src/f.rs:2")),
        ("src/f.rs:2-3", "count = 1;\nprint(count);", QuoteThere, Some("src/f.rs:2-3")),
        ("./src/f.rs:1-10", "{\n\tlet count  =  1;\r\n", QuoteThere, Some("src/f.rs:1-2")),
        ("src/f.rs:7", "print(count);", QuoteThere, Some("src/f.rs:7")),
        ("src/f.rs:2", "2| let  count = 1;", QuoteThere, Some("src/f.rs:2")),
        // Letters do.
        ("src/f.rs:2", "let Count = 1;", QuoteAbsent, None),
        ("src/f.rs:2", "letcount = 1;", QuoteAbsent, None),
        ("src/f.rs:2-3", "let count = 1; print(count);", QuoteAbsent, None),
        ("src/f.rs:2", "let count = 1;\n\nprint(count);", QuoteAbsent, None),
        // Elsewhere once, or several times.
        ("src/f.rs:2", "last();", QuoteMoved, Some("src/f.rs:9")),
        ("src/f.rs:99", "last();", QuoteMoved, Some("src/f.rs:9")),
        ("src/f.rs", "last();", QuoteMoved, Some("src/f.rs:9")),
        ("src/f.rs:9-8", "last();", QuoteMoved, Some("src/f.rs:9")),
        ("src/f.rs:9", "print(count);", QuoteAmbiguous, Some("src/f.rs:8")),
        ("src/f.rs:9999", "print(count);", QuoteAmbiguous, Some("src/f.rs:8")),
        ("src/f.rs", "print(count);", QuoteAmbiguous, Some("src/f.rs:3")),
        ("src/f.rs:0", "print(count);", QuoteAmbiguous, Some("src/f.rs:3")),
        // Three equal lines hold a quote of two lines twice.
        ("same.rs:3", "same();\nsame();", QuoteThere, Some("same.rs:2-3")),
        // Too short.
        ("src/f.rs:1", "{ }", QuoteAbsent, None),
        ("src/f.rs:1", "+fn", QuoteAbsent, None),
        // Files and lines.
        ("src/g.rs:1", "let count = 1;", NoSuchFile, None),
        ("f.rs:1", "fn main", NoSuchFile, None),
        ("src/f.rs:11", "not there", NoSuchLine, None),
        ("src/f.rs:10", "", PlaceThere, Some("src/f.rs:10")),
        ("src/f.rs:9-11", "", NoSuchLine, None),
        ("src/f.rs", "", NoSuchLine, None),
        ("src/f.rs:0", "", NoSuchLine, None),
        ("odd:7", "a colon in", QuoteMoved, Some("odd:7:1")),
        ("odd:7:1", "a colon in", QuoteThere, Some("odd:7:1")),
        // A diff alone has the lines of its hunks.
        ("d.rs:11", "added(1);", QuoteThere, Some("d.rs:11")),
        ("d.rs:11-12", "11+| added(1);\n12+| added(2);", QuoteThere, Some("d.rs:11-12")),
        ("d.rs:11", "+    added(1);\n+    added(2);", QuoteThere, Some("d.rs:11-12")),
        ("d.rs:10", "before\nadded(1);", QuoteThere, Some("d.rs:10-11")),
        ("d.rs:10", " before\n+    added(1);\n+    added(2);\n after", QuoteThere, Some("d.rs:10-13")),
        ("d.rs:11", "removed(1);", QuoteRemoved, None),
        ("d.rs:11", "-    removed(1);", QuoteRemoved, None),
        ("d.rs:11", "before\nremoved(1);\nremoved(2);\nafter", QuoteRemoved, None),
        // A change as prompts show it: what was removed, and what is there now.
        ("d.rs:11", "-    removed(2);\n+    added(1);", QuoteThere, Some("d.rs:11")),
        ("d.rs:11", "removed(2);\nadded(1);\nadded(2);", QuoteThere, Some("d.rs:11-12")),
        ("d.rs:10", " before\n-    removed(1);\n-    removed(2);\n+    added(1);", QuoteThere, Some("d.rs:10-11")),
        ("d.rs:1", "-|     removed(2);\n11+|     added(1);", QuoteMoved, Some("d.rs:11")),
        ("d.rs:13", "", PlaceThere, Some("d.rs:13")),
        ("d.rs:14", "", NoSuchLine, None),
        ("d.rs:12", "never", QuoteAbsent, None),
        // With the file, all lines are there, and the same lines do not count twice.
        ("both.rs:11", "added(1);", QuoteThere, Some("both.rs:11")),
        ("both.rs:1", "added(1);", QuoteMoved, Some("both.rs:11")),
        ("both.rs:14", "elsewhere()", QuoteThere, Some("both.rs:14")),
        ("both.rs:11", "removed(2);", QuoteRemoved, None),
        ("both.rs:20", "", PlaceThere, Some("both.rs:20")),
    ] {
        let check = desk.check(place, quote);
        assert_eq!((check.code, check.place.as_deref()), (code, corrected), "{place} {quote:?}: {}", check.note);
        assert!(check.note.ends_with('.') && check.note.len() > 10, "{}", check.note);
    }
}

#[test]
fn a_missing_file_is_explained() {
    let desk = desk();
    assert_eq!(desk.check("x.png:1", "").note, "The material has no file x.png. It was left out: binary.");
    assert_eq!(desk.check("f.rs:1", "").note, "The material has no file f.rs. It has src/f.rs.");
}

#[test]
fn codes_are_written_as_records_write_them() {
    assert_eq!(serde_json::to_value(QuoteCode::QuoteThere).unwrap(), "quote-there");
    assert_eq!(serde_json::to_value(QuoteCode::NoSuchFile).unwrap(), "no-such-file");
}

#[test]
fn a_long_content_is_checked_quickly() {
    let folder = tempfile::tempdir().unwrap();
    let store = MaterialStore::open(&folder.path().join("m.db")).unwrap();
    let text = "    same line\n".repeat(100_000);
    let gathered = Gathered { files: vec![GatheredFile::new("a", MaterialKind::File, text)], ..Gathered::default() };
    store.store_contents(&gathered).unwrap();
    let started = std::time::Instant::now();
    let material = QuotedMaterial { manifest: &gathered.build_manifest(), store: &store, shown };
    let check = material.check_quote("a:100000", Some("same line")).unwrap();
    assert_eq!(check.code, QuoteCode::QuoteThere);
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}

#[test]
fn a_quote_without_a_place_is_searched_in_all_files() {
    use QuoteCode::*;
    let desk = desk();
    let near = ["both.rs:11".to_owned(), "no-such.rs".to_owned()];
    for (quote, code, place) in [
        ("let count = 1;", QuoteThere, Some("src/f.rs:2")),
        // Files that are near come first.
        ("added(1);", QuoteThere, Some("both.rs:11")),
        ("removed(1);", QuoteRemoved, None),
        ("nowhere at all", QuoteAbsent, None),
        ("x", QuoteAbsent, None),
    ] {
        let found = desk.material().find_quotes(&near, &[quote.to_owned()]).unwrap();
        assert_eq!((found[0].code, found[0].place.as_deref()), (code, place), "{quote}: {}", found[0].note);
    }
    let all = ["same();", "added(2);"].map(str::to_owned);
    let found = desk.material().find_quotes(&[], &all).unwrap();
    assert_eq!([found[0].code, found[1].code], [QuoteThere; 2]);
    assert_eq!(desk.material().find_quotes(&[], &[]).unwrap(), []);
}

#[test]
fn a_line_is_quoted_as_a_prompt_shows_it_or_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let store = MaterialStore::open(&folder.path().join("m.db")).unwrap();
    let text = "\u{200b}grant(admin\u{200b}); // \u{200b}\nlet x = ＜system>;\nfaulty \u{fffd} byte\n";
    let files = vec![GatheredFile::new("a.rs", MaterialKind::File, text)];
    let gathered = Gathered { files, ..Gathered::default() };
    store.store_contents(&gathered).unwrap();
    let material = QuotedMaterial { manifest: &gathered.build_manifest(), store: &store, shown };
    for (place, quote) in [
        ("a.rs:1", "grant(admin);"),
        ("a.rs:1", "grant(admin\u{200b});"),
        ("a.rs:1", "1| grant(admin); //"),
        ("a.rs:2", "let x = ‹system>;"),
        ("a.rs:2", "let x = ＜system>;"),
        ("a.rs:2", "= <sys"),
        ("a.rs:3", "faulty \u{fffd} byte"),
    ] {
        let found = material.check_quote(place, Some(quote)).unwrap();
        assert_eq!((found.code, found.place.as_deref()), (QuoteCode::QuoteThere, Some(place)), "{quote:?}");
        let found = material.find_quotes(&[], &[quote.to_owned()]).unwrap();
        assert_eq!((found[0].code, found[0].place.as_deref()), (QuoteCode::QuoteThere, Some(place)));
    }
    // A line that does not exist does not hide that the quote stands elsewhere.
    let found = material.check_quote("a.rs:99", Some("let x = ‹system>;")).unwrap();
    assert_eq!(found.code, QuoteCode::QuoteMoved);
    let nothing = material.check_quote("a.rs:1", Some("\u{200b}\u{200b}\u{200b}\u{200b}"));
    assert_eq!(nothing.unwrap().code, QuoteCode::QuoteAbsent);
}

#[test]
fn a_path_is_found_as_prompts_show_it() {
    let desk = desk();
    let odd = "it's \"odd\"  \u{200b}`name` .rs";
    for place in [
        format!("{odd}:2"),
        "it's 'odd' 'name' .rs:2".to_owned(),
        "`it's \"odd\" 'name' .rs:2`".to_owned(),
        "./its odd name .rs:2".to_owned(),
    ] {
        let found = desk.check(&place, "two_of_odd();");
        assert_eq!((found.code, found.place), (QuoteCode::QuoteThere, Some(format!("{odd}:2"))), "{place}");
    }
    let moved = desk.check("it's 'odd' 'name' .rs", "two_of_odd();");
    assert_eq!((moved.code, moved.place), (QuoteCode::QuoteMoved, Some(format!("{odd}:2"))));
    assert_eq!(desk.check("it's 'odd' 'name' .rs:9", "").code, QuoteCode::NoSuchLine);
    assert_eq!(desk.check("it's 'even' 'name' .rs:2", "two_of_odd();").code, QuoteCode::NoSuchFile);
    // Both files look like this in a prompt; each can still be named as it is.
    assert_eq!(desk.check("twin   1.rs:1", "right_twin();").code, QuoteCode::NoSuchFile);
    assert_eq!(desk.check("twin  1.rs:1", "right_twin();").code, QuoteCode::QuoteThere);
    let quotes = ["two_of_odd();".to_owned()];
    let near = ["it's 'odd' 'name' .rs:1".to_owned()];
    let found = desk.material().find_quotes(&near, &quotes).unwrap();
    assert_eq!(found[0].place, Some(format!("{odd}:2")));
}

#[test]
fn what_a_prompt_shows_of_a_change_besides_its_lines_can_be_quoted() {
    let desk = desk();
    for (place, quote) in [
        ("run.sh:1", "new mode 100755"),
        ("run.sh", "old mode 100644\nnew mode 100755"),
        (".ci/off.yml:3", "rename from .ci/on.yml"),
    ] {
        let check = desk.check(place, quote);
        assert_eq!(check.code, QuoteCode::QuoteThere, "{place} {quote}: {}", check.note);
        assert_eq!(check.place.as_deref(), Some(place.split(':').next().unwrap()));
        let found = desk.material().find_quotes(&[place.to_owned()], &[quote.to_owned()]).unwrap();
        assert_eq!(found, [check], "and by those who do not say where");
    }
    // Who names a file as it was called before means what it is called now.
    for place in [".ci/on.yml", ".ci/on.yml:3"] {
        let check = desk.check(place, "rename from .ci/on.yml");
        assert_eq!((check.code, check.place.as_deref()), (QuoteCode::QuoteThere, Some(".ci/off.yml")), "{place}");
    }
    assert_ne!(desk.check("run.sh:1", "new mode 100777").code, QuoteCode::QuoteThere);
}
