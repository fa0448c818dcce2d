//! The files of critique and revision, as their source system has them.
//!
//! Critiques, revisions and logs are written and read on plain values, so that folders made elsewhere
//! can be read; [`FORMAT`] draws them from a record, with every text guarded.

mod completion;
pub mod critique;
mod graph;
mod history;
mod html;
mod import;
pub mod joined_document;
pub mod log;
mod result;
pub mod revision;
mod views;

use std::sync::Arc;

use agon_core::{Record, View};
use agon_protocols::revise::{
    artifact_names,
    critique::Severity,
    joint_findings::Unified,
    review::{self, ReviewVerdict},
    settings::ReviseMode,
    state::{Criticised, ReviseState, Version},
    synthesis::Synthesis,
};
use agon_text::markdown::{escape_line, escape_title};

use self::{critique::CritiqueFile, revision::RevisionFile};
use crate::{File, Format, document, imported_files};

/// The versions, the critiques, `debate_log.md`, and `PLAN.md`, `REVIEW.md` or `SYNTHESIS.md`.
pub static FORMAT: Format = Format {
    draw_completion: |record| ReviseInput::from_record(record).map(|scene| completion::render_completion(&scene)),
    views: &views::ReviseViews,
    import_reader: Some(&import::READER),
    ..Format::new(
        PROTOCOL,
        "the folder of a critique-revise debate: every version and critique, the log and the result",
        |record, _, _| imported_files::merge_originals(record, draw_revise_files, |_, _| true, continue_log),
    )
};

const PROTOCOL: &str = "revise";
const LOG: &str = "debate_log.md";
/// What stands in the place of a text that may not be shown.
const REDACTED: &str = "This text was redacted.";

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
    let Some(scene) = ReviseInput::from_record(record) else { return Vec::new() };
    let mut files = scene.render_document_files();
    files.extend(history::render_history(&scene, &files).map(|log| File::new(LOG, log)));
    files.extend(
        result::render_result(&scene).map(|text| File::new(artifact_names::result_file(scene.state.setup.mode), text)),
    );
    files
}

/// A debate as its files look at it.
struct ReviseInput<'r> {
    record: &'r Record,
    view: View<'r>,
    state: Arc<ReviseState>,
}

impl<'r> ReviseInput<'r> {
    /// Nothing where the debate could not begin.
    fn from_record(record: &'r Record) -> Option<Self> {
        let view = View::of_whole_record(record);
        Some(Self { record, view, state: ReviseState::from_view(&view)? })
    }

    /// What joins the last versions, as it was accepted: a document, or the findings of a review.
    fn read_joined(&self) -> (Option<Synthesis>, Option<Unified>) {
        (self.state.read_synthesis(&self.view), self.state.read_unified_list(&self.view))
    }

    fn author_name(&self, author: usize) -> &str {
        &self.state.setup.authors[author].name
    }

    /// Versions and critiques, in the order they were written.
    fn render_document_files(&self) -> Vec<File> {
        let (mut files, setup) = (Vec::new(), &self.state.setup);
        let mut add = |name: String, text: Option<String>| {
            files.push(File::new(name, text.unwrap_or_else(|| format!("{REDACTED}\n"))));
        };
        for author in self.state.present_authors() {
            if let Some(version) = self.state.find_version(author, 0) {
                let text = version.text.as_ref().map(|text| self.recount_closing_record(author, text, version));
                let text = text.map(|text| document::guard_document(&text) + "\n");
                add(artifact_names::version_file(setup, author, 0), text);
            }
        }
        for (round, number) in self.state.rounds.iter().zip(1_u32..) {
            for held in &round.critiques {
                let name = artifact_names::critique_file(setup, held.critic, held.target, number);
                add(name, self.render_critique(held, number));
            }
            for held in &round.revisions {
                let text = self.build_revision_file(held.author, number).map(|file| file.render());
                add(artifact_names::version_file(setup, held.author, number), text);
            }
        }
        files
    }

    fn render_critique(&self, held: &Criticised, round: u32) -> Option<String> {
        let source = format!("{} {}", self.author_name(held.target), self.state.setup.mode.title());
        Some(CritiqueFile { source, round, critique: held.critique.clone()? }.render())
    }

    /// The revision of an author in a round; nothing where it was redacted.
    fn build_revision_file(&self, author: usize, round: u32) -> Option<RevisionFile> {
        let held = self.state.rounds.get(round as usize - 1)?.revisions.iter().find(|held| held.author == author)?;
        let mut file = RevisionFile::from_revision(self.state.setup.mode, round, held.revision.as_ref()?);
        if let Some(version) = self.state.find_version(author, round) {
            file.document = self.recount_closing_record(author, &file.document, version);
        }
        Some(file)
    }

    /// A document as its file has it: a review's closing record is counted again.
    fn recount_closing_record(&self, author: usize, text: &str, version: &Version) -> String {
        if self.state.setup.mode != ReviseMode::Review {
            return text.to_owned();
        }
        let reviewed = version.to_review();
        let Some(verdict) = reviewed.verdict() else { return text.to_owned() };
        let counts = Severity::ALL.map(|severity| reviewed.count_findings(severity));
        let stated = reviewed.stated.filter(|stated| *stated != verdict).map(ReviewVerdict::name);
        let stated = stated.map(|stated| format!("it states {stated}, its findings lead to {}", verdict.name()));
        let unread: Vec<&str> = reviewed.unread_findings().map(|finding| finding.id.as_str()).collect();
        let unread = (!unread.is_empty()).then(|| format!("severity not read of {}", unread.join(", ")));
        let kept = version.withdrawn.iter().map(|finding| escape_line(&finding.text));
        let kept = kept.map(|text| format!("withdrawn by its author without reason, and it stands: {text}"));
        let notes: Vec<String> = stated.into_iter().chain(unread).chain(kept).collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        let record = self.verdict_record(verdict, &self.state.setup.authors[author].label, counts, note.as_deref());
        format!("{}\n\n{record}", review::without_record(text))
    }

    /// The closing record of a review: `counts` are of high, medium and low severity; `note` is what they do
    /// not say.
    fn verdict_record(&self, verdict: ReviewVerdict, reviewer: &str, counts: [usize; 3], note: Option<&str>) -> String {
        let [high, medium, low] = counts;
        let notes = note.map(|note| format!("notes: {}\n", serde_json::json!(note))).unwrap_or_default();
        format!(
            "```yaml\nsentinel: review-verdict\nphase: {}\nstatus: {}\nreviewer: {reviewer}\nseverity_high: {high}\nseverity_medium: {medium}\nseverity_low: {low}\n{notes}```",
            self.state.setup.phase,
            verdict.closing_status(),
        )
    }

    /// What a heading calls the phase of the work.
    fn phase_title(&self) -> String {
        let setup = &self.state.setup;
        let title = setup.title.as_deref().map(|title| format!(" — {}", escape_title(title))).unwrap_or_default();
        format!("Phase {}{title}", setup.phase)
    }
}
