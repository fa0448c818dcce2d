//! How good probabilities are: two proper scores, and whether what is called 80 % is right 80 % of the time.

use serde::Serialize;

use crate::estimate::{Estimate, Share};

/// Smallest probability of the right answer that the log score sees. 0 would make the score of all items infinite.
pub const CLIP: f64 = 1e-6;
/// Equal bins of the calibration table.
pub const BINS: usize = 10;

/// A forecast that turned out: probability of each choice, and which of them was right.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// They sum to 1.
    pub probabilities: Vec<f64>,
    /// Place of the right one.
    pub gold: usize,
}

impl Forecast {
    /// Divides the probabilities by their sum. `None` where the sum is 0 or `gold` has no probability.
    pub fn new(probabilities: &[f64], gold: usize) -> Option<Self> {
        let sum: f64 = probabilities.iter().sum();
        (sum > 0.0 && gold < probabilities.len())
            .then(|| Self { probabilities: probabilities.iter().map(|p| p / sum).collect(), gold })
    }

    /// Sum over the choices of the squared distance from what happened (Brier 1950): 0 is perfect, 2 is sure of a wrong
    /// choice, 0.5 is a coin between two. Half of it is the score of one event that some programs print.
    pub fn brier_score(&self) -> f64 {
        let happened = |at| f64::from(at == self.gold);
        self.probabilities.iter().enumerate().map(|(at, p)| (p - happened(at)).powi(2)).sum()
    }

    /// Negative natural logarithm of the probability of what happened (Good 1952), in nats: 0 is perfect, 0.693 is a
    /// coin. Probabilities below [`CLIP`] count as that.
    pub fn log_score(&self) -> f64 {
        -self.probabilities[self.gold].max(CLIP).ln()
    }

    /// Whether the log score was clipped.
    pub fn is_clipped(&self) -> bool {
        self.probabilities[self.gold] < CLIP
    }

    /// The largest probability, and whether its choice was right. Of equal ones the first counts.
    pub fn confidence_and_outcome(&self) -> (f64, bool) {
        let p = |at: &usize| self.probabilities[*at];
        let best = (0..self.probabilities.len()).rev().max_by(|a, b| p(a).total_cmp(&p(b))).unwrap_or_default();
        (p(&best), best == self.gold)
    }
}

/// One bin of a calibration table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// Lower end, included.
    pub from: f64,
    /// Upper end; included in the last bin alone.
    pub to: f64,
    /// Mean probability of the favoured choice.
    pub confidence: Option<f64>,
    /// How often it was right.
    pub right: Share,
}

/// What was said and what happened, in equal bins of the favoured choice's probability.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// From 0 to 1.
    pub bins: Vec<CalibrationBin>,
    /// Expected calibration error: mean distance of confidence and share of right answers over the bins, by their
    /// counts (Naeini 2015, Guo 2017). It depends on the bins, and is not 0 for a calibrated judge with few forecasts.
    pub error: Estimate,
    /// Mean confidence minus share of right answers; above 0 is too sure.
    pub overconfidence: Estimate,
}

/// Counts of one bin, while forecasts are heard.
#[derive(Debug, Clone, Copy, Default)]
struct BinCount {
    confidence: f64,
    right: u64,
    n: u64,
}

impl Calibration {
    /// Of confidences and whether the favoured choice was right.
    pub fn from_confidences(confidences: impl IntoIterator<Item = (f64, bool)>) -> Self {
        let mut counts = [BinCount::default(); BINS];
        let mut extreme = true;
        for (confidence, right) in confidences {
            let count = &mut counts[bin_index(confidence)];
            count.confidence += confidence;
            count.right += u64::from(right);
            count.n += 1;
            extreme &= confidence >= 1.0 - 1e-9;
        }
        let n: u64 = counts.iter().map(|count| count.n).sum();
        let bin = |(at, count): (usize, &BinCount)| CalibrationBin {
            from: at as f64 / BINS as f64,
            to: (at + 1) as f64 / BINS as f64,
            confidence: (count.n > 0).then(|| count.confidence / count.n as f64),
            right: Share::from_counts(count.right, count.n),
        };
        let bins: Vec<CalibrationBin> = counts.iter().enumerate().map(bin).collect();
        if n == 0 {
            let absent = Estimate::absent(0, "no probabilities of items with gold answers");
            return Self { bins, error: absent.clone(), overconfidence: absent };
        }
        let gap = |count: &BinCount| count.confidence - count.right as f64;
        let error = counts.iter().map(|count| gap(count).abs()).sum::<f64>() / n as f64;
        let over = counts.iter().map(gap).sum::<f64>() / n as f64;
        let note = |estimate: Estimate| match (extreme, counts.iter().filter(|count| count.n > 0).count()) {
            (true, _) => estimate.with_note("every probability is 0 or 1: this is an answer, not a forecast"),
            (false, 1) => estimate.with_note("all probabilities are in one bin"),
            _ => estimate,
        };
        Self {
            bins,
            error: note(Estimate::from_value(error, n as usize)),
            overconfidence: note(Estimate::from_value(over, n as usize)),
        }
    }
}

/// The bin of a probability. Numbers such as 0.7, which are a little less in binary, belong to the bin that they open.
fn bin_index(probability: f64) -> usize {
    ((probability * BINS as f64 + 1e-9).floor().max(0.0) as usize).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(probabilities: &[f64], gold: usize) -> Forecast {
        Forecast::new(probabilities, gold).unwrap()
    }

    #[test]
    fn scores_are_those_of_their_definitions() {
        assert!((forecast(&[0.8, 0.2], 0).brier_score() - 0.08).abs() < 1e-15);
        assert_eq!(forecast(&[0.0, 1.0], 0).brier_score(), 2.0);
        assert!((forecast(&[0.5, 0.5], 1).log_score() - 2.0_f64.ln()).abs() < 1e-15);
        assert_eq!(forecast(&[1.0, 0.0], 0).log_score(), 0.0);
        assert!((forecast(&[0.33, 0.33, 0.33], 2).brier_score() - 2.0 / 3.0).abs() < 1e-12, "divided by their sum");
        assert_eq!(Forecast::new(&[0.0, 0.0], 0), None);
        assert_eq!(Forecast::new(&[1.0], 1), None);
    }

    #[test]
    fn a_judge_that_is_sure_and_wrong_has_a_finite_log_score() {
        let wrong = forecast(&[0.0, 1.0], 0);
        assert!(wrong.is_clipped() && (wrong.log_score() + CLIP.ln()).abs() < 1e-12);
        assert!(!forecast(&[0.1, 0.9], 0).is_clipped());
    }

    #[test]
    fn calibration_compares_what_was_said_with_what_happened() {
        let table = Calibration::from_confidences([(0.7, true), (0.7, false), (0.9, true), (1.0, true)]);
        assert_eq!(table.bins[7].right, Share::from_counts(1, 2));
        assert_eq!(table.bins[9].right.n, 2, "1 belongs to the last bin");
        assert!((table.error.value.unwrap() - (0.4 + 0.1) / 4.0).abs() < 1e-12);
        assert!((table.overconfidence.value.unwrap() - (3.3 - 3.0) / 4.0).abs() < 1e-12);
        assert_eq!(table.error.note, None);
    }

    #[test]
    fn a_degenerate_table_says_so() {
        let sure = Calibration::from_confidences([(1.0, true), (1.0, false)]);
        assert!(sure.error.note.as_deref().unwrap().contains("0 or 1"));
        assert!(Calibration::from_confidences([(0.65, true)]).error.note.as_deref().unwrap().contains("one bin"));
        let none = Calibration::from_confidences([]);
        assert!(none.error.value.is_none() && none.error.note.is_some() && none.bins.len() == BINS);
    }
}
