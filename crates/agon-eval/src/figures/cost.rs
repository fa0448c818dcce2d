//! What arms cost, and which of them are worth it.

use serde::Serialize;

use crate::{observation::ObservedUsage, table::TableRow};

/// A sum over observations, of which some may not be known. Unknown is not 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CostTotal {
    /// Sum of those that are known.
    pub sum: f64,
    /// How many are known.
    pub known: u64,
    /// How many are not.
    pub unknown: u64,
    /// Mean of those that are known; absent where none is.
    pub mean: Option<f64>,
}

impl CostTotal {
    fn from_values(values: impl Iterator<Item = Option<f64>>) -> Self {
        let mut total = Self::default();
        for value in values {
            match value {
                Some(value) => (total.sum, total.known) = (total.sum + value, total.known + 1),
                None => total.unknown += 1,
            }
        }
        total.mean = (total.known > 0).then(|| total.sum / total.known as f64);
        total
    }
}

/// What the observations of an arm cost; those that did not end well count too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ArmCost {
    /// Calls of models.
    pub calls: CostTotal,
    /// Tokens read, cached ones included.
    pub input_tokens: CostTotal,
    /// Tokens read from a cache.
    pub cached_tokens: CostTotal,
    /// Tokens written.
    pub output_tokens: CostTotal,
    /// Tokens read and written.
    pub tokens: CostTotal,
    /// US dollars.
    pub money: CostTotal,
    /// Seconds.
    pub seconds: CostTotal,
    /// US dollars for each right answer; absent where some money is not known, or none is right.
    pub money_per_right: Option<f64>,
}

impl ArmCost {
    pub(crate) fn from_rows(rows: &[TableRow]) -> Self {
        let total =
            |value: fn(&ObservedUsage) -> Option<f64>| CostTotal::from_values(rows.iter().map(|row| value(&row.usage)));
        let right = rows.iter().filter(|row| row.ended_right() == Some(true)).count();
        let money = total(|usage| usage.money);
        let is_known = money.unknown == 0 && right > 0;
        Self {
            calls: total(|usage| usage.calls.map(|count| count as f64)),
            input_tokens: total(|usage| usage.input_tokens.map(|count| count as f64)),
            cached_tokens: total(|usage| usage.cached_tokens.map(|count| count as f64)),
            output_tokens: total(|usage| usage.output_tokens.map(|count| count as f64)),
            tokens: total(|usage| Some((usage.input_tokens? + usage.output_tokens?) as f64)),
            money,
            seconds: total(|usage| usage.seconds),
            money_per_right: is_known.then(|| money.sum / right as f64),
        }
    }
}

/// What arms are compared by in cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CostUnit {
    /// Mean US dollars of an observation.
    Money,
    /// Mean tokens of an observation, read and written.
    Tokens,
}

/// One arm in a plot of accuracy against cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrontPoint {
    /// Which arm.
    pub arm: String,
    /// Its mean cost.
    pub cost: f64,
    /// Its accuracy; observations that did not end well are wrong.
    pub accuracy: f64,
    /// Whether no other arm is at least as good and as cheap, and better in one of both (Pareto).
    pub on_front: bool,
}

/// Marks the points of the Pareto front, and sorts by cost.
pub fn mark_pareto_front(points: impl IntoIterator<Item = (String, f64, f64)>) -> Vec<FrontPoint> {
    let points: Vec<(String, f64, f64)> = points.into_iter().collect();
    let beaten = |cost: f64, accuracy: f64| {
        points.iter().any(|(_, c, a)| *c <= cost && *a >= accuracy && (*c < cost || *a > accuracy))
    };
    let point = |(arm, cost, accuracy): &(String, f64, f64)| FrontPoint {
        arm: arm.clone(),
        cost: *cost,
        accuracy: *accuracy,
        on_front: !beaten(*cost, *accuracy),
    };
    let mut front: Vec<FrontPoint> = points.iter().map(point).collect();
    front.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(b.accuracy.total_cmp(&a.accuracy)));
    front
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_holds_what_nothing_else_beats() {
        let points = [("dear", 3.0, 0.9), ("beaten", 2.0, 0.6), ("cheap", 1.0, 0.7), ("twin", 1.0, 0.7)];
        let front = mark_pareto_front(points.map(|(arm, cost, accuracy)| (arm.to_owned(), cost, accuracy)));
        let on: Vec<&str> = front.iter().filter(|p| p.on_front).map(|p| p.arm.as_str()).collect();
        assert_eq!(on, ["cheap", "twin", "dear"]);
    }

    #[test]
    fn unknown_money_is_not_nothing() {
        let total = CostTotal::from_values([Some(2.0), None].into_iter());
        assert_eq!((total.sum, total.known, total.unknown, total.mean), (2.0, 1, 1, Some(2.0)));
        assert_eq!(CostTotal::from_values([None].into_iter()).mean, None);
    }
}
