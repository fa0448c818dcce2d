//! A participant that says what a file tells it: for tests, demonstrations, and protocols that are
//! being written. `docs/scripted.md` describes the file.

use std::{fs::File, io::Read, path::Path, time::Duration};

use agon_core::{FailureKind, Usage, sample};
use agon_text::count_noun;
use serde::{Deserialize, de::Error as _};
use serde_json::{Map, Value, json};

use super::{Answer, Call, CallFailure, Deltas, Participant};
use crate::lookups::{RequestedLookups, ToolCall};

/// Longest script: what is named may be a pipe or a device, which need not end.
const SCRIPT_BYTES_MAX: u64 = 64 << 20;

/// Replies in order, or rules by key pattern.
#[derive(Debug, Clone)]
enum Script {
    /// The seat's n-th answer is the n-th of these.
    Replies(Vec<Cue>),
    /// The first rule whose pattern fits the key answers.
    Rules(Vec<Rule>),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
struct Rule {
    /// A key, with `*` for any part of it.
    key: String,
    line: Cue,
}

impl TryFrom<Map<String, Value>> for Rule {
    type Error = serde_json::Error;
    fn try_from(mut fields: Map<String, Value>) -> Result<Self, Self::Error> {
        let key = fields.remove("key").ok_or_else(|| serde_json::Error::missing_field("key"))?;
        Ok(Self { key: serde_json::from_value(key)?, line: serde_json::from_value(fields.into())? })
    }
}

/// A reply by itself, or a [`Cue`] where it names one of a cue's fields.
fn read_reply(value: Value) -> Result<Cue, serde_json::Error> {
    let is_cue = ["reply", "sample", "fail"].iter().any(|field| value.get(field).is_some());
    if is_cue { serde_json::from_value(value) } else { Ok(Cue { reply: Some(value), ..Cue::default() }) }
}

/// What happens at one call.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Cue {
    /// What is said: a text, or any other JSON value, which is said as JSON.
    reply: Option<Value>,
    /// What it looks up before it answers, each `{"tool": …}` with what the tool takes.
    lookups: Vec<ScriptedLookup>,
    /// Says the shortest answer that fits the schema.
    sample: bool,
    /// Fails: `transient`, `unavailable`, or a kind of failure such as `refused`.
    fail: Option<String>,
    /// Waits first, in milliseconds.
    delay_ms: u64,
    /// Only for the first so many attempts of a request; later ones go to the next rule.
    attempts: Option<u32>,
}

/// A tool, and what it takes.
#[derive(Debug, Clone, Deserialize)]
struct ScriptedLookup {
    #[serde(default)]
    tool: String,
    #[serde(flatten)]
    arguments: Map<String, Value>,
}

impl Cue {
    fn is_one(&self) -> bool {
        self.reply.is_some() || self.sample || self.fail.is_some()
    }
}

/// A participant that follows a script.
#[derive(Debug, Clone)]
pub struct Scripted {
    script: Script,
    name: String,
}

impl Scripted {
    /// Reads the script at `path`; says in one line what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let fault = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let mut text = String::new();
        // A pipe is opened only when someone writes to it, and a folder cannot be read.
        let kind = std::fs::metadata(path).map_err(|error| fault(&error))?;
        if !kind.is_file() {
            return Err(fault(&"a script must be a regular file"));
        }
        let file = File::open(path).map_err(|error| fault(&error))?;
        file.take(SCRIPT_BYTES_MAX + 1).read_to_string(&mut text).map_err(|error| fault(&error))?;
        if text.len() as u64 > SCRIPT_BYTES_MAX {
            return Err(fault(&"a script must not exceed 64 MB"));
        }
        Self::parse(&text, &path.display().to_string()).map_err(|why| format!("{}: {why}", path.display()))
    }

    /// The script in `text`; `name` is what failures call it.
    pub fn parse(text: &str, name: &str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let script = match serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))? {
            Value::Array(replies) => replies.into_iter().map(read_reply).collect::<Result<_, _>>().map(Script::Replies),
            rules => ScriptRules::deserialize(rules).map(|script| Script::Rules(script.rules)),
        };
        let script = script.map_err(|error| {
            format!("a script is a list of replies, or {{\"rules\": [{{\"key\": …, \"reply\": …}}]}}: {error}")
        })?;
        if let Script::Rules(rules) = &script
            && let Some(rule) = rules.iter().find(|rule| !rule.line.is_one())
        {
            return Err(format!("the rule for {:?} has neither reply nor sample nor fail", rule.key));
        }
        Ok(Self { script, name: name.to_owned() })
    }

    fn find_cue(&self, call: &Call) -> Result<Cue, String> {
        match &self.script {
            Script::Replies(lines) => lines.get(call.turn as usize).cloned().ok_or_else(|| {
                format!("it has {}, but {} needs another", count_noun(lines.len(), "reply", "replies"), call.key)
            }),
            Script::Rules(rules) => {
                let fits = |rule: &&Rule| {
                    matches_pattern(&rule.key, call.key.as_str())
                        && rule.line.attempts.is_none_or(|most| call.attempt < most)
                };
                let rule = rules.iter().find(fits);
                rule.map(|rule| rule.line.clone()).ok_or_else(|| format!("no rule for {}", call.key))
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptRules {
    rules: Vec<Rule>,
}

#[async_trait::async_trait]
impl Participant for Scripted {
    async fn answer(&self, call: &Call, deltas: &dyn Deltas) -> Result<Answer, CallFailure> {
        let cue = self.find_cue(call).map_err(|why| CallFailure::Unavailable {
            message: format!("the script {} has no reply: {why}", self.name),
            remedy: "add a reply or a rule to it".into(),
        })?;
        tokio::time::sleep(Duration::from_millis(cue.delay_ms)).await;
        if let Some(fail) = &cue.fail {
            return Err(build_failure(fail));
        }
        let text = match cue.reply {
            Some(Value::String(text)) => text,
            Some(value) => value.to_string(),
            None => sample::sample_answer(call.schema.as_deref(), call.seed),
        };
        let usage = Usage {
            requests: 1,
            prompt_tokens: call.prompt_bytes().div_ceil(4) as u64,
            completion_tokens: text.len().div_ceil(4) as u64,
            ..Usage::default()
        };
        let made = call.lookups.as_ref().map_or(0, |lookups| lookups.turns.len());
        if let Some(wanted) = cue.lookups.get(made).filter(|_| call.may_look_up()) {
            let arguments = json!(wanted.arguments).to_string();
            let called = ToolCall { name: wanted.tool.clone(), arguments, ..ToolCall::default() };
            let requested = Box::new(RequestedLookups { calls: vec![called], ..Default::default() });
            return Err(CallFailure::LooksUp { requested, usage: Some(usage) });
        }
        deltas.push_delta(&text);
        Ok(Answer { text, usage: Some(usage), model: Some("scripted".into()), engine: None })
    }

    fn can_look_up(&self) -> bool {
        match &self.script {
            Script::Replies(lines) => lines.iter().any(|line| !line.lookups.is_empty()),
            Script::Rules(rules) => rules.iter().any(|rule| !rule.line.lookups.is_empty()),
        }
    }
}

fn build_failure(name: &str) -> CallFailure {
    let message = format!("scripted: {name}");
    let kind = serde_json::from_value::<FailureKind>(name.into());
    let usage = Some(Usage { requests: 1, ..Usage::default() });
    match (name, kind) {
        ("transient", _) => CallFailure::Transient { message, retry_after: None, usage },
        (_, Ok(kind)) => CallFailure::Answered { kind, message, usage },
        _ => CallFailure::Unavailable { message, remedy: "change the script".into() },
    }
}

/// Whether `pattern`, in which `*` stands for any text, fits all of `key`.
fn matches_pattern(pattern: &str, key: &str) -> bool {
    let Some((start, pattern)) = pattern.split_once('*') else { return pattern == key };
    let Some(mut rest) = key.strip_prefix(start) else { return false };
    let (parts, end) = pattern.rsplit_once('*').unwrap_or(("", pattern));
    for part in parts.split('*') {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_keys() {
        for (pattern, key, fits) in [
            ("*", "a/b", true),
            ("a/b", "a/b", true),
            ("a/b", "a/bc", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*bc", "a-bc", false),
            (&"*a".repeat(40), &format!("{}b", "a".repeat(400)), false),
            ("exchange-*/judgment", "exchange-001/judgment", true),
            ("exchange-*/judgment", "exchange-001/judgment/redraft-1", false),
            ("exchange-*/judgment*", "exchange-001/judgment/redraft-1", true),
            ("*/redraft-*", "a/redraft-1", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches_pattern(pattern, key), fits, "{pattern} {key}");
        }
    }

    #[test]
    fn a_wrong_script_is_named() {
        for bad in [
            "",
            "{}",
            "{\"rules\": 1}",
            "{\"rules\": [{\"reply\": \"x\"}]}",
            "{\"rules\": [{\"key\": \"*\"}]}",
            "{\"rules\": [{\"key\": \"*\", \"sample\": true, \"delay\": 5}]}",
            "{\"rule\": []}",
        ] {
            assert!(Scripted::parse(bad, "s").is_err(), "{bad}");
        }
        assert!(Scripted::parse(r#"["a", {"reply": {"b": 1}}, {"sample": true}]"#, "s").is_ok());
    }
}
