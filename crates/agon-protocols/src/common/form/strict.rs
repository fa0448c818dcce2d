//! The bounds that a reader enforces, and what a fault says of a value beyond them.

use agon_core::Faults;
use serde_json::Number;

use super::{Kind, choice_letters, to_json_number};
use crate::common::fields::one_line;

/// The smallest and the largest number.
type Bounds = (Option<f64>, Option<f64>);

/// What is read: its name, its path in the answer, and the rule that its faults name.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub name: &'p str,
    pub at: &'p str,
    pub rule: &'p str,
}

impl Place<'_> {
    fn add_fault(self, message: impl Into<String>, faults: &mut Faults) {
        faults.add(self.rule, self.at, message);
    }

    pub fn check_length(self, most: Option<u32>, text: &str, faults: &mut Faults) {
        let chars = text.chars().count();
        if let Some(most) = most.filter(|most| chars > *most as usize) {
            self.add_fault(format!("it has {chars} characters; say it in at most {most}"), faults);
        }
    }

    /// A number within its bounds.
    pub fn parse_number(
        self,
        number: Option<f64>,
        is_whole: bool,
        (min, max): Bounds,
        faults: &mut Faults,
    ) -> Option<Number> {
        let name = self.name;
        let Some(number) = number.filter(|number| number.is_finite()) else {
            self.add_fault(format!("{name} must be a number, without words or units"), faults);
            return None;
        };
        if is_whole && number.fract() != 0.0 {
            self.add_fault(format!("{name} must be a whole number"), faults);
        }
        if !(min.unwrap_or(f64::MIN)..=max.unwrap_or(f64::MAX)).contains(&number) {
            // As JSON writes them, since records hold the fault.
            let [min, max] = [min, max].map(|bound| bound.and_then(to_json_number));
            let wanted = match (min, max) {
                (Some(min), Some(max)) => format!("{min} to {max}"),
                (Some(min), None) => format!("{min} or more"),
                (_, max) => format!("{} or less", max.map_or_else(|| f64::MAX.to_string(), |max| max.to_string())),
            };
            self.add_fault(format!("{name} must be {wanted}"), faults);
        }
        to_json_number(number)
    }

    /// The number of one of `things`.
    pub fn parse_pick(self, number: Option<f64>, things: usize, faults: &mut Faults) -> Option<usize> {
        let whole = number.filter(|number| number.fract() == 0.0);
        let picked = whole.filter(|number| (1.0..=things as f64).contains(number)).map(|number| number as usize);
        if picked.is_none() {
            self.add_fault(format!("{} must be a number of the list, 1 to {things}", self.name), faults);
        }
        picked
    }

    /// The letter of one of `choices`: alone, in brackets, or before the words of the choice, as in `B) Paris`.
    pub fn parse_letter(self, text: Option<&str>, choices: usize, faults: &mut Faults) -> Option<String> {
        let said = text.unwrap_or_default().trim();
        let said = said.trim_start_matches(['(', '[', '"', '\'', '*', '`']);
        let mut rest = said.chars();
        let first = rest.next().map(|letter| letter.to_ascii_uppercase().to_string()).unwrap_or_default();
        let ends = rest.next().is_none_or(|next| !next.is_alphanumeric() && !next.is_whitespace());
        let letter = choice_letters(choices).find(|letter| ends && *letter == first);
        if letter.is_none() {
            let all = choice_letters(choices).collect::<Vec<_>>().join(", ");
            self.add_fault(format!("{} must be one of the letters {all}, and nothing else", self.name), faults);
        }
        letter
    }

    /// As many items as are wanted.
    pub fn check_count(self, count: usize, kind: &Kind, (least, most): (usize, usize), faults: &mut Faults) {
        let most = kind.limit_count(most);
        let least = least.min(most);
        if !(least..=most).contains(&count) {
            let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
            self.add_fault(format!("{wanted} entries are wanted, found {count}"), faults);
        }
    }

    /// The texts of a list.
    pub fn parse_texts<'t>(
        self,
        list: impl Iterator<Item = Option<&'t str>>,
        most: Option<u32>,
        faults: &mut Faults,
    ) -> Vec<String> {
        let texts = list.enumerate().map(|(i, item)| {
            let place = Place { at: &format!("{}[{i}]", self.at), ..self };
            let text = item.map(one_line).unwrap_or_default();
            if !text.chars().any(char::is_alphanumeric) {
                place.add_fault("a text is wanted here", faults);
            }
            place.check_length(most, &text, faults);
            text
        });
        texts.collect()
    }

    /// The numbers of different things.
    pub fn parse_picks(
        self,
        list: impl Iterator<Item = Option<f64>>,
        things: usize,
        faults: &mut Faults,
    ) -> Vec<Option<usize>> {
        let mut numbers = Vec::new();
        for (i, item) in list.enumerate() {
            let place = Place { at: &format!("{}[{i}]", self.at), ..self };
            let number = place.parse_pick(item, things, faults);
            if numbers.contains(&number) {
                place.add_fault(
                    format!(
                        "{} is there twice; pick different ones",
                        number.map_or("null".into(), |number| number.to_string())
                    ),
                    faults,
                );
            }
            numbers.push(number);
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_read_within_marks_and_before_its_words() {
        for (said, wanted) in [
            ("b", Some("B")),
            ("**B**", Some("B")),
            ("`B`", Some("B")),
            ("(B) Париж", Some("B")),
            ("Berlin", None),
            ("B or A", None),
            ("**", None),
        ] {
            let mut faults = Faults::default();
            let place = Place { name: "choice", at: "choice", rule: "rule" };
            let read = place.parse_letter(Some(said), 2, &mut faults);
            assert_eq!((read.as_deref(), faults.0.is_empty()), (wanted, wanted.is_some()), "{said}");
        }
    }
}
