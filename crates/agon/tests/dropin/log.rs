//! `write-log` beside other writers, on logs of any kind.

use std::thread;

use agon_report::chaired::log_line::LogLine;

use crate::dropin::workspace::{Ran, Workspace};

const WRITERS: usize = 8;
const LINES: usize = 60;

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("out/keep", "");
    workspace.write("config/debate-config.json", r#"{"output_dir": "out", "debaters": [{"name": "Ada"}]}"#);
    workspace.write("content.txt", "Größe \"zählt\"\r\nnicht.\n\n");
    workspace
}

fn write(workspace: &Workspace, words: &[&str]) -> Ran {
    workspace.agon(&[&["write-log"], words].concat())
}

fn lines(workspace: &Workspace) -> Vec<LogLine> {
    workspace.read("out/debate-log.jsonl").lines().map(|line| LogLine::parse(line).unwrap()).collect()
}

#[test]
fn a_line_is_written_byte_for_byte_and_its_number_said() {
    let workspace = workspace();
    let sources = r#"[{"url":"https://a.org/x","title":"T","accessed":"2026-01-31"}]"#;
    let ran = write(&workspace, &["opening", "Ada", "opening_statement", "content.txt", sources]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "0\n", ""));
    assert_eq!(
        write(&workspace, &["system", "verifier", "verification_result", "content.txt", "null", "", "0"]).out,
        "1\n"
    );
    assert_eq!(write(&workspace, &["rebuttal", "Ada", "rebuttal", "content.txt", "", "1"]).out, "2\n");
    let text = workspace.read("out/debate-log.jsonl");
    let written: Vec<&str> = text.lines().collect();
    let time = &written[0][22..42];
    assert!(time.len() == 20 && time.ends_with('Z') && time.as_bytes()[10] == b'T', "{time}");
    let content = r#"Gr\u00f6\u00dfe \"z\u00e4hlt\"\nnicht."#;
    assert_eq!(
        written[0],
        format!(
            r#"{{"seq":0,"timestamp":"{time}","phase":"opening","speaker":"Ada","type":"opening_statement","content":"{content}","sources":{sources}}}"#
        )
    );
    assert!(written[1].ends_with(r#""sources":null, "target_seq": 0}"#), "{}", written[1]);
    assert!(written[2].ends_with(r#""sources":null, "rebuttal_to_seq": 1}"#), "{}", written[2]);
    assert_eq!(workspace.read("out/debate-log.lock"), "");
}

#[test]
fn the_environment_comes_before_the_configuration() {
    let workspace = workspace();
    workspace.write("other/keep", "");
    let mut command = workspace.command(&["write-log", "system", "chair", "setup", "content.txt"]);
    assert!(command.env("DEBATE_OUTPUT_DIR", workspace.work().join("other")).status().unwrap().success());
    assert!(
        workspace.work().join("other/debate-log.jsonl").exists()
            && !workspace.work().join("out/debate-log.jsonl").exists()
    );
}

#[test]
fn eight_writers_leave_no_gap_and_no_torn_line() {
    let workspace = workspace();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let workspace = &workspace;
            scope.spawn(move || {
                let content = format!("content-{writer}.txt");
                workspace.write(&content, format!("writer {writer} ").repeat(200));
                for _ in 0..LINES {
                    let ran = write(workspace, &["rebuttal", "Ada", "new_point", &content]);
                    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
                }
            });
        }
    });
    let lines = lines(&workspace);
    assert_eq!(lines.len(), WRITERS * LINES);
    assert!(lines.iter().enumerate().all(|(seq, line)| line.seq == seq as u64));
    assert!(lines.windows(2).all(|pair| pair[0].timestamp <= pair[1].timestamp));
    for writer in 0..WRITERS {
        let own = lines.iter().filter(|line| line.content.starts_with(&format!("writer {writer} ")));
        assert_eq!(own.count(), LINES);
    }
}

#[test]
fn a_torn_line_is_moved_aside_and_said() {
    let workspace = workspace();
    write(&workspace, &["system", "chair", "setup", "content.txt"]);
    let whole = workspace.read("out/debate-log.jsonl");
    workspace.write("out/debate-log.jsonl", format!("{whole}{{\"seq\":1,\"timest"));
    let ran = write(&workspace, &["system", "chair", "announcement", "content.txt"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "1\n"));
    assert!(ran.err.contains("debate-log.jsonl.torn-"), "{}", ran.err);
    assert_eq!(lines(&workspace).len(), 2);
    let aside = workspace.files("out").into_iter().find(|(path, _)| path.contains(".torn-")).unwrap();
    assert_eq!(aside.1, "{\"seq\":1,\"timest");
}

#[test]
fn foreign_and_reordered_lines_are_counted_and_said() {
    let workspace = workspace();
    workspace.write("out/debate-log.jsonl", "not mine\n");
    let ran = write(&workspace, &["system", "chair", "setup", "content.txt"]);
    assert!(ran.out == "1\n" && ran.err.contains("line 0 of the log is not an entry"), "{}", ran.err);
    let last = workspace.read("out/debate-log.jsonl").lines().last().unwrap().to_owned();
    workspace.write("out/debate-log.jsonl", format!("{last}\n"));
    let ran = write(&workspace, &["system", "chair", "setup", "content.txt"]);
    assert!(ran.out == "1\n" && ran.err.contains("line 0 of the log has seq 1"), "{}", ran.err);
}

#[test]
fn a_stranger_is_warned_of_and_written() {
    let workspace = workspace();
    let ran = write(&workspace, &["opening", "Eve", "new_point", "content.txt"]);
    assert!(ran.code == 0 && ran.out == "0\n" && ran.err.contains("unknown speaker \"Eve\""), "{}", ran.err);
    workspace.write("config/debate-config.json", r#"{"output_dir": "out"}"#);
    assert_eq!(write(&workspace, &["opening", "Eve", "new_point", "content.txt"]).err, "", "she has spoken before");
}

#[test]
fn what_the_log_cannot_hold_is_refused() {
    let workspace = workspace();
    workspace.write("binary", [0xff, 0xfe]);
    for (words, says) in [
        (vec!["opening", "Ada", "new_point"], "Usage: write-log <phase> <speaker> <type> <content_file>"),
        (vec!["opening", "Ada", "new_point", "absent.txt"], "content_file 'absent.txt' not found"),
        (vec!["opening", "Ada", "new_point", "out"], "content_file 'out' not found"),
        (vec!["opening", "Ada", "new_point", "binary"], "is not UTF-8"),
        (vec!["closed", "Ada", "new_point", "content.txt"], "unknown phase \"closed\""),
        (vec!["opening", "Ada", "speech", "content.txt"], "unknown type \"speech\""),
        (vec!["opening", "Ada", "new_point", "content.txt", "[{}]"], "source 0: url is missing"),
        (vec!["opening", "Ada", "new_point", "content.txt", "{"], "a JSON list of sources"),
        (vec!["opening", "Ada", "new_point", "content.txt", "null", "-1"], "rebuttal_to_seq must be a whole number"),
        (vec!["opening", "Ada", "new_point", "content.txt", "null", "", "x}"], "target_seq must be a whole number"),
    ] {
        let ran = write(&workspace, &words);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{words:?}");
        assert!(ran.err.contains(says) && ran.err.lines().count() == 1, "{words:?}: {}", ran.err);
    }
    workspace.write("out/record.jsonl", "{}");
    let ran = write(&workspace, &["opening", "Ada", "new_point", "content.txt"]);
    assert!(ran.code == 1 && ran.err.contains("agon resume"), "{}", ran.err);
    std::fs::remove_file(workspace.work().join("config/debate-config.json")).unwrap();
    let ran = write(&workspace, &["opening", "Ada", "new_point", "content.txt"]);
    assert!(ran.code == 1 && ran.err.contains("DEBATE_OUTPUT_DIR is not set"), "{}", ran.err);
    assert!(!workspace.work().join("out/debate-log.jsonl").exists());
}
