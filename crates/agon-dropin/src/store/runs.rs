//! Workflow runs that other programs report, read back with their events.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use agon_journal::{JournalError, sqlite::read_row};

use super::{
    events::{EventData, STATUS_CHANGE, run_status},
    read_journal,
};

/// A run of a workflow, in the state that its events lead to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct WorkflowRun {
    /// As its workflow calls it.
    pub id: String,
    /// The workflow that it runs.
    pub workflow: String,
    /// What it is called.
    pub name: Option<String>,
    /// The program that it runs in.
    pub harness: Option<String>,
    /// Where it is reported from.
    pub project: Option<String>,
    /// How it stands.
    pub status: String,
    /// When its first event came.
    pub created_at: String,
    /// When its last event came.
    pub last_at: String,
    /// How many events it has.
    pub events: u64,
}

/// An event of a workflow run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunEvent {
    /// Its number.
    pub id: i64,
    /// The kind of event.
    #[serde(rename = "type")]
    pub kind: String,
    /// The step of the workflow.
    pub step: Option<String>,
    /// A part of the step.
    pub unit: Option<String>,
    /// What it says.
    pub data: EventData,
    /// When it came.
    pub at: String,
}

const RUN: &str = "SELECT id, workflow, name, harness, project, status, created_at,
    coalesce((SELECT MAX(at) FROM events WHERE run = runs.id), created_at), (SELECT COUNT(*) FROM events WHERE run = runs.id) FROM runs";

/// The latest runs, newest first.
pub fn list_runs(home: &Path, limit: u32) -> Result<Vec<WorkflowRun>, JournalError> {
    read_journal(home, |db| {
        let mut rows = db.prepare(&format!("{RUN} ORDER BY created_at DESC, rowid DESC LIMIT ?"))?;
        rows.query_map(params![limit], read_row)?.collect()
    })
}

/// The run called `id`, with its events in order.
pub fn find_run(home: &Path, id: &str) -> Result<Option<(WorkflowRun, Vec<RunEvent>)>, JournalError> {
    read_journal(home, |db| {
        let Some(run) = db.query_row(&format!("{RUN} WHERE id = ?"), params![id], read_row).optional()? else {
            return Ok(None);
        };
        Ok(Some((run, load_events(db, id)?)))
    })
}

/// The runs with an event that names the duel `id`, oldest first, each with its events.
pub fn of_duel(home: &Path, id: &str) -> Result<Vec<(WorkflowRun, Vec<RunEvent>)>, JournalError> {
    read_journal(home, |db| {
        let named = format!(
            "{RUN} WHERE EXISTS (SELECT 1 FROM events WHERE run = runs.id AND json_extract(data, '$.duel_id') = ?) ORDER BY created_at, rowid"
        );
        let runs: Vec<WorkflowRun> =
            db.prepare(&named)?.query_map(params![id], read_row)?.collect::<rusqlite::Result<_>>()?;
        let with_events = |run: WorkflowRun| {
            let events = load_events(db, &run.id)?;
            Ok((run, events))
        };
        runs.into_iter().map(with_events).collect()
    })
}

/// How a run with these events stands.
pub fn derive_status(events: &[RunEvent]) -> &'static str {
    let mut steps: Vec<(String, Option<String>, String)> = Vec::new();
    for event in events.iter().filter(|event| event.kind == STATUS_CHANGE) {
        let (Some(step), Some(status)) = (&event.step, event.data.find_text("status")) else { continue };
        steps.retain(|(known, unit, _)| (known, unit) != (step, &event.unit));
        steps.push((step.clone(), event.unit.clone(), status.to_owned()));
    }
    run_status(&steps)
}

fn load_events(db: &Connection, run: &str) -> rusqlite::Result<Vec<RunEvent>> {
    let sql = "SELECT id, type, step, unit, data, at FROM events WHERE run = ? ORDER BY id";
    let event = |row: &Row<'_>| {
        let (id, kind, step, unit, data, at): (_, _, _, _, String, _) = read_row(row)?;
        let read = |error: serde_json::Error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
        let data = serde_json::from_str(&data).map_err(read)?;
        Ok(RunEvent { id, kind, step, unit, data, at })
    };
    db.prepare(sql)?.query_map(params![run], event)?.collect()
}
