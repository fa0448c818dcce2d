//! How each figure is computed and where it is from, in `methods.md`.

use super::{ArmReport, EvaluationReport};

/// Name and text of each, under headings.
const METHODS: &str = include_str!("methods.md");

/// Name of a figure, and how it is computed. Figures that the report does not have are left out.
pub(super) fn describe_methods(report: &EvaluationReport) -> Vec<(&'static str, String)> {
    let any = |has: fn(&ArmReport) -> bool| report.arms.iter().any(has);
    let is_shown = |term: &str| match term {
        "Differences" => !report.comparisons.is_empty(),
        "Probabilities" => any(|arm| arm.probabilities.n > 0),
        "Agreement" => any(|arm| arm.judges.judges > 1),
        "Places and orders" => any(|arm| arm.orders.side_prior.n + arm.orders.first_shown.n + arm.orders.flips.n > 0),
        "Before and after" => any(|arm| arm.change.n > 0),
        "Ratings" => !report.ratings.is_empty() || !report.debaters.is_empty(),
        "Pilot" => !report.pilots.is_empty(),
        _ => true,
    };
    let [resamples, seed] = [report.resamples, report.seed].map(|number| number.to_string());
    let method = |part: &'static str| {
        let (term, text) = part.split_once('\n').filter(|(term, _)| is_shown(term))?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some((term, text.replace("{resamples}", &resamples).replace("{seed}", &seed)))
    };
    METHODS.split("\n## ").skip(1).filter_map(method).collect()
}
