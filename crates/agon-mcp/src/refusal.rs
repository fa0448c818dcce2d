//! Refusals as a client sees them: the codes of outside seats, in a result that is marked as an error.

use std::path::PathBuf;

use agon_app::Failure;
use agon_journal::JournalError;
use agon_runtime::outside_seats::OutsideSeatError;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};
use serde::Serialize;
use serde_json::json;

/// What a call of a tool gives.
pub(crate) type Result<T, E = ToolRefusal> = std::result::Result<T, E>;

/// What a refusal says beyond its message.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RefusalDetail {
    /// Where a text that came too late was kept, within the home of agon.
    Kept(PathBuf),
    Remedy(String),
}

/// Why a call of a tool did nothing.
#[derive(Debug)]
pub(crate) enum ToolRefusal {
    /// The call itself is wrong: a JSON-RPC error.
    Malformed(String),
    /// The debate does not allow it: a result, so that the model reads it.
    Refused { code: String, message: String, more: Option<RefusalDetail> },
}

impl ToolRefusal {
    /// The answer to the call.
    pub(crate) fn into_answer(self) -> Result<CallToolResult, ErrorData> {
        match self {
            Self::Malformed(why) => Err(ErrorData::invalid_params(why, None)),
            Self::Refused { code, message, more } => {
                let error = json!({"error": {"code": code, "message": message, "more": more}});
                let mut result = CallToolResult::error(vec![ContentBlock::text(format!("{code}: {message}"))]);
                result.structured_content = Some(error);
                Ok(result)
            }
        }
    }

    /// What a call that ended so is written down as.
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Malformed(_) => "malformed",
            Self::Refused { code, .. } => code,
        }
    }

    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self::Refused { code: code.into(), message: message.into(), more: None }
    }
}

impl From<OutsideSeatError> for ToolRefusal {
    fn from(error: OutsideSeatError) -> Self {
        let more = error.kept_within_home().map(RefusalDetail::Kept);
        Self::Refused { code: error.code().into(), message: error.to_string(), more }
    }
}

impl From<JournalError> for ToolRefusal {
    fn from(error: JournalError) -> Self {
        OutsideSeatError::from(error).into()
    }
}

impl From<Failure> for ToolRefusal {
    fn from(error: Failure) -> Self {
        Self::Refused {
            code: error.code.into(),
            message: error.message,
            more: Some(RefusalDetail::Remedy(error.remedy)),
        }
    }
}
