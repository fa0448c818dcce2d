//! The files of critique and revision, as their source system has them.
//!
//! Critiques, revisions and logs are written and read on plain values, so that folders made elsewhere
//! can be read; [`ReviseFiles`] draws them from a record, with every text guarded.

mod basis;
mod completion;
pub mod critique;
mod decision;
pub mod document;
mod graph;
mod history;
mod html;
mod import;
pub mod joined;
pub mod log;
mod reading_order;
mod result;
pub mod revision;
mod views;

use std::sync::Arc;

use agon_core::{Record, View};
use agon_protocols::revise::{
    names,
    review::{self, ReviewVerdict},
    setup::{ReviseMode, Setup},
    state::{Criticised, ReviseState, Version},
};
use agon_text::markdown::escape_line;

use self::{critique::CritiqueFile, revision::RevisionFile};
use crate::{File, Format, import::ImportReader, imported, views::Views};

/// The versions, the critiques, `debate_log.md`, and `PLAN.md`, `REVIEW.md` or `SYNTHESIS.md`.
pub struct ReviseFiles;

const PROTOCOL: &str = "revise";
const LOG: &str = "debate_log.md";
/// What stands in the place of a text that may not be shown.
const REDACTED: &str = "This text was redacted.";

impl Format for ReviseFiles {
    fn name(&self) -> &'static str {
        PROTOCOL
    }

    fn description(&self) -> &'static str {
        "the folder of a critique-revise debate: every version and critique, the log and the result"
    }

    fn draw_files(&self, record: &Record) -> Vec<File> {
        imported::merge_originals(record, draw_revise_files, |_, _| true, continue_log)
    }

    fn draw_completion(&self, record: &Record) -> Option<String> {
        ReviseInput::of(record).map(|scene| completion::of(&scene))
    }

    fn draw_reading_order(&self, record: &Record) -> Option<String> {
        ReviseInput::of(record).map(|scene| reading_order::render_reading_order(&scene))
    }

    fn views(&self) -> &dyn Views {
        self
    }

    fn import_reader(&self) -> Option<&'static ImportReader> {
        Some(&import::READER)
    }
}

/// The log that others began, with the rounds that it does not hold and the outcome.
fn continue_log(path: &str, original: &str, now: &str) -> Option<String> {
    const OUTCOME: &str = "\n### Outcome";
    if path != LOG {
        return None;
    }
    let held: Vec<&str> = original.lines().filter(|line| line.starts_with("### Round ")).collect();
    let heading = |at: usize| now[at + 1..].lines().next().unwrap_or_default();
    let (from, _) = now.match_indices("\n### ").find(|(at, _)| !held.contains(&heading(*at)))?;
    let kept = original[..original.rfind(OUTCOME).unwrap_or(original.len())].trim_end();
    Some(format!("{kept}\n{}", &now[from..]))
}

fn draw_revise_files(record: &Record) -> Vec<File> {
    let Some(scene) = ReviseInput::of(record) else { return Vec::new() };
    let mut files = scene.render_document_files();
    files.extend(history::render_history(&scene, &files).map(|log| File::new(LOG, log)));
    files.extend(result::render_result(&scene).map(|text| File::new(names::result_file(scene.setup.mode), text)));
    files
}

/// A debate as its files look at it.
struct ReviseInput<'r> {
    record: &'r Record,
    view: View<'r>,
    setup: Setup,
    state: Arc<ReviseState>,
}

impl<'r> ReviseInput<'r> {
    /// Nothing where the debate could not begin.
    fn of(record: &'r Record) -> Option<Self> {
        let setup = Setup::of(record.opened()).ok()?;
        let view = View::of_whole_record(record);
        let state = ReviseState::of(&view, &setup);
        Some(Self { record, view, setup, state })
    }

    fn author_name(&self, author: usize) -> &str {
        &self.setup.authors[author].name
    }

    /// Versions and critiques, in the order they were written.
    fn render_document_files(&self) -> Vec<File> {
        let mut files = Vec::new();
        for author in self.state.present_authors() {
            files.extend(self.state.versions[author].iter().find(|version| version.round == 0).map(|initial| {
                File::new(names::version_file(&self.setup, author, 0), self.render_first_version(author, initial))
            }));
        }
        for (round, number) in self.state.rounds.iter().zip(1_u32..) {
            files.extend(round.critiques.iter().map(|held| {
                let name = names::critique_file(&self.setup, held.critic, held.target, number);
                File::new(name, self.render_critique(held, number))
            }));
            files.extend(round.revisions.iter().map(|held| {
                let name = names::version_file(&self.setup, held.author, number);
                let text = self.build_revision_file(held.author, number).map(|file| file.render());
                File::new(name, text.unwrap_or_else(|| format!("{REDACTED}\n")))
            }));
        }
        files
    }

    fn render_first_version(&self, author: usize, version: &Version) -> String {
        match &version.text {
            Some(text) => document::guard_document(&self.recount_closing_record(author, text, version)) + "\n",
            None => format!("{REDACTED}\n"),
        }
    }

    fn render_critique(&self, held: &Criticised, round: u32) -> String {
        let Some(critique) = held.critique.clone() else { return format!("{REDACTED}\n") };
        let source = format!("{} {}", self.author_name(held.target), self.setup.mode.title());
        CritiqueFile { source, round, critique }.render()
    }

    /// The revision of an author in a round; nothing where it was redacted.
    fn build_revision_file(&self, author: usize, round: u32) -> Option<RevisionFile> {
        let held = self.state.rounds.get(round as usize - 1)?.revisions.iter().find(|held| held.author == author)?;
        let mut file = RevisionFile::of(self.setup.mode, round, held.revision.as_ref()?);
        if let Some(version) = self.state.versions[author].iter().find(|version| version.round == round) {
            file.document = self.recount_closing_record(author, &file.document, version);
        }
        Some(file)
    }

    /// A document as its file has it: a review's closing record is counted again.
    fn recount_closing_record(&self, author: usize, text: &str, version: &Version) -> String {
        if self.setup.mode != ReviseMode::Review {
            return text.to_owned();
        }
        let reviewed = version.to_review();
        let Some(verdict) = reviewed.verdict() else { return text.to_owned() };
        let counts = agon_protocols::revise::critique::Severity::ALL.map(|severity| reviewed.count_findings(severity));
        let stated = reviewed.stated.filter(|stated| *stated != verdict);
        let stated =
            stated.map(|stated| format!("it states {}, its findings lead to {}", stated.name(), verdict.name()));
        let unread: Vec<&str> = reviewed.unread_findings().map(|finding| finding.id.as_str()).collect();
        let unread = (!unread.is_empty()).then(|| format!("severity not read of {}", unread.join(", ")));
        let kept = version.withdrawn.iter().map(|finding| escape_line(&finding.text));
        let kept = kept.map(|text| format!("withdrawn by its author without reason, and it stands: {text}"));
        let notes: Vec<String> = stated.into_iter().chain(unread).chain(kept).collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        let record = self.verdict_record(verdict, &self.setup.authors[author].label, counts, note.as_deref());
        format!("{}\n\n{record}", review::without_record(text))
    }

    /// The closing record of a review: `counts` are of high, medium and low severity; `note` is what they do
    /// not say.
    fn verdict_record(&self, verdict: ReviewVerdict, reviewer: &str, counts: [usize; 3], note: Option<&str>) -> String {
        let [high, medium, low] = counts;
        let notes = note.map(|note| format!("notes: {}\n", serde_json::json!(note))).unwrap_or_default();
        format!(
            "```yaml\nsentinel: review-verdict\nphase: {}\nstatus: {}\nreviewer: {reviewer}\nseverity_high: {high}\nseverity_medium: {medium}\nseverity_low: {low}\n{notes}```",
            self.setup.phase,
            verdict.closing_status(),
        )
    }

    /// File of the latest version of an author.
    fn latest_version_file(&self, author: usize) -> Option<String> {
        Some(names::version_file(&self.setup, author, self.state.latest_version(author)?.round))
    }

    /// What a heading calls the phase of the work.
    fn phase_title(&self) -> String {
        let phase = self.setup.phase;
        self.setup.title.as_deref().map_or_else(
            || format!("Phase {phase}"),
            |title| format!("Phase {phase} — {}", agon_text::markdown::escape_title(title)),
        )
    }
}
