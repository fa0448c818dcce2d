//! `metadata.json`: figures of a debate. All but the agents are counted from the log. And `debate-config.json`: topic,
//! limits, line-up and models, as the source system configures them.

use agon_core::Limits;
use agon_protocols::chaired::{
    TIME_BUDGET_MINUTES,
    verification::{LoggedResult, SourceStatus},
};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{DebateView, find_log_conclusion, log::LogEntry, log_line::ROLES, redaction_reasons, slug};
use crate::python_json::{self, read_items, read_leniently};

/// What is read again of a `debate-config.json`; what is of another form there counts as left out.
#[serde_with::apply(_ => #[serde(default, deserialize_with = "read_leniently")])]
#[derive(Debug, Default, Deserialize)]
pub struct ChairedConfig {
    /// What is debated.
    pub topic: Option<String>,
    /// Fewest rounds.
    pub min_rounds: Option<u64>,
    /// Most rounds.
    pub max_rounds: Option<u64>,
    /// How long the debate may take.
    pub time_budget_minutes: Option<u64>,
    /// The folder of its files.
    pub output_dir: Option<String>,
    /// Who debates.
    #[serde_with(skip_apply)]
    #[serde(default, deserialize_with = "read_items")]
    pub debaters: Vec<ConfiguredDebater>,
}

/// A debater of a [`ChairedConfig`].
#[serde_with::apply(_ => #[serde(default, deserialize_with = "read_leniently")])]
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ConfiguredDebater {
    /// As the log calls it.
    pub name: Option<String>,
    /// Its background.
    pub persona: String,
    /// What it argues for.
    pub starting_position: String,
    /// What it wants.
    pub incentives: String,
}

/// The file of a debate; `entries` with redacted ones hidden.
pub fn render_metadata(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let model = |seat: &str| seat_model(debate, seat);
    let debaters = debate.debaters.0.iter().map(|d| json!({"name": d.name, "model": model(d.seat.as_str())}));
    let mut metadata = json!(compute_metadata(&debate.record.opened().motion, entries));
    // The log holds results alone; a source without one would be missing from the figures. A file that was
    // taken over counts as its system does.
    for status in [SourceStatus::Unverified, SourceStatus::Unchecked] {
        let count = debate.findings.iter().filter(|found| found.status == status).count();
        if count > 0 && debate.record.opened().import_details().is_none() {
            metadata["verification_results"][status.name()] = count.into();
        }
    }
    metadata["agents"] = json!({
        "chair": model("chair"), "debaters": debaters.collect::<Vec<_>>(), "reporter": model("reporter"),
        "verifier": model("verifier"), "audience": model("audience"), "assessor": model("assessor"),
    });
    python_json::render_indented_json(&metadata) + "\n"
}

/// What a log tells, in the order of the file. Times, outcome and reason are null while there are
/// none.
pub fn compute_metadata(topic: &str, entries: &[LogEntry]) -> impl Serialize {
    let outcome = find_log_conclusion(entries);
    let end = outcome.and(entries.iter().rev().find(|entry| entry.kind == "conclusion"));
    let struck = redaction_reasons(entries).into_iter().map(|(seq, reason)| {
        let speaker = entries.iter().find(|entry| entry.seq == seq).map(|entry| &entry.speaker);
        json!({"seq": seq, "speaker": speaker, "reason": reason})
    });
    let struck: Vec<_> = struck.collect();
    let results = list_verification_results(entries);
    let count = |status: &str| results.iter().filter(|(_, found)| found.status.as_deref() == Some(status)).count();
    json!({
        "topic": topic,
        "topic_slug": slug::abbreviate_topic(topic),
        "debate_start": entries.first().map(|entry| &entry.timestamp),
        "debate_end": end.map(|entry| &entry.timestamp),
        "total_rounds": count_rounds(entries),
        "outcome": outcome.map(|(outcome, _)| outcome),
        "outcome_reason": outcome.map(|(_, reason)| reason),
        "total_entries": entries.len(),
        "redaction_count": struck.len(),
        "redactions": struck,
        "verification_results": {
            "verified": count("verified"), "unreliable": count("unreliable"), "fabricated": count("fabricated"),
        },
    })
}

/// Rounds that were begun.
pub fn count_rounds(entries: &[LogEntry]) -> usize {
    let begins = |entry: &&LogEntry| {
        entry.kind == "announcement" && entry.content.starts_with("Round ") && entry.content.contains(" beginning.")
    };
    entries.iter().filter(begins).count()
}

/// Verification results, each with the number of its entry; of a source that was looked up again the last.
pub fn list_verification_results(entries: &[LogEntry]) -> Vec<(u64, LoggedResult)> {
    let mut latest: Vec<(u64, LoggedResult)> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.kind == "verification_result") {
        let Some(result) = LoggedResult::parse(&entry.content) else { continue };
        let about = (result.verified_seq, &result.url);
        match latest.iter_mut().find(|(_, known)| known.url.is_some() && (known.verified_seq, &known.url) == about) {
            Some(known) => *known = (entry.seq, result),
            None => latest.push((entry.seq, result)),
        }
    }
    latest
}

/// Option that names the folder of a debate's files, as it is seen from where the debate was opened.
pub const OUTPUT_DIR: &str = "output_dir";

/// The file, with what the debate was opened with.
pub fn render_config(debate: &DebateView<'_>) -> String {
    let opened = debate.record.opened();
    let Limits { rounds, rounds_min, .. } = &opened.limits;
    let minutes = opened.options.get("time_budget_minutes").cloned();
    let model = |seat: &str| seat_model(debate, seat);
    let debaters = debate.debaters.0.iter().map(|debater| {
        // The name of a seat names nobody when the file is read again.
        let name = if debater.name == debater.seat.as_str() { &debater.title } else { &debater.name };
        json!({
            "name": name, "persona": debater.persona, "starting_position": debater.position,
            "incentives": debater.incentives, "model": model(debater.seat.as_str()),
        })
    });
    let config = json!({
        "topic": opened.motion,
        "min_rounds": rounds_min.unwrap_or(3).min(*rounds),
        "max_rounds": rounds,
        "time_budget_minutes": minutes.unwrap_or_else(|| TIME_BUDGET_MINUTES.into()),
        "output_dir": opened.options.get(OUTPUT_DIR).cloned().unwrap_or_else(|| format!("output/{}", folder_name(debate)).into()),
        "debaters": debaters.collect::<Vec<_>>(),
        "models": ROLES.iter().map(|role| (role, model(role))).collect::<IndexMap<_, _>>(),
    });
    python_json::render_indented_json(&config) + "\n"
}

/// The folder that the source system would write to: time of the setup, and the topic.
fn folder_name(debate: &DebateView<'_>) -> String {
    let opened =
        debate.record.entries().first().map(|entry| super::truncate_to_seconds(&entry.at.0)).unwrap_or_default();
    let time: String = opened.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    format!("{time}-{}", slug::abbreviate_topic(&debate.record.opened().motion))
}

/// The model that a seat was given.
fn seat_model(debate: &DebateView<'_>, seat: &str) -> String {
    let sat = debate.record.opened().lineup.iter().find(|sat| sat.seat.as_str() == seat);
    sat.map(|sat| sat.model.clone()).unwrap_or_default()
}
