//! Figures of a statement that no source of it shows. They are listed for judge and readers; nothing is said
//! about what a figure counts.

use std::ops::Range;

use agon_text::{Decimal, Figure, check_calculation, collect_different, find_figures, find_links};

/// Zeros of the numbers that languages have a word for: thousand, ten thousand, lakh, million, crore, hundred million,
/// billion and trillion.
const LARGE_NUMBERS: [u32; 8] = [3, 4, 5, 6, 7, 8, 9, 12];

/// What the figures of a statement may stand in: quotations, the motion, what others said, and calculations.
#[derive(Debug, Clone, Default)]
pub struct KnownFigures {
    values: Vec<Decimal>,
}

impl KnownFigures {
    /// Those of `texts`.
    pub fn from_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut known = Self::default();
        texts.into_iter().for_each(|text| known.add(text));
        known
    }

    /// Adds the figures of a text.
    pub fn add(&mut self, text: &str) {
        self.values.extend(find_figures(text).into_iter().flat_map(|figure| figure.values));
    }

    /// Adds what each of the calculations gives that semicolons part, or says why one does not hold. Each number that it
    /// computes with must be a known figure; numbers up to twelve, and a hundred, need not.
    pub fn add_calculations(&mut self, calculations: &str) -> Result<(), String> {
        let parts = calculations.split([';', '；', '\n']).map(str::trim);
        parts.filter(|part| !part.is_empty()).try_for_each(|part| self.add_calculation(part))
    }

    fn add_calculation(&mut self, calculation: &str) -> Result<(), String> {
        let checked = check_calculation(calculation).map_err(|fault| fault.to_string())?;
        let unknown = checked.operands.iter().find(|operand| !self.has_value(operand) && !is_count(operand));
        if let Some(operand) = unknown {
            return Err(format!("{operand} stands in no quotation of this entry or of an earlier one"));
        }
        if !checked.is_right {
            return Err(format!("it gives {}, not {}", checked.value.normalize(), checked.stated));
        }
        self.add(calculation);
        Ok(())
    }

    /// Whether a figure is known, or one that differs from it by a word for a large number, such as 6.4 (million) from
    /// 6,400,000.
    fn has_value(&self, value: &Decimal) -> bool {
        let scales = LARGE_NUMBERS.map(|zeros| Decimal::from(10_u64.pow(zeros)));
        let is_scaled = |one: &Decimal, other: &Decimal| {
            scales.iter().any(|scale| one.checked_mul(*scale).is_some_and(|scaled| scaled == *other))
        };
        self.values.iter().any(|known| known == value || is_scaled(known, value) || is_scaled(value, known))
    }

    /// The figures of `text` that are not known, as they are written, each once: without numbers up to twelve, years,
    /// addresses and the numbers of entries.
    pub fn list_unsourced<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let links: Vec<Range<usize>> = find_links(text).into_iter().map(|link| link.range).collect();
        let is_listed = |figure: &Figure<'_>| {
            !figure.is_common()
                && !figure.values.iter().any(|value| self.has_value(value))
                && !links.iter().any(|link| link.contains(&figure.range.start))
                && !names_entry(&text[..figure.range.start])
        };
        collect_different(find_figures(text).into_iter().filter(is_listed).map(|figure| figure.text))
    }
}

/// Whether a number behind `before` is that of an entry: `seq 14`, the form of the log.
fn names_entry(before: &str) -> bool {
    let before = before.trim_end();
    let start = before.len().saturating_sub("seq".len());
    before.get(start..).is_some_and(|word| word.eq_ignore_ascii_case("seq"))
}

fn is_count(value: &Decimal) -> bool {
    value.is_integer() && (*value <= Decimal::from(12) || *value == Decimal::from(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_stand_nowhere_are_listed_and_nothing_is_read() {
        let known = KnownFigures::from_texts(["Fares bring in 138 million crowns.", "Will 12.480 do?"]);
        for (text, listed) in [
            ("Fares bring in 138 million, and two of us saw it in 2019.", vec![]),
            ("It is 12,480 or 12 480, one day, at seq 14, in 3 of 9 towns.", vec![]),
            ("It is 119 million, 119, and 0.5 percent (https://a.b/4711).", vec!["119", "0.5"]),
            ("峰值需求上升了3,250兆瓦", vec!["3,250"]),
            ("١٣٨ مليون و٩١ في المئة", vec!["٩١"]),
        ] {
            assert_eq!(known.list_unsourced(text), listed, "{text}");
        }
    }

    #[test]
    fn what_is_computed_from_quoted_figures_is_known() {
        let quoted =
            || KnownFigures::from_texts(["Fares bring in 138 million crowns.", "Collection costs 19 million."]);
        let mut known = quoted();
        assert_eq!(known.add_calculation("138 - 19 = 119"), Ok(()));
        assert_eq!(known.list_unsourced("A levy must find 119 million."), Vec::<&str>::new());
        assert_eq!(quoted().add_calculation("138 ÷ 2 = 69"), Ok(()));
        assert!(quoted().add_calculation("138 - 19 = 118").unwrap_err().contains("119"));
        assert!(quoted().add_calculation("138 - 20 = 118").unwrap_err().contains("20 stands in no quotation"));
        assert!(quoted().add_calculation("138 minus 19").is_err());
        for (quotes, calculations, said) in [
            (
                "Der Zuschuss: 830.000 Euro, Energie 395.000 Euro, minus 45 Prozent",
                "830.000 - 395.000 × 45% = 652.250",
                "652.250",
            ),
            (
                "Energie 395.000 Euro, 45 Prozent in 20 Jahren",
                "395.000 * 0,45 = 177.750; 20 × 177.750 = 3.555.000",
                "3.555.000",
            ),
            ("6,4 Millionen, 20 Jahre", "6400000 ÷ 20 = 320000", "320.000"),
            ("6,4 Millionen", "6,4 * 1,2 = 7,68", "7,68"),
            ("78 Prozent", "100 - 78 = 22", "22"),
            ("3億2,000万", "320000000 ÷ 2 = 160000000", "160000000"),
        ] {
            let mut known = KnownFigures::from_texts([quotes, "0,45 und 1,2 und 3.2"]);
            assert_eq!(known.add_calculations(calculations), Ok(()), "{calculations}");
            assert_eq!(known.list_unsourced(said), Vec::<&str>::new(), "{said}");
        }
    }
}
