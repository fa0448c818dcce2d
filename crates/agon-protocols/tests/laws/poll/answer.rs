//! What a speaker answers.

use agon_core::{Faults, parse};
use serde_json::{Value, json};

use agon_protocols::common::fields::ObjectReader;

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub struct PollAnswer {
    /// Why, in a sentence.
    pub reason: String,
    /// Whether it is yes.
    pub yes: bool,
}

impl PollAnswer {
    /// What models are asked for.
    pub fn schema() -> Value {
        json!({
            "type": "object", "required": ["reason", "yes"], "additionalProperties": false,
            "properties": {
                "reason": {"type": "string", "minLength": 1, "maxLength": 300},
                "yes": {"type": "boolean"},
            },
        })
    }

    /// An answer, or every rule that it breaks: nothing is repaired, nothing made up.
    pub fn read(text: &str) -> Result<Self, Faults> {
        let value = parse::json(text)?;
        let mut faults = Faults::default();
        let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
        let reason = fields.text("reason", "answer", &mut faults);
        let yes = fields.get("yes").and_then(Value::as_bool);
        if yes.is_none() {
            faults.add("answer", "yes", "yes must be true or false");
        }
        faults.or(Self { reason, yes: yes.unwrap_or_default() })
    }
}
