//! The meaning of the host's answer to a proposed line-up: one of the choices that it was shown, or what the proposer
//! reads in other words, because people agree in many ways and languages.

use agon_core::{Facts, Faults, Request, View, form::FormField, reading::ReadText};
use serde::Deserialize;
use serde_json::Value;

use super::Member;
use crate::common::{
    fields::{one_line, parse_number},
    form::{Form, Kind, choice_kind, form_field, list_kind, text_kind, whole_number_kind},
    request_values::read_fact,
};

/// The prompt of the reading.
pub const PROMPT: (&str, &str) = ("consent", include_str!("../prompts/consent.md"));

/// Most members that a host can wish for.
const MEMBERS_MAX: u32 = 20;
/// Longest quotation of a reading, in characters.
const QUOTE_CHARS_MAX: u32 = 400;

/// What an answer can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ConsentChoice {
    Approve,
    Change,
    StartOver,
    Cancel,
    Unclear,
}

const CHOICES: [&str; 5] = ["approve", "change", "start_over", "cancel", "unclear"];

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
    /// Of the choices that the host was shown, word for word, and of a line that is left empty.
    pub fn parse_choice(said: &str) -> Option<Self> {
        match said.trim_end_matches(['.', '!', ' ']).trim().to_lowercase().as_str() {
            "" | "yes" => Some(Consent::Approve),
            "cancel" => Some(Consent::Cancel),
            _ => None,
        }
    }

    /// As the proposer reads what was `said`, given the `members` that it proposed. A reading as yes or as a
    /// cancellation quotes it.
    pub fn parse_reading(text: &str, members: &[Member], said: &str) -> Result<Self, Faults> {
        consent_form(Vec::new()).read_statement(text, |fields, faults| {
            let choice: ConsentChoice = fields.read_enum("choice", faults)?;
            let quote = fields.read_text("quote", faults);
            let number = parse_number(fields.raw_value("members"), "").filter(|number| *number > 0);
            let number = number.map(|number| number as usize);
            let mut changed = Vec::new();
            for name in fields.read_items("changed", faults).iter().filter_map(Value::as_str).map(one_line) {
                match members.iter().find(|member| member.name.eq_ignore_ascii_case(&name)) {
                    Some(member) => changed.push(member.name.clone()),
                    None => fields.add_fault("changed", format!("{name:?} is nobody of the proposal"), faults),
                }
            }
            if matches!(choice, ConsentChoice::Approve | ConsentChoice::Cancel) {
                let words = ReadText { text: said, not_from: &[] };
                if let Err(why) = words.check_quote(&quote) {
                    fields.add_fault("quote", format!("{quote:?}: {why}"), faults);
                }
            }
            Some(match choice {
                ConsentChoice::Approve => Consent::Approve,
                ConsentChoice::Change => Consent::Change { number, changed, afresh: false },
                ConsentChoice::StartOver => Consent::Change { number, changed: Vec::new(), afresh: true },
                ConsentChoice::Cancel => Consent::Cancel,
                ConsentChoice::Unclear => Consent::Unclear,
            })
        })
    }
}

/// JSON Schema of a reading.
pub fn consent_schema(request: &Request) -> FormField {
    let members: Vec<Member> = read_fact(request, "members").unwrap_or_default();
    consent_form(members.into_iter().map(|member| member.name).collect()).to_schema()
}

fn consent_form(names: Vec<String>) -> Form {
    let count = names.len();
    let fields = [
        form_field("choice", choice_kind(CHOICES)),
        form_field("quote", text_kind(0, QUOTE_CHARS_MAX)).as_optional(),
        form_field("members", whole_number_kind(0, MEMBERS_MAX)),
        form_field("changed", list_kind(0, count, Kind::Reference(names))),
    ];
    Form::new("consent", fields)
}

/// What the prompt of a reading is filled with.
pub fn consent_facts(heard: &View<'_>, request: &Request) -> Facts {
    let mut facts = request.facts.clone();
    facts.insert("motion".into(), heard.opened().motion.clone().into());
    facts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::common::named_seat;

    #[test]
    fn only_the_choices_that_are_shown_need_no_reading() {
        for yes in ["", "yes", "Yes. "] {
            assert_eq!(Consent::parse_choice(yes), Some(Consent::Approve), "{yes}");
        }
        assert_eq!(Consent::parse_choice("Cancel"), Some(Consent::Cancel));
        for other in
            ["y", "ok", "no", "oui", "passt so", "Looks good", "yes but swap Ada", "sure, it is fine that you start"]
        {
            assert_eq!(Consent::parse_choice(other), None, "{other}");
        }
    }

    #[test]
    fn a_reading_is_typed_and_names_members_of_the_proposal() {
        let member = |n: usize, name: &str| Member {
            seat: named_seat(&format!("debater-{n}")),
            name: name.into(),
            persona: String::new(),
            details: serde_json::Map::new(),
        };
        let members = [member(1, "Ada"), member(2, "Bob")];
        let read = |value: Value| Consent::parse_reading(&value.to_string(), &members, "Passt so, los geht's.");
        assert_eq!(read(json!({"choice": "approve", "quote": "passt so"})), Ok(Consent::Approve));
        for quote in ["", "Ja, gerne", "approve"] {
            assert!(read(json!({"choice": "approve", "quote": quote})).is_err(), "a yes is quoted: {quote}");
            assert!(read(json!({"choice": "cancel", "quote": quote})).is_err(), "{quote}");
        }
        assert_eq!(
            read(json!({"choice": "change", "members": "3", "changed": ["bob"]})),
            Ok(Consent::Change { number: Some(3), changed: vec!["Bob".into()], afresh: false })
        );
        assert_eq!(
            read(json!({"choice": "start_over", "quote": "", "members": 0, "changed": []})),
            Ok(Consent::Change { number: None, changed: Vec::new(), afresh: true })
        );
        assert_eq!(read(json!({"choice": "unclear"})), Ok(Consent::Unclear));
        assert!(read(json!({"choice": "perhaps"})).is_err());
        assert!(read(json!({"choice": "change", "changed": ["Eve"]})).is_err());
    }
}
