//! Versions in git.

use super::*;

#[test]
fn a_range_has_diffs_and_new_contents() {
    let yard = Yard::repository();
    yard.write("kept.rs", "same\n");
    yard.write("changed.rs", "one\ntwo\nthree\n");
    yard.write("deleted.rs", "gone\n");
    yard.write("old name.rs", "a\nb\nc\nd\ne\nf\n");
    yard.commit("base");
    yard.git(&["tag", "base"]);
    yard.write("changed.rs", "one\nTWO\nthree\n");
    yard.write("new.rs", "fresh\n");
    fs::remove_file(yard.path().join("deleted.rs")).unwrap();
    fs::rename(yard.path().join("old name.rs"), yard.path().join("new name.rs")).unwrap();
    yard.commit("head");
    // What is not committed does not count.
    yard.write("changed.rs", "dirty\n");
    let gathered = yard.range("base..HEAD");
    assert_eq!(
        entries(&gathered),
        [
            "diff changed.rs",
            "file changed.rs",
            "diff deleted.rs",
            "diff new name.rs",
            "file new name.rs",
            "diff new.rs",
            "file new.rs",
        ]
    );
    assert_eq!(text(&gathered, "file changed.rs"), "one\nTWO\nthree\n");
    assert!(text(&gathered, "diff changed.rs").contains("@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"));
    assert!(text(&gathered, "diff deleted.rs").contains("-gone\n"));
    assert!(text(&gathered, "diff new name.rs").contains("rename from old name.rs\n"));
    assert_eq!(gathered.sources, ["git:base..HEAD"]);
    assert_eq!(left_out(&gathered), []);
    // From a folder below, paths are still those of the repository.
    let below = yard.path().join("sub");
    fs::create_dir(&below).unwrap();
    let source = SourceForSeats { source: MaterialSource::Git("base..".into()), seats: Vec::new() };
    assert_eq!(
        entries(&gather_sources(&below, &[source], GatherRules { is_own: &|_| false, with_tree: false }).unwrap()),
        entries(&gathered)
    );
}

#[test]
fn each_form_of_a_range_compares_its_two_ends() {
    let yard = Yard::repository();
    yard.write("a", "1\n");
    yard.commit("first");
    yard.git(&["checkout", "--quiet", "-b", "topic"]);
    yard.write("b", "2\n");
    yard.commit("on topic");
    yard.git(&["checkout", "--quiet", "main"]);
    yard.write("c", "3\n");
    yard.commit("on main");
    yard.git(&["checkout", "--quiet", "topic"]);
    for (range, wanted) in [
        ("main...topic", vec!["diff b", "file b"]),
        ("main...", vec!["diff b", "file b"]),
        ("main..topic", vec!["diff b", "file b", "diff c"]),
        ("main..", vec!["diff b", "file b", "diff c"]),
        ("..main", vec!["diff b", "diff c", "file c"]),
        ("topic", vec!["diff b", "file b"]),
        ("", vec!["diff b", "file b"]),
        ("HEAD~1", vec!["diff a", "file a"]),
    ] {
        assert_eq!(entries(&yard.range(range)), wanted, "{range}");
    }
    // A merge is compared with its first parent.
    yard.git(&["merge", "--quiet", "--no-edit", "main"]);
    assert_eq!(entries(&yard.range("HEAD")), ["diff c", "file c"]);
}

#[test]
fn what_is_not_a_text_of_people_is_left_out_of_a_range() {
    let yard = Yard::repository();
    yard.commit("base");
    yard.write("Cargo.lock", "x\n");
    yard.write("crlf.txt", "one\r\ntwo\r\n");
    yard.write("latin.txt", b"caf\xe9 \xc3\xa0 la carte\n");
    yard.write("cyrillic.txt", b"\xcf\xf0\xe8\xe2\xe5\xf2\n".repeat(20));
    yard.write("photo.png", b"\x89PNG\0");
    yard.write("huge.txt", "a line\n".repeat(400_000));
    yard.commit("head");
    let gathered = yard.range("HEAD");
    assert_eq!(entries(&gathered), ["diff crlf.txt", "file crlf.txt", "diff latin.txt", "file latin.txt"]);
    assert_eq!(text(&gathered, "file latin.txt"), "caf\u{fffd} \u{e0} la carte\n");
    assert!(text(&gathered, "diff latin.txt").contains("+caf\u{fffd} \u{e0} la carte\n"));
    assert_eq!(text(&gathered, "file crlf.txt"), "one\r\ntwo\r\n");
    assert!(text(&gathered, "diff crlf.txt").contains("+one\r\n+two\r\n"));
    let mut reasons = left_out(&gathered);
    reasons.sort_unstable();
    assert_eq!(
        reasons,
        [
            ("Cargo.lock", "generated"),
            ("cyrillic.txt", "binary"),
            ("huge.txt", "its diff is too large: 3200127 bytes"),
            ("huge.txt", "too large: 2800000 bytes"),
            ("photo.png", "binary"),
        ]
    );
    let mut changes = unseen_changes(&gathered);
    changes.sort_unstable();
    assert_eq!(changes, ["Cargo.lock", "cyrillic.txt", "huge.txt", "photo.png"]);
}

#[cfg(unix)]
#[test]
fn links_submodules_and_odd_names_in_a_range() {
    use std::os::unix::fs::symlink;
    let (yard, other) = (Yard::repository(), Yard::repository());
    other.write("x", "x\n");
    other.commit("x");
    yard.write("plain", "text\n");
    yard.write("ä \"q\".txt", "1\n");
    yard.commit("base");
    symlink("/etc/passwd", yard.path().join("link")).unwrap();
    fs::remove_file(yard.path().join("plain")).unwrap();
    symlink("/etc/passwd", yard.path().join("plain")).unwrap();
    yard.write("ä \"q\".txt", "2\n");
    yard.write("tab\there", "1\n");
    yard.git(&["submodule", "--quiet", "add", other.path().to_str().unwrap(), "module"]);
    yard.commit("head");
    let gathered = yard.range("HEAD");
    assert_eq!(
        entries(&gathered),
        ["diff .gitmodules", "file .gitmodules", "diff link", "diff plain", "diff ä \"q\".txt", "file ä \"q\".txt"]
    );
    assert!(text(&gathered, "diff link").contains("+/etc/passwd"), "the link itself, not what it leads to");
    assert_eq!(
        left_out(&gathered),
        [
            ("plain", "the old version is of another kind"),
            ("module", "a submodule"),
            ("tabhere", "its name cannot be shown")
        ]
    );
}

#[test]
fn settings_of_the_repository_change_nothing() {
    let yard = Yard::repository();
    yard.write("a.rs", "1\n");
    yard.commit("base");
    yard.write("a.rs", "2\n");
    yard.commit("head");
    let before = yard.range("HEAD");
    let trap = yard.path().join("trap");
    yard.write(".git/info/attributes", "*.rs diff=trap\n");
    let touch = format!("touch {}; false", trap.display());
    for (name, value) in [
        ("diff.external", touch.as_str()),
        ("diff.trap.textconv", &touch),
        ("diff.trap.command", &touch),
        ("core.fsmonitor", &touch),
        ("core.pager", &touch),
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "0"),
        ("color.ui", "always"),
        ("diff.renames", "false"),
    ] {
        yard.git(&["config", name, value]);
    }
    assert_eq!(yard.range("HEAD"), before);
    assert!(!trap.exists(), "a program of the repository was run");
}

#[test]
fn what_git_cannot_compare_is_an_error_with_a_remedy() {
    let git = |range: &str| MaterialSource::Git(range.into());
    let outside = Yard::new();
    assert!(matches!(outside.fault(git("HEAD")), GatherError::NotARepository(_)));
    let yard = Yard::repository();
    assert!(matches!(yard.fault(git("HEAD")), GatherError::NoCommits(_)));
    yard.write("a", "1\n");
    yard.commit("base");
    for revision in ["nothing", "--help", "-1", "--output=x", "a b", "$(touch x)", ";", "HEAD~5"] {
        let wanted = GatherError::UnknownRevision(revision.into());
        assert_eq!(yard.fault(git(revision)), wanted);
        assert_eq!(yard.fault(git(&format!("HEAD..{revision}"))), wanted);
    }
    assert!(!yard.path().join("x").exists());
    let empty = yard.fault(git("HEAD..HEAD"));
    assert_eq!(empty.to_string(), "the diff of git:HEAD..HEAD is empty");
    yard.git(&["checkout", "--quiet", "--orphan", "island"]);
    yard.commit("island");
    let apart = yard.fault(git("main...island"));
    assert_eq!(apart, GatherError::NoMergeBase { base: "main".into(), head: "island".into() });
}

#[test]
fn the_changes_at_hand_are_found_without_running_anything() {
    use agon_material::local_changes::{ChangesAtHand, find_changes};
    let outside = Yard::new();
    assert_eq!(find_changes(outside.path(), &|_| false), Ok(None));
    let yard = Yard::repository();
    assert_eq!(find_changes(yard.path(), &|_| false), Ok(None), "no commits");
    yard.write("src/a.rs", "1\n");
    yard.write("b.rs", "1\n");
    yard.commit("begin");
    let last = ChangesAtHand::LastCommit { subject: "begin".into() };
    assert_eq!(find_changes(yard.path(), &|_| false), Ok(Some(last)));
    yard.git(&["checkout", "--quiet", "-b", "topic"]);
    yard.write("b.rs", "22\n");
    yard.commit("two");
    let ahead = ChangesAtHand::Branch { main: "main".into(), commits: 1 };
    assert_eq!(find_changes(yard.path(), &|_| false), Ok(Some(ahead)));
    // A filter would run if git compared contents.
    let trap = yard.path().join("trap");
    yard.git(&["config", "filter.trap.clean", &format!("touch {}; cat", trap.display())]);
    yard.write(".git/info/attributes", "*.rs filter=trap\n");
    // Of the same length, and perhaps within the time that git can tell apart: then git reads the file.
    yard.write("src/a.rs", "3\n");
    yard.write("new.rs", "not in git\n");
    fs::remove_file(yard.path().join("b.rs")).unwrap();
    let uncommitted = |changed, new| Ok(Some(ChangesAtHand::Uncommitted { changed, new }));
    assert_eq!(find_changes(yard.path(), &|_| false), uncommitted(2, 1), "changed, deleted and new");
    assert_eq!(find_changes(&yard.path().join("src"), &|_| false), uncommitted(2, 1), "of the whole repository");
    assert!(!trap.exists(), "a program of the repository was run");
}

#[test]
fn files_that_are_only_new_come_after_the_commits_of_a_branch() {
    use agon_material::local_changes::{ChangesAtHand, find_changes};
    let yard = Yard::repository();
    yard.write("a.rs", "1\n");
    yard.write(".gitignore", "*.log\n");
    yard.commit("begin");
    yard.write("x.log", "ignored\n");
    assert!(matches!(find_changes(yard.path(), &|_| false), Ok(Some(ChangesAtHand::LastCommit { .. }))));
    yard.write("new.rs", "1\n");
    assert_eq!(find_changes(yard.path(), &|_| false), Ok(Some(ChangesAtHand::Uncommitted { changed: 0, new: 1 })));
    yard.git(&["checkout", "--quiet", "-b", "topic"]);
    yard.write("a.rs", "22\n");
    yard.git(&["commit", "--quiet", "-a", "-m", "two"]);
    assert_eq!(
        find_changes(yard.path(), &|_| false),
        Ok(Some(ChangesAtHand::Branch { main: "main".into(), commits: 1 }))
    );
    fs::remove_file(yard.path().join("a.rs")).unwrap();
    assert_eq!(find_changes(yard.path(), &|_| false), Ok(Some(ChangesAtHand::Uncommitted { changed: 1, new: 1 })));
}
