//! The artifact of a duel on the disk, compared with its record: its readers must be able to
//! learn whether it still says what was said.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use agon_app::{
    Failure, Result, exit,
    output_folder::{self, ARTIFACTS, ArtifactWrite, OutputDir},
};
use agon_core::{DebateId, Record};
use agon_dropin::stored::{self, NamedDuel};
use agon_journal::sqlite;
use agon_report::{ArtifactForm, find_format};

use super::CommandContext;

/// The form of the artifact that debates of `protocol` leave.
fn find_form(protocol: &str) -> Option<&'static ArtifactForm> {
    find_format(protocol)?.artifact
}

/// Whose an artifact is.
pub enum Owner {
    /// A duel that agon drove, and the folder of its files.
    Debate(DebateId),
    /// One whose lock alone agon kept.
    Kept(Box<NamedDuel>),
}

/// The duel of the journal whose artifact belongs at `path`, whatever stands there now.
pub fn find_owner(command_context: &CommandContext, path: &Path) -> Result<Option<Owner>> {
    let (place, home) = (resolve_path(path), &command_context.places.home);
    // Duels of others are kept in the data directory, wherever the debates are.
    if sqlite::has_journal(home)
        && let Some(duel) = stored::of_artifact(home, &place)?
    {
        return Ok(Some(Owner::Kept(Box::new(duel))));
    }
    let Some(journal) = command_context.known_journal()? else { return Ok(None) };
    for known in journal.list_debates(u32::MAX)?.into_iter().filter(|known| find_form(&known.protocol).is_some()) {
        let Some(folder) = known.directory.as_deref().map(resolve_path) else { continue };
        let Ok(within) = place.strip_prefix(&folder) else { continue };
        let drawn = output_folder::render_artifact(&journal.read_record(&known.id)?);
        if drawn.is_some_and(|(path, _)| within == Path::new(&path)) {
            return Ok(Some(Owner::Debate(known.id)));
        }
    }
    Ok(None)
}

/// A path without links and detours, also where nothing stands at its end.
pub fn resolve_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match found.and_then(|(above, real)| Some((real, path.strip_prefix(above).ok()?))) {
        Some((real, rest)) if rest.as_os_str().is_empty() => real,
        Some((real, rest)) => real.join(rest),
        None => path,
    }
}

/// Whether the artifact in `folder` is as `record` has it. Where the folder was never more than a place
/// for the record (`is_bare`), there need not be one.
pub fn compare_artifact(record: &Record, folder: &Path, is_bare: bool, remedy: &str) -> Result<()> {
    let Some(form) = find_form(&record.opened().protocol) else { return Ok(()) };
    let Some((path, content)) = output_folder::render_artifact(record) else { return Ok(()) };
    let place = folder.join(&path);
    let changed = |why: String| {
        let message = format!("{} {why}", place.display());
        Err(Failure::new(exit::DAMAGED, "changed", message, remedy))
    };
    let bytes = match fs::read(&place) {
        Ok(bytes) => bytes,
        Err(_) if place.is_dir() => return changed("is a folder, but must be the artifact".into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // While it continues it is drawn a little later than the record grows.
            let wanted = record.closing_outcome().is_some() && !is_bare;
            return if wanted { changed("is missing".into()) } else { Ok(()) };
        }
        Err(error) => return changed(format!("cannot be read: {error}")),
    };
    let text = String::from_utf8_lossy(&bytes);
    let is_ours = match record.closing_outcome() {
        Some(_) => text.trim_start_matches('\u{feff}') == content,
        None => OutputDir::from_record(record, None, folder).artifact_state() != ArtifactWrite::Changed,
    };
    if is_ours { Ok(()) } else { changed(describe_differences(form, &text, &content)) }
}

/// How an artifact of `form` differs from the one that the record gives.
pub fn describe_differences(form: &ArtifactForm, text: &str, content: &str) -> String {
    let (there, ours) = ((form.digest_turns)(text), (form.digest_turns)(content));
    let mut told: Vec<String> = Vec::new();
    for (at, (number, digest)) in ours.iter().enumerate() {
        match there.get(at) {
            Some((same, now)) if same == number && now == digest => {}
            Some(_) => told.push(format!("turn {number} was changed")),
            None => told.push(format!("turn {number} was removed")),
        }
    }
    if there.len() > ours.len() {
        told.push("turns were added".into());
    }
    if told.is_empty() {
        told.push("its header or its conclusion was changed".into());
    }
    format!("differs from the record: {}", told.join(", "))
}

/// Whether a folder holds no file of the debate but its record.
pub fn is_bare(record: &Record, folder: &Path) -> bool {
    let drawn = output_folder::render_growing_files(record);
    !folder.join(ARTIFACTS).exists() && !drawn.iter().any(|(path, _)| folder.join(path).exists())
}
