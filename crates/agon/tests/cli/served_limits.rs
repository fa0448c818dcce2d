//! What debates of a server may use, and what becomes of them when the server ends.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::cli::{served::Served, workspace::Workspace};

fn exchange(model: &str, id: &str) -> Value {
    json!({"protocol": "exchange", "motion": "This house would rest.", "model": model, "id": id, "rounds": 0})
}

fn user_file(workspace: &Workspace, text: &str) {
    let folder = workspace.home().parent().unwrap().join("config/agon");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
}

/// A server that drives a debate whose model takes long, and is killed.
fn killed(workspace: &Workspace, delay_ms: u32) {
    let rules = json!({"rules": [{"key": "*", "sample": true, "delay_ms": delay_ms}]});
    workspace.write("slow.json", rules.to_string());
    let mut served = Served::new(workspace, &[]);
    assert_eq!(served.start(exchange("scripted:slow.json", "d1")).0, 201);
    served.wait_for("d1", |debate| debate["entries"].as_u64() > Some(2));
    served.child.kill().unwrap();
    served.child.wait().unwrap();
}

#[test]
fn after_a_kill_every_client_hears_what_became_of_its_debate() {
    let workspace = Workspace::new();
    killed(&workspace, 60_000);
    let served = Served::new(&workspace, &[]);
    let debate = served.get("/api/v1/debates/d1");
    assert_eq!((&debate["closed"], &debate["driven"]), (&json!(false), &json!(false)));
    assert_eq!(debate["stopped"]["code"], "interrupted", "{debate}");
    assert!(debate["stopped"]["remedy"].as_str().unwrap().contains("agon resume d1"), "{debate}");
    let stream = served.stream("/api/v1/debates/d1/events", "event: stopped");
    assert!(stream.contains("\"code\":\"interrupted\""), "{stream}");
    let page = served.send("GET", "/debates/d1", "").1;
    assert!(page.contains("This debate stopped") && page.contains(r#"value="resume">Continue<"#), "{page}");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "debate_result", "arguments": {"debate": "d1"}}});
    let (_, told) = served.post("/mcp", &call);
    assert!(told.to_string().contains("stopped"), "{told}");
    // It is as it was: who continues it finds it open.
    let ran = workspace.agon(&["resume", "d1", "--model", &workspace.willing()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let debate = served.get("/api/v1/debates/d1");
    assert_eq!((&debate["closed"], &debate["stopped"]), (&json!(true), &Value::Null), "{debate}");
}

#[test]
fn a_server_that_starts_again_continues_what_it_drove() {
    let workspace = Workspace::new();
    killed(&workspace, 300);
    let served = Served::new(&workspace, &["--resume"]);
    let debate = served.wait_for("d1", |debate| {
        assert_eq!(debate["stopped"], Value::Null, "{debate}");
        debate["closed"] == true && debate["driven"] == false
    });
    assert_eq!(debate["outcome"]["standing"], "valid");
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
    // What closed is not driven again, and a server that continues nothing forgets what it drove.
    let since = Instant::now();
    while std::fs::read_dir(workspace.home().join("driven")).unwrap().count() > 0 {
        assert!(since.elapsed() < Duration::from_secs(10));
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn models_of_a_server_are_those_that_its_operator_set_up() {
    let workspace = Workspace::new();
    workspace.write("agon.toml", "");
    user_file(
        &workspace,
        "model = \"mine:default\"\n[providers.mine]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\n",
    );
    let refused = |served: &Served, model: &str| {
        let (status, answer) = served.post("/api/v1/plans", &exchange(model, "d1"));
        (status, answer["error"]["code"].as_str().unwrap_or_default().to_owned(), answer.to_string())
    };
    let served = Served::as_shipped(&workspace, &[]);
    for model in ["mine:other", "mine:default", "outside", "human"] {
        assert_eq!(refused(&served, model).0, 200, "{model}: {}", refused(&served, model).2);
    }
    for model in ["openai:gpt-5", "anthropic:claude-opus-4-1?tokens=200000", "ollama:llama3.2", "cli:claude"] {
        let (status, code, said) = refused(&served, model);
        assert_eq!((status, code.as_str()), (422, "model_not_allowed"), "{model}: {said}");
        assert!(said.contains("models in [serve]"), "{said}");
    }
    for (place, value) in [
        ("seats", json!({"judge": "openai:gpt-5"})),
        ("judges", json!("mine:a,openai:gpt-5,mine:b")),
        ("extract", json!("openai:gpt-5")),
    ] {
        let mut opening = exchange("mine:other", "d1");
        opening[place] = value;
        let (status, answer) = served.start(opening);
        assert_eq!((status, &answer["error"]["code"]), (422, &json!("model_not_allowed")), "{place}: {answer}");
    }
    // Nothing is downloaded for those who ask, and the answer comes at once.
    if cfg!(feature = "local") {
        let (status, answer) = served.start(exchange("local", "d1"));
        assert_eq!((status, &answer["error"]["code"]), (424, &json!("not_downloaded")), "{answer}");
        assert!(answer["error"]["remedy"].as_str().unwrap().contains("download = true in [serve]"), "{answer}");
    }
    drop(served);
    user_file(&workspace, "[serve]\nmodels = [\"outside\", \"openai:gpt-5-mini\", \"ollama:*\"]\n");
    let served = Served::as_shipped(&workspace, &[]);
    for (model, taken) in [
        ("openai:gpt-5-mini", true),
        ("openai:gpt-5-mini?tokens=900", true),
        ("ollama:any", true),
        ("openai:gpt-5", false),
        ("mine:other", false),
        ("local", false),
    ] {
        let (_, code, said) = refused(&served, model);
        assert_eq!(code != "model_not_allowed" && !said.contains("no provider"), taken, "{model}: {said}");
    }
    workspace.write("agon.toml", "[serve]\nmodels = [\"*\"]\n");
    let ran = workspace.agon(&["run", "exchange", "Rest.", "--plan"]);
    assert!(ran.code == 2 && ran.err.contains("serve: a project file may not set this"), "{}", ran.err);
}

#[test]
fn a_plan_with_too_many_of_anything_is_refused_at_once() {
    let workspace = Workspace::new();
    let served = Served::as_shipped(&workspace, &[]);
    let many =
        |count: usize| -> Value { (0..count).map(|n| json!({"path": format!("{n}.md"), "text": "x"})).collect() };
    let mut plan = exchange("outside", "d1");
    plan["context"] = many(20_000);
    let (status, answer) = served.post("/api/v1/plans", &plan);
    assert_eq!((status, &answer["error"]["code"]), (422, &json!("unusable")), "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("at most 1000"), "{answer}");
    plan["context"] = many(1_000);
    assert_eq!(served.post("/api/v1/plans", &plan).0, 200);
}
