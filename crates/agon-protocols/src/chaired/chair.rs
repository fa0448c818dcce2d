//! The chair's small statements: rulings on requests, relayed questions, the natural end, and unresolved points.

use agon_core::{Faults, parse};
use agon_text::{collect_different, count_words};
use serde::Deserialize as _;
use serde_json::Value;

use super::{conduct, log::DebateLog};
use crate::common::{
    fields::{one_line, parse_number},
    form::{Field, Form, Kind, Reader, form_field, list_kind, text_kind},
};

/// Longest ruling, point or reason, in characters.
pub(super) const TEXT_CHARS_MAX: u32 = 1_500;
/// Maximum number of words of a ruling, of a reason, of a point, and of the reason of the conclusion: what prompts ask for.
/// What is longer stands with a warning.
pub const RULING_WORDS_MAX: usize = 80;
/// See [`RULING_WORDS_MAX`].
pub const REASON_WORDS_MAX: usize = 60;
/// See [`RULING_WORDS_MAX`].
pub const POINT_WORDS_MAX: usize = 40;
/// See [`RULING_WORDS_MAX`].
pub const CONCLUSION_WORDS_MAX: usize = 180;
/// Points that a closing round can take up.
const POINTS_MAX: usize = 3;

/// A point with the entries that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedPoint {
    /// In a sentence or two.
    pub point: String,
    /// The standing arguments; may be empty.
    pub seqs: Vec<u64>,
}

/// A warning about a text of more than `most` words.
pub fn too_long(what: &str, text: &str, most: usize) -> Option<String> {
    let count = count_words(text);
    (count > most).then(|| format!("length: {what} has {count} words; at most {most} are wanted"))
}

fn chair_form(fields: impl IntoIterator<Item = Field>) -> Form {
    Form::new("chair", fields).into_strict()
}

/// The form of the answer to a clarification request.
pub fn clarification_form() -> Form {
    chair_form([form_field("ruling", text_kind(20, TEXT_CHARS_MAX))])
}

/// The answer to a clarification request.
pub fn parse_clarification(said: &str) -> Result<String, Faults> {
    clarification_form().read_statement(said, |fields, faults| Some(fields.read_text("ruling", faults)))
}

/// The form of the decision which of `count` audience questions are relayed.
pub fn relay_form(count: usize) -> Form {
    chair_form([form_field("relay", list_kind(count, count, Kind::YesNo))])
}

/// Which of `count` audience questions are relayed.
pub fn parse_relay(said: &str, count: usize) -> Result<Vec<bool>, Faults> {
    let relay = Vec::deserialize(&parse::parse_json_answer(said)?["relay"]).ok();
    relay
        .filter(|relay: &Vec<bool>| relay.len() == count)
        .ok_or_else(|| Faults::one("chair", "relay", format!("a list of {count} times true or false is wanted")))
}

/// The form of a look back at a round; where the debate `may_end`, with the decision whether it has.
pub fn review_form(log: &DebateLog, may_end: bool) -> Form {
    let ending = may_end.then(ending_fields).into_iter().flatten();
    chair_form(ending.chain(conduct::rulings_field(log)))
}

fn ending_fields() -> [Field; 2] {
    [form_field("reason", text_kind(20, TEXT_CHARS_MAX)), form_field("natural_end", Kind::YesNo)]
}

/// Whether the debate has come to its natural end, and why.
pub fn parse_ending(said: &str) -> Result<(bool, String), Faults> {
    chair_form(ending_fields()).read_statement(said, |fields, faults| {
        let reason = fields.read_text("reason", faults);
        Some((fields.read_bool("natural_end", faults), reason))
    })
}

/// The form of the unresolved points.
pub fn unresolved_form(log: &DebateLog) -> Form {
    let seqs = list_kind(0, 4, Kind::Reference(log.list_standing_seqs(None)));
    let point = Form::new("chair", [form_field("point", text_kind(1, TEXT_CHARS_MAX)), form_field("seqs", seqs)]);
    let points = form_field("points", list_kind(0, POINTS_MAX, Kind::Object(point)));
    chair_form([points].into_iter().chain(conduct::rulings_field(log)))
}

/// The unresolved points of an answer, the first three of them. That nothing is unresolved is an answer, and a point
/// may stand in plain words, without a reference or with one to what does not stand.
pub fn parse_unresolved(said: &str, log: &DebateLog) -> Result<Vec<CitedPoint>, Faults> {
    let value = parse::parse_json_answer(said)?;
    if !value.is_object() {
        return Err(Faults::one("chair", "points", "an object with a list of points is wanted"));
    }
    let stated = &value["points"];
    let items = match stated.as_array() {
        Some(items) => items.as_slice(),
        None if stated.is_null() => &[],
        None => std::slice::from_ref(stated),
    };
    let points = items.iter().filter_map(|item| {
        let words = item.as_str().or_else(|| item["point"].as_str()).map(one_line).unwrap_or_default();
        let point: String = words.chars().take(TEXT_CHARS_MAX as usize).collect();
        let seqs = item["seqs"].as_array().into_iter().flatten();
        let seqs = collect_different(seqs.filter_map(|item| parse_standing_seq(item, log)));
        point.chars().any(char::is_alphanumeric).then_some(CitedPoint { point, seqs })
    });
    Ok(points.take(POINTS_MAX).collect())
}

/// The number of a standing argument that `item` names.
fn parse_standing_seq(item: &Value, log: &DebateLog) -> Option<u64> {
    parse_number(item, "seq").filter(|seq| log.standing_argument(*seq).is_some())
}

/// References to standing arguments in the list `name`; each that is none is a fault.
pub(super) fn parse_argument_seqs(
    fields: &Reader<'_, '_>,
    name: &str,
    log: &DebateLog,
    faults: &mut Faults,
) -> Vec<u64> {
    let items = fields.read_items(name, faults);
    for item in items.iter().filter(|item| parse_standing_seq(item, log).is_none()) {
        fields.add_fault(name, format!("{item} is not the seq of an argument that stands"), faults);
    }
    collect_different(items.iter().filter_map(|item| parse_standing_seq(item, log)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_decisions_have_one_form() {
        assert_eq!(parse_relay(r#"{"relay": [true, false]}"#, 2), Ok(vec![true, false]));
        assert!(parse_relay(r#"{"relay": [true]}"#, 2).is_err());
        assert_eq!(
            parse_ending(r#"{"reason": "All is said.", "natural_end": true}"#),
            Ok((true, "All is said.".into()))
        );
        assert!(parse_ending(r#"{"reason": "All is said.", "natural_end": "yes"}"#).is_err());
        assert!(parse_clarification(r#"{"ruling": ""}"#).is_err());
    }

    #[test]
    fn whatever_the_chair_names_as_unresolved_is_taken_as_far_as_it_goes() {
        let points = |said: &str| {
            let points = parse_unresolved(said, &DebateLog::default()).unwrap();
            points.into_iter().map(|point| point.point).collect::<Vec<_>>()
        };
        assert!(points(r#"{"points": []}"#).is_empty(), "nothing is unresolved");
        assert_eq!(points(r#"{"points": "Nur wer zahlt, ist offen."}"#), ["Nur wer zahlt, ist offen."]);
        assert_eq!(
            points(r#"{"points": ["谁来付钱？", {"point": "Who pays?", "seqs": [99]}]}"#),
            ["谁来付钱？", "Who pays?"]
        );
        assert_eq!(points(r#"{"points": ["a", "b", "c", "d"]}"#), ["a", "b", "c"]);
        assert!(parse_unresolved("nothing", &DebateLog::default()).is_err());
    }
}
