//! What a figure measures, and how that is written. A unit that the tables know can be converted; any
//! other word behind a number is compared as a word.

use super::inflection::same;
use super::numerals::Number;
use super::unit_names::{MONEY, PREFIXES, SIGNS, SYMBOLS, TIMES, WORDS};

/// A known unit, with its factor to the base unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitSpec {
    /// The unit that it is counted in.
    pub base: &'static str,
    /// How many of those one is: this times ten to the power of `power`.
    pub factor: i128,
    /// See `factor`.
    pub power: i32,
    /// Whether the word has no other meaning.
    pub is_sure: bool,
}

/// The unit of a figure, known or as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unit {
    /// Where a table knows it.
    pub known: Option<UnitSpec>,
    /// The words behind the number, in lower case, up to the next small word.
    pub words: Vec<String>,
    /// How many of `words` stand before the one that is known.
    pub before: usize,
    /// Per what: a word in lower case.
    pub per: Option<String>,
}

impl Unit {
    /// Whether nothing is written next to the number.
    pub fn is_none(&self) -> bool {
        self.known.is_none() && self.words.is_empty()
    }

    /// Of a unit without words.
    pub fn of(known: UnitSpec) -> Self {
        Self { known: Some(known), ..Self::default() }
    }

    /// Whether it is a share of a hundred.
    pub fn is_percent(&self) -> bool {
        self.known.is_some_and(|known| known.base == "percent")
    }
}

const fn sure(base: &'static str, factor: i128, power: i32) -> UnitSpec {
    UnitSpec { base, factor, power, is_sure: true }
}

/// Per cent.
pub const PERCENT: UnitSpec = sure("percent", 1, 0);
/// Percentage points.
pub const POINTS: UnitSpec = sure("point", 1, 0);

/// The currency whose sign or code `text` begins with, and how long that is.
pub fn sign(text: &str) -> Option<(UnitSpec, usize)> {
    let lower = text.to_lowercase();
    let found = SIGNS.iter().find(|(sign, _)| lower.starts_with(sign))?;
    // Lower case may have another length.
    let length = text.get(..found.0.len()).filter(|start| start.to_lowercase() == found.0)?.len();
    Some((money(found.1), length))
}

fn money(code: &'static str) -> UnitSpec {
    sure(code, 1, 0)
}

/// The unit that `word` names, as it is written.
pub fn named(word: &str) -> Option<UnitSpec> {
    let word = word.trim_end_matches('.');
    let lower = word.to_lowercase();
    if let Some((_, base, factor, power)) = WORDS.iter().find(|(name, ..)| *name == lower) {
        return Some(sure(base, *factor, *power));
    }
    if let Some((_, code)) = MONEY.iter().chain(SIGNS).find(|(name, _)| *name == lower) {
        return Some(money(code));
    }
    symbol(word).or_else(|| in_words(&lower))
}

/// `km`, `MWh`, `°C`: case counts, as `mW` is not `MW`.
fn symbol(word: &str) -> Option<UnitSpec> {
    let word = word.replace('μ', "µ").replace("^2", "²").replace("^3", "³");
    let plain = |word: &str| SYMBOLS.iter().find(|symbol| symbol.0 == word).copied();
    let sure_of = |word: &str| word.chars().count() > 1;
    if let Some((_, base, factor, power, _)) = plain(&word) {
        return Some(UnitSpec { base, factor, power, is_sure: sure_of(&word) });
    }
    let scaled = PREFIXES.iter().find_map(|(_, short, power)| {
        let (_, base, factor, own, takes) = plain(word.strip_prefix(short)?)?;
        takes.then_some(UnitSpec { base, factor, power: own + power, is_sure: true })
    });
    scaled.or_else(|| {
        // Letters whose case someone did not mind: only where one reading is left.
        let lower = word.to_lowercase();
        let fits = |name: String| name != word && name.to_lowercase() == lower;
        let mut all: Vec<UnitSpec> = Vec::new();
        for (name, base, factor, power, takes) in SYMBOLS.iter().filter(|symbol| symbol.0.len() > 1) {
            if fits((*name).to_owned()) {
                all.push(UnitSpec { base, factor: *factor, power: *power, is_sure: false });
            }
            for (_, short, more) in PREFIXES.iter().filter(|_| *takes) {
                if fits(format!("{short}{name}")) {
                    all.push(UnitSpec { base, factor: *factor, power: power + more, is_sure: false });
                }
            }
        }
        // Millions are meant where thousandths could be.
        all.into_iter().max_by_key(|known| known.power)
    })
}

/// `kilometres`, `Megawattstunden`, `months`.
fn in_words(lower: &str) -> Option<UnitSpec> {
    let plain = |word: &str| {
        // Short words have too many neighbours for their forms to be guessed: `tag`, `tags`.
        let is = |name: &str| match name.chars().count() {
            ..4 => name == word,
            4 => name == word || word.strip_suffix('s') == Some(name),
            _ => same(name, word),
        };
        WORDS.iter().chain(TIMES).find(|(name, ..)| is(name)).copied()
    };
    if let Some((_, base, factor, power)) = plain(lower) {
        return Some(sure(base, factor, power));
    }
    PREFIXES.iter().find_map(|(long, _, power)| {
        let (_, base, factor, own) = plain(lower.strip_prefix(long)?.trim_start_matches('-'))?;
        Some(sure(base, factor, own + power))
    })
}

/// The long prefix that `word` begins with, as a power of ten, and what is left of it: an unknown unit of
/// a thousand is a thousand of an unknown unit.
pub fn prefixed(word: &str) -> Option<(i32, &str)> {
    let found = PREFIXES.iter().find_map(|(long, _, power)| Some((*power, word.strip_prefix(long)?)))?;
    (found.1.chars().count() >= 3).then_some(found)
}

/// One word for what is counted per: `year`, `annum` and `Jahr` are one.
pub fn per(word: &str) -> String {
    const HEADS: [&str; 12] = [
        "capita",
        "head",
        "person",
        "people",
        "inhabitant",
        "resident",
        "kopf",
        "einwohner",
        "habitant",
        "habitante",
        "abitante",
        "invånare",
    ];
    const MONTHS_AND_YEARS: [(&str, &str); 4] =
        [("annum", "year"), ("annually", "year"), ("yearly", "year"), ("monthly", "month")];
    if HEADS.iter().any(|head| same(head, word)) {
        return "head".into();
    }
    if let Some((_, one)) = MONTHS_AND_YEARS.iter().find(|(name, _)| *name == word) {
        return (*one).into();
    }
    if word == "an" || word == "a" {
        return "year".into();
    }
    match named(word) {
        Some(known) => format!("{} {} {}", known.base, known.factor, known.power),
        None => word.to_owned(),
    }
}

/// `value` in the base of `unit`; `None` beyond what can be counted.
pub fn in_base(value: Number, unit: &Unit) -> Option<Number> {
    match unit.known {
        Some(known) => value.times(known.factor)?.scaled(known.power),
        None => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_by_any_of_their_names() {
        for (word, wanted) in [
            ("%", Some(("percent", 1, 0))),
            ("kilometres", Some(("m", 1, 3))),
            ("euros", Some(("EUR", 1, 0))),
            ("MW", Some(("W", 1, 6))),
            ("mW", Some(("W", 1, -3))),
            ("GWh", Some(("J", 36, 11))),
            ("gigawatt-hours", Some(("J", 36, 11))),
            ("Megawattstunden", Some(("J", 36, 8))),
            ("months", Some(("s", 26_298, 2))),
            ("Wochen", Some(("s", 6_048, 2))),
            ("kHz", Some(("Hz", 1, 3))),
            ("KWH", Some(("J", 36, 5))),
            ("µg", Some(("g", 1, -6))),
            ("millibecquerels", Some(("Bq", 1, -3))),
            ("TB", Some(("B", 1, 12))),
            ("ships", None),
            ("furlongs", None),
        ] {
            let known = named(word).map(|known| (known.base, known.factor, known.power));
            assert_eq!(known, wanted, "{word}");
        }
        assert_eq!(prefixed("kilocuries"), Some((3, "curies")));
        assert_eq!(per("annum"), per("annually"));
        assert_ne!(per("month"), per("week"));
    }
}
