//! How many appends each store of the journal does in a second: one debate after the other, and 64 at once. Postgres where
//! `AGON_TEST_POSTGRES` is the address of a server. `cargo bench --package agon-journal --bench journal`
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::disallowed_types)] // A bench needs a clock.

use std::time::Instant;

use agon_core::{Basis, DebateId, Event, Key, Limits, Request, Seat, sample};
use agon_journal::{Append, Journal, JournalAddress, PasswordSource, Reservation, seal_entry, uuid};

const DEBATES: usize = 64;
const APPENDS_ALONE: usize = 400;
const APPENDS_EACH: usize = 20;

fn main() {
    let home = tempfile::tempdir().unwrap();
    let mut places = vec![("SQLite", JournalAddress::Directory(home.path().to_owned()))];
    if let Ok(server) = std::env::var("AGON_TEST_POSTGRES") {
        let schema = format!("bench_{}", uuid::random_uuid().unwrap().replace('-', ""));
        let place = JournalAddress::parse(&format!("{server}?schema={schema}"), PasswordSource::Environment);
        places.push(("Postgres", place.unwrap()));
    }
    for (name, place) in places {
        let journal = Journal::open_at(&place).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let began = Instant::now();
        runtime.block_on(debate(&journal, 0, APPENDS_ALONE));
        let alone = began.elapsed().as_secs_f64();
        let began = Instant::now();
        let debates = (1..=DEBATES).map(|number| debate(&journal, number, APPENDS_EACH));
        runtime.block_on(futures::future::join_all(debates));
        let together = began.elapsed().as_secs_f64();
        println!(
            "{name}: one debate {:.0} appends/s; {DEBATES} debates {:.0} appends/s",
            APPENDS_ALONE as f64 / alone,
            (DEBATES * APPENDS_EACH) as f64 / together
        );
    }
}

/// Opens a debate and appends to it, as a turn does: an entry and the reservation of a call.
async fn debate(journal: &Journal, number: usize, appends: usize) {
    let mut opened = sample::sample_opened("exchange", &["a"]);
    opened.debate = DebateId::new(format!("d{number}")).unwrap();
    let mut record = journal.create_debate(Event::Opened(opened), vec![], None).await.unwrap();
    let id = record.opened().debate.clone();
    for at in 0..appends {
        let key = format!("turn/{at}");
        let asked = Event::Asked(Request::new(&*key, &Seat::new("a").unwrap(), "say"));
        let reservation = Reservation {
            completion_tokens: 0,
            key: Key::from_parts(key),
            tokens: 100,
            cost_microusd: 7,
            cost_basis: Basis::Estimated,
            limits: Limits::default(),
            attempts_max: 5,
            fence: None,
        };
        let entries = vec![seal_entry(&mut record, asked).unwrap()];
        let append = Append { entries, reserve: vec![reservation], ..Append::default() };
        journal.append_entries(&id, append).await.unwrap();
    }
}
