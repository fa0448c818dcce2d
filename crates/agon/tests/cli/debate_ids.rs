//! Ids of debates: a unique beginning and `last` stand for the whole one, on every command that takes one.

use crate::cli::workspace::Workspace;

/// Two debates whose ids begin alike, the second one newer and with a companion.
fn two_debates() -> Workspace {
    let workspace = Workspace::new();
    let model = workspace.willing();
    for (id, more) in [("rest-days", &[][..]), ("rest-nights", &["--mirror"])] {
        let run = ["run", "exchange", "This house would rest.", "--model", &model, "--rounds", "0"];
        let ran = workspace.agon(&[&run[..], &["--id", id, "--out", id], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    workspace
}

#[test]
fn every_command_takes_a_beginning_of_an_id_and_last() {
    let workspace = two_debates();
    for named in ["rest-d", "last"] {
        let id = if named == "last" { "rest-nights" } else { "rest-days" };
        assert_eq!(workspace.json(&["show", named])["opened"]["debate"], id);
        assert_eq!(workspace.json(&["replay", named])["debate"], id);
        assert_eq!(workspace.json(&["check", named])["debate"], id);
        assert_eq!(workspace.json(&["label", named])["debate"], id);
        assert_eq!(workspace.json(&["seats", named])[0]["debate"], id);
        for args in [
            &["export", named, "--format", "record"][..],
            &["graph", named],
            &["watch", named],
            &["verify", named],
            &["resume", named],
            &["extend", named, "--rounds", "1"],
            &["fork", named, "--id", &format!("fork-of-{id}")],
            &["delete", &format!("fork-of-{}", &id[..6])],
        ] {
            let ran = workspace.agon(args);
            assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.out, ran.err);
        }
        for args in [
            &["cancel", named][..],
            &["pause", named],
            &["interject", named, "--text", "Who pays?"],
            &["answer", named, "--seat", "judge", "--text", "x"],
        ] {
            let ran = workspace.agon(args);
            // The debate is found, and it is over.
            assert!([2, 5].contains(&ran.code), "{args:?}: {}{}", ran.out, ran.err);
        }
    }
}

#[test]
fn the_beginning_of_several_ids_names_them() {
    let workspace = two_debates();
    let ran = workspace.agon(&["show", "rest-"]);
    assert_eq!(ran.code, 8, "{}", ran.err);
    assert!(ran.err.contains("rest-nights") && ran.err.contains("rest-days"), "{}", ran.err);
    // A companion is found by its whole id, and hides no debate.
    assert_eq!(workspace.json(&["show", "rest-nights-mirror"])["opened"]["debate"], "rest-nights-mirror");
    for named in ["r", "res", "best", "rest-dayss"] {
        let ran = workspace.agon(&["show", named]);
        assert_eq!(ran.code, 8, "{named}: {}", ran.err);
        assert!(ran.err.lines().count() <= 2, "{}", ran.err);
    }
}

#[test]
fn the_last_debate_of_an_empty_journal_is_none() {
    let workspace = Workspace::new();
    let ran = workspace.agon(&["show", "last"]);
    assert_eq!(ran.code, 8, "{}", ran.err);
    assert!(ran.err.contains("no debates yet") && ran.err.contains("agon run"), "{}", ran.err);
}

#[test]
fn a_shell_completes_debates_kinds_seats_and_models() {
    let workspace = two_debates();
    let complete = |words: &[&str]| -> Vec<String> {
        let mut command = workspace.command(&[&["--", "agon"], words].concat());
        let printed = command.env("AGON_COMPLETE", "fish").output().unwrap().stdout;
        let text = String::from_utf8(printed).unwrap();
        text.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    assert_eq!(complete(&["show", "rest-d"]), ["rest-days"]);
    assert_eq!(complete(&["seats", "claim", "rest-d"]), ["rest-days"]);
    assert_eq!(complete(&["run", "exch"]), ["exchange"]);
    assert_eq!(complete(&["seats", "rest-days", "--seat", "ju"]), ["judge"]);
    assert_eq!(complete(&["run", "exchange", "Why?", "--seat", "ju"]), ["judge="]);
    assert_eq!(complete(&["run", "exchange", "Why?", "--seat", "judge=loc"]), ["judge=local"]);
    assert_eq!(complete(&["run", "exchange", "Why?", "--model", "outs"]), ["outside"]);
    let script = workspace.agon(&["completions", "bash"]).out;
    assert!(script.contains("AGON_COMPLETE"), "{script}");
}
