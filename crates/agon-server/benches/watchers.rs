//! 500 watchers of one debate whose connections break again and again: how much memory they take, how late
//! they see an entry, and whether each sees every entry once.
//! `cargo bench --package agon-server --bench watchers`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // A measurement.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use agon_app::{ContinueRequest, Failure, Launcher, OpeningRequest, Plan};
use agon_core::{DebateId, Digest, Event, Key, Ruling, RulingKind, sample};
use agon_journal::{Append, Journal, seal_entry};
use agon_server::{EventHub, Server, ServerConfig, WriteToken};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const WATCHERS: usize = 500;
const ENTRIES: usize = 40;

struct Nobody;

#[async_trait::async_trait]
impl Launcher for Nobody {
    async fn open_debate(&self, _: OpeningRequest) -> agon_app::Result<DebateId> {
        Err(Failure::usage("nothing is started here", ""))
    }

    async fn plan_debate(&self, _: OpeningRequest) -> agon_app::Result<Plan> {
        Err(Failure::usage("nothing is planned here", ""))
    }

    async fn continue_debate(&self, _: ContinueRequest) -> agon_app::Result<()> {
        Err(Failure::usage("nothing goes on here", ""))
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure());
}

async fn measure() {
    let home = tempfile::tempdir().unwrap();
    let journal = Arc::new(Journal::open(home.path()).unwrap());
    let template = "{{ role(\"user\") }}x";
    let mut opened = sample::sample_opened("exchange", &["proposition", "opposition"]);
    opened.prompts = BTreeMap::from([("x".to_owned(), Digest::from_content(template))]);
    let id = opened.debate.clone();
    journal
        .create_debate(Event::Opened(opened), vec![(Digest::from_content(template), template.into())], None)
        .await
        .unwrap();
    let config = ServerConfig {
        journal: Arc::clone(&journal),
        home: home.path().to_owned(),
        token: WriteToken::from_home(home.path()).unwrap(),
        read_without_token: true,
        hosts: Vec::new(),
        launcher: Arc::new(Nobody),
        events: EventHub::new(Arc::clone(&journal)),
        models: Vec::new(),
        evaluations: home.path().join("evaluations"),
        operation: Default::default(),
    };
    let server = Server::bind(config, "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = server.address();
    tokio::spawn(server.serve_until(std::future::pending()));

    let before = resident();
    let tally = Arc::new(Tally { seen: (0..=ENTRIES).map(|_| AtomicUsize::new(0)).collect(), ..Tally::default() });
    for number in 0..WATCHERS {
        tokio::spawn(watch(address, number, Arc::clone(&tally)));
    }
    wait(|| tally.seen[0].load(Ordering::Relaxed)).await;
    let mut waits = Vec::new();
    for at in 1..ENTRIES {
        let mut record = journal.read_record(&id).unwrap();
        let what = Event::Ruled {
            key: Key::from_parts(format!("note/{at}")),
            ruling: Ruling::new(RulingKind::Noted, "x".repeat(2_000)),
        };
        let entry = seal_entry(&mut record, what).unwrap();
        journal.append_entries(&id, Append { entries: vec![entry], ..Append::default() }).await.unwrap();
        let since = Instant::now();
        wait(|| tally.seen[at].load(Ordering::Relaxed)).await;
        waits.push(since.elapsed());
    }
    waits.sort();
    println!("{WATCHERS} watchers, {} entries of 2 kB, each by another writer's append", waits.len());
    println!(
        "until the last watcher has it: median {:?}, slowest {:?}",
        waits[waits.len() / 2],
        waits[waits.len() - 1]
    );
    let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
    println!(
        "{} reconnections, {} entries lost, {} doubled",
        count(&tally.reconnections),
        count(&tally.lost),
        count(&tally.doubled)
    );
    println!("memory of server and watchers together: {} kB before, {} kB after", before, resident());
}

/// What all watchers saw.
#[derive(Default)]
struct Tally {
    /// By entry, how many saw it.
    seen: Vec<AtomicUsize>,
    lost: AtomicUsize,
    doubled: AtomicUsize,
    reconnections: AtomicUsize,
}

/// Watches, hangs up after every few entries, and comes back with the last entry that it knows.
async fn watch(address: SocketAddr, number: usize, tally: Arc<Tally>) {
    let mut next = 0;
    while next < ENTRIES {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let last = if next > 0 { format!("Last-Event-ID: {}\r\n", next - 1) } else { String::new() };
        let request = format!("GET /api/v1/debates/sample/events HTTP/1.1\r\nHost: {address}\r\n{last}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        // Not all at once, and not all at the same entries.
        let until = next + 3 + number % 7;
        let (mut rest, mut buffer) = (String::new(), vec![0; 16 * 1024]);
        while next < until {
            let Ok(read @ 1..) = stream.read(&mut buffer).await else { break };
            rest.push_str(&String::from_utf8_lossy(&buffer[..read]));
            while let Some(end) = rest.find("\n\n") {
                let frame: String = rest.drain(..end + 2).collect();
                let id = frame.lines().find_map(|line| line.strip_prefix("id: ")?.trim().parse::<usize>().ok());
                let Some(id) = id else { continue };
                if id < next {
                    tally.doubled.fetch_add(1, Ordering::Relaxed);
                    continue;
                }
                tally.lost.fetch_add(id - next, Ordering::Relaxed);
                if let Some(seen) = tally.seen.get(id) {
                    seen.fetch_add(1, Ordering::Relaxed);
                }
                next = id + 1;
            }
        }
        tally.reconnections.fetch_add(1, Ordering::Relaxed);
    }
}

async fn wait(count: impl Fn() -> usize) {
    let since = Instant::now();
    while count() < WATCHERS {
        assert!(since.elapsed() < Duration::from_secs(60), "{} of {WATCHERS} saw it", count());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Resident memory in kB; 0 where the system does not say.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
