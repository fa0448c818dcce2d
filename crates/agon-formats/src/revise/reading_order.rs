//! The debate in reading order: versions as quotes, critiques in their sections, and the result.

use agon_core::RulingKind;
use agon_protocols::revise::{
    critique::{Critique, weakness_id as id},
    names,
    state::RoundStatus,
};
use agon_text::markdown::{escape_line, escape_sentence, escape_start};

use super::{REDACTED, ReviseInput, document, result};
use crate::markup::{join_lines, render_bullets};

pub(super) fn render_reading_order(scene: &ReviseInput<'_>) -> String {
    let mut blocks = Vec::new();
    let mut title = format!("## Initial {}s", scene.state.setup.mode.name());
    for author in scene.state.present_authors() {
        let Some(version) = scene.state.find_version(author, 0) else { continue };
        blocks.extend((!title.is_empty()).then(|| std::mem::take(&mut title)));
        blocks.push(format!("### {}", escape_line(scene.author_name(author))));
        blocks.push(quote_or_redact(version.text.as_deref()));
    }
    if blocks.is_empty() {
        blocks.push("No first version exists yet.".into());
    }
    for number in 1..=scene.state.rounds.len() as u32 {
        blocks.extend(render_round(scene, number));
    }
    blocks.extend(render_joined(scene));
    blocks.join("\n\n")
}

fn render_round(scene: &ReviseInput<'_>, number: u32) -> Vec<String> {
    let round = &scene.state.rounds[number as usize - 1];
    let mut blocks = vec![format!("## Round {number}")];
    for held in &round.critiques {
        let [critic, target] = [held.critic, held.target].map(|author| escape_line(scene.author_name(author)));
        blocks.push(format!("### {critic} on the {} of {target}", scene.state.setup.mode.name()));
        match &held.critique {
            Some(critique) => blocks.extend(render_critique(critique)),
            None => blocks.push(REDACTED.into()),
        }
    }
    for held in &round.revisions {
        let name = escape_line(scene.author_name(held.author));
        blocks.push(format!("### {name} revises ({})", names::version_file(&scene.state.setup, held.author, number)));
        let Some(revision) = &held.revision else {
            blocks.push(REDACTED.into());
            continue;
        };
        let points = revision.points.iter().map(|point| {
            let verb = if point.defended { "defended" } else { "addressed" };
            format!("{}, {verb}: {}", id(point.weakness), escape_line(&point.words))
        });
        blocks.extend((!revision.points.is_empty()).then(|| render_bullets(points)));
        blocks.push(quote_or_redact(Some(&revision.document)));
    }
    match &round.check {
        None => blocks.push("The round has not ended.".into()),
        Some(check) => blocks.push(match check.status {
            RoundStatus::Complete => "The authors have not converged.".into(),
            RoundStatus::Converged => {
                format!("The authors have converged: {}", escape_sentence(&check.reason))
            }
            RoundStatus::Failed => format!("The round is incomplete: {}", escape_sentence(&check.reason)),
        }),
    }
    blocks
}

fn render_critique(critique: &Critique) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut list = |title: &str, entries: Vec<String>| {
        if !entries.is_empty() {
            blocks.push(format!("**{title}**\n\n{}", render_bullets(entries)));
        }
    };
    list("Strengths", critique.strengths.iter().map(|text| escape_start(text)).collect());
    let weaknesses = critique.weaknesses.iter();
    let weaknesses =
        weaknesses.map(|w| format!("{} at {}: {}", w.severity.name(), escape_line(&w.place), escape_line(&w.problem)));
    list("Weaknesses", weaknesses.collect());
    let disagreements = critique.disagreements.iter();
    let disagreements =
        disagreements.map(|d| format!("{}, {}: {}", d.severity.name(), escape_line(&d.point), escape_line(&d.reason)));
    list("Disagreements", disagreements.collect());
    list("Concessions", critique.concessions.iter().map(|text| escape_start(text)).collect());
    blocks
}

/// What was joined, with the synthesizer's notes, as a quote: its headings are not the transcript's.
fn render_joined(scene: &ReviseInput<'_>) -> Option<String> {
    let joined = result::render_result(scene)?;
    let name = names::result_file(scene.state.setup.mode);
    let heading = scene.state.setup.mode.pick(["Result", "Verdict", "Result"]);
    Some(format!("## {heading} ({name})\n\n{}", quote_text(&joined)))
}

fn quote_or_redact(text: Option<&str>) -> String {
    text.map_or_else(|| REDACTED.to_owned(), |text| quote_text(&document::guard_document(text)))
}

/// `text` as a quote: whatever structure it has stays within.
fn quote_text(text: &str) -> String {
    join_lines(text.trim_end().lines().map(|line| if line.is_empty() { ">".into() } else { format!("> {line}") }), "")
}

/// Warnings that a run says at its end: what each was about, and the warning.
pub(super) fn list_warnings(scene: &ReviseInput<'_>) -> Vec<String> {
    let rulings = scene.view.rulings_of_kind(RulingKind::Warned);
    let told = rulings.map(|(key, ruling)| {
        let of = key.as_str().strip_suffix("/warned").unwrap_or(key.as_str());
        escape_line(&format!("{of}: {}", ruling.text))
    });
    told.collect()
}
