//! The journal in a database: which one is used, what is refused, and copies. Tests with a server run where
//! `AGON_TEST_POSTGRES` is its address, as `scripts/postgres` prints it.

use std::process::Stdio;

use crate::cli::{
    database::address,
    workspace::{Ran, Workspace},
};

/// Runs agon with `AGON_JOURNAL`.
fn with(workspace: &Workspace, address: &str, args: &[&str]) -> Ran {
    let output = workspace.command(args).env("AGON_JOURNAL", address).output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn what_is_no_address_is_refused_before_anything_is_done() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    for bad in ["/a/folder", "postgres://ann:s3cret@db/team", "postgres://ann@db/team?schema=A;B"] {
        let ran = with(&workspace, bad, &["run", "exchange", "x", "--model", &model]);
        assert_eq!(ran.code, 2, "{bad}: {}", ran.err);
        assert!(ran.err.contains("AGON_JOURNAL") && !ran.err.contains("s3cret"), "{bad}: {}", ran.err);
    }
    let ran = workspace.agon(&["journal", "copy", "nowhere", "also-nowhere"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("nowhere has no journal"), "{}", ran.err);
    assert!(!workspace.work().join("nowhere").exists() && !workspace.work().join("also-nowhere").exists());
}

#[test]
fn a_copy_in_another_folder_is_whole_and_a_second_copy_changes_nothing() {
    let workspace = Workspace::new();
    workspace.debate(&[]);
    let home = workspace.home().display().to_string();
    let first = workspace.json(&["journal", "copy", &home, "copied"]);
    assert_eq!((&first["copy"]["debates"], &first["copy"]["copied"]), (&1.into(), &1.into()));
    assert!(first["copy"]["texts"].as_u64().unwrap() > 0 && first["copy"]["calls"].as_u64().unwrap() > 0);
    let second = workspace.json(&["journal", "copy", &home, "copied"]);
    assert_eq!(second["copy"]["unchanged"], 1);
    let exported = |home: &str| {
        let output = workspace.command(&["export", "d1", "--format", "record"]).env("AGON_HOME", home).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    assert_eq!(exported(&home), exported("copied"));
}

#[test]
fn a_server_that_is_not_there_is_named_with_code_7() {
    if !cfg!(feature = "cluster") {
        return;
    }
    let workspace = Workspace::new();
    let ran = with(&workspace, "postgres://ann@127.0.0.1:1/team", &["list"]);
    assert_eq!(ran.code, 7, "{}", ran.err);
    assert!(ran.err.contains("postgres://ann@127.0.0.1:1/team"), "{}", ran.err);
}

#[test]
fn a_server_under_an_unknown_certificate_is_refused_with_code_7() {
    let Ok(address) = std::env::var("AGON_TEST_POSTGRES_TLS") else { return };
    let (plain, _) = address.split_once('?').unwrap();
    let workspace = Workspace::new();
    let ran = with(&workspace, &format!("{plain}?sslmode=verify-full"), &["list"]);
    assert_eq!(ran.code, 7, "{}", ran.err);
    assert!(ran.err.contains("not trusted here") && ran.err.contains("sslrootcert"), "{}", ran.err);
    let ran = with(&workspace, &format!("{address}&schema=cli_tls"), &["list"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn a_debate_in_a_database_is_like_one_in_a_file() {
    let Some(address) = address("like") else { return };
    let (here, there) = (Workspace::new(), Workspace::new());
    here.debate(&[]);
    let model = there.willing();
    let run = ["run", "exchange", "This house would rest.", "--id", "d1", "--out", "d", "--model", &model];
    let ran = with(&there, &address, &run);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!there.home().join("journal.db").exists());
    for (one, two) in here.files("d").into_iter().zip(there.files("d")) {
        assert_eq!(one.0, two.0);
        // Other files have times in them.
        if one.0 == "transcript.md" || one.0.starts_with("arguments/") {
            assert_eq!(one.1, two.1, "{}", one.0);
        }
    }
    let again = with(&there, &address, &run);
    assert_eq!(again.code, 5, "{}", again.err);
    let replayed = with(&there, &address, &["replay", "d1"]);
    assert_eq!(replayed.code, 0, "{}{}", replayed.out, replayed.err);
    // Back into a file, byte for byte.
    let copied = there.json(&["journal", "copy", &address, "copied"]);
    assert_eq!(copied["copy"]["copied"], 1);
}

#[test]
fn who_drives_a_debate_is_named_across_processes() {
    let Some(address) = address("drives") else { return };
    let workspace = Workspace::new();
    let slow = workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 20000}]}"#);
    let model = format!("scripted:{}", slow.display());
    let mut driver = workspace
        .command(&["run", "exchange", "x", "--id", "d1", "--model", &model])
        .env("AGON_JOURNAL", &address)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = std::time::Instant::now();
    let held = loop {
        let ran = with(&workspace, &address, &["resume", "d1"]);
        if ran.code == 5 || began.elapsed().as_secs() > 20 {
            break ran;
        }
    };
    assert_eq!(held.code, 5, "{}", held.err);
    assert!(held.err.contains(&format!("process {}", driver.id())), "{}", held.err);
    driver.kill().unwrap();
    driver.wait().unwrap();
}
