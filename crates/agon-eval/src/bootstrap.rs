//! Intervals by resampling whole clusters with replacement (Efron 1979; Davison and Hinkley 1997, chapter 3.8). Items
//! that share a story or a document are not independent, so they are drawn together. The ends are expanded percentiles
//! (Hesterberg 2015): plain percentiles are too narrow by about the factor of Student's t and of n / (n - 1).
//!
//! All draws follow from a seed by ChaCha8: equal observations and an equal seed give equal intervals on every machine.

use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use statrs::{
    distribution::{ContinuousCDF, StudentsT},
    function::erf::erfc,
};

use crate::estimate::{CONFIDENCE, Estimate};

/// Resamples of an interval. The standard error of an end is then a tenth of the interval's width at most.
pub const RESAMPLES: usize = 2_000;
/// Fewest clusters that an interval is computed from.
pub const CLUSTERS_MIN: usize = 2;
/// Fewer clusters than this get a note: how often intervals from few clusters hold the truth is uncertain.
pub const CLUSTERS_FEW: usize = 20;

/// The share of resamples outside of each end of a posterior.
pub const PLAIN_TAIL: f64 = (1.0 - CONFIDENCE) / 2.0;

/// Why an interval is absent.
pub const ONE_CLUSTER: &str = "no interval: all items are in one cluster";
/// Why an interval is narrow.
pub const FEW_CLUSTERS: &str = "fewer than 20 clusters: how often such intervals hold the truth is uncertain";
/// Why an interval has no width.
pub const NO_SPREAD: &str = "every cluster has the same value: the interval has no width";

/// How intervals are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    /// What all draws follow from.
    pub seed: u64,
    /// How many resamples.
    pub resamples: usize,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { seed: 1, resamples: RESAMPLES }
    }
}

impl Resampling {
    /// Calls `each` with the indices of each resample of `count` clusters.
    pub fn for_each_resample(self, count: usize, mut each: impl FnMut(&[usize])) {
        if count == 0 {
            return;
        }
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut drawn = vec![0; count];
        for _ in 0..self.resamples {
            drawn.fill_with(|| random.random_range(0..count as u64) as usize);
            each(&drawn);
        }
    }

    /// Sum of the first numbers divided by sum of the second ones, with its interval. Each pair is one cluster; the
    /// mean of values is the sum of a cluster's values and their count.
    pub fn estimate_ratio(self, clusters: &[(f64, f64)]) -> Estimate {
        let Some(value) = divide_sums(clusters.iter().copied()) else {
            return Estimate::absent(clusters.len(), "nothing to compute it from");
        };
        let estimate = Estimate::from_value(value, clusters.len());
        if clusters.len() < CLUSTERS_MIN {
            return estimate.with_note(ONE_CLUSTER);
        }
        let mut values = Vec::with_capacity(self.resamples);
        self.for_each_resample(clusters.len(), |drawn| {
            values.extend(divide_sums(drawn.iter().map(|at| clusters[*at])))
        });
        let estimate = estimate.with_interval(percentile_interval(values, self.resamples, tail_share(clusters.len())));
        let estimate = match estimate.interval() {
            Some((low, high)) if high - low < 1e-12 => estimate.with_note(NO_SPREAD),
            _ => estimate,
        };
        if clusters.len() < CLUSTERS_FEW { estimate.with_note(FEW_CLUSTERS) } else { estimate }
    }
}

/// Sum of the first numbers divided by sum of the second ones.
fn divide_sums(pairs: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (sum, count) = pairs.fold((0.0, 0.0), |(sum, count), (a, n)| (sum + a, count + n));
    (count > 0.0).then(|| sum / count)
}

/// The share of resamples outside of each end, for figures of `clusters` clusters: where the normal distribution has
/// the quantile of Student's t with one degree of freedom less, times the root of n / (n - 1).
pub fn tail_share(clusters: usize) -> f64 {
    let count = clusters as f64;
    let Ok(student) = StudentsT::new(0.0, 1.0, count - 1.0) else { return PLAIN_TAIL };
    let z = student.inverse_cdf(1.0 - PLAIN_TAIL) * (count / (count - 1.0)).sqrt();
    erfc(z / std::f64::consts::SQRT_2) / 2.0
}

/// The values of resamples without `tail` of them at each end.
///
/// # Errors
/// Why there is none: fewer than half of `resamples` have a value.
pub fn percentile_interval(mut values: Vec<f64>, resamples: usize, tail: f64) -> Result<(f64, f64), &'static str> {
    values.retain(|value| value.is_finite());
    if values.is_empty() || values.len() * 2 < resamples {
        return Err("no interval: most resamples have no value");
    }
    values.sort_by(f64::total_cmp);
    Ok((interpolate_quantile(&values, tail), interpolate_quantile(&values, 1.0 - tail)))
}

/// The quantile of sorted values, between neighbours by straight line (type 7 of Hyndman and Fan 1996).
fn interpolate_quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, above) = (at.floor() as usize, at.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (at - at.floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_intervals_and_others_differ() {
        let clusters: Vec<(f64, f64)> = (0..50).map(|at| (f64::from(at % 7), 3.0)).collect();
        let of = |seed| Resampling { seed, resamples: 500 }.estimate_ratio(&clusters);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1).interval(), of(2).interval());
        let (low, high) = of(1).interval().unwrap();
        assert!(low < of(1).value.unwrap() && of(1).value.unwrap() < high);
    }

    #[test]
    fn a_cluster_is_drawn_as_a_whole() {
        // Ten clusters of ten equal values: as wide as ten values, not as a hundred.
        let clusters: Vec<(f64, f64)> = (0..10).map(|at| (f64::from(at % 2) * 10.0, 10.0)).collect();
        let (low, high) = Resampling::default().estimate_ratio(&clusters).interval().unwrap();
        assert!((high - low - 0.7).abs() < 0.11, "{low} {high}");
    }

    #[test]
    fn one_cluster_and_none_have_no_interval() {
        assert_eq!(Resampling::default().estimate_ratio(&[]).value, None);
        let one = Resampling::default().estimate_ratio(&[(1.0, 2.0)]);
        assert_eq!((one.value, one.interval(), one.note.as_deref()), (Some(0.5), None, Some(ONE_CLUSTER)));
        let flat = Resampling::default().estimate_ratio(&[(1.0, 1.0); 30]);
        assert_eq!(flat.note.as_deref(), Some(NO_SPREAD));
    }

    #[test]
    fn the_tail_of_many_clusters_is_that_of_the_normal_distribution() {
        assert!((tail_share(1_000_000) - 0.025).abs() < 1e-5);
        // scipy: norm.sf(t.ppf(0.975, 59) * sqrt(60 / 59)).
        assert!((tail_share(60) - 0.021_8).abs() < 1e-3, "{}", tail_share(60));
        assert!(tail_share(2) < 1e-9, "two clusters: the whole range");
        assert!(tail_share(20) < tail_share(60) && tail_share(60) < tail_share(1_000));
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        // numpy.quantile([1, 2, 4], [0.025, 0.975]).
        let (low, high) = percentile_interval(vec![4.0, 1.0, 2.0], 3, 0.025).unwrap();
        assert!((low - 1.05).abs() < 1e-12 && (high - 3.9).abs() < 1e-12, "{low} {high}");
        assert!(percentile_interval(vec![1.0, f64::NAN], 3, 0.025).is_err());
    }
}
