//! Events that workflows of others report about their runs, and what they make of a run's status.

use std::collections::BTreeSet;

use agon_core::Stamp;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use agon_journal::time::to_stamp;
use agon_journal::{JournalError, sqlite, uuid};

use super::receipts::RequestReceipt;

/// What is reported.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Emission {
    /// The run; it begins with its first event.
    pub run: String,
    /// The workflow it runs.
    pub workflow: String,
    /// The kind of event.
    pub kind: String,
    /// The step of the workflow.
    pub step: Option<String>,
    /// A part of the step.
    pub unit: Option<String>,
    /// What the event says.
    pub data: EventData,
    /// Where it is reported from.
    pub project: Option<String>,
    /// What the run is called.
    pub name: Option<String>,
    /// The program it runs in.
    pub harness: Option<String>,
    /// Whether it ends the run: everything in progress is then completed.
    pub close: bool,
}

/// What an event says: an object in every event that is taken, whose keys are those of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventData(pub(crate) Value);

impl Default for EventData {
    fn default() -> Self {
        Self(json!({}))
    }
}

impl EventData {
    /// The text of a key; none where it is missing or something else.
    pub fn find_text(&self, key: &str) -> Option<&str> {
        self.0[key].as_str()
    }
}

/// The steps of a workflow in their order, and which follow on which.
#[derive(Debug)]
pub struct Workflow {
    /// In the order in which they are reached first.
    pub steps: &'static [&'static str],
    /// From, to.
    pub edges: &'static [(&'static str, &'static str)],
}

/// The effect of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Emitted {
    /// Its number.
    pub event: i64,
    /// Name of the artifact that it registers, the same for the same path of a run.
    pub document: Option<String>,
    /// Earlier steps without an event, which count as skipped.
    pub skipped: Vec<String>,
    /// Earlier steps that went on, which count as completed.
    pub completed: Vec<String>,
    /// How the run stands.
    pub run_status: String,
}

pub(super) const STATUS_CHANGE: &str = "status_change";
const GOES_ON: [&str; 2] = ["running", "waiting"];

impl Workflow {
    /// The steps from which `step` can be reached, in order.
    fn steps_before(&self, step: &str) -> Vec<&'static str> {
        let mut before = BTreeSet::new();
        let mut reached = vec![step];
        while let Some(to) = reached.pop() {
            for (from, _) in self.edges.iter().filter(|(_, next)| *next == to) {
                if *from != step && before.insert(*from) {
                    reached.push(*from);
                }
            }
        }
        self.steps.iter().copied().filter(|step| before.contains(step)).collect()
    }
}

/// Keeps an event, with what follows from it for earlier steps, in one transaction: once for a request.
pub fn emit_event(
    receipt: &RequestReceipt,
    emission: &Emission,
    flow: Option<&Workflow>,
    now: Timestamp,
) -> Result<Emitted, JournalError> {
    let (path, mut db) = sqlite::open_journal(receipt.home())?;
    let id = uuid::random_uuid().map_err(|error| JournalError::io(&path, error))?;
    let keep = || {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let known = receipt.find_result(&tx, now)?.and_then(|done| serde_json::from_str(&done).ok());
        if let Some(emitted) = known {
            return Ok(emitted);
        }
        let emitted = Emitting { db: &tx, emission, now: &to_stamp(now) }.emit_with_consequences(flow, id)?;
        receipt.record_result(&tx, &json!(emitted).to_string(), now)?;
        tx.commit()?;
        Ok(emitted)
    };
    keep().map_err(|error| JournalError::sqlite(&path, error))
}

struct Emitting<'e> {
    db: &'e Connection,
    emission: &'e Emission,
    now: &'e Stamp,
}

impl Emitting<'_> {
    fn emit_with_consequences(&self, flow: Option<&Workflow>, id: String) -> rusqlite::Result<Emitted> {
        let Emission { run, workflow, kind, step, unit, data, project, name, harness, close } = self.emission;
        self.db.execute(
            "INSERT OR IGNORE INTO runs (id, workflow, name, harness, project, status, created_at) VALUES (?, ?, ?, ?, ?, 'not_started', ?)",
            params![run, workflow, name, harness, project, self.now.0],
        )?;
        let reached = step.as_deref().filter(|_| kind == STATUS_CHANGE).zip(flow);
        let mut skipped = Vec::new();
        let mut completed = Vec::new();
        if let Some((step, flow)) = reached {
            let earlier = flow.steps.iter().take_while(|known| **known != step);
            for earlier in earlier.filter(|_| flow.steps.contains(&step)) {
                if !self.has_status(earlier)? {
                    self.insert_status(earlier, None, "skipped")?;
                    skipped.push((*earlier).to_owned());
                }
            }
            if unit.is_none() && data.find_text("status") == Some("running") {
                let stands = self.last_statuses()?;
                let goes_on = |step: &str| {
                    stands.iter().any(|(known, unit, status)| {
                        known == step && unit.is_none() && GOES_ON.contains(&status.as_str())
                    })
                };
                for earlier in flow.steps_before(step).into_iter().filter(|step| goes_on(step)) {
                    self.insert_status(earlier, None, "completed")?;
                    completed.push(earlier.to_owned());
                }
            }
        }
        let mut data = data.clone();
        let mut document = None;
        if kind == "artifact_registered" {
            document = Some(self.find_document_name(&data)?.unwrap_or(id));
            data.0["docId"] = json!(document);
        }
        let event = self.add_event(kind, step.as_deref(), unit.as_deref(), &data)?;
        if *close {
            for (step, unit, status) in self.last_statuses()? {
                if GOES_ON.contains(&status.as_str()) || status == "not_started" {
                    self.insert_status(&step, unit.as_deref(), "completed")?;
                }
            }
        }
        let run_status = run_status(&self.last_statuses()?).to_owned();
        self.db.execute("UPDATE runs SET status = ?2 WHERE id = ?1", params![run, run_status])?;
        Ok(Emitted { event, document, skipped, completed, run_status })
    }

    fn insert_status(&self, step: &str, unit: Option<&str>, status: &str) -> rusqlite::Result<i64> {
        self.add_event(STATUS_CHANGE, Some(step), unit, &EventData(json!({"status": status})))
    }

    fn add_event(&self, kind: &str, step: Option<&str>, unit: Option<&str>, data: &EventData) -> rusqlite::Result<i64> {
        self.db.execute(
            "INSERT INTO events (run, type, step, unit, data, at) VALUES (?, ?, ?, ?, ?, ?)",
            params![self.emission.run, kind, step, unit, data.0.to_string(), self.now.0],
        )?;
        Ok(self.db.last_insert_rowid())
    }

    fn has_status(&self, step: &str) -> rusqlite::Result<bool> {
        let sql = "SELECT 1 FROM events WHERE run = ? AND type = 'status_change' AND step = ?";
        self.db.prepare_cached(sql)?.exists(params![self.emission.run, step])
    }

    /// The last status of each step and unit, in the order of their last events.
    fn last_statuses(&self) -> rusqlite::Result<Vec<(String, Option<String>, String)>> {
        let mut rows = self.db.prepare_cached(
            "SELECT step, unit, json_extract(data, '$.status') FROM events WHERE id IN (
                 SELECT MAX(id) FROM events WHERE run = ? AND type = 'status_change' AND step IS NOT NULL GROUP BY step, unit
             ) ORDER BY id",
        )?;
        rows.query_map(params![self.emission.run], sqlite::read_row)?.collect()
    }

    /// The name that the path has been registered under in this run.
    fn find_document_name(&self, data: &EventData) -> rusqlite::Result<Option<String>> {
        let path = data.find_text("path");
        let sql = "SELECT json_extract(data, '$.docId') FROM events
            WHERE run = ? AND type = 'artifact_registered' AND json_extract(data, '$.path') = ?";
        self.db.prepare_cached(sql)?.query_row(params![self.emission.run, path], |row| row.get(0)).optional()
    }
}

/// How a run stands: by the worst of its steps.
pub(super) fn run_status(steps: &[(String, Option<String>, String)]) -> &'static str {
    const WORST: [&str; 7] = ["failed", "running", "waiting", "inactive", "not_started", "abandoned", "cancelled"];
    let is = |status: &&&str| steps.iter().any(|(_, _, known)| known == **status);
    match WORST.iter().find(is) {
        Some(status) => status,
        None if steps.is_empty() => "not_started",
        None => "completed",
    }
}
