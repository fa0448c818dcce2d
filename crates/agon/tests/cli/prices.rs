//! What hosted models cost: the catalogue, the limit that rests on it, and receipts that equal the bill.

use std::{
    io::{Read, Write},
    net::TcpListener,
};

use agon_mock::{LoggedRequest, MockConfig, MockFault, MockServer};
use serde_json::{Value, json};

use crate::cli::workspace::{Ran, Workspace};

/// A server, and the room whose configuration names it `lab`.
struct Lab {
    workspace: Workspace,
    server: MockServer,
    _runtime: tokio::runtime::Runtime,
}

impl Lab {
    fn new(kind: &str, price: &str, config: MockConfig) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(MockServer::start(config)).unwrap();
        let workspace = Workspace::new();
        let url = server.url("/v1");
        workspace.write("agon.toml", format!("[providers.lab]\nkind = \"{kind}\"\nbase_url = \"{url}\"\n{price}\n"));
        Self { workspace, server, _runtime: runtime }
    }

    fn run(&self, more: &[&str]) -> Ran {
        let args = ["run", "exchange", "This house would rest.", "--model", "lab:mock", "--id", "d1", "--out", "d"];
        self.workspace.agon(&[&args, more].concat())
    }

    fn asked(&self) -> Vec<LoggedRequest> {
        self.server.logged_requests().into_iter().filter(|logged| logged.generation).collect()
    }

    /// A catalogue with a price for the server's model.
    fn catalogue(&self, change: impl FnOnce(&mut Value)) -> String {
        let mut catalogue = json!({
            "format": 1,
            "providers": {"lab": {"host": self.server.addr.to_string(), "date": "2026-01-31"}},
            "models": [{"provider": "lab", "name": "mock", "input": 3_000_000, "cached": 300_000,
                        "output": 15_000_000, "context": 100_000, "date": "2026-01-31",
                        "source": "https://lab.test/prices"}],
        });
        change(&mut catalogue);
        catalogue.to_string()
    }
}

/// What the server charges for one request, in millionths of a dollar: its own count of tokens times its prices
/// of 3, 0.30 and 15 dollars per million.
fn charged(logged: &LoggedRequest) -> u64 {
    let usage = logged.usage.unwrap();
    let tenths = (usage.prompt - usage.cached) * 30 + usage.cached * 3 + usage.completion * 150;
    tenths.div_ceil(10)
}

const PRICE: &str = "price = { input = 3.0, cached = 0.3, output = 15.0 }";

#[test]
fn the_receipt_equals_the_servers_bill_call_by_call() {
    for kind in ["openai", "anthropic"] {
        let lab = Lab::new(kind, PRICE, MockConfig::default());
        let ran = lab.run(&["--output", "json"]);
        assert_eq!(ran.code, 0, "{kind}: {}", ran.err);
        let asked = lab.asked();
        let mut bill: Vec<u64> = asked.iter().map(charged).collect();
        assert!(asked.iter().any(|logged| logged.usage.unwrap().cached > 0), "{kind}: a cache was read");
        let shown = lab.workspace.json(&["show", "d1"]);
        let calls = shown["calls"].as_array().unwrap();
        let mut receipt: Vec<u64> = calls.iter().map(|call| call["cost_microusd"].as_u64().unwrap()).collect();
        bill.sort_unstable();
        receipt.sort_unstable();
        assert_eq!(receipt, bill, "{kind}");
        assert_eq!(shown["used"]["cost_microusd"], bill.iter().sum::<u64>(), "{kind}");
        for part in calls.iter().chain([&shown["used"]]) {
            assert_eq!((&part["tokens_basis"], &part["cost_basis"]), (&json!("reported"), &json!("reported")));
        }
        let closed: Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
        assert_eq!(closed["used"]["cost_microusd"], shown["used"]["cost_microusd"], "{kind}");
        assert!(lab.workspace.agon(&["show", "d1"]).out.contains("USD (reported)"));
        let stats = lab.workspace.json(&["stats"]);
        assert_eq!(stats["cost_microusd_reported"], shown["used"]["cost_microusd"], "{kind}");
        assert_eq!((&stats["calls"], &stats["calls_of_unknown_cost"]), (&json!(bill.len()), &json!(0)));
    }
}

#[test]
fn tokens_that_nobody_counted_are_estimated_and_a_cost_without_a_price_is_unknown() {
    let lab = Lab::new("openai", PRICE, MockConfig::with_constant_fault(MockFault::MissingUsage));
    assert_eq!(lab.run(&["--rounds", "0"]).code, 0);
    let used = lab.workspace.json(&["show", "d1"])["used"].clone();
    assert_eq!((&used["tokens_basis"], &used["cost_basis"]), (&json!("estimated"), &json!("estimated")));
    assert!(used["cost_microusd"].as_u64().unwrap() > 0);

    let lab = Lab::new("openai", "", MockConfig::default());
    assert_eq!(lab.run(&["--rounds", "0"]).code, 0);
    let shown = lab.workspace.json(&["show", "d1"]);
    let used = &shown["used"];
    assert_eq!((&used["tokens_basis"], &used["cost_basis"]), (&json!("reported"), &json!("unknown")));
    assert_eq!((&used["cost_microusd"], &shown["calls"][0]["cost_microusd"]), (&Value::Null, &Value::Null));
    assert!(lab.workspace.agon(&["show", "d1"]).out.contains("cost unknown"));
    assert!(lab.workspace.read("d/report.md").contains("price unknown"), "{}", lab.workspace.read("d/report.md"));
    assert_eq!(lab.workspace.json(&["stats"])["calls_of_unknown_cost"], lab.asked().len());
}

#[test]
fn a_limit_of_cost_without_a_price_is_refused_before_anything_is_asked() {
    let lab = Lab::new("openai", "", MockConfig::default());
    let ran = lab.run(&["--max-cost", "1"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("the price of lab:mock") && ran.err.contains("agon prices refresh"), "{}", ran.err);
    assert_eq!(lab.server.logged_requests(), [], "not even its models were listed");
    let plan = lab.workspace.json(&["run", "exchange", "x", "--model", "lab:mock", "--plan"]);
    assert_eq!(
        (&plan["models"][0]["cost_microusd"], &plan["models"][0]["cost_basis"]),
        (&Value::Null, &json!("unknown"))
    );

    let path = lab.workspace.write("prices.json", lab.catalogue(|_| {}));
    let ran = lab.workspace.agon(&["prices", "refresh", path.to_str().unwrap()]);
    assert_eq!((ran.code, ran.out.contains("1 models")), (0, true), "{}{}", ran.out, ran.err);
    let plan = ["run", "exchange", "x", "--model", "lab:mock", "--plan"];
    let text = lab.workspace.agon(&plan).out;
    assert!(text.contains("the list price of 2026-01-31 (https://lab.test/prices"), "{text}");
    assert_eq!(lab.workspace.json(&plan)["models"][0]["price"]["date"], "2026-01-31");
    assert_eq!(lab.run(&["--rounds", "0", "--max-cost", "5"]).code, 0);
    let bill: u64 = lab.asked().iter().map(charged).sum();
    assert_eq!(lab.workspace.json(&["show", "d1"])["used"]["cost_microusd"], bill, "by the catalogue's price");
}

#[test]
fn a_catalogue_that_lies_changes_nothing() {
    let lab = Lab::new("openai", "", MockConfig::default());
    let path = lab.workspace.write("prices.json", lab.catalogue(|_| {}));
    let path = path.to_str().unwrap();
    assert_eq!(lab.workspace.agon(&["prices", "refresh", path]).code, 0);
    let before = lab.workspace.json(&["prices"]);
    for (change, wanted) in [
        (json!({"models": [{"input": 0}]}), "input: 0 is not a price"),
        (json!({"models": [{"output": -1}]}), "models[0].output"),
        (json!({"models": [{"output": "free"}]}), "models[0].output"),
        (json!({"models": [{"cached": 99_999_999_999_u64}]}), "cached: 99999999999 is not a price"),
        (json!({"providers": {"openai": {"host": "evil.test", "date": "2026-01-31"}}}), "openai is at api.openai.com"),
        (json!({"models": []}), "it lists no model"),
    ] {
        let lying = lab.catalogue(|catalogue| merge(catalogue, &change));
        let path = lab.workspace.write("lying.json", lying);
        let ran = lab.workspace.agon(&["prices", "refresh", path.to_str().unwrap()]);
        assert_eq!(ran.code, 2, "{change}: {}", ran.err);
        assert!(ran.err.contains(wanted) && ran.err.contains("nothing of it is used"), "{change}: {}", ran.err);
    }
    assert_eq!(lab.workspace.json(&["prices"]), before);
    assert_eq!(lab.workspace.agon(&["prices", "refresh", "no-such-file"]).code, 7);
    // What was changed in the data directory is found out before a debate rests on it.
    std::fs::write(lab.workspace.home().join("prices.json"), "{\"format\": 1, \"models\": 3}").unwrap();
    let ran = lab.run(&[]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("prices.json") && ran.err.contains("agon prices refresh"), "{}", ran.err);
    assert_eq!(lab.workspace.agon(&["prices", "refresh", path]).code, 0, "and is replaced");
}

/// Puts what `change` says into `value`, entry by entry.
fn merge(value: &mut Value, change: &Value) {
    match (value, change) {
        (Value::Object(value), Value::Object(change)) => {
            for (name, change) in change {
                merge(value.entry(name).or_insert(Value::Null), change);
            }
        }
        (Value::Array(value), Value::Array(change)) if !change.is_empty() => merge(&mut value[0], &change[0]),
        (value, change) => *value = change.clone(),
    }
}

#[test]
fn a_catalogue_is_taken_from_an_address() {
    let lab = Lab::new("openai", "", MockConfig::default());
    let serve = |status: &'static str, body: Vec<u8>| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/prices.json?token=secret", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = stream.write_all(&[head.as_bytes(), &body].concat());
        });
        address
    };
    let refresh = |address: String| lab.workspace.agon(&["prices", "refresh", &address]);
    let ran = refresh(serve("200 OK", lab.catalogue(|_| {}).into_bytes()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let listed = lab.workspace.json(&["prices"]);
    assert!(listed["models"].as_array().unwrap().iter().any(|model| model["name"] == "mock"));
    assert!(!listed.to_string().contains("secret"), "{}", listed["taken"]);
    assert!(lab.workspace.agon(&["prices"]).out.contains("lab:mock"));
    let ran = refresh(serve("404 Not Found", b"no".to_vec()));
    assert_eq!((ran.code, ran.err.contains("404")), (3, true), "{}", ran.err);
    let ran = refresh(serve("200 OK", vec![b' '; 1_100_000]));
    assert_eq!((ran.code, ran.err.contains("larger than 1 MB")), (2, true), "{}", ran.err);
    let ran = refresh("http://127.0.0.1:9/prices.json".into());
    assert_eq!(ran.code, 3, "{}", ran.err);
}

#[test]
fn a_bare_name_is_recorded_with_the_model_that_it_stands_for() {
    let lab = Lab::new("openai", "model = \"mock\"", MockConfig::default());
    let ran = lab.workspace.agon(&["run", "exchange", "x", "--model", "lab", "--id", "d1", "--rounds", "0"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let shown = lab.workspace.json(&["show", "d1"]);
    assert_eq!(shown["opened"]["lineup"][0]["model"], "lab:mock");
    let plan = lab.workspace.json(&["run", "exchange", "x", "--model", "anthropic", "--plan"]);
    let model = plan["models"][0]["model"].as_str().unwrap();
    assert!(model.starts_with("anthropic:claude-"), "{model}");
    assert_eq!(plan["models"][0]["price"]["origin"], "list");
}

#[test]
fn a_plan_shows_a_range_of_time_once_a_model_was_measured() {
    let lab = Lab::new("openai", PRICE, MockConfig::default());
    let plan = || {
        let plan = ["run", "exchange", "This house would nap.", "--plan"];
        let local = lab.workspace.json(&[&plan[..], &["--model", "local"]].concat());
        let hosted = lab.workspace.json(&[&plan[..], &["--model", "lab:mock"]].concat());
        [local, hosted].map(|plan| plan["models"][0].clone())
    };
    let [local, hosted] = plan();
    let range = |plan: &Value| Some((plan["minutes_min"].as_f64()?, plan["minutes_max"].as_f64()?));
    let (low, high) = range(&local).unwrap();
    assert!(low > 0.0 && low < local["minutes"].as_f64().unwrap() && high > low, "{local}");
    assert_eq!(range(&hosted), None, "{hosted}");
    assert_eq!(lab.run(&[]).code, 0);
    let [_, hosted] = plan();
    let (low, high) = range(&hosted).unwrap();
    assert!(low <= high && high < hosted["minutes"].as_f64().unwrap(), "the mock answers at once: {hosted}");
}

#[test]
fn a_plan_counts_the_schemas_that_are_sent_and_the_room_for_thinking() {
    let lab = Lab::new("openai", PRICE, MockConfig::default());
    let plan = |model: &str| {
        let plan = lab.workspace.json(&["run", "exchange", "This house would nap.", "--model", model, "--plan"]);
        ["calls", "prompt_tokens", "completion_tokens_max", "cost_microusd"]
            .map(|name| plan["models"][0][name].as_u64().unwrap())
    };
    let [_, without_schema, ..] = plan("local");
    let [calls, read, written, cost] = plan("lab:mock");
    assert!(read > without_schema, "{read} {without_schema}");
    let [_, same, thought, more] = plan("lab:mock?effort=high");
    assert_eq!((same, thought), (read, written + 24_000 * calls));
    assert!(more > cost, "{more} {cost}");
}

#[test]
fn the_doctor_names_what_can_answer_with_the_command_for_it() {
    let lab = Lab::new("openai", "api_key_env = \"LAB_KEY\"", MockConfig::default());
    // The default model is asked whether it is there, and must not be far away.
    let config = format!("model = \"lab:mock\"\n{}", lab.workspace.read("agon.toml"));
    lab.workspace.write("agon.toml", config);
    let mut command = lab.workspace.command(&["doctor", "--output", "json"]);
    command.env("OLLAMA_HOST", lab.server.addr.to_string());
    command.env("GEMINI_API_KEY", "k").env("LAB_KEY", "k").env("OPENROUTER_API_KEY", "k");
    let output = command.output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let command = |what: &str| {
        let all = found["findings"].as_array().unwrap();
        let one = all.iter().find(|one| one["what"].as_str().unwrap().contains(what));
        one.unwrap_or_else(|| panic!("{what}: {found}"))["command"].clone()
    };
    assert_eq!(command("GEMINI_API_KEY is set"), "agon run exchange \"…\" --model gemini");
    assert_eq!(command("LAB_KEY is set"), "agon run exchange \"…\" --model lab:MODEL");
    assert_eq!(command("OPENROUTER_API_KEY is set"), Value::Null);
    assert_eq!(command("Ollama answers at"), "agon run exchange \"…\" --model ollama:mock:latest");
    assert_eq!(found["sound"], true, "{found}");
}

#[test]
fn stats_count_debates_by_protocol_and_outcome() {
    let workspace = Workspace::new();
    assert_eq!(workspace.json(&["stats"])["debates"], 0);
    assert!(workspace.agon(&["stats"]).out.contains("No debates"));
    workspace.debate(&["--rounds", "0"]);
    let stats = workspace.json(&["stats"]);
    assert_eq!((&stats["debates"], &stats["open"]), (&json!(1), &json!(0)));
    assert_eq!(stats["protocols"][0]["protocol"], "exchange");
    assert_eq!(stats["calls"], workspace.json(&["show", "d1"])["used"]["requests"]);
    assert_eq!(stats["calls_of_unknown_cost"], 0, "a script charges nothing");
    assert_eq!(workspace.json(&["stats", "--since", "1h"])["debates"], 1);
    assert_eq!(workspace.json(&["stats", "--since", "2999-01-01"])["debates"], 0);
    let ran = workspace.agon(&["stats", "--since", "soon"]);
    assert_eq!((ran.code, ran.err.contains("2026-01-31")), (2, true), "{}", ran.err);
    let text = workspace.agon(&["stats"]).out;
    assert!(text.contains("exchange: 1 debates") && text.contains("calls:"), "{text}");
}

#[test]
fn a_catalogue_has_no_price_for_the_host_of_another_provider() {
    let lab = Lab::new("openai", "", MockConfig::default());
    for host in ["api.openai.com", "API.OpenAI.com."] {
        let cheap = lab.catalogue(|all| {
            all["providers"]["lab"]["host"] = json!(host);
            all["models"][0]["name"] = json!("gpt-5");
        });
        lab.workspace.write("cheap.json", cheap);
        let ran = lab.workspace.agon(&["prices", "refresh", "cheap.json"]);
        assert_eq!(ran.code, 2, "{host}: {}", ran.out);
        assert!(ran.err.contains("is that of openai"), "{}", ran.err);
    }
}

#[test]
fn a_price_that_is_one_per_token_is_refused_with_its_unit() {
    for price in [
        "{ input = 0.00000025, output = 0.0000004 }",
        "{ input = 1e30, output = 1.0 }",
        "{ input = 1.0, cached = 2.0, output = 4.0 }",
    ] {
        let lab = Lab::new("openai", &format!("price = {price}"), MockConfig::default());
        let ran = lab.run(&["--plan"]);
        assert_eq!(ran.code, 2, "{price}: {}", ran.out);
        assert!(ran.err.contains("per million tokens") || ran.err.contains("is more than input"), "{}", ran.err);
    }
}

#[test]
fn calls_whose_tokens_nobody_told_are_split_in_receipts_as_in_the_report() {
    let lab = Lab::new(
        "openai",
        "price = { input = 3.0, output = 15.0 }",
        MockConfig { faults: (0..20).map(|call| (call, MockFault::MissingUsage)).collect(), ..MockConfig::default() },
    );
    assert_eq!(lab.run(&["--rounds", "0"]).code, 0);
    let shown = lab.workspace.json(&["show", "d1"]);
    let used = &shown["used"];
    let (read, written) = (used["prompt_tokens"].as_u64().unwrap(), used["completion_tokens"].as_u64().unwrap());
    assert!(written > 0 && read > 0, "{used}");
    let record = lab.workspace.read("d/record.jsonl");
    let answers = record
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).unwrap()["what"]["answered"].as_object().cloned());
    let sum = |field: &str| answers.clone().map(|answered| answered["usage"][field].as_u64().unwrap_or(0)).sum::<u64>();
    assert_eq!((read, written), (sum("prompt_tokens"), sum("completion_tokens")), "{shown}");
}
