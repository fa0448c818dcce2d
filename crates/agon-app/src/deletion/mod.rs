//! Deleting debates, by hand or by age: their words go, a tombstone stays that keeps the hash chain checkable.
//!
//! - [`delete_debate`]: one debate with its companions, its files, and the pages and material that it alone uses
//! - [`files`]: what of it is on the disk; [`retention`]: debates that are older than the configuration keeps them

mod files;
pub mod retention;

use std::{collections::BTreeSet, path::Path};

use agon_core::{DebateId, Record, Tombstone};
use agon_journal::{DriveLock, Journal, JournalError, tombstone::Deletion};
use agon_material::{manifest::MaterialManifest, store::MaterialStore};
use agon_runtime::prompts::material::MATERIAL;
use serde::Serialize;

use crate::{
    backup, companion,
    failure::{Failure, Result, exit},
    opening::debate_id,
    output_folder,
};

/// Longest reason, in characters.
const WHY_CHARS_MAX: usize = 500;

/// What a deletion did.
#[derive(Debug, Clone, Serialize)]
pub struct DeletedDebate {
    /// What stays.
    #[serde(rename = "deleted")]
    pub tombstone: Tombstone,
    /// Number of files that were removed: those of the debate's folder, cited pages, drafts.
    pub files: usize,
    /// Files of the debate's folder that are not as this version draws them and that stay.
    pub kept: Vec<String>,
    /// Companions that were deleted with it.
    pub companions: Vec<DebateId>,
    /// Debates that were forked from it and hold copies of its entries. They stay.
    pub forks: Vec<DebateId>,
}

/// Deletes a debate and its companions. With `entries`, only the words of those entries go; the debate cannot be
/// continued then either, and its pages and material stay.
///
/// # Errors
///
/// Exit code 2 if the reason is too long, 5 if a process drives it, 6 if its record is damaged, 7 if a file cannot be
/// removed, 8 if there is no such debate, or it was deleted before.
pub async fn delete_debate(journal: &Journal, home: &Path, deletion: Deletion) -> Result<DeletedDebate> {
    if deletion.why.chars().count() > WHY_CHARS_MAX {
        let message = format!("the reason is longer than {WHY_CHARS_MAX} characters");
        return Err(Failure::usage(message, "shorten it"));
    }
    let debate = deletion.debate.clone();
    let lock = DriveLock::acquire(journal, &debate)?;
    let record = journal.read_record(&debate)?;
    let forks = journal.forks_of(&debate)?;
    let mut companions = Vec::new();
    let held = |id: &DebateId| {
        let message = format!("another process drives {id}, a companion of {debate}");
        Failure::new(exit::CONFLICT, "held", message, "wait until it ends")
    };
    // Nobody opens one meanwhile.
    let mut unopened = Vec::new();
    for (_, id) in companion::wanted_companions(&record) {
        let id = debate_id(id)?;
        if journal.find_summary(&id)?.is_none() {
            unopened.push(DriveLock::acquire(journal, &id).map_err(|_| held(&id))?);
        }
    }
    for companion in companion::existing_companions(journal, &record)? {
        let id = &companion.opened().debate;
        let lock = DriveLock::acquire(journal, id).map_err(|_| held(id))?;
        // As it is now that nobody drives it.
        companions.push((journal.read_record(id)?, lock));
    }
    let (mut files, mut kept) = (0, Vec::new());
    let mut deleted = Vec::new();
    for (record, lock) in companions {
        let id = record.opened().debate.clone();
        let why = format!("companion of {debate}");
        let companion = Deletion { debate: id.clone(), entries: None, by: deletion.by.clone(), why };
        delete_one_debate(journal, home, &record, companion, lock, &mut files, &mut kept).await?;
        deleted.push(id);
    }
    let tombstone = delete_one_debate(journal, home, &record, deletion, lock, &mut files, &mut kept).await?;
    // Another reader can prevent it; then the next deletion or checkpoint does it.
    let _ = journal.wipe_log();
    Ok(DeletedDebate { tombstone, files, kept, companions: deleted, forks })
}

/// Removes files first: a deletion that is interrupted can then be repeated. Material that other debates may use goes last,
/// when none of them can be missed.
async fn delete_one_debate(
    journal: &Journal,
    home: &Path,
    record: &Record,
    deletion: Deletion,
    lock: DriveLock,
    files: &mut usize,
    kept: &mut Vec<String>,
) -> Result<Tombstone> {
    let debate = &record.opened().debate;
    if let Some(unknown) = deletion.entries.iter().flatten().find(|seq| **seq >= record.len()) {
        let message = format!("{debate} has no entry {unknown}; its last is {}", record.len() - 1);
        return Err(Failure::usage(message, "agon export ID --format record numbers the entries"));
    }
    if let Some(directory) = journal.find_summary(debate)?.and_then(|summary| summary.directory) {
        let texts = journal.read_texts(record.list_text_digests())?;
        let extraction = output_folder::find_extraction(journal, record)?;
        let drawn = output_folder::render_all_files(record, extraction.as_ref(), &texts);
        let removed = files::remove_drawn(record, &directory, drawn)?;
        *files += removed.files;
        kept.extend(removed.kept.iter().map(|path| path.display().to_string()));
    }
    *files += files::remove_own(home, debate)?;
    if deletion.entries.is_none() {
        let pages = journal.pages_of_it_alone(debate, pages_of(record).into_iter().collect())?;
        *files += files::remove_pages(home, &pages)?;
    }
    let store = home.join(backup::MATERIAL);
    // Opened before the record goes, so that a store that cannot be opened does not keep the words.
    let has_material = deletion.entries.is_none() && record.document(MATERIAL).is_some();
    let store = (has_material && store.is_file()).then(|| MaterialStore::open(&store)).transpose();
    let store = store.map_err(store_failure)?;
    let material = store.as_ref().map(|store| material_of(record, store)).unwrap_or_default();
    let tombstone = journal.delete_debate(deletion).await.map_err(|error| match error {
        JournalError::Io { .. } | JournalError::Conflict { .. } => {
            let failure = Failure::from(error);
            Failure { remedy: format!("{}; then delete it again", failure.remedy), ..failure }
        }
        other => other.into(),
    })?;
    if let Some(store) = store {
        // Looked up only now: a debate that was opened meanwhile keeps what its material lists.
        let material = journal.material_of_it_alone(debate, material)?;
        store.remove_contents(&material).map_err(store_failure)?;
    }
    files::remove_lock(home, debate);
    drop(lock);
    Ok(tombstone)
}

fn store_failure(error: agon_material::store::MaterialStoreError) -> Failure {
    Failure::io(error.to_string(), "free disk space or grant permission, then delete it again")
}

/// SHA-256 of every page that the findings of the verifier name.
fn pages_of(record: &Record) -> BTreeSet<String> {
    let mut digests = BTreeSet::new();
    for (_, answered) in record.answers() {
        let text = answered.reply.text().filter(|text| text.contains("\"sha256\""));
        if let Some(Ok(value)) = text.map(serde_json::from_str) {
            collect_digests(&value, &mut digests);
        }
    }
    digests
}

fn collect_digests(value: &serde_json::Value, digests: &mut BTreeSet<String>) {
    value.as_array().into_iter().flatten().for_each(|item| collect_digests(item, digests));
    for (name, value) in value.as_object().into_iter().flatten() {
        match value.as_str().filter(|_| name == "sha256") {
            Some(digest) => drop(digests.insert(digest.to_owned())),
            None => collect_digests(value, digests),
        }
    }
}

/// Digest of every content of the debate's material; of the files around a change where `store` still has their list.
fn material_of(record: &Record, store: &MaterialStore) -> Vec<String> {
    let Some(Ok(manifest)) = record.document(MATERIAL).map(MaterialManifest::parse) else { return Vec::new() };
    let list = manifest.tree.as_ref().map(|tree| tree.digest.clone());
    let whole = store.load_tree(manifest.clone()).unwrap_or(manifest);
    whole.files.into_iter().map(|file| file.digest).chain(list).collect()
}
