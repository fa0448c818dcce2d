//! How far judges agree, and how many votes a panel is worth.

use std::collections::BTreeMap;

use crate::{bootstrap, estimate::Estimate};

/// Resamples of alpha's interval.
pub const ALPHA_RESAMPLES: usize = 1_000;
/// Fewest judgments that a correlation is computed from.
const CORRELATED_MIN: usize = 3;

/// Krippendorff's alpha for nominal values: one list of values for each unit, absent ones left out.
/// `None` where no unit has two values, or all values are the same (Krippendorff 2011).
pub fn krippendorff_alpha(units: &[Vec<u8>]) -> Option<f64> {
    let (counted, values) = count_units(units);
    alpha_of(counted.iter(), values)
}

/// A unit of two values and more: its pairs of unequal values, and how often each value occurs.
struct CountedUnit {
    unequal: f64,
    counts: Vec<(usize, f64)>,
}

/// Such units, and the number of distinct values in them.
fn count_units(units: &[Vec<u8>]) -> (Vec<CountedUnit>, usize) {
    let mut places: BTreeMap<u8, usize> = BTreeMap::new();
    let several = units.iter().filter(|values| values.len() > 1);
    let counted = several.map(|values| {
        let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
        for value in values {
            let next = places.len();
            *counts.entry(*places.entry(*value).or_insert(next)).or_default() += 1.0;
        }
        let size = values.len() as f64;
        let same: f64 = counts.values().map(|count| count * count).sum();
        CountedUnit { unequal: (size * size - same) / (size - 1.0), counts: counts.into_iter().collect() }
    });
    let counted = counted.collect();
    (counted, places.len())
}

fn alpha_of<'u>(units: impl Iterator<Item = &'u CountedUnit>, values: usize) -> Option<f64> {
    let mut unequal = 0.0;
    let mut totals = vec![0.0; values];
    for unit in units {
        unequal += unit.unequal;
        unit.counts.iter().for_each(|(value, count)| totals[*value] += count);
    }
    let all: f64 = totals.iter().sum();
    let same: f64 = totals.iter().map(|count| count * count).sum();
    let expected = (all * all - same) / (all - 1.0);
    (expected > 0.0).then(|| 1.0 - unequal / expected)
}

/// The 95 % interval of [`krippendorff_alpha`], by bootstrap over units. `None` where most resamples have no alpha.
pub fn alpha_interval(units: &[Vec<u8>]) -> Option<(f64, f64)> {
    let (units, values) = count_units(units);
    let draws = bootstrap::Resampling { resamples: ALPHA_RESAMPLES, ..bootstrap::Resampling::default() };
    let mut alphas = Vec::with_capacity(ALPHA_RESAMPLES);
    draws.for_each_resample(units.len(), |drawn| alphas.extend(alpha_of(drawn.iter().map(|at| &units[*at]), values)));
    bootstrap::percentile_interval(alphas, ALPHA_RESAMPLES, bootstrap::tail_share(units.len())).ok()
}

/// Alpha with its interval, or why there is none.
pub fn alpha_estimate(units: &[Vec<u8>]) -> Estimate {
    let comparable = units.iter().filter(|values| values.len() > 1).count();
    match krippendorff_alpha(units) {
        Some(alpha) => Estimate::from_value(alpha, comparable)
            .with_interval(alpha_interval(units).ok_or("no interval: most resamples have no alpha")),
        None if comparable == 0 => Estimate::absent(0, "no judgment has the votes of two judges"),
        None => Estimate::absent(comparable, "all votes are equal: alpha is not defined"),
    }
}

/// How many independent votes `judges` are worth (Kish's effective sample size, 1965): n / (1 + (n - 1) r),
/// where r is the mean correlation of their margins over the units that two of them share, 0 at least.
/// `None` for fewer than two judges, or where no two can be compared.
pub fn effective_votes(judges: &[BTreeMap<usize, f64>]) -> Option<f64> {
    mean_correlation(judges).map(|mean| count_effective_votes(judges.len(), mean))
}

/// The effective votes of `judges` whose margins have the mean correlation `mean`.
pub fn count_effective_votes(judges: usize, mean: f64) -> f64 {
    let count = judges as f64;
    count / (1.0 + (count - 1.0) * mean.clamp(0.0, 1.0))
}

/// Mean correlation of the margins of all pairs of judges that share enough units. `None` without such a pair.
pub fn mean_correlation(judges: &[BTreeMap<usize, f64>]) -> Option<f64> {
    let mut correlations = Vec::new();
    for (i, one) in judges.iter().enumerate() {
        for other in &judges[i + 1..] {
            let pairs: Vec<(f64, f64)> = one.iter().filter_map(|(unit, a)| Some((*a, *other.get(unit)?))).collect();
            correlations.extend(pearson_correlation(&pairs));
        }
    }
    (!correlations.is_empty()).then(|| correlations.iter().sum::<f64>() / correlations.len() as f64)
}

/// Pearson's correlation. Two that always say the same are one, though nothing ever varies; `None`
/// where one alone never varies, or there are too few pairs.
fn pearson_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < CORRELATED_MIN {
        return None;
    }
    if pairs.iter().all(|(a, b)| a == b) {
        return Some(1.0);
    }
    let count = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (a, b) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|(x, y)| of(x - a, y - b)).sum::<f64>();
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (spread > 1e-12).then(|| sum(&|x, y| x * y) / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two observers and ten units, alpha 0.095 (Krippendorff 2011, section A).
    #[test]
    fn alpha_is_that_of_the_published_example() {
        let meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0];
        let owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0];
        let units: Vec<Vec<u8>> = meg.iter().zip(owen).map(|(a, b)| vec![*a, b]).collect();
        // 4 disagreements: observed 8; 14 zeros and 6 ones: expected 2 * 14 * 6 / 19.
        let alpha = krippendorff_alpha(&units).unwrap();
        assert!((alpha - (1.0 - 8.0 / (168.0 / 19.0))).abs() < 1e-12 && (alpha - 0.095).abs() < 0.001, "{alpha}");
        let (low, high) = alpha_interval(&units).unwrap();
        assert!(low < alpha && alpha < high && low > -1.0 && high <= 1.0, "{low} {high}");
        assert_eq!(alpha_interval(&units), Some((low, high)), "the same debates give the same interval");
    }

    #[test]
    fn alpha_is_one_for_agreement_and_nothing_without_variation() {
        assert_eq!(krippendorff_alpha(&[vec![0, 0, 0], vec![1, 1], vec![2]]), Some(1.0));
        assert_eq!(krippendorff_alpha(&[vec![0, 0], vec![0, 0]]), None);
        assert_eq!(krippendorff_alpha(&[vec![0], vec![1]]), None);
        // Always the other: 4 values each, observed 8, expected 2 * 4 * 4 / 7.
        assert_eq!(krippendorff_alpha(&vec![vec![0, 1]; 4]), Some(1.0 - 8.0 / (32.0 / 7.0)));
        assert!(alpha_estimate(&[vec![0]]).note.unwrap().contains("two judges"));
        assert!(alpha_estimate(&[vec![0, 0]]).note.unwrap().contains("equal"));
    }

    fn judge(margins: &[f64]) -> BTreeMap<usize, f64> {
        margins.iter().copied().enumerate().collect()
    }

    #[test]
    fn copies_of_one_judge_have_one_vote_and_strangers_one_each() {
        let one = judge(&[0.4, -0.2, 0.1, 0.6]);
        assert_eq!(effective_votes(&vec![one.clone(); 3]), Some(1.0));
        // Margins at right angles: correlation 0.
        assert_eq!(effective_votes(&[judge(&[1.0, -1.0, 1.0, -1.0]), judge(&[1.0, 1.0, -1.0, -1.0])]), Some(2.0));
        // Pairs (1,1), (2,3), (3,2): correlation 0.5, so 2 / 1.5.
        let half = effective_votes(&[judge(&[1.0, 2.0, 3.0]), judge(&[1.0, 3.0, 2.0])]).unwrap();
        assert!((half - 4.0 / 3.0).abs() < 1e-12, "{half}");
        assert_eq!(effective_votes(&[judge(&[1.0, 2.0]), judge(&[1.0, 2.0])]), None);
        assert_eq!(effective_votes(&[one]), None);
    }

    #[test]
    fn three_judges_with_a_correlation_of_0_569_have_1_40_votes() {
        assert!((count_effective_votes(3, 0.569) - 1.40).abs() < 0.005);
        assert_eq!(count_effective_votes(3, -0.2), 3.0, "judges that disagree count as independent");
    }
}
