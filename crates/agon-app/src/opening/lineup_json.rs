//! The line-up as JSON, for every protocol that takes one: a list of debaters, or a file with that list, as other
//! programs configure their debates by.

use std::collections::BTreeMap;

use agon_protocols::common::fields::one_line;
use agon_runtime::config::with_provider;
use serde::Deserialize;
use serde_json::Value;

use super::{
    limits::FileRounds,
    member::{Lineup, MemberRequest},
};
use crate::request::{DebaterConfig, MemberDetails};

/// Such a file, or its list of debaters alone. What else it holds is its program's own.
#[derive(Debug, Default, Deserialize)]
struct LineupConfig {
    topic: Option<String>,
    min_rounds: Option<u32>,
    max_rounds: Option<u32>,
    time_budget_minutes: Option<u32>,
    #[serde(default)]
    output_dir: Value,
    debaters: Option<Vec<DebaterConfig>>,
    #[serde(default)]
    models: BTreeMap<String, String>,
}

impl DebaterConfig {
    /// The member that it describes, answered by `fallback` where it names no model.
    pub fn into_member(self, fallback: Option<&String>) -> std::result::Result<MemberRequest, String> {
        let mut details = MemberDetails::new();
        for (name, value) in self.details {
            let text =
                parse_detail(&value).ok_or_else(|| format!("{name} of the debater {:?} must be a text", self.name))?;
            if !text.is_empty() {
                details.insert(name, text.into());
            }
        }
        let model = self.model.filter(|model| !model.trim().is_empty());
        Ok(MemberRequest {
            name: one_line(&self.name),
            persona: self.persona.map(|text| one_line(&text)).filter(|text| !text.is_empty()),
            model: model.as_ref().or(fallback).map(|model| with_provider(model)),
            details,
        })
    }
}

/// The line-up in such a file, or what is wrong with it.
pub fn parse_lineup_json(text: &str) -> std::result::Result<Lineup, String> {
    let text = text.trim_start_matches('\u{feff}');
    let config: LineupConfig = if text.trim_start().starts_with('[') {
        let debaters = serde_json::from_str(text).map_err(|error| error.to_string())?;
        LineupConfig { debaters: Some(debaters), ..LineupConfig::default() }
    } else {
        serde_json::from_str(text).map_err(|error| error.to_string())?
    };
    let Some(debaters) = config.debaters else { return Err("it has no list of debaters".into()) };
    // A debater without a model has the reporter's there.
    let fallback = config.models.get("reporter");
    let members = debaters.into_iter().map(|debater| debater.into_member(fallback));
    let members = members.collect::<std::result::Result<Vec<_>, String>>()?;
    let mut notes = Vec::new();
    if !(config.output_dir.is_null() || config.output_dir == "") {
        notes.push(format!("its output_dir {} is ignored; use --out to choose the folder", config.output_dir));
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
fn parse_detail(value: &Value) -> Option<String> {
    match value.as_array() {
        Some(items) => {
            let texts = items.iter().map(|item| item.as_str().map(one_line));
            Some(texts.collect::<Option<Vec<_>>>()?.join("; "))
        }
        None if value.is_null() => Some(String::new()),
        None => value.as_str().map(one_line),
    }
}
