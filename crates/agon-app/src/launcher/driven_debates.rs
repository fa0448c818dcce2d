//! Which debates a server drives, noted in files of the data directory: when it starts again, it continues them.
//!
//! A note is made before a debate is driven, and goes when it closes or stops. What is left was interrupted with the
//! server. A note counts how often its debate was taken up without a new entry, so that a debate that ends its server
//! is left alone.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agon_core::DebateId;
use agon_journal::Journal;
use agon_runtime::files;
use serde::{Deserialize, Serialize};

/// The folder of the data directory that holds the notes.
const FOLDER: &str = "driven";
/// How often a debate is taken up without a new entry.
const TRIES_MAX: u32 = 3;
/// Debates that are taken up at a start; the others are told as interrupted.
const TAKEN_UP_MAX: usize = 1_000;

/// A debate that a server drives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    /// How long its record was when it was taken up.
    entries: u64,
    /// How often it was taken up at this length.
    tries: u32,
}

/// The notes of a data directory.
pub(super) struct DrivenNotes {
    folder: PathBuf,
}

impl DrivenNotes {
    pub fn new(home: &Path) -> Self {
        Self { folder: home.join(FOLDER) }
    }

    fn note_path(&self, debate: &DebateId) -> PathBuf {
        self.folder.join(debate.as_str())
    }

    fn read_note(&self, debate: &DebateId) -> Note {
        let text = fs::read(self.note_path(debate)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Notes that a debate with a record of so many entries is driven from now on. It is driven all
    /// the same if it could not be noted.
    pub fn write_note(&self, debate: &DebateId, entries: u64) {
        let before = self.read_note(debate);
        let tries = if before.entries == entries { before.tries + 1 } else { 1 };
        let text = serde_json::to_string(&Note { entries, tries }).unwrap_or_default();
        let written = files::write_files(&self.folder, [(debate.to_string(), text)], files::Lasting::Drawn).map(drop);
        if let Err(error) = written {
            tracing::warn!(%debate, %error, "not noted: a start of the server will not continue it");
        }
    }

    /// Notes that it is driven no longer.
    pub fn remove_note(&self, debate: &DebateId) {
        let _ = fs::remove_file(self.note_path(debate));
    }

    /// The debates that were driven when the server ended, and may be taken up: open, not paused, not driven by
    /// another process, and not tried too often. Other notes go, but those of debates that another process drives.
    pub fn list_interrupted_debates(&self, journal: &Journal) -> Vec<DebateId> {
        let names = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = names.filter_map(|file| file.file_name().into_string().ok());
        let mut debates: Vec<DebateId> = names.filter_map(|name| DebateId::new(&name).ok()).collect();
        debates.sort();
        debates.retain(|debate| !journal.is_driven(debate).unwrap_or(true));
        let (mut wanted, others): (Vec<_>, Vec<_>) = debates.into_iter().partition(|debate| {
            let note = self.read_note(debate);
            journal.read_record(debate).is_ok_and(|record| {
                let has_grown = record.len() != note.entries;
                record.closing_outcome().is_none()
                    && record.find_pause().is_none()
                    && (has_grown || note.tries < TRIES_MAX)
            })
        });
        others.iter().chain(wanted.iter().skip(TAKEN_UP_MAX)).for_each(|debate| self.remove_note(debate));
        wanted.truncate(TAKEN_UP_MAX);
        wanted
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Act, ActKind, Event, Outcome, Request, Seat, sample};
    use agon_journal::{Append, DriveLock, seal_entry};

    use super::*;

    async fn opened(journal: &Journal, name: &str, then: Option<Event>) -> DebateId {
        let mut opened = sample::sample_opened("x", &["a"]);
        opened.debate = DebateId::new(name).unwrap();
        opened.prompts.clear();
        let id = opened.debate.clone();
        journal.create_debate(Event::Opened(opened), Vec::new(), None).await.unwrap();
        if let Some(what) = then {
            let mut record = journal.read_record(&id).unwrap();
            let entry = seal_entry(&mut record, what).unwrap();
            journal.append_entries(&id, Append { entries: vec![entry], ..Append::default() }).await.unwrap();
        }
        id
    }

    #[tokio::test]
    async fn what_was_interrupted_is_taken_up_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let journal = Journal::open(home.path()).unwrap();
        let notes = DrivenNotes::new(home.path());
        assert_eq!(notes.list_interrupted_debates(&journal), []);
        let paused = Act { by: "Ada".into(), deed: ActKind::Paused { why: String::new() } };
        let closed = Event::Closed { outcome: Outcome::void("x", "x") };
        let open = opened(&journal, "open", None).await;
        let left = opened(&journal, "left", None).await;
        let held = opened(&journal, "held", None).await;
        for debate in [
            &open,
            &left,
            &held,
            &opened(&journal, "paused", Some(Event::Acted(paused))).await,
            &opened(&journal, "closed", Some(closed)).await,
            &DebateId::new("unknown").unwrap(),
        ] {
            notes.write_note(debate, 1);
        }
        notes.remove_note(&left);
        let lock = DriveLock::acquire(&journal, &held).unwrap();
        assert_eq!(notes.list_interrupted_debates(&journal), std::slice::from_ref(&open));
        drop(lock);
        assert_eq!(notes.list_interrupted_debates(&journal), [held, open], "what another process drove is noted still");
    }

    #[tokio::test]
    async fn a_debate_that_ends_its_server_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let journal = Journal::open(home.path()).unwrap();
        let notes = DrivenNotes::new(home.path());
        let id = opened(&journal, "x", None).await;
        for _ in 1..TRIES_MAX {
            notes.write_note(&id, 1);
            assert_eq!(notes.list_interrupted_debates(&journal), std::slice::from_ref(&id));
        }
        notes.write_note(&id, 1);
        assert_eq!(notes.list_interrupted_debates(&journal), []);
        // One that has got further is another matter.
        for _ in 0..TRIES_MAX {
            notes.write_note(&id, 1);
        }
        let asked = Event::Asked(Request::new("k", &Seat::new("a").unwrap(), "say"));
        let mut record = journal.read_record(&id).unwrap();
        let entry = seal_entry(&mut record, asked).unwrap();
        journal.append_entries(&id, Append { entries: vec![entry], ..Append::default() }).await.unwrap();
        assert_eq!(notes.list_interrupted_debates(&journal), [id]);
    }
}
