//! What the drop-in verbs keep in the journal, for the commands that show it: duels whose participants
//! write the artifact, and runs with their events.

use std::{fs, path::Path};

use agon_formats::duel::{artifact::PENDING, findings::findings, read};
use agon_runtime::{journal::JournalError, time::now};

use crate::store::{
    duels::{self, DuelError, Duels, Report, Status},
    runs::{self, Event, Run},
};

pub use super::emit::{check as wrong, lines};

/// What a name stands for.
pub enum Kept {
    /// A duel.
    Duel(Box<KeptDuel>),
    /// A run with its events.
    Run(Box<Run>, Vec<Event>),
}

/// A duel, and what its artifact breaks.
pub struct KeptDuel {
    /// How it stands.
    pub report: Report,
    /// Rules of the file and of its turns.
    pub broken: Vec<String>,
}

/// The duel or the run called `name`.
pub fn find(home: &Path, name: &str) -> Result<Option<Kept>, JournalError> {
    // Looking must not make a store where there is none.
    if !home.join("journal.db").exists() {
        return Ok(None);
    }
    if let Some(duel) = duel(home, name, None)? {
        return Ok(Some(Kept::Duel(Box::new(duel))));
    }
    Ok(runs::find(home, name)?.map(|(run, events)| Kept::Run(Box::new(run), events)))
}

/// The duel whose artifact is at `path`.
pub fn of_artifact(home: &Path, path: &Path) -> Result<Option<KeptDuel>, JournalError> {
    match duels::of_artifact(home, path)? {
        Some(found) => duel(home, &found.id, None),
        None => Ok(None),
    }
}

/// The duel `id`, its artifact looked at where it stands, or as the copy at `copy`.
fn duel(home: &Path, id: &str, copy: Option<&Path>) -> Result<Option<KeptDuel>, JournalError> {
    let look = |path: &Path| super::duel::look(copy.unwrap_or(path));
    let checked = Duels::open(home).and_then(|mut duels| duels.check(id, now(), &look));
    let report = match checked {
        Ok(Some(report)) => report,
        Ok(None) => return Ok(None),
        Err(DuelError::Journal(error)) => return Err(error),
        Err(DuelError::Refused(why)) => {
            return Err(JournalError::Io { path: home.to_owned(), why, cause: None });
        }
    };
    let duel = &report.stands.duel;
    let path = copy.or(duel.debate_path.as_deref().map(Path::new));
    let text = path.and_then(|path| fs::read(path).ok());
    let Some(text) = text else { return Ok(Some(KeptDuel { report, broken: Vec::new() })) };
    let text = String::from_utf8_lossy(&text);
    let mut broken = broken(&text, &duel.target_path);
    let says = read::look(&text).0.artifact.conclusion.outcome;
    let says = if says.is_empty() { PENDING.to_owned() } else { says };
    if let Some(outcome) =
        report.outcome.as_ref().filter(|outcome| duel.status == Status::Closed && **outcome != says)
    {
        broken.push(format!("it was closed as {outcome}, and its artifact says {says}"));
    }
    Ok(Some(KeptDuel { report, broken }))
}

/// The duel `id`, of whose artifact the file at `path` is a copy.
pub fn copy(home: &Path, id: &str, path: &Path) -> Result<Option<KeptDuel>, JournalError> {
    // Looking must not make a store where there is none.
    if home.join("journal.db").exists() { duel(home, id, Some(path)) } else { Ok(None) }
}

/// What the artifact `text` breaks, its evidence looked up in the document at `source`.
pub fn broken(text: &str, source: &str) -> Vec<String> {
    findings(text, fs::read_to_string(source).ok().as_deref())
}
