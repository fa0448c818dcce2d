//! What the rules decided: redactions first, then the rest that a reader may ask about.

use agon_core::{Kind, Ruling, What};

use super::{
    super::{Block, Scene},
    entry,
};

pub(super) fn blocks(scene: &Scene<'_>) -> Vec<Block> {
    let shown = |kind: Kind| !matches!(kind, Kind::Phase | Kind::Noted | Kind::Scored | Kind::Warned);
    let mut points: Vec<(u64, Kind, String)> = Vec::new();
    for at in scene.record.entries() {
        match &at.what {
            What::Ruled { ruling, .. } if shown(ruling.kind) || is_chairs(ruling) => {
                points.push((at.seq, ruling.kind, ruling.text.clone()));
            }
            What::Extended { .. } => {
                points.push((at.seq, Kind::Phase, "Somebody allowed the debate more.".into()))
            }
            _ => {}
        }
    }
    points.sort_by_key(|(seq, kind, _)| (*kind != Kind::Redacted, *seq));
    let points: Vec<(String, String)> = points
        .into_iter()
        .map(|(seq, kind, text)| (format!("{} · {}", entry(seq), word(kind)), text))
        .collect();
    if points.is_empty() { Vec::new() } else { vec![Block::Points { points, grave: false }] }
}

/// A ruling that a chair gives in a log of its own.
fn is_chairs(ruling: &Ruling) -> bool {
    ruling.data["type"] == "ruling" && ruling.data["speaker"] == "chair"
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Lineup => "line-up",
        Kind::Converged => "converged",
        Kind::Deadlocked => "deadlocked",
        Kind::Redacted => "redacted",
        Kind::Absent => "absent",
        Kind::Invalidated => "invalidated",
        Kind::Warned => "warned",
        Kind::Scored => "scored",
        Kind::Phase => "extended",
        Kind::Noted => "ruled",
    }
}
