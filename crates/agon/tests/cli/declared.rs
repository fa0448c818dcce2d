//! Protocols out of files, from the command line to the record: they run, resume and replay by what
//! was declared when they were opened, and a bad one is refused before anything is asked.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::{bad_input::refused, workspace::Workspace};

const MODEL: [&str; 2] = ["--model", "scripted:willing.json"];

/// A small protocol: two speak in turn, one decides.
const TALK: &str = r#"name = "talk"
summary = "Two talk, one decides"
rounds = { default = 1, min = 1, max = 4 }

[[seat]]
name = "speaker"
role = "debater"
about = "speaks"
members = { min = 2, max = 3, default = 2 }

[[seat]]
name = "judge"
role = "judge"
about = "decides"

[[phase]]
name = "talk"
rounds = "debate"

[[phase.ask]]
name = "speech"
seats = ["speaker"]
order = "in turn"
quorum = 1
prompt = """
The question: {{ motion }}
{% for statement in heard %}
{{ statement.by }}: {{ statement.text }}
{% endfor %}
"""

[[phase]]
name = "end"

[[phase.ask]]
name = "verdict"
seats = ["judge"]
prompt_file = "verdict.md"
field = [{ name = "answer", type = "choice", of = ["yes", "no"] }]

[outcome]
read = "field"
ask = "verdict"
field = "answer"
"#;

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.willing();
    workspace.write("talk.toml", TALK);
    workspace.write("verdict.md", "{{ role(\"user\") }}\nDecide: {{ motion }}\n");
    workspace
}

fn sound(workspace: &Workspace, id: &str) {
    assert_eq!(workspace.json(&["check", id])["sound"], true);
    assert_eq!(workspace.json(&["replay", id])["files_different"], json!([]));
}

#[test]
fn a_file_is_a_protocol_like_any_other() {
    let workspace = workspace();
    let run = ["run", "./talk.toml", "Why?", "--out", "d", "--id", "d1", "--debater", "Ann:cook", "--debater", "Bo"];
    let ran = workspace.agon(&[&run[..], &MODEL, &["--rounds", "2"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    sound(&workspace, "d1");
    let transcript = workspace.read("d/transcript.md");
    assert!(transcript.contains("by the protocol talk") && transcript.contains("### Bo"), "{transcript}");
    assert!(transcript.contains("Talk, round 2") && transcript.contains("In a word: yes."), "{transcript}");
    let shown = workspace.json(&["show", "d1"]);
    assert_eq!((&shown["outcome"]["name"], &shown["asked"]), (&json!("yes"), &json!(5)));
    assert_eq!(workspace.agon(&["extend", "d1", "--rounds", "1"]).code, 0);
    assert_eq!(workspace.json(&["show", "d1"])["asked"], 8);
    assert_eq!(workspace.agon(&["extend", "d1", "--rounds", "2"]).code, 2, "four rounds are its maximum");
    sound(&workspace, "d1");
}

#[test]
fn a_debate_follows_what_was_declared_when_it_was_opened() {
    let workspace = workspace();
    workspace
        .write("stops.json", r#"{"rules": [{"key": "end/*", "fail": "unavailable"}, {"key": "*", "sample": true}]}"#);
    let run = ["run", "talk.toml", "Why?", "--out", "d", "--id", "d1", "--model", "scripted:stops.json"];
    let ran = workspace.agon(&run);
    assert_eq!(ran.code, 3, "{}", ran.err);
    // Other words to decide by, another order, another prompt; then no file at all.
    workspace
        .write("talk.toml", TALK.replace("\"yes\", \"no\"", "\"maybe\", \"never\"").replace("in turn", "together"));
    workspace.write("verdict.md", "{{ role(\"user\") }}\nNEW WORDS {{ nothing_that_is_there }}\n");
    let ran = workspace.agon(&["resume", "d1", "--model", "scripted:willing.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(workspace.json(&["show", "d1"])["outcome"]["name"], "yes");
    sound(&workspace, "d1");
    for file in ["talk.toml", "verdict.md"] {
        std::fs::remove_file(workspace.work().join(file)).unwrap();
    }
    sound(&workspace, "d1");
    assert_eq!(workspace.agon(&["extend", "d1", "--rounds", "1"]).code, 0);
    sound(&workspace, "d1");
    // Its record holds all of it: it is followed and goes on where nobody knows the file.
    let record = workspace.read("d/record.jsonl");
    assert!(record.contains("Two talk, one decides") && record.contains("Decide: ") && !record.contains("NEW WORDS"));
    let other = Workspace::new();
    let model = other.willing();
    other.write("record.jsonl", &record);
    assert_eq!(other.json(&["check", "record.jsonl"])["sound"], true);
    other.json(&["import", "record", "record.jsonl"]);
    let ran = other.agon(&["extend", "d1", "--rounds", "1", "--model", &model]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(other.json(&["check", "d1"])["sound"], true);
    // A changed declaration in a record is noticed.
    other.write("forged.jsonl", record.replace("Two talk, one decides", "Two talk, none decides"));
    assert_eq!(other.agon(&["check", "forged.jsonl"]).code, 6);
}

#[test]
fn names_are_looked_up_in_the_project_and_with_the_user() {
    let workspace = workspace();
    let own = TALK.replace("prompt_file = \"verdict.md\"", "prompt = \"Decide.\"");
    workspace.write(".agon/protocols/talk.toml", &own);
    workspace.write("../config/agon/protocols/talk.toml", own.replace("Two talk", "The user's two talk"));
    workspace.write("../config/agon/protocols/other.toml", own.replace("\"talk\"\nsummary", "\"other\"\nsummary"));
    workspace.write(".agon/protocols/wrong.toml", &own);
    workspace.write(".agon/protocols/broken.toml", "name = 3");
    assert_eq!(workspace.json(&["protocols", "show", "talk"])["summary"], "Two talk, one decides");
    assert_eq!(workspace.json(&["protocols", "show", "other"])["name"], "other");
    let listed = workspace.json(&["protocols", "list"]);
    let found = |name: &str| listed.as_array().unwrap().iter().find(|p| p["name"] == name).unwrap().clone();
    assert_eq!(found("exchange").get("file"), None);
    assert!(found("talk")["file"].as_str().unwrap().ends_with(".agon/protocols/talk.toml"));
    assert!(found("broken")["error"]["message"].as_str().unwrap().contains("line 1"), "{listed}");
    refused(&workspace, &["run", "wrong", "Why?"], 2, "it differs from the file name, which is wrong");
    refused(&workspace, &["run", "tlak", "Why?"], 8, "did you mean talk");
    refused(&workspace, &["run", "../talk", "Why?"], 2, "no file ../talk");
    let ran = workspace.agon(&[&["run", "other", "Why?", "--out", "d", "--id", "d1"][..], &MODEL].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    sound(&workspace, "d1");
    // Models by seat in the configuration, and prompts of one's own, as for any protocol.
    workspace.write("agon.toml", "model = \"scripted:willing.json\"\n[seats.talk]\njudge = \"scripted:absent.json\"\n");
    refused(&workspace, &["run", "talk", "Why?"], 2, "absent.json");
    workspace.write("agon.toml", "model = \"scripted:willing.json\"\n");
    assert_eq!(workspace.agon(&["prompts", "eject", "talk/verdict"]).code, 0);
    workspace.write(".agon/prompts/talk/verdict.md", "{{ role(\"user\") }}{{ absent }}");
    refused(&workspace, &["run", "talk", "Why?"], 2, "prompt verdict");
}

#[test]
fn a_bad_declaration_is_refused_with_its_place() {
    let workspace = workspace();
    for (old, new, says) in [
        ("summary =", "sumary =", "talk.toml: line 2: unknown field sumary"),
        ("seats = [\"judge\"]", "seats = [\"juge\"]", "line 37: phase.ask.seats: there is no seat \"juge\""),
        (
            "rounds = \"debate\"",
            "until = { ask = \"speech\", says = \"x\" }",
            "line 18: phase.until: the phase \"talk\" has no maximum",
        ),
        ("rounds = { default = 1, min = 1, max = 4 }\n", "", "there is no maximum"),
        (
            "name = \"talk\"\nsummary",
            "name = \"exchange\"\nsummary",
            "line 1: name: the name \"exchange\" is already taken",
        ),
        ("name = \"judge\"", "name = \"speaker\"", "line 12: seat.name: two seats are called \"speaker\""),
        ("{{ motion }}", "{{ motoin }}", "talk.toml: line 26: the prompt speech: "),
        ("{% endfor %}", "{% endfro %}", "talk.toml: line 29: the prompt speech: "),
        ("\"verdict.md\"", "\"absent.md\"", "absent.md: No such file"),
        ("\"verdict.md\"", "\"../verdict.md\"", "is outside the folder"),
        ("\"verdict.md\"", "\"/etc/passwd\"", "is outside the folder"),
    ] {
        workspace.write("talk.toml", TALK.replacen(old, new, 1));
        refused(&workspace, &[&["run", "talk.toml", "Why?"][..], &MODEL].concat(), 2, says);
        let ran = workspace.agon(&["protocols", "show", "talk.toml"]);
        assert!(ran.code == 2 && ran.err.contains(says), "{new}: {}", ran.err);
    }
    workspace.write("talk.toml", TALK);
    workspace.write("verdict.md", "{{ role(\"user\") }}\n\n{{ nobody }}");
    refused(
        &workspace,
        &[&["run", "talk.toml", "Why?"][..], &MODEL].concat(),
        2,
        "verdict.md: line 3: the prompt verdict",
    );
    refused(&workspace, &["run", "absent.toml", "Why?"], 2, "no file absent.toml");
    workspace.write("talk.toml", [0xff, 0xfe, 0x00]);
    refused(&workspace, &["run", "talk.toml", "Why?"], 2, "not a text file");
    assert!(
        !workspace.home().join("journal.db").exists() || workspace.json(&["list"]) == json!([]),
        "nothing was opened"
    );
}

#[test]
fn what_a_declared_debate_would_ask_is_planned() {
    let workspace = workspace();
    let args = [&["run", "talk.toml", "Why?", "--plan", "--rounds", "2"][..], &MODEL].concat();
    let plan = workspace.json(&args);
    let keys: Vec<&str> = plan["requests"].as_array().unwrap().iter().map(|r| r["key"].as_str().unwrap()).collect();
    assert_eq!(
        keys,
        [
            "talk/round-1/speech/speaker-1",
            "talk/round-1/speech/speaker-2",
            "talk/round-2/speech/speaker-1",
            "talk/round-2/speech/speaker-2",
            "end/round-1/verdict/judge"
        ]
    );
    assert_eq!(workspace.json(&["list"]), json!([]));
}

#[test]
fn a_debate_is_told_in_json() {
    let workspace = workspace();
    let ran = workspace.agon(&[&["run", "talk.toml", "Why?", "--id", "d1", "--output", "json"][..], &MODEL].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let opened = &lines[0]["what"]["opened"];
    assert_eq!(opened["protocol"], "talk");
    assert!(opened["documents"]["declaration"].is_string(), "{opened}");
    let closed = lines.last().unwrap();
    assert_eq!((&closed["event"], &closed["outcome"]["name"]), (&json!("closed"), &json!("yes")));
}

#[test]
fn without_its_quorum_a_debate_has_no_result() {
    let workspace = workspace();
    workspace.write(
        "silent.json",
        r#"{"rules": [{"key": "talk/*", "fail": "refused", "attempts": 2}, {"key": "*", "sample": true}]}"#,
    );
    let ran =
        workspace.agon(&["run", "talk.toml", "Why?", "--id", "d1", "--out", "d", "--model", "scripted:silent.json"]);
    assert_eq!(ran.code, 9, "{}{}", ran.out, ran.err);
    let shown = workspace.json(&["show", "d1"]);
    assert_eq!((&shown["outcome"]["name"], &shown["outcome"]["standing"]), (&json!("no_quorum"), &json!("void")));
    sound(&workspace, "d1");
}

#[test]
fn a_new_protocol_runs_as_it_stands() {
    let workspace = workspace();
    let made = workspace.json(&["protocols", "new", "retro"]);
    assert!(made["file"].as_str().unwrap().ends_with(".agon/protocols/retro.toml"), "{made}");
    assert_eq!(workspace.json(&["protocols", "show", "retro"])["name"], "retro");
    let ran = workspace.agon(&[&["run", "retro", "Why?", "--id", "d1", "--out", "d"][..], &MODEL].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(workspace.json(&["show", "d1"])["outcome"]["name"], "yes");
    sound(&workspace, "d1");
    for (args, code, says) in [
        (&["protocols", "new", "retro"][..], 5, "already exists"),
        (&["protocols", "new", "duel"], 2, "already taken"),
        (&["protocols", "new", "Ret ro"], 2, "begin with a letter"),
        (&["protocols", "new", "../x"], 2, "begin with a letter"),
        (&["protocols", "new", "x\"\nrounds = 3\n#"], 2, "cannot be the name"),
    ] {
        let ran = workspace.agon(args);
        assert!(ran.code == code && ran.err.contains(says), "{args:?}: {}", ran.err);
    }
    assert_eq!(workspace.agon(&["protocols", "new", "here", "--dir", "."]).code, 0);
    assert_eq!(workspace.agon(&["protocols", "show", "here.toml"]).code, 0);
}

#[test]
fn the_examples_and_the_one_of_the_manual_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manual = std::fs::read_to_string(root.join("docs/protocols/declared.md")).unwrap();
    let example = manual.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let mut protocols = vec![("lunch.toml".to_owned(), example.to_owned())];
    for file in std::fs::read_dir(root.join("examples/protocols")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|end| end == "toml") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            assert!(manual.contains(&name), "{name} is not in the manual");
            protocols.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    assert_eq!(protocols.len(), 4);
    for (file, text) in protocols {
        let workspace = workspace();
        workspace.write(&file, text);
        assert_eq!(workspace.agon(&["protocols", "show", &file]).code, 0, "{file}");
        let ran = workspace.agon(&[&["run", &file, "Why?", "--id", "d1", "--out", "d"][..], &MODEL].concat());
        assert_eq!(ran.code, 0, "{file}: {}", ran.err);
        assert_eq!(workspace.agon(&["extend", "d1", "--rounds", "1"]).code, if file == "lunch.toml" { 2 } else { 0 });
        sound(&workspace, "d1");
    }
}
