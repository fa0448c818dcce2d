//! The same operations give the same results and the same bytes in every store.

use agon_core::{DebateId, Key, Limits, Record, Seat, Stamp, sample};
use agon_journal::{Append, CallEnd, Journal, Settlement, leases::Denied};

use crate::stores::{
    rules::{answered, asked, reservation},
    store::{TestStore, without_place},
};

const SEEDS: u64 = 12;
const OPERATIONS: usize = 60;

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// Does what a seed says; gives everything that the journal answered.
async fn play(journal: &Journal, seed: u64) -> Vec<String> {
    let mut dice = Dice(seed);
    let mut told = Vec::new();
    let ids: Vec<DebateId> = (0..3).map(|at| DebateId::new(format!("d{at}")).unwrap()).collect();
    let mut records: Vec<Option<Record>> = vec![None; ids.len()];
    for step in 0..OPERATIONS {
        let which = dice.roll(ids.len() as u64) as usize;
        let id = &ids[which];
        // Moments of this test, since those of two runs differ.
        let at = Stamp(format!("2026-01-01T00:{:02}:00.000Z", step));
        let key = format!("k/{}", dice.roll(6));
        let answer = match dice.roll(9) {
            0 | 1 => {
                let mut opened = sample::sample_opened("exchange", &["a", "b"]);
                opened.debate = id.clone();
                opened.motion = format!("Motion {}", dice.roll(100));
                let record = Record::open(opened, at).unwrap();
                let done = journal.import_record(record.entries().to_vec(), vec![], None).await;
                if done.is_ok() {
                    records[which] = Some(record);
                }
                format!("{done:?}")
            }
            2..=5 => {
                let Some(known) = &mut records[which] else { continue };
                let mut record = known.clone();
                let what = match dice.roll(3) {
                    0 => answered(&key, &format!("Text {step} ü")),
                    _ => asked(&key),
                };
                // Some are sealed onto an end that is not the record's any more.
                let stale = dice.roll(4) == 0;
                let Ok(entry) = record.append_event(at, what).cloned() else { continue };
                let reserve = vec![reservation(&key, Limits { requests_max: Some(9), ..Limits::default() })];
                let append = Append { entries: vec![entry], reserve, driven_ms: step as u64, ..Append::default() };
                let done = journal.append_entries(id, append).await;
                if done.is_ok() && !stale {
                    *known = record;
                }
                format!("{done:?}")
            }
            6 => {
                let attempt = dice.roll(3) as u32;
                let end =
                    [CallEnd::Answered, CallEnd::Failed, CallEnd::Narrowed, CallEnd::Unmade][dice.roll(4) as usize];
                let settlement =
                    Settlement { key: Key::from_parts(&key), attempt, end, usage: None, failure: Some("odd") };
                format!("{:?}", journal.settle_call(id, settlement).await)
            }
            7 => format!("{:?}", journal.reserve_call(id, reservation(&key, Limits::default())).await),
            _ => {
                let claim = journal.claim_seat(id, &Seat::new("a").unwrap(), "Ada", 3000).await;
                match claim {
                    Ok(Ok(claim)) => format!("fence {}", claim.lease.fence),
                    Ok(Err(Denied::Held(lease))) => format!("held, fence {}", lease.fence),
                    other => format!("{other:?}"),
                }
            }
        };
        told.push(without_place(&answer, journal));
    }
    for id in &ids {
        let lines = journal.read_record(id).map(|record| {
            let lines = record.entries().iter().map(|entry| serde_json::to_string(entry).unwrap());
            lines.collect::<Vec<_>>()
        });
        told.push(format!("{lines:?} {:?}", journal.sum_usage(id)));
        let calls = journal.list_call_receipts(id).unwrap().into_iter().map(|mut call| {
            call.started_at.clear();
            format!("{call:?}")
        });
        let mut calls: Vec<_> = calls.collect();
        calls.sort();
        told.extend(calls);
        told.push(format!("{:?} {:?}", journal.list_unfinished_requests(id), journal.find_summary(id)));
    }
    told.push(format!("{:?} {:?}", journal.list_debates(9), journal.search_debates("motion TEXT", 9)));
    told.push(format!("{:?}", journal.compute_stats(None)));
    told
}

#[tokio::test]
async fn the_same_operations_give_the_same_answers_in_both_stores() {
    for seed in 0..SEEDS {
        let Some(postgres) = TestStore::postgres() else { return };
        let sqlite = TestStore::sqlite();
        let (one, two) = (sqlite.open(), postgres.open());
        let (one, two) = (play(&one, seed).await, play(&two, seed).await);
        for (at, (one, two)) in one.iter().zip(&two).enumerate() {
            assert_eq!(one, two, "seed {seed}, answer {at}");
        }
        assert_eq!(one.len(), two.len());
        let refused = one.iter().filter(|told| told.contains("Err")).count();
        assert!(refused > 3 && refused < one.len() / 2, "seed {seed} tries too little: {refused} refusals");
    }
}
