//! The meaning of the host's answer: the proposer reads it, because people agree in many ways and languages.

use agon_core::{Facts, Faults, Request, View, parse};
use serde_json::{Value, json};

use super::Member;
use crate::common::fields::{ObjectReader, one_line};

/// The prompt of the reading.
pub const PROMPT: (&str, &str) = ("consent", include_str!("../prompts/consent.md"));

/// Answers that need no reading.
const YES: [&str; 7] = ["", "y", "yes", "ok", "okay", "approve", "approved"];
/// The same for the end.
const CANCEL: [&str; 3] = ["cancel", "quit", "abort"];
/// Words that together still only say yes, for when nobody could read the answer.
const CONSENTING: [&str; 38] = [
    "yes", "yep", "yeah", "y", "ok", "okay", "sure", "fine", "good", "great", "perfect", "nice", "looks",
    "sounds", "is", "it", "that", "this", "go", "ahead", "proceed", "please", "thanks", "thank", "you",
    "let", "s", "start", "begin", "approve", "approved", "agreed", "lgtm", "ja", "passt", "so", "oui", "si",
];
/// Maximum number of words of such an answer.
const CONSENTING_WORDS_MAX: usize = 8;
const READINGS: [&str; 5] = ["approve", "change", "start_over", "cancel", "unclear"];

/// What the host wants.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Consent {
    /// This line-up.
    Approve,
    /// Another one.
    Change {
        /// How many members, where that was said.
        number: Option<usize>,
        /// Members that are not to stay as they are; empty where that is not known.
        changed: Vec<String>,
        /// Whether nobody is to stay.
        afresh: bool,
    },
    /// No debate.
    Cancel,
    /// Nobody knows.
    Unclear,
}

impl Consent {
    /// Of the few answers that mean the same to everyone.
    pub fn plain(said: &str) -> Option<Self> {
        let said = said.trim_end_matches(['.', '!']).to_lowercase();
        match said.as_str() {
            yes if YES.contains(&yes) => Some(Consent::Approve),
            cancel if CANCEL.contains(&cancel) => Some(Consent::Cancel),
            _ => None,
        }
    }

    /// Where nobody could read it: a yes if it has words of consent alone, else a wish.
    pub fn guessed(said: &str) -> Self {
        let lower = said.to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let consents = |word: &&str| CONSENTING.contains(word);
        match (1..=CONSENTING_WORDS_MAX).contains(&words.len()) && words.iter().all(consents) {
            true => Consent::Approve,
            false => Consent::Change { number: None, changed: Vec::new(), afresh: false },
        }
    }

    /// As the proposer reads it, given the `members` that it proposed.
    pub fn read(text: &str, members: &[Member]) -> Result<Self, Faults> {
        let value = parse::json(text)?;
        let mut faults = Faults::default();
        let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
        let reading = fields.choice("reading", &READINGS, "consent", &mut faults);
        let number = match fields.get("members") {
            None => 0,
            Some(number) => number.as_u64().or_else(|| number.as_str()?.trim().parse().ok()).unwrap_or(0),
        };
        let named =
            fields.list("changed", "consent", &mut faults).iter().filter_map(Value::as_str).map(one_line);
        let mut changed = Vec::new();
        for name in named {
            match members.iter().find(|member| member.name.eq_ignore_ascii_case(&name)) {
                Some(member) => changed.push(member.name.clone()),
                None => faults.add("consent", "changed", format!("{name:?} is nobody of the proposal")),
            }
        }
        let number = Some(number as usize).filter(|number| *number > 0);
        faults.or(match reading.as_str() {
            "approve" => Consent::Approve,
            "change" => Consent::Change { number, changed, afresh: false },
            "start_over" => Consent::Change { number, changed: Vec::new(), afresh: true },
            "cancel" => Consent::Cancel,
            _ => Consent::Unclear,
        })
    }
}

/// JSON Schema of a reading.
pub fn schema(request: &Request) -> Value {
    let members = request.facts.get("members").and_then(Value::as_array);
    let names: Vec<&str> =
        members.into_iter().flatten().filter_map(|member| member["name"].as_str()).collect();
    json!({
        "type": "object", "required": ["reading", "members", "changed"], "additionalProperties": false,
        "properties": {
            "reading": {"type": "string", "enum": READINGS},
            "members": {"type": "integer", "minimum": 0, "maximum": 20},
            "changed": {"type": "array", "minItems": 0, "maxItems": names.len(),
                        "items": {"type": "string", "enum": names}},
        },
    })
}

/// What the prompt of a reading is filled with.
pub fn facts(heard: &View<'_>, request: &Request) -> Facts {
    let mut facts = request.facts.clone();
    facts.insert("motion".into(), heard.opened().motion.clone().into());
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::seat;

    #[test]
    fn a_few_answers_need_no_reading() {
        for yes in ["", "y", "Yes", "OK.", "okay!", "approved"] {
            assert_eq!(Consent::plain(yes), Some(Consent::Approve), "{yes}");
        }
        assert_eq!(Consent::plain("Cancel."), Some(Consent::Cancel));
        for other in ["Looks good", "Yes, go ahead", "no", "oui", "yes but swap Ada"] {
            assert_eq!(Consent::plain(other), None, "{other}");
        }
    }

    #[test]
    fn where_nobody_reads_it_words_of_consent_alone_are_a_yes() {
        for yes in
            ["Looks good", "Sure, proceed", "Yes, go ahead", "passt so", "oui", "Let's go ahead, thanks!"]
        {
            assert_eq!(Consent::guessed(yes), Consent::Approve, "{yes}");
        }
        for wish in ["Make it three debaters", "Looks good, but swap Ada for a nurse", "no", "not ok", "???"]
        {
            assert!(matches!(Consent::guessed(wish), Consent::Change { .. }), "{wish}");
        }
    }

    #[test]
    fn a_reading_is_typed_and_names_members_of_the_proposal() {
        let member = |n: usize, name: &str| Member {
            seat: seat(&format!("debater-{n}")),
            name: name.into(),
            persona: String::new(),
            details: serde_json::Map::new(),
        };
        let members = [member(1, "Ada"), member(2, "Bob")];
        let read = |value: Value| Consent::read(&value.to_string(), &members);
        assert_eq!(read(json!({"reading": "approve"})), Ok(Consent::Approve));
        assert_eq!(
            read(json!({"reading": "change", "members": "3", "changed": ["bob"]})),
            Ok(Consent::Change { number: Some(3), changed: vec!["Bob".into()], afresh: false })
        );
        assert_eq!(
            read(json!({"reading": "start_over", "members": 0, "changed": []})),
            Ok(Consent::Change { number: None, changed: Vec::new(), afresh: true })
        );
        assert!(read(json!({"reading": "perhaps"})).is_err());
        assert!(read(json!({"reading": "change", "changed": ["Eve"]})).is_err());
    }
}
