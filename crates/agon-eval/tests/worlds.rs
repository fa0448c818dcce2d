//! Made-up worlds whose truth is known: the report finds the right winner, and its intervals hold the truth as often
//! as they say.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // Helpers are part of the tests.

use agon_eval::{
    observation::{Observation, ObservationState, ObservedUsage},
    report::{
        EvaluationReport,
        builder::{ReportBuilder, ReportOptions},
    },
};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use statrs::distribution::{Binomial, DiscreteCDF};

const RUNS: u64 = 200;
const CLUSTERS: usize = 60;
const ITEMS_PER_CLUSTER: usize = 3;

/// Accuracy of each arm in a world. Items of one cluster share a difficulty, which moves both arms.
struct World {
    self_consistency: f64,
    debate: f64,
}

impl World {
    fn difference(&self) -> f64 {
        self.debate - self.self_consistency
    }

    fn report(&self, seed: u64) -> EvaluationReport {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut builder = ReportBuilder::new(ReportOptions {
            arms: vec!["self-consistency".into(), "debate".into()],
            baseline: Some("self-consistency".into()),
            resamples: 1_000,
            ..ReportOptions::default()
        });
        for cluster in 0..CLUSTERS {
            // Mean 0, so that the accuracies are as given.
            let difficulty: f64 = random.random_range(-0.15..0.15);
            for item in 0..ITEMS_PER_CLUSTER {
                for (arm, accuracy) in [("self-consistency", self.self_consistency), ("debate", self.debate)] {
                    let is_right = random.random_bool((accuracy + difficulty).clamp(0.0, 1.0));
                    builder
                        .add_observation(&observation(&format!("{cluster}-{item}"), cluster, arm, is_right))
                        .unwrap();
                }
            }
        }
        builder.build_report()
    }
}

fn observation(item: &str, cluster: usize, arm: &str, is_right: bool) -> Observation {
    Observation {
        item: item.into(),
        cluster: Some(cluster.to_string()),
        arm: arm.into(),
        gold: Some("yes".into()),
        choices: vec!["yes".into(), "no".into()],
        state: ObservationState::Answered,
        answer: Some(if is_right { "yes" } else { "no" }.into()),
        usage: ObservedUsage { input_tokens: Some(90), output_tokens: Some(10), ..ObservedUsage::default() },
        ..Observation::default()
    }
}

/// Runs a world 200 times: how often the difference's interval held the truth, each accuracy's did, the sign was
/// right, and the interval excluded 0 on either side.
fn run(name: &str, world: &World) -> (u64, u64, u64, u64) {
    let (mut held, mut accuracies, mut signs, mut above, mut below) = (0, 0, 0, 0, 0);
    for seed in 0..RUNS {
        let report = world.report(seed);
        let difference = &report.comparisons[0].all.difference;
        let (low, high) = difference.interval().unwrap();
        held += u64::from((low..=high).contains(&world.difference()));
        signs += u64::from(difference.value.unwrap() * world.difference() > 0.0);
        above += u64::from(low > 0.0);
        below += u64::from(high < 0.0);
        for (arm, truth) in report.arms.iter().zip([world.self_consistency, world.debate]) {
            let (low, high) = arm.accuracy.all_clustered.interval().unwrap();
            accuracies += u64::from((low..=high).contains(&truth));
        }
    }
    let share = |count: u64, of: u64| count as f64 / of as f64 * 100.0;
    println!(
        "{name}: difference {:+.2}, coverage {:.1} %, coverage of accuracies {:.1} %, right sign {:.1} %, \
         interval above 0 {:.1} %, below 0 {:.1} %",
        world.difference(),
        share(held, RUNS),
        share(accuracies, 2 * RUNS),
        share(signs, RUNS),
        share(above, RUNS),
        share(below, RUNS),
    );
    for (count, of) in [(held, RUNS), (accuracies, 2 * RUNS)] {
        let (few, many) = bounds(of);
        assert!((few..=many).contains(&count), "{name}: {count} of {of} intervals hold the truth; [{few}, {many}]");
    }
    (signs, above, below, held)
}

/// Counts that 95 % intervals give in all but 1 of 1,000 cases.
fn bounds(n: u64) -> (u64, u64) {
    let counts = Binomial::new(0.95, n).unwrap();
    (counts.inverse_cdf(0.0005), counts.inverse_cdf(0.9995))
}

#[test]
fn where_self_consistency_wins_the_report_says_so() {
    let (signs, above, below, _) = run("self-consistency wins", &World { self_consistency: 0.75, debate: 0.60 });
    assert!(signs > RUNS * 98 / 100 && above == 0, "{signs} {above}");
    assert!(below > RUNS * 75 / 100, "the interval excludes 0 in {below} of {RUNS} runs");
}

#[test]
fn where_debate_wins_the_report_says_so() {
    let (signs, above, below, _) = run("debate wins", &World { self_consistency: 0.60, debate: 0.75 });
    assert!(signs > RUNS * 98 / 100 && below == 0, "{signs} {below}");
    assert!(above > RUNS * 75 / 100, "the interval excludes 0 in {above} of {RUNS} runs");
}

#[test]
fn where_nothing_differs_the_report_rarely_claims_it() {
    let (_, above, below, _) = run("nothing differs", &World { self_consistency: 0.70, debate: 0.70 });
    // 5 % on both sides: 21 or more of 200 in less than 1 of 1,000 cases.
    assert!(above + below <= 21, "{} of {RUNS} runs claim a difference", above + below);
}
