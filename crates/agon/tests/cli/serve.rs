//! `agon serve` as a process: what is started over HTTP is driven there.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::{served::Served, workspace::Workspace};

#[test]
fn what_is_started_over_http_is_driven_to_its_end() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let served = Served::new(&workspace, &[]);
    let opening =
        json!({"protocol": "exchange", "motion": "This house would rest.", "model": model, "id": "d1", "rounds": 0});
    let (status, started) = served.start(opening.clone());
    assert_eq!((status, &started["page"]), (201, &json!("/debates/d1")), "{started}");
    let debate = served.wait_for("d1", |debate| debate["closed"] == true && debate["driven"] == false);
    assert_eq!(debate["outcome"]["figures"]["exchanges"], 1);
    let record = workspace.work().join("debates/this-house-would-rest/record.jsonl");
    let since = Instant::now();
    while !record.is_file() {
        assert!(since.elapsed() < Duration::from_secs(10), "the files are left");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(served.start(opening).0, 409);
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
}

#[test]
fn what_run_refuses_is_refused_over_http() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.write("motion.md", "This house would read files.");
    let served = Served::new(&workspace, &["--max-requests", "3"]);
    let with = |name: &str, value: Value| {
        let mut opening =
            json!({"protocol": "exchange", "motion": "This house would rest.", "model": model, "id": "d1"});
        opening[name] = value;
        opening
    };
    for (opening, status) in [
        (with("motion", json!("  ")), 422),
        (with("rounds", json!(999)), 422),
        (with("protocol", json!("none")), 422),
        (with("id", json!("../x")), 422),
        (with("model", json!("gpt-5")), 422),
        (with("model", json!("openai:gpt-5")), 422),
        (with("seats", json!({"nobody": "scripted:willing.json"})), 422),
        (with("max_cost", json!(-1)), 422),
        (with("max_time", json!("soon")), 422),
        (with("out", json!("/tmp")), 422),
    ] {
        let (got, answer) = served.start(opening.clone());
        assert_eq!(got, status, "{opening}: {answer}");
        assert!(answer["error"]["message"].is_string());
    }
    assert!(!workspace.work().join("debates").exists(), "nothing is left behind");
    // The name of a file is a motion like any other, and the limit of the server holds.
    assert_eq!(served.start(with("motion", json!("motion.md"))).0, 201);
    let debate = served.wait_for("d1", |debate| debate["stopped"].is_object());
    assert_eq!(debate["opened"]["motion"], "motion.md");
    assert_eq!(
        (&debate["stopped"]["code"], &debate["opened"]["limits"]["requests_max"]),
        (&json!("budget"), &json!(3))
    );
    assert_eq!(debate["usage"]["requests"], 3);
}

/// The Markdown that a duel is about.
const DOCUMENT: &str = "# Cache\n\nWe keep a cache of 64 MB for each worker.\n\n## Cost\n\nIt takes two hours.\n";

#[test]
fn a_duel_over_http_is_about_the_text_that_was_sent() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.write("secret.md", "# Not for clients\n\nNever shown.\n");
    let served = Served::new(&workspace, &[]);
    let duel = json!({"protocol": "duel", "motion": DOCUMENT, "model": model, "id": "d1"});
    let (status, started) = served.start(duel);
    assert_eq!(status, 201, "{started}");
    let debate = served.wait_for("d1", |debate| debate["closed"] == true && debate["driven"] == false);
    assert_eq!(debate["opened"]["motion"], "Cache");
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
    // The name of a file is a text like any other.
    let path = workspace.work().join("secret.md");
    for motion in ["secret.md", path.to_str().unwrap()] {
        let (status, refused) = served.start(json!({"protocol": "duel", "motion": motion, "model": model}));
        assert_eq!(status, 422, "{refused}");
        assert!(!refused.to_string().contains("Never shown"), "{refused}");
    }

    let call = |material: Value| {
        let arguments = json!({"motion": "Keep it?", "kind": "duel", "model": model, "material": material});
        let params = json!({"name": "debate", "arguments": arguments});
        let (_, answer) =
            served.post("/mcp", &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
        answer
    };
    let held = call(json!([{"path": "cache.md", "text": DOCUMENT}])).to_string();
    assert!(held.contains("closed") && held.contains("verdict") && !held.contains("error"), "{held}");
    let refused = call(json!(["secret.md"])).to_string();
    assert!(refused.contains("cannot be named") && !refused.contains("Never shown"), "{refused}");
}

#[test]
fn a_line_up_and_drafts_can_be_said_over_http() {
    let workspace = Workspace::new();
    let served = Served::new(&workspace, &[]);
    let people = json!([{"name": "Ada", "persona": "an archivist"}, "Ben: a baker", "Cy: a clerk"]);
    let panel = json!({"protocol": "panel", "motion": "Write it down?", "model": "outside", "id": "p1",
        "debaters": people, "max_rounds": 2});
    assert_eq!(served.start(panel).0, 201);
    let opened = served.wait_for("p1", |debate| debate["opened"].is_object())["opened"].clone();
    assert_eq!((&opened["lineup"][1]["name"], &opened["lineup"][1]["persona"]), (&json!("Ben"), &json!("a baker")));
    assert_eq!(opened["limits"]["rounds"], 2);
    let draft = |title: &str| format!("# {title}\n\nTen words at least make a text that can be revised here.");
    let revise = json!({"protocol": "revise", "motion": "Make one of these.", "model": "outside", "id": "r1",
        "mode": "draft", "drafts": {"Ada": draft("A"), "Bo": draft("B")}});
    assert_eq!(served.start(revise).0, 201);
    // A folder of the server's machine is nobody's to name from elsewhere.
    let track = json!({"protocol": "revise", "motion": "x", "model": "outside", "track": "/tmp"});
    let (status, refused) = served.start(track);
    assert_eq!(status, 422, "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("--track"), "{refused}");
}

#[test]
fn a_declared_protocol_is_opened_by_its_name_and_never_by_a_path() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.agon(&["protocols", "new", "retro"]);
    let skeleton = workspace.read(".agon/protocols/retro.toml");
    // Outside of the folders, under a name that is not its own, and one that is no declaration.
    workspace.write("elsewhere/other.toml", skeleton.replace("name = \"retro\"", "name = \"other\""));
    workspace.write(".agon/protocols/alias.toml", &skeleton);
    workspace.write(".agon/protocols/broken.toml", "name = 1");
    let served = Served::new(&workspace, &[]);
    let kinds = served.get("/api/v1/protocols");
    let names: Vec<&str> = kinds.as_array().unwrap().iter().map(|kind| kind["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"retro") && names.contains(&"exchange"), "{names:?}");
    assert!(!names.iter().any(|name| ["alias", "broken", "other"].contains(name)), "{names:?}");
    let page = served.send("GET", "/", "").1;
    assert!(page.contains("<option value=\"retro\">"), "{page}");
    let opening = |protocol: &str| json!({"protocol": protocol, "motion": "What slowed us down?", "model": model, "id": "d1", "rounds": 1});
    let outside = workspace.work().join("elsewhere/other.toml");
    let inside = workspace.work().join(".agon/protocols/retro.toml");
    for name in [
        outside.to_str().unwrap(),
        inside.to_str().unwrap(),
        "elsewhere/other.toml",
        "retro.toml",
        "../protocols/retro",
        ".agon/protocols/retro",
        "alias",
        "broken",
        "other",
        "",
    ] {
        let (status, answer) = served.start(opening(name));
        assert_eq!((status, &answer["error"]["code"]), (422, &json!("no_such_protocol")), "{name}: {answer}");
    }
    assert_eq!(served.start(opening("retro")).0, 201);
    let debate = served.wait_for("d1", |debate| debate["closed"] == true && debate["driven"] == false);
    assert_eq!(debate["opened"]["protocol"], "retro");
    assert_eq!(workspace.agon(&["replay", "d1"]).code, 0);
}

#[test]
fn how_it_is_judged_is_said_over_http_as_on_the_command_line() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let served = Served::new(&workspace, &[]);
    let with = |more: Value| {
        let mut opening = json!({"protocol": "exchange", "motion": "This house would rest.", "model": model, "id": "d1", "rounds": 0});
        opening.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        opening
    };
    // What it would cost is said first, in the very words of the command line.
    let wanted = with(json!({"judges": "3", "orders": "both", "definitions": {"rest": "sleep"}}));
    let (status, plan) = served.post("/api/v1/plans", &wanted);
    let flags = ["--judges", "3", "--orders", "both", "--define", "rest=sleep", "--rounds", "0", "--id", "d1"];
    let line = ["run", "exchange", "This house would rest.", "--model", &model, "--plan"];
    assert_eq!((status, &plan), (200, &workspace.json(&[&line[..], &flags].concat())));
    assert_eq!(served.get("/api/v1/debates"), json!([]), "a plan opens nothing");

    for (more, says) in [
        (json!({"judges": "2"}), "odd number of judges"),
        (json!({"orders": "three"}), "--orders"),
        (json!({"stop": "soon"}), "--stop"),
        (json!({"verify": "maybe"}), "--verify"),
        (json!({"protocol": "panel", "judges": "3"}), "panel does not take --judges"),
    ] {
        for path in ["/api/v1/plans", "/api/v1/debates"] {
            let (status, answer) = served.post(path, &with(more.clone()));
            assert_eq!(status, 422, "{path} {more}: {answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains(says), "{answer}");
        }
    }

    let wanted = with(json!({"judges": "3", "stop": "stable", "mirror": true, "baseline": true}));
    assert_eq!(served.start(wanted).0, 201);
    served.wait_for("d1", |debate| debate["closed"] == true);
    let since = Instant::now();
    let ended = |id: &str| {
        let all = served.get("/api/v1/debates");
        all.as_array().unwrap().iter().any(|debate| debate["id"] == id && debate["outcome"].is_string())
    };
    while !(ended("d1-mirror") && ended("d1-baseline")) {
        assert!(since.elapsed() < Duration::from_secs(30), "{}", served.get("/api/v1/debates"));
        std::thread::sleep(Duration::from_millis(50));
    }
    let opened = served.get("/api/v1/debates/d1")["opened"].clone();
    assert_eq!(opened["options"]["stop"], "stable", "{opened}");
    assert!(opened.to_string().contains("judge-3"), "{opened}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_server_leaves_its_debates_resumable() {
    let workspace = Workspace::new();
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 60000}]}"#);
    let mut served = Served::new(&workspace, &[]);
    let opening = json!({"protocol": "exchange", "motion": "This house would rest.", "model": "scripted:slow.json", "id": "d1", "rounds": 0});
    assert_eq!(served.start(opening).0, 201);
    served.wait_for("d1", |debate| debate["entries"].as_u64() > Some(2));
    let pid = served.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let since = Instant::now();
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    assert!(since.elapsed() < Duration::from_secs(10));
    let ran = workspace.agon(&["resume", "d1", "--model", &workspace.willing()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn files_of_the_server_are_no_models_for_its_clients() {
    let workspace = Workspace::new();
    let secret = workspace.write("private.json", r#"["TOPSECRET-1", "TOPSECRET-2"]"#);
    let served = Served::as_shipped(&workspace, &[]);
    let script = format!("scripted:{}", secret.display());
    let opening = json!({"protocol": "exchange", "motion": "This house would rest.", "id": "d1"});
    let with = |fields: Value| {
        let mut opening = opening.clone();
        opening.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        opening
    };
    for opening in [
        with(json!({"model": script})),
        with(json!({"model": "scripted:/etc/passwd"})),
        with(json!({"model": "scripted:/nonexistent"})),
        with(json!({"model": "local:/models/any.GGUF"})),
        with(json!({"model": "local:any.gguf"})),
        with(json!({"model": "outside", "seats": {"judge": script}})),
        with(json!({"model": "outside", "judges": format!("outside,{script},outside")})),
        with(json!({"model": "outside", "extract": script})),
    ] {
        let (status, answer) = served.start(opening.clone());
        assert_eq!(status, 422, "{opening}: {answer}");
        let said = answer.to_string();
        // Whether there is such a file, and what it is, is nobody's business either.
        assert!(said.contains("may not name a model file") && !said.contains("TOPSECRET"), "{said}");
    }
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "start_debate", "arguments": with(json!({"model": script}))}});
    let (_, answer) = served.post("/mcp", &call);
    let said = answer.to_string();
    assert!(said.contains("may not name a model file") && !said.contains("TOPSECRET"), "{said}");
    assert_eq!(workspace.json(&["list"]), json!([]), "nothing was opened");
}

#[cfg(unix)]
#[test]
fn the_data_directory_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.agon(&["run", "exchange", "This house would rest.", "--model", &model, "--rounds", "0", "--yes"]);
    let mode = |path: std::path::PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(workspace.home()), 0o700);
    assert_eq!(mode(workspace.home().join("journal.db")), 0o600);
}
