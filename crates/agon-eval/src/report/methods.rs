//! How each figure is computed and where it is from, in one sentence each. The page and docs/eval-figures.md say the
//! same.

use super::EvaluationReport;

/// Name of a figure, and how it is computed. Figures that the report does not have are left out.
pub(super) fn methods(report: &EvaluationReport) -> Vec<(&'static str, String)> {
    let any = |has: &dyn Fn(&super::ArmReport) -> bool| report.arms.iter().any(has);
    let mut methods = vec![
        (
            "Right and wrong",
            "An answer is right if it equals the gold answer. No answer is wrong. An observation that did not end well \
             (a seat or a provider was lost) is counted in both ways: as wrong (“all”) and as missing (“ended well”)."
                .to_owned(),
        ),
        (
            "Intervals",
            format!(
                "All hold 95 %. Shares: score interval without correction for continuity (Wilson 1927). Means and \
                 differences: bootstrap of whole clusters (Efron 1979; Davison and Hinkley 1997) with expanded \
                 percentiles (Hesterberg 2015), {} resamples, quantiles of type 7 (Hyndman and Fan 1996), all from seed \
                 {} by ChaCha8. An item without a \
                 cluster is its own.",
                report.resamples, report.seed
            ),
        ),
    ];
    if !report.comparisons.is_empty() {
        methods.push((
            "Differences",
            "Accuracy on the items and repetitions that both arms have. b and c count the items that the first and the \
             second arm alone had right. p: exact two-sided test of McNemar (1947), twice the smaller binomial tail; \
             adjusted over all comparisons of the report (Holm 1979). Items needed: Connor (1987), 80 % power, 5 % on \
             both sides. McNemar’s test takes items as independent; with clusters or repetitions, the bootstrap \
             interval is the one to read. Where observations did not end well, there is a table for each way of counting \
             them."
                .to_owned(),
        ));
    }
    if any(&|arm| arm.probabilities.n > 0) {
        methods.push((
            "Probabilities",
            "Brier score: sum over the choices of (p − happened)², 0 to 2, a coin between two has 0.5 (Brier 1950). Log \
             score: −ln p of the right answer, in nats, a coin has 0.693 (Good 1952); p below 1e−6 counts as that. \
             Expected calibration error: over ten equal bins of the favoured choice’s probability, mean distance of \
             confidence and share of right answers (Naeini et al. 2015); it is above 0 for a calibrated judge with few \
             forecasts. Too sure by: mean confidence minus share of right answers."
                .to_owned(),
        ));
    }
    if any(&|arm| arm.judges.judges > 1) {
        methods.push((
            "Agreement",
            "Krippendorff’s alpha for nominal values with absent ones (2011), interval by bootstrap of observations. \
             Effective votes: n / (1 + (n − 1) r) with the mean correlation r of the judges’ margins, 0 at least (Kish \
             1965). Own family: margin that a judge gives the side of its own family, minus the mean margin of judges of \
             other families for that side in the same debates."
                .to_owned(),
        ));
    }
    if any(&|arm| arm.orders.side_prior.n + arm.orders.first_shown.n + arm.orders.flips.n > 0) {
        methods.push((
            "Places and orders",
            "Opener won: debates of two sides won by the side that opened. Mirrors: pairs of a debate and its repetition \
             with the sides’ cases swapped in which the same side won. First shown: votes for the case that the judge read \
             first. Flips: votes whose two orders had opposite winners."
                .to_owned(),
        ));
    }
    if any(&|arm| arm.change.n > 0) {
        methods.push((
            "Before and after",
            "First answers that were wrong and became right (rescued), and the reverse (destroyed), with the exact test of \
             McNemar."
                .to_owned(),
        ));
    }
    if !report.ratings.is_empty() || !report.debaters.is_empty() {
        methods.push((
            "Ratings",
            "Bradley and Terry (1952) by maximum likelihood (Hunter 2004), as log strengths with mean 0. An arm wins an \
             item against each arm that is wrong there; items that both have right or wrong do not count, and neither do \
             observations that did not end well. Intervals by bootstrap of clusters."
                .to_owned(),
        ));
    }
    methods.push((
        "Cost",
        "Tokens are read and written ones, cached ones included; money is what providers state or prices give; all \
         observations count, also those that failed. Unknown is not 0: a tilde marks sums and means of those that are known. An arm \
         is on the front if no other is at least as good and as cheap, and better in one of both."
            .to_owned(),
    ));
    if !report.pilots.is_empty() {
        methods.push((
            "Pilot",
            "Let d be the share of items where judge or critic alone is right, l the share where it is the judge, q the \
             chance of a right ruling there. Predicted gain: q d − l. q is observed, or 1/2 + v/2 with the share v of \
             rulings with a checked quote, which is an assumption. Uncertainty: Beta posteriors under Jeffreys’ priors, \
             as many items as clusters."
                .to_owned(),
        ));
    }
    methods
}
