//! What the rules decided: redactions first, then the rest that a reader may ask about.

use agon_core::{Event, Ruling, RulingKind};

use super::{
    super::{Block, ReportInput},
    entry,
};

pub(super) fn blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let shown = |kind: RulingKind| {
        !matches!(kind, RulingKind::Phase | RulingKind::Noted | RulingKind::Scored | RulingKind::Warned)
    };
    let mut points: Vec<(u64, RulingKind, String)> = Vec::new();
    for at in scene.record.entries() {
        match &at.what {
            Event::Ruled { ruling, .. } if shown(ruling.kind) || is_chairs(ruling) => {
                points.push((at.seq, ruling.kind, ruling.text.clone()));
            }
            Event::Extended { .. } => {
                points.push((at.seq, RulingKind::Phase, "The limits of the debate were raised.".into()))
            }
            _ => {}
        }
    }
    points.sort_by_key(|(seq, kind, _)| (*kind != RulingKind::Redacted, *seq));
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

fn word(kind: RulingKind) -> &'static str {
    match kind {
        RulingKind::Lineup => "line-up",
        RulingKind::Converged => "converged",
        RulingKind::Deadlocked => "deadlocked",
        RulingKind::Redacted => "redacted",
        RulingKind::Absent => "absent",
        RulingKind::Invalidated => "invalidated",
        RulingKind::Warned => "warned",
        RulingKind::Scored => "scored",
        RulingKind::Phase => "extended",
        RulingKind::Noted => "ruled",
    }
}
