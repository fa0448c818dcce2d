//! What a figure can measure, and how that is written.

use serde::{Deserialize, Serialize};

/// What a figure measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Nothing that is written beside it.
    None,
    /// Per cent.
    Percent,
    /// Money: the currency's code.
    Money(&'static str),
    /// A quantity: its base unit; the value is in it.
    Quantity(&'static str),
}

/// Units with their base unit and the power of ten between them.
const QUANTITIES: [(&str, &str, i32); 58] = [
    ("mg", "g", -3),
    ("milligrams", "g", -3),
    ("g", "g", 0),
    ("gram", "g", 0),
    ("grams", "g", 0),
    ("kg", "g", 3),
    ("kilogram", "g", 3),
    ("kilograms", "g", 3),
    ("kilos", "g", 3),
    ("t", "g", 6),
    ("tonne", "g", 6),
    ("tonnes", "g", 6),
    ("mm", "m", -3),
    ("millimetres", "m", -3),
    ("millimeters", "m", -3),
    ("cm", "m", -2),
    ("centimetres", "m", -2),
    ("centimeters", "m", -2),
    ("metre", "m", 0),
    ("metres", "m", 0),
    ("meter", "m", 0),
    ("meters", "m", 0),
    ("km", "m", 3),
    ("kilometre", "m", 3),
    ("kilometres", "m", 3),
    ("kilometer", "m", 3),
    ("kilometers", "m", 3),
    ("mile", "mile", 0),
    ("miles", "mile", 0),
    ("feet", "foot", 0),
    ("ft", "foot", 0),
    ("foot", "foot", 0),
    ("ml", "l", -3),
    ("litre", "l", 0),
    ("litres", "l", 0),
    ("liter", "l", 0),
    ("liters", "l", 0),
    ("w", "W", 0),
    ("kw", "W", 3),
    ("mw", "W", 6),
    ("gw", "W", 9),
    ("megawatts", "W", 6),
    ("gigawatts", "W", 9),
    ("kwh", "Wh", 3),
    ("mwh", "Wh", 6),
    ("gwh", "Wh", 9),
    ("twh", "Wh", 12),
    ("hectares", "ha", 0),
    ("ha", "ha", 0),
    ("acres", "acre", 0),
    ("pounds", "lb", 0),
    ("lb", "lb", 0),
    ("lbs", "lb", 0),
    ("ppm", "ppm", 0),
    ("°c", "°C", 0),
    ("celsius", "°C", 0),
    ("°f", "°F", 0),
    ("fahrenheit", "°F", 0),
];
/// Signs and codes that stand before an amount of money.
pub(super) const SIGNS: [(&str, &str); 10] = [
    ("us$", "USD"),
    ("a$", "AUD"),
    ("$", "USD"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("¥", "JPY"),
    ("usd", "USD"),
    ("eur", "EUR"),
    ("gbp", "GBP"),
    ("chf", "CHF"),
];
/// Words behind one.
const MONEY: [(&str, &str); 10] = [
    ("dollars", "USD"),
    ("dollar", "USD"),
    ("euros", "EUR"),
    ("euro", "EUR"),
    ("usd", "USD"),
    ("eur", "EUR"),
    ("gbp", "GBP"),
    ("yen", "JPY"),
    ("chf", "CHF"),
    ("francs", "CHF"),
];
/// The unit that `word` names, in lower case, and the power of ten to its base unit.
pub(super) fn symbol(word: &str) -> Option<(Unit, i32)> {
    if ["%", "percent", "pct", "pp"].contains(&word) {
        return Some((Unit::Percent, 0));
    }
    if let Some((_, code)) = MONEY.iter().chain(&SIGNS).find(|(name, _)| *name == word) {
        return Some((Unit::Money(code), 0));
    }
    QUANTITIES.iter().find(|(name, ..)| *name == word).map(|(_, base, power)| (Unit::Quantity(base), *power))
}

/// `unit` with what was found behind it; `None` where they contradict each other.
pub(super) fn merged(unit: Unit, found: (Unit, i32), power: i32) -> Option<(Unit, i32)> {
    let unit = if unit == Unit::None || unit == found.0 { found.0 } else { return None };
    Some((unit, power + found.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_by_any_of_their_names() {
        for (word, wanted) in [
            ("%", Some((Unit::Percent, 0))),
            ("kilometres", Some((Unit::Quantity("m"), 3))),
            ("euros", Some((Unit::Money("EUR"), 0))),
            ("ships", None),
        ] {
            assert_eq!(symbol(word), wanted, "{word}");
        }
        assert_eq!(merged(Unit::Percent, (Unit::Money("EUR"), 0), 0), None);
    }
}
