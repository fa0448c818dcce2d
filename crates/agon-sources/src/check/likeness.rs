//! Whether two figures are the same: value, unit and precision.

use super::{
    Page,
    bounds::Bound,
    figure::{Sort, StatedFigure},
    inflection::same,
    numerals::Number,
    units::{self, Unit, in_base, prefixed},
};
use crate::text::sentences::all_words;

/// How like two figures are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// The same value of the same thing.
    Equal,
    /// It may be the same, or the number is there with another unit.
    Perhaps,
    /// Another value.
    Other,
}

/// Compares a figure of a claim, whose sentence is `said`, with one that `page` states; with the reason where
/// they are only perhaps the same.
pub fn compare(
    claimed: &StatedFigure,
    said: &str,
    stated: &StatedFigure,
    page: &Page,
) -> (Likeness, Option<String>) {
    use Likeness::{Equal, Other, Perhaps};
    match (claimed.sort, stated.sort) {
        (Sort::Date(year, month, day), Sort::Date(y, m, d)) => {
            let same = |a: i32, b: i32| a == 0 || b == 0 || a == b;
            let all = same(year, y) && month == m && same(day.into(), d.into());
            let exact = (year, day) == (y, d) || (year == 0 && day == d) || (day == 0 && year == y);
            return match (all, exact) {
                (true, true) => (Equal, None),
                (true, false) => (Perhaps, Some("one of the two dates says more".into())),
                _ => (Other, None),
            };
        }
        (Sort::Year, Sort::Date(y, ..)) => {
            let year = claimed.values.first().and_then(|value| value.whole());
            return if year == Some(y.into()) { (Equal, None) } else { (Other, None) };
        }
        (Sort::Date(..), _) | (_, Sort::Date(..)) => return (Other, None),
        (Sort::Year, Sort::Year) if claimed.unit.is_none() || stated.unit.is_none() => {
            return if claimed.values.first() == stated.values.first() {
                (Equal, None)
            } else {
                (Other, None)
            };
        }
        _ => {}
    }
    let (likeness, doubt) = amounts(claimed, said, stated, page);
    match likeness {
        Equal if stated.is_aside => (Perhaps, Some("the page may mean something else by it".into())),
        Equal
            if (claimed.sort == Sort::Year) != (stated.sort == Sort::Year)
                && (claimed.unit.is_none() || stated.unit.is_none()) =>
        {
            (Perhaps, Some("one of the two may be a year".into()))
        }
        Equal if !same_bound(claimed, stated) => {
            (Perhaps, Some("one says more than, less than or about, and the other does not".into()))
        }
        _ => (likeness, doubt),
    }
}

/// Whether two figures are said in the same way: exact, about, more, less.
fn same_bound(claimed: &StatedFigure, stated: &StatedFigure) -> bool {
    use Bound::{About, Exact};
    claimed.bound == stated.bound || matches!((claimed.bound, stated.bound), (Exact, About) | (About, Exact))
}

fn amounts(
    claimed: &StatedFigure,
    said: &str,
    stated: &StatedFigure,
    page: &Page,
) -> (Likeness, Option<String>) {
    use Likeness::{Equal, Other, Perhaps};
    let (Some(value), Some(other)) = (claimed.values.first().copied(), stated.values.first().copied()) else {
        return (Other, None);
    };
    // The same signs are the same number, however they are meant to be read.
    let written = !claimed.written.is_empty()
        && claimed.written == stated.written
        && claimed.values.iter().all(|value| stated.values.contains(value));
    let is_same_number = value == other || written;
    let otherwise = claimed.values.iter().any(|value| stated.values.contains(value));
    let relation = relation(claimed, said, stated, page);
    let unit_differs = |what: &str| (Perhaps, Some(what.to_owned()));
    match relation {
        UnitRelation::Same if is_same_number => (Equal, None),
        UnitRelation::Same | UnitRelation::Converted => {
            let factor =
                |unit: &Unit| unit.known.map_or(1.0, |known| known.factor as f64 * 10_f64.powi(known.power));
            let exact = |value: Number, unit: &Unit| in_base(value, unit);
            if exact(value, &claimed.unit).is_some_and(|value| exact(other, &stated.unit) == Some(value)) {
                return (Equal, None);
            }
            let rounded = rounded(claimed, value, factor(&claimed.unit), stated, other, factor(&stated.unit));
            match rounded {
                Some(likeness) => (likeness, Some("one of the two is rounded".into())),
                // "40 years" next to "40 months": a wrong unit is a wrong figure.
                None if relation == UnitRelation::Converted && is_same_number && is_sure(claimed, stated) => {
                    (Other, None)
                }
                None if is_same_number => unit_differs("in another unit"),
                None if otherwise => (Perhaps, Some("only if its separators are read otherwise".into())),
                None => (Other, None),
            }
        }
        UnitRelation::Prefixed(power) => {
            let scaled = value.scaled(power);
            if scaled == Some(other) {
                (Equal, None)
            } else if is_same_number {
                unit_differs("in another unit")
            } else {
                (Other, None)
            }
        }
        UnitRelation::Silent if is_same_number || otherwise => unit_differs("one of the two names no unit"),
        UnitRelation::Silent => match rounded(claimed, value, 1.0, stated, other, 1.0) {
            Some(_) => unit_differs("one of the two names no unit"),
            None => (Other, None),
        },
        UnitRelation::Rate if is_same_number || otherwise => unit_differs("per something else"),
        UnitRelation::Differs if is_same_number && is_sure(claimed, stated) => (Other, None),
        UnitRelation::Differs if is_same_number || otherwise => unit_differs("of something else"),
        _ => (Other, None),
    }
}

/// Whether both units are known, and the name of neither may mean the other.
fn is_sure(claimed: &StatedFigure, stated: &StatedFigure) -> bool {
    const ALIKE: [&[&str]; 5] = [
        &["USD", "AUD", "CAD", "NZD", "HKD", "PESO"],
        &["KR", "SEK", "NOK", "DKK", "CZK"],
        &["YEN", "CNY"],
        &["GBP", "g"],
        &["degree", "°C", "°F", "K"],
    ];
    let (Some(a), Some(b)) = (claimed.unit.known, stated.unit.known) else { return false };
    let may_be_one =
        a.base != b.base && ALIKE.iter().any(|group| group.contains(&a.base) && group.contains(&b.base));
    a.is_sure && b.is_sure && !may_be_one
}

/// What is said to be rounded is equal to what it is rounded from; the other way round perhaps. Bounds that
/// hold are perhaps meant.
fn rounded(
    claimed: &StatedFigure,
    value: Number,
    by: f64,
    stated: &StatedFigure,
    other: Number,
    stated_by: f64,
) -> Option<Likeness> {
    let (value, other) = (value.approximately() * by, other.approximately() * stated_by);
    let step = |figure: &StatedFigure, by: f64| 10_f64.powi(figure.precision) * by;
    let (own, there) = (step(claimed, by), step(stated, stated_by));
    let near = |step: f64| (value - other).abs() <= step / 2.0 * (1.0 + 1e-9);
    if claimed.bound == Bound::About && near(own) {
        return Some(Likeness::Equal);
    }
    let holds = match claimed.bound {
        Bound::Above => other > value,
        Bound::Below => other < value,
        _ => false,
    };
    let is_rougher = own > there && near(own) || by != stated_by && near(own.max(there));
    let was_rounded = stated.bound == Bound::About && there > own && near(there);
    (holds || is_rougher || was_rounded).then_some(Likeness::Perhaps)
}

/// How the units of two figures are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnitRelation {
    Same,
    /// The same base.
    Converted,
    /// Unknown words, one of which has a prefix more: the claim's value times ten to this power.
    Prefixed(i32),
    /// One of them names none.
    Silent,
    /// Per something else.
    Rate,
    Differs,
}

fn relation(claimed: &StatedFigure, said: &str, stated: &StatedFigure, page: &Page) -> UnitRelation {
    let (own, there) = (&claimed.unit, &stated.unit);
    let sentence = page.sentence(stated.at.start);
    let sentence = page.said.text.get(sentence).unwrap_or_default();
    if !same_rate(own, said, there, sentence) {
        return UnitRelation::Rate;
    }
    match (own.known, there.known) {
        (Some(a), Some(b)) => {
            let is_same = (a.base, a.factor, a.power) == (b.base, b.factor, b.power);
            // "Canadian dollars" and "light years": what stands between changes the unit.
            let between = own.words[..own.before.min(own.words.len())]
                .iter()
                .all(|word| HARMLESS.contains(&word.as_str()) || stands(word, sentence))
                && there.words[..there.before.min(there.words.len())]
                    .iter()
                    .all(|word| HARMLESS.contains(&word.as_str()) || stands(word, said));
            match a.base == b.base {
                true if !between => UnitRelation::Differs,
                true if is_same => UnitRelation::Same,
                true => UnitRelation::Converted,
                false => UnitRelation::Differs,
            }
        }
        (Some(a), None) => {
            // A heading or the sentence may name the unit: "emissions (tonnes): 12".
            let named = page.clause_words(stated).iter().any(|word| {
                units::named(word).is_some_and(|b| (a.base, a.factor, a.power) == (b.base, b.factor, b.power))
            });
            match (there.words.is_empty(), named) {
                (true, true) => UnitRelation::Same,
                (true, false) => UnitRelation::Silent,
                (false, _) => UnitRelation::Differs,
            }
        }
        (None, Some(_)) if own.words.is_empty() => {
            // "The share (in percent) was 12".
            let named = all_words(said).iter().any(|word| {
                units::named(word).is_some_and(|a| {
                    there.known.is_some_and(|b| (a.base, a.factor, a.power) == (b.base, b.factor, b.power))
                })
            });
            if named { UnitRelation::Same } else { UnitRelation::Silent }
        }
        (None, Some(_)) => UnitRelation::Differs,
        (None, None) if own.words.is_empty() => UnitRelation::Same,
        (None, None) if there.words.is_empty() => {
            let words = page.clause_words(stated);
            let any =
                own.words.iter().any(|word| words.iter().any(|other| same(word, &other.to_lowercase())));
            if any { UnitRelation::Same } else { UnitRelation::Silent }
        }
        (None, None) => unknown(own, there, sentence),
    }
}

/// Words before a unit that leave it what it is.
const HARMLESS: [&str; 16] = [
    "long",
    "full",
    "whole",
    "consecutive",
    "more",
    "additional",
    "extra",
    "further",
    "entire",
    "new",
    "us",
    "american",
    "calendar",
    "straight",
    "successive",
    "total",
];

fn stands(word: &str, sentence: &str) -> bool {
    all_words(sentence).iter().any(|other| same(word, &other.to_lowercase()))
}

/// Two units that no table knows: the same word, after words that the page's sentence has as well.
fn unknown(own: &Unit, there: &Unit, sentence: &str) -> UnitRelation {
    for (i, word) in own.words.iter().enumerate() {
        if there.words.iter().any(|other| same(word, other)) {
            let known =
                own.words[..i].iter().all(|word| HARMLESS.contains(&word.as_str()) || stands(word, sentence));
            return if known { UnitRelation::Same } else { UnitRelation::Differs };
        }
        for other in &there.words {
            let power = match (prefixed(word), prefixed(other)) {
                (Some((a, x)), Some((b, y))) if same(x, y) => a - b,
                (Some((a, x)), None) if same(x, other) => a,
                (None, Some((b, y))) if same(word, y) => -b,
                _ => continue,
            };
            return UnitRelation::Prefixed(power);
        }
    }
    UnitRelation::Differs
}

/// Whether both are per the same, or the sentence of the one that does not say so names it all the same.
fn same_rate(own: &Unit, said: &str, there: &Unit, sentence: &str) -> bool {
    let names =
        |per: &str, text: &str| all_words(text).iter().any(|word| units::per(&word.to_lowercase()) == *per);
    match (&own.per, &there.per) {
        (None, None) => true,
        (Some(a), Some(b)) => a == b || same(a, b),
        (Some(per), None) => names(per, sentence),
        (None, Some(per)) => names(per, said),
    }
}
