//! What debaters hand in, read as the source system's own program reads it: what that accepts is
//! accepted, with its messages. Our stricter rules are those of the protocol.

use std::{borrow::Cow, sync::LazyLock};

use agon_protocols::exchange::argument::{Argument, Engagement, Ground, Side};
use regex::Regex;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::argument::ArgumentFile;
use crate::python_json::render_python_repr;

const REQUIRED: [&str; 4] = ["title", "claim", "grounds", "warrant"];
const OPTIONAL: [&str; 4] = ["backing", "qualifier", "attacks", "defends"];
const OF_GROUND: [&str; 3] = ["source", "content", "relevance"];
const GROUNDS_MAX: usize = 3;
const ATTACKS_MAX: usize = 3;
const DEFENDS_MAX: usize = 2;

/// Why something handed in was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntakeRefusal {
    /// It breaks a rule that the source system checks.
    Rule(String),
    /// Its form is one that the source system's program stumbles over.
    Form(String),
}

/// What one side handed in for one exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intake {
    /// Its arguments, in its order.
    pub arguments: Vec<ArgumentFile>,
    /// Whether they came as a list, which letters their ids.
    pub listed: bool,
    /// What the source system warns of.
    pub warnings: Vec<String>,
}

impl Intake {
    /// Reads what `side` handed in for `exchange`. The first rule that is broken refuses it.
    pub fn parse(text: &str, side: Side, exchange: u32) -> Result<Self, IntakeRefusal> {
        let value = json_of(text)?;
        let mut intake = Self { arguments: Vec::new(), listed: value.is_array(), warnings: Vec::new() };
        let single = std::slice::from_ref(&value);
        let items = value.as_array().map_or(single, Vec::as_slice);
        if items.is_empty() {
            return refuse("Empty argument list");
        }
        let letters = 'a'..='z';
        if items.len() > letters.clone().count() {
            return refuse(format!("Too many arguments ({}). Maximum: 26", items.len()));
        }
        for (item, letter) in items.iter().zip(letters) {
            let argument = HandedObject::from_value(item, "keys")?.parse_argument(&mut intake.warnings)?;
            let mut id = format!("{}_{exchange:03}", side.prefix());
            id.extend(intake.listed.then_some(letter));
            intake.arguments.push(ArgumentFile { id, side, exchange, argument });
        }
        Ok(intake)
    }

    /// The ids as the source system answers them: a list for a list, else one text.
    pub fn render_ids(&self) -> impl Serialize {
        let mut ids: Vec<&str> = self.arguments.iter().map(|argument| argument.id.as_str()).collect();
        if self.listed { json!(ids) } else { json!(ids.pop()) }
    }
}

/// The refusal of what breaks a rule.
pub(super) fn refuse<T>(why: impl Into<String>) -> Result<T, IntakeRefusal> {
    Err(IntakeRefusal::Rule(why.into()))
}

/// The JSON of an answer, out of its code fence.
pub(super) fn json_of(text: &str) -> Result<Value, IntakeRefusal> {
    serde_json::from_str(&strip_fences(text)).or_else(|error| refuse(format!("Invalid JSON: {error}")))
}

/// Names as Python prints a set of them.
fn format_set<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let names: Vec<String> = names.map(render_python_repr).collect();
    (!names.is_empty()).then(|| format!("{{{}}}", names.join(", ")))
}

/// An object of an answer, read with the messages of the source system.
pub(super) struct HandedObject<'v>(pub(super) &'v Map<String, Value>);

impl<'v> HandedObject<'v> {
    /// `value` as an object; what Python would say where it is none.
    pub(super) fn from_value(value: &'v Value, wanted: &str) -> Result<Self, IntakeRefusal> {
        let kind = match value {
            Value::Null => "NoneType",
            Value::Bool(_) => "bool",
            Value::Number(number) => ["int", "float"][usize::from(number.is_f64())],
            Value::String(_) => "str",
            Value::Array(_) => "list",
            Value::Object(object) => return Ok(Self(object)),
        };
        Err(IntakeRefusal::Form(format!("'{kind}' object has no attribute '{wanted}'")))
    }

    /// Those of `wanted` that it lacks.
    pub(super) fn list_missing_keys(&self, wanted: &[&str]) -> Option<String> {
        format_set(wanted.iter().copied().filter(|key| !self.0.contains_key(*key)))
    }

    /// A text; what is none is refused as `refusal` says.
    pub(super) fn read_text(&self, key: &str, refusal: fn(String) -> IntakeRefusal) -> Result<String, IntakeRefusal> {
        let text = self.0.get(key).and_then(|text| text.as_str()).map(str::to_owned);
        text.ok_or_else(|| refusal(format!("'{key}' must be a text")))
    }

    /// A text that may be absent, null or empty.
    fn optional_text(&self, key: &str) -> Result<Option<String>, IntakeRefusal> {
        if self.0.get(key).is_none_or(|value| value.is_null()) {
            return Ok(None);
        }
        self.read_text(key, IntakeRefusal::Rule).map(|text| Some(text).filter(|text| !text.is_empty()))
    }

    fn parse_argument(&self, warnings: &mut Vec<String>) -> Result<Argument, IntakeRefusal> {
        if let Some(missing) = self.list_missing_keys(&REQUIRED) {
            return refuse(format!("Missing required keys: {missing}"));
        }
        let known = |key: &str| REQUIRED.contains(&key) || OPTIONAL.contains(&key);
        if let Some(extra) = format_set(self.0.keys().map(String::as_str).filter(|key| !known(key))) {
            warnings.push(format!("Unrecognized keys (ignored): {extra}"));
        }
        Ok(Argument {
            grounds: self.parse_grounds()?,
            attacks: self.parse_engagements("attacks", "attack_type", ATTACKS_MAX)?,
            defends: self.parse_engagements("defends", "defense_type", DEFENDS_MAX)?,
            title: self.read_text("title", IntakeRefusal::Rule)?,
            claim: self.read_text("claim", IntakeRefusal::Rule)?,
            warrant: self.read_text("warrant", IntakeRefusal::Rule)?,
            backing: self.optional_text("backing")?,
            qualifier: self.optional_text("qualifier")?,
        })
    }

    fn parse_grounds(&self) -> Result<Vec<Ground>, IntakeRefusal> {
        let Some(list) = self.0["grounds"].as_array().filter(|list| !list.is_empty()) else {
            return refuse("'grounds' must be non-empty list");
        };
        if list.len() > GROUNDS_MAX {
            return refuse(format!("'grounds' must contain 1-3 entries (found {})", list.len()));
        }
        let grounds = list.iter().enumerate().map(|(i, ground)| {
            let ground = Self::from_value(ground, "keys")?;
            if let Some(missing) = ground.list_missing_keys(&OF_GROUND) {
                return refuse(format!("Ground {i}: missing keys {missing}"));
            }
            let [source, content, relevance] = OF_GROUND.map(|key| ground.read_text(key, IntakeRefusal::Rule));
            Ok(Ground { source: source?, content: content?, relevance: relevance? })
        });
        grounds.collect()
    }

    fn parse_engagements(&self, key: &str, kind: &str, max: usize) -> Result<Vec<Engagement>, IntakeRefusal> {
        let Some(value) = self.0.get(key) else { return Ok(Vec::new()) };
        let list = value.as_array().ok_or_else(|| IntakeRefusal::Form(format!("'{key}' must be a list")))?;
        if list.len() > max {
            return refuse(format!("Too many {key} ({}). Maximum: {max}", list.len()));
        }
        let engagements = list.iter().map(|engagement| {
            let engagement = Self::from_value(engagement, "get")?;
            let target_id = engagement.optional_text("target_id")?.unwrap_or_default();
            if !target_id.is_empty() && !engagement.0.contains_key(kind) {
                // A Python KeyError, whose message is the key.
                return Err(IntakeRefusal::Form(format!("'{kind}'")));
            }
            let [kind, content] = [kind, "content"].map(|key| engagement.optional_text(key));
            Ok(Engagement { target_id, kind: kind?.unwrap_or_default(), content: content?.unwrap_or_default() })
        });
        engagements.collect()
    }
}

/// A code fence at the start or end of a line, and the white space that belongs to it, as the source system has it.
static FENCE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?m)^```(?:json|yaml)?\s*|\s*```$";
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("a pattern is sound: {error}"))
});

/// `text` without code fences.
fn strip_fences(text: &str) -> Cow<'_, str> {
    FENCE.replace_all(text.trim(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Value {
        json!({"title": "T", "claim": "C", "warrant": "W",
            "grounds": [{"source": "S", "content": "X", "relevance": "R"}]})
    }

    fn read(value: &Value) -> Result<Intake, IntakeRefusal> {
        Intake::parse(&value.to_string(), Side::Proposition, 1)
    }

    #[test]
    fn fences_go_as_the_source_system_takes_them_off() {
        // Each pair as `re.sub` of CPython 3.11 gives it.
        let table = [
            ("```json\n[1]\n```", "[1]"),
            ("```\n[1]```", "[1]"),
            ("  ```yaml [1]\n\n```  ", "[1]"),
            ("[1]", "[1]"),
            ("````json\n[1]\n````", "`json\n[1]\n`"),
            ("a ```b``` c", "a ```b``` c"),
            ("x\n```\n\ny", "x\n\ny"),
            ("\"a```\"", "\"a```\""),
            ("```json", ""),
        ];
        for (text, want) in table {
            assert_eq!(strip_fences(text), want, "{text:?}");
        }
    }

    #[test]
    fn ids_are_lettered_for_a_list_only() {
        assert_eq!(json!(read(&whole()).unwrap().render_ids()), json!("prop_001"));
        assert_eq!(json!(read(&json!([whole()])).unwrap().render_ids()), json!(["prop_001a"]));
        let many = Value::from(vec![whole(); 27]);
        assert!(matches!(read(&many), Err(IntakeRefusal::Rule(why)) if why.contains("27")));
    }

    #[test]
    fn every_rule_has_the_message_of_the_source_system() {
        let ground = whole()["grounds"][0].clone();
        let table = [
            ("title", None, "Missing required keys: {'title'}"),
            ("grounds", Some(json!([])), "'grounds' must be non-empty list"),
            ("grounds", Some(json!(vec![ground.clone(); 4])), "'grounds' must contain 1-3 entries (found 4)"),
            ("grounds", Some(json!([ground, {"source": "S", "content": "X"}])), "Ground 1: missing keys {'relevance'}"),
            ("attacks", Some(json!(vec![json!({}); 4])), "Too many attacks (4). Maximum: 3"),
            ("defends", Some(json!(vec![json!({}); 3])), "Too many defends (3). Maximum: 2"),
            ("claim", Some(json!(5)), "'claim' must be a text"),
        ];
        for (key, value, says) in table {
            let mut argument = whole();
            let fields = argument.as_object_mut().unwrap();
            match value {
                Some(value) => drop(fields.insert(key.into(), value)),
                None => drop(fields.shift_remove(key)),
            }
            assert_eq!(read(&argument), Err(IntakeRefusal::Rule(says.into())));
        }
        assert!(
            matches!(read(&json!("x")), Err(IntakeRefusal::Form(why)) if why == "'str' object has no attribute 'keys'")
        );
        let mut untyped = whole();
        untyped["attacks"] = json!([{"target_id": "opp_000a"}]);
        assert_eq!(read(&untyped), Err(IntakeRefusal::Form("'attack_type'".into())));
    }

    #[test]
    fn what_is_optional_may_be_null_or_empty() {
        let mut argument = whole();
        argument["backing"] = Value::Null;
        argument["qualifier"] = json!("");
        argument["attacks"] = json!([{}, {"target_id": null, "content": "x"}]);
        argument["more"] = json!(1);
        let intake = read(&argument).unwrap();
        assert_eq!(intake.warnings, ["Unrecognized keys (ignored): {'more'}"]);
        let text = intake.arguments[0].render();
        assert!(text.contains("\"attacks\": []") && text.contains("### Attacking unknown"), "{text}");
        assert!(!text.contains("## Backing"), "{text}");
    }
}
