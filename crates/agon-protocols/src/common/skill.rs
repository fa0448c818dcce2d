//! The skills that agents get: what they must know to hold a debate with the command line.

use agon_core::{Manifest, MotionKind, Protocol};
use serde_json::json;

/// The skill of `protocol` for agents of `version` of the program: its own, or one that its manifest fills.
pub fn draw_skill(protocol: &dyn Protocol, version: &str) -> String {
    let own = protocol.skill_text().map(str::to_owned);
    own.unwrap_or_else(|| describe_manifest(protocol.manifest())).replace("{{version}}", version)
}

fn describe_manifest(manifest: &Manifest) -> String {
    let item = |name: &str, about: &str| format!("- `{name}`: {about}\n");
    let seats = manifest.seats.iter().map(|seat| item(&seat.name, &seat.about)).collect();
    let outcomes = manifest.outcomes.iter().map(|outcome| item(&outcome.name, &outcome.about)).collect();
    let when = manifest.ask.as_ref().map(|ask| format!(" Use when {}.", ask.why)).unwrap_or_default();
    let motion = match manifest.motion {
        _ if manifest.needs_material => "--context FILE",
        MotionKind::Text => "\"QUESTION\"",
        MotionKind::Document => "FILE.md",
    };
    let filled = [
        // What JSON quotes, YAML does.
        ("{{description}}", json!(format!("{}.{when}", manifest.summary)).to_string()),
        ("{{title}}", agon_text::humanize_name(&manifest.name)),
        ("{{name}}", manifest.name.clone()),
        ("{{summary}}", manifest.summary.clone()),
        ("{{seats}}\n", seats),
        ("{{outcomes}}\n", outcomes),
        ("{{motion}}", motion.to_owned()),
    ];
    let template = include_str!("prompts/skill.md").to_owned();
    filled.into_iter().fold(template, |text, (place, words)| text.replace(place, &words))
}
