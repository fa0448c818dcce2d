//! What the drop-in verbs keep in the journal, for the commands that show it: duels whose participants
//! write the artifact, and runs with their events.

use std::{fs, path::Path};

use agon_journal::{JournalError, sqlite::has_journal, time::now};
use agon_report::duel::{artifact::PENDING, artifact_parser, findings::check_artifact};

use crate::store::{
    duels::{self, ArtifactReport, DuelError, DuelStatus, Duels},
    runs::{self, RunEvent, WorkflowRun},
};

pub use super::emit::{check_run_events as wrong, render_event_lines};

/// What a name stands for.
pub enum StoredName {
    /// A duel.
    Duel(Box<NamedDuel>),
    /// A run with its events.
    Run(Box<WorkflowRun>, Vec<RunEvent>),
}

/// A duel, and what its artifact breaks.
pub struct NamedDuel {
    /// How it stands.
    pub report: ArtifactReport,
    /// Rules of the file and of its turns.
    pub broken: Vec<String>,
}

/// The duel or the run called `name`.
pub fn find_stored(home: &Path, name: &str) -> Result<Option<StoredName>, JournalError> {
    if let Some(duel) = load_duel(home, name, None)? {
        return Ok(Some(StoredName::Duel(Box::new(duel))));
    }
    Ok(runs::find_run(home, name)?.map(|(run, events)| StoredName::Run(Box::new(run), events)))
}

/// The duel whose artifact is at `path`.
pub fn of_artifact(home: &Path, path: &Path) -> Result<Option<NamedDuel>, JournalError> {
    duels::of_artifact(home, path)?.map_or(Ok(None), |found| load_duel(home, &found.id, None))
}

/// The duel `id`, its artifact looked at where it stands, or as the copy at `copy`.
pub fn load_duel(home: &Path, id: &str, copy: Option<&Path>) -> Result<Option<NamedDuel>, JournalError> {
    // Looking must not make a store where there is none.
    if !has_journal(home) {
        return Ok(None);
    }
    let look = |path: &Path| super::duel::read_artifact(copy.unwrap_or(path));
    let checked = Duels::open(home).and_then(|mut duels| duels.check_artifact(id, now(), &look));
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
    let Some(text) = text else { return Ok(Some(NamedDuel { report, broken: Vec::new() })) };
    let text = String::from_utf8_lossy(&text);
    let mut broken = check_artifact_text(&text, &duel.target_path);
    let says = artifact_parser::parse_with_faults(&text).0.conclusion.outcome;
    let says = if says.is_empty() { PENDING.to_owned() } else { says };
    if let Some(outcome) =
        report.outcome.as_ref().filter(|outcome| duel.status == DuelStatus::Closed && **outcome != says)
    {
        broken.push(format!("it was closed as {outcome}, and its artifact says {says}"));
    }
    Ok(Some(NamedDuel { report, broken }))
}

/// What the artifact `text` breaks, its evidence looked up in the document at `source`.
pub fn check_artifact_text(text: &str, source: &str) -> Vec<String> {
    check_artifact(text, fs::read_to_string(source).ok().as_deref())
}
