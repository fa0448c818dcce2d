//! Whether two arms differ on the same items: the exact test of McNemar (1947), and Holm's correction (1979) for
//! several comparisons.

use serde::Serialize;
use statrs::distribution::{Binomial, DiscreteCDF};

/// Pairs of which one arm alone was right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct McNemar {
    /// The first was right and the second wrong.
    pub b: u64,
    /// The second was right and the first wrong.
    pub c: u64,
    /// Exact two-sided p: twice the smaller tail of the binomial distribution with 1/2, at most 1. Without a pair that
    /// differs it is 1.
    pub p: f64,
}

impl McNemar {
    /// The test of `b` against `c`.
    pub fn from_counts(b: u64, c: u64) -> Self {
        // Without pairs there is no distribution, and nothing speaks against equality.
        let tail = Binomial::new(0.5, b + c).map_or(1.0, |pairs| pairs.cdf(b.min(c)));
        // Counts that differ by one at most have a tail of a half or more; rounding must not leave a trace of it.
        Self { b, c, p: if b.abs_diff(c) <= 1 { 1.0 } else { (2.0 * tail).min(1.0) } }
    }

    /// The test of pairs of right and wrong.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let (b, c) = pairs
            .into_iter()
            .fold((0, 0), |(b, c), (first, second)| (b + u64::from(first && !second), c + u64::from(second && !first)));
        Self::from_counts(b, c)
    }
}

/// p values adjusted for their number, in their order: multiplied by the number of those not yet rejected, never
/// smaller than an earlier one, at most 1.
pub fn adjust_by_holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut most: f64 = 0.0;
    for (rank, at) in order.into_iter().enumerate() {
        most = most.max(p[at] * (p.len() - rank) as f64).min(1.0);
        adjusted[at] = most;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_p_is_twice_the_smaller_tail() {
        // 1 of 10: (1 + 10) / 1024, twice.
        let test = McNemar::from_counts(9, 1);
        assert!((test.p - 22.0 / 1024.0).abs() < 1e-14, "{test:?}");
        assert_eq!(McNemar::from_counts(1, 9).p, test.p);
        assert_eq!(McNemar::from_counts(0, 0).p, 1.0);
        assert_eq!(McNemar::from_counts(4, 4).p, 1.0);
        assert_eq!(McNemar::from_counts(1, 0).p, 1.0);
        assert!((McNemar::from_counts(5, 0).p - 0.0625).abs() < 1e-15);
        let pairs = [(true, false), (true, true), (false, false), (false, true), (true, false)];
        assert_eq!((McNemar::from_pairs(pairs).b, McNemar::from_pairs(pairs).c), (2, 1));
    }

    #[test]
    fn holm_multiplies_the_smallest_most_and_keeps_the_order() {
        // statsmodels 0.14: multipletests([0.01, 0.04, 0.03, 0.005], method="holm").
        let adjusted = adjust_by_holm(&[0.01, 0.04, 0.03, 0.005]);
        for (is, wanted) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((is - wanted).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(adjust_by_holm(&[]), Vec::<f64>::new());
        assert_eq!(adjust_by_holm(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
