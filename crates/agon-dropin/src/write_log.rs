//! `agon write-log`: appends one entry to the log of a chaired debate and says its number.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use agon_core::Stamp;
use agon_journal::time::current_stamp;
use agon_report::{
    chaired::{
        log_line::{LogLine, PHASES, ROLES, list_types, parse_sources},
        metadata::ChairedConfig,
    },
    ruling_view::RulingView,
};
use serde_json::json;

use super::{Print, VerbResponse, own_debate::OwnDebate};
use crate::files::{
    disk::{Disk, RealDisk},
    line_log::{self, Appended, LogContents},
};

const USAGE: &str =
    "Usage: write-log <phase> <speaker> <type> <content_file> [sources_json] [rebuttal_to_seq] [target_seq]";
const CONFIG: &str = "config/debate-config.json";
const LOG: &str = "debate-log.jsonl";
const LOCK: &str = "debate-log.lock";

/// `agon write-log …`
pub fn run(words: &[OsString], print: Print<'_>) -> u8 {
    let given = std::env::var_os("DEBATE_OUTPUT_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    let mut code = 1;
    let mut tell = |said: VerbResponse| {
        print(&said);
        code = said.code;
    };
    let home = super::journal_home().ok();
    let places = WorkingPaths { here: Path::new("."), given, home: home.as_deref() };
    run_write_log(words, places, &RealDisk, &current_stamp(), &mut tell);
    code
}

/// Where a call works.
pub struct WorkingPaths<'p> {
    /// The folder that it is called in.
    pub here: &'p Path,
    /// The output folder that the environment names.
    pub given: Option<PathBuf>,
    /// Where the journal is.
    pub home: Option<&'p Path>,
}

/// Appends what `words` say.
pub fn run_write_log(
    words: &[OsString],
    places: WorkingPaths<'_>,
    disk: &dyn Disk,
    now: &Stamp,
    tell: &mut dyn FnMut(VerbResponse),
) {
    if let Err(why) = append_entry(words, places, disk, now, tell) {
        tell(VerbResponse::on_stderr(1, why));
    }
}

fn append_entry(
    words: &[OsString],
    places: WorkingPaths<'_>,
    disk: &dyn Disk,
    now: &Stamp,
    tell: &mut dyn FnMut(VerbResponse),
) -> Result<(), String> {
    let WorkingPaths { here, given, home } = places;
    let config = load_config(&here.join(CONFIG));
    let named = config.output_dir.as_deref().filter(|dir| !dir.is_empty());
    let folder = given.or_else(|| named.map(PathBuf::from));
    let folder = folder.ok_or(format!("Error: DEBATE_OUTPUT_DIR is not set, and {CONFIG} names no output_dir"))?;
    let folder = here.join(folder);
    let entry = parse_entry(words, here)?;
    if !folder.is_dir() {
        return Err(format!("Error: output directory '{}' not found", folder.display()));
    }
    let own = OwnDebate::find_in_folder(&folder, home, "chaired").map_err(|why| format!("Error: {why}"))?;
    if let Some(debate) = own {
        let (number, told) = answer_as_debater(debate, &entry).map_err(|why| format!("Error: {why}"))?;
        tell(VerbResponse { err: told, ..VerbResponse::on_stdout(0, number) });
        return Ok(());
    }
    if folder.join("record.jsonl").is_file() {
        let folder = folder.display();
        return Err(format!("Error: agon writes '{folder}' from its own record; continue with agon resume"));
    }
    let lineup = list_debaters(config, &folder);
    let doubts = RefCell::new(Vec::new());
    let line = |lines: &LogContents<'_>| {
        doubts.borrow_mut().extend(describe_unknown_speaker(&entry.speaker, &lineup, lines.text));
        doubts.borrow_mut().extend(describe_log_oddity(lines));
        LogLine { seq: lines.count, timestamp: not_before(now, lines), ..entry.clone() }.render()
    };
    let mut told = false;
    let say = |appended: &Appended| {
        let aside = appended.torn.iter();
        let aside = aside.map(|path| format!("the last line was cut off; it was moved to '{}'", path.display()));
        let warnings: Vec<String> = aside.chain(doubts.take()).map(|why| format!("Warning: {why}")).collect();
        tell(VerbResponse { code: 0, out: appended.number.to_string(), err: warnings.join("\n") });
        told = true;
    };
    // The entry without number and time is what makes two requests the same.
    match line_log::append_line(&folder.join(LOG), &folder.join(LOCK), disk, &entry.render(), line, say) {
        // Its number has been reported; the next process that appends removes its note.
        Err(_) if told => Ok(()),
        done => done.map_err(|error| format!("Error: {error}")),
    }
}

/// A debater answers what an open debate of ours asks it; gives the number of its entry,
/// and what to tell about the files.
fn answer_as_debater(mut debate: OwnDebate, entry: &LogLine) -> Result<(String, String), String> {
    let speaker = &entry.speaker;
    if ROLES.contains(&speaker.as_str()) {
        let why = "agon asks it for its entries: agon seats shows the requests, agon answer answers them";
        return Err(format!("{speaker} does not write to the log of an open debate of agon; {why}"));
    }
    let sources = entry.sources.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or(json!([]));
    let said = json!({"entries": [entry.build_item(sources)], "framework": ""});
    let key = debate.answer_seat(speaker, &said.to_string())?;
    if let Some(broken) = debate.broken_rules(&key) {
        return Err(broken.join("; "));
    }
    let told = debate.write_files()?;
    let views = agon_report::views_of(&debate.record);
    let number = debate.record.rulings().find_map(|(.., ruling)| match views.ruling_view(ruling) {
        RulingView::LogEntry(entry) if entry.key.as_ref() == Some(&key) => Some(entry.number),
        _ => None,
    });
    number.map(|number| (number.to_string(), told)).ok_or_else(|| "the turn was forfeited".into())
}

/// The entry that the command line describes, without number and time.
fn parse_entry(words: &[OsString], here: &Path) -> Result<LogLine, String> {
    let [phase, speaker, kind, content, options @ ..] = words else { return Err(USAGE.into()) };
    if options.len() > 3 {
        return Err(USAGE.into());
    }
    let text = |word: &OsString| word.clone().into_string().map_err(|word| format!("Error: {word:?} is not UTF-8"));
    let one_of = |what: &str, word: &OsString, known: &[&str]| {
        let word = text(word)?;
        match known.contains(&word.as_str()) {
            true => Ok(word),
            false => Err(format!("Error: unknown {what} {word:?}: use {}", known.join(", "))),
        }
    };
    let option = |i: usize| options.get(i).map_or(Ok(String::new()), text);
    let seq = |what: &str, i: usize| match option(i)?.trim() {
        "" | "null" => Ok(None),
        word => word.parse().map(Some).map_err(|_| format!("Error: {what} must be a whole number, not {word:?}")),
    };
    let path = here.join(content);
    if !path.is_file() {
        return Err(format!("Error: content_file '{}' not found", Path::new(content).display()));
    }
    Ok(LogLine {
        seq: 0,
        timestamp: String::new(),
        phase: one_of("phase", phase, &PHASES)?,
        speaker: text(speaker)?,
        kind: one_of("type", kind, &list_types())?,
        content: content_of(&path)?,
        sources: parse_sources(&option(0)?).map_err(|why| format!("Error: sources: {why}"))?,
        rebuttal_to_seq: seq("rebuttal_to_seq", 1)?,
        target_seq: seq("target_seq", 2)?,
    })
}

/// The content as the source system's shell and Python pass it on: without NUL, every line break a
/// newline, none at the end.
fn content_of(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("Error: {}: {error}", path.display()))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("Error: {} is not UTF-8", path.display()))?;
    let text = text.replace('\0', "").replace("\r\n", "\n").replace('\r', "\n");
    Ok(text.trim_end_matches('\n').to_owned())
}

/// The configuration at `path`; an empty one where there is none that can be read.
fn load_config(path: &Path) -> ChairedConfig {
    let file = fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let file = file.filter(serde_json::Value::is_object);
    // By way of plain JSON, of which a key that stands there twice counts where it comes last.
    serde_json::from_value(file.unwrap_or_default()).unwrap_or_default()
}

/// The names of the debaters: by the project's configuration, or by the copy in the output folder.
fn list_debaters(config: ChairedConfig, folder: &Path) -> BTreeSet<String> {
    let copy = self::load_config(&folder.join("debate-config.json"));
    config.debaters.into_iter().chain(copy.debaters).filter_map(|debater| debater.name).collect()
}

/// What is odd about a speaker. Without a line-up everyone may be a debater; that is said once.
fn describe_unknown_speaker(speaker: &str, lineup: &BTreeSet<String>, log: &str) -> Option<String> {
    if ROLES.contains(&speaker) || lineup.contains(speaker) {
        return None;
    }
    if !lineup.is_empty() {
        return Some(format!("unknown speaker {speaker:?}: neither a role nor in the line-up"));
    }
    let spoke = log.lines().filter_map(|line| LogLine::parse(line).ok()).any(|line| line.speaker == speaker);
    (!spoke).then(|| format!("unknown speaker {speaker:?}: no role, and there is no line-up to find it in"))
}

/// What is odd about the log so far, judged by its last line.
fn describe_log_oddity(lines: &LogContents<'_>) -> Option<String> {
    let line = lines.last_line()?;
    let number = lines.count - 1;
    match LogLine::parse(line) {
        Err(error) => Some(format!("line {number} of the log is not an entry: {error}")),
        Ok(line) if line.seq != number => Some(format!("line {number} of the log has seq {}", line.seq)),
        Ok(_) => None,
    }
}

/// Now with seconds; a clock that was set back does not make the log run backwards.
fn not_before(now: &Stamp, lines: &LogContents<'_>) -> String {
    let now = now.0.get(..19).map_or_else(|| now.0.clone(), |seconds| format!("{seconds}Z"));
    let last = lines.last_line().and_then(|line| LogLine::parse(line).ok()).map(|line| line.timestamp);
    let form = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "0");
    last.filter(|last| form(last) == form(&now) && *last > now).unwrap_or(now)
}
