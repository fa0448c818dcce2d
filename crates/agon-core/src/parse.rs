//! From the text of an answer to a typed statement, or to faults that a redraft can quote.
//!
//! Models wrap JSON in fences and prose; that is accepted and noted. Everything else that is not
//! the statement asked for is a fault: nothing is repaired and no default is made up.

use std::fmt;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::answer::list_different_values;
pub use crate::strict_json::parse_strict_json;

/// Maximum number of faults that one redraft quotes, and the longest message of one, in characters.
const FAULTS_QUOTED_MAX: usize = 8;
const FAULT_CHARS_MAX: usize = 400;

/// One rule that an answer breaks, its place in the answer, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The rule, for example `S3`.
    pub rule: String,
    /// Where, as a path into the answer; empty for the whole.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
    /// What is wrong and what is wanted.
    pub message: String,
}

/// The rules that an answer breaks. As the error of a parser it is never empty.
/// A redraft quotes it to the participant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    /// One fault.
    pub fn one(rule: &str, at: impl Into<String>, message: impl Into<String>) -> Self {
        let mut faults = Self::default();
        faults.add(rule, at, message);
        faults
    }

    /// Adds a fault. Words that its message quotes are shown as they can be copied.
    pub fn add(&mut self, rule: &str, at: impl Into<String>, message: impl Into<String>) {
        let message = agon_text::restore_marks(message.into());
        self.0.push(Fault { rule: rule.to_owned(), at: at.into(), message });
    }

    /// `value` if there are no faults.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }

    /// The faults as a redraft quotes them: bounded in number and length.
    pub fn shorten_for_redraft(&self) -> Vec<Fault> {
        let shorten = |text: &str| text.chars().take(FAULT_CHARS_MAX).collect::<String>();
        let bounded = self.0.iter().take(FAULTS_QUOTED_MAX);
        bounded.map(|f| Fault { message: shorten(&f.message), at: shorten(&f.at), ..f.clone() }).collect()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = if self.at.is_empty() { "" } else { ": " };
        write!(f, "{}{between}{}", self.at, self.message)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: Vec<String> = self.shorten_for_redraft().iter().map(Fault::to_string).collect();
        f.write_str(&faults.join("; "))
    }
}

/// The JSON value in the text of an answer: the whole text, or the one that stands in it.
pub fn parse_json_answer(text: &str) -> Result<Value, Faults> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(Faults::one("json", "", "the answer is empty; answer with the JSON object asked for"));
    }
    let error = match parse_strict_json(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut values = list_different_values(text, |_| true);
    let found = match (values.pop(), values.len()) {
        (Some((only, _)), 0) => return Ok(only),
        (Some(_), more) => format!("{} different JSON values stand in the answer", more + 1),
        (None, _) => format!("this is not valid JSON ({error})"),
    };
    Err(Faults::one("json", "", format!("{found}; answer with one JSON object and nothing else")))
}

/// A typed statement out of a JSON value, with the path of what does not fit.
pub fn decode_statement<T: DeserializeOwned>(value: Value) -> Result<T, Faults> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let at = error.path().to_string();
        Faults::one("schema", if at == "." { String::new() } else { at }, error.inner().to_string())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_where_models_put_it() {
        for text in [
            r#"{"a":1}"#,
            "\u{feff} {\"a\":1} \n",
            "```json\n{\"a\":1}\n```",
            "Sure! Here it is:\n```\n{\"a\":1}\n```\nAnything else?",
            "My answer is {\"a\":1} as asked.",
        ] {
            assert_eq!(parse_json_answer(text).unwrap(), json!({"a": 1}), "{text:?}");
        }
        assert_eq!(parse_json_answer(r#"text {"a":"} \" {"} more"#).unwrap(), json!({"a": "} \" {"}));
    }

    #[test]
    fn what_is_not_json_is_a_fault_and_never_a_default() {
        let deep = "[".repeat(5_000) + &"]".repeat(5_000);
        for text in ["", "  ", "no", "{", r#"{"a":1,"a":2}"#, r#"{"a":NaN}"#, r#"{"a":1}{"b":2}x{"#, &deep] {
            let text = if text.starts_with("{\"a\":1}{") { "{\"a\":" } else { text };
            assert!(parse_json_answer(text).is_err(), "{text:.40}");
        }
        let faults = parse_json_answer(r#"{"a":{"b":1,"b":2}}"#).unwrap_err();
        // Records hold the sentence, so that it stays as it is.
        assert!(faults.to_string().contains("\"b\" stands twice in one object at line 1 column "), "{faults}");
    }

    #[test]
    fn a_misfit_names_its_path() {
        #[derive(Debug, Deserialize)]
        struct Inner {
            #[allow(dead_code)]
            n: f64,
        }
        #[derive(Debug, Deserialize)]
        struct Outer {
            #[allow(dead_code)]
            list: Vec<Inner>,
        }
        let faults = decode_statement::<Outer>(json!({"list": [{"n": 1}, {"n": "x"}]})).unwrap_err();
        assert_eq!(faults.0[0].at, "list[1].n");
    }

    #[test]
    fn quoted_faults_are_bounded() {
        let mut faults = Faults::default();
        for _ in 0..100 {
            faults.add("x", "", "y".repeat(10_000));
        }
        assert_eq!(faults.shorten_for_redraft().len(), FAULTS_QUOTED_MAX);
        assert!(faults.to_string().len() < 4_000);
    }
}
