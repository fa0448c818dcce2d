//! One word that was struck, and every way out: what may keep it is the record as its owner exports it, and
//! the append-only log of a chaired debate.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::cli::{
    served::Served,
    verify::{arguments, harbour, opening, scripted, workspace},
    workspace::Workspace,
};

/// The word.
const WORD: &str = "xylophone";
/// What rests on a page that cannot be.
const STRUCK: &str =
    "A survey of the xylophone guild found that 91 per cent of all harbours are run by musicians of its own";
const PAGE: &str = "https://guild.invalid/survey";

/// What keeps the word, of everything that leaves the program. Also what docs/serve.md lists.
const KEEPS: [&str; 5] = [
    "debate-log.jsonl in the folder",
    "record.jsonl in the folder",
    "agon export --format chaired",
    "agon export --format record",
    "agon export",
];

/// A chaired debate in which the word is struck, and quoted by a debater, the audience, the closings, the
/// chair and whoever writes about it.
fn chaired(workspace: &Workspace) {
    let quoting =
        |lead: &str| format!("{lead}: {STRUCK}, and nobody in this harbour has ever heard a single note of it.");
    let entry = |kind: &str, words: &str| json!({"type": kind, "content": words, "sources": [], "rebuttal_to_seq": null, "target_seq": null});
    let turn = |kind: &str, words: &str| json!({"entries": [entry(kind, words)], "framework": ""});
    let point = |seq: &str| json!({"point": quoting("The other side says"), "seqs": [seq]});
    let points = |name: &str, seq: &str| json!({"debater": name, "points": [point(seq), point(seq), point(seq)]});
    let each = |name: &str| json!({"for": name, "text": quoting("It was told that"), "entries": ["3"]});
    let script = json!({"rules": [
        {"key": "opening/debater-1*", "reply": opening(STRUCK, PAGE)},
        {"key": "opening/debater-2", "reply": turn("opening_statement", "[CONJECTURE] Cranes move what ships bring, and cranes are what this harbour has.")},
        {"key": "round-001/debater-2*", "reply": turn("new_point", &quoting("Ann says"))},
        {"key": "round-001/questions", "reply": {"questions": [{"to": "Ann", "question": format!("Is it true? {STRUCK}?")}]}},
        {"key": "*/questions/relay", "reply": {"relay": [true]}},
        {"key": "closing/debater-2*", "reply": turn("closing_statement", &quoting("Once more"))},
        {"key": "unresolved*", "reply": {"points": [{"point": quoting("Open is whether"), "seqs": ["3"]}]}},
        {"key": "conclusion*", "reply": {"reasons": [each("Ann"), each("Bo")], "reason": quoting("It was told that"), "outcome": "draw",
            "answer": {"do": quoting("Keep the harbour, since")}}},
        {"key": "summary*", "reply": {"overview": quoting("They said"), "arguments": [points("Ann", "3"), points("Bo", "3")],
            "exchanges": [point("3")], "flow": quoting("It went from this")}},
        {"key": "*", "sample": true},
    ]});
    workspace.write("script.json", script.to_string());
    harbour(workspace, &[]);
}

/// A debate of another protocol in which somebody rests the word on a page that cannot be, and others quote it.
fn other(workspace: &Workspace, words: &[&str]) {
    let passage = format!("{STRUCK} ({PAGE}).");
    let mut pro = arguments("for", "5,400", PAGE);
    pro["arguments"][0]["grounds"][0]["content"] = format!("{STRUCK}.").into();
    let mut con = arguments("against", "5,400", "own reasoning");
    con["arguments"][1]["grounds"][0]["content"] = format!("They will say this: {STRUCK}, but nobody hears it.").into();
    let script = json!({"rules": [
        {"key": "exchange-000/proposition*", "reply": pro},
        {"key": "exchange-000/opposition*", "reply": con},
        {"key": "opening/panelist-1*", "reply": format!("Music moves cranes. {passage} So it will stay.")},
        {"key": "opening/panelist-2*", "reply": format!("Ann will say this: {STRUCK}. I think it is noise.")},
        {"key": "draft-1*", "reply": format!("# The harbour\n\n{passage}\n\nPilots know these waters.\n")},
        {"key": "*", "sample": true},
    ]});
    workspace.write("script.json", script.to_string());
    let ran = scripted(workspace, &[words, &["--verify", "on", "--yes"]].concat());
    assert!([0, 9].contains(&ran.code), "{words:?}: {}", ran.err);
    assert!(workspace.read("d/record.jsonl").contains(WORD), "{words:?}: nobody said it");
}

/// Everything that leaves the program about debate `d1`, by its name.
fn outputs(workspace: &Workspace) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> =
        workspace.files("d").into_iter().map(|(name, content)| (format!("{name} in the folder"), content)).collect();
    let mut run = |args: &[&str]| {
        let ran = workspace.agon(args);
        let name = args.iter().filter(|word| **word != "d1").copied().collect::<Vec<_>>().join(" ");
        all.push((format!("agon {name}"), format!("{}{}", ran.out, ran.err)));
    };
    for args in [
        &["watch", "d1"][..],
        &["watch", "d1", "--output", "json"],
        &["show", "d1"],
        &["show", "d1", "--output", "json"],
        &["list", "--output", "json"],
        &["graph", "d1"],
        &["graph", "d1", "--output", "json"],
        &["graph", "d1", "--format", "mermaid"],
        &["seats", "d1"],
        &["check", "d1"],
        &["replay", "d1"],
        &["verify", "d1", "--offline"],
        &["export", "d1", "--output", "json"],
        &["export", "d1", "--format", "record"],
        &["export", "d1", "--format", "chaired", "--output", "json"],
        &["export", "d1", "--format", "transcript"],
        &["export", "d1", "--format", "report", "--output", "json"],
    ] {
        run(args);
    }
    for exported in all.iter_mut().filter(|(name, _)| name.contains("export")) {
        exported.0 = exported.0.replace(" --output json", "");
    }
    let served = Served::new(workspace, &[]);
    let mut get = |path: &str| {
        let (_, body) = served.send("GET", path, "");
        all.push((format!("GET {path}"), body.clone()));
        body
    };
    let files: Value = serde_json::from_str(&get("/api/v1/debates/d1/files")).unwrap();
    for file in files.as_array().unwrap() {
        get(&format!("/api/v1/debates/d1/files/{}", file["path"].as_str().unwrap()));
    }
    for path in [
        "/",
        "/?q=musicians",
        "/debates/d1",
        "/debates/d1/report",
        "/api/v1/debates",
        "/api/v1/debates/d1",
        "/api/v1/debates/d1/entries?limit=1000",
        "/api/v1/debates/d1/transcript",
        "/api/v1/debates/d1/scores",
        "/api/v1/debates/d1/requests",
        "/api/v1/debates/d1/files/record.jsonl",
    ] {
        get(path);
    }
    let found = get(&format!("/api/v1/debates?q={WORD}"));
    assert_eq!(found, "[]", "the search finds nothing by it");
    let last = workspace.json(&["show", "d1"])["entries"].as_u64().unwrap() - 1;
    let events = served.stream("/api/v1/debates/d1/events", &format!("id: {last}\n"));
    all.push(("GET /api/v1/debates/d1/events".into(), events));
    all.extend(mcp(workspace));
    all
}

/// What the Model Context Protocol says about `d1`, by tool or resource.
fn mcp(workspace: &Workspace) -> Vec<(String, String)> {
    let mut child = workspace.command(&["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut input = child.stdin.take().unwrap();
    let debate = json!({"debate": "d1"});
    let with = |more: Value| json!({"debate": "d1", "format": more});
    let tools = [
        ("status", debate.clone()),
        ("wait_for_turn", json!({"debate": "d1", "seconds": 0, "after": 0})),
        ("transcript", debate.clone()),
        ("scores", debate.clone()),
        ("export", debate.clone()),
        ("export", with("record".into())),
        ("export", with("chaired".into())),
        ("export", with("report".into())),
        ("list_debates", json!({})),
    ];
    let tools = tools.map(|(name, arguments)| {
        (format!("mcp {name} {}", arguments["format"]), "tools/call", json!({"name": name, "arguments": arguments}))
    });
    let resources = ["transcript", "report", "record"].map(|part| {
        (format!("mcp resource {part}"), "resources/read", json!({"uri": format!("agon://debates/d1/{part}")}))
    });
    let mut all = Vec::new();
    for (id, (name, method, mut params)) in tools.into_iter().chain(resources).enumerate() {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{request}").unwrap();
        let answer = lines.by_ref().map(Result::unwrap).find(|line| line.contains(&format!("\"id\":{id}")));
        all.push((name, answer.unwrap()));
    }
    drop(input);
    let _ = child.wait();
    all
}

#[test]
fn a_word_that_was_struck_leaves_by_the_record_and_the_log_alone() {
    let workspace = workspace();
    chaired(&workspace);
    let all = outputs(&workspace);
    assert!(all.len() > 45, "{}", all.len());
    let mut kept: Vec<&str> =
        all.iter().filter(|(_, said)| said.contains(WORD)).map(|(name, _)| name.as_str()).collect();
    kept.sort_unstable();
    let mut keeps = KEEPS.to_vec();
    keeps.sort_unstable();
    assert_eq!(kept, keeps);
    let log = workspace.read("d/debate-log.jsonl");
    assert!(log.contains("Is it true? A survey of the xylophone"), "the audience asked with it");
    let transcript = workspace.read("d/transcript.md");
    assert!(transcript.matches("[REDACTED]").count() > 3, "{transcript}");
}

#[test]
fn no_protocol_lets_a_struck_word_out() {
    let exchange = ["exchange", "This house would play.", "--rounds", "0"];
    let panel = ["panel", "Is it well run?", "--debater", "Ann", "--debater", "Bo", "--debater", "Cy", "--rounds", "1"];
    let revise = ["revise", "Describe the harbour.", "--rounds", "1"];
    for words in [&exchange[..], &panel, &revise] {
        let workspace = workspace();
        other(&workspace, words);
        let record = ["record.jsonl in the folder", "agon export --format record", "agon export"];
        for (name, said) in outputs(&workspace) {
            assert!(!said.contains(WORD) || record.contains(&name.as_str()), "{words:?}: {name} says it: {said}");
        }
    }
}

#[test]
fn a_struck_word_does_not_come_back_by_a_second_debate() {
    let exchange = ["exchange", "This house would play.", "--rounds", "0"];
    let revise = ["revise", "Describe the harbour.", "--rounds", "1"];
    for words in [&exchange[..], &revise] {
        let workspace = workspace();
        other(&workspace, words);
        let again = [&["run"], words, &["--model", "recorded:d1", "--id", "again", "--out", "e", "--yes"]].concat();
        workspace.agon(&again);
        let record = workspace.agon(&["export", "again", "--format", "record"]);
        assert!(record.code == 0 && record.out.contains("recorded:d1"), "{words:?}: {}", record.err);
        assert!(
            record.out.contains("Pilots") || record.out.contains("own reasoning"),
            "{words:?}: nothing was repeated"
        );
        assert!(!record.out.contains(WORD), "{words:?}: {}", record.out);
    }
}

#[test]
fn the_page_on_serving_lists_what_keeps_a_struck_word() {
    let page = include_str!("../../../../docs/serve.md");
    for keeps in ["debate-log.jsonl", "record.jsonl", "agon export"] {
        assert!(page.contains(&format!("`{keeps}")), "{keeps}");
    }
}
