//! What a pilot predicts: whether a debate or a critique will help here.
//!
//! A judge who hears a critic can only gain where the critic is right and the judge is wrong, and can only lose where it
//! is the reverse. Let d be the share of items where one of the two alone is right, l the share where it is the judge,
//! and q the chance that the ruling is right where they differ. Then the gain is q d - l. It is positive if q is above
//! l / d. q is observed where the pilot held debates. Otherwise it is 1/2 + v/2, where v is the share of rulings with a
//! checked quote: a checked ruling is taken as right, an unchecked one as a coin. That is an assumption, not a finding.
//!
//! Shares of thirty items are uncertain, above all those of 0 and of all. So d, l and q are drawn from their Beta
//! posteriors under the priors of Jeffreys (1946), with as many items as there are clusters.

use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use serde::Serialize;
use statrs::function::beta::inv_beta_reg;

use super::sum_by_cluster;
use crate::{
    bootstrap::{PLAIN_TAIL, Resampling, percentile_interval},
    estimate::{Estimate, Share},
};

/// One item of a pilot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PilotCase {
    /// Cluster of the item.
    pub cluster: usize,
    /// Whether the judge alone is right.
    pub judge: bool,
    /// Whether the critic alone is right.
    pub critic: bool,
    /// Whether the ruling after critique or debate is right, if there was one.
    pub ruling: Option<bool>,
    /// Whether a quote was checked before it, if known.
    pub verified: Option<bool>,
}

/// What a pilot says about a debate on all items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PilotVerdict {
    /// The whole interval of the gain is above 0.
    Helps,
    /// The whole interval is below 0.
    Harms,
    /// The interval holds 0, or there is none.
    Unclear,
}

/// From where the chance of a right ruling is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RulingBasis {
    /// Rulings of the pilot on items where judge and critic differ.
    Observed,
    /// Assumed from the share of rulings with a checked quote.
    Assumed,
    /// Not known: there is no prediction.
    Unknown,
}

/// What a pilot measured and what follows from it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PilotReport {
    /// The arm whose rulings it is about, or the critic's where nothing was ruled.
    pub arm: String,
    /// Items with a gold answer and the answers of both alone.
    pub items: u64,
    /// How often the judge alone is right.
    pub judge: Share,
    /// How often the critic alone is right.
    pub critic: Share,
    /// Critic minus judge.
    pub critic_lead: Estimate,
    /// Items where the critic alone is right: at most this can be gained.
    pub gainable: Share,
    /// Items where the judge alone is right: at most this can be lost.
    pub losable: Share,
    /// Rulings with a checked quote.
    pub verified: Share,
    /// Right rulings, of the items where judge and critic differ.
    pub rulings: Share,
    /// From where q is known.
    pub basis: RulingBasis,
    /// The chance of a right ruling from which on the gain is positive; absent where judge and critic never differ.
    pub break_even: Option<f64>,
    /// Predicted gain in accuracy over the judge alone.
    pub gain: Estimate,
    /// Probability of a gain above 0.
    pub chance_of_gain: Option<f64>,
    /// The prediction.
    pub verdict: PilotVerdict,
}

/// What `cases` predict. `None` without cases.
pub fn build_pilot_report(arm: &str, cases: &[PilotCase], resampling: Resampling) -> Option<PilotReport> {
    if cases.is_empty() {
        return None;
    }
    let lead = cases.iter().map(|case| (case.cluster, f64::from(case.critic) - f64::from(case.judge)));
    let lead = sum_by_cluster(lead);
    let differing = cases.iter().filter(|case| case.judge != case.critic);
    let gainable = Share::from_values(cases.iter().map(|case| case.critic && !case.judge));
    let losable = Share::from_values(cases.iter().map(|case| case.judge && !case.critic));
    let verified = Share::from_values(cases.iter().filter_map(|case| case.verified));
    let rulings = Share::from_values(differing.filter_map(|case| case.ruling));
    let either = gainable.hits + losable.hits;
    let mut report = PilotReport {
        arm: arm.to_owned(),
        items: cases.len() as u64,
        judge: Share::from_values(cases.iter().map(|case| case.judge)),
        critic: Share::from_values(cases.iter().map(|case| case.critic)),
        critic_lead: resampling.estimate_ratio(&lead),
        gainable,
        losable,
        verified,
        rulings,
        basis: match (rulings.n, verified.n) {
            (1.., _) => RulingBasis::Observed,
            (0, 1..) => RulingBasis::Assumed,
            (0, 0) => RulingBasis::Unknown,
        },
        break_even: (either > 0).then(|| losable.hits as f64 / either as f64),
        gain: Estimate::default(),
        chance_of_gain: None,
        verdict: PilotVerdict::Unclear,
    };
    (report.gain, report.chance_of_gain) = predict_gain(&report, lead.len(), resampling);
    report.verdict = match report.gain.interval() {
        Some((low, _)) if low > 0.0 => PilotVerdict::Helps,
        Some((_, high)) if high < 0.0 => PilotVerdict::Harms,
        _ => PilotVerdict::Unclear,
    };
    Some(report)
}

/// The gain that the shares of `pilot` predict, and how probable one above 0 is.
fn predict_gain(pilot: &PilotReport, clusters: usize, resampling: Resampling) -> (Estimate, Option<f64>) {
    let assumed = |checked: f64| 0.5 + 0.5 * checked;
    let q = match pilot.basis {
        RulingBasis::Observed => pilot.rulings.value,
        RulingBasis::Assumed => pilot.verified.value.map(assumed),
        RulingBasis::Unknown => None,
    };
    let Some(q) = q else {
        let why = "neither rulings where judge and critic differ nor checks of quotes are known";
        return (Estimate::absent(clusters, why), None);
    };
    let n = pilot.items as f64;
    // Items of one cluster say less than as many of their own: as if there were one of each cluster.
    let scale = clusters as f64 / n;
    let beta = |hits: f64, misses: f64, at: f64| {
        inv_beta_reg(hits * scale + 0.5, misses * scale + 0.5, at.clamp(1e-12, 1.0 - 1e-12))
    };
    let of = |share: &Share, at: f64| beta(share.hits as f64, (share.n - share.hits) as f64, at);
    let [gainable, losable] = [pilot.gainable.hits as f64, pilot.losable.hits as f64];
    let differing = gainable + losable;
    let mut random = ChaCha8Rng::seed_from_u64(resampling.seed);
    let gains: Vec<f64> = (0..resampling.resamples)
        .map(|_| {
            let [d, s, q]: [f64; 3] = random.random();
            let d = beta(differing, n - differing, d);
            let critic = beta(gainable, losable, s);
            let q = match pilot.basis {
                RulingBasis::Observed => of(&pilot.rulings, q),
                _ => assumed(of(&pilot.verified, q)),
            };
            d * (q - (1.0 - critic))
        })
        .collect();
    let above = gains.iter().filter(|gain| **gain > 0.0).count() as f64 / gains.len().max(1) as f64;
    let gain = Estimate::from_value((q * differing - losable) / n, clusters);
    let estimate = gain.with_interval(percentile_interval(gains, resampling.resamples, PLAIN_TAIL));
    let estimate = match pilot.basis {
        RulingBasis::Assumed => estimate.with_note("assumes that a ruling with a checked quote is right"),
        _ => estimate,
    };
    (estimate, Some(above))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(cluster: usize, judge: bool, critic: bool, ruling: Option<bool>, verified: Option<bool>) -> PilotCase {
        PilotCase { cluster, judge, critic, ruling, verified }
    }

    #[test]
    fn a_critic_that_knows_more_and_a_judge_that_sees_it_predict_a_gain() {
        let cases: Vec<PilotCase> =
            (0..30).map(|at| case(at, at % 2 == 0, at % 5 != 0, Some(true), Some(true))).collect();
        let found = build_pilot_report("debate", &cases, Resampling::default()).unwrap();
        assert_eq!((found.verdict, found.basis), (PilotVerdict::Helps, RulingBasis::Observed));
        // The critic alone is right at odd numbers that 5 does not divide: 12 of 30.
        assert!((found.gain.value.unwrap() - 0.4).abs() < 1e-12 && found.chance_of_gain.unwrap() > 0.99);
        assert!((found.break_even.unwrap() - 0.2).abs() < 1e-12);
    }

    #[test]
    fn a_judge_that_is_talked_out_of_its_answers_predicts_harm() {
        let cases: Vec<PilotCase> = (0..40).map(|at| case(at, true, at % 2 == 0, Some(false), None)).collect();
        assert_eq!(build_pilot_report("debate", &cases, Resampling::default()).unwrap().verdict, PilotVerdict::Harms);
    }

    #[test]
    fn without_rulings_the_assumption_is_said_and_without_checks_there_is_no_prediction() {
        let cases: Vec<PilotCase> = (0..30).map(|at| case(at, at % 2 == 0, true, None, Some(at % 3 == 0))).collect();
        let found = build_pilot_report("debate", &cases, Resampling::default()).unwrap();
        assert_eq!(found.basis, RulingBasis::Assumed);
        assert!(found.gain.note.as_deref().unwrap().contains("assumes"));
        // q = 1/2 + 1/6, d = 1/2, l = 0.
        assert!((found.gain.value.unwrap() - 1.0 / 3.0).abs() < 1e-12);
        let cases: Vec<PilotCase> = (0..30).map(|at| case(at, at % 2 == 0, true, None, None)).collect();
        let found = build_pilot_report("debate", &cases, Resampling::default()).unwrap();
        assert_eq!((found.verdict, found.gain.value), (PilotVerdict::Unclear, None));
        assert_eq!(build_pilot_report("debate", &[], Resampling::default()), None);
    }

    #[test]
    fn one_item_predicts_nothing() {
        let found =
            build_pilot_report("debate", &[case(0, false, true, Some(true), None)], Resampling::default()).unwrap();
        let (low, high) = found.gain.interval().unwrap();
        assert!(found.verdict == PilotVerdict::Unclear && low < 0.0 && high > 0.3, "{low} {high}");
    }

    #[test]
    fn three_lucky_rulings_do_not_predict_a_gain() {
        let cases: Vec<PilotCase> = (0..30).map(|at| case(at, at >= 3, true, (at < 3).then_some(true), None)).collect();
        let found = build_pilot_report("debate", &cases, Resampling::default()).unwrap();
        assert!((found.gain.value.unwrap() - 0.1).abs() < 1e-12);
        assert!(found.chance_of_gain.unwrap() < 1.0 && found.gain.low.unwrap() < 0.05, "{found:?}");
    }
}
