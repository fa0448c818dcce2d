//! Figures of a statement that no source of it shows. They are listed for judge and readers; nothing is said
//! about what a figure counts.

use std::ops::Range;

use agon_text::{Decimal, Figure, check_calculation, find_figures, find_links};

/// What the figures of a statement may stand in: quotations, the motion, what others said, and calculations.
#[derive(Debug, Clone, Default)]
pub struct KnownFigures {
    values: Vec<Decimal>,
}

impl KnownFigures {
    /// Those of `texts`.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut known = Self::default();
        texts.into_iter().for_each(|text| known.add(text));
        known
    }

    /// Adds the figures of a text.
    pub fn add(&mut self, text: &str) {
        self.values.extend(find_figures(text).into_iter().flat_map(|figure| figure.values));
    }

    /// Adds what `calculation` gives, or says why it does not hold. Each number that it computes with must be a known
    /// figure; numbers up to twelve need not.
    pub fn add_calculation(&mut self, calculation: &str) -> Result<(), String> {
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

    fn has_value(&self, value: &Decimal) -> bool {
        self.values.iter().any(|known| known == value)
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
        let mut listed: Vec<&str> = Vec::new();
        for figure in find_figures(text).into_iter().filter(is_listed) {
            if !listed.contains(&figure.text) {
                listed.push(figure.text);
            }
        }
        listed
    }
}

/// Whether a number behind `before` is that of an entry: `seq 14`, the form of the log.
fn names_entry(before: &str) -> bool {
    let before = before.trim_end();
    let start = before.len().saturating_sub("seq".len());
    before.get(start..).is_some_and(|word| word.eq_ignore_ascii_case("seq"))
}

fn is_count(value: &Decimal) -> bool {
    value.is_integer() && *value <= Decimal::from(12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_stand_nowhere_are_listed_and_nothing_is_read() {
        let known = KnownFigures::of(["Fares bring in 138 million crowns.", "Will 12.480 do?"]);
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
        let quoted = || KnownFigures::of(["Fares bring in 138 million crowns.", "Collection costs 19 million."]);
        let mut known = quoted();
        assert_eq!(known.add_calculation("138 - 19 = 119"), Ok(()));
        assert_eq!(known.list_unsourced("A levy must find 119 million."), Vec::<&str>::new());
        assert_eq!(quoted().add_calculation("138 ÷ 2 = 69"), Ok(()));
        assert!(quoted().add_calculation("138 - 19 = 118").unwrap_err().contains("119"));
        assert!(quoted().add_calculation("138 - 20 = 118").unwrap_err().contains("20 stands in no quotation"));
        assert!(quoted().add_calculation("138 minus 19").is_err());
    }
}
