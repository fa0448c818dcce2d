//! The folder or the log of a chaired debate: every line becomes an entry of the same log, the words
//! of debaters as answers of their seats. Rules that the log breaks are warnings; transcript and
//! figures of the folder are compared with what follows from the log.

use std::collections::BTreeSet;

use agon_protocols::{
    chaired::{
        announcements::format_references,
        debaters::Debaters,
        log::Type,
        log_import::{ImportedLine, LINES, imported_key, seat_of},
        verification::LoggedResult,
    },
    common::{lineup, named_seat, request_values::parse_word},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::chaired::{
    find_log_conclusion,
    log::{LogEntry, list_speakers, parse_log},
    metadata::{self, ChairedConfig, ConfiguredDebater},
    redaction_reasons, rules,
};
use crate::import::{Files, Import, ImportError, ImportReader, ImportedMember, Layout};

const LOG: &str = "debate-log.jsonl";
const CONFIG: &str = "debate-config.json";
const METADATA: &str = "metadata.json";
const TRANSCRIPT: &str = "transcript.md";
/// What a folder holds in addition to the log.
const OTHERS: [&str; 7] =
    [CONFIG, METADATA, TRANSCRIPT, "summary.md", "blog-post.md", "verifier-report.md", "assessor-report.md"];
/// Seats for debaters.
const DEBATERS: std::ops::RangeInclusive<usize> = 2..=6;
/// Maximum number of rounds where the log does not say.
const ROUNDS: u32 = 8;
/// Prose, which nobody recomputes.
const TOLD: &str = "outcome_reason";

pub(super) static READER: ImportReader = ImportReader {
    layout: Layout { below: &[], beside: &["debate-config.json", "metadata.json"], stands_for: None },
    has_source: false,
    read: import_debate,
};

/// A folder of the source system while it is read.
struct LogImport {
    import: Import,
    entries: Vec<LogEntry>,
    /// What is in the files of those names; nothing without the files.
    config: ChairedConfig,
    figures: Map<String, Value>,
    /// Names of the debaters in turn order, as a file has them, or else as they speak.
    debaters: Vec<String>,
    /// The same as the script calls them.
    cast: Vec<String>,
}

fn import_debate(files: &Files) -> Result<Import, ImportError> {
    let mut import = Import { protocol: super::PROTOCOL, ..Import::default() };
    let (path, text) = find_log(files)?;
    let text = drop_torn_line(path, text, &mut import);
    let entries = parse_log(text).map_err(|error| ImportError::new(path, error))?;
    if entries.is_empty() {
        return Err(ImportError::new(path, "it has no entries"));
    }
    let config = ChairedConfig::deserialize(parse_object(files, CONFIG)?);
    let config = config.map_err(|why| ImportError::new(CONFIG, why))?;
    let figures = parse_object(files, METADATA)?;
    let given = [figures.get("topic").and_then(|topic| topic.as_str()), config.topic.as_deref()];
    let announced = entries.iter().filter_map(|entry| Some(entry.content.split_once("Topic: ")?.1));
    let topic =
        given.into_iter().flatten().filter(|topic| !topic.trim().is_empty()).chain(announced).next().map(str::to_owned);
    import.motion = topic
        .ok_or_else(|| ImportError::new(path, format!("neither {METADATA}, {CONFIG} nor the log gives the motion")))?;
    let mut read = LogImport { import, entries, config, figures, debaters: Vec::new(), cast: Vec::new() };
    let named = read.find_lineup();
    let is_named = named.is_some();
    read.debaters = named.unwrap_or_else(|| list_speakers(&read.entries));
    read.import_members();
    if is_named {
        read.warn_of_strangers();
    }
    read.import_lines();
    read.import_rounds();
    read.warn_of_broken_rules(is_named);
    read.compare_with_log(files.get(TRANSCRIPT));
    let mut import = read.import;
    import.documents.insert(format!("{}{LOG}", crate::imported_files::PREFIX), text.to_owned());
    import.keep_originals(files.iter().filter(|(other, _)| *other != path), |other| OTHERS.contains(&other));
    Ok(import)
}

/// The log: by its name, or the only file of lines.
fn find_log(files: &Files) -> Result<(&str, &str), ImportError> {
    if let Some((path, text)) = files.get_key_value(LOG) {
        return Ok((path, text));
    }
    let mut logs = files.iter().filter(|(path, _)| path.ends_with(".jsonl") && *path != "record.jsonl");
    match (logs.next(), logs.next()) {
        (Some((path, text)), None) => Ok((path, text)),
        _ => Err(ImportError::new(LOG, "it is missing")),
    }
}

/// The log without a last line that was cut off.
fn drop_torn_line<'t>(path: &str, text: &'t str, import: &mut Import) -> &'t str {
    let text = without_mark(text);
    let end = text.rfind('\n').map_or(0, |at| at + 1);
    let last = &text[end..];
    if last.trim().is_empty() || parse_log(last).is_ok() {
        return text;
    }
    import.add_warning(path, "its last line is cut off; ignored");
    &text[..end]
}

/// `text` without the byte-order mark that some programs write.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The object in a file; an empty one without the file. Of a key that stands there twice the last one counts.
fn parse_object(files: &Files, path: &str) -> Result<Map<String, Value>, ImportError> {
    let Some(text) = files.get(path) else { return Ok(Map::new()) };
    serde_json::from_str(without_mark(text)).map_err(|why| ImportError::new(path, why))
}

impl LogImport {
    /// Names of the debaters in turn order, where a file says who they are: one that names fewer than two
    /// is a form that nobody filled in.
    fn find_lineup(&self) -> Option<Vec<String>> {
        // The figures list debaters as the configuration does.
        let agents = self.figures.get("agents").and_then(|agents| ChairedConfig::deserialize(agents).ok());
        let named = |config: &ChairedConfig| -> Vec<String> {
            let names = config.debaters.iter().filter_map(|debater| debater.name.as_deref().map(str::trim));
            let mut seen = BTreeSet::new();
            names.filter(|name| !name.is_empty() && seen.insert(*name)).map(str::to_owned).collect()
        };
        let given = [Some(&self.config), agents.as_ref()].into_iter().flatten();
        given.map(named).find(|names| names.len() >= *DEBATERS.start())
    }

    /// The place of a speaker in the line-up, by the name of its file or by that of the log.
    fn find_place(&self, speaker: &str) -> Option<usize> {
        let by_file = self.debaters.iter().position(|name| name == speaker);
        let place = by_file.or_else(|| self.cast.iter().position(|name| name == speaker));
        place.filter(|place| *place < self.cast.len())
    }

    /// Warns of everyone who speaks without being in the line-up.
    fn warn_of_strangers(&mut self) {
        let mut names = list_speakers(&self.entries);
        names.retain(|name| !self.debaters.contains(name) && self.find_place(name).is_none());
        for name in names {
            let wrote: Vec<u64> = self.entries.iter().filter(|e| e.speaker == name).map(|e| e.seq).collect();
            let (lineup, wrote) = (self.debaters.join(", "), format_references(&wrote));
            let why = format!(
                "{name:?} is not in the line-up ({lineup}); {wrote} by it stays in the log, but belongs to no turn, and the debater is not asked again"
            );
            self.import.add_warning(LOG, why);
        }
    }

    /// The debaters, with the names that the script calls them by.
    fn import_members(&mut self) {
        let import = &mut self.import;
        for (at, name) in self.debaters.iter().enumerate() {
            let most = *DEBATERS.end();
            if at >= most {
                import.add_warning(LOG, format!("{name} exceeds the limit of {most} debaters and is not asked again"));
                continue;
            }
            let mut configured = self.config.debaters.iter();
            let found = configured.find(|debater| debater.name.as_ref() == Some(name)).cloned();
            let ConfiguredDebater { persona, starting_position, incentives, .. } = found.unwrap_or_default();
            let details = [("starting_position", starting_position), ("incentives", incentives)];
            let details = details.into_iter().map(|(key, text)| (key.to_owned(), text.into())).collect();
            import.members.push(ImportedMember { name: name.clone(), persona, details });
        }
        while import.members.len() < *DEBATERS.start() {
            let name = format!("debater-{}", import.members.len() + 1);
            import.add_warning(LOG, format!("it has fewer than two debaters; {name} fills the empty seat"));
            import.members.push(ImportedMember { name, ..ImportedMember::default() });
        }
        let members = import.members.iter().cloned().zip(1..).map(|(member, number)| {
            let ImportedMember { name, persona, details } = member;
            lineup::Member { seat: named_seat(&format!("debater-{number}")), name, persona, details }
        });
        let cast = Debaters::from_members(&members.collect::<Vec<_>>()).0.into_iter();
        self.cast = cast.map(|debater| debater.name).collect();
    }

    /// The lines that the script puts on the record, and the answers that hold their words.
    fn import_lines(&mut self) {
        let mut lines = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let speaker = self.find_place(&entry.speaker).map(|place| &self.cast[place]);
            let stranger = speaker.is_none() && entry.is_by_debater();
            let speaker = speaker.unwrap_or(&entry.speaker);
            let kind = entry.known_type().filter(|_| !stranger);
            // Kept under its own name, and treated as no part of a debate.
            let named = kind.is_none().then(|| entry.kind.clone());
            let kind = kind.unwrap_or(Type::Other);
            let seat = seat_of(speaker, kind, &self.cast);
            if seat.is_some() {
                let said = entry.build_item(entry.sources());
                self.import.record_statement(imported_key(at), json!({"entries": [said]}));
            }
            let is_fabricated = |found: LoggedResult| found.status.as_deref() == Some("fabricated");
            let struck = redaction_reasons(std::slice::from_ref(entry)).into_keys().next();
            lines.push(ImportedLine {
                phase: parse_word(&entry.phase).unwrap_or_default(),
                speaker: speaker.clone(),
                content: if seat.is_some() { String::new() } else { entry.content.clone() },
                seat,
                kind,
                named,
                rebuttal_to_seq: entry.rebuttal_to_seq,
                target_seq: entry.target_seq,
                strikes: struck.filter(|_| !stranger),
                fabricated: kind == Type::VerificationResult
                    && LoggedResult::parse(&entry.content).is_some_and(is_fabricated),
            });
        }
        self.import.documents.insert(LINES.into(), json!(lines).to_string());
    }

    fn import_rounds(&mut self) {
        let held = metadata::count_rounds(&self.entries) as u32;
        let most = self.config.max_rounds.and_then(|n| u32::try_from(n).ok());
        let announced = self.entries.iter().rev().find_map(|entry| {
            let rest = entry.content.strip_prefix("Round ")?.split_once(" of ")?.1;
            rest.split(' ').next()?.parse::<u32>().ok()
        });
        let most = announced.or(most).unwrap_or(ROUNDS);
        let is_over = find_log_conclusion(&self.entries).is_some();
        self.import.rounds = if is_over { held } else { most.clamp(held, 1_000.max(held)) };
        if let Some(minutes) = self.config.time_budget_minutes {
            self.import.options.insert("time_budget_minutes".into(), minutes.into());
        }
    }

    /// L1 to L17, and whether the winner takes part. Without a file that names them, those debate who speak.
    fn warn_of_broken_rules(&mut self, is_named: bool) {
        let warnings = &mut self.import.warnings;
        let wanted = self.config.min_rounds.zip(self.config.max_rounds);
        let wanted = wanted.map(|(min, max)| min as usize..=max as usize);
        // As the log calls them: a file may write a name otherwise.
        let logged = self.debaters.iter().zip(&self.cast).filter(|_| is_named).map(|(name, logged)| {
            let spoke = self.entries.iter().any(|entry| entry.speaker == *name);
            if spoke { name.clone() } else { logged.clone() }
        });
        let logged: Vec<String> = logged.collect();
        for found in rules::check_log(&self.entries, &logged, wanted) {
            let at = found.seq.map(|seq| format!(" seq {seq}:")).unwrap_or_default();
            warnings.push(format!("{}{at} {}", found.rule, found.why));
        }
        if let Some(end) = self.entries.iter().find(|entry| entry.kind == Type::Conclusion.name()) {
            let outcome = find_log_conclusion(&self.entries).map(|(outcome, _)| outcome);
            let winner = outcome.and_then(|outcome| outcome.strip_suffix("_wins"));
            let is_winner = winner.is_some_and(|name| self.cast.iter().any(|debater| debater == name));
            if !is_winner && !matches!(outcome, Some("draw" | "void")) {
                warnings.push(format!("seq {}: it declares an outcome that the format does not have", end.seq));
            }
        }
    }

    /// Compares the folder's figures and transcript with the log.
    fn compare_with_log(&mut self, transcript: Option<&String>) {
        let counted = json!(metadata::compute_metadata(&self.import.motion, &self.entries));
        let counted = counted.as_object().filter(|_| !self.figures.is_empty()).into_iter().flatten();
        for (name, value) in counted.filter(|(name, _)| *name != TOLD) {
            let says = self.figures.get(name);
            if says != Some(value) {
                let says = json!(says);
                self.import.add_warning(METADATA, format!("{name} is {says}; by the log it is {value}"));
            }
        }
        let Some(transcript) = transcript else { return };
        let headed = transcript.lines().filter(|line| line.starts_with('#')).filter_map(|line| {
            let (_, rest) = line.split_once("[seq ")?;
            rest.split_once(']')?.0.parse::<u64>().ok()
        });
        let shown: BTreeSet<u64> = headed.collect();
        let logged: BTreeSet<u64> = self.entries.iter().map(|entry| entry.seq).collect();
        for (verb, seqs) in [("lacks", &logged - &shown), ("shows", &shown - &logged)] {
            if !seqs.is_empty() {
                let seqs = format_references(&Vec::from_iter(seqs));
                self.import.add_warning(TRANSCRIPT, format!("it {verb} {seqs}, unlike the log"));
            }
        }
    }
}
