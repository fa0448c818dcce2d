//! How far the judges of an arm agree, how many votes they are worth, and whether they prefer their own family.

use std::collections::BTreeMap;

use serde::Serialize;

use super::estimate_mean;
use crate::{
    agreement::{alpha_estimate, count_effective_votes, mean_correlation},
    bootstrap::Resampling,
    estimate::{Estimate, Share},
    observation::RowState,
    table::TableRow,
};

/// The judges of an arm, of the observations that ended well.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct JudgeAgreement {
    /// Distinct judges.
    pub judges: u64,
    /// Votes.
    pub votes: u64,
    /// Observations whose judges all voted for one choice, of those with two votes or more.
    pub unanimous: Share,
    /// Krippendorff's alpha of the votes, nominal; a tie is a value of its own. 1 is perfect, 0 is chance.
    pub alpha: Estimate,
    /// Mean correlation of the judges' margins.
    pub correlation: Estimate,
    /// How many independent votes the judges are worth.
    pub effective_votes: Estimate,
    /// Margin that judges give the side of their own family.
    pub own_family: OwnFamily,
    /// Observations in which a judge had a checked quote before it ruled, of those where it is known.
    pub verified: Share,
}

/// Margins towards the side whose model is of the judge's own family, where one side alone is.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OwnFamily {
    /// Mean margin towards it, in the judges' unit. Not by itself a preference: the side may have argued better.
    pub margin: Estimate,
    /// The same minus the mean margin that judges of other families gave this side in the same debates.
    pub beyond_others: Estimate,
}

impl JudgeAgreement {
    pub(crate) fn from_rows(rows: &[TableRow], resampling: Resampling) -> Self {
        let ended: Vec<&TableRow> = rows.iter().filter(|row| row.state == RowState::Answered).collect();
        let units: Vec<Vec<u8>> =
            ended.iter().map(|row| row.votes.iter().filter_map(|vote| vote.answer).collect()).collect();
        let mut margins: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        let mut judges: BTreeMap<usize, u64> = BTreeMap::new();
        for (unit, vote) in ended.iter().enumerate().flat_map(|(at, row)| row.votes.iter().map(move |v| (at, v))) {
            *judges.entry(vote.judge).or_default() += 1;
            if let Some(margin) = vote.margin {
                margins.entry(vote.judge).or_default().insert(unit, margin);
            }
        }
        let margins: Vec<BTreeMap<usize, f64>> = margins.into_values().collect();
        let several = units.iter().filter(|votes| votes.len() > 1);
        let shared = several.clone().count();
        let absent = match judges.len() {
            0 => "no votes of judges",
            1 => "one judge alone",
            _ => "no two judges with margins that vary share three debates",
        };
        let of = |value: Option<f64>| {
            value.map_or_else(|| Estimate::absent(shared, absent), |value| Estimate::from_value(value, shared))
        };
        let mean = mean_correlation(&margins);
        Self {
            judges: judges.len() as u64,
            votes: judges.values().sum(),
            unanimous: Share::from_values(several.map(|votes| votes.iter().all(|vote| *vote == votes[0]))),
            alpha: if judges.len() > 1 { alpha_estimate(&units) } else { Estimate::absent(shared, absent) },
            correlation: of(mean),
            effective_votes: of(mean.map(|mean| count_effective_votes(margins.len(), mean))),
            own_family: OwnFamily::from_rows(&ended, resampling),
            verified: Share::from_values(ended.iter().filter_map(|row| row.verified)),
        }
    }
}

impl OwnFamily {
    fn from_rows(rows: &[&TableRow], resampling: Resampling) -> Self {
        let mut own = Vec::new();
        let mut beyond = Vec::new();
        for row in rows {
            let [first, second] = row.families;
            if first == second {
                continue;
            }
            for (family, sign) in [(first, 1.0), (second, -1.0)] {
                let Some(family) = family else { continue };
                let towards = |is_own: bool| {
                    let votes =
                        row.votes.iter().filter(move |vote| vote.family.is_some_and(|of| (of == family) == is_own));
                    votes.filter_map(|vote| vote.margin).map(|margin| margin * sign).collect::<Vec<f64>>()
                };
                let (mine, others) = (towards(true), towards(false));
                own.extend(mine.iter().map(|margin| (row.cluster, *margin)));
                if !others.is_empty() {
                    let mean = others.iter().sum::<f64>() / others.len() as f64;
                    beyond.extend(mine.iter().map(|margin| (row.cluster, margin - mean)));
                }
            }
        }
        let estimate = |values: Vec<(usize, f64)>, why: &str| {
            let n = values.len() as u64;
            Estimate { n, ..estimate_mean(values.into_iter(), why, resampling) }
        };
        Self {
            margin: estimate(own, "no judge with a margin is of the family of one side alone"),
            beyond_others: estimate(beyond, "no debate has such a judge and a judge of another family"),
        }
    }
}
