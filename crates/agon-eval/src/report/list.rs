//! All figures of a report in one list, for tables of any kind.

use super::{ArmReport, EvaluationReport};
use crate::{
    bradley_terry::Rating,
    estimate::{Estimate, Share},
    figures::{
        cost::{CostTotal, CostUnit},
        paired::{Comparison, PairedDifference},
        pilot::PilotReport,
    },
};

/// One figure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FigureRow {
    /// What it is of: `arm`, `comparison`, `rating`, `debater`, `front`, `pilot` or `evaluation`.
    pub of: &'static str,
    /// Name of the arm or model.
    pub name: String,
    /// Name of the arm that it is compared with.
    pub with: String,
    /// Name of the figure, for example `accuracy_all`; docs/eval-figures.md explains each.
    pub figure: String,
    /// The value; absent where it cannot be computed.
    pub value: Option<f64>,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Those that are so, of a share.
    pub hits: Option<u64>,
    /// What it was computed from.
    pub n: Option<u64>,
    /// Why it is absent, or what to keep in mind.
    pub note: String,
}

/// Collects the figures of one thing.
struct Collected<'r> {
    rows: &'r mut Vec<FigureRow>,
    of: &'static str,
    name: &'r str,
    with: &'r str,
}

impl Collected<'_> {
    fn row(&mut self, figure: &str, row: FigureRow) {
        let (name, with) = (self.name.to_owned(), self.with.to_owned());
        self.rows.push(FigureRow { of: self.of, name, with, figure: figure.to_owned(), ..row });
    }

    fn share(&mut self, figure: &str, share: &Share) {
        let Share { hits, n, value, low, high } = *share;
        let note = if n == 0 { "nothing to count" } else { "" }.to_owned();
        self.row(
            figure,
            FigureRow { value, low, high, hits: Some(hits), n: Some(n), note, ..FigureRow::default() },
        );
    }

    fn estimate(&mut self, figure: &str, estimate: &Estimate) {
        let Estimate { value, low, high, n, note } = estimate.clone();
        let note = note.unwrap_or_default();
        self.row(figure, FigureRow { value, low, high, n: Some(n), note, ..FigureRow::default() });
    }

    fn number(&mut self, figure: &str, value: Option<f64>) {
        self.row(figure, FigureRow { value, ..FigureRow::default() });
    }

    fn count(&mut self, figure: &str, count: u64) {
        self.number(figure, Some(count as f64));
    }

    fn total(&mut self, figure: &str, total: &CostTotal) {
        let note = if total.unknown > 0 { format!("{} are not known", total.unknown) } else { String::new() };
        let row = FigureRow { n: Some(total.known), note, ..FigureRow::default() };
        let sum = (total.known > 0).then_some(total.sum);
        self.row(&format!("{figure}_sum"), FigureRow { value: sum, ..row.clone() });
        self.row(&format!("{figure}_mean"), FigureRow { value: total.mean, ..row });
    }
}

/// The figures of `report`, arm by arm, in the order of the report.
pub fn figures(report: &EvaluationReport) -> Vec<FigureRow> {
    let mut rows = Vec::new();
    let mut whole = Collected { rows: &mut rows, of: "evaluation", name: "", with: "" };
    whole.count("items", report.items);
    whole.count("items_with_gold", report.items_with_gold);
    whole.count("clusters", report.clusters);
    whole.count("observations", report.observations);
    whole.count("replaced", report.replaced);
    whole.count("seed", report.seed);
    whole.count("resamples", report.resamples);
    report.arms.iter().for_each(|arm| of_arm(arm, &mut rows));
    report.comparisons.iter().for_each(|comparison| of_comparison(comparison, &mut rows));
    report.ratings.iter().for_each(|rating| of_rating(rating, "rating", &mut rows));
    report.debaters.iter().for_each(|rating| of_rating(rating, "debater", &mut rows));
    if let Some(front) = &report.front {
        let figure = match front.unit {
            CostUnit::Money => "money_front",
            CostUnit::Tokens => "tokens_front",
        };
        for point in &front.points {
            let mut of = Collected { rows: &mut rows, of: "front", name: &point.arm, with: "" };
            of.count(figure, u64::from(point.on_front));
        }
    }
    report.pilots.iter().for_each(|pilot| of_pilot(pilot, &mut rows));
    rows
}

fn of_arm(arm: &ArmReport, rows: &mut Vec<FigureRow>) {
    let mut of = Collected { rows, of: "arm", name: &arm.name, with: "" };
    of.count("observations", arm.observations);
    of.count("repetitions", arm.repetitions);
    of.share("ended_well", &arm.availability.well);
    of.count("degraded", arm.availability.degraded);
    of.count("failed", arm.availability.failed);
    of.share("accuracy_all", &arm.accuracy.all);
    of.estimate("accuracy_all_clustered", &arm.accuracy.all_clustered);
    of.share("accuracy_ended", &arm.accuracy.ended);
    of.estimate("accuracy_ended_clustered", &arm.accuracy.ended_clustered);
    of.count("undecided", arm.accuracy.undecided);
    of.count("without_gold", arm.accuracy.without_gold);
    of.estimate("brier", &arm.probabilities.brier);
    of.estimate("log_score", &arm.probabilities.log_score);
    of.count("clipped", arm.probabilities.clipped);
    of.estimate("calibration_error", &arm.probabilities.calibration.error);
    of.estimate("overconfidence", &arm.probabilities.calibration.overconfidence);
    for bin in &arm.probabilities.calibration.bins {
        of.share(&format!("right_at_{:.1}_to_{:.1}", bin.from, bin.to), &bin.right);
    }
    of.share("side_prior", &arm.orders.side_prior);
    of.share("gold_first", &arm.orders.gold_first);
    of.share("followed_side", &arm.orders.followed_side);
    of.count("mirror_draws", arm.orders.mirror_draws);
    of.share("first_shown", &arm.orders.first_shown);
    of.share("flips", &arm.orders.flips);
    of.count("judges", arm.judges.judges);
    of.count("votes", arm.judges.votes);
    of.share("unanimous", &arm.judges.unanimous);
    of.estimate("alpha", &arm.judges.alpha);
    of.estimate("margin_correlation", &arm.judges.correlation);
    of.estimate("effective_votes", &arm.judges.effective_votes);
    of.estimate("own_family_margin", &arm.judges.own_family.margin);
    of.estimate("own_family_beyond_others", &arm.judges.own_family.beyond_others);
    of.share("verified", &arm.judges.verified);
    of.share("rescued", &arm.change.rescued);
    of.share("destroyed", &arm.change.destroyed);
    of.number("net_change", arm.change.net);
    of.number("change_p", arm.change.test.map(|test| test.p));
    let cost = &arm.cost;
    let totals = [
        ("calls", &cost.calls),
        ("input_tokens", &cost.input_tokens),
        ("cached_tokens", &cost.cached_tokens),
        ("output_tokens", &cost.output_tokens),
        ("tokens", &cost.tokens),
        ("money", &cost.money),
        ("seconds", &cost.seconds),
    ];
    totals.into_iter().for_each(|(name, total)| of.total(name, total));
    of.number("money_per_right", cost.money_per_right);
}

fn of_comparison(comparison: &Comparison, rows: &mut Vec<FigureRow>) {
    let mut of = Collected { rows, of: "comparison", name: &comparison.arm, with: &comparison.with };
    for (part, difference) in [("all", &comparison.all), ("ended", &comparison.ended)] {
        let PairedDifference { pairs, difference, test, p_adjusted, items_needed } = difference;
        of.estimate(&format!("difference_{part}"), difference);
        of.count(&format!("pairs_{part}"), *pairs);
        of.number(&format!("mcnemar_b_{part}"), test.map(|test| test.b as f64));
        of.number(&format!("mcnemar_c_{part}"), test.map(|test| test.c as f64));
        of.number(&format!("mcnemar_p_{part}"), test.map(|test| test.p));
        of.number(&format!("holm_p_{part}"), *p_adjusted);
        of.number(&format!("items_needed_{part}"), items_needed.map(|items| items as f64));
    }
    of.count("unpaired", comparison.unpaired);
    of.number("token_ratio", comparison.token_ratio);
}

fn of_rating(rating: &Rating, of: &'static str, rows: &mut Vec<FigureRow>) {
    let mut of = Collected { rows, of, name: &rating.name, with: "" };
    of.estimate("bradley_terry", &rating.rating);
    of.count("wins", rating.wins);
    of.count("losses", rating.losses);
}

fn of_pilot(pilot: &PilotReport, rows: &mut Vec<FigureRow>) {
    let mut of = Collected { rows, of: "pilot", name: &pilot.arm, with: "" };
    of.count("items", pilot.items);
    of.share("judge_alone", &pilot.judge);
    of.share("critic_alone", &pilot.critic);
    of.estimate("critic_lead", &pilot.critic_lead);
    of.share("gainable", &pilot.gainable);
    of.share("losable", &pilot.losable);
    of.share("verified", &pilot.verified);
    of.share("right_rulings", &pilot.rulings);
    of.number("break_even", pilot.break_even);
    of.estimate("predicted_gain", &pilot.gain);
    of.number("chance_of_gain", pilot.chance_of_gain);
}
