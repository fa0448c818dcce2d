//! The folder or the log of a chaired debate: every line becomes an entry of the same log, the words
//! of debaters as answers of their seats. Rules that the log breaks are warnings; transcript and
//! figures of the folder are compared with what follows from the log.

use std::collections::BTreeSet;

use agon_protocols::{
    chaired::{
        debaters::Debaters,
        imported::{ImportedLine, LINES, imported_key, seat_of},
        log::{Phase, Type},
    },
    common::{lineup, named_seat},
};
use serde_json::{Map, Value, json};

use crate::chaired::{
    find_log_conclusion, format_references,
    log::{LogEntry, list_speakers, parse_log},
    metadata, redaction_reasons, rules,
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

fn import_debate(files: &Files) -> Result<Import, ImportError> {
    let mut import = Import { protocol: super::PROTOCOL, ..Import::default() };
    let (path, text) = find_log(files)?;
    let text = drop_torn_line(path, text, &mut import);
    let entries = parse_log(text).map_err(|error| ImportError::new(path, error))?;
    if entries.is_empty() {
        return Err(ImportError::new(path, "it has no entries"));
    }
    let config = parse_object(files, CONFIG)?;
    let figures = parse_object(files, METADATA)?;
    import.motion = find_topic(&config, &figures, &entries)
        .ok_or_else(|| ImportError::new(path, format!("neither {METADATA}, {CONFIG} nor the log gives the motion")))?;
    let named = find_lineup(&config, &figures);
    let debaters = named.clone().unwrap_or_else(|| list_speakers(&entries));
    import_members(&mut import, &config, &debaters);
    let cast = list_script_names(&import.members);
    if named.is_some() {
        warn_of_strangers(&mut import, &entries, &debaters, &cast);
    }
    import_lines(&mut import, &entries, &debaters, &cast);
    import_rounds(&mut import, &config, &entries);
    warn_of_broken_rules(&mut import, &config, &entries, named.is_some().then_some(&debaters), &cast);
    compare_with_log(&mut import, files, &figures, &entries);
    import.documents.insert(format!("{}{LOG}", crate::imported::PREFIX), text.to_owned());
    let others = files.iter().filter(|(other, _)| *other != path);
    import.keep_originals(others, |other| OTHERS.contains(&other));
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

/// The object in a file; an empty one without the file.
fn parse_object(files: &Files, path: &str) -> Result<Value, ImportError> {
    let Some(text) = files.get(path) else { return Ok(json!({})) };
    serde_json::from_str(without_mark(text)).map(Value::Object).map_err(|why| ImportError::new(path, why))
}

fn find_topic(config: &Value, figures: &Value, entries: &[LogEntry]) -> Option<String> {
    let given = [figures, config].into_iter().filter_map(|of| of["topic"].as_str());
    let announced = entries.iter().filter_map(|entry| Some(entry.content.split_once("Topic: ")?.1));
    given.filter(|topic| !topic.trim().is_empty()).chain(announced).next().map(str::to_owned)
}

/// Names of the debaters in turn order, where a file says who they are: one that names fewer than two
/// is a form that nobody filled in.
fn find_lineup(config: &Value, figures: &Value) -> Option<Vec<String>> {
    let named = |debaters: &Value| -> Vec<String> {
        let debaters = debaters.as_array().into_iter().flatten();
        let names = debaters.filter_map(|debater| debater["name"].as_str().map(str::trim));
        let mut seen = BTreeSet::new();
        names.filter(|name| !name.is_empty() && seen.insert(*name)).map(str::to_owned).collect()
    };
    let files = [&config["debaters"], &figures["agents"]["debaters"]];
    files.into_iter().map(named).find(|names| names.len() >= *DEBATERS.start())
}

/// The place of a speaker in the line-up, by the name of its file or by that of the log.
fn find_place(speaker: &str, debaters: &[String], cast: &[String]) -> Option<usize> {
    let by_file = debaters.iter().position(|name| name == speaker);
    by_file.or_else(|| cast.iter().position(|name| name == speaker)).filter(|place| *place < cast.len())
}

/// Warns of everyone who speaks without being in the line-up.
fn warn_of_strangers(import: &mut Import, entries: &[LogEntry], debaters: &[String], cast: &[String]) {
    let mut names = list_speakers(entries);
    names.retain(|name| !debaters.contains(name) && find_place(name, debaters, cast).is_none());
    for name in names {
        let wrote = entries.iter().filter(|entry| entry.speaker == name).map(|entry| entry.seq).collect::<Vec<_>>();
        let (lineup, wrote) = (debaters.join(", "), format_references(&wrote));
        let why = format!(
            "{name:?} is not in the line-up ({lineup}); {wrote} by it stays in the log, but belongs to no turn, and the debater is not asked again"
        );
        import.add_warning(LOG, why);
    }
}

fn import_members(import: &mut Import, config: &Value, debaters: &[String]) {
    let configured = config["debaters"].as_array();
    for name in debaters.iter().take(*DEBATERS.end()) {
        let found = configured.into_iter().flatten().find(|debater| debater["name"] == name.as_str());
        let text = |key: &str| found.and_then(|debater| debater[key].as_str()).unwrap_or_default();
        let details = ["starting_position", "incentives"].map(|key| (key.to_owned(), text(key).into()));
        import.members.push(ImportedMember {
            name: name.clone(),
            persona: text("persona").to_owned(),
            details: details.into_iter().collect(),
        });
    }
    for name in debaters.iter().skip(*DEBATERS.end()) {
        let most = DEBATERS.end();
        import.add_warning(LOG, format!("{name} exceeds the limit of {most} debaters and is not asked again"));
    }
    while import.members.len() < *DEBATERS.start() {
        let name = format!("debater-{}", import.members.len() + 1);
        import.add_warning(LOG, format!("it has fewer than two debaters; {name} fills the empty seat"));
        import.members.push(ImportedMember { name, ..ImportedMember::default() });
    }
}

/// The debaters with the names that the script calls them by.
fn list_script_names(members: &[ImportedMember]) -> Vec<String> {
    let members = members.iter().zip(1..).map(|(member, number)| lineup::Member {
        seat: named_seat(&format!("debater-{number}")),
        name: member.name.clone(),
        persona: String::new(),
        details: Map::new(),
    });
    Debaters::of(&members.collect::<Vec<_>>()).0.into_iter().map(|debater| debater.name).collect()
}

/// The lines that the script puts on the record, and the answers that hold their words.
fn import_lines(import: &mut Import, entries: &[LogEntry], debaters: &[String], cast: &[String]) {
    let lines = entries.iter().enumerate().map(|(at, entry)| {
        let speaker = find_place(&entry.speaker, debaters, cast).map(|place| &cast[place]);
        let stranger = speaker.is_none() && entry.is_by_debater();
        let speaker = speaker.unwrap_or(&entry.speaker);
        let kind = entry.known_type().filter(|_| !stranger);
        // Kept under its own name, and treated as no part of a debate.
        let named = kind.is_none().then(|| entry.kind.clone());
        let kind = kind.unwrap_or(Type::Other);
        let phases = [Phase::System, Phase::Opening, Phase::Rebuttal, Phase::Closing];
        let phase = phases.into_iter().find(|phase| phase.name() == entry.phase).unwrap_or(Phase::System);
        let seat = seat_of(speaker, kind, cast);
        if seat.is_some() {
            let said = json!({
                "type": entry.kind, "content": entry.content, "sources": entry.sources(),
                "rebuttal_to_seq": entry.rebuttal_to_seq, "target_seq": entry.target_seq,
            });
            import.record_statement(imported_key(at), json!({"entries": [said]}));
        }
        let found: Value = serde_json::from_str(&entry.content).unwrap_or_default();
        let struck = redaction_reasons(std::slice::from_ref(entry)).into_keys().next();
        ImportedLine {
            phase,
            speaker: speaker.clone(),
            content: if seat.is_some() { String::new() } else { entry.content.clone() },
            seat,
            kind,
            named,
            rebuttal_to_seq: entry.rebuttal_to_seq,
            target_seq: entry.target_seq,
            strikes: struck.filter(|_| !stranger),
            fabricated: kind == Type::VerificationResult && found["status"] == "fabricated",
        }
    });
    let lines: Vec<ImportedLine> = lines.collect();
    import.documents.insert(LINES.into(), json!(lines).to_string());
}

fn import_rounds(import: &mut Import, config: &Value, entries: &[LogEntry]) {
    let held = metadata::count_rounds(entries) as u32;
    let most = config["max_rounds"].as_u64().and_then(|n| u32::try_from(n).ok());
    let announced = entries.iter().rev().find_map(|entry| {
        let rest = entry.content.strip_prefix("Round ")?.split_once(" of ")?.1;
        rest.split(' ').next()?.parse::<u32>().ok()
    });
    let most = announced.or(most).unwrap_or(ROUNDS);
    import.rounds = if find_log_conclusion(entries).is_some() { held } else { most.clamp(held, 1_000.max(held)) };
    if let Some(minutes) = config["time_budget_minutes"].as_u64() {
        import.options.insert("time_budget_minutes".into(), minutes.into());
    }
}

/// L1 to L17, and whether the winner takes part.
fn warn_of_broken_rules(
    import: &mut Import,
    config: &Value,
    entries: &[LogEntry],
    debaters: Option<&Vec<String>>,
    cast: &[String],
) {
    let wanted = config["min_rounds"].as_u64().zip(config["max_rounds"].as_u64());
    let wanted = wanted.map(|(min, max)| min as usize..=max as usize);
    // As the log calls them: a file may write a name otherwise.
    let logged = debaters.into_iter().flatten().zip(cast).map(|(name, logged)| {
        let spoke = |name: &String| entries.iter().any(|entry| entry.speaker == **name);
        if spoke(name) { name.clone() } else { logged.clone() }
    });
    let logged: Vec<String> = logged.collect();
    for found in rules::check_log(entries, &logged, wanted) {
        let at = found.seq.map(|seq| format!(" seq {seq}:")).unwrap_or_default();
        import.warnings.push(format!("{}{at} {}", found.rule, found.why));
    }
    if let Some(end) = entries.iter().find(|entry| entry.kind == Type::Conclusion.name()) {
        let outcome = find_log_conclusion(entries).map(|(outcome, _)| outcome);
        let named = outcome.and_then(|outcome| outcome.strip_suffix("_wins"));
        let known = match (outcome, named) {
            (Some("draw" | "void"), _) => true,
            (_, Some(name)) => cast.iter().any(|debater| debater == name),
            _ => false,
        };
        if !known {
            import.warnings.push(format!("seq {}: it declares an outcome that the format does not have", end.seq));
        }
    }
}

/// Compares the folder's figures and transcript with the log.
fn compare_with_log(import: &mut Import, files: &Files, figures: &Value, entries: &[LogEntry]) {
    let counted = metadata::compute_metadata(&import.motion, entries);
    let counted = counted.as_object().filter(|_| *figures != json!({})).into_iter().flatten();
    for (name, value) in counted.filter(|(name, _)| *name != TOLD) {
        if figures.get(name) != Some(value) {
            let says = figures.get(name).unwrap_or(&Value::Null);
            import.add_warning(METADATA, format!("{name} is {says}; by the log it is {value}"));
        }
    }
    let Some(transcript) = files.get(TRANSCRIPT) else { return };
    let headed = transcript.lines().filter(|line| line.starts_with('#')).filter_map(|line| {
        let (_, rest) = line.split_once("[seq ")?;
        rest.split_once(']')?.0.parse::<u64>().ok()
    });
    let shown: BTreeSet<u64> = headed.collect();
    let logged: BTreeSet<u64> = entries.iter().map(|entry| entry.seq).collect();
    for (verb, seqs) in [("lacks", &logged - &shown), ("shows", &shown - &logged)] {
        if !seqs.is_empty() {
            let seqs = format_references(&Vec::from_iter(seqs));
            import.add_warning(TRANSCRIPT, format!("it {verb} {seqs}, unlike the log"));
        }
    }
}
