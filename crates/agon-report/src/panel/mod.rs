//! The files of the panel protocol, in the layout of its source system: the transcript, and the
//! synthesis, which holds the transcript whole.

mod basis;
mod html;
pub mod synthesis;
mod views;

use agon_core::{Record, Standing, View};
use agon_protocols::panel::{disagreement::DisagreementState, state::Panel, transcript};
use agon_text::markdown::{escape_line, escape_prose};

use crate::{File, Format, markup::render_bullets};

/// `transcript.md` and `synthesis.md`.
pub static FORMAT: Format = Format {
    draw_completion,
    draw_reading_order: |record| Some(render_guarded_transcript(&Panel::from_view(&View::of_whole_record(record)))),
    views: &views::PanelViews,
    ..Format::new("panel", "a panel's transcript with its questions and notes, and the synthesis", |record, _, _| {
        let panel = Panel::from_view(&View::of_whole_record(record));
        let text = render_guarded_transcript(&panel);
        let mut files = vec![File::new("transcript.md", format!("{text}\n"))];
        files.extend(synthesis::render_synthesis(record, &panel, &text).map(|text| File::new("synthesis.md", text)));
        files
    })
};

/// Outcome, where each disagreement stands, and what can be done next; `None` while it continues.
fn draw_completion(record: &Record) -> Option<String> {
    let outcome = record.closing_outcome()?;
    let panel = Panel::from_view(&View::of_whole_record(record));
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

/// The transcript for readers of Markdown: the same lines, with markup in what was said guarded.
fn render_guarded_transcript(panel: &Panel) -> String {
    transcript::render_transcript(panel, escape_prose)
}

/// Where a disagreement stands, in a word.
fn state_word(state: DisagreementState) -> &'static str {
    match state {
        DisagreementState::Active => "open",
        DisagreementState::Converged => "converged",
        DisagreementState::Deadlocked => "deadlocked",
        DisagreementState::Unresolved => "unresolved",
    }
}
