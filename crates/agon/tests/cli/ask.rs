//! `agon ask`: what is proposed, what it costs, and that nothing is sent before a yes.

use serde_json::{Value, json};

use crate::cli::workspace::Workspace;

/// A repository with a branch of one commit.
fn branch() -> Workspace {
    let workspace = Workspace::new();
    workspace.git(&["init", "-q"]);
    workspace.write("wait.rs", "fn wait(n: u32) -> u32 {\n    n * 2\n}\n");
    workspace.git(&["add", "wait.rs"]);
    workspace.git(&["commit", "-qm", "first"]);
    workspace.git(&["checkout", "-qb", "topic"]);
    workspace.write("wait.rs", "fn wait(n: u32) -> u32 {\n    2u32.pow(n)\n}\n");
    workspace.git(&["commit", "-qam", "second"]);
    workspace
}

#[test]
fn a_proposal_says_why_and_what_it_costs_and_sends_nothing() {
    let workspace = branch();
    let model = workspace.willing();
    let ask = ["ask", "review my changes", "--plan", "--model", &model];
    let shown = workspace.agon(&ask);
    assert_eq!(shown.code, 0, "{}", shown.err);
    for part in [
        "kind      review: errors are looked for in material (“review”)",
        "material  git:main...: 1 commit of this branch that main does not have",
        "rounds    1 (passes over the material): the default of review",
        "line-up   reviewer-1, reviewer-2, critic, judge by scripted:",
        "Nothing was sent.",
        "agon run review --context git:main... --model",
    ] {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    let told = workspace.json(&ask);
    let proposal = &told["proposal"];
    assert_eq!((&proposal["protocol"], &proposal["context"]), (&json!("review"), &json!(["git:main..."])), "{told}");
    assert!(told["plan"]["calls"].as_u64().unwrap() > 2 && told["plan"]["models"].is_array(), "{told}");
    assert!(workspace.json(&["list"]).as_array().is_none_or(Vec::is_empty), "nothing was started");
    // The command that it names opens the same.
    let command: Vec<&str> =
        proposal["command"].as_array().unwrap().iter().skip(1).map(|word| word.as_str().unwrap()).collect();
    let split = command.iter().position(|word| *word == "--").unwrap();
    let run = [&command[..split], &["--plan", "--output", "json"], &command[split..]].concat();
    let planned = workspace.agon(&run);
    assert_eq!(planned.code, 0, "{}", planned.err);
    let planned: Value = serde_json::from_str(&planned.out).unwrap();
    assert_eq!(planned["calls"], told["plan"]["calls"]);
}

#[test]
fn where_no_word_tells_the_kind_the_model_reads_it() {
    let workspace = branch();
    let ask = |rules: Value, id: &str| {
        workspace.write(&format!("{id}.json"), json!({"rules": rules}).to_string());
        let model = format!("scripted:{id}.json");
        let ran =
            workspace.agon(&["ask", "Welche Datenbank passt zu uns?", "--model", &model, "--id", id, "--out", id]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        (ran.out, workspace.read(&format!("{id}/record.jsonl")))
    };
    let reads = json!({"key": "kind-1", "reply": {"kind": "panel"}});
    let (shown, record) = ask(json!([reads, {"key": "*", "sample": true}]), "reads");
    assert!(shown.contains("reads the question so") && record.contains("\"protocol\":\"panel\""), "{shown}");
    // A kind that cannot be held as the rest is wished is not offered, and nobody is asked under a gate that is wrong.
    let long = [
        "ask",
        "哪个数据库适合我们？",
        "--rounds",
        "20",
        "--model",
        "scripted:reads.json",
        "--id",
        "long",
        "--out",
        "long",
    ];
    let ran = workspace.agon(&long);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(workspace.read("long/record.jsonl").contains("\"protocol\":\"exchange\""));
    workspace.write("fails.json", r#"{"rules": [{"key": "kind-1", "fail": "refused"}]}"#);
    let gated = ["ask", "Mikä tietokanta sopii meille?", "--fail-on", "nonsense", "--model", "scripted:fails.json"];
    let ran = workspace.agon(&gated);
    assert!(ran.code == 2 && ran.err.starts_with("error: --fail-on"), "{}", ran.err);
    // What is no usable answer changes nothing.
    for (id, text) in [("prose", "a panel, I think"), ("other", r#"{"kind": "trial"}"#)] {
        let (_, record) = ask(json!([{"key": "kind-1", "reply": text}, {"key": "*", "sample": true}]), id);
        assert!(record.contains("\"protocol\":\"exchange\""), "{text}");
    }
}

#[test]
fn without_a_terminal_the_proposal_is_taken() {
    let workspace = branch();
    let model = workspace.willing();
    let ran = workspace.agon(&["ask", "Should we rest?", "--model", &model, "--id", "d1", "--out", "d"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let record = workspace.read("d/record.jsonl");
    assert!(record.contains("\"protocol\":\"exchange\"") && !record.contains("wait.rs"), "nobody asked for it");
    let quiet = ["ask", "review wait.rs", "--model", &model, "--id", "d2", "--out", "e", "--yes", "--quiet"];
    let ran = workspace.agon(&quiet);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.out.contains("Proposed by") && workspace.read("e/review.md").starts_with("# Review"));
}

#[test]
fn what_cannot_be_proposed_is_refused_before_anything_is_sent() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    for (question, more, wanted) in [
        ("", &[][..], "1 to 20000 characters"),
        ("review it", &["--context", "nothing.rs"], "there is no file or folder nothing.rs"),
        ("review ./nothing.rs", &[], "the question names ./nothing.rs"),
        ("review it", &[], "review fits the question, but it needs material"),
        ("Should we rest?", &["--rounds", "999"], "--rounds"),
    ] {
        let ran = workspace.agon(&[&["ask", question, "--model", &model], more].concat());
        assert!(ran.code == 2 && ran.err.contains(wanted), "{question}: {} {}", ran.code, ran.err);
    }
}

#[test]
fn what_agon_wrote_itself_is_no_change() {
    let workspace = branch();
    let model = workspace.willing();
    workspace.git(&["add", "willing.json"]);
    workspace.git(&["commit", "-qm", "third"]);
    let run = ["run", "exchange", "This house would rest.", "--model", &model, "--rounds", "0", "--id", "d1"];
    assert_eq!(workspace.agon(&run).code, 0);
    assert_eq!(workspace.agon(&["export", "d1", "--out", "kept/d1"]).code, 0);
    assert_eq!(workspace.agon(&["skills", "install"]).code, 0);
    let refused = workspace.agon(&["review", "--context", "git:.", "--model", &model]);
    assert!(refused.code == 2 && refused.err.contains("Everything is committed"), "{}", refused.err);
    let proposed = workspace.json(&["ask", "review my changes", "--plan", "--model", &model]);
    assert_eq!(proposed["proposal"]["context"], json!(["git:main..."]));
    workspace.write("wait.rs", "fn wait() {}\n");
    workspace.write("debates/mine.md", "Mine.\n");
    let planned = workspace.agon(&["review", "--context", "git:.", "--plan", "--model", &model]);
    assert!(planned.out.contains("debates/mine.md") && planned.out.contains("wait.rs"), "{}", planned.out);
    assert!(!planned.out.contains("report.html") && !planned.out.contains("SKILL.md"), "{}", planned.out);
    assert!(planned.err.contains("that agon itself wrote"), "{}", planned.err);
}

#[test]
fn a_motion_and_a_question_come_from_standard_input() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let piped = |args: &[&str], text: &str| {
        let mut command = workspace.command(args);
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let motion = |id: &str| workspace.json(&["show", id])["opened"]["motion"].clone();
    let run = ["run", "exchange", "-", "--model", &model, "--rounds", "0", "--id", "d1", "--out", "d1"];
    assert_eq!(piped(&run, "This house would rest.\n"), (0, String::new()));
    assert_eq!(motion("d1"), "This house would rest.");
    let duel = ["duel", "-", "--model", &model, "--id", "d2", "--out", "d2", "--rounds", "2"];
    assert_eq!(piped(&duel, "# Cache\n\nWe keep a cache of 64 MB for each worker.").0, 0);
    assert_eq!(motion("d2"), "Cache");
    let ask = ["ask", "-", "--model", &model, "--id", "d3", "--out", "d3"];
    assert_eq!(piped(&ask, "Should we rest?").0, 0);
    assert_eq!(motion("d3"), "Should we rest?");
    let (code, told) = piped(&[&run[..], &["--context", "-"]].concat(), "x");
    assert!(code == 2 && told.contains("standard input can be read once"), "{told}");
    let (code, told) = piped(&["exchange", "-", "--model", &model], "");
    assert!(code == 2 && told.contains("the motion is empty"), "{told}");
}
