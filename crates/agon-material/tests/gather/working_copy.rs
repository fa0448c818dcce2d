//! Changes that are not committed.

use super::*;

fn working_copy(yard: &Yard) -> Gathered {
    yard.range(".")
}

#[test]
fn all_that_is_not_committed_is_a_change() {
    let yard = Yard::repository();
    yard.write("edited.rs", "one\ntwo\nthree\n");
    yard.write("staged.rs", "1\n");
    yard.write("deleted.rs", "gone\n");
    yard.write("old.rs", "a\nb\nc\nd\ne\nf\n");
    yard.write("same.rs", "same\n");
    yard.write(".gitignore", "*.log\n");
    yard.commit("base");
    yard.write("edited.rs", "one\nTWO\nthree\n");
    yard.write("staged.rs", "2\n");
    yard.git(&["add", "staged.rs"]);
    fs::remove_file(yard.path().join("deleted.rs")).unwrap();
    fs::rename(yard.path().join("old.rs"), yard.path().join("moved.rs")).unwrap();
    yard.write("new \"1\".rs", "fresh\n");
    yard.write("x.log", "ignored\n");
    // Another time alone is not a change.
    yard.write("same.rs", "same\n");
    let (before, status) = (objects(&yard), yard.git(&["status", "--porcelain"]));
    let gathered = working_copy(&yard);
    assert_eq!(
        entries(&gathered),
        [
            "diff deleted.rs",
            "diff edited.rs",
            "file edited.rs",
            "diff moved.rs",
            "file moved.rs",
            "diff new \"1\".rs",
            "file new \"1\".rs",
            "diff staged.rs",
            "file staged.rs",
        ]
    );
    assert!(text(&gathered, "diff edited.rs").contains("@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"));
    assert!(text(&gathered, "diff moved.rs").contains("rename from old.rs\n"));
    assert_eq!(text(&gathered, "file new \"1\".rs"), "fresh\n");
    assert_eq!((gathered.sources.as_slice(), left_out(&gathered)), (&["git:.".to_owned()][..], vec![]));
    assert_eq!((objects(&yard), yard.git(&["status", "--porcelain"])), (before, status), "the repository changed");
    let below = yard.path().join("sub");
    fs::create_dir(&below).unwrap();
    let source = SourceForSeats { source: MaterialSource::Git(".".into()), seats: Vec::new() };
    assert_eq!(
        entries(&gather_sources(&below, &[source], GatherRules { is_own: &|_| false, with_tree: false }).unwrap()),
        entries(&gathered),
        "from a folder below"
    );
}

/// The objects of a repository, by their names.
fn objects(yard: &Yard) -> String {
    yard.git(&["cat-file", "--batch-all-objects", "--batch-check"])
}

#[test]
fn what_the_caller_wrote_itself_is_no_change() {
    let yard = Yard::repository();
    yard.write("a.rs", "1\n");
    yard.write("out/kept.md", "1\n");
    yard.commit("base");
    let sources = [SourceForSeats { source: MaterialSource::Git(".".into()), seats: Vec::new() }];
    let gather = || {
        gather_sources(
            yard.path(),
            &sources,
            GatherRules { is_own: &|path| path.to_string_lossy().contains("/out/"), with_tree: false },
        )
    };
    yard.write("out/new.md", "1\n");
    yard.write("out/kept.md", "2\n");
    assert!(matches!(gather(), Err(GatherError::EmptyDiff(_))));
    let at_hand =
        agon_material::local_changes::find_changes(yard.path(), &|path| path.to_string_lossy().contains("/out/"));
    assert!(matches!(at_hand, Ok(Some(agon_material::local_changes::ChangesAtHand::LastCommit { .. }))), "{at_hand:?}");
    yard.write("a.rs", "2\n");
    let gathered = gather().unwrap();
    assert_eq!(entries(&gathered), ["diff a.rs", "file a.rs"]);
    assert_eq!(gathered.notes, ["git:.: without 2 files that agon itself wrote"]);
}

#[test]
fn a_working_copy_without_changes_is_an_empty_diff() {
    let yard = Yard::repository();
    let fault = |yard: &Yard| yard.fault(MaterialSource::Git(".".into()));
    assert!(matches!(fault(&yard), GatherError::NoCommits(_)));
    yard.write("a", "1\n");
    yard.commit("first");
    yard.write("a", "1\n");
    assert!(matches!(fault(&yard), GatherError::EmptyDiff(_)));
}

#[test]
fn a_folder_in_place_of_a_file_and_the_reverse_are_changes() {
    let yard = Yard::repository();
    yard.write("file", "1\n");
    yard.write("folder/a", "2\n");
    yard.commit("base");
    fs::remove_file(yard.path().join("file")).unwrap();
    yard.write("file/b", "3\n");
    fs::remove_dir_all(yard.path().join("folder")).unwrap();
    yard.write("folder", "4\n");
    let gathered = working_copy(&yard);
    assert_eq!(
        entries(&gathered),
        ["diff file", "diff file/b", "file file/b", "diff folder", "file folder", "diff folder/a"]
    );
}

#[cfg(unix)]
#[test]
fn nothing_outside_is_read_and_no_program_runs() {
    use std::os::unix::fs::symlink;
    let outside = Yard::new();
    outside.write("a.rs", "secret\n");
    let yard = Yard::repository();
    yard.write("folder/a.rs", "1\n");
    yard.write("b.rs", "1\n");
    yard.commit("base");
    let trap = outside.path().join("trap");
    yard.git(&["config", "filter.trap.clean", &format!("touch {}; cat", trap.display())]);
    yard.git(&["config", "core.fsmonitor", &format!("touch {}", trap.display())]);
    yard.write(".git/hooks/post-index-change", format!("#!/bin/sh\ntouch {}\n", trap.display()));
    yard.write(".gitattributes", "*.rs filter=trap\n");
    fs::remove_dir_all(yard.path().join("folder")).unwrap();
    symlink(outside.path(), yard.path().join("folder")).unwrap();
    symlink(outside.path().join("a.rs"), yard.path().join("link.rs")).unwrap();
    yard.write("b.rs", "2\n");
    yard.write("large.txt", vec![b'a'; (2 << 20) + 1]);
    yard.write("zero.bin", b"a\0b");
    let made = Command::new("mkfifo").arg(yard.path().join("pipe")).status().unwrap();
    assert!(made.success());
    let gathered = working_copy(&yard);
    assert_eq!(
        entries(&gathered),
        ["diff .gitattributes", "file .gitattributes", "diff b.rs", "file b.rs", "diff folder/a.rs"],
    );
    assert!(gathered.files.iter().all(|file| !file.text.contains("secret")));
    let reasons = left_out(&gathered);
    for (path, reason) in [
        ("folder", "a link; name its target"),
        ("link.rs", "a link; name its target"),
        ("large.txt", "too large: 2097153 bytes"),
        ("zero.bin", "binary"),
    ] {
        assert!(reasons.contains(&(path, reason)), "{path}: {reasons:?}");
    }
    assert!(!trap.exists(), "a program of the repository was run");
}

/// A time that git noted of no file.
fn touch(path: &Path) {
    let file = fs::OpenOptions::new().append(true).open(path).unwrap();
    let later = file.metadata().unwrap().modified().unwrap() + std::time::Duration::from_secs(100);
    file.set_modified(later).unwrap();
}

#[test]
fn what_git_calls_clean_is_no_change() {
    use agon_material::local_changes::{ChangesAtHand, find_changes};
    let yard = Yard::repository();
    yard.git(&["config", "core.autocrlf", "true"]);
    let text = |last: &str| format!("{}{last}\r\n", "same\r\n".repeat(50));
    yard.write("windows.txt", text("one"));
    yard.write("large.txt", vec![b'a'; (2 << 20) + 1]);
    let add = |arguments: &[&str]| {
        let all = [&["-c", "core.autocrlf=true", "-c", "core.safecrlf=false"], arguments].concat();
        yard.git(&all);
    };
    add(&["add", "--all"]);
    add(&["commit", "--quiet", "-m", "base"]);
    for path in ["windows.txt", "large.txt"] {
        touch(&yard.path().join(path));
    }
    assert!(matches!(yard.fault(MaterialSource::Git(".".into())), GatherError::EmptyDiff(_)));
    assert!(matches!(find_changes(yard.path(), &|_| false), Ok(Some(ChangesAtHand::LastCommit { .. }))));
    yard.write("windows.txt", text("two"));
    let gathered = working_copy(&yard);
    assert_eq!(entries(&gathered), ["diff windows.txt", "file windows.txt"]);
    assert!(text_of_diff(&gathered).ends_with("-one\n+two\n"), "{}", text_of_diff(&gathered));
    assert_eq!(left_out(&gathered), []);
}

fn text_of_diff(gathered: &Gathered) -> &str {
    text(gathered, "diff windows.txt")
}

#[test]
fn a_submodule_is_told_and_an_index_that_cannot_be_read_is_an_error() {
    let inner = Yard::repository();
    inner.write("a", "1\n");
    inner.commit("first");
    let yard = Yard::repository();
    yard.git(&["submodule", "--quiet", "add", inner.path().to_str().unwrap(), "sub"]);
    yard.commit("base");
    inner.write("a", "2\n");
    inner.commit("second");
    let pull = Command::new("git")
        .current_dir(yard.path().join("sub"))
        .args(["-c", "protocol.file.allow=always", "pull", "--quiet"])
        .status();
    assert!(pull.unwrap().success());
    let fault = yard.fault(MaterialSource::Git(".".into()));
    assert!(
        matches!(&fault, GatherError::NothingLeft(left_out) if left_out[0].path == "sub" && left_out[0].reason == "a submodule"),
        "{fault}"
    );
    yard.write(".git/index", "DIRC is not enough");
    assert!(matches!(yard.fault(MaterialSource::Git(".".into())), GatherError::Git(_)));
    assert!(agon_material::local_changes::find_changes(yard.path(), &|_| false).is_err());
}

#[test]
fn too_many_new_files_are_refused_before_they_are_read() {
    let yard = Yard::repository();
    yard.write("a", "1\n");
    yard.commit("base");
    for number in 0..=20_000 {
        fs::write(yard.path().join(format!("{number}.txt")), "").unwrap();
    }
    let fault = yard.fault(MaterialSource::Git(".".into()));
    assert_eq!(fault, GatherError::TooManyFiles("git:.".into()));
}

#[cfg(unix)]
#[test]
fn files_behind_a_link_are_gone_wherever_it_leads() {
    let yard = Yard::repository();
    yard.write("d/config", "mine\n");
    yard.commit("base");
    fs::remove_dir_all(yard.path().join("d")).unwrap();
    std::os::unix::fs::symlink(".git", yard.path().join("d")).unwrap();
    let gathered = working_copy(&yard);
    assert_eq!(entries(&gathered), ["diff d/config"]);
    assert!(text(&gathered, "diff d/config").contains("\n-mine\n"));
    assert_eq!(left_out(&gathered), [("d", "a link; name its target")]);
}

#[cfg(unix)]
#[test]
fn a_filter_whose_name_is_not_text_does_not_run() {
    use std::os::unix::ffi::OsStrExt;
    let yard = Yard::repository();
    yard.write("a.rs", "1\n");
    yard.commit("base");
    let trap = yard.path().join("trap");
    let mut config = fs::read(yard.path().join(".git/config")).unwrap();
    config.extend(b"[filter \"\xff\"]\n\tclean = \"touch ");
    config.extend(trap.as_os_str().as_bytes());
    config.extend(b"; cat\"\n");
    yard.write(".git/config", config);
    yard.write(".git/info/attributes", b"*.rs filter=\xff\n");
    yard.write("a.rs", "2\n");
    touch(&yard.path().join("a.rs"));
    assert_eq!(entries(&working_copy(&yard)), ["diff a.rs", "file a.rs"]);
    assert!(!trap.exists(), "a filter was run");
}

/// Git tells a file that was changed in the moment of the commit by comparing contents, since its time says nothing then.
#[test]
fn what_was_changed_in_the_moment_of_the_commit_is_a_change() {
    let yard = Yard::repository();
    yard.write("b.rs", "1\n");
    yard.commit("base");
    // The time of the last change of a file's entry cannot be set.
    yard.git(&["config", "core.trustctime", "false"]);
    let (file, index) = (yard.path().join("b.rs"), yard.path().join(".git/index"));
    let moment = fs::metadata(&file).unwrap().modified().unwrap();
    yard.write("b.rs", "2\n");
    for path in [&file, &index] {
        fs::File::options().write(true).open(path).unwrap().set_modified(moment).unwrap();
    }
    assert_eq!(entries(&working_copy(&yard)), ["diff b.rs", "file b.rs"]);
}
