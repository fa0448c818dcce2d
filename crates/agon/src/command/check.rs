//! `agon check`: hash chain, record rules and protocol rules of a debate or of an exported record, and
//! the artifact of a duel next to it; what the drop-in verbs keep; what a folder of `debate-ops` breaks.

use std::path::Path;

use agon_app::{Failure, Result, declarations::find_rules, exit, opening::debate_id, output_folder};
use agon_core::Record;
use agon_dropin::{store::findings, stored as verbs};
use agon_report::{ReadArtifact, list_artifact_forms, participation, record_jsonl};
use agon_runtime::replay;
use agon_text::count_noun;
use serde_json::json;

use super::artifact::{self, Owner};
use super::{CommandContext, deletion, import, stored};
use crate::{
    input::{self, RECORD_MEGABYTES_MAX},
    ui,
};

pub fn run(command_context: &CommandContext, what: &str) -> Result<u8> {
    let named = Path::new(what);
    let is_debate = is_debate(command_context, what)?;
    if !is_debate && let Some(code) = deletion::check_deleted(command_context, what)? {
        return Ok(code);
    }
    // A debate's files often stand in a folder of its own name: the debate is meant.
    if !is_debate {
        match artifact::find_owner(command_context, named)? {
            Some(Owner::Debate(id)) => return check_debate(command_context, id.as_str()),
            Some(Owner::Kept(duel)) => return stored::check_duel(command_context, &duel),
            None => {}
        }
        if named.is_dir() {
            return match named.join("record.jsonl") {
                record if record.is_file() => check_folder(command_context, named, &record),
                _ => folder_of_debate_ops(command_context, named),
            };
        }
    }
    if named.is_file() {
        if let Some(code) = deletion::check_file(command_context, named)? {
            return Ok(code);
        }
        return if is_artifact(named)? {
            check_loose_artifact(command_context, named)
        } else {
            let record = read_exported_record(named)?;
            check_replay(&record)?;
            print_sound_record(command_context, &record)
        };
    }
    if !is_debate && let Some(kept) = verbs::find_stored(&command_context.places.home, what)? {
        return stored::check_stored(command_context, &kept);
    }
    if debate_id(what).is_err() {
        let why = format!("no file, folder, debate, duel or run {:?}", what);
        return Err(Failure::unknown(why, "agon list shows the debates, duels and runs"));
    }
    check_debate(command_context, what)
}

/// Whether the journal has a debate of this name.
pub fn is_debate(command_context: &CommandContext, name: &str) -> Result<bool> {
    let Ok(id) = debate_id(name) else { return Ok(false) };
    let Some(journal) = command_context.known_journal()? else { return Ok(false) };
    Ok(journal.find_summary(&id)?.is_some())
}

fn print_sound_record(command_context: &CommandContext, record: &Record) -> Result<u8> {
    let id = &record.opened().debate;
    // A sound record may keep what was wrong with the files that it was taken from.
    let warnings = participation::list_warnings(record).into_iter().filter(|(of, _)| *of == "import");
    let imported: Vec<String> = warnings.map(|(_, warning)| warning).collect();
    let shown = json!({
        "debate": id, "entries": record.len(), "head": record.head_hash(), "sound": true, "imported": imported,
    });
    command_context.print_success(&shown, || {
        let (entries, hash) = (count_noun(record.len(), "entry", "entries"), &record.head_hash().as_str()[..12]);
        let head = format!("{id}: {entries}, sound (head {hash})");
        let found = imported.iter().map(|warning| format!("imported: {}", ui::escape_invisible(warning)));
        std::iter::once(head).chain(found).collect::<Vec<_>>().join("\n")
    })
}

/// A folder with the record of a debate, of this journal or not.
fn check_folder(command_context: &CommandContext, folder: &Path, record: &Path) -> Result<u8> {
    let record = read_exported_record(record)?;
    check_replay(&record)?;
    let id = &record.opened().debate;
    let home = match is_debate(command_context, id.as_str())? {
        true => command_context.open_journal()?.find_summary(id)?.and_then(|summary| summary.directory),
        false => None,
    };
    let is_home = home.is_some_and(|home| artifact::resolve_path(&home) == artifact::resolve_path(folder));
    let remedy = match is_home {
        true => format!("agon resume {id} writes it again, and keeps the changed version"),
        false => "the record has every turn: agon import record.jsonl, then agon export".into(),
    };
    artifact::compare_artifact(&record, folder, !is_home && artifact::is_bare(&record, folder), &remedy)?;
    print_sound_record(command_context, &record)
}

/// A folder that `debate-ops` works on: what it took though the protocol's rules would not, and what in
/// it does not follow from its arguments and scores.
fn folder_of_debate_ops(command_context: &CommandContext, path: &Path) -> Result<u8> {
    let found = findings::list_findings(&command_context.places.home, path)?;
    // Where there is nothing to look at, "0 findings" would be a clean bill for it.
    if found.is_empty() && !path.join("debate.md").is_file() {
        let why = format!("{} contains neither record.jsonl nor debate.md", path.display());
        return Err(Failure::unknown(
            why,
            "name a debate, its folder or its record.jsonl; agon list shows the debates",
        ));
    }
    let now = import::state_of(path)?;
    let listed = found.iter().map(|(at, finding)| json!({"at": at, "finding": finding}));
    let listed = listed.chain(now.iter().map(|finding| json!({"at": null, "finding": finding})));
    let listed: Vec<_> = listed.collect();
    command_context.print(&json!({"folder": path, "findings": listed}), || {
        let before = found.iter().map(|(at, finding)| format!("{at}  {}", ui::escape_invisible(finding)));
        let now = now.iter().map(|finding| format!("now  {}", ui::escape_invisible(finding)));
        let head = format!("{}: {} findings", ui::escape_invisible(&path.display().to_string()), listed.len());
        std::iter::once(head).chain(before).chain(now).collect::<Vec<_>>().join("\n")
    });
    Ok(if listed.is_empty() { exit::OK } else { exit::DAMAGED })
}

/// Whether a file is the artifact of a duel rather than a record, which is lines of JSON.
fn is_artifact(path: &Path) -> Result<bool> {
    let end = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    if ["md", "markdown"].contains(&end.as_str()) {
        return Ok(true);
    }
    let bytes = input::read_bytes(path, RECORD_MEGABYTES_MAX, "name a file that can be read")?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    Ok(list_artifact_forms().any(|form| text.starts_with(form.title)))
}

/// An artifact that does not stand where a duel of the journal has its own: a copy, which names its
/// duel, or one from elsewhere, of which its own rules alone can be checked.
fn check_loose_artifact(command_context: &CommandContext, path: &Path) -> Result<u8> {
    let bytes = input::read_bytes(path, RECORD_MEGABYTES_MAX, "name a file that can be read")?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    let shown = path.display();
    let wrong = |message: String, remedy: &str| Err(Failure::new(exit::DAMAGED, "changed", message, remedy));
    let Some((form, reading)) = list_artifact_forms().find_map(|form| Some((form, (form.read)(text)?))) else {
        let remedy = "name a debate, its folder, its record.jsonl, or the artifact of a duel";
        return wrong(format!("{shown} is neither a record nor the artifact of a duel"), remedy);
    };
    if let Some(record) = record_of(command_context, path, &reading.debate)? {
        find_rules(&record)?;
        return match output_folder::render_artifact(&record) {
            Some((_, content)) if content == text => print_sound_record(command_context, &record),
            Some((_, content)) => {
                let why = artifact::describe_differences(form, text, &content);
                wrong(format!("{shown}, a copy, {why}"), "agon export writes it from the record")
            }
            None => wrong(format!("{shown}: the duel {} has no artifact yet", reading.debate), ""),
        };
    }
    if let Some(duel) = verbs::load_duel(&command_context.places.home, &reading.debate, Some(path))? {
        return stored::check_duel(command_context, &duel);
    }
    let broken = verbs::check_artifact_text(text, &reading.source_path);
    if !broken.is_empty() {
        let remedy = "its duel is not in this journal, so only its own rules were checked";
        return wrong(format!("{shown}: {}", stored::join_findings(&broken)), remedy);
    }
    let ReadArtifact { turns, outcome, .. } = reading;
    let state = json!({"artifact": path, "turns": turns, "outcome": outcome, "duel": null, "sound": true});
    command_context.print_success(&state, || {
        let head =
            format!("{shown}: {}, {outcome}, follows the rules of an artifact", count_noun(turns, "turn", "turns"));
        ui::escape_invisible(&format!("{head}; it belongs to no duel of this journal"))
    })
}

/// The record of the duel `id`: of the journal, or next to the artifact at `path`.
fn record_of(command_context: &CommandContext, path: &Path, id: &str) -> Result<Option<Record>> {
    if is_debate(command_context, id)? {
        return kept_record(command_context, id).map(Some);
    }
    let place = artifact::resolve_path(path);
    let beside = place.parent().and_then(Path::parent).map(|folder| folder.join("record.jsonl"));
    let Some(beside) = beside.filter(|beside| beside.is_file()) else { return Ok(None) };
    let record = read_exported_record(&beside)?;
    Ok(Some(record).filter(|record| record.opened().debate.as_str() == id))
}

fn read_exported_record(path: &Path) -> Result<Record> {
    let bytes = input::read_bytes(path, RECORD_MEGABYTES_MAX, "name a record.jsonl that can be read")?;
    let (record, _) = record_jsonl::read_record(bytes).map_err(|error| {
        Failure::damaged(format!("{}: {error}", path.display()), "it was not changed; export it again from its journal")
    })?;
    Ok(record)
}

/// A debate of the journal, its artifact included where it leaves one.
fn check_debate(command_context: &CommandContext, what: &str) -> Result<u8> {
    let record = kept_record(command_context, what)?;
    check_replay(&record)?;
    let id = &record.opened().debate;
    if let Some(folder) = command_context.open_journal()?.find_summary(id)?.and_then(|summary| summary.directory) {
        let remedy = format!("agon resume {id} writes it again, and keeps the changed version");
        artifact::compare_artifact(&record, &folder, false, &remedy)?;
    }
    print_sound_record(command_context, &record)
}

/// A debate of the journal; the copy of its record in its folder is compared too.
fn kept_record(command_context: &CommandContext, what: &str) -> Result<Record> {
    let (journal, id, record) = command_context.open_debate(what)?;
    journal.read_texts(record.list_text_digests())?;
    let directory = journal.find_summary(&id)?.and_then(|summary| summary.directory);
    let copy = directory
        .map(|directory| directory.join(output_folder::path_in_folder(record.opened(), "record.jsonl")))
        .filter(|copy| copy.is_file());
    if let Some(copy) = copy {
        let other = read_exported_record(&copy)?;
        let same = other.entries().iter().zip(record.entries()).all(|(a, b)| a.hash == b.hash);
        if !same || other.len() > record.len() {
            let why = format!("{} differs from the record in the journal", copy.display());
            let remedy = format!("agon resume {id} writes it again");
            return Err(Failure::damaged(why, remedy));
        }
    }
    Ok(record)
}

/// Steps at every prefix: finds an entry that no script asked for.
pub fn check_replay(record: &Record) -> Result<()> {
    let protocol = find_rules(record)?;
    replay::replay_record(protocol, record).map_err(|error| {
        Failure::new(exit::DAMAGED, "diverged", error.to_string(), "agon show and agon export still work with it")
    })
}
