//! `debate-config.json`: topic, limits, line-up and models, as the source system configures them.

use agon_core::Limits;
use agon_protocols::chaired::TIME_BUDGET_MINUTES;
use serde_json::json;

use super::{DebateView, slug};
use crate::json;

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
        "models": {
            "chair": model("chair"), "reporter": model("reporter"), "verifier": model("verifier"),
            "audience": model("audience"), "assessor": model("assessor"),
        },
    });
    json::render_indented_json(&config) + "\n"
}

/// The folder that the source system would write to: time of the setup, and the topic.
fn folder_name(debate: &DebateView<'_>) -> String {
    let opened =
        debate.record.entries().first().map(|entry| super::truncate_to_seconds(&entry.at.0)).unwrap_or_default();
    let time: String = opened.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    format!("{time}-{}", slug::of(&debate.record.opened().motion))
}

/// The model that a seat was given.
pub fn seat_model(debate: &DebateView<'_>, seat: &str) -> String {
    let sat = debate.record.opened().lineup.iter().find(|sat| sat.seat.as_str() == seat);
    sat.map(|sat| sat.model.clone()).unwrap_or_default()
}
