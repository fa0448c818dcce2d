//! What came out: accuracy, differences of arms, and what they cost.

use maud::{Markup, html};

use super::table;
use crate::{
    estimate::{Estimate, Share},
    figures::{
        cost::{CostUnit, FrontPoint},
        paired::Comparison,
    },
    report::{
        ArmReport, EvaluationReport,
        plots::{CostPoint, Dot, costs, dots},
        words::{NONE, mean, mean_money, money, p, percent, points, quantity, share},
    },
};

pub(super) fn accuracy(report: &EvaluationReport) -> Markup {
    let with_gold = || report.arms.iter().enumerate().filter(|(_, arm)| arm.accuracy.all.n > 0);
    let dot = |(at, arm): (usize, &ArmReport)| {
        let accuracy = &arm.accuracy;
        // Where all ended well, both ways of counting are one.
        let other = accuracy.ended.value.filter(|_| accuracy.ended.n != accuracy.all.n);
        let ends = |estimate: &Estimate, share: &Share| estimate.interval().or(share.low.zip(share.high));
        Dot {
            name: arm.name.clone(),
            hue: at,
            value: accuracy.all.value,
            ends: ends(&accuracy.all_clustered, &accuracy.all)
                .filter(|(low, high)| high > low)
                .or(share_ends(&accuracy.all)),
            other,
            other_ends: other.and_then(|_| ends(&accuracy.ended_clustered, &accuracy.ended)),
            figure: format!(
                "{} ({}/{})",
                accuracy.all.value.map_or(NONE.into(), |v| format!("{:.1} %", v * 100.0)),
                accuracy.all.hits,
                accuracy.all.n
            ),
        }
    };
    let shown: Vec<Dot> = with_gold().map(dot).collect();
    let said = shown.iter().map(|dot| format!("{}: {}", dot.name, dot.figure)).collect::<Vec<_>>().join("; ");
    let hollow = shown.iter().any(|dot| dot.other.is_some());
    let rows = report.arms.iter().map(|arm| {
        let accuracy = &arm.accuracy;
        vec![
            arm.name.clone(),
            share(&accuracy.all),
            percent(&accuracy.all_clustered),
            share(&accuracy.ended),
            share(&arm.availability.well),
            accuracy.undecided.to_string(),
        ]
    });
    html! {
        section #accuracy { h2 { "Accuracy" }
            @if shown.is_empty() { p .note { "No item has a gold answer." } }
            @else {
                figure {
                    div .frame { (dots(&shown, false, &said)) }
                    figcaption {
                        "Share of right answers with its 95 % interval over clusters; observations that did not end well are wrong."
                        @if hollow { " Hollow: the same without them." }
                    }
                }
            }
            (table(&["arm", "all (Wilson)", "all (clusters)", "ended well (Wilson)", "availability", "no answer"], rows))
        }
    }
}

pub(super) fn share_ends(share: &Share) -> Option<(f64, f64)> {
    share.low.zip(share.high)
}

pub(super) fn differences(report: &EvaluationReport) -> Markup {
    if report.comparisons.is_empty() {
        return html! {};
    }
    let place = |name: &str| report.arms.iter().position(|arm| arm.name == name).unwrap_or(0);
    let dot = |comparison: &Comparison| {
        let (all, ended) = (&comparison.all, &comparison.ended);
        let other = ended.difference.value.filter(|_| ended.pairs != all.pairs);
        Dot {
            name: format!("{} − {}", comparison.arm, comparison.with),
            hue: place(&comparison.arm),
            value: all.difference.value,
            ends: all.difference.interval(),
            other,
            other_ends: other.and_then(|_| ended.difference.interval()),
            figure: format!(
                "{}, p {}",
                all.difference.value.map_or(NONE.into(), |v| points(&Estimate::of(v, 0))),
                p(all.p_adjusted)
            ),
        }
    };
    let shown: Vec<Dot> = report.comparisons.iter().filter(|c| c.all.pairs > 0).map(dot).collect();
    let said = shown.iter().map(|dot| format!("{}: {}", dot.name, dot.figure)).collect::<Vec<_>>().join("; ");
    let rows = report.comparisons.iter().map(|comparison| {
        let (all, ended) = (&comparison.all, &comparison.ended);
        vec![
            format!("{} − {}", comparison.arm, comparison.with),
            points(&all.difference),
            all.test.map_or(NONE.into(), |test| format!("{}:{}", test.b, test.c)),
            p(all.test.map(|test| test.p)),
            p(all.p_adjusted),
            points(&ended.difference),
            p(ended.p_adjusted),
            comparison.token_ratio.map_or(NONE.into(), |ratio| format!("{ratio:.2}")),
            all.items_needed.map_or(NONE.into(), |items| quantity(items as f64)),
        ]
    });
    html! {
        section #differences { h2 { "Differences on the same items" }
            @if !shown.is_empty() {
                figure {
                    div .frame { (dots(&shown, true, &said)) }
                    figcaption { "Percentage points with their 95 % interval over clusters; p of McNemar’s exact test, adjusted by Holm. Hollow: pairs of which both ended well." }
                }
            }
            (table(&["arms", "points", "b:c", "p", "Holm", "ended well", "Holm", "tokens", "items needed"], rows))
        }
    }
}

pub(super) fn cost(report: &EvaluationReport) -> Markup {
    let plot = report.front.as_ref().map(|front| {
        let of = |name: &str| report.arms.iter().position(|arm| arm.name == name).unwrap_or(0);
        let point = |point: &FrontPoint| CostPoint {
            name: point.arm.clone(),
            hue: of(&point.arm),
            cost: point.cost,
            accuracy: point.accuracy,
            ends: share_ends(&report.arms[of(&point.arm)].accuracy.all),
            on_front: point.on_front,
        };
        let unit = match front.unit {
            CostUnit::Money => "US dollars",
            CostUnit::Tokens => "Tokens",
        };
        let said: Vec<String> = front
            .points
            .iter()
            .map(|point| {
                format!("{}: {:.1} % at {}", point.arm, point.accuracy * 100.0, quantity(point.cost))
            })
            .collect();
        costs(&front.points.iter().map(point).collect::<Vec<_>>(), unit, &said.join("; "))
    });
    let rows = report.arms.iter().map(|arm| {
        let cost = &arm.cost;
        vec![
            arm.name.clone(),
            mean(&cost.calls),
            mean(&cost.input_tokens),
            mean(&cost.cached_tokens),
            mean(&cost.output_tokens),
            mean_money(&cost.money),
            if cost.money.known > 0 { money(cost.money.sum) } else { NONE.into() },
            cost.money_per_right.map_or(NONE.into(), money),
            mean(&cost.seconds),
        ]
    });
    html! {
        section #cost { h2 { "Accuracy against cost" }
            @if let Some(plot) = plot {
                figure {
                    div .frame { (plot) }
                    figcaption { "Filled arms are on the Pareto front (dashed): nothing else is both as good and as cheap. Bars: Wilson." }
                }
            } @else { p .note { "Costs are not known for all arms, or there is no accuracy." } }
            (table(&["arm", "calls", "read", "cached", "written", "money", "in all", "a right answer", "seconds"], rows))
        }
    }
}
