//! Connections that break during a commit, and a server that is killed: nothing is lost, nothing is doubled.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use agon_core::{DebateId, Limits};
use agon_journal::{Journal, Reserved};

use crate::stores::{
    rules::{asked, entries, open, reservation},
    store::{TestStore, read, server},
};

/// What becomes of a commit on its way.
#[derive(Clone, Copy)]
enum Cut {
    /// The server never hears of it.
    Before = 1,
    /// The server does it, and its answer is lost.
    After = 2,
}

/// A connection to the server of the tests that breaks when it is told to.
struct Wire {
    port: u16,
    cut: Arc<AtomicU64>,
    cuts: Arc<AtomicU64>,
}

impl Wire {
    fn to(host: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (cut, cuts) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let wire = Self { port, cut: Arc::clone(&cut), cuts: Arc::clone(&cuts) };
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&host).unwrap());
                let (back, front) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                let (cut, cuts) = (Arc::clone(&cut), Arc::clone(&cuts));
                thread::spawn(move || forward(back, front, |_| true));
                thread::spawn(move || {
                    let (other, asking) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                    forward(client, server, |bytes| {
                        if !bytes.windows(7).any(|window| window == b"COMMIT\0") {
                            return true;
                        }
                        let cut = cut.swap(0, Ordering::SeqCst);
                        if cut == 0 {
                            return true;
                        }
                        cuts.fetch_add(1, Ordering::SeqCst);
                        if cut == Cut::After as u64 {
                            // Nothing more reaches the client, above all no answer.
                            asking.shutdown(Shutdown::Both).unwrap();
                            (&other).write_all(bytes).unwrap();
                            thread::sleep(Duration::from_millis(20));
                        }
                        false
                    });
                });
            }
        });
        wire
    }
}

/// Passes bytes on until an end closes or `passes` refuses; then both ends are closed.
fn forward(mut from: TcpStream, mut to: TcpStream, mut passes: impl FnMut(&[u8]) -> bool) {
    let mut bytes = [0; 65536];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !passes(&bytes[..count]) || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_neither_lost_nor_doubled() {
    let Some(store) = TestStore::postgres() else { return };
    let address = server().unwrap();
    let (user, rest) = address.split_once('@').unwrap();
    let (host, database) = rest.split_once('/').unwrap();
    let wire = Wire::to(host.to_owned());
    let through = format!("{user}@127.0.0.1:{}/{database}?schema={}", wire.port, store.schema());
    let journal = Journal::open_at(&read(&through)).unwrap();
    let mut record = open(&journal, "d1").await;
    let id = record.opened().debate.clone();
    for round in 0..40 {
        let cut = if round % 2 == 0 { Cut::Before } else { Cut::After };
        wire.cut.store(cut as u64, Ordering::SeqCst);
        let mut append = entries(&mut record, vec![asked(&format!("k/{round}"))]);
        append.driven_ms = 1;
        journal.append_entries(&id, append).await.unwrap();
        // What no entry guards is done once as well.
        wire.cut.store(cut as u64, Ordering::SeqCst);
        let reserved = journal.reserve_call(&id, reservation(&format!("k/{round}"), Limits::default())).await.unwrap();
        assert!(matches!(reserved, Reserved::Granted { attempt: 0, .. }), "{reserved:?}");
    }
    assert_eq!(wire.cuts.load(Ordering::SeqCst), 80);
    let read = store.open();
    assert_eq!(read.read_record(&id).unwrap().len(), 41);
    assert_eq!(
        (read.list_call_receipts(&id).unwrap().len(), read.find_summary(&id).unwrap().unwrap().driven_ms),
        (40, 40)
    );
    println!("80 connections cut during a commit: 0 lost, 0 doubled");
}

/// Kills the server in the folder `AGON_TEST_POSTGRES_KILL`, or stops it as its administrator would, and starts it again,
/// while processes append.
#[test]
fn a_server_that_is_killed_loses_nothing_that_was_acknowledged() {
    let Ok(folder) = std::env::var("AGON_TEST_POSTGRES_KILL") else {
        eprintln!("skipped: AGON_TEST_POSTGRES_KILL names no folder of a server that scripts/postgres may kill");
        return;
    };
    let kills: u32 = std::env::var("AGON_TEST_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(5);
    let script = |verb: &str| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/postgres");
        let output = Command::new(script).args([verb, &folder]).output().unwrap();
        assert!(output.status.success(), "{verb}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let store = TestStore::at(&script("start"));
    let (done, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let count = |writer: usize| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let journal = store.open();
        runtime.block_on(async {
            let mut record = open(&journal, &format!("d{writer}")).await;
            let id = record.opened().debate.clone();
            let mut acknowledged = 0_u64;
            while !stop.load(Ordering::SeqCst) {
                let mut append = entries(&mut record, vec![asked(&format!("k/{acknowledged}"))]);
                append.reserve.push(reservation(&format!("k/{acknowledged}"), Limits::default()));
                // An error here would be an append that was lost, or done twice.
                let reserved = journal.append_entries(&id, append).await.unwrap();
                assert!(matches!(reserved[..], [Reserved::Granted { attempt: 0, .. }]), "{reserved:?}");
                acknowledged += 1;
                done.fetch_add(1, Ordering::SeqCst);
            }
            acknowledged
        })
    };
    let acknowledged: Vec<u64> = thread::scope(|scope| {
        let writers: Vec<_> = (0..3).map(|writer| scope.spawn(move || count(writer))).collect();
        for kill in 0..kills {
            let (before, began) = (done.load(Ordering::SeqCst), Instant::now());
            while done.load(Ordering::SeqCst) < before + 30 && began.elapsed() < Duration::from_secs(60) {
                thread::sleep(Duration::from_millis(5));
            }
            script(if kill % 2 == 0 { "kill" } else { "stop" });
            script("start");
        }
        thread::sleep(Duration::from_secs(1));
        stop.store(true, Ordering::SeqCst);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let journal = store.open();
    let (mut lost, mut doubled) = (0, 0);
    for (writer, acknowledged) in acknowledged.iter().enumerate() {
        let id = DebateId::new(format!("d{writer}")).unwrap();
        let stored = journal.read_record(&id).unwrap().len() as u64 - 1;
        lost += acknowledged.saturating_sub(stored);
        doubled += stored.saturating_sub(*acknowledged);
        assert_eq!(journal.list_call_receipts(&id).unwrap().len() as u64, *acknowledged);
    }
    let all: u64 = acknowledged.iter().sum();
    println!("{kills} kills and stops of the server, {all} appends acknowledged: {lost} lost, {doubled} doubled");
    assert_eq!((lost, doubled), (0, 0));
}
