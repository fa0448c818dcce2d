//! The summary at the end of a panel.

use agon_core::{Record, Standing, View};
use agon_protocols::panel::state::Panel;
use agon_text::markdown::{escape_line, escape_prose};

use crate::markup::render_bullets;

/// Outcome, where each disagreement stands, and what can be done next; `None` while it continues.
pub(super) fn of(record: &Record) -> Option<String> {
    let outcome = record.closing_outcome()?;
    let panel = Panel::of(&View::of_whole_record(record));
    let mut blocks = vec![escape_prose(&outcome.render_summary())];
    let states = panel.disagreements.iter().map(|about| {
        format!("{} {}: {}", about.id, format!("{:?}", about.state).to_lowercase(), escape_line(&about.topic))
    });
    blocks.extend((!panel.disagreements.is_empty()).then(|| render_bullets(states)));
    let id = &record.opened().debate;
    if outcome.standing == Standing::Valid && panel.is_spent() {
        blocks.push("Everything is settled: more exchanges would find nothing to ask about.".into());
        return Some(blocks.join("\n\n"));
    }
    blocks.push(match outcome.standing {
        Standing::Valid => {
            format!("`agon extend {id} --rounds N` asks N questions more and opens again what was left open.")
        }
        Standing::Void => format!("`agon extend {id} --rounds N` asks the missing seats again."),
    });
    Some(blocks.join("\n\n"))
}
