//! Refusals: one form for every route, with an HTTP status and a code for programs.

use std::{borrow::Cow, path::Path};

use agon_app::{Failure, exit};
use agon_journal::JournalError;
use agon_runtime::{drive::DriveError, outside_seats::OutsideSeatError};
use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

/// What can be done about a store that does not work.
const FOR_OPERATORS: &str = "the operator of this server sees more with agon doctor and agon check";

/// The reason for a refusal.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Reason)]
pub struct Refusal {
    /// As HTTP says it.
    #[serde(skip)]
    pub status: StatusCode,
    /// A stable code for programs.
    #[schema(value_type = String, example = "no_such_debate")]
    pub code: Cow<'static, str>,
    /// What happened.
    pub message: String,
    /// What to do; empty if nothing can be done.
    pub remedy: String,
    /// Path of a rejected text on the server's machine.
    #[schema(value_type = Option<String>)]
    pub kept: Option<Box<Path>>,
    /// What is wrong in the fields of a page's form. Programs read the message.
    #[serde(skip)]
    pub(crate) faults: Box<[FormFault]>,
    /// Whether a command would say the same: with flags and commands, which pages do not have.
    #[serde(skip)]
    pub(crate) of_command: bool,
}

/// Something that is wrong in a form of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormFault {
    /// The field, as its form calls it: a name, or a JSON pointer into the answer. None where it is not known.
    pub(crate) field: Option<String>,
    /// What is missing or wrong.
    pub(crate) what: String,
}

/// The body of an error response.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Refused {
    /// The reason.
    pub error: Refusal,
}

impl Refusal {
    /// A refusal that kept nothing. A `status` that is none becomes 500.
    pub fn new(
        status: u16,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let (message, remedy) = (message.into(), remedy.into());
        Self { status, code: code.into(), message, remedy, kept: None, faults: Box::default(), of_command: false }
    }

    /// The same with what is wrong in the fields of the form.
    pub(crate) fn with_faults(self, faults: Vec<FormFault>) -> Self {
        Self { faults: faults.into(), ..self }
    }

    /// The same where the message is about one field of the form.
    pub(crate) fn in_field(self, name: &str) -> Self {
        let fault = FormFault { field: Some(name.to_owned()), what: self.message.clone() };
        self.with_faults(vec![fault])
    }

    pub(crate) fn no_such_debate(name: &str) -> Self {
        let name: String = name.chars().take(80).collect();
        Self::new(404, "no_such_debate", format!("no debate {name:?}"), "the list of debates shows all that are there")
    }

    /// A request that cannot be read.
    pub(crate) fn malformed(message: impl Into<String>, remedy: &str) -> Self {
        Self::new(400, "malformed", message, remedy)
    }

    /// A request whose content is not valid.
    pub(crate) fn unusable(message: impl Into<String>, remedy: &str) -> Self {
        Self::new(422, "unusable", message, remedy)
    }

    /// A form that was sent by none of its buttons.
    pub(crate) fn no_action() -> Self {
        Self::unusable("no action was chosen", "use one of the form's buttons")
    }

    /// A write that a browser sends from a page of another site.
    pub(crate) fn foreign_origin() -> Self {
        let remedy = "send it from a page of this server, or with Authorization: Bearer and no Origin";
        Self::new(403, "foreign_origin", "the request comes from a page of another site", remedy)
    }

    /// A request whose work broke off.
    pub(crate) fn interrupted() -> Self {
        Self::new(500, "internal", "the request was interrupted", "try again")
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(Refused { error: self })).into_response()
    }
}

/// What ended a command, as the server says it.
impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let status = match failure.exit {
            _ if failure.code == "closed" => 410,
            // By whichever rules a debate was held: they are not those of this version.
            _ if ["older", "newer"].contains(&failure.code.as_ref()) => 409,
            exit::USAGE | exit::UNKNOWN => 422,
            exit::CONFLICT => 409,
            exit::PROVIDER => 424,
            // What stops a debate later is told to those who watch, and has no status of its own.
            _ => 500,
        };
        Self { of_command: true, ..Self::new(status, failure.code, failure.message, failure.remedy) }
    }
}

impl From<JournalError> for Refusal {
    fn from(error: JournalError) -> Self {
        match &error {
            JournalError::NoSuchDebate(id) => Self::no_such_debate(id.as_str()),
            // Who deleted it and why is for the owner of the journal.
            JournalError::Deleted(tombstone) => {
                let why = format!("the debate {} was deleted", tombstone.debate);
                Self::new(410, "deleted", why, "the list of debates shows the others")
            }
            JournalError::Exists(id) => {
                let why = format!("the debate {id} already exists");
                Self::new(409, "exists", why, "omit the id, or choose another")
            }
            JournalError::Conflict { .. } => Self::new(409, "conflict", error.to_string(), "try again"),
            _ => Self::new(500, "store", error.to_string(), FOR_OPERATORS),
        }
    }
}

impl From<OutsideSeatError> for Refusal {
    fn from(error: OutsideSeatError) -> Self {
        let code = error.code();
        let (status, remedy) = match code {
            "no_such_debate" => (404, "the list of debates shows all that are there"),
            "no_such_seat" => (404, "the debate's line-up names its seats"),
            "not_outside" => (409, "only seats whose model is outside can be answered here"),
            "not_open" => (409, "wait until the seat is asked"),
            "closed" => (410, "extend it by rounds to continue it"),
            "held" => (409, "wait until the lease ends, or ask its holder"),
            "expired" => (410, "claim the seat again"),
            "wrong_token" => (403, "send the token of the last claim of this seat"),
            "paused" => (409, "wait until the debate is resumed"),
            "not_allowed" => (409, "see the protocol's rules"),
            "answered" => (409, "the first answer stands"),
            "unusable" => (422, "send a text, and your name where it is required"),
            _ => (500, FOR_OPERATORS),
        };
        // A record that this version cannot continue with is not a fault of the server.
        let status = if matches!(error, OutsideSeatError::Drive(DriveError::Diverged(_))) { 409 } else { status };
        let kept = error.kept_within_home();
        Self { kept: kept.map(Into::into), ..Self::new(status, code, error.to_string(), remedy) }
    }
}
