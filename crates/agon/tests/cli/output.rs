//! Output that cannot be written: a full disk is an error, a reader that went away is none.

use std::{fs::OpenOptions, process::Stdio};

use crate::cli::workspace::Workspace;

const COMMANDS: [&[&str]; 7] = [
    &["list"],
    &["show", "d1", "--output", "json"],
    &["protocols", "list"],
    &["completions", "bash"],
    &["completions", "fish"],
    &["man"],
    &["--help"],
];

#[test]
fn output_on_a_full_disk_is_told_by_the_exit_code() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        println!("there is no /dev/full here: nothing was tested");
        return;
    };
    let workspace = Workspace::new();
    workspace.debate(&[]);
    for args in COMMANDS {
        let ran = workspace.command(args).stdout(full.try_clone().unwrap()).output().unwrap();
        let told = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(7), "{args:?}: {told}");
        assert!(told.contains("the output could not be written"), "{args:?}: {told}");
        assert!(!told.contains("panicked"), "{args:?}: {told}");
    }
    let failed = workspace.command(&["show", "nope"]).stdout(full).output().unwrap();
    assert_eq!(failed.status.code(), Some(8), "what failed first is told");
}

#[test]
fn a_reader_that_goes_away_ends_a_command_in_peace() {
    let workspace = Workspace::new();
    workspace.debate(&[]);
    for args in COMMANDS {
        let mut child = workspace.command(args).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = child.wait_with_output().unwrap();
        let told = String::from_utf8(ran.stderr).unwrap();
        assert_eq!((ran.status.code(), told.as_str()), (Some(0), ""), "{args:?}");
    }
}
