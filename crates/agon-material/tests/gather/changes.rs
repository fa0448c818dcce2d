//! What a change says of itself decides nothing about what of it is shown.

use super::*;

/// Text of so many lines, which no rename is mistaken in.
fn lines(count: usize) -> String {
    (0..count).map(|line| format!("let line_{line} = {};\n", line * 7)).collect()
}

#[test]
fn attributes_of_a_change_hide_nothing_of_it() {
    for attributes in ["*.rs -diff\n", "*.rs binary\n", "[attr]mine -diff\n*.rs mine\n", "* -diff linguist-generated\n"]
    {
        for place in [".gitattributes", "src/.gitattributes", ".git/info/attributes"] {
            let yard = Yard::repository();
            yard.write("src/old.rs", format!("before();\n{}", lines(9)));
            yard.write("src/gone.rs", "check();\n");
            yard.write("src/from.rs", lines(40));
            yard.commit("base");
            yard.write(place, attributes);
            yard.write("src/evil.rs", "evil();\n");
            yard.write("src/old.rs", format!("after();\n{}", lines(9)));
            fs::remove_file(yard.path().join("src/gone.rs")).unwrap();
            fs::remove_file(yard.path().join("src/from.rs")).unwrap();
            yard.write("src/to.rs", format!("{}moved();\n", lines(40)));
            yard.write("photo.png", b"\x89PNG\0\n".repeat(200_000));
            yard.commit("head");
            let gathered = yard.range("HEAD~1...HEAD");
            assert_eq!(left_out(&gathered), [("photo.png", "binary")], "{place}: {attributes}");
            assert_eq!(unseen_changes(&gathered), ["photo.png"]);
            for (entry, line) in [
                ("diff src/evil.rs", "\n+evil();\n"),
                ("file src/evil.rs", "evil();\n"),
                ("diff src/old.rs", "\n-before();\n+after();\n"),
                ("diff src/gone.rs", "\n-check();\n"),
                ("diff src/to.rs", "\n+moved();\n"),
            ] {
                assert!(text(&gathered, entry).contains(line), "{place}: {attributes}: {entry}");
            }
            let paths: Vec<String> = entries(&gathered).iter().map(|entry| entry[5..].to_owned()).collect();
            assert_eq!(paths.iter().any(|path| path == place), !place.starts_with(".git/"));
            // From a folder below, they are the same.
            let source = SourceForSeats { source: MaterialSource::Git("HEAD".into()), seats: Vec::new() };
            assert_eq!(
                gather_sources(
                    &yard.path().join("src"),
                    &[source],
                    GatherRules { is_own: &|_| false, with_tree: false }
                )
                .unwrap()
                .files,
                gathered.files
            );
        }
    }
}

#[test]
fn large_contents_are_compared_only_where_a_diff_can_be_shown() {
    let yard = Yard::repository();
    yard.write("data.csv", lines(150_000));
    yard.write("was-vast.rs", "a,b\n".repeat(9 << 20));
    yard.commit("base");
    yard.write(".gitattributes", "* -diff\n");
    yard.write("data.csv", format!("{}last();\n", lines(150_000)));
    yard.write("was-vast.rs", "evil();\n");
    yard.write("vast.csv", "a,b\n".repeat(9 << 20));
    yard.write("image.bin", [b"\0\n".repeat(2 << 20), b"text\n".repeat(9)].concat());
    yard.commit("head");
    let gathered = yard.range("HEAD");
    assert!(text(&gathered, "diff data.csv").contains("\n+last();\n"));
    let mut reasons = left_out(&gathered);
    reasons.sort_unstable();
    let size = lines(150_000).len() + 8;
    assert_eq!(
        reasons,
        [
            ("data.csv", format!("too large: {size} bytes").as_str()),
            ("image.bin", "binary"),
            ("vast.csv", "too large: 37748736 bytes"),
            ("was-vast.rs", "its diff is binary"),
        ]
    );
    let mut changes = unseen_changes(&gathered);
    changes.sort_unstable();
    assert_eq!(changes, ["image.bin", "vast.csv", "was-vast.rs"], "the diff of the other one is shown");
    assert_eq!(text(&gathered, "file was-vast.rs"), "evil();\n");
}

#[test]
fn lines_without_text_hide_their_diff_and_not_the_file() {
    let yard = Yard::repository();
    yard.write("a.rs", lines(200));
    yard.write("b.rs", b"\0old\n");
    yard.commit("base");
    yard.write("a.rs", [lines(200).into_bytes(), vec![0xff; 600], b"\nevil();\n".to_vec()].concat());
    yard.write("b.rs", "now_a_text();\n");
    yard.commit("head");
    let gathered = yard.range("HEAD");
    assert_eq!(entries(&gathered), ["file a.rs", "file b.rs"]);
    assert!(text(&gathered, "file a.rs").ends_with("\u{fffd}\nevil();\n"));
    assert_eq!(left_out(&gathered), [("a.rs", "its diff is binary"), ("b.rs", "its diff is binary")]);
    assert_eq!(unseen_changes(&gathered), ["a.rs", "b.rs"]);
}

#[test]
fn a_file_that_became_a_link_is_shown_once_whatever_attributes_say() {
    let yard = Yard::repository();
    yard.write("a.rs", "text();\n");
    yard.commit("base");
    fs::remove_file(yard.path().join("a.rs")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", yard.path().join("a.rs")).unwrap();
    yard.write(".gitattributes", "* -diff\n");
    yard.commit("head");
    let gathered = yard.range("HEAD");
    assert_eq!(entries(&gathered), ["diff .gitattributes", "file .gitattributes", "diff a.rs"]);
    assert!(text(&gathered, "diff a.rs").contains("+/etc/passwd"));
    assert_eq!(left_out(&gathered), [("a.rs", "the old version is of another kind")]);
}

#[test]
fn a_submodule_that_says_it_does_not_count_is_told() {
    let (yard, other) = (Yard::repository(), Yard::repository());
    other.write("x", "x\n");
    other.commit("x");
    yard.write("a", "1\n");
    yard.git(&["submodule", "--quiet", "add", other.path().to_str().unwrap(), "module"]);
    yard.git(&["config", "--file", ".gitmodules", "submodule.module.ignore", "all"]);
    yard.commit("base");
    other.write("x", "evil\n");
    let evil = other.commit("evil");
    yard.write("a", "2\n");
    yard.git(&["add", "a"]);
    yard.git(&["update-index", "--cacheinfo", &format!("160000,{evil},module")]);
    yard.git(&["commit", "--quiet", "--message", "head"]);
    let gathered = yard.range("HEAD");
    assert_eq!((left_out(&gathered), unseen_changes(&gathered)), (vec![("module", "a submodule")], vec!["module"]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_text_is_told() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let yard = Yard::repository();
    yard.write("a", "1\n");
    yard.commit("base");
    fs::write(yard.path().join(OsStr::from_bytes(b"evil\xff.py")), "evil()\n").unwrap();
    yard.write("a", "2\n");
    yard.commit("head");
    let gathered = yard.range("HEAD");
    assert_eq!(entries(&gathered), ["diff a", "file a"]);
    assert_eq!(left_out(&gathered), [("evil\u{fffd}.py", "its name cannot be shown")]);
    assert_eq!(unseen_changes(&gathered), ["evil\u{fffd}.py"]);
}
