//! Ratings from wins: the model of Bradley and Terry (1952), fitted by the minorize-maximize steps of Hunter (2004).

use serde::Serialize;

use crate::{
    bootstrap::{CLUSTERS_MIN, ONE_CLUSTER, Resampling, percentile_interval, tail_share},
    estimate::Estimate,
};

/// Steps of a fit. Close contests need tens; a fit that needs more is not stated.
const STEPS_MAX: usize = 100_000;
/// Largest change of a log rating at which a fit ends.
const CHANGE_MIN: f64 = 1e-11;
/// Resamples of the intervals: each is a fit of its own.
const RATING_RESAMPLES: usize = 1_000;

/// The rating of one contestant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rating {
    /// Whose.
    pub name: String,
    /// Wins against all others.
    pub wins: u64,
    /// Losses against all others.
    pub losses: u64,
    /// Log strength; the mean of all contestants is 0. A lead of 1 wins 73 % of contests.
    pub rating: Estimate,
}

/// Wins of contestant `row` against contestant `column`.
pub type Wins = Vec<Vec<f64>>;

/// Log strengths with mean 0, by maximum likelihood. `None` where there is no maximum: a group of contestants
/// never lost to the others, or never met them (Ford 1957).
pub fn log_strengths(wins: &Wins) -> Option<Vec<f64>> {
    let count = wins.len();
    if count < 2 || !is_strongly_connected(wins) {
        return None;
    }
    let won: Vec<f64> = wins.iter().map(|row| row.iter().sum()).collect();
    let mut strengths = vec![1.0_f64; count];
    for _ in 0..STEPS_MAX {
        let met = |i: usize, j: usize| wins[i][j] + wins[j][i];
        let next: Vec<f64> = (0..count)
            .map(|i| {
                let others = (0..count).filter(|j| *j != i);
                won[i] / others.map(|j| met(i, j) / (strengths[i] + strengths[j])).sum::<f64>()
            })
            .collect();
        // The geometric mean stays 1, or strengths drift out of range.
        let mean = next.iter().map(|strength| strength.ln()).sum::<f64>() / count as f64;
        let next: Vec<f64> = next.iter().map(|strength| (strength.ln() - mean).exp()).collect();
        let change = next.iter().zip(&strengths).map(|(a, b)| (a.ln() - b.ln()).abs()).fold(0.0, f64::max);
        strengths = next;
        if change < CHANGE_MIN {
            let logs: Vec<f64> = strengths.iter().map(|strength| strength.ln()).collect();
            return logs.iter().all(|log| log.is_finite()).then_some(logs);
        }
    }
    None
}

/// Whether everyone can be reached from everyone else along wins.
fn is_strongly_connected(wins: &Wins) -> bool {
    let reaches_all = |won: &dyn Fn(usize, usize) -> bool| {
        let mut seen = vec![false; wins.len()];
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                open.extend((0..wins.len()).filter(|other| won(at, *other) && !seen[*other]));
            }
        }
        seen.into_iter().all(|seen| seen)
    };
    reaches_all(&|a, b| wins[a][b] > 0.0) && reaches_all(&|a, b| wins[b][a] > 0.0)
}

/// Ratings of `names` from the contests of each cluster, as pairs of winner and loser. Intervals are drawn over
/// clusters, because the contests of one item are not independent.
pub fn estimate_ratings(names: &[String], clusters: &[Vec<(usize, usize)>], resampling: Resampling) -> Vec<Rating> {
    let wins = wins_of(names.len(), clusters.iter());
    let contests: usize = clusters.iter().map(Vec::len).sum();
    let fitted = log_strengths(&wins);
    let draws = Resampling { resamples: resampling.resamples.min(RATING_RESAMPLES), ..resampling };
    let mut drawn_ratings: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    if fitted.is_some() && clusters.len() >= CLUSTERS_MIN {
        draws.for_each_resample(clusters.len(), |drawn| {
            let wins = wins_of(names.len(), drawn.iter().map(|at| &clusters[*at]));
            for (ratings, rating) in drawn_ratings.iter_mut().zip(log_strengths(&wins).unwrap_or_default()) {
                ratings.push(rating);
            }
        });
    }
    let sum = |of: &dyn Fn(usize) -> f64| (0..names.len()).map(of).sum::<f64>() as u64;
    let rating = |at: usize, drawn: Vec<f64>| {
        let Some(fitted) = &fitted else {
            let why = if contests == 0 {
                "no contest has a winner"
            } else {
                "no rating: a contestant or a group never won, or never lost, against the others"
            };
            return Estimate::absent(contests, why);
        };
        let estimate = Estimate::from_value(fitted[at], contests);
        if clusters.len() < CLUSTERS_MIN {
            return estimate.with_note(ONE_CLUSTER);
        }
        let lost = draws.resamples - drawn.len();
        let estimate = estimate.with_interval(percentile_interval(drawn, draws.resamples, tail_share(clusters.len())));
        if lost == 0 {
            return estimate;
        }
        estimate
            .with_note(&format!("{lost} of {} resamples have no rating: the interval is too narrow", draws.resamples))
    };
    let rated = names.iter().zip(drawn_ratings).enumerate().map(|(at, (name, drawn))| Rating {
        name: name.clone(),
        wins: sum(&|other| wins[at][other]),
        losses: sum(&|other| wins[other][at]),
        rating: rating(at, drawn),
    });
    rated.collect()
}

fn wins_of<'c>(count: usize, clusters: impl Iterator<Item = &'c Vec<(usize, usize)>>) -> Wins {
    let mut wins = vec![vec![0.0; count]; count];
    clusters.flatten().for_each(|(winner, loser)| wins[*winner][*loser] += 1.0);
    wins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_contestants_differ_by_the_log_of_their_odds() {
        let logs = log_strengths(&vec![vec![0.0, 3.0], vec![1.0, 0.0]]).unwrap();
        assert!((logs[0] - logs[1] - 3.0_f64.ln()).abs() < 1e-9 && (logs[0] + logs[1]).abs() < 1e-12);
    }

    #[test]
    fn there_is_no_rating_without_a_loss() {
        assert_eq!(log_strengths(&vec![vec![0.0, 3.0], vec![0.0, 0.0]]), None);
        assert_eq!(log_strengths(&vec![vec![0.0]]), None);
        // Two pairs that never met.
        let apart = vec![
            vec![0.0, 1.0, 0.0, 0.0],
            vec![1.0, 0.0, 0.0, 0.0],
            vec![0.0, 0.0, 0.0, 1.0],
            vec![0.0, 0.0, 1.0, 0.0],
        ];
        assert_eq!(log_strengths(&apart), None);
        let names = ["a".to_owned(), "b".to_owned()];
        let found = estimate_ratings(&names, &[vec![(0, 1)], vec![(0, 1)]], Resampling::default());
        assert!(found[0].rating.value.is_none() && found[0].rating.note.as_deref().unwrap().contains("never"));
        assert_eq!((found[0].wins, found[1].losses), (2, 2));
        let none = estimate_ratings(&names, &[], Resampling::default());
        assert_eq!(none[0].rating.note.as_deref(), Some("no contest has a winner"));
    }

    #[test]
    fn intervals_hold_the_rating_and_follow_from_the_seed() {
        let names = ["a".to_owned(), "b".to_owned()];
        let clusters: Vec<Vec<(usize, usize)>> =
            (0..60).map(|at| vec![if at % 3 == 0 { (1, 0) } else { (0, 1) }]).collect();
        let found = estimate_ratings(&names, &clusters, Resampling::default());
        let rating = &found[0].rating;
        assert!((rating.value.unwrap() - 2.0_f64.ln() / 2.0).abs() < 1e-9);
        let (low, high) = rating.interval().unwrap();
        assert!(0.0 < low && low < rating.value.unwrap() && rating.value.unwrap() < high, "{low} {high}");
        assert_eq!(estimate_ratings(&names, &clusters, Resampling::default()), found);
        let one = estimate_ratings(&names, &[vec![(0, 1), (1, 0)]], Resampling::default());
        assert_eq!(one[0].rating.note.as_deref(), Some(ONE_CLUSTER));
    }
}
