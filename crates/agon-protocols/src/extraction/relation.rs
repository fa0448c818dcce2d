//! The answer of an extractor, and the result of comparing two of its answers.

use crate::common::form::{Form, Kind, choice_kind, form_field, list_kind, text_kind};
use agon_core::{Faults, form::FormField};
use agon_text::{FoldedText, count_words, find_quote};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::IntoStaticStr;

use crate::common::{
    fields::{ObjectReader, read_object},
    request_values::parse_word,
};

/// Relations that one answer may name; few statements answer more.
const RELATIONS_MAX: usize = 3;
/// Fewer words show nothing in particular.
pub const QUOTE_WORDS_MIN: usize = 4;
/// Longest quotation, in characters.
const QUOTE_CHARS_MAX: usize = 400;

/// The relation of a statement to an earlier one, as a model read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ExtractedRelation {
    /// Speaks against it.
    Attack,
    /// Speaks for it.
    Support,
    /// Grants it.
    Concession,
}

impl ExtractedRelation {
    /// All.
    pub const ALL: [Self; 3] = [Self::Attack, Self::Support, Self::Concession];

    /// As answers name it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Its definition, for the model that is asked.
    pub fn definition(self) -> &'static str {
        match self {
            Self::Attack => "it argues against what an earlier statement says, or denies it.",
            Self::Support => "it argues for what an earlier statement says, or gives one more reason for it.",
            Self::Concession => "it grants in so many words that another speaker is right about something.",
        }
    }
}

/// One thing that an answer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    /// The earlier statement: its place among all.
    pub to: usize,
    /// What is done to it.
    pub relation: ExtractedRelation,
    /// The words that do it.
    pub quote: String,
}

/// How many relations an answer may name where `listed` earlier statements are listed: half of them at most.
/// A reader that names whatever stands first then never agrees with itself.
pub fn max_relations(listed: usize) -> usize {
    (listed / 2).clamp(1, RELATIONS_MAX)
}

/// What is asked for, where `listed` earlier statements are listed; `turned`, with everything that
/// has an order in the other one.
pub fn relations_schema(listed: usize, turned: bool) -> FormField {
    let mut names = ExtractedRelation::ALL.map(ExtractedRelation::name);
    if turned {
        names.reverse();
    }
    let quote = form_field("quote", text_kind(10, QUOTE_CHARS_MAX as u32));
    let item = Form::new(
        "relations",
        [quote, form_field("relation", choice_kind(names)), form_field("to", Kind::Pick(listed))],
    );
    let items = list_kind(0, max_relations(listed), Kind::Object(item));
    Form::new("relations", [form_field("relations", items)]).to_schema()
}

/// What an answer says of the statements `listed` next to it.
pub fn parse_relations(text: &str, listed: &[usize]) -> Result<Vec<Related>, Faults> {
    const RULE: &str = "relations";
    read_object(text, |fields, faults| {
        if fields.get(RULE).is_none() {
            faults.add(RULE, RULE, "relations must be a list; an empty one where there is nothing to name");
        }
        let (mut said, items) = (Vec::new(), fields.read_list(RULE, RULE, faults));
        if items.len() > max_relations(listed.len()) {
            faults.add(RULE, RULE, format!("at most {} relations are taken", max_relations(listed.len())));
        }
        for (i, item) in items.iter().enumerate() {
            let Some(item) = ObjectReader::from_value(item, format!("{RULE}[{i}]"), faults) else { continue };
            let quote = item.read_text("quote", RULE, faults);
            let name = item.read_choice("relation", &ExtractedRelation::ALL.map(ExtractedRelation::name), RULE, faults);
            let number = item.get("to").and_then(Value::as_u64).and_then(|to| usize::try_from(to).ok());
            let Some(to) = number.and_then(|number| listed.get(number.checked_sub(1)?)) else {
                let message = format!("the earlier statements have the numbers 1 to {}", listed.len());
                faults.add(RULE, item.field_path("to"), message);
                continue;
            };
            said.extend(parse_word(&name).map(|relation| Related { to: *to, relation, quote }));
        }
        said
    })
}

/// The result of comparing two answers about one statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agreed {
    /// Said by both, with words that stand there; in the order of the statements spoken of.
    pub kept: Vec<Related>,
    /// Earlier statements of which they say different things, or one of them nothing.
    pub contested: usize,
    /// Of which they say the same, and quote what does not stand there.
    pub unfounded: usize,
}

/// What `answers` about the statement `text` agree on.
pub fn find_agreement(answers: [&[Related]; 2], text: &str) -> Agreed {
    let mut agreed = Agreed::default();
    let mut spoken_of: Vec<usize> = answers.iter().copied().flatten().map(|related| related.to).collect();
    spoken_of.sort_unstable();
    spoken_of.dedup();
    for to in spoken_of {
        let of = |answer: &'_ [Related]| answer.iter().filter(|related| related.to == to).cloned().collect();
        let said: [Vec<Related>; 2] = answers.map(of);
        // A reading that says two things of one statement says neither.
        let ([one], [other]) = (said[0].as_slice(), said[1].as_slice()) else {
            agreed.contested += 1;
            continue;
        };
        if one.relation != other.relation {
            agreed.contested += 1;
        } else if [one, other].into_iter().all(|related| is_sufficient_quote(&related.quote, text)) {
            agreed.kept.push(one.clone());
        } else {
            agreed.unfounded += 1;
        }
    }
    agreed
}

/// Whether `quote` shows something of the statement `text`: its words stand there, and are enough.
pub fn is_sufficient_quote(quote: &str, text: &str) -> bool {
    count_words(quote) >= QUOTE_WORDS_MIN.min(count_words(text))
        && find_quote(&FoldedText::new(text), quote).verbatim_ranges().is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str = "It is not cheap: the workshop costs “more than the school” has. Still, it is kind.";

    fn related(to: usize, relation: ExtractedRelation, quote: &str) -> Related {
        Related { to, relation, quote: quote.to_owned() }
    }

    #[test]
    fn what_both_say_with_words_that_stand_there_is_kept() {
        use ExtractedRelation::*;
        let quote = "costs more than the school has";
        let one = [related(0, Attack, quote), related(2, Support, quote)];
        for (other, kept, contested, unfounded) in [
            (vec![related(0, Attack, "The workshop costs \"more than")], vec![0], 1, 0),
            (vec![related(0, Support, quote), related(2, Support, quote)], vec![2], 1, 0),
            (vec![related(0, Attack, "costs less than the school has")], vec![], 1, 1),
            (vec![related(0, Attack, "it is")], vec![], 1, 1),
            (vec![related(0, Attack, quote), related(0, Support, quote)], vec![], 2, 0),
            (vec![], vec![], 2, 0),
        ] {
            let found = find_agreement([&one, &other], TEXT);
            let places: Vec<usize> = found.kept.iter().map(|related| related.to).collect();
            assert_eq!((places, found.contested, found.unfounded), (kept, contested, unfounded), "{other:?}");
            // Nor does it matter which of the two comes first.
            let turned = find_agreement([&other, &one], TEXT);
            assert_eq!(turned.kept.len(), found.kept.len());
        }
    }

    /// What models that cannot tell do: they name the first, the second and the third.
    #[test]
    fn whoever_names_what_stands_first_agrees_with_itself_on_nothing() {
        let quote = "costs more than the school has";
        for count in 2..=20_usize {
            let forth: Vec<usize> = (0..count).collect();
            let back: Vec<usize> = forth.iter().rev().copied().collect();
            let first = |listed: &[usize]| -> Vec<Related> {
                let named = listed[..max_relations(count)].iter();
                named.map(|to| related(*to, ExtractedRelation::Attack, quote)).collect()
            };
            let found = find_agreement([&first(&forth), &first(&back)], TEXT);
            assert_eq!(found.kept, [], "{count}");
        }
    }

    #[test]
    fn words_stand_there_whole() {
        for (quote, wanted) in [
            ("the workshop costs", false),
            ("workshop costs more than the", true),
            ("orkshop costs more than the", false),
            ("not cheap, the workshop costs MORE", true),
            ("", false),
        ] {
            assert_eq!(is_sufficient_quote(quote, TEXT), wanted, "{quote}");
        }
        assert!(is_sufficient_quote("yes indeed", "Yes, indeed."), "a short statement is quoted whole");
    }

    #[test]
    fn an_answer_names_what_was_listed() {
        let answer = |to: u32, relation: &str| {
            json!({"relations": [{"quote": "it is not cheap", "relation": relation, "to": to}]}).to_string()
        };
        let read = |text: String| parse_relations(&text, &[7, 3]);
        assert_eq!(read(answer(2, "attack")).unwrap(), [related(3, ExtractedRelation::Attack, "it is not cheap")]);
        assert_eq!(read(json!({"relations": []}).to_string()).unwrap(), []);
        let twice = json!({"relations": [
            {"quote": "it is not cheap", "relation": "attack", "to": 1},
            {"quote": "it is not cheap", "relation": "attack", "to": 2},
        ]});
        assert!(read(twice.to_string()).is_err(), "of two listed one");
        for broken in [answer(3, "attack"), answer(0, "attack"), answer(1, "citation"), "{}".into(), "no".into()] {
            assert!(read(broken.clone()).is_err(), "{broken}");
        }
    }
}
