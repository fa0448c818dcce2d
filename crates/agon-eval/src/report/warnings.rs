//! What a reader must know before the figures: what is missing, and what makes them weaker than they look.

use super::{ArmReport, EvaluationReport, build::ReportOptions};
use crate::bootstrap::CLUSTERS_FEW;

/// Fewer items than this cannot show what debates usually change.
const ITEMS_FEW: u64 = 30;
/// Difference in the share of observations that ended well, from which on a comparison of those alone is biased.
const AVAILABILITY_GAP: f64 = 0.05;
/// Ratio of tokens from which on arms are not compared at equal cost.
const TOKEN_RATIO: f64 = 1.25;

pub(super) fn warnings(report: &EvaluationReport, options: &ReportOptions) -> Vec<String> {
    let mut warnings = Vec::new();
    if report.observations == 0 {
        return vec!["There are no observations.".into()];
    }
    whole(report, options, &mut warnings);
    report.arms.iter().for_each(|arm| of_arm(arm, &mut warnings));
    availability(report, &mut warnings);
    for comparison in &report.comparisons {
        if let Some(ratio) =
            comparison.token_ratio.filter(|ratio| *ratio > TOKEN_RATIO || *ratio < 1.0 / TOKEN_RATIO)
        {
            warnings.push(format!(
                "{} used {ratio:.1} times the tokens of {}: their difference is not one at equal cost.",
                comparison.arm, comparison.with
            ));
        }
        if comparison.unpaired > 0 {
            warnings.push(format!(
                "{} observations of {} or {} have no partner on the same item and are not compared.",
                comparison.unpaired, comparison.arm, comparison.with
            ));
        }
    }
    warnings
}

fn whole(report: &EvaluationReport, options: &ReportOptions, warnings: &mut Vec<String>) {
    if report.items_with_gold == 0 {
        warnings.push("No item has a gold answer: there is no accuracy, only agreement and cost.".into());
    } else if report.items_with_gold < ITEMS_FEW {
        warnings.push(format!(
            "Only {} items have a gold answer: the intervals are wide, and their coverage is uncertain.",
            report.items_with_gold
        ));
    }
    if report.items_with_gold > 0 && report.items_with_gold < report.items {
        warnings.push(format!(
            "{} of {} items have no gold answer; they count for agreement and cost alone.",
            report.items - report.items_with_gold,
            report.items
        ));
    }
    if report.clusters < report.items && report.clusters < CLUSTERS_FEW as u64 {
        warnings.push(format!(
            "The items are in {} clusters: how often intervals over so few hold the truth is uncertain.",
            report.clusters
        ));
    }
    if report.clusters < report.items || report.arms.iter().any(|arm| arm.repetitions > 1) {
        warnings.push(
            "Items share clusters or are repeated: take the intervals over clusters; Wilson and McNemar are too sure."
                .into(),
        );
    }
    if report.replaced > 0 {
        warnings.push(format!(
            "{} observations were replaced by later ones of the same item, arm and repetition.",
            report.replaced
        ));
    }
    let is_known = |name: &str| report.arms.iter().any(|arm| arm.name == name);
    for name in options.arms.iter().chain(&options.baseline).filter(|name| !is_known(name)) {
        warnings.push(format!("The arm {name} has no observation."));
    }
}

fn of_arm(arm: &ArmReport, warnings: &mut Vec<String>) {
    let name = &arm.name;
    if arm.availability.well.hits == 0 {
        warnings.push(format!("No observation of {name} ended well."));
        return;
    }
    let note = arm.probabilities.calibration.error.note.as_deref();
    if arm.probabilities.n > 0 && note.is_some_and(|note| note.contains("0 or 1")) {
        warnings.push(format!(
            "Every probability of {name} is 0 or 1: Brier and log score judge answers, not forecasts."
        ));
    }
    if arm.probabilities.clipped > 0 {
        warnings.push(format!(
            "{name} gave {} right answers a probability below 1e-6; its log score depends on that limit.",
            arm.probabilities.clipped
        ));
    }
    if let (Some(low), Some(high)) = (arm.orders.gold_first.low, arm.orders.gold_first.high)
        && !(low..=high).contains(&0.5)
    {
        warnings.push(format!(
            "In {name} the right choice was argued by the side that opened in {} of {} debates: sides are not balanced, \
             and the side prior is not one of the judge.",
            arm.orders.gold_first.hits, arm.orders.gold_first.n
        ));
    }
    if arm.prompts.len() > 1 {
        warnings.push(format!("{name} was run with {} versions of its prompts.", arm.prompts.len()));
    }
}

/// An arm that a provider failed more often than another is compared on easier or harder items.
fn availability(report: &EvaluationReport, warnings: &mut Vec<String>) {
    let share = |arm: &ArmReport| arm.availability.well.value;
    let by_share =
        |a: &&ArmReport, b: &&ArmReport| share(a).unwrap_or(0.0).total_cmp(&share(b).unwrap_or(0.0));
    let (worst, best) = (report.arms.iter().min_by(by_share), report.arms.iter().max_by(by_share));
    if let Some((worst, best)) = worst.zip(best)
        && let (Some(low), Some(high)) = (share(worst), share(best))
        && high - low >= AVAILABILITY_GAP
    {
        warnings.push(format!(
            "{:.0} % of {} ended well, and {:.0} % of {}: read both ways of counting the others, as wrong and as missing.",
            low * 100.0,
            worst.name,
            high * 100.0,
            best.name
        ));
    }
}
