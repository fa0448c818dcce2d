//! The tools: their names, what models are told of them, and how what a model wrote for one is read.

use agon_core::{LookupReach, LookupRequest};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, IgnoredAny},
};
use serde_json::{Map, Value, json};

/// Longest words, path or address, in bytes.
const OBJECT_BYTES_MAX: usize = 2_000;

/// One of the four tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum LookupTool {
    /// Passages of the material.
    Search,
    /// Lines of a file of the material.
    Read,
    /// The text of a page.
    Open,
    /// Addresses of pages.
    Find,
}

/// What a tool is given.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum ToolArguments {
    Search {
        words: String,
    },
    Read {
        path: String,
        #[serde(default, deserialize_with = "read_number")]
        first_line: Option<u32>,
        #[serde(default, deserialize_with = "read_number")]
        last_line: Option<u32>,
    },
    Open {
        address: String,
        #[serde(default, deserialize_with = "read_number")]
        from: Option<u32>,
    },
    Find {
        query: String,
    },
}

impl LookupTool {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Search, Self::Read, Self::Open, Self::Find];

    /// Its name, for models and people.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// What it is asked for, as people say it: words, a path, an address or a query, and from where to where.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn request(self, object: &str, first: Option<u32>, last: Option<u32>) -> Result<LookupRequest, String> {
        let object = check_object(object)?;
        Ok(match self {
            Self::Search => LookupRequest::Search { words: object },
            Self::Read => LookupRequest::Read { path: object, first, last },
            Self::Open => LookupRequest::Open { address: object, from: first },
            Self::Find => LookupRequest::Find { query: object },
        })
    }

    /// Whose reach it belongs to.
    pub fn reach(self) -> LookupReach {
        match self {
            Self::Search | Self::Read => LookupReach::Material,
            Self::Open | Self::Find => LookupReach::Pages,
        }
    }

    /// How someone at an outside seat asks for it, and what comes of it.
    pub fn command(self) -> &'static str {
        match self {
            Self::Search => "`search WORDS` (passages of the material)",
            Self::Read => "`read PATH` (a file of the material)",
            Self::Open => "`open ADDRESS` (a page)",
            Self::Find => "`find WORDS` (pages, where a search service is set up)",
        }
    }

    /// What a model is told of it.
    pub fn description(self) -> &'static str {
        match self {
            Self::Search => include_str!("texts/search.md"),
            Self::Read => include_str!("texts/read.md"),
            Self::Open => include_str!("texts/open.md"),
            Self::Find => include_str!("texts/find.md"),
        }
        .trim_ascii_end()
    }

    /// JSON Schema of what it takes.
    pub fn parameters(self) -> impl Serialize + use<> {
        let text = |about: &str| json!({"type": "string", "description": about});
        let number = |about: &str| json!({"type": "integer", "minimum": 1, "description": about});
        let (required, properties) = match self {
            Self::Search => ("words", json!({"words": text("Words, or a part of a path")})),
            Self::Read => {
                let (from, to) = (number("From this line"), number("To this line"));
                let path = text("The file, as the material names it");
                ("path", json!({"path": path, "first_line": from, "last_line": to}))
            }
            Self::Open => {
                let from = number("From this character of the text, where a part was shown before");
                ("address", json!({"address": text("The address, with https://"), "from": from}))
            }
            Self::Find => ("query", json!({"query": text("What to search for")})),
        };
        json!({"type": "object", "properties": properties, "required": [required], "additionalProperties": false})
    }

    /// What is asked for by the tool `name` with `arguments`, a JSON object as the model wrote it.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for the model.
    pub fn parse_request(name: &str, arguments: &str) -> Result<LookupRequest, String> {
        let tool = Self::from_name(name).ok_or_else(|| format!("There is no tool {name:?}."))?;
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        let arguments: Map<String, Value> = serde_json::from_str(arguments)
            .map_err(|error| format!("The arguments of {name} are not a JSON object ({error})."))?;
        let arguments = serde_json::from_value(json!({ name: arguments })).map_err(|why| format!("{name}: {why}."))?;
        let (object, first, last) = match arguments {
            ToolArguments::Search { words } => (words, None, None),
            ToolArguments::Read { path, first_line, last_line } => (path, first_line, last_line),
            ToolArguments::Open { address, from } => (address, from, None),
            ToolArguments::Find { query } => (query, None, None),
        };
        tool.request(&object, first, last).map_err(|why| format!("{name}: {why}."))
    }
}

fn check_object(text: &str) -> Result<String, String> {
    let text = text.trim();
    match text.len() {
        0 => Err("nothing is asked for".into()),
        1..=OBJECT_BYTES_MAX => Ok(text.to_owned()),
        _ => Err(format!("more than {OBJECT_BYTES_MAX} bytes are asked for")),
    }
}

/// A number as models write one: in quotes or not.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenNumber {
    Number(u32),
    Quoted(String),
    Other(IgnoredAny),
}

/// The number of a line, in quotes or not; null is none.
fn read_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let Some(written) = Option::deserialize(deserializer)? else { return Ok(None) };
    let number = match written {
        WrittenNumber::Number(number) => Some(number),
        WrittenNumber::Quoted(text) => text.trim().parse().ok(),
        WrittenNumber::Other(_) => None,
    };
    number.filter(|number| *number > 0).map(Some).ok_or_else(|| D::Error::custom("a line is a number from 1 on"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_writes_for_a_tool_is_read_or_refused_with_the_reason() {
        let read = |first, last| LookupRequest::Read { path: "a.rs".into(), first, last };
        for (name, arguments, wanted) in [
            ("search", r#"{"words": " fn main "}"#, LookupRequest::Search { words: "fn main".into() }),
            ("read", r#"{"path": "a.rs"}"#, read(None, None)),
            ("read", r#"{"path": "a.rs", "first_line": "3", "last_line": 9}"#, read(Some(3), Some(9))),
            ("read", r#"{"path": "a.rs", "first_line": null}"#, read(None, None)),
            ("find", r#"{"query": "查询"}"#, LookupRequest::Find { query: "查询".into() }),
        ] {
            assert_eq!(LookupTool::parse_request(name, arguments), Ok(wanted), "{arguments}");
        }
        let long = format!(r#"{{"words": "{}"}}"#, "x".repeat(3_000));
        for (name, arguments, why) in [
            ("shell", "{}", "There is no tool \"shell\"."),
            ("search", "", "search: missing field `words`."),
            ("search", "ls -la", "The arguments of search are not a JSON object"),
            ("search", "[1]", "The arguments of search are not a JSON object"),
            ("search", r#"{"words": "a", "path": "/"}"#, "unknown field"),
            ("search", r#"{"words": "  "}"#, "nothing is asked for"),
            ("search", &long, "more than 2000 bytes"),
            ("read", r#"{"path": "a", "first_line": 0}"#, "a line is a number from 1 on"),
            ("read", r#"{"path": "a", "first_line": -4}"#, "a line is a number from 1 on"),
        ] {
            let said = LookupTool::parse_request(name, arguments).unwrap_err();
            assert!(said.contains(why), "{arguments}: {said}");
        }
    }
}
