//! The files of the chaired debate, as its source system has them.
//!
//! `debate-log.jsonl` is the debate; what else can be computed from it is computed, also for logs
//! made elsewhere. What reporter, audience and assessor wrote is added where they wrote it. Nothing
//! that was redacted is shown outside the append-only log.

pub mod assessment;
mod basis;
pub mod blog;
pub mod completion;
pub mod config;
mod decision;
pub mod findings;
mod graph;
mod html;
mod import;
pub mod line;
pub mod log;
pub mod metadata;
mod objections;
pub mod rules;
pub mod slug;
pub mod summary;
pub mod transcript;
pub mod verifier;
mod views;

use std::{borrow::Cow, collections::BTreeMap};

use agon_core::{ActKind, Key, Record, RulingKind, View};
use agon_protocols::chaired::{
    debater_labels::DebaterLabels,
    debaters::Debaters,
    log::{self as debate_log, DebateLog, Type},
    published::AcceptedText,
    source::LogSource,
    verification::{self, SourceFinding},
};
use agon_text::markdown;

use self::log::LogEntry;
use crate::{File, Format, import::ImportReader, imported, views::Views};

/// `debate-log.jsonl`, `debate-config.json`, `transcript.md`, `summary.md`, `blog-post.md`,
/// `metadata.json`, `verifier-report.md` and `assessor-report.md`.
pub struct ChairedFiles;

const PROTOCOL: &str = "chaired";
/// The append-only log.
const LOG: &str = "debate-log.jsonl";

impl Format for ChairedFiles {
    fn name(&self) -> &'static str {
        PROTOCOL
    }

    fn about(&self) -> &'static str {
        "the folder of a chaired debate: log, transcript, summary, blog post, and reports on sources and conduct"
    }

    fn draw(&self, record: &Record) -> Vec<File> {
        imported::files(record, draw)
    }

    fn keep(&self, record: &Record) -> Vec<File> {
        let mut files = self.draw(record);
        files.retain(|file| file.path == LOG);
        files
    }

    fn complete(&self, record: &Record) -> Option<String> {
        Some(completion::of(record))
    }

    fn reading(&self, record: &Record) -> Option<String> {
        let debate = DebateView::of(record);
        Some(transcript::body(&debate.titled(&debate.shown()), &debate.floor()))
    }

    fn folder_option(&self) -> Option<&'static str> {
        Some(config::OUTPUT_DIR)
    }

    fn views(&self) -> &dyn Views {
        self
    }

    fn reader(&self) -> Option<&'static ImportReader> {
        Some(&import::READER)
    }
}

fn draw(record: &Record) -> Vec<File> {
    let debate = DebateView::of(record);
    let mut files = vec![File::new("debate-config.json", config::render(&debate))];
    if debate.log.0.is_empty() {
        return files;
    }
    files.insert(0, File::new(LOG, log::render(&debate.entries)));
    let entries = debate.shown();
    files.push(File::new("transcript.md", transcript::of(&debate, &entries)));
    files.push(File::new("metadata.json", metadata::of(&debate, &entries)));
    if debate.log.conclusion().is_some() && record.closed().is_some() {
        files.push(File::new("summary.md", summary::of(&debate, &entries)));
        files.extend(blog::of(&debate, &entries).map(|post| File::new("blog-post.md", post)));
        files.push(File::new("verifier-report.md", verifier::of(&debate, &entries)));
        files.push(File::new("assessor-report.md", assessment::of(&debate)));
    }
    files
}

/// A chaired debate, prepared for its files.
#[derive(Debug)]
pub struct DebateView<'r> {
    /// Where it comes from.
    pub record: &'r Record,
    /// Who debates.
    pub debaters: Debaters,
    /// The log of the script.
    pub log: DebateLog,
    /// The same as the file holds it: everything, also what was redacted.
    pub entries: Vec<LogEntry>,
    /// What is known of every source of every entry, each once; `unchecked` where nobody looked.
    pub findings: Vec<SourceFinding>,
}

/// What someone said to all who does not take part.
#[derive(Debug, Clone)]
pub struct FromTheFloor {
    /// How many entries stood before it.
    pub after: usize,
    /// Who.
    pub by: String,
    /// Verbatim.
    pub text: String,
}

impl FromTheFloor {
    /// It, for readers of Markdown.
    pub fn block(&self) -> String {
        format!(
            "### {} interjected\n\n{}",
            markdown::escape_title(&self.by),
            markdown::escape_prose(&self.text)
        )
    }
}

impl<'r> DebateView<'r> {
    /// What people said to all, oldest first.
    pub fn floor(&self) -> Vec<FromTheFloor> {
        let entered = |seq: u64| {
            let keys = self.log.0.iter().map(|logged| Key::of(debate_log::key(logged.item.seq)));
            keys.take_while(|key| self.record.ruling(key).is_none_or(|(at, _)| at < seq)).count()
        };
        let said = self.record.acts().filter_map(|(seq, act)| match &act.deed {
            ActKind::Interjected { text } => {
                Some(FromTheFloor { after: entered(seq), by: act.by.clone(), text: text.clone() })
            }
            _ => None,
        });
        said.collect()
    }

    /// As recorded so far.
    pub fn of(record: &'r Record) -> Self {
        let view = View::whole(record);
        let log = DebateLog::of(&view);
        // What was taken over is as its file has it, times included.
        let original = imported::original(record, LOG).unwrap_or_default();
        let original = log::parse(original).unwrap_or_default();
        let entries = log.0.iter().enumerate().map(|(place, logged)| {
            if let Some(entry) = original.get(place) {
                return entry.clone();
            }
            let at = record.ruling(&Key::of(debate_log::key(logged.item.seq)));
            let at = at.and_then(|(seq, _)| record.entries().get(seq as usize));
            LogEntry::of(logged, at.map(|entry| seconds(&entry.at.0)).unwrap_or_default())
        });
        let (entries, all): (Vec<LogEntry>, _) = (entries.collect(), verification::all(&view));
        let found: Vec<SourceFinding> = all.into_iter().flat_map(|findings| findings.findings).collect();
        let findings = findings::of(&log, &entries, &found);
        Self { record, debaters: Debaters::in_view(&view), log, entries, findings }
    }

    /// The entries with redacted ones hidden, and with the pages that their words cite among their sources.
    pub fn shown(&self) -> Vec<LogEntry> {
        let mut shown = log::hidden(&self.entries);
        for (entry, logged) in shown.iter_mut().zip(&self.log.0) {
            let known: Vec<&str> = entry.sources().iter().map(|source| source.url.as_str()).collect();
            let more: Vec<&str> = logged.cites().filter(|url| !known.contains(url)).collect();
            let more = more.into_iter().map(|url| LogSource {
                url: url.into(),
                title: url.into(),
                accessed: String::new(),
            });
            let all: Vec<LogSource> = entry.sources().iter().cloned().chain(more).collect();
            entry.sources = Some(all).filter(|all| !all.is_empty());
        }
        shown
    }

    /// What was accepted as `what` since the debate was concluded.
    pub fn written(&self, what: &str) -> Option<Cow<'r, str>> {
        let view = View::whole(self.record);
        let conclusion = self.log.conclusion()?.item.seq;
        let accepted =
            view.rulings(RulingKind::Noted).filter_map(|(_, ruling)| ruling.decode::<AcceptedText>());
        let last = accepted.filter(|text| text.what == what && text.conclusion == Some(conclusion)).last()?;
        self.said_by_name(&last.key)
    }

    /// The words of an answer, with the names of those whom a blind author knew by letters.
    pub fn said_by_name(&self, key: &Key) -> Option<Cow<'r, str>> {
        let view = View::whole(self.record);
        let (said, labels) = (view.said(key)?, view.asked(key).and_then(DebaterLabels::of));
        Some(labels.map_or(Cow::Borrowed(said), |labels| Cow::Owned(labels.tell(said))))
    }

    /// A line for a file whose author did not answer.
    pub fn without(&self, seat: &str, what: &str) -> String {
        let why =
            self.absence(what).map(|why| format!(" ({})", markdown::escape_line(&why))).unwrap_or_default();
        format!("The {seat} gave no {what}{why}. What follows is computed from the log.")
    }

    /// Why the last that was asked for as `what` was not given; `None` where it was not asked for.
    pub fn absence(&self, what: &str) -> Option<String> {
        let view = View::whole(self.record);
        let of = |key: &Key| view.asked(key).is_some_and(|asked| asked.prompt == what);
        let absent = view.rulings(RulingKind::Absent).filter_map(|(key, ruling)| {
            let asked = key.as_str().strip_suffix("/absent").map(Key::of).filter(of)?;
            Some((asked, ruling))
        });
        let (_, ruling) = absent.last()?;
        let why = ruling.text.split_once(" did not answer: ").map_or(ruling.text.as_str(), |(_, why)| why);
        Some(why.to_owned())
    }

    /// `entries` with the written names of debaters.
    pub fn titled(&self, entries: &[LogEntry]) -> Vec<LogEntry> {
        let titled = entries.iter().cloned().map(|mut entry| {
            entry.speaker = self.debaters.title_of(&entry.speaker).to_owned();
            entry
        });
        titled.collect()
    }
}

/// `2026-01-31T09:30:00.123Z` as `2026-01-31T09:30:00Z`.
fn seconds(stamp: &str) -> String {
    let whole = stamp.strip_suffix('Z').and_then(|time| time.split('.').next());
    whole.map_or_else(|| stamp.to_owned(), |time| format!("{time}Z"))
}

/// Outcome and reason of a log, where it is concluded.
pub fn concluded(entries: &[LogEntry]) -> Option<(&str, &str)> {
    let last = entries.iter().rev().find(|entry| entry.kind == Type::Conclusion.name())?;
    agon_protocols::chaired::announce::concluded(&last.content)
}

/// Numbers of redacted entries with the reason of each.
pub fn redactions(entries: &[LogEntry]) -> BTreeMap<u64, String> {
    let redaction = |entry: &LogEntry| {
        let rest = entry.content.strip_prefix("REDACTED: seq ")?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some((digits.parse().ok()?, debate_log::reason(&entry.content).to_owned()))
    };
    entries.iter().filter(|entry| entry.kind == Type::Redaction.name()).filter_map(redaction).collect()
}

/// References such as `seq 4, seq 9`.
pub(crate) fn referred(seqs: &[u64]) -> String {
    seqs.iter().map(|seq| format!("seq {seq}")).collect::<Vec<_>>().join(", ")
}
