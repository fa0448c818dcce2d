//! Debates over real HTTP on loopback, with both shapes of server: streaming, schemas, and token
//! totals that equal the server's log.

use std::collections::BTreeMap;

use agon_mock::{MockConfig, MockFault, MockServer, Say};
use serde_json::Value;

use crate::cli::workspace::{Ran, Workspace};

/// A server, and the room whose configuration names it `lab`.
struct Lab {
    workspace: Workspace,
    runtime: tokio::runtime::Runtime,
    server: MockServer,
}

impl Lab {
    fn new(kind: &str, config: MockConfig) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(MockServer::start(config)).unwrap();
        let workspace = Workspace::new();
        let price = "price = { input = 2.0, cached = 0.5, output = 8.0 }";
        let lab = format!("[providers.lab]\nkind = \"{kind}\"\nbase_url = \"{}\"\n{price}\n", server.url("/v1"));
        workspace.write("agon.toml", lab);
        Self { workspace, runtime, server }
    }

    fn run(&self, more: &[&str]) -> Ran {
        let args = ["run", "exchange", "This house would rest.", "--model", "lab:mock", "--id", "d1", "--out", "d"];
        self.workspace.agon(&[&args, more].concat())
    }

    fn asked(&self) -> usize {
        self.server.logged_requests().iter().filter(|logged| logged.generation).count()
    }

    fn totals_agree(&self) {
        let mut served = [0, 0, 0];
        for usage in self.server.logged_requests().iter().filter_map(|logged| logged.usage) {
            served[0] += usage.prompt;
            served[1] += usage.cached;
            served[2] += usage.completion;
        }
        let used = &self.workspace.json(&["show", "d1"])["used"];
        let counted =
            ["prompt_tokens", "cached_tokens", "completion_tokens"].map(|field| used[field].as_u64().unwrap());
        assert_eq!(counted, served);
        let cost = (counted[0] - counted[1]) as f64 * 2.0 + counted[1] as f64 * 0.5 + counted[2] as f64 * 8.0;
        let difference = used["cost_microusd"].as_f64().unwrap() - cost;
        assert!((0.0..20.0).contains(&difference), "rounded up once a call: {difference}");
        // What the record says of its answers is the same sum.
        let record = self.workspace.read("d/record.jsonl");
        let answers = record.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let recorded: u64 =
            answers.filter_map(|line| line["what"]["answered"]["usage"]["prompt_tokens"].as_u64()).sum();
        assert_eq!(recorded, counted[0]);
    }
}

#[test]
fn a_debate_runs_on_both_shapes_of_server() {
    for kind in ["openai", "anthropic"] {
        let lab = Lab::new(kind, MockConfig { answers_as: Some("mock-2026".into()), ..MockConfig::default() });
        let ran = lab.run(&[]);
        assert_eq!(ran.code, 0, "{kind}: {}", ran.err);
        assert_eq!(lab.asked(), 9);
        for logged in lab.server.logged_requests().iter().filter(|logged| logged.generation) {
            assert_eq!(logged.body["stream"], true, "{kind}");
            let schema = if kind == "openai" {
                &logged.body["response_format"]["json_schema"]["schema"]
            } else {
                &logged.body["output_config"]
            };
            assert!(!schema.is_null(), "{kind}: {}", logged.body);
        }
        lab.totals_agree();
        assert!(lab.workspace.read("d/record.jsonl").contains("mock-2026"), "the record notes who really answered");
    }
}

#[test]
fn a_seat_is_asked_with_its_own_settings() {
    let lab = Lab::new("openai", MockConfig::default());
    let judge = "judge=lab:mock?temperature=0.2&effort=low&tokens=2500";
    let ran = lab.run(&["--rounds", "0", "--seat", judge]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let bodies: Vec<_> =
        lab.server.logged_requests().into_iter().filter(|one| one.generation).map(|one| one.body).collect();
    let wanted = |body: &&serde_json::Value| body["reasoning_effort"] == "low";
    let judged: Vec<_> = bodies.iter().filter(wanted).collect();
    assert!(!judged.is_empty() && judged.len() < bodies.len(), "the judge alone: {}", judged.len());
    for body in judged {
        assert_eq!(
            (&body["temperature"], &body["max_tokens"], &body["model"]),
            (&0.2.into(), &2500.into(), &"mock".into())
        );
    }
    lab.totals_agree();
    assert!(lab.workspace.read("d/record.jsonl").contains("lab:mock?temperature=0.2&effort=low&tokens=2500"));
    let ran = lab.workspace.agon(&["run", "exchange", "x", "--model", "lab:mock?effort=huge"]);
    assert_eq!((ran.code, ran.err.contains("minimal")), (8, true), "{}", ran.err);
}

#[test]
fn an_answer_that_was_cut_is_asked_for_again_with_twice_the_limit() {
    let limits = |model: &str| {
        let lab = Lab::new("openai", MockConfig::default().with_fault_at(0, MockFault::MaxTokens));
        let run = ["run", "exchange", "This house would rest.", "--rounds", "0", "--id", "d1", "--out", "d"];
        let ran = lab.workspace.agon(&[&run[..], &["--model", model]].concat());
        assert_eq!(ran.code, 0, "{model}: {}", ran.err);
        assert!(ran.err.contains("?tokens="), "the remedy is named: {}", ran.err);
        lab.totals_agree();
        let logged = lab.server.logged_requests().into_iter().filter(|logged| logged.generation);
        let bodies: Vec<Value> = logged.map(|logged| logged.body).collect();
        let asked_alike =
            |body: &Value| bodies.iter().filter(|other| other["messages"] == body["messages"]).collect::<Vec<_>>();
        let again = bodies.iter().map(asked_alike).find(|alike| alike.len() > 1).unwrap();
        again.iter().map(|body| body["max_tokens"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let plain = limits("lab:mock");
    assert_eq!(plain, [plain[0], 2 * plain[0]]);
    let thinking = limits("lab:mock?effort=high");
    assert_eq!(thinking, [plain[0] + 24_000, 2 * (plain[0] + 24_000)], "there is room for thinking");
    assert_eq!(limits("lab:mock?tokens=3000"), [3_000, 3_000], "what the user named stays");
}

#[test]
fn failures_in_passing_cost_nothing_but_time() {
    let faults = MockConfig::default()
        .with_fault_at(0, "status:429".parse().unwrap())
        .with_fault_at(3, "status:503".parse().unwrap());
    let lab = Lab::new("openai", faults);
    let ran = lab.run(&["--rounds", "0"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("2 of 5"), "{}", ran.err);
    assert_eq!(lab.asked(), 5 + 2);
    lab.totals_agree();
}

#[test]
fn a_key_that_is_refused_is_asked_once_and_never_shown() {
    let lab = Lab::new("openai", MockConfig { key: Some("right".into()), ..MockConfig::default() });
    let ran = lab.run(&[]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert_eq!(lab.asked(), 0, "the probe found out, for nothing");
    assert_eq!(lab.workspace.json(&["list"]), serde_json::json!([]), "nothing was opened");
}

#[test]
fn money_is_never_spent_above_its_limit() {
    let lab = Lab::new("openai", MockConfig::default());
    let ran = lab.run(&["--max-cost", "0.05", "--rounds", "20"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    let used = lab.workspace.json(&["show", "d1"])["used"]["cost_microusd"].as_u64().unwrap();
    assert!(used <= 50_000, "{used}");
    lab.totals_agree();
}

#[test]
fn a_server_without_schemas_is_asked_without_them() {
    let lab = Lab::new("openai", MockConfig::with_constant_fault(MockFault::RefusesSchema));
    let ran = lab.run(&["--rounds", "0"]);
    // It answers in prose then, which is not a statement: the debate ends by its rules, not by a crash.
    assert!([0, 9].contains(&ran.code), "{}", ran.err);
    let refused = lab.server.logged_requests().iter().filter(|logged| logged.status == 400).count();
    assert!(refused > 0);
    assert_eq!(lab.workspace.json(&["show", "d1"])["used"]["requests"], lab.asked(), "those turned down count too");
}

#[test]
fn a_request_that_is_turned_down_for_a_field_counts_against_the_limit() {
    let lab = Lab::new("openai", MockConfig::with_constant_fault(MockFault::RefusesField("seed".into())));
    let ran = lab.run(&["--rounds", "0", "--max-requests", "3"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(lab.asked() <= 3, "{}", lab.asked());
    drop(lab.runtime);
}

#[test]
fn a_budget_holds_where_a_server_ignores_the_limit_of_tokens() {
    for fault in [MockFault::Large(900_000), MockFault::OnePiece(900_000)] {
        let lab = Lab::new("openai", MockConfig::with_constant_fault(fault.clone()));
        for (id, budget, field, most) in [
            ("t", ["--max-tokens", "50000"], "tokens", 50_000),
            ("c", ["--max-cost", "0.10"], "cost_microusd", 100_000),
        ] {
            let args = ["run", "exchange", "This house would rest.", "--model", "lab:mock", "--rounds", "0"];
            let ran = lab.workspace.agon(&[&args[..], &["--id", id, "--yes"], &budget].concat());
            assert!([4, 9].contains(&ran.code), "{fault:?} {budget:?}: {} {}", ran.code, ran.err);
            let used = &lab.workspace.json(&["show", id])["used"];
            let tokens = used["prompt_tokens"].as_u64().unwrap() + used["completion_tokens"].as_u64().unwrap();
            let used = if field == "tokens" { tokens } else { used[field].as_u64().unwrap() };
            assert!(used <= most, "{fault:?} {budget:?}: {used}");
        }
    }
}

#[test]
fn a_page_in_place_of_an_answer_is_named_and_not_asked_for_again() {
    let lab = Lab::new("openai", MockConfig::with_constant_fault(MockFault::Page));
    let ran = lab.run(&["--rounds", "0", "--yes"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("a web page perhaps") && ran.err.contains("base URL"), "{}", ran.err);
    assert!(lab.asked() <= 2, "once for each side: {}", lab.asked());
}

#[test]
fn debates_of_a_batch_share_what_reaches_a_provider() {
    let lab = Lab::new("openai", MockConfig::default());
    let line =
        |number| format!(r#"{{"protocol": "exchange", "motion": "House {number} would rest.", "model": "lab:mock"}}"#);
    lab.workspace.write("many.jsonl", (0..5).map(line).collect::<Vec<_>>().join("\n"));
    let ran = lab.workspace.agon(&["batch", "many.jsonl", "--concurrency", "1000", "--output", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let lines = ran.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let held: Vec<String> = lines.filter_map(|line| Some(line["id"].as_str()?.to_owned())).collect();
    let used = held.iter().map(|id| lab.workspace.json(&["show", id])["used"]["requests"].as_u64().unwrap());
    // A statement may have to be asked for again.
    assert_eq!((held.len(), lab.asked() as u64), (5, used.sum()));
    assert!((5 * 9..5 * 12).contains(&lab.asked()), "{}", lab.asked());
    let lists = lab.server.logged_requests().iter().filter(|logged| !logged.generation).count();
    assert_eq!(lists, 1, "its models are listed once");
}

const SPEECH: &str = "We should write tests first. A failing test shows what is still missing.";

/// A panel in which each of two debaters is a model of its own that says this first, and the answers to its openings.
fn openings(ada: &[&str], ben: &[&str]) -> (Lab, [Value; 2]) {
    let part = |texts: &[&str]| texts.iter().map(|text| Say::Text((*text).to_owned())).collect();
    let parts = BTreeMap::from([("ada".to_owned(), part(ada)), ("ben".to_owned(), part(ben))]);
    let lab = Lab::new("openai", MockConfig { parts, ..MockConfig::default() });
    let args = ["run", "panel", "Should we write tests first?", "--rounds", "1", "--id", "d1", "--out", "d"];
    let seats = ["--debater", "Ada:a tester", "--debater", "Ben:a developer", "--model", "lab:mock"];
    let models = ["--seat", "panelist-1=lab:ada", "--seat", "panelist-2=lab:ben"];
    lab.workspace.agon(&[&args[..], &seats, &models].concat());
    let record = lab.workspace.read("d/record.jsonl");
    let entries: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answer = |seat: &str| {
        let key = format!("opening/{seat}");
        let mut answers = entries.iter().map(|entry| &entry["what"]["answered"]);
        answers.find(|answered| answered["key"] == key.as_str()).cloned().unwrap_or_default()
    };
    let answers = ["panelist-1", "panelist-2"].map(answer);
    (lab, answers)
}

#[test]
fn a_speech_without_its_reasoning_is_on_the_record_and_the_answer_as_it_came() {
    let thought = format!("<think>I play Ada.</think>\n\n{SPEECH}");
    let (lab, [ada, ben]) = openings(&[&thought], &[SPEECH]);
    assert_eq!(ada["reply"]["said"]["text"], SPEECH);
    assert_eq!(ada["original"]["text"], thought);
    assert_eq!((&ben["reply"]["said"]["text"], &ben["original"]), (&SPEECH.into(), &Value::Null));
    for logged in lab.server.logged_requests() {
        assert!(!logged.body.to_string().contains("I play Ada"), "nobody else reads what Ada thought");
    }
    assert!(!lab.workspace.read("d/transcript.md").contains("I play Ada"));
    assert_eq!(lab.workspace.json(&["check", "d1"])["sound"], true);
}

#[test]
fn a_speech_of_one_sentence_is_asked_for_once_more() {
    let sorry = "I'm sorry, but I can't help with that request.";
    let (_lab, [ada, ben]) = openings(&[sorry, SPEECH], &[sorry, "Only one sentence, but another one."]);
    assert_eq!((&ada["reply"]["said"]["text"], &ada["usage"]["requests"]), (&SPEECH.into(), &2.into()));
    assert_eq!(ben["reply"]["said"]["text"], "Only one sentence, but another one.", "another text stands");
    let (_lab, [ada, _]) = openings(&[sorry, sorry], &[SPEECH]);
    assert_eq!(ada["reply"]["failed"]["kind"], "empty", "{ada}");
    let detail = ada["reply"]["failed"]["detail"].as_str().unwrap();
    assert_eq!(detail, "the answer is shorter than two sentences, word for word the same twice");
}
