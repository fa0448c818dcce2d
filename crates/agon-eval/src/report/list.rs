//! All figures of a report in one list: tables of any kind take them from here, by their names.

use super::{ArmReport, EvaluationReport};
use crate::{
    bradley_terry::Rating,
    estimate::{Estimate, Share},
    figures::{cost::CostUnit, paired, pilot::PilotReport},
};

/// One figure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportFigure {
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

impl ReportFigure {
    /// Both ends of the interval.
    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }
}

impl From<&Share> for ReportFigure {
    fn from(share: &Share) -> Self {
        let Share { hits, n, value, low, high } = *share;
        let note = if n == 0 { "nothing to count" } else { "" }.to_owned();
        Self { value, low, high, hits: Some(hits), n: Some(n), note }
    }
}

impl From<&Estimate> for ReportFigure {
    fn from(estimate: &Estimate) -> Self {
        let Estimate { value, low, high, n, note } = estimate.clone();
        Self { value, low, high, hits: None, n: Some(n), note: note.unwrap_or_default() }
    }
}

impl From<Option<f64>> for ReportFigure {
    fn from(value: Option<f64>) -> Self {
        Self { value, ..Self::default() }
    }
}

impl From<u64> for ReportFigure {
    fn from(count: u64) -> Self {
        Some(count as f64).into()
    }
}

/// The figures of one arm, of two arms, of a rating, or of the whole.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FigureGroup {
    /// What they are of: `arm`, `comparison`, `rating`, `debater`, `front`, `pilot` or `evaluation`.
    pub of: &'static str,
    /// Name of the arm or model.
    pub name: String,
    /// Name of the arm that it is compared with.
    pub with: String,
    /// The figures by name, for example `accuracy_all`; docs/eval-figures.md explains each.
    pub figures: Vec<(String, ReportFigure)>,
}

impl FigureGroup {
    fn new(of: &'static str, name: &str, with: &str) -> Self {
        Self { of, name: name.to_owned(), with: with.to_owned(), figures: Vec::new() }
    }

    /// What a row is called.
    pub(super) fn row_title(&self) -> String {
        if self.with.is_empty() { self.name.clone() } else { format!("{} − {}", self.name, self.with) }
    }

    pub(super) fn add(&mut self, name: &str, figure: impl Into<ReportFigure>) {
        self.figures.push((name.to_owned(), figure.into()));
    }

    /// The figure called `name`; one without a value where there is none.
    pub(super) fn figure_named(&self, name: &str) -> ReportFigure {
        let found = self.figures.iter().find(|(known, _)| known == name);
        found.map(|(_, figure)| figure.clone()).unwrap_or_default()
    }
}

/// The figures of `report`, arm by arm, in the order of the report.
pub fn list_figures(report: &EvaluationReport) -> Vec<FigureGroup> {
    let mut groups = vec![of_whole(report)];
    groups.extend(report.arms.iter().map(of_arm));
    groups.extend(report.comparisons.iter().map(of_comparison));
    groups.extend(report.ratings.iter().map(|rating| of_rating(rating, "rating")));
    groups.extend(report.debaters.iter().map(|rating| of_rating(rating, "debater")));
    if let Some(front) = &report.front {
        let figure = match front.unit {
            CostUnit::Money => "money_front",
            CostUnit::Tokens => "tokens_front",
        };
        groups.extend(front.points.iter().map(|point| {
            let mut of = FigureGroup::new("front", &point.arm, "");
            of.add(figure, u64::from(point.on_front));
            of
        }));
    }
    groups.extend(report.pilots.iter().map(of_pilot));
    groups
}

fn of_whole(report: &EvaluationReport) -> FigureGroup {
    let mut whole = FigureGroup::new("evaluation", "", "");
    whole.add("items", report.items);
    whole.add("items_with_gold", report.items_with_gold);
    whole.add("clusters", report.clusters);
    whole.add("observations", report.observations);
    whole.add("replaced", report.replaced);
    whole.add("seed", report.seed);
    whole.add("resamples", report.resamples);
    whole
}

fn of_arm(arm: &ArmReport) -> FigureGroup {
    let mut of = FigureGroup::new("arm", &arm.name, "");
    of.add("observations", arm.observations);
    of.add("repetitions", arm.repetitions);
    of.add("ended_well", &arm.availability.well);
    of.add("degraded", arm.availability.degraded);
    of.add("failed", arm.availability.failed);
    of.add("accuracy_all", &arm.accuracy.all);
    of.add("accuracy_all_clustered", &arm.accuracy.all_clustered);
    of.add("accuracy_ended", &arm.accuracy.ended);
    of.add("accuracy_ended_clustered", &arm.accuracy.ended_clustered);
    of.add("undecided", arm.accuracy.undecided);
    of.add("without_gold", arm.accuracy.without_gold);
    of.add("brier", &arm.probabilities.brier);
    of.add("log_score", &arm.probabilities.log_score);
    of.add("clipped", arm.probabilities.clipped);
    of.add("calibration_error", &arm.probabilities.calibration.error);
    of.add("overconfidence", &arm.probabilities.calibration.overconfidence);
    for bin in &arm.probabilities.calibration.bins {
        of.add(&format!("right_at_{:.1}_to_{:.1}", bin.from, bin.to), &bin.right);
    }
    of.add("side_prior", &arm.orders.side_prior);
    of.add("gold_first", &arm.orders.gold_first);
    of.add("followed_side", &arm.orders.followed_side);
    of.add("mirror_draws", arm.orders.mirror_draws);
    of.add("first_shown", &arm.orders.first_shown);
    of.add("flips", &arm.orders.flips);
    of.add("judges", arm.judges.judges);
    of.add("votes", arm.judges.votes);
    of.add("unanimous", &arm.judges.unanimous);
    of.add("alpha", &arm.judges.alpha);
    of.add("margin_correlation", &arm.judges.correlation);
    of.add("effective_votes", &arm.judges.effective_votes);
    of.add("own_family_margin", &arm.judges.own_family.margin);
    of.add("own_family_beyond_others", &arm.judges.own_family.beyond_others);
    of.add("verified", &arm.judges.verified);
    of.add("rescued", &arm.change.rescued);
    of.add("destroyed", &arm.change.destroyed);
    of.add("net_change", arm.change.net);
    of.add("change_p", arm.change.test.map(|test| test.p));
    let cost = &arm.cost;
    let totals = [
        ("calls", cost.calls),
        ("input_tokens", cost.input_tokens),
        ("cached_tokens", cost.cached_tokens),
        ("output_tokens", cost.output_tokens),
        ("tokens", cost.tokens),
        ("money", cost.money),
        ("seconds", cost.seconds),
    ];
    for (name, total) in totals {
        let note = if total.unknown > 0 { format!("{} are not known", total.unknown) } else { String::new() };
        let mean = ReportFigure { value: total.mean, n: Some(total.known), note, ..ReportFigure::default() };
        let sum = (total.known > 0).then_some(total.sum);
        of.add(&format!("{name}_sum"), ReportFigure { value: sum, ..mean.clone() });
        of.add(&format!("{name}_mean"), mean);
    }
    of.add("money_per_right", cost.money_per_right);
    of
}

fn of_comparison(comparison: &paired::Comparison) -> FigureGroup {
    let mut of = FigureGroup::new("comparison", &comparison.arm, &comparison.with);
    for (part, difference) in [("all", &comparison.all), ("ended", &comparison.ended)] {
        let paired::PairedDifference { pairs, difference, test, p_adjusted, items_needed } = difference;
        of.add(&format!("difference_{part}"), difference);
        of.add(&format!("pairs_{part}"), *pairs);
        of.add(&format!("mcnemar_b_{part}"), test.map(|test| test.b as f64));
        of.add(&format!("mcnemar_c_{part}"), test.map(|test| test.c as f64));
        of.add(&format!("mcnemar_p_{part}"), test.map(|test| test.p));
        of.add(&format!("holm_p_{part}"), *p_adjusted);
        of.add(&format!("items_needed_{part}"), items_needed.map(|items| items as f64));
    }
    of.add("unpaired", comparison.unpaired);
    of.add("token_ratio", comparison.token_ratio);
    of
}

fn of_rating(rating: &Rating, of: &'static str) -> FigureGroup {
    let mut of = FigureGroup::new(of, &rating.name, "");
    of.add("bradley_terry", &rating.rating);
    of.add("wins", rating.wins);
    of.add("losses", rating.losses);
    of
}

fn of_pilot(pilot: &PilotReport) -> FigureGroup {
    let mut of = FigureGroup::new("pilot", &pilot.arm, "");
    of.add("items", pilot.items);
    of.add("judge_alone", &pilot.judge);
    of.add("critic_alone", &pilot.critic);
    of.add("critic_lead", &pilot.critic_lead);
    of.add("gainable", &pilot.gainable);
    of.add("losable", &pilot.losable);
    of.add("verified", &pilot.verified);
    of.add("right_rulings", &pilot.rulings);
    of.add("break_even", pilot.break_even);
    of.add("predicted_gain", &pilot.gain);
    of.add("chance_of_gain", pilot.chance_of_gain);
    of
}
