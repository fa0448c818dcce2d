//! The files of the duel, as its source system has them: the debate artifact, and the events that
//! its participants emit.
//!
//! [`artifact`] holds an artifact as plain values and writes it, [`artifact_parser`] reads it back and checks
//! it, so that files of other programs can be checked too ([`findings`]); [`artifact_writer`] makes it of a record.

pub mod artifact;
pub mod artifact_parser;
pub mod artifact_writer;
mod basis;
mod body;
mod continued_artifact;
pub mod events;
pub mod findings;
mod html;
mod import;
pub mod turns;
mod views;

use agon_core::{Record, View};
use agon_protocols::duel::{outcome::closing_name, state::History};
use agon_text::markdown::escape_line;

use crate::{ArtifactForm, File, Format, imported_files};

/// `debates/{date}-{slug}.md`.
pub static FORMAT: Format = Format {
    draw_completion: |record| {
        let outcome = record.closing_outcome()?;
        let history = History::from_view(&View::of_whole_record(record));
        let participants = history.members.iter().map(|member| {
            let [name, harness, model] = [
                member.name.as_str(),
                artifact_writer::harness_name(record),
                artifact_writer::seat_model(record, &member.seat),
            ]
            .map(escape_line);
            format!("{name} ({harness} / {model})")
        });
        Some(format!(
            "## Socratic Duel Run Complete\n\n**Outcome**: {}\n**Debate Artifact**: {}\n**Duel ID**: {}\n**Participants**: {}\n**Closure**: {}\n",
            closing_name(outcome),
            artifact_writer::artifact_path(record),
            record.opened().debate,
            participants.collect::<Vec<_>>().join(", "),
            escape_line(&outcome.render_summary()),
        ))
    },
    artifact: Some(&ArtifactForm {
        title: "# Socratic Duel",
        digest_turns: turns::digest_turns,
        read: artifact_parser::summarise_artifact,
    }),
    views: &views::DuelViews,
    import_reader: Some(&import::READER),
    ..Format::new(
        PROTOCOL,
        "the debate artifact of a duel: its turns and its conclusion in one Markdown file",
        |record, _, _| {
            // The first write makes the file: joining alone leaves none.
            imported_files::draw_with_originals(record, |record| match is_begun(record) {
                true => vec![File::new(artifact_writer::artifact_path(record), render_artifact(record))],
                false => Vec::new(),
            })
        },
    )
};

const PROTOCOL: &str = "duel";

/// The artifact of a record; of a duel that was taken over, with everything that stood there before.
fn render_artifact(record: &Record) -> String {
    let artifact = artifact_writer::build_artifact(record);
    match artifact_writer::find_original_artifact(record) {
        Some((_, original)) => continued_artifact::continue_artifact(record, original, &artifact),
        None => artifact.render(),
    }
}

/// Whether there is something to write: a turn, or an end.
fn is_begun(record: &Record) -> bool {
    record.closing_outcome().is_some() || record.find_ruling(&agon_core::Key::from_parts("turn-1/accepted")).is_some()
}
