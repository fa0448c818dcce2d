//! How often an arm is right, and how good its probabilities are.

use serde::Serialize;

use super::estimate_mean;
use crate::{
    bootstrap::Resampling,
    estimate::{Estimate, Share},
    scores::{Calibration, Forecast},
    table::TableRow,
};

/// How often an arm is right, of the items with a gold answer. No answer is not right.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Accuracy {
    /// Of the observations that ended well; the others count as missing. Interval: Wilson.
    pub ended: Share,
    /// The same with an interval over clusters, as it must be where items share a cluster or are repeated.
    pub ended_clustered: Estimate,
    /// Of all observations; those that did not end well count as wrong. Interval: Wilson.
    pub all: Share,
    /// The same with an interval over clusters.
    pub all_clustered: Estimate,
    /// Observations that ended well without an answer: draws. They count as wrong.
    pub undecided: u64,
    /// Observations whose item has no gold answer. They count for agreement and cost alone.
    pub without_gold: u64,
}

impl Accuracy {
    pub(crate) fn from_rows(rows: &[TableRow], resampling: Resampling) -> Self {
        let clustered = |right: fn(&TableRow) -> Option<bool>| {
            let values = rows.iter().filter_map(|row| Some((row.cluster, f64::from(right(row)?))));
            estimate_mean(values, "no observation with a gold answer", resampling)
        };
        Self {
            ended: Share::from_values(rows.iter().filter_map(TableRow::ended_right)),
            ended_clustered: clustered(TableRow::ended_right),
            all: Share::from_values(rows.iter().filter_map(TableRow::strictly_right)),
            all_clustered: clustered(TableRow::strictly_right),
            undecided: rows.iter().filter(|row| row.ended_right() == Some(false) && !row.decided).count() as u64,
            without_gold: rows.iter().filter(|row| row.right.is_none()).count() as u64,
        }
    }
}

/// How good the final probabilities of an arm are, of the observations that ended well and have them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbabilityScores {
    /// Observations with probabilities and a gold answer.
    pub n: u64,
    /// Mean Brier score, 0 to 2.
    pub brier: Estimate,
    /// Mean log score, in nats.
    pub log_score: Estimate,
    /// Right answers with a probability below 1e-6, which the log score takes as 1e-6.
    pub clipped: u64,
    /// What was said and what happened.
    pub calibration: Calibration,
}

impl ProbabilityScores {
    pub(crate) fn from_rows(rows: &[TableRow], resampling: Resampling) -> Self {
        let ended = || rows.iter().filter(|row| row.ended_right().is_some()).filter_map(|row| row.forecast.as_ref());
        let n = ended().count();
        let score = |value: fn(&Forecast) -> f64| {
            let ended = rows.iter().filter(|row| row.ended_right().is_some());
            let values = ended.filter_map(|row| Some((row.cluster, value(row.forecast.as_ref()?))));
            estimate_mean(values, "no probabilities of items with gold answers", resampling)
        };
        let clipped = ended().filter(|forecast| forecast.is_clipped()).count() as u64;
        let log_score = score(Forecast::log_score);
        let mut calibration = Calibration::from_confidences(ended().map(Forecast::confidence_and_outcome));
        if n > 0 {
            let note = calibration.overconfidence.note.take();
            let over = score(|forecast| {
                let (confidence, is_right) = forecast.confidence_and_outcome();
                confidence - f64::from(is_right)
            });
            calibration.overconfidence = note.iter().fold(over, |over, note| over.with_note(note));
        }
        Self {
            n: n as u64,
            brier: score(Forecast::brier_score),
            log_score: match clipped {
                0 => log_score,
                _ => log_score.with_note(&format!(
                    "{clipped} of {n} probabilities of the right answer were below 1e-6 and count as 1e-6; without \
                     this the score would be infinite"
                )),
            },
            clipped,
            calibration,
        }
    }
}
