//! What the rules decided: redactions first, then the rest that a reader may ask about.

use agon_core::{Event, RulingKind};

use super::{
    super::{Block, ReportInput},
    format_entry,
};
use crate::ruling_view::RulingView;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let shown = |kind: RulingKind| {
        !matches!(kind, RulingKind::Phase | RulingKind::Noted | RulingKind::Scored | RulingKind::Warned)
    };
    let views = crate::views_of(scene.record);
    let is_chair_ruling =
        |ruling| matches!(views.ruling_view(ruling), RulingView::LogEntry(entry) if entry.is_chair_ruling);
    let mut points: Vec<(u64, RulingKind, String)> = Vec::new();
    for at in scene.record.entries() {
        match &at.what {
            Event::Ruled { ruling, .. } if shown(ruling.kind) || is_chair_ruling(ruling) => {
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
        .map(|(seq, kind, text)| (format!("{} · {}", format_entry(seq), ruling_word(kind)), text))
        .collect();
    if points.is_empty() { Vec::new() } else { vec![Block::Points { points, grave: false }] }
}

fn ruling_word(kind: RulingKind) -> &'static str {
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
