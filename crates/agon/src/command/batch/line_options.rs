//! Lines of a batch: the options of `run` by their names, and the debate that each line means.

use std::collections::HashMap;

use agon_app::{
    Failure, OpeningRequest, Result,
    request::{from_json, parse_fields},
};
use agon_core::Digest;
use serde_json::{Value, json};

use super::line_reader::BatchLine;

/// Characters of a key in the id of a debate that its line does not name.
const KEY_CHARS: usize = 16;
/// Hexadecimal digits of half a digest.
const HALF_CHARS: usize = 32;

/// A debate that a line asks for. The same line means the same debate, whenever the file is run.
#[derive(Debug)]
pub struct DebateSpec {
    /// What `run` would be asked for, always with an id.
    pub request: OpeningRequest,
    /// Whether the line names that id.
    pub is_named: bool,
    /// What the line says, but for the id: equal for equal options, however they are written down.
    pub key: Digest,
}

/// What was read so far, so that an id is used once and equal lines are told apart: some 50 bytes a line.
#[derive(Debug, Default)]
pub struct KnownLines {
    /// The lines of ids, by the first half of the digest of each.
    named: HashMap<u128, usize>,
    /// How many lines say the same, by the first half of their keys.
    equal: HashMap<u128, u32>,
}

impl KnownLines {
    /// The debate that a line asks for; its id follows from what it says and from how many lines before it say
    /// the same.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse_line(&mut self, line: &BatchLine) -> Result<DebateSpec> {
        let text = line.text.as_ref().map_err(|why| line_failure(why.clone()))?;
        let mut wanted = parse_spec(text)?;
        if let Some(id) = &wanted.request.id {
            if let Some(other) = self.named.insert(half_digest(&Digest::from_content(id)), line.number) {
                self.named.insert(half_digest(&Digest::from_content(id)), other);
                return Err(line_failure(format!("line {other} has the same id, {id:?}")));
            }
            return Ok(wanted);
        }
        let count = self.equal.entry(half_digest(&wanted.key)).or_default();
        *count += 1;
        let id = &wanted.key.as_str()[..KEY_CHARS];
        wanted.request.id = Some(match count {
            1 => format!("batch-{id}"),
            count => format!("batch-{id}-{count}"),
        });
        Ok(wanted)
    }
}

/// The first half of a digest, which no two lines share by accident.
fn half_digest(digest: &Digest) -> u128 {
    u128::from_str_radix(&digest.as_str()[..HALF_CHARS], 16).unwrap_or_default()
}

fn line_failure(message: String) -> Failure {
    Failure::usage(message, "write one JSON object per line; agon run --help describes the fields")
}

fn parse_spec(line: &str) -> Result<DebateSpec> {
    let object = parse_fields(line).map_err(line_failure)?;
    let mut said = object.clone();
    said.remove("id");
    let mut said = json!(said);
    // The same value with every key in its place in the alphabet.
    drop_nulls(&mut said);
    said.sort_all_objects();
    let key = Digest::from_content(said.to_string());
    let request = from_json(object).map_err(|failure| line_failure(failure.message))?;
    Ok(DebateSpec { is_named: request.id.is_some(), request, key })
}

/// Removes every field that is null.
fn drop_nulls(value: &mut Value) {
    value.as_array_mut().into_iter().flatten().for_each(drop_nulls);
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(drop_nulls);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_debate_says_why() {
        for (line, says) in [
            ("[]", "not a JSON object"),
            (r#"{"protocol": "exchange", "rounds": 1, "rounds": 2}"#, "\"rounds\" stands twice"),
            (r#"{"protocol": "exchange", "motion": "x", "plan": true}"#, "\"plan\" is not an option"),
        ] {
            let error = parse_spec(line).unwrap_err();
            assert!(error.exit == 2 && error.message.contains(says), "{line}: {}", error.message);
        }
    }

    #[test]
    fn the_same_line_means_the_same_debate() {
        let text = r#"{"protocol": "exchange", "motion": "x", "seats": {"a": "b", "c": "d"}}
{"seats": {"c": "d", "a": "b"}, "motion": "x", "protocol": "exchange", "rounds": null}

{"protocol": "exchange", "motion": "y"}
{"protocol": "exchange", "motion": "y", "id": "mine"}
{"protocol": "panel", "motion": "z", "id": "mine"}"#;
        let ids = |text: &str| -> Vec<(usize, std::result::Result<String, String>)> {
            let mut known = KnownLines::default();
            let lines = text.lines().zip(1..).filter(|(line, _)| !line.is_empty());
            let read = lines.map(|(text, number)| {
                let wanted = known.parse_line(&BatchLine { number, text: Ok(text.to_owned()) });
                (number, wanted.map(|w| w.request.id.unwrap()).map_err(|f| f.message))
            });
            read.collect()
        };
        let read = ids(text);
        let id = |at: usize| read[at].1.clone().unwrap();
        assert_eq!(read.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1, 2, 4, 5, 6]);
        assert!(id(0).starts_with("batch-") && id(0).len() == 6 + KEY_CHARS);
        assert_eq!(id(1), format!("{}-2", id(0)), "the second of two equal ones");
        assert_ne!(id(0), id(2));
        assert_eq!(id(3), "mine");
        assert_eq!(read[4].1, Err("line 5 has the same id, \"mine\"".into()));
        assert_eq!(ids(text), read, "whenever it is read");
        assert_eq!(ids(text.lines().nth(3).unwrap())[0].1, Ok(id(2)), "wherever it stands");
    }
}
