//! What became of a line of a batch.

use std::path::PathBuf;

use agon_app::{Failure, Result, local_run};
use agon_core::{DebateId, Outcome, Record, Usage};
use serde::Serialize;
use serde_json::json;

use crate::ui;

/// Where the debate of a line stood when the batch came to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum LineState {
    /// It was opened.
    New,
    /// It had begun, and went on.
    Resumed,
    /// It was over: its outcome is told again, and nothing is asked or paid.
    Repeated,
}

impl LineState {
    /// Its word.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The debate of a line.
#[derive(Debug, Clone)]
pub struct LineDebate {
    /// Which.
    pub id: DebateId,
    /// Where its files are; `None` where it leaves none.
    pub directory: Option<PathBuf>,
    /// Where it stood.
    pub state: LineState,
}

/// The result of one line.
pub struct LineResult {
    /// The line, from 1.
    pub number: usize,
    /// Its debate, where there is one.
    pub at: Option<LineDebate>,
    /// How it ended.
    pub ended: Result<Outcome>,
    /// Its record, where it has ended.
    pub record: Option<Record>,
    /// What was spent on it now, companions included.
    pub spent: Usage,
    /// How long it took.
    pub seconds: f64,
}

impl LineResult {
    /// A line that is not a debate.
    pub fn from_failure(number: usize, failure: Failure) -> Self {
        Self { number, at: None, ended: Err(failure), record: None, spent: Usage::default(), seconds: 0.0 }
    }

    /// The exit code that `run` would return for it.
    pub fn exit_code(&self) -> u8 {
        match &self.ended {
            Ok(outcome) => local_run::exit_code(outcome),
            Err(failure) => failure.exit,
        }
    }

    /// As programs read it.
    pub fn to_json(&self) -> impl Serialize {
        let mut line = json!({
            "line": self.number, "code": self.exit_code(), "seconds": (self.seconds * 10.0).round() / 10.0,
            "id": self.at.as_ref().map(|at| &at.id), "directory": self.at.as_ref().map(|at| &at.directory),
            "state": self.at.as_ref().map(|at| at.state.name()), "used": self.spent.render_receipt(),
        });
        match &self.ended {
            Ok(outcome) => line["outcome"] = json!(outcome),
            Err(failure) => line["error"] = json!(failure),
        }
        line
    }

    /// In a line for people.
    pub fn summary_line(&self) -> String {
        let debate = self.at.as_ref().map(|at| format!("{} ({})", at.id, at.state.name()));
        let debate = debate.unwrap_or_else(|| "no debate".into());
        let what = match &self.ended {
            Ok(outcome) => outcome.name.clone(),
            Err(failure) => format!("{}; {}", failure.message, failure.remedy),
        };
        ui::escape_invisible(&format!("line {}: {debate}: {what} (code {})", self.number, self.exit_code()))
    }
}
