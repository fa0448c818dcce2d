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
use agon_protocols::panel::{state::Panel, transcript};
use agon_text::markdown;

use crate::{File, Format, views::Views};

/// `transcript.md` and `synthesis.md`.
pub struct PanelFiles;

const PROTOCOL: &str = "panel";

impl Format for PanelFiles {
    fn name(&self) -> &'static str {
        PROTOCOL
    }

    fn about(&self) -> &'static str {
        "a panel's transcript with its questions and notes, and the synthesis"
    }

    fn draw(&self, record: &Record) -> Vec<File> {
        let panel = Panel::of(&View::whole(record));
        let text = shown(&panel);
        let mut files = vec![File::new("transcript.md", format!("{text}\n"))];
        files.extend(synthesis::render(record, &panel, &text).map(|text| File::new("synthesis.md", text)));
        files
    }

    fn complete(&self, record: &Record) -> Option<String> {
        completion::of(record)
    }

    fn reading(&self, record: &Record) -> Option<String> {
        Some(shown(&Panel::of(&View::whole(record))))
    }

    fn views(&self) -> &dyn Views {
        self
    }
}

/// The transcript for readers of Markdown: the same lines, with markup in what was said guarded.
fn shown(panel: &Panel) -> String {
    transcript::render(panel, markdown::escape_prose)
}
