//! Hears observations one by one and makes the report.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexSet;

use super::{ArmReport, CostFront, EvaluationReport, warnings::list_warnings};
use crate::{
    bootstrap::{RESAMPLES, Resampling},
    bradley_terry::{Rating, estimate_ratings},
    figures::{accuracy, answer_changes, availability, cost, judges, orders, paired, pilot},
    mcnemar::adjust_by_holm,
    observation::Observation,
    table::{ObservationTable, TableRow, ranks_of},
};

/// What is asked of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportOptions {
    /// Title of the page.
    pub title: String,
    /// The arms in the order in which they are shown; others follow by name.
    pub arms: Vec<String>,
    /// The arm that all others are compared with. Without one, all pairs are compared, and Holm's correction is for as
    /// many.
    pub baseline: Option<String>,
    /// What all resamples follow from.
    pub seed: u64,
    /// Resamples of an interval.
    pub resamples: usize,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { title: "Evaluation".into(), arms: Vec::new(), baseline: None, seed: 1, resamples: RESAMPLES }
    }
}

/// Hears observations; keeps a small row of each.
#[derive(Debug)]
pub struct ReportBuilder {
    options: ReportOptions,
    table: ObservationTable,
}

impl ReportBuilder {
    /// Without observations.
    pub fn new(options: ReportOptions) -> Self {
        Self { options, table: ObservationTable::default() }
    }

    /// Adds an observation that [`Observation::check`] accepts. A later one of the same item, arm and repetition
    /// replaces an earlier one.
    ///
    /// # Errors
    /// If it contradicts an earlier one in choices or gold answer, or there are too many arms.
    pub fn add_observation(&mut self, observation: &Observation) -> Result<(), String> {
        self.table.add_observation(observation)
    }

    /// The report of all that was heard. The order of hearing makes no difference, except for replaced observations.
    pub fn build_report(self) -> EvaluationReport {
        let Self { options, mut table } = self;
        let resampling = Resampling { seed: options.seed, resamples: options.resamples.max(1) };
        let order = arm_order(&options, &table.arms);
        let rows: Vec<Vec<TableRow>> = order.iter().map(|arm| table.take_ordered_rows(*arm)).collect();
        let arms: Vec<ArmReport> =
            order.iter().zip(&rows).map(|(arm, rows)| arm_report(&table, *arm, rows, resampling)).collect();
        let comparisons = compare_arms(&arms, &rows, options.baseline.as_deref(), resampling);
        let mut report = EvaluationReport {
            title: options.title.clone(),
            items: table.known.len() as u64,
            items_with_gold: table.known.iter().filter(|item| item.gold.is_some()).count() as u64,
            clusters: table.clusters.len() as u64,
            observations: table.heard - table.replaced,
            replaced: table.replaced,
            seed: options.seed,
            resamples: resampling.resamples as u64,
            ratings: arm_ratings(&arms, &rows, resampling),
            debaters: debater_ratings(&table, &rows, resampling),
            front: cost_front(&arms),
            pilots: build_pilot_reports(&arms, &rows, resampling),
            arms,
            comparisons,
            warnings: Vec::new(),
        };
        let asked: BTreeSet<&str> = options.arms.iter().chain(&options.baseline).map(String::as_str).collect();
        report.warnings = list_warnings(&report, &asked.into_iter().collect::<Vec<_>>());
        report
    }
}

/// Numbers of the arms: those asked for first, the others by name.
fn arm_order(options: &ReportOptions, names: &IndexSet<String>) -> Vec<usize> {
    let asked = |name: &String| options.arms.iter().position(|arm| arm == name).unwrap_or(usize::MAX);
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|a, b| asked(&names[*a]).cmp(&asked(&names[*b])).then_with(|| names[*a].cmp(&names[*b])));
    order
}

fn arm_report(table: &ObservationTable, arm: usize, rows: &[TableRow], resampling: Resampling) -> ArmReport {
    let kept = &table.rows[arm];
    ArmReport {
        name: table.arms[arm].clone(),
        observations: rows.len() as u64,
        repetitions: rows.iter().map(|row| u64::from(row.repetition) + 1).max().unwrap_or(0),
        availability: availability::Availability::from_rows(rows, kept),
        accuracy: accuracy::Accuracy::from_rows(rows, resampling),
        probabilities: accuracy::ProbabilityScores::from_rows(rows, resampling),
        orders: orders::OrderEffects::from_rows(rows),
        judges: judges::JudgeAgreement::from_rows(rows, resampling),
        change: answer_changes::AnswerChange::from_rows(rows),
        cost: cost::ArmCost::from_rows(rows),
        models: availability::sort_tallies(&kept.models.0),
        prompts: availability::sort_tallies(&kept.prompts.0),
        seeds: kept.seeds,
        records: kept.records,
    }
}

fn compare_arms(
    arms: &[ArmReport],
    rows: &[Vec<TableRow>],
    baseline: Option<&str>,
    resampling: Resampling,
) -> Vec<paired::Comparison> {
    let base = baseline.and_then(|name| arms.iter().position(|arm| arm.name == name));
    let pairs: Vec<(usize, usize)> = match base {
        Some(base) => (0..arms.len()).filter(|arm| *arm != base).map(|arm| (arm, base)).collect(),
        None => (0..arms.len()).flat_map(|with| (with + 1..arms.len()).map(move |arm| (arm, with))).collect(),
    };
    let compared = pairs.into_iter().map(|(arm, with)| {
        let means = [arm, with].map(|at| Some(arms[at].cost.tokens).filter(|t| t.unknown == 0)?.mean);
        paired::Comparison::from_rows([&arms[arm].name, &arms[with].name], [&rows[arm], &rows[with]], means, resampling)
    });
    let mut compared: Vec<paired::Comparison> = compared.collect();
    // Each way of counting is a family of tests of its own.
    let ways: [fn(&mut paired::Comparison) -> &mut paired::PairedDifference; 2] =
        [|comparison| &mut comparison.ended, |comparison| &mut comparison.all];
    for part in ways {
        let tested: Vec<&mut paired::PairedDifference> =
            compared.iter_mut().map(part).filter(|part| part.test.is_some()).collect();
        let p: Vec<f64> = tested.iter().filter_map(|part| part.test.map(|test| test.p)).collect();
        for (part, adjusted) in tested.into_iter().zip(adjust_by_holm(&p)) {
            part.p_adjusted = Some(adjusted);
        }
    }
    compared
}

/// An arm wins against another at an item that it alone has right.
fn arm_ratings(arms: &[ArmReport], rows: &[Vec<TableRow>], resampling: Resampling) -> Vec<Rating> {
    if arms.len() < 2 {
        return Vec::new();
    }
    let mut answers: BTreeMap<(usize, usize, u32), Vec<(usize, bool)>> = BTreeMap::new();
    let rows = rows.iter().enumerate().flat_map(|(arm, rows)| rows.iter().map(move |row| (arm, row)));
    for (arm, row, right) in rows.filter_map(|(arm, row)| Some((arm, row, row.ended_right()?))) {
        answers.entry((row.cluster, row.item, row.repetition)).or_default().push((arm, right));
    }
    let mut clusters: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for ((cluster, ..), answers) in answers {
        let contests = clusters.entry(cluster).or_default();
        let right = answers.iter().filter(|(_, right)| *right);
        contests.extend(right.flat_map(|(winner, _)| {
            answers.iter().filter(|(_, right)| !*right).map(move |(loser, _)| (*winner, *loser))
        }));
    }
    let names: Vec<String> = arms.iter().map(|arm| arm.name.clone()).collect();
    estimate_ratings(&names, &clusters.into_values().collect::<Vec<_>>(), resampling)
}

fn debater_ratings(table: &ObservationTable, rows: &[Vec<TableRow>], resampling: Resampling) -> Vec<Rating> {
    let mut clusters: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for row in rows.iter().flatten().filter(|row| row.ended_right().is_some() || row.right.is_none()) {
        clusters.entry(row.cluster).or_default().extend(row.contest);
    }
    // Numbers follow the order of hearing; the ratings are by name.
    let ranks = ranks_of(&table.models);
    let mut names: Vec<String> = table.models.iter().cloned().collect();
    names.sort();
    let ranked = |contests: Vec<(usize, usize)>| contests.into_iter().map(|(a, b)| (ranks[a], ranks[b])).collect();
    estimate_ratings(&names, &clusters.into_values().map(ranked).collect::<Vec<_>>(), resampling)
}

/// By money where it is known for all arms, else by tokens.
fn cost_front(arms: &[ArmReport]) -> Option<CostFront> {
    let points = |cost: fn(&cost::ArmCost) -> cost::CostTotal| {
        let point = |arm: &ArmReport| {
            let cost = Some(cost(&arm.cost)).filter(|total| total.unknown == 0)?.mean?;
            Some((arm.name.clone(), cost, arm.accuracy.all.value?))
        };
        arms.iter().map(point).collect::<Option<Vec<_>>>().filter(|points| !points.is_empty())
    };
    // Money of 0 everywhere tells nothing: models of one's own machine.
    let money = points(|cost| cost.money).filter(|points| points.iter().any(|(_, cost, _)| *cost > 0.0));
    let (unit, points) = match money {
        Some(points) => (cost::CostUnit::Money, points),
        None => (cost::CostUnit::Tokens, points(|cost| cost.tokens)?),
    };
    Some(CostFront { unit, points: cost::mark_pareto_front(points) })
}

/// Of each arm whose observations have both `initial` and `critic`.
fn build_pilot_reports(arms: &[ArmReport], rows: &[Vec<TableRow>], resampling: Resampling) -> Vec<pilot::PilotReport> {
    let of_arm = |(arm, rows): (&ArmReport, &Vec<TableRow>)| {
        let cases = rows.iter().filter_map(|row| {
            Some(pilot::PilotCase {
                cluster: row.cluster,
                judge: row.initial_right?,
                critic: row.critic_right?,
                ruling: row.ended_right(),
                verified: row.verified,
            })
        });
        pilot::build_pilot_report(&arm.name, &cases.collect::<Vec<_>>(), resampling)
    };
    arms.iter().zip(rows).filter_map(of_arm).collect()
}
