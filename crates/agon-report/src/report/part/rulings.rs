//! What the rules decided: redactions first, then the rest that a reader may ask about.

use agon_core::{Event, RulingKind};

use super::{Block, ReportInput, format_entry, ruling_word};
use crate::ruling_view::RulingView;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let shown = |kind: RulingKind| {
        !matches!(kind, RulingKind::Phase | RulingKind::Noted | RulingKind::Scored | RulingKind::Warned)
    };
    let views = crate::views_of(scene.record);
    let is_chair_ruling =
        |ruling| matches!(views.ruling_view(ruling), RulingView::LogEntry(entry) if entry.is_chair_ruling);
    let points = scene.record.entries().iter().filter_map(|at| match &at.what {
        Event::Ruled { ruling, .. } if shown(ruling.kind) || is_chair_ruling(ruling) => {
            Some((at.seq, ruling.kind, ruling.text.as_str()))
        }
        Event::Extended { .. } => Some((at.seq, RulingKind::Phase, "The limits of the debate were raised.")),
        _ => None,
    });
    let mut points: Vec<_> = points.collect();
    points.sort_by_key(|(seq, kind, _)| (*kind != RulingKind::Redacted, *seq));
    let rename_kind = |kind| match kind {
        RulingKind::Lineup => "line-up".to_owned(),
        RulingKind::Phase => "extended".to_owned(),
        RulingKind::Noted => "ruled".to_owned(),
        kind => ruling_word(kind),
    };
    let points = points.into_iter();
    let points =
        points.map(|(seq, kind, text)| (format!("{} · {}", format_entry(seq), rename_kind(kind)), text.to_owned()));
    vec![Block::Points { points: points.collect(), grave: false }]
}
