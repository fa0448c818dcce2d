//! Ten thousand items of three arms: time grows with their number, and memory with small rows alone.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // Helpers are part of the tests.
// The crate has neither clock nor disk; a measurement needs both.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::time::Instant;

use agon_eval::{
    observation::{Observation, ObservedUsage, ObservedVote},
    report::{
        builder::{ReportBuilder, ReportOptions},
        html::render_page,
        text::render_text,
    },
};

/// Bytes of memory in use, and the most so far; 0 where the system does not say.
fn memory() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0)
    };
    (kib("VmRSS:") * 1024.0, kib("VmHWM:") * 1024.0)
}

/// A long text in every observation: none of it may be kept.
fn observation(item: usize, arm: usize) -> Observation {
    let right = (item * 7 + arm * 3) % 10 < 6 + arm;
    let votes = (0..3).map(|judge| ObservedVote {
        judge: format!("judge-{judge}"),
        answer: Some(if right || judge == 2 { "yes" } else { "no" }.into()),
        margin: Some((item % (5 + judge)) as f64 - 2.0),
        ..ObservedVote::default()
    });
    Observation {
        item: format!("item-{item:06}"),
        cluster: Some(format!("cluster-{}", item / 4)),
        arm: format!("arm-{arm}"),
        gold: Some("yes".into()),
        choices: vec!["yes".into(), "no".into()],
        answer: Some(if right { "yes" } else { "no" }.into()),
        probabilities: Some(if right { vec![0.8, 0.2] } else { vec![0.3, 0.7] }),
        votes: votes.collect(),
        debate: Some("x".repeat(2_000)),
        usage: ObservedUsage {
            input_tokens: Some(1000 + item as u64 % 100),
            output_tokens: Some(100),
            money: Some(0.01),
            ..ObservedUsage::default()
        },
        ..Observation::default()
    }
}

/// Seconds, and bytes that each observation keeps.
fn measured(items: usize) -> (f64, f64) {
    let (before, _) = memory();
    let began = Instant::now();
    let mut builder = ReportBuilder::new(ReportOptions::default());
    for item in 0..items {
        for arm in 0..3 {
            builder.add_observation(&observation(item, arm)).unwrap();
        }
    }
    let heard = began.elapsed();
    let each = (memory().0 - before) / (3 * items) as f64;
    let report = builder.build_report();
    let took = began.elapsed();
    println!(
        "{items} items x 3 arms: heard in {:.2} s, figures in {:.2} s; {each:.0} bytes kept for each observation; at \
         most {:.0} MiB in all; terminal {} bytes, page {} bytes",
        heard.as_secs_f64(),
        (took - heard).as_secs_f64(),
        memory().1 / 1_048_576.0,
        render_text(&report).len(),
        render_page(&report).len(),
    );
    (took.as_secs_f64(), each)
}

#[test]
fn ten_thousand_items_take_ten_times_as_long_as_one_thousand() {
    measured(100);
    let (small, _) = measured(1_000);
    let (large, each) = measured(10_000);
    // Ten times the items; the bound leaves room for caches and for a machine that does other things too.
    assert!(large < 25.0 * small.max(0.05), "{small} s, then {large} s");
    // The text of 2,000 bytes in each observation is not kept.
    assert!(each < 1_500.0, "{each} bytes for each observation");
}
