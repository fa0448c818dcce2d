//! What a reader must know before the figures: what is missing, and what makes them weaker than they look.

use super::{ArmReport, EvaluationReport, figure_text::format_quantity};
use crate::bootstrap::CLUSTERS_FEW;
use agon_text::{count_noun, format_signed};

/// Fewer items than this cannot show what debates usually change.
const ITEMS_FEW: u64 = 30;
/// Difference in the share of observations that ended well, from which on a comparison of those alone is biased.
const AVAILABILITY_GAP: f64 = 0.05;
/// Ratio of tokens from which on arms are not compared at equal cost.
const TOKEN_RATIO: f64 = 1.25;

/// Warnings of a report for which the arms `asked` were named.
pub(super) fn list_warnings(report: &EvaluationReport, asked: &[&str]) -> Vec<String> {
    let mut warnings = Vec::new();
    if report.observations == 0 {
        return vec!["There are no observations.".into()];
    }
    warn_about_report(report, asked, &mut warnings);
    report.arms.iter().for_each(|arm| of_arm(arm, &mut warnings));
    warn_about_availability(report, &mut warnings);
    warn_about_comparisons(report, &mut warnings);
    warnings
}

/// What makes differences of arms weaker than they look.
fn warn_about_comparisons(report: &EvaluationReport, warnings: &mut Vec<String>) {
    let differs = |ratio: f64| !(1.0 / TOKEN_RATIO..=TOKEN_RATIO).contains(&ratio);
    if report.comparisons.iter().filter_map(|comparison| comparison.token_ratio).any(differs) {
        let mean = |arm: &ArmReport| Some(format!("{} {}", arm.name, format_quantity(arm.cost.tokens.mean?)));
        let means = report.arms.iter().filter_map(mean).collect::<Vec<_>>().join(", ");
        warnings
            .push(format!("Arms differ in tokens ({means}): a difference between such arms is not one at equal cost."));
    }
    let unpaired = report.comparisons.iter().filter(|comparison| comparison.unpaired > 0);
    if let Some(most) = unpaired.clone().map(|comparison| comparison.unpaired).max() {
        warnings.push(format!(
            "In {} of {} comparisons, observations (at most {most}) have no partner on the same item and are not \
             compared.",
            unpaired.count(),
            report.comparisons.len()
        ));
    }
}

fn warn_about_report(report: &EvaluationReport, asked: &[&str], warnings: &mut Vec<String>) {
    let &EvaluationReport { items, items_with_gold, clusters, replaced, .. } = report;
    if items_with_gold == 0 {
        warnings.push("No item has a gold answer: there is no accuracy, only agreement and cost.".into());
    } else if items_with_gold < ITEMS_FEW {
        let few = count_noun(items_with_gold, "item has", "items have");
        warnings.push(format!("Only {few} a gold answer: the intervals are wide, and their coverage is uncertain."));
    }
    let without = items - items_with_gold;
    if items_with_gold > 0 && without > 0 {
        warnings
            .push(format!("{without} of {items} items have no gold answer; they count for agreement and cost alone."));
    }
    if clusters < items && clusters < CLUSTERS_FEW as u64 {
        let few = count_noun(clusters, "cluster", "clusters");
        warnings.push(format!("The items are in {few}: how often intervals over so few hold the truth is uncertain."));
    }
    if report.is_clustered() {
        warnings.push(
            "Items share clusters or are repeated: take the intervals over clusters; Wilson and McNemar are too sure."
                .into(),
        );
    }
    if replaced > 0 {
        warnings
            .push(format!("{replaced} observations were replaced by later ones of the same item, arm and repetition."));
    }
    let is_known = |name: &str| report.arms.iter().any(|arm| arm.name == name);
    for name in asked.iter().filter(|name| !is_known(name)) {
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
        warnings
            .push(format!("Every probability of {name} is 0 or 1: Brier and log score judge answers, not forecasts."));
    }
    if arm.probabilities.clipped > 0 {
        warnings.push(format!(
            "{name} gave {} right answers a probability below 1e-6; its log score depends on that limit.",
            arm.probabilities.clipped
        ));
    }
    if arm.orders.gold_first.interval().is_some_and(|(low, high)| !(low..=high).contains(&0.5)) {
        warnings.push(format!(
            "In {name} the right choice was argued by the side that opened in {} of {} debates: sides are not balanced, \
             and the side prior is not one of the judge.",
            arm.orders.gold_first.hits, arm.orders.gold_first.n
        ));
    }
    let own = &arm.judges.own_family.beyond_others;
    if let (Some(value), Some(low)) = (own.value, own.low.filter(|low| *low > 0.0)) {
        warnings.push(format!(
            "Judges of {name} give the side of their own model family a margin {} above that of others (at least \
             {}): let another family judge.",
            format_signed(value, 2),
            format_signed(low, 2)
        ));
    }
    if arm.prompts.len() > 1 {
        warnings.push(format!("{name} was run with {} versions of its prompts.", arm.prompts.len()));
    }
}

/// An arm that a provider failed more often than another is compared on easier or harder items.
fn warn_about_availability(report: &EvaluationReport, warnings: &mut Vec<String>) {
    let shares = report.arms.iter().filter_map(|arm| Some((arm.availability.well.value?, &arm.name)));
    let by_share = |a: &(f64, &String), b: &(f64, &String)| a.0.total_cmp(&b.0);
    let (worst, best) = (shares.clone().min_by(by_share), shares.max_by(by_share));
    if let Some(((low, worst), (high, best))) = worst.zip(best)
        && high - low >= AVAILABILITY_GAP
    {
        let [low, high] = [low, high].map(|share| share * 100.0);
        warnings.push(format!(
            "{low:.0} % of {worst} ended well, and {high:.0} % of {best}: read both ways of counting the others, as wrong \
             and as missing."
        ));
    }
}
