//! Files and folders of the working tree.

use super::*;

#[test]
fn a_folder_is_read_in_the_order_of_its_paths() {
    let yard = Yard::new();
    for path in ["src/b.rs", "src/a/x.rs", "src/a.rs", "other.rs"] {
        yard.write(path, format!("// {path}\n"));
    }
    let gathered = yard.folder_named("src");
    assert_eq!(entries(&gathered), ["file src/a/x.rs", "file src/a.rs", "file src/b.rs"]);
    assert_eq!(text(&gathered, "file src/a.rs"), "// src/a.rs\n");
    assert_eq!(gathered.sources, ["src"]);
    let manifest = gathered.build_manifest();
    assert_eq!((manifest.files[0].bytes, manifest.files[0].lines), (14, 1));
    assert_eq!(entries(&yard.folder_named(".")).len(), 4);
    assert_eq!(entries(&yard.folder_named("./src/b.rs")), ["file src/b.rs"]);
}

#[test]
fn paths_outside_begin_with_the_name_of_their_folder() {
    let (yard, other) = (Yard::new(), Yard::new());
    let file = other.write("docs/deep/a.md", "text\n");
    let folder = MaterialSource::Path(other.path().join("docs"));
    assert_eq!(entries(&yard.gather(&[folder]).unwrap()), ["file docs/deep/a.md"]);
    assert_eq!(entries(&yard.gather(&[MaterialSource::Path(file)]).unwrap()), ["file a.md"]);
}

#[test]
fn ignore_rules_and_hidden_files_are_respected_unless_named() {
    let yard = Yard::new();
    yard.write(".gitignore", "node_modules/\n*.log\n/build\n");
    yard.write("sub/.ignore", "skipped.txt\n");
    for path in [
        "a.txt",
        "a.log",
        "build/x.txt",
        "node_modules/m/i.js",
        ".env",
        ".github/ci.yml",
        "sub/skipped.txt",
        "sub/b.txt",
    ] {
        yard.write(path, "text\n");
    }
    assert_eq!(entries(&yard.folder_named(".")), ["file a.txt", "file sub/b.txt"]);
    // The rules of the folders above hold too.
    yard.write("sub/c.log", "text\n");
    assert_eq!(entries(&yard.folder_named("sub")), ["file sub/b.txt"]);
    for (named, path) in [(".env", "file .env"), ("a.log", "file a.log"), (".github", "file .github/ci.yml")] {
        assert_eq!(entries(&yard.folder_named(named)), [path]);
    }
}

#[test]
fn a_folder_that_is_not_ignored_is_read() {
    let yard = Yard::new();
    yard.write("node_modules/m/i.js", "text\n");
    assert_eq!(entries(&yard.folder_named(".")), ["file node_modules/m/i.js"]);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (yard, outside) = (Yard::new(), Yard::new());
    let secret = outside.write("secret.txt", "secret\n");
    yard.write("in/a.txt", "text\n");
    yard.write("in/.hidden", "hidden\n");
    yard.write("in/sub/b.txt", "text\n");
    symlink(&secret, yard.path().join("in/file")).unwrap();
    symlink(outside.path(), yard.path().join("in/folder")).unwrap();
    symlink("../in/sub", yard.path().join("in/inner")).unwrap();
    symlink(".hidden", yard.path().join("in/twin")).unwrap();
    symlink("missing", yard.path().join("in/zero")).unwrap();
    let gathered = yard.folder_named("in");
    assert_eq!(entries(&gathered), ["file in/a.txt", "file in/sub/b.txt"]);
    assert_eq!(
        left_out(&gathered),
        [
            ("in/file", "a link that leaves the folder"),
            ("in/folder", "a link that leaves the folder"),
            ("in/inner", "a link to a folder"),
            ("in/twin", "a link; name its target"),
            ("in/zero", "a link to a missing file"),
        ]
    );
}

#[test]
fn what_is_not_a_text_of_people_is_left_out_with_its_reason() {
    let yard = Yard::new();
    yard.write("a.txt", "text\n");
    yard.write("b.png", b"\x89PNG\0");
    yard.write("c.txt", b"caf\xe9\n");
    yard.write("c.utf16", "caf\u{e9}".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    yard.write("d.csv", vec![b'1'; (2 << 20) + 1]);
    yard.write("e.min.js", "a=1\n");
    yard.write("Cargo.lock", "[[package]]\n");
    let gathered = yard.folder_named(".");
    assert_eq!(entries(&gathered), ["file a.txt", "file c.txt"]);
    assert_eq!(text(&gathered, "file c.txt"), "caf\u{fffd}\n");
    assert_eq!(unseen_changes(&gathered), [""; 0], "nothing was compared");
    assert_eq!(
        left_out(&gathered),
        [
            ("Cargo.lock", "generated"),
            ("b.png", "binary"),
            ("c.utf16", "binary"),
            ("d.csv", "too large: 2097153 bytes"),
            ("e.min.js", "generated"),
        ]
    );
    assert_eq!(entries(&yard.folder_named("Cargo.lock")), ["file Cargo.lock"], "it was named itself");
    let nothing = yard.fault(MaterialSource::Path("b.png".into()));
    assert_eq!(nothing.to_string(), "nothing is left of the material: b.png (binary)");
}

#[cfg(unix)]
#[test]
fn odd_names_and_files_are_left_out() {
    use std::os::unix::net::UnixListener;
    let yard = Yard::new();
    yard.write("line\nfeed.txt", "text\n");
    yard.write("space \"quote\" ä.txt", "text\n");
    let _socket = UnixListener::bind(yard.path().join("socket")).unwrap();
    let gathered = yard.folder_named(".");
    assert_eq!(entries(&gathered), ["file space \"quote\" ä.txt"]);
    assert_eq!(left_out(&gathered), [("linefeed.txt", "its name cannot be shown"), ("socket", "not a regular file")]);
}

#[test]
fn a_path_that_does_not_exist_is_an_error() {
    let yard = Yard::new();
    let missing = yard.fault(MaterialSource::Path("src/a.rs".into()));
    assert_eq!(missing, GatherError::NotFound("src/a.rs".into()));
    fs::create_dir(yard.path().join("empty")).unwrap();
    let empty = yard.fault(MaterialSource::Path("empty".into()));
    assert_eq!(empty.to_string(), "nothing is left of the material; no file was found");
}

#[test]
fn too_many_files_are_an_error() {
    let yard = Yard::new();
    for folder in 0..20 {
        fs::create_dir(yard.path().join(format!("{folder}"))).unwrap();
        for file in 0..=1_000 {
            fs::write(yard.path().join(format!("{folder}/{file}")), "").unwrap();
        }
    }
    let error = yard.fault(MaterialSource::Path(".".into()));
    assert_eq!(error, GatherError::TooManyFiles(".".into()));
    // What is left out counts, too: the list of it is kept with the debate.
    for folder in 0..20 {
        for file in 0..1_000 {
            let name = |end: &str| yard.path().join(format!("{folder}/{file}{end}"));
            fs::rename(name(""), name(".min.js")).unwrap();
        }
    }
    let error = yard.fault(MaterialSource::Path(".".into()));
    assert_eq!(error, GatherError::TooManyFiles(".".into()));
    fs::remove_dir_all(yard.path().join("0")).unwrap();
    let gathered = yard.folder_named(".");
    assert_eq!((gathered.files.len(), gathered.left_out.len()), (19, 19_000));
    let twice = ["1", "."].map(|path| MaterialSource::Path(path.into()));
    assert!(yard.gather(&twice).is_ok(), "what two sources leave out counts once");
}

#[test]
fn too_many_bytes_are_an_error() {
    let yard = Yard::new();
    let block = yard.write("000", vec![b'a'; 2 << 20]);
    for file in 1..129 {
        fs::hard_link(&block, yard.path().join(format!("{file:03}"))).unwrap();
    }
    let error = yard.fault(MaterialSource::Path(".".into()));
    assert_eq!(error, GatherError::TooManyBytes(".".into()));
    fs::remove_file(yard.path().join("000")).unwrap();
    assert_eq!(yard.folder_named(".").files.len(), 128);
}

#[cfg(unix)]
#[test]
fn a_named_link_out_of_the_working_folder_is_refused() {
    use std::os::unix::fs::symlink;
    let (yard, other) = (Yard::new(), Yard::new());
    let secret = other.write("secret/key.txt", "secret\n");
    yard.write("in/own.txt", "own\n");
    symlink(&secret, yard.path().join("in/link")).unwrap();
    symlink(other.path().join("secret"), yard.path().join("in/folder")).unwrap();
    symlink("own.txt", yard.path().join("in/alias")).unwrap();
    for path in ["in/link", "./in/link", "in/folder", "in/folder/key.txt"] {
        let wanted = GatherError::LinkOut(path.into());
        assert_eq!(yard.fault(MaterialSource::Path(path.into())), wanted);
    }
    assert_eq!(entries(&yard.folder_named("in/alias")), ["file in/own.txt"]);
    // What is named as it is, is meant.
    assert_eq!(entries(&yard.gather(&[MaterialSource::Path(secret)]).unwrap()), ["file key.txt"]);
}
