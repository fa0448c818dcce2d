//! The files of the duel, as its source system has them: the debate artifact, and the events that
//! its participants emit.
//!
//! [`artifact`] holds an artifact as plain values and writes it, [`read`] reads it back and checks
//! it, so that files of other programs can be checked too ([`findings`]); [`draw`] makes it of a record.

pub mod artifact;
mod basis;
mod body;
mod continued;
mod decision;
pub mod draw;
pub mod events;
pub mod findings;
mod graph;
mod html;
mod import;
pub mod read;
mod reading_order;
pub mod turns;
mod views;

use agon_core::{Record, View};
use agon_protocols::duel::{history::History, outcome::closing_name};
use agon_text::markdown::escape_line;

use crate::{File, Format, import::ImportReader, imported, views::Views};

/// `debates/{date}-{slug}.md`.
pub struct DuelArtifact;

const PROTOCOL: &str = "duel";

impl Format for DuelArtifact {
    fn name(&self) -> &'static str {
        PROTOCOL
    }

    fn about(&self) -> &'static str {
        "the debate artifact of a duel: its turns and its conclusion in one Markdown file"
    }

    fn draw(&self, record: &Record) -> Vec<File> {
        // The first write makes the file: joining alone leaves none.
        imported::files(record, |record| match is_begun(record) {
            true => vec![File::new(draw::path(record), drawn(record))],
            false => Vec::new(),
        })
    }

    fn complete(&self, record: &Record) -> Option<String> {
        let outcome = record.closed()?;
        let history = History::of(&View::whole(record));
        let participants = history.members.iter().map(|member| {
            format!(
                "{} ({} / {})",
                escape_line(&member.name),
                escape_line(draw::harness(record)),
                escape_line(draw::model(record, &member.seat))
            )
        });
        Some(format!(
            "## Socratic Duel Run Complete\n\n**Outcome**: {}\n**Debate Artifact**: {}\n**Duel ID**: {}\n**Participants**: {}\n**Closure**: {}\n",
            closing_name(outcome),
            draw::path(record),
            record.opened().debate,
            participants.collect::<Vec<_>>().join(", "),
            escape_line(&outcome.told()),
        ))
    }

    fn reading(&self, record: &Record) -> Option<String> {
        Some(reading_order::render(record))
    }

    fn has_artifact(&self) -> bool {
        true
    }

    fn views(&self) -> &dyn Views {
        self
    }

    fn reader(&self) -> Option<&'static ImportReader> {
        Some(&import::READER)
    }
}

/// The artifact of a record; of a duel that was taken over, with everything that stood there before.
fn drawn(record: &Record) -> String {
    let artifact = draw::artifact(record);
    match draw::original(record) {
        Some((_, original)) => continued::of(record, original, &artifact),
        None => artifact.render(),
    }
}

/// Whether there is something to write: a turn, or an end.
fn is_begun(record: &Record) -> bool {
    record.closed().is_some() || record.ruling(&agon_core::Key::of("turn-1/accepted")).is_some()
}
