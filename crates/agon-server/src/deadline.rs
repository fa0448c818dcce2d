//! The time that an answer may take, and refusals as programs and people read them.

use std::time::Duration;

use axum::{
    http::Uri,
    response::{IntoResponse, Response},
};

use crate::{Refusal, mcp, page};

/// Longest wait for the head of an answer.
const ANSWER_WAIT: Duration = Duration::from_secs(30);

/// The answer, or that it takes too long.
pub(crate) async fn in_time(answer: impl Future<Output = Response>, for_program: bool) -> Response {
    tokio::time::timeout(ANSWER_WAIT, answer).await.unwrap_or_else(|_| {
        let why = format!("the request was not answered within {} s", ANSWER_WAIT.as_secs());
        refusal_response(Refusal::new(408, "timeout", why, "send it again, faster"), for_program)
    })
}

/// A refusal, as a program reads it or as a page.
pub(crate) fn refusal_response(refusal: Refusal, for_program: bool) -> Response {
    if for_program { refusal.into_response() } else { page::refusal_page(&refusal) }
}

/// Whether an address is called by programs: what is refused there is told as JSON.
pub(crate) fn is_for_programs(uri: &Uri) -> bool {
    uri.path().starts_with("/api/") || uri.path() == mcp::PATH
}
