//! The report of an evaluation: all its figures, made from observations in one pass.

pub mod builder;
pub mod csv;
mod figure_text;
pub mod html;
mod list;
mod methods;
mod plots;
mod tables;
pub mod text;
mod warnings;

use serde::Serialize;

use crate::{
    bradley_terry::Rating,
    figures::{accuracy, answer_changes, availability, cost, judges, orders, paired, pilot},
};

/// Everything that an evaluation found. Shares are from 0 to 1, money is in US dollars, intervals hold 95 %.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluationReport {
    /// What the page is called.
    pub title: String,
    /// Distinct items.
    pub items: u64,
    /// Items with a gold answer.
    pub items_with_gold: u64,
    /// Clusters of items; an item without one is its own.
    pub clusters: u64,
    /// Observations, without those that were replaced.
    pub observations: u64,
    /// Observations that a later one of the same item, arm and repetition replaced.
    pub replaced: u64,
    /// What all resamples follow from.
    pub seed: u64,
    /// Resamples of an interval.
    pub resamples: u64,
    /// The arms, in the order asked for, others in the order of their names.
    pub arms: Vec<ArmReport>,
    /// Pairs of arms on the same items.
    pub comparisons: Vec<paired::Comparison>,
    /// Strength of arms, from items that one of two arms alone had right.
    pub ratings: Vec<Rating>,
    /// Strength of models as debaters, from debates of two models.
    pub debaters: Vec<Rating>,
    /// Accuracy against cost; absent where no unit of cost is known for all arms, or there is no accuracy.
    pub front: Option<CostFront>,
    /// What pilots predict, where there are some.
    pub pilots: Vec<pilot::PilotReport>,
    /// What a reader must know before the figures.
    pub warnings: Vec<String>,
}

impl EvaluationReport {
    /// Whether items share clusters or are repeated, so that intervals over clusters are the ones that hold.
    fn is_clustered(&self) -> bool {
        self.clusters < self.items || self.arms.iter().any(|arm| arm.repetitions > 1)
    }
}

/// Accuracy against cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostFront {
    /// Unit of the costs.
    pub unit: cost::CostUnit,
    /// The arms, the cheapest first.
    pub points: Vec<cost::FrontPoint>,
}

/// Everything about one arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmReport {
    /// Its name.
    pub name: String,
    /// Observations.
    pub observations: u64,
    /// Repetitions of an item at most.
    pub repetitions: u64,
    /// How many ended well.
    pub availability: availability::Availability,
    /// How often it is right.
    pub accuracy: accuracy::Accuracy,
    /// How good its probabilities are.
    pub probabilities: accuracy::ProbabilityScores,
    /// What places and orders did.
    pub orders: orders::OrderEffects,
    /// What its judges are worth.
    pub judges: judges::JudgeAgreement,
    /// Rescued and destroyed answers.
    pub change: answer_changes::AnswerChange,
    /// What it cost.
    pub cost: cost::ArmCost,
    /// The models that really answered, with the number of observations.
    pub models: Vec<availability::NamedCount>,
    /// Digests of its prompts, with the number of observations.
    pub prompts: Vec<availability::NamedCount>,
    /// Smallest and largest seed, where there are some.
    pub seeds: Option<(u64, u64)>,
    /// Observations with the hash of a record.
    pub records: u64,
}
