//! What many debates say about their judges: how often the order decided, how far judges agree, and
//! how many votes a panel is worth. One debate cannot tell any of it.

use std::collections::BTreeMap;

use agon_core::{Record, Seat};
use serde::Serialize;

/// Resamples of an interval (percentile bootstrap over judgments).
const RESAMPLES: usize = 1_000;
/// Share of the resamples that an interval holds.
const CONFIDENCE: f64 = 0.95;
/// Fewest judgments that a correlation is computed from.
const CORRELATED_MIN: usize = 3;

/// Statistics on the judges of a set of debates. A figure that cannot be computed is `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// Debates with judges of which votes are known.
    pub debates: usize,
    /// Votes heard in both orders.
    pub in_both_orders: usize,
    /// Those whose two orders had opposite winners.
    pub flips: usize,
    /// The share of flips, 0 to 1.
    pub flip_rate: Option<f64>,
    /// Judges of the largest panel.
    pub judges: usize,
    /// Krippendorff's alpha of the judges' votes, nominal; 1 is perfect, 0 is chance.
    pub alpha: Option<f64>,
    /// Its 95 % interval, by bootstrap over judgments.
    pub alpha_interval: Option<(f64, f64)>,
    /// How many independent votes the panel is worth, 1 to its size.
    pub effective_votes: Option<f64>,
}

/// The vote of one judge in one judgment.
#[derive(Debug, Clone, PartialEq)]
pub struct Vote {
    /// Whose.
    pub judge: Seat,
    /// Whether it was heard in both orders of the sides.
    pub in_both_orders: bool,
    /// Whether the two orders had opposite winners.
    pub flip: bool,
    /// The place of the side that it prefers; `None` for a tie.
    pub prefers: Option<u8>,
    /// By how much the first side leads.
    pub margin: f64,
}

/// How many judgments of one debate there are, how many of them were heard in both orders of the sides, and how
/// many of those the order decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Orders {
    /// All of them.
    pub all: usize,
    /// Those that were heard in both orders.
    pub both: usize,
    /// Those of them whose two orders had opposite winners.
    pub flips: usize,
}

impl Orders {
    /// Those of `votes`.
    pub fn of(votes: &[Vec<Vote>]) -> Self {
        let count = |is: &dyn Fn(&Vote) -> bool| votes.iter().flatten().filter(|vote| is(vote)).count();
        Self {
            all: count(&|_| true),
            both: count(&|vote| vote.in_both_orders),
            flips: count(&|vote| vote.flip),
        }
    }
}

/// The votes of many debates, heard one debate after the other. A judge is known by its seat.
#[derive(Debug, Default)]
pub struct Votes {
    votes: Vec<Vec<Vote>>,
    debates: usize,
}

impl Votes {
    /// Adds those of `record`.
    pub fn hear(&mut self, record: &Record) {
        let votes = crate::views_of(record).votes(record);
        self.debates += usize::from(!votes.is_empty());
        self.votes.extend(votes);
    }

    /// What they say together.
    pub fn agreement(&self) -> Agreement {
        agreement(&self.votes, self.debates)
    }
}

/// The agreement of the judges in `records`.
pub fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Agreement {
    let mut votes = Votes::default();
    records.into_iter().for_each(|record| votes.hear(record));
    votes.agreement()
}

fn agreement(votes: &[Vec<Vote>], debates: usize) -> Agreement {
    let all = || votes.iter().flatten();
    let in_both_orders = all().filter(|vote| vote.in_both_orders).count();
    let flips = all().filter(|vote| vote.flip).count();
    let several = debates > 1;
    let units: Vec<Vec<u8>> = votes.iter().map(|unit| unit.iter().map(word).collect()).collect();
    let judges = votes.iter().map(Vec::len).max().unwrap_or(0);
    let mut margins: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
    for (unit, vote) in
        votes.iter().enumerate().flat_map(|(at, unit)| unit.iter().map(move |vote| (at, vote)))
    {
        margins.entry(vote.judge.as_str()).or_default().insert(unit, vote.margin);
    }
    let panel = several && judges > 1;
    Agreement {
        debates,
        in_both_orders,
        flips,
        flip_rate: (several && in_both_orders > 0).then(|| flips as f64 / in_both_orders as f64),
        judges,
        alpha: alpha(&units).filter(|_| panel),
        alpha_interval: interval(&units).filter(|_| panel),
        effective_votes: effective_votes(&margins.into_values().collect::<Vec<_>>()).filter(|_| panel),
    }
}

/// What a vote says: a side, or that none leads.
fn word(vote: &Vote) -> u8 {
    vote.prefers.unwrap_or(u8::MAX)
}

impl Agreement {
    /// In lines for a reader.
    pub fn lines(&self) -> Vec<String> {
        let why = if self.debates > 1 {
            "not computable from these debates"
        } else {
            "not computable from one debate"
        };
        let shown = |value: Option<String>| value.unwrap_or_else(|| why.to_owned());
        let mut lines = vec![format!(
            "flips with the order: {}",
            shown(self.flip_rate.map(|rate| {
                format!(
                    "{:.0} % ({} of {} votes heard in both orders)",
                    rate * 100.0,
                    self.flips,
                    self.in_both_orders
                )
            }))
        )];
        if self.judges > 1 {
            let alpha = self.alpha.map(|alpha| match self.alpha_interval {
                Some((low, high)) => format!("{alpha:.2} (95 % interval {low:.2} to {high:.2})"),
                None => format!("{alpha:.2} (no interval from so few judgments)"),
            });
            lines.push(format!("Krippendorff's alpha of the judges: {}", shown(alpha)));
            let votes = self.effective_votes.map(|votes| format!("{votes:.1} of {} judges", self.judges));
            lines.push(format!("effective votes: {}", shown(votes)));
        }
        lines
    }
}

/// Krippendorff's alpha for nominal values: one list of values for each unit, absent ones left out.
/// `None` where no unit has two values, or all values are the same (Krippendorff 2011).
pub fn alpha(units: &[Vec<u8>]) -> Option<f64> {
    let mut coincidences: BTreeMap<(u8, u8), f64> = BTreeMap::new();
    for values in units.iter().filter(|values| values.len() > 1) {
        for (i, one) in values.iter().enumerate() {
            for (j, other) in values.iter().enumerate() {
                if i != j {
                    *coincidences.entry((*one, *other)).or_default() += 1.0 / (values.len() - 1) as f64;
                }
            }
        }
    }
    let mut totals: BTreeMap<u8, f64> = BTreeMap::new();
    coincidences.iter().for_each(|((one, _), count)| *totals.entry(*one).or_default() += count);
    let all: f64 = totals.values().sum();
    let observed: f64 = coincidences.iter().filter(|((a, b), _)| a != b).map(|(_, count)| count).sum();
    let same: f64 = totals.values().map(|count| count * count).sum();
    let expected = (all * all - same) / (all - 1.0);
    (expected > 0.0).then(|| 1.0 - observed / expected)
}

/// The 95 % interval of [`alpha`]. `None` where most resamples have no alpha.
pub fn interval(units: &[Vec<u8>]) -> Option<(f64, f64)> {
    let units: Vec<&Vec<u8>> = units.iter().filter(|values| values.len() > 1).collect();
    // Knuth's linear congruential generator, always from the same seed: equal debates, equal interval.
    let mut state: u64 = 1;
    let mut roll = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut alphas: Vec<f64> = Vec::new();
    for _ in 0..RESAMPLES {
        let drawn: Vec<Vec<u8>> = units.iter().map(|_| units[roll(units.len())].clone()).collect();
        alphas.extend(alpha(&drawn));
    }
    if alphas.len() < RESAMPLES / 2 {
        return None;
    }
    alphas.sort_by(f64::total_cmp);
    let at = |share: f64| alphas[((alphas.len() - 1) as f64 * share).round() as usize];
    let outside = (1.0 - CONFIDENCE) / 2.0;
    Some((at(outside), at(1.0 - outside)))
}

/// How many independent votes `judges` are worth (Kish's effective sample size): n / (1 + (n - 1) r),
/// where r is the mean correlation of their margins over the units that two of them share, 0 at least.
/// `None` for fewer than two judges, or where no two can be compared.
pub fn effective_votes(judges: &[BTreeMap<usize, f64>]) -> Option<f64> {
    let mut correlations = Vec::new();
    for (i, one) in judges.iter().enumerate() {
        for other in &judges[i + 1..] {
            let pairs: Vec<(f64, f64)> =
                one.iter().filter_map(|(unit, a)| Some((*a, *other.get(unit)?))).collect();
            correlations.extend(correlation(&pairs));
        }
    }
    if correlations.is_empty() {
        return None;
    }
    let mean = (correlations.iter().sum::<f64>() / correlations.len() as f64).clamp(0.0, 1.0);
    let count = judges.len() as f64;
    Some(count / (1.0 + (count - 1.0) * mean))
}

/// Pearson's correlation. Two that always say the same are one, though nothing ever varies; `None`
/// where one alone never varies, or there are too few pairs.
fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
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
        let alpha = alpha(&units).unwrap();
        assert!(
            (alpha - (1.0 - 8.0 / (168.0 / 19.0))).abs() < 1e-12 && (alpha - 0.095).abs() < 0.001,
            "{alpha}"
        );
        let (low, high) = interval(&units).unwrap();
        assert!(low < alpha && alpha < high && low > -1.0 && high <= 1.0, "{low} {high}");
        assert_eq!(interval(&units), Some((low, high)), "the same debates give the same interval");
    }

    #[test]
    fn alpha_is_one_for_agreement_and_nothing_without_variation() {
        assert_eq!(alpha(&[vec![0, 0, 0], vec![1, 1], vec![2]]), Some(1.0));
        assert_eq!(alpha(&[vec![0, 0], vec![0, 0]]), None);
        assert_eq!(alpha(&[vec![0], vec![1]]), None);
        // Always the other: 4 values each, observed 8, expected 2 * 4 * 4 / 7.
        assert_eq!(alpha(&vec![vec![0, 1]; 4]), Some(1.0 - 8.0 / (32.0 / 7.0)));
    }

    fn judge(margins: &[f64]) -> BTreeMap<usize, f64> {
        margins.iter().copied().enumerate().collect()
    }

    #[test]
    fn copies_of_one_judge_have_one_vote_and_strangers_one_each() {
        let one = judge(&[0.4, -0.2, 0.1, 0.6]);
        assert_eq!(effective_votes(&vec![one.clone(); 3]), Some(1.0));
        // Margins at right angles: correlation 0.
        assert_eq!(
            effective_votes(&[judge(&[1.0, -1.0, 1.0, -1.0]), judge(&[1.0, 1.0, -1.0, -1.0])]),
            Some(2.0)
        );
        // Pairs (1,1), (2,3), (3,2): correlation 0.5, so 2 / 1.5.
        let half = effective_votes(&[judge(&[1.0, 2.0, 3.0]), judge(&[1.0, 3.0, 2.0])]).unwrap();
        assert!((half - 4.0 / 3.0).abs() < 1e-12, "{half}");
        assert_eq!(effective_votes(&[judge(&[1.0, 2.0]), judge(&[1.0, 2.0])]), None);
        assert_eq!(effective_votes(&[one]), None);
    }
}
