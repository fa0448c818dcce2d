//! Figures that a page does not state and that follow from those which it does: a difference, a sum, a share,
//! a value within a range, a unit that is converted by a round number. None is found so, and none is held
//! against a claim.

use std::collections::BTreeMap;

use super::{
    Page,
    bounds::Bound,
    figure::{Sort, StatedFigure},
    inflection::same,
    topic::FigureContext,
    units::{Unit, UnitSpec},
};
use crate::text::sentences::sentences;

/// Figures of one sentence that are put together.
const TOGETHER_MAX: usize = 12;
/// How far a converted value may be from the one that is written.
const NEAR: f64 = 0.02;

/// Why `claimed` may follow from what `page` states, and the place of that.
pub fn follows(claimed: &StatedFigure, page: &Page) -> Option<(String, usize)> {
    let value = exact(claimed)?;
    let amounts = page.figures.iter().filter(|figure| figure.sort == Sort::Amount);
    if let Some(stated) = amounts.clone().find(|stated| is_converted(claimed, stated)) {
        return Some(("only nearly, in another unit".into(), stated.at.start));
    }
    let mut by_sentence: BTreeMap<usize, Vec<&StatedFigure>> = BTreeMap::new();
    for figure in amounts.filter(|figure| !figure.is_aside) {
        by_sentence.entry(page.sentence(figure.at.start).start).or_default().push(figure);
    }
    let step = 10_f64.powi(claimed.precision) * factor(&claimed.unit);
    let near = |other: f64| (other - value).abs() <= step * 0.5 * (1.0 + 1e-9);
    for together in by_sentence.values() {
        let together = &together[..together.len().min(TOGETHER_MAX)];
        for (i, first) in together.iter().enumerate() {
            for second in &together[i + 1..] {
                let (Some(a), Some(b)) = (exact(first), exact(second)) else { continue };
                if base(first) != base(second) {
                    continue;
                }
                let place = first.at.start;
                // Twelve of one and three of another are not fifteen of either unless the claim counts the same.
                let is_same = base(first) == base(claimed) || is_points(claimed, first);
                if is_same && (a.min(b)..=a.max(b)).contains(&value) && second.at.start - first.at.end < 8 {
                    return Some(("only as one within a range".into(), place));
                }
                if is_same && [(a - b).abs(), a + b].into_iter().any(near) {
                    return Some(("only as what follows from its other figures".into(), place));
                }
                let shares = [(a, b), (b, a)].into_iter().filter(|(_, whole)| *whole != 0.0);
                let mut shares =
                    shares.flat_map(|(part, whole)| [part / whole, (part - whole).abs() / whole]);
                if claimed.unit.is_percent() && shares.any(|share| near(share * 100.0)) {
                    return Some(("only as what follows from its other figures".into(), place));
                }
            }
        }
    }
    None
}

/// Figures of a passage that are added up, and how many of them at once.
const SUMMANDS_MAX: usize = 8;
const SUM_OF_MAX: usize = 3;
/// Figures of one page that are added to those of another.
const OF_A_PAGE_MAX: usize = 60;

/// Whether `claimed` is a sum: of figures that `passage` itself gives and that were `found` on its pages, or of one
/// from each of two pages that counts the same, in sentences that speak of what the claim does.
pub fn is_sum(passage: &str, claimed: &StatedFigure, found: &[&StatedFigure], pages: &[&Page]) -> bool {
    let Some(value) = exact(claimed).filter(|_| claimed.sort == Sort::Amount) else { return false };
    let half = 10_f64.powi(claimed.precision) * factor(&claimed.unit) * 0.5;
    // Three times as many hundreds are not a sum of hundreds: what is not said to be about is exact.
    let most = if claimed.bound == Bound::About { half } else { half.min(1e-6 * value.abs()) };
    let is = |sum: f64| (sum - value).abs() <= most;
    let own = found.iter().filter(|figure| counts_alike(claimed, figure)).take(SUMMANDS_MAX);
    let own: Vec<f64> = own.filter_map(|figure| exact(figure)).filter(|value| *value > 0.0).collect();
    if adds_up(&own, SUM_OF_MAX, 0.0, 0, &is) {
        return true;
    }
    let around = sentences(passage).into_iter().find(|range| range.contains(&claimed.at.start));
    let claim = FigureContext::of(passage, around.unwrap_or(0..passage.len()), claimed);
    let values = |page: &&Page| -> Vec<f64> {
        let all = page.figures.iter().filter(|stated| stated.sort == Sort::Amount && !stated.is_aside);
        let like = all.filter(|stated| {
            !stated.unit.is_none()
                && counts_alike(claimed, stated)
                && claim.shared(page, &page.sentence(stated.at.start)) > 0
        });
        like.take(OF_A_PAGE_MAX).filter_map(exact).filter(|value| *value > 0.0).collect()
    };
    let by_page: Vec<Vec<f64>> = pages.iter().map(values).collect();
    by_page.iter().enumerate().any(|(i, here)| {
        let there = by_page[i + 1..].iter().flatten();
        there.into_iter().any(|b| here.iter().any(|a| is(a + b)))
    })
}

/// Whether two to `most` of `values` add up, next to a `sum` of `count` of them.
fn adds_up(values: &[f64], most: usize, sum: f64, count: usize, is: &dyn Fn(f64) -> bool) -> bool {
    if count >= 2 && is(sum) {
        return true;
    }
    let rest = |i: usize| adds_up(&values[i + 1..], most, sum + values[i], count + 1, is);
    count < most && (0..values.len()).any(rest)
}

/// Whether two figures count the same: a unit that is known, or the same words, or nothing that is told.
fn counts_alike(claimed: &StatedFigure, stated: &StatedFigure) -> bool {
    if claimed.unit.known.is_some() || stated.unit.known.is_some() {
        return base(claimed) == base(stated) && claimed.unit.per == stated.unit.per;
    }
    let (own, there) = (&claimed.unit.words, &stated.unit.words);
    own.is_empty() || there.is_empty() || own.iter().any(|word| there.iter().any(|other| same(word, other)))
}

/// Points are what lies between two shares.
fn is_points(claimed: &StatedFigure, stated: &StatedFigure) -> bool {
    claimed.unit.known.is_some_and(|known| known.base == "point") && stated.unit.is_percent()
}

fn base(figure: &StatedFigure) -> Option<&'static str> {
    figure.unit.known.map(|known| known.base)
}

fn factor(unit: &Unit) -> f64 {
    unit.known.map_or(1.0, |known| known.factor as f64 * 10_f64.powi(known.power))
}

fn exact(figure: &StatedFigure) -> Option<f64> {
    Some(figure.values.first()?.approximately() * factor(&figure.unit))
}

/// Whether two figures of different units are nearly the same: miles an hour and knots, degrees of two scales.
fn is_converted(claimed: &StatedFigure, stated: &StatedFigure) -> bool {
    let measure = |figure: &StatedFigure| {
        let known = figure.unit.known?;
        let (kind, by, more) = measure(known, figure.unit.per.as_deref())?;
        Some((
            kind,
            figure.values.first()?.approximately() * 10_f64.powi(known.power) * known.factor as f64 * by
                + more,
        ))
    };
    if base(claimed) == base(stated) && claimed.unit.per == stated.unit.per {
        return false;
    }
    let (Some((kind, a)), Some((other, b))) = (measure(claimed), measure(stated)) else { return false };
    let most = if kind == "temperature" { 0.6 } else { a.abs().max(b.abs()) * NEAR };
    kind == other && (a - b).abs() <= most
}

/// What is measured, and how a base becomes one that others can be compared with.
fn measure(known: UnitSpec, per: Option<&str>) -> Option<(&'static str, f64, f64)> {
    let seconds = |per: &str| {
        let mut parts = per.split(' ');
        let (base, factor, power) = (parts.next()?, parts.next()?, parts.next()?);
        (base == "s").then_some(factor.parse::<f64>().ok()? * 10_f64.powi(power.parse().ok()?))
    };
    Some(match (known.base, per) {
        ("m", Some(per)) => ("speed", 1.0 / seconds(per)?, 0.0),
        (_, Some(_)) => return None,
        ("mph", _) => ("speed", 0.447_04, 0.0),
        ("km/h", _) => ("speed", 1.0 / 3.6, 0.0),
        ("knot", _) => ("speed", 0.514_444, 0.0),
        ("l", _) => ("volume", 1.0, 0.0),
        ("gallon", _) => ("volume", 3.785_41, 0.0),
        ("barrel", _) => ("volume", 158.987, 0.0),
        ("pint", _) => ("volume", 0.473_18, 0.0),
        ("W", _) => ("power", 1.0, 0.0),
        ("hp" | "PS", _) => ("power", 740.0, 0.0),
        ("Pa", _) => ("pressure", 1.0, 0.0),
        ("psi", _) => ("pressure", 6_894.76, 0.0),
        ("°C", _) => ("temperature", 1.0, 0.0),
        ("K", _) => ("temperature", 1.0, -273.15),
        ("°F", _) => ("temperature", 5.0 / 9.0, -160.0 / 9.0),
        (base, _) => (base, 1.0, 0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check::figures::claimed, text::PageText};

    #[test]
    fn what_can_be_worked_out_is_held_against_nobody() {
        let page = "The share fell from 31 to 27 percent. The lake holds 38 litres at 21 °C. It cost between 5 and 8 euros, \
            of 40 tonnes 10 were lost. The train runs at 112 km/h.";
        let page = Page::of(PageText { text: page.into(), ..PageText::default() });
        for claim in [
            "It fell by 4 percentage points.",
            "The lake holds 10 gallons.",
            "It has 70 degrees Fahrenheit.",
            "The train runs at 70 mph.",
            "It fell by 13 percent.",
        ] {
            assert!(follows(&claimed(claim, &[])[0], &page).is_some(), "{claim}");
        }
        for claim in [
            "It fell by 9 percentage points.",
            "The lake holds 20 gallons.",
            "It cost 90 euros.",
            "It fell by 77 percent.",
        ] {
            assert!(follows(&claimed(claim, &[])[0], &page).is_none(), "{claim}");
        }
    }
}
