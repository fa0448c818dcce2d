//! Who takes part: members of a row of seats, named on the command line or in a file.

use std::{collections::BTreeMap, path::Path};

use agon_core::Manifest;
use agon_protocols::common::{fields::one_line, lineup::check_name};
use agon_runtime::config::with_provider;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{limits::FileRounds, lookalike::is_lookalike, text};
use crate::{
    cli::LineupArgs,
    failure::{Failure, Result},
};

/// Longest persona, in characters.
const PERSONA_CHARS_MAX: usize = 2_000;
/// Words that are no names in any debate, beside those of its seats: in a transcript they speak for
/// the debate itself.
const RESERVED: [&str; 10] = [
    "moderator",
    "chair",
    "judge",
    "verifier",
    "audience",
    "reporter",
    "assessor",
    "synthesizer",
    "system",
    "round",
];

/// Somebody who takes part.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Member {
    pub name: String,
    pub persona: Option<String>,
    /// Who answers, where the line-up says so.
    pub model: Option<String>,
    /// What else it says, by the protocol's names.
    pub details: Map<String, Value>,
}

/// What a line-up says.
#[derive(Debug, Default, PartialEq)]
pub struct Lineup {
    pub members: Vec<Member>,
    /// Who answers at other seats.
    pub models: BTreeMap<String, String>,
    pub topic: Option<String>,
    pub rounds: FileRounds,
    pub time_budget_minutes: Option<u32>,
    /// What a reader should know of how the file was taken.
    pub notes: Vec<String>,
}

/// The line-up that the command line gives.
pub fn given(args: &LineupArgs) -> Result<Lineup> {
    match &args.lineup {
        Some(path) => read(path),
        None => {
            let members = args.debaters.iter().map(|given| member(given)).collect();
            Ok(Lineup { members, ..Lineup::default() })
        }
    }
}

/// The line-up in a file: lines, or JSON.
fn read(path: &Path) -> Result<Lineup> {
    let text = text::document(path)?;
    if text.trim_start().starts_with(['{', '[']) {
        let mut lineup = from_json(&text).map_err(|why| {
            Failure::usage(
                format!("{}: {why}", path.display()),
                "a line-up in JSON is a list of debaters, or an object that holds one under \"debaters\"",
            )
        })?;
        lineup.notes.iter_mut().for_each(|note| *note = format!("{}: {note}", path.display()));
        return Ok(lineup);
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let parts: Vec<&str> = match lines.as_slice() {
        // The short form, as it is also written on one line.
        [line] => line.split(',').collect(),
        lines => lines.iter().map(|line| line.strip_prefix("- ").unwrap_or(line)).collect(),
    };
    Ok(Lineup { members: parts.into_iter().map(member).collect(), ..Lineup::default() })
}

/// `Name: persona`, or a name alone.
fn member(text: &str) -> Member {
    let (name, persona) = text.split_once(':').unwrap_or((text, ""));
    Member {
        name: one_line(name),
        persona: Some(one_line(persona)).filter(|persona| !persona.is_empty()),
        ..Member::default()
    }
}

/// The file of the chaired source system, or its list of debaters alone. What else such a file
/// holds is that system's own.
#[derive(Debug, Default, Deserialize)]
struct DebateConfig {
    topic: Option<String>,
    min_rounds: Option<u32>,
    max_rounds: Option<u32>,
    time_budget_minutes: Option<u32>,
    #[serde(default)]
    output_dir: Value,
    debaters: Option<Vec<Debater>>,
    #[serde(default)]
    models: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Debater {
    #[serde(default)]
    name: String,
    #[serde(alias = "role", alias = "background")]
    persona: Option<String>,
    model: Option<String>,
    #[serde(flatten)]
    details: Map<String, Value>,
}

fn from_json(text: &str) -> std::result::Result<Lineup, String> {
    let config: DebateConfig = if text.trim_start().starts_with('[') {
        let debaters = serde_json::from_str(text).map_err(|error| error.to_string())?;
        DebateConfig { debaters: Some(debaters), ..DebateConfig::default() }
    } else {
        serde_json::from_str(text).map_err(|error| error.to_string())?
    };
    let Some(debaters) = config.debaters else { return Err("it has no list of debaters".into()) };
    // That system gives a debater without a model the reporter's.
    let fallback = config.models.get("reporter");
    let members = debaters.into_iter().map(|debater| {
        let mut details = Map::new();
        for (name, value) in debater.details {
            let text = detail(&value)
                .ok_or_else(|| format!("{name} of the debater {:?} must be a text", debater.name))?;
            if !text.is_empty() {
                details.insert(name, text.into());
            }
        }
        let model = debater.model.filter(|model| !model.trim().is_empty());
        Ok(Member {
            name: one_line(&debater.name),
            persona: debater.persona.map(|text| one_line(&text)).filter(|text| !text.is_empty()),
            model: model.as_ref().or(fallback).map(|model| with_provider(model)),
            details,
        })
    });
    let members = members.collect::<std::result::Result<Vec<_>, String>>()?;
    let mut notes = Vec::new();
    if members.is_empty() {
        notes.push(
            "its list of debaters is empty, so nobody is named by it and the debate fills its seats".into(),
        );
    }
    if !(config.output_dir.is_null() || config.output_dir == "") {
        notes.push(format!("its output_dir {} is not followed; --out names the folder", config.output_dir));
    }
    Ok(Lineup {
        notes,
        members,
        models: config.models.into_iter().map(|(seat, model)| (seat, with_provider(&model))).collect(),
        topic: config.topic.filter(|topic| !topic.trim().is_empty()),
        rounds: FileRounds { min: config.min_rounds, max: config.max_rounds },
        time_budget_minutes: config.time_budget_minutes,
    })
}

/// A text, or a list of texts, on one line.
fn detail(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(one_line(text)),
        Value::Array(items) => {
            let texts = items.iter().map(|item| item.as_str().map(one_line));
            Some(texts.collect::<Option<Vec<_>>>()?.join("; "))
        }
        _ => None,
    }
}

/// Whether these may take part: as many as the protocol's row allows, each with a name of its own.
pub fn check(manifest: &Manifest, members: &[Member]) -> Result<()> {
    let Some((row, most)) = manifest.row() else { return Ok(()) };
    let count = members.len();
    if count > 0 && !(most.min as usize..=most.max as usize).contains(&count) {
        let has =
            if most.min == most.max { most.min.to_string() } else { format!("{} to {}", most.min, most.max) };
        return Err(Failure::usage(
            format!("the line-up has {count}, and {} has {has} at the seat {}", manifest.name, row.name),
            "name as many as that",
        ));
    }
    // A seat's name in a transcript means that seat.
    let reserved = manifest.seats.iter().map(|seat| seat.name.clone());
    let reserved: Vec<String> = reserved.chain(manifest.seat_names(Some(most.max))).collect();
    let reserved: Vec<&str> = reserved.iter().map(String::as_str).chain(RESERVED).collect();
    for (at, member) in members.iter().enumerate() {
        let fault = |why: String| Err(Failure::usage(format!("the line-up: {why}"), "name it otherwise"));
        if member.name.is_empty() {
            let what = if member.persona.is_some() { "a persona and no name" } else { "no name" };
            return fault(format!("number {} has {what}", at + 1));
        }
        let others = members[..at].iter().map(|other| other.name.as_str());
        if let Err(why) = check_name(&member.name, others.clone(), &reserved) {
            return fault(why);
        }
        if let Some(other) = others.into_iter().find(|other| is_lookalike(other, &member.name)) {
            return fault(format!("{other:?} and {:?} look the same in a transcript", member.name));
        }
        if let Some(role) = reserved.iter().find(|role| is_lookalike(role, &member.name)) {
            return fault(format!("{:?} looks like {role:?}, which is a role of the debate", member.name));
        }
        let persona = member.persona.as_deref().into_iter();
        let texts = persona.chain(member.details.values().filter_map(Value::as_str));
        if let Some(length) =
            texts.map(|text| text.chars().count()).find(|length| *length > PERSONA_CHARS_MAX)
        {
            return fault(format!(
                "what is said of {} has {length} characters, and at most {PERSONA_CHARS_MAX} are taken",
                member.name
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::testing::manifest;

    fn file(content: &str) -> Result<Lineup> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lineup");
        std::fs::write(&path, content).unwrap();
        read(&path)
    }

    fn names(content: &str) -> Vec<(String, Option<String>)> {
        file(content).unwrap().members.into_iter().map(|member| (member.name, member.persona)).collect()
    }

    #[test]
    fn members_stand_on_lines_or_on_one_line_with_commas() {
        let wanted =
            vec![("Ann".to_owned(), Some("engineer: systems".to_owned())), ("Bo Li".to_owned(), None)];
        assert_eq!(names("Ann: engineer: systems\n\n  Bo Li \n"), wanted);
        assert_eq!(names("- Ann: engineer:  systems\n- Bo Li:"), wanted);
        assert_eq!(names("Ann:engineer: systems, Bo Li"), wanted);
        assert_eq!(names("Ann: has, a comma\nBo: x")[0].1.as_deref(), Some("has, a comma"));
    }

    #[test]
    fn a_debate_config_becomes_members_models_rounds_and_topic() {
        let lineup = file(
            r#"{"topic": "T", "min_rounds": 2, "max_rounds": 4, "time_budget_minutes": 20, "output_dir": "",
                "debaters": [
                  {"name": "Ann", "persona": "P", "starting_position": "for", "incentives": ["a", "b"], "model": "gpt-5"},
                  {"name": "Bo", "role": "Q", "lens": "Market Realist"}],
                "models": {"chair": "claude-opus-4-6", "reporter": "local:small"}}"#,
        )
        .unwrap();
        assert_eq!(lineup.topic.as_deref(), Some("T"));
        assert_eq!(lineup.rounds, FileRounds { min: Some(2), max: Some(4) });
        assert_eq!(lineup.time_budget_minutes, Some(20));
        assert_eq!(lineup.models["chair"], "anthropic:claude-opus-4-6");
        let [ann, bo] = lineup.members.as_slice() else { panic!("{lineup:?}") };
        assert_eq!(
            (ann.model.as_deref(), ann.details["incentives"].as_str()),
            (Some("openai:gpt-5"), Some("a; b"))
        );
        assert_eq!((bo.model.as_deref(), bo.persona.as_deref()), (Some("local:small"), Some("Q")));
        assert_eq!(bo.details["lens"], "Market Realist");
    }

    #[test]
    fn files_that_are_no_line_up_say_where_and_why() {
        for (content, says) in [
            ("{\"topic\": 3}", "line 1"),
            ("{\"topic\": \"x\"}", "no list of debaters"),
            ("[{\"name\": 1}]", "line 1"),
            ("{\"debaters\": [{\"name\": \"A\", \"incentives\": 3}]}", "incentives of the debater \"A\""),
            ("{broken", "line 1"),
            ("", "is empty"),
        ] {
            let error = file(content).unwrap_err();
            assert!(error.message.contains(says) && error.exit == 2, "{content}: {}", error.message);
        }
    }

    #[test]
    fn members_that_cannot_take_part_are_refused() {
        let panel = manifest("panel");
        for (debaters, says) in [
            (&["Ann"][..], "has 1, and panel has 2 to 4 at the seat member"),
            (&["A", "B", "C", "D", "E"], "has 5"),
            (&["Ann", "ann"], "two are called \"Ann\""),
            (&["Ann", ""], "number 2 has no name"),
            (&["Ann", ":engineer"], "number 2 has a persona and no name"),
            (&["Ann", "Judge"], "is a role"),
            (&["Ann", "member-2"], "is a role"),
            (&["Ann", "Host"], "is a role"),
            (&["Ann", "SYSTEM"], "is a role"),
            (&["Ann", "**Bo**"], "does not begin with a letter"),
            (&["Ann", "Bo\u{1b}[2J"], "in it"),
            (&["Ann", &"x".repeat(41)], "longer than 40"),
            (&["Ann", &format!("Bo:{}", "x".repeat(2001))], "2001 characters"),
        ] {
            let members: Vec<Member> = debaters.iter().map(|given| member(given)).collect();
            let error = check(&panel, &members).expect_err(says);
            assert!(error.message.contains(says) && error.exit == 2, "{debaters:?}: {}", error.message);
        }
        assert!(check(&panel, &[]).is_ok());
        assert!(check(&panel, &[member("Ann:x"), member("Bo")]).is_ok());
    }
}
