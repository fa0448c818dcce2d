//! Lines of a batch: the options of `run` by their names, and the debate that each line means.

use std::collections::BTreeMap;

use agon_core::Digest;
use clap::{CommandFactory, FromArgMatches};
use serde_json::{Map, Value};

use crate::{
    cli::{Cli, Command, RunArgs},
    failure::{Failure, Result},
};

/// Options of `run` that mean nothing in a file.
const NOT_HERE: [&str; 6] = ["plan", "output", "quiet", "help", "version", "yes"];
/// Characters of a key in the id of a debate that its line does not name.
const KEY_CHARS: usize = 16;

/// A debate that a line asks for. The same line means the same debate, whenever the file is run.
#[derive(Debug)]
pub struct Wanted {
    /// As `run` would be told, always with an id.
    pub args: RunArgs,
    /// Whether the line names that id.
    pub is_named: bool,
    /// What the line says, but for the id: equal for equal options, however they are written down.
    pub key: Digest,
}

/// What the lines of a file ask for, each with its number from 1; blank ones are left out.
pub fn read(text: &str) -> Vec<(usize, Result<Wanted>)> {
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    let mut equal: BTreeMap<Digest, usize> = BTreeMap::new();
    // What a command line may hold is worked out once.
    let mut known = Cli::command();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(at, line)| (at + 1, one(line, &mut known)));
    let settled = read.map(|(number, wanted)| {
        let wanted = wanted.and_then(|mut wanted| {
            if let Some(id) = wanted.args.id.clone() {
                if let Some(other) = named.insert(id.clone(), number) {
                    named.insert(id.clone(), other);
                    return Err(wrong(format!("the id {id:?} is that of line {other}")));
                }
                return Ok(wanted);
            }
            let count = equal.entry(wanted.key.clone()).or_default();
            *count += 1;
            let id = &wanted.key.as_str()[..KEY_CHARS];
            wanted.args.id = Some(match count {
                1 => format!("batch-{id}"),
                count => format!("batch-{id}-{count}"),
            });
            Ok(wanted)
        });
        (number, wanted)
    });
    settled.collect()
}

fn wrong(message: String) -> Failure {
    Failure::usage(message, "see agon run --help; one JSON object a line")
}

fn one(line: &str, known: &mut clap::Command) -> Result<Wanted> {
    let object = match agon_core::parse::strict(line) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return Err(wrong("not a JSON object".into())),
        Err(error) => return Err(wrong(format!("not a JSON object: {error}"))),
    };
    let mut said = object.clone();
    said.remove("id");
    let key = Digest::of(sorted(said.into()).to_string());
    let args = options(object, known)?;
    Ok(Wanted { is_named: args.id.is_some(), args, key })
}

/// The same value with every key in its place in the alphabet, and without what is null.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let object = object.into_iter().filter(|(_, value)| !value.is_null());
            let ordered: BTreeMap<String, Value> = object.map(|(key, value)| (key, sorted(value))).collect();
            Value::Object(ordered.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

/// A line as `agon run` would take it: every option of `run` under its own name.
fn options(object: Map<String, Value>, known: &mut clap::Command) -> Result<RunArgs> {
    let mut object = object;
    let mut text = |name: &str| match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(format!("{name:?} must be a text"))),
    };
    let (protocol, motion) = (text("protocol")?, text("motion")?);
    let protocol = protocol.ok_or_else(|| wrong("it names no \"protocol\"".into()))?;
    let mut words = vec!["agon".to_owned(), "run".into()];
    for (name, value) in object {
        words.extend(flags(&name, value).map_err(wrong)?);
    }
    words.extend(["--".into(), protocol]);
    words.extend(motion);
    let matches = known.try_get_matches_from_mut(words).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = matches.map_err(|error| {
        let text = error.render().to_string();
        let first = text.lines().next().unwrap_or_default();
        wrong(first.strip_prefix("error: ").unwrap_or(first).to_owned())
    })?;
    match cli.command {
        Command::Run(args) => Ok(*args),
        _ => Err(wrong("it is no debate".into())),
    }
}

/// One option as words of a command line.
fn flags(name: &str, value: Value) -> std::result::Result<Vec<String>, String> {
    let flag = match name {
        "seats" => "seat".to_owned(),
        "debaters" => "debater".to_owned(),
        "definitions" => "define".to_owned(),
        "drafts" => "draft".to_owned(),
        name => name.replace('_', "-"),
    };
    let plain = flag.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !flag.starts_with('-');
    if !plain || NOT_HERE.contains(&flag.as_str()) {
        return Err(format!("{name:?} is no option of a debate in a file"));
    }
    let one = |value: Value| match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(format!("{name:?} holds what is neither text nor number")),
    };
    Ok(match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Bool(true) => vec![format!("--{flag}")],
        Value::Array(models) if flag == "judges" => {
            let models: std::result::Result<Vec<String>, String> = models.into_iter().map(one).collect();
            vec![format!("--judges={}", models?.join(","))]
        }
        Value::Array(values) => {
            let words = values.into_iter().map(|value| Ok(format!("--{flag}={}", one(value)?)));
            words.collect::<std::result::Result<_, String>>()?
        }
        Value::Object(pairs) => {
            let words = pairs.into_iter().map(|(key, value)| Ok(format!("--{flag}={key}={}", one(value)?)));
            words.collect::<std::result::Result<_, String>>()?
        }
        value => vec![format!("--{flag}={}", one(value)?)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Wanted> {
        one(line, &mut Cli::command())
    }

    #[test]
    fn a_line_takes_the_options_of_run_by_their_names() {
        let args = parsed(
            r#"{"protocol": "exchange", "motion": "--not a flag", "rounds": 2, "seats": {"judge": "local"},
                "definitions": {"rest": "a pause"}, "max_requests": 9, "judges": ["a:x", "b:y", "c:z"],
                "self_judging": true, "mirror": false}"#,
        )
        .unwrap()
        .args;
        assert_eq!((args.motion.as_deref(), args.rounds.rounds), (Some("--not a flag"), Some(2)));
        assert_eq!(
            (args.seats.seats[0].as_str(), args.own.definitions[0].as_str()),
            ("judge=local", "rest=a pause")
        );
        assert_eq!(
            (args.budget.max_requests, args.judging.judges.as_deref()),
            (Some(9), Some("a:x,b:y,c:z"))
        );
        assert!(args.judging.self_judging && !args.judging.mirror);
    }

    #[test]
    fn a_line_that_is_no_debate_says_why() {
        for (line, says) in [
            ("[]", "not a JSON object"),
            (
                r#"{"protocol": "exchange", "motion": "x", "rounds": 1, "rounds": 2}"#,
                "\"rounds\" stands twice",
            ),
            (r#"{"motion": "x"}"#, "names no \"protocol\""),
            (r#"{"protocol": "exchange", "motion": 3}"#, "must be a text"),
            (r#"{"protocol": "exchange", "motion": "x", "plan": true}"#, "\"plan\" is no option"),
            (r#"{"protocol": "exchange", "motion": "x", "-x": true}"#, "is no option"),
            (r#"{"protocol": "exchange", "motion": "x", "runds": 2}"#, "--runds"),
            (r#"{"protocol": "exchange", "motion": "x", "rounds": [[1]]}"#, "neither text nor number"),
        ] {
            let error = parsed(line).unwrap_err();
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
            let read = read(text).into_iter();
            read.map(|(at, wanted)| (at, wanted.map(|w| w.args.id.unwrap()).map_err(|f| f.message))).collect()
        };
        let read = ids(text);
        let id = |at: usize| read[at].1.clone().unwrap();
        assert_eq!(read.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1, 2, 4, 5, 6]);
        assert!(id(0).starts_with("batch-") && id(0).len() == 6 + KEY_CHARS);
        assert_eq!(id(1), format!("{}-2", id(0)), "the second of two equal ones");
        assert_ne!(id(0), id(2));
        assert_eq!(id(3), "mine");
        assert_eq!(read[4].1, Err("the id \"mine\" is that of line 5".into()));
        assert_eq!(ids(text), read, "whenever it is read");
        assert_eq!(ids(text.lines().nth(3).unwrap())[0].1, Ok(id(2)), "wherever it stands");
    }
}
