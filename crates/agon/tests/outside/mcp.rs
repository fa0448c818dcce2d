//! `agon mcp` as its clients have it, in both eras of the protocol.

use serde_json::{Value, json};

use crate::outside::{
    client::{Client, Era},
    seats::statement,
    workspace::Workspace,
};

const ERAS: [Era; 2] = [Era::Initialize, Era::PerRequest];

/// Maximum length of the list of tools: every client puts it before its model in each conversation.
const TOOLS_BYTES_MAX: usize = 10_650;
/// The same of the schemas of results, which few clients show to their model.
const RESULTS_BYTES_MAX: usize = 5_000;

/// A debate whose judge is the client, and whose other seats take their time.
fn start(workspace: &Workspace, client: &mut Client) -> String {
    let script = workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 700}]}"#);
    let model = format!("scripted:{}", script.display());
    let wish = json!({"protocol": "exchange", "motion": "This house would rest.", "rounds": 0, "model": model,
                      "seats": {"judge": "outside"}});
    client.call("start_debate", wish).unwrap()["debate"].as_str().unwrap().to_owned()
}

#[test]
fn a_client_starts_a_debate_sits_in_it_and_reads_it() {
    for era in ERAS {
        let workspace = Workspace::new();
        let mut client = Client::begun(&workspace, era);
        let tools = client.request("tools/list", json!({})).unwrap();
        let named: Vec<&str> =
            tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!((named.len(), &named[..2]), (20, &["debate", "debate_result"][..]));
        let (mut taken, mut given) = (0, 0);
        for tool in tools["tools"].as_array().unwrap() {
            let mut tool = tool.clone();
            let schema = tool.as_object_mut().unwrap().remove("outputSchema").unwrap();
            assert!(schema["type"] == "object" && tool["title"].is_string(), "{tool}");
            taken += tool.to_string().len();
            given += schema.to_string().len();
        }
        assert!(taken <= TOOLS_BYTES_MAX && given <= RESULTS_BYTES_MAX, "{taken} and {given} bytes");
        let id = start(&workspace, &mut client);

        let wait = json!({"name": "wait_for_turn", "arguments": {"debate": id, "seconds": 0, "after": 0}});
        let early = client.request("tools/call", wait).unwrap()["structuredContent"].clone();
        assert_eq!(early["turn"], Value::Null, "a wait of no time returns what there is");
        let wait = json!({"name": "wait_for_turn", "arguments": {"debate": id, "seat": "judge"},
                          "_meta": {"progressToken": "p1"}});
        let turn = client.request("tools/call", wait).unwrap()["structuredContent"].clone();
        assert_eq!(turn["turn"]["seat"], "judge", "{turn}");
        let progress = |message: &Value| message["method"] == "notifications/progress";
        assert!(client.told.iter().any(progress), "{:?}", client.told);

        let seat = json!({"debate": id, "seat": "judge"});
        let with = |more: Value| {
            let mut arguments = seat.clone();
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            arguments
        };
        let claim = client.call("claim_seat", with(json!({"name": "Ada"}))).unwrap();
        let (token, text) = (&claim["token"], statement(&turn["turn"]));
        for (tool, arguments, code) in [
            ("claim_seat", with(json!({"name": "Bob"})), "held"),
            ("claim_seat", json!({"debate": id, "seat": "jury", "name": "Bob"}), "no_such_seat"),
            ("claim_seat", json!({"debate": id, "seat": "proposition", "name": "Bob"}), "not_outside"),
            ("answer", with(json!({"text": text, "token": "x"})), "wrong_token"),
            ("answer", with(json!({"text": "  ", "token": token})), "unusable"),
            ("answer", with(json!({"text": text})), "held"),
            ("claim_seat", with(json!({"name": "Bob", "seconds": 0})), "unusable"),
            ("refresh_seat", with(json!({"token": "x"})), "wrong_token"),
            ("refresh_seat", with(json!({"token": token, "seconds": 4000})), "unusable"),
            ("release_seat", with(json!({"token": "x"})), "wrong_token"),
            ("status", json!({"debate": "nobody"}), "no_such_debate"),
            ("transcript", json!({"debate": "nobody"}), "no_such_debate"),
        ] {
            assert_eq!(client.call(tool, arguments.clone()), Err(code.into()), "{tool} {arguments}");
        }
        let refreshed = client.call("refresh_seat", with(json!({"token": token, "seconds": 3600}))).unwrap();
        assert!(refreshed["until"].as_str() > claim["until"].as_str(), "{refreshed} after {claim}");
        assert_eq!(refreshed["fence"], claim["fence"]);
        let statement: Value = serde_json::from_str(&text).unwrap();
        let receipt = client.call("answer", with(json!({"text": statement, "token": token}))).unwrap();
        assert_eq!(receipt["key"], turn["turn"]["key"]);
        let again = client.call("answer", with(json!({"text": statement, "token": token})));
        assert_eq!(again, Ok(receipt));
        client.call("release_seat", with(json!({"token": token}))).unwrap();

        let end = json!({"debate": id, "after": turn["entries"]});
        let end = client.call("wait_for_turn", end).unwrap();
        assert!(end["closed"].is_object() && !end["since"].as_array().unwrap().is_empty(), "{end}");
        assert_eq!(client.call("answer", with(json!({"text": "late", "token": token}))), Err("closed".into()));
        read(&mut client, &id);
        assert_eq!(client.end(), Some(0), "it ends when its client does");
    }
}

fn read(client: &mut Client, id: &str) {
    let debate = json!({"debate": id});
    assert_eq!(client.call("list_debates", json!({})).unwrap()["debates"][0]["id"], id);
    assert!(client.call("status", debate.clone()).unwrap()["closed"].is_object());
    assert_eq!(client.call("scores", debate.clone()).unwrap()["scores"].as_array().unwrap().len(), 1);
    let transcript = client.call("transcript", debate.clone()).unwrap();
    assert!(transcript["transcript"].as_str().unwrap().contains("This house would rest."));
    let files = client.call("export", debate).unwrap();
    assert!(files["files"].as_array().unwrap().iter().any(|file| file["path"] == "record.jsonl"));
    assert_eq!(client.call("export", json!({"debate": id, "format": "pdf"})), Err("usage".into()));

    let listed = client.request("resources/list", json!({})).unwrap();
    assert_eq!(listed["resources"].as_array().unwrap().len(), 3);
    for part in ["transcript", "report", "record"] {
        let uri = format!("agon://debates/{id}/{part}");
        let content = client.request("resources/read", json!({"uri": uri})).unwrap();
        assert!(!content["contents"][0]["text"].as_str().unwrap().is_empty(), "{uri}");
    }
    for missing in ["agon://debates/nobody/transcript", "agon://debates/../../etc", "file:///etc/passwd", ""] {
        client.request("resources/read", json!({"uri": missing})).unwrap_err();
    }
    assert_eq!(
        client.request("resources/templates/list", json!({})).unwrap()["resourceTemplates"][0]["name"],
        "transcript"
    );

    let prompts = client.request("prompts/list", json!({})).unwrap();
    assert!(prompts["prompts"].as_array().unwrap().iter().any(|prompt| prompt["name"] == "exchange"));
    let asked = json!({"name": "exchange", "arguments": {"motion": "This house {seats} would.", "seat": "judge"}});
    let prompt = client.request("prompts/get", asked).unwrap();
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("This house {seats} would.") && text.contains("seat judge"), "{text}");
    client.request("prompts/get", json!({"name": "exchange"})).unwrap_err();

    let mut complete = |of: Value, name: &str, typed: &str| {
        let asked = json!({"ref": of, "argument": {"name": name, "value": typed}});
        client.request("completion/complete", asked).unwrap()["completion"]["values"].clone()
    };
    let prompt = json!({"type": "ref/prompt", "name": "exchange"});
    assert_eq!(complete(prompt.clone(), "seat", "ju"), json!(["judge"]));
    assert_eq!(complete(prompt, "motion", "T"), json!([]));
    let resource = json!({"type": "ref/resource", "uri": "agon://debates/{debate}/transcript"});
    assert_eq!(complete(resource, "debate", &id[..8]), json!([id]));
}

#[test]
fn one_call_holds_a_debate_and_another_waits_for_it() {
    for era in ERAS {
        let workspace = Workspace::new();
        let mut client = Client::begun(&workspace, era);
        let wish = json!({"motion": "This house would rest.", "model": workspace.willing(), "rounds": 0,
                          "material": [{"path": "rest.md", "text": "Rest is cheap."}]});
        let closed = client.call("debate", wish.clone()).unwrap();
        assert_eq!((&closed["status"], &closed["valid"]), (&"closed".into(), &true.into()), "{closed}");
        assert!(closed["verdict"].is_string() && closed["dissent"].is_array(), "{closed}");
        for point in [&closed["answers"][0], &closed["rests_on"]["points"][0]] {
            assert!(point["entry"].is_u64(), "{closed}");
        }
        assert!(closed["answers"][0]["do"].is_string(), "{closed}");
        let id = closed["debate"].as_str().unwrap();
        let opened = workspace.json(&["show", id])["opened"].clone();
        assert_eq!(opened["motion"], "This house would rest.");
        assert!(opened["documents"]["material"].is_string(), "{opened}");
        assert_eq!(client.call("debate_result", json!({"debate": id})), Ok(closed));

        let slow = workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 500}]}"#);
        let slow = format!("scripted:{}", slow.display());
        let wish = json!({"motion": "This house would nap.", "model": slow, "rounds": 0, "seconds": 0});
        let running = client.call("debate", wish).unwrap();
        assert_eq!(running["status"], "running", "{running}");
        let id = running["debate"].clone();
        let result = json!({"name": "debate_result", "arguments": {"debate": id},
                            "_meta": {"progressToken": "p1"}});
        let result = client.request("tools/call", result).unwrap()["structuredContent"].clone();
        assert_eq!((&result["status"], &result["debate"]), (&"closed".into(), &id), "{result}");
        let progress = |message: &Value| message["method"] == "notifications/progress";
        assert!(client.told.iter().any(progress), "{:?}", client.told);
    }
}

#[test]
fn a_debate_that_does_not_go_on_says_what_it_waits_for() {
    let workspace = Workspace::new();
    let mut client = Client::begun(&workspace, Era::PerRequest);
    let model = workspace.willing();
    let wish = json!({"motion": "This house would rest.", "model": model, "rounds": 0, "seats": {"judge": "outside"}});
    let waiting = client.call("debate", wish).unwrap();
    assert_eq!((&waiting["status"], &waiting["seats"]), (&"waiting".into(), &json!(["judge"])), "{waiting}");
    let debate = waiting["debate"].clone();
    client.call("pause_debate", json!({"debate": debate})).unwrap();
    client.call("resume_debate", json!({"debate": debate})).unwrap();
    let text = statement(&client.call("wait_for_turn", json!({"debate": debate})).unwrap()["turn"]);
    client.call("answer", json!({"debate": debate, "seat": "judge", "name": "Eve", "text": text})).unwrap();
    assert_eq!(client.call("debate_result", json!({"debate": debate})).unwrap()["status"], "closed");

    let wish = json!({"protocol": "exchange", "motion": "x", "model": model, "rounds": 0, "max_requests": 2});
    let started = client.call("start_debate", wish).unwrap();
    let stopped = client.call("debate_result", json!({"debate": started["debate"]})).unwrap();
    assert_eq!(stopped["status"], "stopped", "{stopped}");
    assert_eq!(stopped["stopped"]["code"], "interrupted", "{stopped}");
    for tool in ["wait_for_turn", "status"] {
        let told = client.call(tool, json!({"debate": started["debate"]})).unwrap();
        assert_eq!(told["stopped"], stopped["stopped"], "{tool}: {told}");
    }
    let listed = client.call("list_debates", json!({"limit": 2})).unwrap()["debates"].clone();
    assert_eq!(listed[0]["stopped"], stopped["stopped"], "{listed}");
    assert_eq!((&listed[1]["id"], &listed[1]["stopped"]), (&debate, &Value::Null), "{listed}");
    for (wish, code) in [
        (json!({"motion": "?!", "model": model}), "usage"),
        (json!({"motion": "x", "kind": "nope", "model": model}), "unknown"),
        (json!({"motion": "x", "model": model, "material": ["absent.md"]}), "usage"),
        (json!({"motion": "x", "model": model, "material": ["-"]}), "usage"),
        (json!({"motion": "x", "model": model, "budget": -1.0}), "usage"),
    ] {
        assert_eq!(client.call("debate", wish.clone()), Err(code.into()), "{wish}");
    }
}

#[test]
fn a_duel_is_held_about_a_file_or_a_text() {
    let workspace = Workspace::new();
    let text = "# Cache\n\nWe keep a cache of 64 MB for each worker.\n\n## Cost\n\nIt costs two hours a week.\n";
    workspace.write("doc.md", text);
    let mut client = Client::begun(&workspace, Era::Initialize);
    let model = workspace.willing();
    for (wish, topic) in [
        (json!({"motion": text}), "Cache"),
        (json!({"motion": "Keep it?", "material": [{"text": text}]}), "Keep it?"),
        (json!({"motion": "doc.md"}), "Cache"),
        (json!({"motion": "Keep it?", "material": ["doc.md"]}), "Keep it?"),
    ] {
        let mut wish = wish;
        wish["kind"] = "duel".into();
        wish["model"] = model.as_str().into();
        let closed = client.call("debate", wish.clone()).unwrap();
        assert_eq!(closed["status"], "closed", "{wish}: {closed}");
        let id = closed["debate"].as_str().unwrap();
        assert_eq!(workspace.json(&["show", id])["opened"]["motion"], topic);
        assert_eq!(workspace.json(&["check", id])["sound"], true);
        assert_eq!(workspace.agon(&["replay", id]).code, 0, "{wish}");
    }
    let more = json!({"motion": "Keep it?", "kind": "duel", "model": model,
                      "material": [{"text": text}, {"path": "costs.md", "text": "Two hours a week."}]});
    let held = client.call("debate", more).unwrap();
    let opened = workspace.json(&["show", held["debate"].as_str().unwrap()])["opened"].clone();
    assert!(opened["documents"]["source"].is_string() && opened["documents"]["material"].is_string(), "{opened}");
}

#[test]
fn a_debate_is_planned_and_judged_as_it_is_wished() {
    let workspace = Workspace::new();
    let mut client = Client::begun(&workspace, Era::Initialize);
    let wish = json!({"protocol": "exchange", "motion": "This house would rest.", "model": workspace.willing(), "id": "d1",
                      "rounds": 0, "judges": "3", "self_judging": true, "definitions": {"rest": "sleep"}});
    let plan = client.call("plan_debate", wish.clone()).unwrap();
    let judged = |call: &&Value| call["prompt"] == "judgment";
    assert_eq!(plan["requests"].as_array().unwrap().iter().filter(judged).count(), 3, "{plan}");
    assert_eq!(client.call("list_debates", json!({})).unwrap()["debates"], json!([]), "a plan opens nothing");
    assert_eq!(client.call("start_debate", wish.clone()).unwrap()["debate"], "d1");
    let opened = workspace.json(&["show", "d1"])["opened"].clone();
    assert!(opened["lineup"].to_string().contains("judge-3"), "{opened}");
    assert!(opened["options"]["definitions"].to_string().contains("sleep"), "{opened}");
    assert_eq!(client.call("start_debate", wish.clone()), Err("exists".into()));
    let wrong = json!({"protocol": "exchange", "motion": "x", "judges": "2"});
    for tool in ["plan_debate", "start_debate"] {
        assert_eq!(client.call(tool, wrong.clone()), Err("usage".into()));
    }
}

#[test]
fn a_debate_that_cannot_be_opened_says_why() {
    let workspace = Workspace::new();
    let mut client = Client::begun(&workspace, Era::Initialize);
    for (wish, code) in [
        (json!({"protocol": "exchange", "motion": "x", "model": "nobody:x"}), "unknown"),
        (json!({"protocol": "exchange", "motion": "--help"}), "provider"),
        (json!({"protocol": "exchange", "motion": "?!", "model": "outside"}), "usage"),
        (json!({"protocol": "--version", "motion": "x"}), "unknown"),
        (json!({"protocol": "exchange", "motion": "x", "max_cost": -1.0, "model": "outside"}), "usage"),
    ] {
        let refused = client.call("start_debate", wish.clone());
        // Without the embedded model the default cannot be asked, whichever way that is said.
        if code != "provider" {
            assert_eq!(refused, Err(code.into()), "{wish}");
        }
    }
}

#[test]
fn a_declared_protocol_is_started_by_its_name_and_takes_interjections_where_it_says_so() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    for name in ["quiet", "open"] {
        assert_eq!(workspace.agon(&["protocols", "new", name]).code, 0);
    }
    let skeleton = workspace.read(".agon/protocols/open.toml");
    workspace.write(".agon/protocols/open.toml", skeleton.replacen("\nrounds", "\ninterjections = true\nrounds", 1));
    let mut client = Client::begun(&workspace, Era::PerRequest);
    let tools = client.request("tools/list", json!({})).unwrap();
    for (at, name) in [(0, "kind"), (2, "protocol")] {
        let kinds = &tools["tools"][at]["inputSchema"]["properties"][name]["enum"];
        assert!(kinds.as_array().unwrap().contains(&json!("open")), "{kinds}");
    }
    let prompts = client.request("prompts/list", json!({})).unwrap();
    assert!(prompts["prompts"].as_array().unwrap().iter().any(|prompt| prompt["name"] == "open"));
    let path = workspace.work().join(".agon/protocols/open.toml");
    for name in [path.to_str().unwrap(), "open.toml", "./.agon/protocols/open.toml"] {
        let wish = json!({"protocol": name, "motion": "Why?", "model": model});
        assert_eq!(client.call("start_debate", wish), Err("unknown".into()), "{name}");
    }
    let seats = json!({"speaker-1": "outside", "judge": "outside"});
    let start = |client: &mut Client, name: &str| {
        let wish = json!({"protocol": name, "motion": "Why?", "model": model, "seats": seats, "rounds": 1});
        client.call("start_debate", wish).unwrap()["debate"].as_str().unwrap().to_owned()
    };
    let quiet = start(&mut client, "quiet");
    let said = json!({"debate": quiet, "text": "Mind the cost.", "name": "Ada"});
    assert_eq!(client.call("interject", said), Err("not_allowed".into()));
    client.call("cancel_debate", json!({"debate": quiet, "name": "Ada"})).unwrap();

    let id = start(&mut client, "open");
    client.call("wait_for_turn", json!({"debate": id, "seat": "speaker-1"})).unwrap();
    client.call("interject", json!({"debate": id, "text": "Mind the cost.", "name": "Ada"})).unwrap();
    for number in 0..8 {
        let turn = client.call("wait_for_turn", json!({"debate": id})).unwrap()["turn"].clone();
        let seat = turn["seat"].as_str().unwrap().to_owned();
        if seat == "judge" {
            assert!(turn["messages"].to_string().contains("Mind the cost."), "{turn}");
        }
        // The same words again would be the same answer.
        let prose = format!("Point {number}: what it costs in year {number} decides.");
        let text = if turn["schema"].is_null() { prose } else { statement(&turn) };
        let answer = json!({"debate": id, "seat": seat, "name": "Eve", "text": text});
        client.call("answer", answer).unwrap();
        if seat == "judge" {
            break;
        }
    }
    let end = client.call("wait_for_turn", json!({"debate": id})).unwrap();
    assert!(end["closed"].is_object(), "{end}");
    assert_eq!(workspace.json(&["check", &id])["sound"], true);
}

#[test]
fn a_debate_outlives_the_client_that_started_it() {
    let workspace = Workspace::new();
    let mut client = Client::begun(&workspace, Era::PerRequest);
    let id = start(&workspace, &mut client);
    client.end();
    let mut client = Client::begun(&workspace, Era::PerRequest);
    let turn = client.call("wait_for_turn", json!({"debate": id})).unwrap();
    let text = statement(&turn["turn"]);
    client.call("answer", json!({"debate": id, "seat": "judge", "name": "Eve", "text": text})).unwrap();
    let end = client.call("wait_for_turn", json!({"debate": id})).unwrap();
    assert!(end["closed"].is_object(), "{end}");
}

#[test]
fn nothing_malformed_ends_the_server_or_gets_another_answer_than_an_error() {
    let deep = "[".repeat(5_000) + &"]".repeat(5_000);
    let deeper = format!(
        r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{{"name":"status","arguments":{{"debate":{deep}}}}}}}"#
    );
    let long = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"{}"}}"#, "x".repeat(9 * 1024 * 1024));
    let answered: Vec<Vec<u8>> = [
        "{",
        "nonsense",
        "null",
        "42",
        "[]",
        "\"text\"",
        "{}",
        r#"{"jsonrpc":"1.0","id":9,"method":"tools/list"}"#,
        r#"{"id":9,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":9}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":7}"#,
        r#"[{"jsonrpc":"2.0","id":9,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"no/such/method"}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":5}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"status","arguments":[]}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"no_such_tool","arguments":{}}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"status","arguments":{}}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"status","arguments":{"debate":"../x"}}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"status","arguments":{"debate":"x","more":1}}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"wait_for_turn","arguments":{"debate":"x","seconds":-1}}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":7}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"exchange","arguments":{"motion":7}}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/list","result":{}}"#,
        &deep,
        &deeper,
        &long,
    ]
    .iter()
    .map(|line| line.as_bytes().to_vec())
    .chain([b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"\xff\xfe\"}".to_vec(), b"\x00\x01".to_vec()])
    .collect();
    let silent: [&[u8]; 6] = [
        b"",
        b"   \r",
        br#"{"jsonrpc":"2.0","method":"notifications/unknown","params":[1]}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}"#,
        br#"{"jsonrpc":"2.0","id":12345,"result":{}}"#,
        br#"{"jsonrpc":"2.0","id":12345,"error":{"code":1,"message":"x"}}"#,
    ];
    let workspace = Workspace::new();
    for era in ERAS {
        // Before anything was opened, and afterwards.
        for begun in [false, true] {
            let mut client = if begun { Client::begun(&workspace, era) } else { Client::new(&workspace, era) };
            for line in &answered {
                client.write(line);
                let message = client.read();
                let shown = String::from_utf8_lossy(&line[..line.len().min(120)]).into_owned();
                assert!(message["error"]["code"].is_i64(), "{shown}: {message}");
                assert!(message.get("result").is_none(), "{shown}: {message}");
            }
            for line in silent {
                client.write(line);
            }
            let mut client = if begun { client } else { begin(client, era) };
            let tools = client.request("tools/list", json!({})).unwrap();
            assert!(tools["tools"].is_array());
            assert!(client.told.is_empty(), "{:?}", client.told);
        }
    }
}

fn begin(mut client: Client, era: Era) -> Client {
    if era == Era::Initialize {
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        client.request("initialize", params).unwrap();
    }
    client
}

#[test]
fn a_client_of_the_new_era_can_look_before_it_begins() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace, Era::PerRequest);
    let found = client.request("server/discover", json!({})).unwrap();
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&"2026-07-28".into()) && versions.contains(&"2025-11-25".into()), "{found}");
    let unknown = json!({"jsonrpc": "2.0", "id": 77, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2031-01-01", "io.modelcontextprotocol/clientCapabilities": {}}}});
    client.write(unknown.to_string().as_bytes());
    assert_eq!(client.read()["error"]["code"], -32022);
    assert!(client.request("tools/list", json!({})).is_ok());
}

#[test]
fn events_of_a_duel_name_its_artifact_by_its_whole_path() {
    let workspace = Workspace::new();
    workspace.write(
        "doc.md",
        "# Cache\n\nWe keep a cache of 64 MB for each worker.\n\n## Cost\n\nIt costs two hours a week.\n",
    );
    let script = workspace.write("all.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    let model = format!("scripted:{}", script.display());
    let ran = workspace.agon(&["run", "duel", "doc.md", "--model", &model, "--id", "d1", "--out", "d"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut client = Client::begun(&workspace, Era::PerRequest);
    let exported = client.call("export", json!({"debate": "d1", "format": "events"})).unwrap();
    let events = exported["files"][0]["content"].as_str().unwrap();
    let named: Vec<Value> = events
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).unwrap()["data"].get("debate_path").cloned())
        .collect();
    let whole = |named: &Value| named.as_str().is_some_and(|path| std::path::Path::new(path).is_file());
    assert!(named.len() > 3 && named.iter().all(whole), "{named:?}");
    assert!(named[0].as_str().unwrap().starts_with('/'), "{named:?}");
}
