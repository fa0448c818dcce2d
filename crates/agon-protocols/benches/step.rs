//! What a step costs as a record grows, and a whole debate of many steps. Prints times and ratios;
//! machines are noisy, so nothing here fails.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::disallowed_types)] // A bench needs a clock.

use std::time::{Duration, Instant};

use agon_core::{Answered, Answerer, Event, Protocol, Record, Reply, Stamp, Step, View, compute_next_step, sample};
use agon_protocols::exchange::Exchange;

fn main() {
    let sizes = [100, 1_000, 3_000];
    let mut times = Vec::new();
    for size in sizes {
        let (record, whole) = debate(size);
        let time = best(|| drop(compute_next_step(&Exchange, &record).unwrap()));
        println!(
            "step on {:>6} entries: {:>9.1} µs   (a debate of so many: {:.1} ms)",
            record.len(),
            micros(time),
            micros(whole) / 1e3
        );
        times.push(micros(time) / record.len() as f64);
    }
    for (at, size) in sizes.iter().enumerate().skip(1) {
        println!("cost an entry at {size} beside {}: {:.2} (1.00 is linear)", sizes[at - 1], times[at] / times[at - 1]);
    }
}

/// A debate that has grown to `size` entries, and what its steps took together.
fn debate(size: u64) -> (Record, Duration) {
    let mut opened = sample::sample_opened("exchange", &["proposition", "opposition", "judge", "reporter"]);
    opened.limits.rounds = u32::MAX;
    let at = || Stamp("2026-01-01T00:00:00.000Z".into());
    let mut record = Record::open(opened, at()).unwrap();
    let mut steps = Duration::ZERO;
    while record.len() < size {
        let started = Instant::now();
        let next = compute_next_step(&Exchange, &record).unwrap();
        steps += started.elapsed();
        match next {
            Step::Record(whats) => {
                for what in whats {
                    record.append_event(at(), what).unwrap();
                }
            }
            Step::Close(_) => break,
            Step::Await(open) => {
                let request = open[0].clone();
                let schema = Exchange.answer_schema(&View::new(&record, &request), &request);
                let text = sample::sample_answer(schema.as_ref(), record.len());
                let answered = Answered::new(request.key, Reply::Said { text }, Answerer::default());
                record.append_event(at(), Event::Answered(answered)).unwrap();
            }
        }
    }
    (record, steps)
}

fn best(work: impl Fn()) -> Duration {
    let times = (0..20).map(|_| {
        let started = Instant::now();
        work();
        started.elapsed()
    });
    times.min().unwrap()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
