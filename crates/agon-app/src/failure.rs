//! The error of a command: one message, one remedy, one exit code.

use std::borrow::Cow;

use agon_journal::{JournalError, LockError, accounts::AccountError};
use agon_runtime::{
    config::{ConfigError, ModelError},
    drive::{DriveError, Stop},
    files::FileError,
    outside_seats::OutsideSeatError,
    prompts::PromptError,
};
use serde::{Deserialize, Serialize};

use crate::display::model_suggestion;

/// Exit codes; `docs/exit-codes.md` explains them.
pub mod exit {
    #![allow(missing_docs)]

    pub const OK: u8 = 0;
    pub const USAGE: u8 = 2;
    pub const PROVIDER: u8 = 3;
    pub const BUDGET: u8 = 4;
    pub const CONFLICT: u8 = 5;
    pub const DAMAGED: u8 = 6;
    pub const IO: u8 = 7;
    pub const UNKNOWN: u8 = 8;
    pub const VOID: u8 = 9;
    pub const NOBODY_CAME: u8 = 10;
    pub const INTERRUPTED: u8 = 130;
}

/// Why a command failed, as the user sees it: exit code, machine-readable code, message and remedy.
/// The remedy may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The exit code of a command that ends so; programs read it elsewhere.
    #[serde(skip)]
    pub exit: u8,
    /// A word for programs.
    pub code: Cow<'static, str>,
    /// What happened, and where.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

/// The result of a use case or a command; the error has a message, a remedy and an exit code.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// With its parts.
    pub fn new(
        exit: u8,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { exit, code: code.into(), message: message.into(), remedy: remedy.into() }
    }

    /// What was asked for cannot be meant.
    pub fn usage(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(exit::USAGE, "usage", message, remedy)
    }

    /// A name that is unknown.
    pub fn unknown(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(exit::UNKNOWN, "unknown", message, remedy)
    }

    /// Something of this machine cannot be read or written.
    pub fn io(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(exit::IO, "io", message, remedy)
    }

    /// What is stored cannot be right.
    pub fn damaged(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(exit::DAMAGED, "damaged", message, remedy)
    }

    /// A name is taken.
    pub fn exists(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(exit::CONFLICT, "exists", message, remedy)
    }

    /// Adds how to continue, if the debate can be resumed.
    pub fn with_resume_hint(mut self, id: &agon_core::DebateId) -> Self {
        if [exit::PROVIDER, exit::BUDGET, exit::INTERRUPTED, exit::IO].contains(&self.exit) {
            let more = if self.remedy.is_empty() { "" } else { "; then " };
            self.remedy = format!("{}{more}continue with: agon resume {id}", self.remedy);
        }
        self
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        let (exit, code, remedy): (u8, &'static str, Cow<'static, str>) = match &error {
            JournalError::Exists(id) => (exit::CONFLICT, "exists", format!("continue with: agon resume {id}").into()),
            JournalError::Deleted(tombstone) => {
                let id = &tombstone.debate;
                let remedy = format!(
                    "agon check {id} verifies what is left; agon export {id} --format record prints it"
                );
                (exit::UNKNOWN, "deleted", remedy.into())
            }
            JournalError::NoSuchDebate(_) => (exit::UNKNOWN, "unknown", "agon list shows the debates".into()),
            JournalError::Newer { .. } => (exit::DAMAGED, "newer", "use that version, or another AGON_HOME".into()),
            JournalError::Older { .. } => (
                exit::DAMAGED,
                "older",
                "with that version: agon export ID --format record --out DIR for each debate of agon list; with this one \
                 and another AGON_HOME: agon import record DIR/record.jsonl".into(),
            ),
            JournalError::Fenced { .. } => (exit::CONFLICT, "held", "follow the debate with agon watch".into()),
            JournalError::OtherEngine { .. } => (
                exit::CONFLICT,
                "cluster",
                "give each cluster a database or a schema of its own, or end those workers; one that was killed counts for 10 seconds".into(),
            ),
            JournalError::Conflict { .. } | JournalError::Refused { .. } => {
                (exit::CONFLICT, "conflict", "try again".into())
            }
            JournalError::Damaged { .. } => (
                exit::DAMAGED,
                "damaged",
                "it was not changed; restore it from a copy, or import a record.jsonl into another AGON_HOME".into(),
            ),
            JournalError::Emptied { .. } => (
                exit::DAMAGED,
                "emptied",
                "restore it from a copy; if there is none, remove it and import each debate's record.jsonl with agon import record".into(),
            ),
            JournalError::Unreached { .. } => (
                exit::IO,
                "unreached",
                "see that the database runs and lets this user in; docs/journal.md has the settings".into(),
            ),
            JournalError::Io { .. } => (
                exit::IO,
                "io",
                "free disk space, grant permission, or set AGON_HOME to another folder".into(),
            ),
        };
        Self::new(exit, code, error.to_string(), remedy)
    }
}

impl From<AccountError> for Failure {
    fn from(error: AccountError) -> Self {
        match error {
            AccountError::Journal(error) => error.into(),
            AccountError::Unknown { .. } => Self::unknown(error.to_string(), "agon users list shows all accounts"),
            AccountError::Unusable(why) => Self::usage(why, "correct it, and try again"),
            error => Self::new(exit::CONFLICT, "conflict", error.to_string(), ""),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(exit::USAGE, "configuration", error.to_string(), "docs/configuration.md lists the allowed settings")
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        let hint = model_suggestion(&error.name);
        Self::unknown(error.to_string(), format!("{hint}agon doctor shows the available models"))
    }
}

impl From<PromptError> for Failure {
    fn from(error: PromptError) -> Self {
        Self::new(exit::USAGE, "prompt", error.to_string(), "agon prompts list shows where each prompt comes from")
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::io(error.to_string(), "free disk space, grant permission, or choose another --out")
    }
}

impl From<DriveError> for Failure {
    fn from(error: DriveError) -> Self {
        let message = error.to_string();
        match error {
            DriveError::Journal(error) => error.into(),
            DriveError::Prompt(error) => error.into(),
            DriveError::Diverged(_) => {
                Self::new(exit::DAMAGED, "diverged", message, "agon show and agon export still work with it")
            }
            DriveError::Waiting => Self::new(exit::CONFLICT, "waiting", message, "agon seats shows who is asked"),
            DriveError::Record(_) | DriveError::Idle => Self::damaged(message, ""),
            DriveError::NoSuchSeat(_) => Self::unknown(message, "assign a model with --seat"),
            DriveError::Stopped(Stop::Provider { remedy, .. }) => {
                Self::new(exit::PROVIDER, "provider", message, remedy)
            }
            DriveError::Stopped(Stop::Budget(_)) => Self::new(
                exit::BUDGET,
                "budget",
                message,
                "raise the limit with agon extend (--max-requests, --max-tokens, --max-cost, --max-time)",
            ),
            DriveError::Stopped(Stop::Paused { .. }) => Self::new(exit::INTERRUPTED, "paused", message, ""),
            DriveError::Interrupted => Self::new(exit::INTERRUPTED, "interrupted", "interrupted", ""),
            DriveError::Files(error) => error.into(),
            DriveError::Lock(error) => error.into(),
        }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        let (code, kind, remedy) = match error {
            LockError::Fault { .. } => (exit::IO, "io", "free disk space or grant permission"),
            LockError::Held(_) => (exit::CONFLICT, "held", "wait until it ends, or follow the debate with agon watch"),
        };
        Self::new(code, kind, error.to_string(), remedy)
    }
}

impl From<OutsideSeatError> for Failure {
    fn from(error: OutsideSeatError) -> Self {
        let code = error.code();
        let mut message = error.to_string();
        if let Some(kept) = error.kept_path() {
            message.push_str(&format!("; your text is kept at {}", kept.display()));
        }
        let (exit, remedy) = match &error {
            OutsideSeatError::NoSuchSeat { debate, .. } => {
                (exit::UNKNOWN, format!("agon seats {debate} shows the open requests"))
            }
            OutsideSeatError::Drive(DriveError::Journal(JournalError::NoSuchDebate(_))) => {
                (exit::UNKNOWN, "agon list shows the debates".into())
            }
            OutsideSeatError::NotOutside { .. } => {
                (exit::USAGE, "only seats whose model is outside can be answered this way".into())
            }
            OutsideSeatError::NotAllowed(_) => (exit::CONFLICT, "agon protocols show describes what it takes".into()),
            OutsideSeatError::Paused { .. } => (exit::CONFLICT, "continue it with agon resume".into()),
            OutsideSeatError::Unusable(_) => (exit::USAGE, "fix it and send it again".into()),
            OutsideSeatError::NotOpen { .. } => (exit::CONFLICT, "agon seats shows whose turn it is".into()),
            OutsideSeatError::Closed { .. } => (exit::CONFLICT, "agon extend adds rounds or budget".into()),
            OutsideSeatError::Denied { .. } => (exit::CONFLICT, remedy_for_code(code).into()),
            OutsideSeatError::Drive(_) => {
                let OutsideSeatError::Drive(error) = error else { unreachable!("matched just above") };
                return Self { code: code.into(), ..Failure::from(error) };
            }
        };
        Self::new(exit, code, message, remedy)
    }
}

fn remedy_for_code(code: &str) -> &'static str {
    match code {
        "held" => "wait until then, or ask the holder to release it",
        "expired" => "claim the seat again with agon seats claim, and send the text again",
        "wrong_token" => "use the token of the seat's last claim, or omit --token",
        _ => "agon seats shows the open requests",
    }
}
