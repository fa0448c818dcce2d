//! Pure projections of a record into the files people read: no disk, no clock, no network.
//!
//! A format turns a record into files; the caller writes them. Files list things in the protocol's order and contain
//! neither attempts nor durations nor costs, so equal replies give equal files; the report alone contains costs, and
//! is equal for equal records. The words of models and people are data: [`agon_text::markdown`] escapes them.
//!
//! - [`exchange`], [`duel`], [`revise`], [`panel`], [`chaired`], [`review`], [`declared`]: files, views and readers of each protocol
//! - [`transcript`], [`report`] (with its memo), [`record_jsonl`], [`tombstone_jsonl`], [`companion`]: files that every protocol has
//! - [`views`]: what reports, graph and pages show of a protocol; [`statement`]: a statement in parts, for any screen; [`summary`]: for pull requests and pipelines
//! - [`first_page`]: question, answer, what it rests on: what memo, report, pages and other programs show first
//! - [`page`]: the page of a debate, for report and browser
//! - [`ruling_view`]: what a ruling means beyond its text
//! - [`graph`]: the argument graph: edges, semantics, map, export; [`agreement`]: flips and Krippendorff's alpha
//! - [`extraction`]: what a model read out of the prose of a debate
//! - [`participation`]: who answered and what failed; [`cited_source`]: one source and what is known of it; [`material_places`]:
//!   places of the material that statements name
//! - [`import`], [`imported_files`]: files of other programs as answers; the files of an imported debate
//! - [`python_json`], [`slug`]: JSON as Python writes it; file names; `markup`: tables and lists of Markdown;
//!   `document`: whole documents in files

pub mod agreement;
pub mod baseline;
pub mod chaired;
pub mod cited_source;
pub mod companion;
pub mod declared;
mod document;
pub mod duel;
pub mod exchange;
pub mod extraction;
pub mod first_page;
mod foreign_time;
pub mod graph;
pub mod import;
pub mod imported_files;
mod markup;
pub mod material_places;
pub mod page;
pub mod panel;
pub mod participation;
pub mod python_json;
pub mod record_jsonl;
pub mod report;
pub mod review;
pub mod revise;
pub mod ruling_view;
pub mod slug;
pub mod statement;
pub mod summary;
pub mod tombstone_jsonl;
pub mod transcript;
pub mod views;

use std::borrow::Cow;

use agon_core::{Digest, Event, Record};
use agon_protocols::{NoRules, common::struck_text};
use serde::Serialize;

use crate::{import::ImportReader, views::Views};

/// One file of a debate: its path below the debate's folder, and its whole content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct File {
    /// Where, relative to the debate's directory, with `/` between its parts. Made of fixed words
    /// and checked ids only, so it never leaves the directory.
    pub path: String,
    /// What it holds, in UTF-8.
    pub content: String,
}

impl File {
    /// A file.
    pub fn new(path: impl Into<String>, content: impl Into<String>) -> Self {
        Self { path: path.into(), content: content.into() }
    }
}

/// A way to show a debate as files. Its functions are pure: the same record gives the same files, at any time of the
/// debate, half-way included. They draw a record that may be shown and whose protocol is that of the format.
pub struct Format {
    /// Its name on the command line. A protocol's own format bears the protocol's name.
    pub name: &'static str,
    /// One line: what it is.
    pub description: &'static str,
    /// The protocol whose debates it shows, where they were held by the rules of this version; `None` for any debate.
    pub protocol: Option<&'static str>,
    /// Draws the files, with an extraction of the debate for a format that shows the argument graph, and with the
    /// folder of the files for one that names others by their whole path.
    pub draw_files: fn(&Record, Option<&Record>, &str) -> Vec<File>,
    /// The path of the file that is append-only, and so keeps what was struck from the record.
    pub append_only: Option<&'static str>,
    /// The words of [`Format::render_completion`].
    pub draw_completion: fn(&Record) -> Option<String>,
    /// The debate in reading order for `transcript.md`, where the format knows its protocol better
    /// than a list of who said what.
    pub draw_reading_order: fn(&Record) -> Option<String>,
    /// The form of its file in `debates/`, where that is what participants go by, so that nobody may change it meanwhile.
    pub artifact: Option<&'static ArtifactForm>,
    /// The option of a debate that names the folder of its files, where one of them says it.
    pub folder_option: Option<&'static str>,
    /// Reads the motion of such a file, or the line among its definitions that defines nothing; `None` where the text is
    /// not of its form, so that all of it is the motion.
    pub read_motion: fn(&str) -> Option<Result<StatedMotion, String>>,
    /// What is shown of the protocol's debates in addition to these files.
    pub views: &'static dyn Views,
    /// How debates are read from such files, where they can be.
    pub import_reader: Option<&'static ImportReader>,
}

impl Format {
    /// One of the protocol `name` that draws files and no more.
    pub const fn new(
        name: &'static str,
        description: &'static str,
        draw_files: fn(&Record, Option<&Record>, &str) -> Vec<File>,
    ) -> Self {
        Self {
            name,
            description,
            protocol: Some(name),
            draw_files,
            append_only: None,
            draw_completion: |_| None,
            draw_reading_order: |_| None,
            artifact: None,
            folder_option: None,
            read_motion: |_| None,
            views: &views::Common,
            import_reader: None,
        }
    }

    /// Whether it shows `record`.
    pub fn can_show(&self, record: &Record) -> bool {
        self.protocol.is_none_or(|name| is_debate_of(record, name))
    }

    /// The files of `record` as they may be shown; none where this format does not [show](Format::can_show) it.
    pub fn render_files(&self, record: &Record) -> Vec<File> {
        self.render_in(record, None, "")
    }

    /// The same with an extraction of the debate, where the files are in `folder`.
    pub fn render_in(&self, record: &Record, extraction: Option<&Record>, folder: &str) -> Vec<File> {
        if !self.can_show(record) {
            return Vec::new();
        }
        let shown = struck_text::publishable_record(record);
        let mut files = (self.draw_files)(&shown, extraction, folder);
        if let (Cow::Owned(_), Some(path)) = (&shown, self.append_only) {
            for kept in (self.draw_files)(record, extraction, folder).into_iter().filter(|file| file.path == path) {
                files.iter_mut().filter(|file| file.path == path).for_each(|file| *file = kept.clone());
            }
        }
        files
    }

    /// What a run says when the debate has come to an end, where the protocol has words for it.
    pub fn render_completion(&self, record: &Record) -> Option<String> {
        self.can_show(record).then(|| (self.draw_completion)(&struck_text::publishable_record(record)))?
    }
}

/// A motion as a file of a format states it, with what everyone takes for granted.
#[derive(Debug, Default)]
pub struct StatedMotion {
    /// The motion itself.
    pub motion: String,
    /// Terms and what they mean; may be empty.
    pub definitions: Vec<(String, String)>,
    /// What belongs to the debate and what does not.
    pub scope: Option<String>,
}

/// How artifacts of one format are recognised and read, wherever they come from.
pub struct ArtifactForm {
    /// What every one begins with.
    pub title: &'static str,
    /// Number and digest of each turn, in the order of the text: enough to see that one was changed.
    pub digest_turns: fn(&str) -> Vec<(u32, Digest)>,
    /// What a text of this form says; `None` where it is of another.
    pub read: fn(&str) -> Option<ReadArtifact>,
}

/// What an artifact says of its debate. The rules of its format need not hold of it.
pub struct ReadArtifact {
    /// The debate that it names; may be empty.
    pub debate: String,
    /// The path of the document that it is about; may be empty.
    pub source_path: String,
    /// How many turns can be read.
    pub turns: usize,
    /// How it says that the debate ended, or the format's word for one that is open.
    pub outcome: String,
}

/// Every format. A new one is its module and its entry here.
pub static ALL: &[&Format] = &[
    &transcript::FORMAT,
    &report::FORMAT,
    &duel::FORMAT,
    &duel::events::FORMAT,
    &exchange::FORMAT,
    &revise::FORMAT,
    &panel::FORMAT,
    &chaired::FORMAT,
    &review::FORMAT,
];

/// The format called `name`; the transcript of a protocol that has none of its own.
pub fn find_format(name: &str) -> Option<&'static Format> {
    let named = ALL.iter().copied().find(|format| format.name == name);
    named.or_else(|| agon_protocols::ALL.iter().find(|protocol| protocol.name() == name).map(|_| &transcript::FORMAT))
}

/// The forms of artifacts that are known.
pub fn list_artifact_forms() -> impl Iterator<Item = &'static ArtifactForm> {
    ALL.iter().filter_map(|format| format.artifact)
}

/// The format that a debate's protocol has of its own. One that was declared in a file has none, whatever it is called,
/// and neither has one that was held by other rules than those of this version.
pub fn find_recorded_format(record: &Record) -> Option<&'static Format> {
    find_format(&record.opened().protocol).filter(|format| is_debate_of(record, format.name))
}

/// Whether `record` is a debate by the shipped protocol `name`, and was not held by other rules than those of this
/// version.
fn is_debate_of(record: &Record, name: &str) -> bool {
    let is_named = record.opened().protocol == name && !agon_protocols::declared::is_declared(record);
    is_named && !matches!(agon_protocols::find_rules(record), Err(NoRules::OtherRules { .. }))
}

/// Why nothing of its protocol's own is shown of `record`, in a sentence; `None` unless it was held by other rules than
/// those of this version.
pub fn other_rules(record: &Record) -> Option<String> {
    let Err(NoRules::OtherRules { protocol, held, here, .. }) = agon_protocols::find_rules(record) else { return None };
    let held = agon_protocols::declared::held_by(&protocol, held, here);
    Some(format!(
        "It was {held}: what was said is shown as it was given, and the protocol's own files and figures are left out."
    ))
}

/// The rounds `opened` with, and those that extensions of `record` added.
fn add_extended_rounds(record: &Record, opened: u32) -> u32 {
    record.entries().iter().fold(opened, |rounds, entry| match &entry.what {
        Event::Extended { limits } => rounds.saturating_add(limits.rounds),
        _ => rounds,
    })
}

/// What reports, pages and exports show of a debate, by its protocol.
pub fn views_of(record: &Record) -> &'static dyn views::Views {
    let companions: [(&str, &'static dyn Views); 2] =
        [(companion::BASELINE, &baseline::BaselineViews), (companion::EXTRACTION, &extraction::ExtractionViews)];
    let companion = companions.into_iter().find(|(name, _)| is_debate_of(record, name)).map(|(_, views)| views);
    companion.unwrap_or_else(|| find_recorded_format(record).map_or(&views::Common, |format| format.views))
}

/// The views of the shipped protocol `name`; those that every debate has for another.
pub fn views_of_protocol(name: &str) -> &'static dyn views::Views {
    find_format(name).map_or(&views::Common, |format| format.views)
}

/// All files that a debate leaves by its protocol: the transcript, the report, and the protocol's own;
/// with what `extraction`, the newest of this debate ([`companion::find_extraction`]), found in its prose.
/// `record.jsonl` is [`record_jsonl::write_record`]'s, since it needs the stored texts.
pub fn render_debate_files(record: &Record, extraction: Option<&Record>) -> Vec<File> {
    let mut files = render_growing_files(record);
    files.extend(report::FORMAT.render_in(record, extraction, ""));
    files
}

/// The files that are worth drawing while a debate continues: all but the report, which compares everything
/// that was said with everything else.
pub fn render_growing_files(record: &Record) -> Vec<File> {
    let shown = struck_text::publishable_record(record);
    let mut own = find_recorded_format(record).map(|format| format.render_files(record)).unwrap_or_default();
    // A layout of someone else's has no place for what people did of themselves.
    if let Some(transcript) = own.iter_mut().find(|file| file.path == "transcript.md")
        && let Some(acts) = transcript::render_acts(&shown)
    {
        transcript.content.push_str(&format!("\n{acts}\n"));
    }
    let mut files = vec![transcript::draw_transcript(&shown)];
    // A protocol whose source system has a transcript of its own layout writes that instead.
    files.retain(|file| own.iter().all(|other| other.path != file.path));
    files.extend(own);
    files.extend(views_of(&shown).companion_file(&shown));
    files
}
