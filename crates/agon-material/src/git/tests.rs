//! Calls that hang, answer too much, or would run something else.

use std::{fs, time::Instant};

use super::*;

const SHORT: Duration = Duration::from_millis(1_500);
/// Far below the limit of a call, and far above what git takes.
const SOON: Duration = Duration::from_secs(20);

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made = GitProgram::at(folder.path()).read_output(&["init", "--quiet"], 1_000).unwrap();
    assert!(made.is_success, "{}", made.complaint);
    folder
}

/// A call with a short limit, and what it took.
fn timed(folder: &Path, arguments: &[&str]) -> (Result<GitEnd<Vec<u8>>, GitFault>, Duration) {
    let started = Instant::now();
    let program = GitProgram { limit: SHORT, ..GitProgram::at(folder) };
    (program.read_output(arguments, 1_000), started.elapsed())
}

/// Puts an alias into the configuration: a program that git starts.
fn alias(folder: &Path, script: &str) {
    let config = folder.join(".git/config");
    let before = fs::read_to_string(&config).unwrap();
    fs::write(config, format!("{before}[alias]\n\tslow = \"!{script}\"\n")).unwrap();
}

#[test]
fn a_git_that_waits_for_ever_ends_with_one_message() {
    let folder = repository();
    // git reads a file that its configuration names, and a pipe without a writer has no end.
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let config = folder.path().join(".git/config");
    let before = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{before}[include]\n\tpath = {}\n", pipe.display())).unwrap();
    let (answer, took) = timed(folder.path(), &["rev-parse", "--git-dir"]);
    let fault = answer.unwrap_err();
    assert_eq!(fault.to_string(), "git rev-parse did not end within 1 s, and was stopped");
    assert!(took < SOON, "{took:?}");
}

#[test]
fn programs_that_git_started_are_ended_with_it() {
    let folder = repository();
    let late = folder.path().join("late");
    alias(folder.path(), &format!("sleep 4; touch {}", late.display()));
    let (answer, took) = timed(folder.path(), &["slow"]);
    assert!(matches!(answer, Err(GitFault::Elapsed { .. })) && took < SOON, "{took:?}");
    thread::sleep(Duration::from_secs(4));
    assert!(!late.exists(), "a program outlived its call");
}

#[test]
fn an_answer_has_a_limit() {
    let folder = repository();
    alias(folder.path(), "yes");
    let (answer, took) = timed(folder.path(), &["slow"]);
    assert_eq!(answer.unwrap_err(), GitFault::TooLong { command: "slow".into(), bytes: 1_000 });
    assert!(took < SOON, "{took:?}");
}

#[test]
fn nobody_is_asked_and_nothing_is_fetched() {
    let folder = repository();
    let trap = folder.path().join("trap");
    let touch = format!("touch {}", trap.display());
    let asked = GitProgram::at(folder.path())
        .read_output(
            &[
                "-c",
                &format!("core.askPass={touch}"),
                "-c",
                &format!("credential.helper=!{touch};"),
                "-c",
                &format!("core.sshCommand={touch}"),
                "ls-remote",
                "ssh://127.0.0.1/nothing",
            ],
            1_000,
        )
        .unwrap();
    assert!(!asked.is_success && asked.complaint.contains("not allowed"), "{}", asked.complaint);
    assert!(!trap.exists(), "a program of the repository was run");
}

#[test]
fn a_complaint_is_one_line_without_control_characters() {
    assert_eq!(first_complaint_line("fatal: bad \u{1b}[31mname\nmore\n"), "bad [31mname");
    assert_eq!(first_complaint_line(""), "it gave no reason");
}
