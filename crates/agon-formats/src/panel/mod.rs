//! The files of the panel protocol, in the layout of its source system: the transcript, and the
//! synthesis, which holds the transcript whole.

mod basis;
mod completion;
mod decision;
mod graph;
mod html;
pub mod synthesis;
mod views;

use agon_core::{Record, View};
use agon_protocols::panel::{disagreement::DisagreementState, state::Panel, transcript};
use agon_text::markdown;

use crate::{File, Format, views::Views};

/// `transcript.md` and `synthesis.md`.
pub struct PanelFiles;

const PROTOCOL: &str = "panel";

impl Format for PanelFiles {
    fn name(&self) -> &'static str {
        PROTOCOL
    }

    fn description(&self) -> &'static str {
        "a panel's transcript with its questions and notes, and the synthesis"
    }

    fn draw_files(&self, record: &Record) -> Vec<File> {
        let panel = Panel::of(&View::of_whole_record(record));
        let text = render_guarded_transcript(&panel);
        let mut files = vec![File::new("transcript.md", format!("{text}\n"))];
        files.extend(synthesis::render_synthesis(record, &panel, &text).map(|text| File::new("synthesis.md", text)));
        files
    }

    fn draw_completion(&self, record: &Record) -> Option<String> {
        completion::of(record)
    }

    fn draw_reading_order(&self, record: &Record) -> Option<String> {
        Some(render_guarded_transcript(&Panel::of(&View::of_whole_record(record))))
    }

    fn views(&self) -> &dyn Views {
        self
    }
}

/// The transcript for readers of Markdown: the same lines, with markup in what was said guarded.
fn render_guarded_transcript(panel: &Panel) -> String {
    transcript::render_transcript(panel, markdown::escape_prose)
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
