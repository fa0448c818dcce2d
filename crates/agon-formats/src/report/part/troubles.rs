//! What did not work: before anything that a reader might rely on.

use agon_core::Kind;

use super::{
    super::{Block, Scene},
    counted, sources,
};
use crate::conduct;

pub(super) fn blocks(scene: &Scene<'_>) -> Vec<Block> {
    let record = scene.record;
    let mut points: Vec<(String, String)> = Vec::new();
    let mut say = |text: String| points.push((String::new(), text));
    conduct::absences(record).into_iter().for_each(&mut say);
    conduct::troubles(record).into_iter().filter(|text| !text.contains("warning")).for_each(&mut say);
    if let Some(text) = centred(scene) {
        say(text);
    }
    sources::troubles(scene).into_iter().for_each(&mut say);
    for (of, text) in conduct::warnings(record) {
        points.push((of.to_owned(), text.to_owned()));
    }
    match points.is_empty() {
        true => vec![Block::Prose(
            "Nothing to report: every seat that was asked answered, nothing was asked for again, and nothing was redacted.".into(),
        )],
        false => vec![Block::Points { points, grave: true }],
    }
}

/// Judgments whose scores had to be moved to sum to zero.
fn centred(scene: &Scene<'_>) -> Option<String> {
    let scored: Vec<_> =
        scene.record.rulings().filter(|(_, _, ruling)| ruling.kind == Kind::Scored).collect();
    let moved = scored.iter().filter(|(_, _, ruling)| {
        let mut scores = ruling.data["scores"].as_array().into_iter().flatten();
        scores.any(|score| score["raw"].is_number())
    });
    let moved = moved.count();
    (moved > 0).then(|| {
        format!(
            "In {moved} of {} the judge's scores did not sum to zero and were centred; the table of judgments shows both.",
            counted(scored.len(), "judgment")
        )
    })
}
