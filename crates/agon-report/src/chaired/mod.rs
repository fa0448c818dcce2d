//! The files of the chaired debate, as its source system has them.
//!
//! `debate-log.jsonl` is the debate; what else can be computed from it is computed, also for logs
//! made elsewhere. What reporter, audience and assessor wrote is added where they wrote it. Nothing
//! that was redacted is shown outside the append-only log.

pub mod assessment;
mod basis;
pub mod blog;
mod html;
mod import;
pub mod log;
pub mod log_line;
pub mod metadata;
pub mod rules;
pub mod slug;
pub mod summary;
pub mod transcript;
pub mod verifier;
mod views;

use std::collections::BTreeMap;

use agon_core::{ActKind, Key, Record, RulingKind, Standing, View};
use agon_protocols::{
    chaired::{
        debaters::{DebaterLabels, Debaters},
        log::{self as debate_log, DebateLog, Type},
        objections::AcceptedText,
        outcome::{ChairReason, accepted_reasons},
        source_form::{LogSource, SOURCES_MAX},
        verification::{self, LoggedResult, SourceFinding},
    },
    common::request_values::parse_word,
};
use agon_text::markdown;

use self::log::LogEntry;
use crate::{File, Format, imported_files, markup::render_bullets, participation};

/// `debate-log.jsonl`, `debate-config.json`, `transcript.md`, `summary.md`, `blog-post.md`,
/// `metadata.json`, `verifier-report.md` and `assessor-report.md`.
pub static FORMAT: Format = Format {
    append_only: Some(LOG),
    draw_completion,
    draw_reading_order: |record| {
        let debate = DebateView::from_record(record);
        Some(transcript::render_body(&debate.with_titles(&debate.public_entries()), &debate.list_interjections()))
    },
    folder_option: Some(metadata::OUTPUT_DIR),
    views: &views::ChairedViews,
    import_reader: Some(&import::READER),
    ..Format::new(
        PROTOCOL,
        "the folder of a chaired debate: log, transcript, summary, blog post, and reports on sources and conduct",
        |record, _, _| imported_files::draw_with_originals(record, render_files),
    )
};

const PROTOCOL: &str = "chaired";
/// The append-only log.
const LOG: &str = "debate-log.jsonl";
/// Why nobody looked at a source of an entry that has more than are looked up.
const TOO_MANY: &str = "not opened: the limit of sources for one entry is reached";

/// Outcome, files and warnings; what is missing comes first.
fn draw_completion(record: &Record) -> Option<String> {
    let debate = DebateView::from_record(record);
    let mut blocks = Vec::new();
    if let Some(outcome) = record.closing_outcome().filter(|o| o.standing == Standing::Void || !o.absent.is_empty()) {
        blocks.push(markdown::escape_prose(&outcome.render_summary()));
    }
    blocks.push(match find_log_conclusion(&debate.entries).filter(|_| record.closing_outcome().is_some()) {
        Some((outcome, _)) => format!("Debate complete. Outcome: **{}**.", markdown::escape_line(outcome)),
        None => "The debate is not concluded.".into(),
    });
    let files = FORMAT.render_files(record);
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    blocks.push(format!("Files: {}.", names.join(", ")));
    let warnings = participation::list_warnings(record);
    if !warnings.is_empty() {
        let lines = warnings.iter().map(|(of, text)| markdown::escape_line(&format!("{of}: {text}")));
        blocks.push(format!("**Warnings**:\n{}", render_bullets(lines)));
    }
    let id = &record.opened().debate;
    blocks.push(format!("`agon extend {id} --rounds X` runs X more rounds."));
    Some(blocks.join("\n\n") + "\n")
}

fn render_files(record: &Record) -> Vec<File> {
    let debate = DebateView::from_record(record);
    let mut files = vec![File::new("debate-config.json", metadata::render_config(&debate))];
    if debate.log.0.is_empty() {
        return files;
    }
    files.insert(0, File::new(LOG, log::render_log(&debate.entries)));
    let entries = debate.public_entries();
    files.push(File::new("transcript.md", transcript::render_debate_transcript(&debate, &entries)));
    files.push(File::new("metadata.json", metadata::render_metadata(&debate, &entries)));
    if debate.log.find_conclusion().is_some() && record.closing_outcome().is_some() {
        files.push(File::new("summary.md", summary::render_summary(&debate, &entries)));
        files.extend(blog::render_blog_post(&debate, &entries).map(|post| File::new("blog-post.md", post)));
        files.push(File::new("verifier-report.md", verifier::render_verifier_report(&debate, &entries)));
        files.push(File::new("assessor-report.md", assessment::render_assessment(&debate)));
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
    pub fn render_block(&self) -> String {
        format!("### {} interjected\n\n{}", markdown::escape_title(&self.by), markdown::escape_prose(&self.text))
    }
}

impl<'r> DebateView<'r> {
    /// What people said to all, oldest first.
    pub fn list_interjections(&self) -> Vec<FromTheFloor> {
        let entered = |seq: u64| {
            let ruled = self.log.0.iter().map(|logged| find_entry_ruling(self.record, logged.item.seq));
            ruled.take_while(|at| at.is_none_or(|at| at < seq)).count()
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
    pub fn from_record(record: &'r Record) -> Self {
        let view = View::of_whole_record(record);
        let log = DebateLog::from_view(&view);
        // What was taken over is as its file has it, times included.
        let original = imported_files::find_original(record, LOG).unwrap_or_default();
        let original = log::parse_log(original).unwrap_or_default();
        let entries = log.0.iter().enumerate().map(|(place, logged)| {
            if let Some(entry) = original.get(place) {
                return entry.clone();
            }
            let at = find_entry_ruling(record, logged.item.seq).and_then(|at| record.entries().get(at as usize));
            LogEntry::from_logged(logged, at.map(|entry| truncate_to_seconds(&entry.at.0)).unwrap_or_default())
        });
        let entries: Vec<LogEntry> = entries.collect();
        let findings = collect_source_findings(&log, &entries, verification::collect_findings(&view));
        Self { record, debaters: Debaters::in_view(&view), log, entries, findings }
    }

    /// The entries with redacted ones hidden, and with the pages that their words cite among their sources.
    pub fn public_entries(&self) -> Vec<LogEntry> {
        let mut shown = log::hide_redacted(&self.entries, self.log.struck_passages());
        for (entry, logged) in shown.iter_mut().zip(&self.log.0) {
            let more = logged.cited_addresses().filter(|url| !entry.sources().iter().any(|source| source.url == *url));
            let more = more.map(|url| LogSource { url: url.into(), title: url.into(), accessed: String::new() });
            let all: Vec<LogSource> = entry.sources().iter().cloned().chain(more).collect();
            entry.sources = Some(all).filter(|all| !all.is_empty());
        }
        shown
    }

    /// What was accepted as `what` since the debate was concluded.
    pub fn accepted_text(&self, what: &str) -> Option<String> {
        let view = View::of_whole_record(self.record);
        let conclusion = self.log.find_conclusion()?.item.seq;
        let accepted =
            view.rulings_of_kind(RulingKind::Noted).filter_map(|(_, ruling)| ruling.decode_data::<AcceptedText>());
        let last = accepted.filter(|text| text.what == what && text.conclusion == Some(conclusion)).last()?;
        self.said_by_name(&last.key)
    }

    /// The words of an answer, with the names of those whom a blind author knew by letters.
    pub fn said_by_name(&self, key: &Key) -> Option<String> {
        let view = View::of_whole_record(self.record);
        let labels = view.find_request(key).map(DebaterLabels::from_request).unwrap_or_default();
        Some(labels.restore_names(view.answer_text(key)?))
    }

    /// The answer of the chair that the conclusion of a debate repeats; `None` where it has no result.
    pub(crate) fn chair_answer(&self) -> Option<Key> {
        self.record.closing_outcome().filter(|outcome| outcome.standing == Standing::Valid)?;
        self.log.find_conclusion()?.item.key.clone()
    }

    /// The reasons in that answer.
    pub(crate) fn list_reasons(&self) -> Vec<ChairReason> {
        let said = self.chair_answer().and_then(|of| self.said_by_name(&of)).unwrap_or_default();
        accepted_reasons(&said, &self.debaters, &self.log)
    }

    /// A line for a file whose author did not answer.
    pub fn describe_missing(&self, seat: &str, what: &str) -> String {
        let view = View::of_whole_record(self.record);
        let is_asked = |key: &Key| view.find_request(key).is_some_and(|asked| asked.prompt == what);
        let absent = view.rulings_of_kind(RulingKind::Absent).filter(|(key, _)| {
            key.as_str().strip_suffix("/absent").map(Key::from_parts).is_some_and(|key| is_asked(&key))
        });
        let why = absent.last().map(|(_, ruling)| {
            let why = ruling.text.split_once(" did not answer: ").map_or(ruling.text.as_str(), |(_, why)| why);
            format!(" ({})", markdown::escape_line(why))
        });
        format!("The {seat} gave no {what}{}. What follows is computed from the log.", why.unwrap_or_default())
    }

    /// `entries` with the written names of debaters.
    pub fn with_titles(&self, entries: &[LogEntry]) -> Vec<LogEntry> {
        let titled = entries.iter().cloned().map(|mut entry| {
            entry.speaker = self.debaters.title_of(&entry.speaker).to_owned();
            entry
        });
        titled.collect()
    }
}

/// What is known of every source of `log`, each once, in the order of its entries: what was found last, and of what
/// nobody looked at that nobody did. `found` is what was ruled; results that stand in `entries` alone are those of a log
/// that was taken over.
fn collect_source_findings(log: &DebateLog, entries: &[LogEntry], found: Vec<SourceFinding>) -> Vec<SourceFinding> {
    let logged = entries.iter().filter(|entry| entry.kind == Type::VerificationResult.name()).filter_map(|entry| {
        let LoggedResult { verified_seq, url, status, explanation } = LoggedResult::parse(&entry.content)?;
        let (url, why) = (url.unwrap_or_default(), explanation.unwrap_or_default());
        Some(SourceFinding { status: parse_word(&status?)?, ..SourceFinding::unchecked(verified_seq?, &url, &why) })
    });
    let mut all: Vec<SourceFinding> = logged.collect();
    all.retain(|taken| !found.iter().any(|found| found.seq == taken.seq && found.url == taken.url));
    all.extend(found);
    let latest = verification::latest_findings(&all).into_iter().cloned();
    let mut all: Vec<SourceFinding> = latest.map(|finding| finding.apply_lifting(log)).collect();
    for logged in &log.0 {
        let seq = logged.item.seq;
        for (at, url) in logged.cited_addresses().enumerate() {
            if !all.iter().any(|known| known.seq == seq && known.url == url) {
                all.push(SourceFinding::unchecked(seq, url, if at < SOURCES_MAX { "" } else { TOO_MANY }));
            }
        }
    }
    all.sort_by_key(|found| found.seq);
    all
}

/// The entry of the record that fixed entry `seq` of the log.
fn find_entry_ruling(record: &Record, seq: u64) -> Option<u64> {
    record.find_ruling(&Key::from_parts(debate_log::entry_key(seq))).map(|(at, _)| at)
}

/// `2026-01-31T09:30:00.123Z` as `2026-01-31T09:30:00Z`.
fn truncate_to_seconds(stamp: &str) -> String {
    let whole = stamp.strip_suffix('Z').and_then(|time| time.split('.').next());
    whole.map_or_else(|| stamp.to_owned(), |time| format!("{time}Z"))
}

/// Outcome and reason of a log, where it is concluded.
pub fn find_log_conclusion(entries: &[LogEntry]) -> Option<(&str, &str)> {
    let last = entries.iter().rev().find(|entry| entry.kind == Type::Conclusion.name())?;
    agon_protocols::chaired::announcements::parse_conclusion(&last.content)
}

/// Numbers of redacted entries with the reason of each.
pub fn redaction_reasons(entries: &[LogEntry]) -> BTreeMap<u64, String> {
    let redaction = |entry: &LogEntry| {
        let rest = entry.content.strip_prefix("REDACTED: seq ")?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some((digits.parse().ok()?, debate_log::redaction_reason(&entry.content).to_owned()))
    };
    entries.iter().filter(|entry| entry.kind == Type::Redaction.name()).filter_map(redaction).collect()
}
