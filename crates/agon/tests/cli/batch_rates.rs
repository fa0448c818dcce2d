//! Debates of a batch wait for each other at the limits of a provider.

use std::time::{Duration, Instant};

use agon_mock::{MockConfig, MockRate, MockServer};
use serde_json::{Value, json};

use crate::cli::workspace::{Ran, Workspace};

/// A provider that takes so many requests, and the room that knows it as `lab`.
struct RatedLab {
    workspace: Workspace,
    server: MockServer,
    _runtime: tokio::runtime::Runtime,
}

impl RatedLab {
    fn new(kind: &str, rate: MockRate, more: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let config = MockConfig { rate: Some(rate), ..MockConfig::default() };
        let server = runtime.block_on(MockServer::start(config)).unwrap();
        let workspace = Workspace::new();
        let url = server.url("/v1");
        workspace.write("agon.toml", format!("[providers.lab]\nkind = \"{kind}\"\nbase_url = \"{url}\"\n{more}\n"));
        Self { workspace, server, _runtime: runtime }
    }

    fn lines(&self, count: usize) {
        let line = |n: usize| {
            json!({"protocol": "exchange", "motion": "This house would rest.", "id": format!("d{n}"), "rounds": 0,
                   "model": "lab:mock"})
            .to_string()
        };
        self.workspace.write("all.jsonl", (0..count).map(line).collect::<Vec<_>>().join("\n"));
    }

    fn batch(&self, more: &[&str]) -> Ran {
        let args = ["batch", "all.jsonl", "--output", "json", "--files", "none"];
        self.workspace.agon(&[&args, more].concat())
    }

    /// Requests for text that were answered, and refused.
    fn asked(&self) -> (usize, usize) {
        let log = self.server.logged_requests();
        let count = |status: u16| log.iter().filter(|one| one.generation && one.status == status).count();
        (count(200), count(429))
    }
}

fn summary(ran: &Ran) -> Value {
    serde_json::from_str(ran.out.lines().last().unwrap()).unwrap()
}

#[test]
fn debates_of_a_batch_wait_instead_of_being_refused() {
    // A minute with 60 requests, scaled down to half a second with 10.
    let rate = MockRate { requests: 10, window: Duration::from_millis(500) };
    for kind in ["openai", "anthropic"] {
        let lab = RatedLab::new(kind, rate, "");
        lab.lines(20);
        let began = Instant::now();
        let ran = lab.batch(&["--concurrency", "20"]);
        let ((answered, refused), took) = (lab.asked(), began.elapsed());
        println!("{kind}: {answered} answered, {refused} refused, {took:?}");
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert_eq!(summary(&ran)["closed_well"], 20);
        // Forty calls come at once before anything is known of the limit; thirty of them are refused.
        assert!(refused <= 35, "{kind}: {refused} refused of {answered}");
        // No call is lost or made twice: as many as 20 single debates need.
        let used = summary(&ran)["used"]["requests"].as_u64().unwrap();
        assert_eq!(used as usize, answered + refused);
    }
}

#[test]
fn a_configured_limit_leaves_nothing_to_refuse() {
    let rate = MockRate { requests: 30, window: Duration::from_millis(1_000) };
    // A tenth of the limit may come at once.
    let lab = RatedLab::new("openai", rate, "requests_per_minute = 300");
    lab.lines(12);
    let ran = lab.batch(&["--concurrency", "12"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let (answered, refused) = lab.asked();
    println!("configured: {answered} answered, {refused} refused");
    assert_eq!(refused, 0);
}

#[cfg(unix)]
#[test]
fn waiting_is_told_and_ends_at_ctrl_c_without_a_cost() {
    let rate = MockRate { requests: 1_000, window: Duration::from_secs(1) };
    let lab = RatedLab::new("openai", rate, "requests_per_minute = 1\nprice = { input = 1000.0, output = 1000.0 }");
    lab.lines(3);
    let child = lab
        .workspace
        .command(&["batch", "all.jsonl", "--output", "json", "--concurrency", "3", "--files", "none"])
        .env("AGON_LOG", "info")
        .spawn()
        .unwrap();
    while lab.asked().0 < 1 || lab.workspace.json(&["list"]).as_array().unwrap().len() < 3 {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(700));
    let began = Instant::now();
    let stop = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stop.success());
    let ended = child.wait_with_output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(ended.status.code(), Some(130));
    let log = String::from_utf8(ended.stderr).unwrap();
    assert!(log.contains("waits for a limit of rate"), "{log}");
    assert_eq!(lab.asked(), (1, 0), "one a minute");
    // What only waited was not sent, and is not counted as if it had been.
    let used: u64 =
        (0..3).map(|n| lab.workspace.json(&["show", &format!("d{n}")])["used"]["requests"].as_u64().unwrap()).sum();
    assert_eq!(used, 1);
}

#[test]
fn a_pause_that_nobody_waits_for_ends_the_debates() {
    let config = MockConfig::with_constant_fault("status:429:7200".parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(MockServer::start(config)).unwrap();
    let lab = RatedLab { workspace: Workspace::new(), server, _runtime: runtime };
    let url = lab.server.url("/v1");
    lab.workspace.write("agon.toml", format!("[providers.lab]\nkind = \"openai\"\nbase_url = \"{url}\"\n"));
    lab.lines(4);
    let ran = lab.batch(&[]);
    assert_eq!(ran.code, 3);
    let failures = &summary(&ran)["failures"][0];
    assert_eq!((&failures["kind"], &failures["count"]), (&json!("provider"), &json!(4)), "{}", ran.out);
    assert!(lab.asked().1 <= 2, "who asks for two hours is not asked again: {:?}", lab.asked());
}
