//! Two servers over one database: what they share is shared, whichever of them drives a debate.

use std::time::{Duration, Instant};

use agon_mock::{MockConfig, MockServer};
use serde_json::{Value, json};

use crate::operate::{database::Database, served::Served, workspace::Workspace};

/// Requests a minute that the provider takes: a tenth may come at once.
const PER_MINUTE: f64 = 300.0;

/// Two places over one database, and the provider that both ask.
struct SharedDatabase {
    places: [Workspace; 2],
    provider: MockServer,
    _runtime: tokio::runtime::Runtime,
}

impl SharedDatabase {
    fn new(name: &str, latency_ms: u64, more: &str) -> Option<Self> {
        let one = Workspace::in_database(name)?;
        let mut two = Workspace::new();
        two.journal.clone_from(&one.journal);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let config = MockConfig { latency: Duration::from_millis(latency_ms), ..MockConfig::default() };
        let provider = runtime.block_on(MockServer::start(config)).unwrap();
        let places = [one, two];
        for place in &places {
            let url = provider.url("/v1");
            place.write("agon.toml", format!("[providers.lab]\nkind = \"openai\"\nbase_url = \"{url}\"\n{more}\n"));
            place.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 60000}]}"#);
        }
        Some(Self { places, provider, _runtime: runtime })
    }

    fn database(&self) -> Database {
        Database::from_address(self.places[0].journal.as_ref().unwrap())
    }
}

fn opening(id: &str, model: &str, rounds: u32) -> Value {
    json!({"protocol": "exchange", "motion": format!("This house would decide {id}."), "id": id,
           "model": model, "rounds": rounds})
}

#[test]
fn servers_that_share_a_database_divide_the_limits_of_rate() {
    let more = format!("requests_per_minute = {PER_MINUTE}");
    let Some(shared) = SharedDatabase::new("rates", 0, &more) else { return };
    let servers = [0, 1].map(|at| Served::new(&shared.places[at], &[]));
    // Each drives something, so each counts; a process hears of others every three seconds.
    for (at, server) in servers.iter().enumerate() {
        assert_eq!(server.start(opening(&format!("slow{at}"), "scripted:slow.json", 0)).0, 201);
    }
    std::thread::sleep(Duration::from_secs(4));
    let began = Instant::now();
    let ids: Vec<String> = (0..10).map(|at| format!("d{at}")).collect();
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(servers[at % 2].start(opening(id, "lab:mock", 0)).0, 201);
    }
    let database = shared.database();
    let (burst, per_second) = (PER_MINUTE / 10.0, PER_MINUTE / 60.0);
    loop {
        let (asked, since) = (shared.provider.request_count() as f64, began.elapsed().as_secs_f64());
        // Two more for the requests that came between these lines.
        assert!(asked <= burst + per_second * since + 2.0, "{asked} requests within {since:.1} s");
        if database.number("SELECT count(*) FROM debates WHERE outcome IS NOT NULL") == ids.len() as i64 {
            break;
        }
        assert!(since < 60.0, "{asked} requests within {since:.1} s, and no end");
        std::thread::sleep(Duration::from_millis(20));
    }
    let asked = shared.provider.request_count() as f64;
    let least = (asked - burst) / per_second * 0.8;
    println!("{asked} requests of two servers within {:?}", began.elapsed());
    assert!(asked > burst && began.elapsed().as_secs_f64() > least, "they wait for each other");
}

#[test]
fn a_budget_holds_over_the_servers_that_drive_a_debate_one_after_the_other() {
    let Some(shared) = SharedDatabase::new("budgets", 300, "") else { return };
    let mut first = Served::new(&shared.places[0], &[]);
    let mut wanted = opening("d1", "lab:mock", 2);
    wanted["max_requests"] = json!(6);
    assert_eq!(first.start(wanted).0, 201);
    let began = Instant::now();
    while shared.provider.request_count() < 3 {
        assert!(began.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    // Its claim lapses when it has been silent for long.
    shared.database().run("UPDATE drivers SET until = '2020-01-01T00:00:00.000Z'");
    let resumed = shared.places[1].agon(&["resume", "d1"]);
    assert_eq!(resumed.code, 4, "{}", resumed.err);
    assert!(resumed.err.contains("6 of 6 requests used"), "{}", resumed.err);
    let reserved = shared.database().number("SELECT count(*) FROM calls");
    assert!(shared.provider.request_count() <= 6 && reserved == 6, "{} of {reserved}", shared.provider.request_count());
}
