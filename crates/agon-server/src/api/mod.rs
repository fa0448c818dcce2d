//! The interface for programs: JSON under `/api/v1`, described by its own OpenAPI document.

mod acts;
mod debates;
mod document;
mod files;
mod input;
mod opening;
mod outside_seats;
mod passkeys;
mod session;
mod shape;
mod start;

use axum::{
    Json, Router,
    http::Uri,
    response::{IntoResponse, Response},
};

pub(crate) use self::{
    acts::continue_debate,
    debates::current_phase,
    document::{AccountsApiDocument, ApiDocument, describe_response},
    files::RECORD,
    start::{open_debate, plan_opening},
};
use crate::{
    Refusal, State,
    authorization::{
        Permission::{Answer, Browser, Member, Open, Prompt, Read, Speak, Start, Steer},
        Route, reading_route, writing_route,
    },
};

/// Where the routes are.
pub(crate) const ROOT: &str = "/api/v1";

/// The routes, in the order of the page about permissions.
pub(crate) fn api_routes() -> Vec<Route> {
    vec![
        reading_route("/api/v1/openapi.json", Member, document::show_openapi_document),
        reading_route("/api/v1/session", Member, session::show_session).with_accounts(),
        writing_route("/api/v1/passkeys/options", Browser, "", passkeys::registration_options).with_accounts(),
        writing_route("/api/v1/passkeys", Browser, "", passkeys::register_passkey).with_accounts(),
        writing_route("/api/v1/login/options", Open, "", passkeys::login_options).with_accounts(),
        writing_route("/api/v1/login", Open, "", passkeys::log_in).with_accounts(),
        reading_route("/api/v1/protocols", Member, debates::list_protocols),
        reading_route("/api/v1/debates", Member, debates::list_debates),
        writing_route("/api/v1/debates", Start, "start_debate", start::start_debate),
        writing_route("/api/v1/plans", Start, "plan_debate", start::plan_debate),
        reading_route("/api/v1/debates/{id}", Read, debates::show_debate),
        reading_route("/api/v1/debates/{id}/entries", Read, debates::list_entries),
        reading_route("/api/v1/debates/{id}/events", Read, debates::watch_debate),
        reading_route("/api/v1/debates/{id}/scores", Read, debates::show_scores),
        reading_route("/api/v1/debates/{id}/transcript", Read, files::show_transcript),
        reading_route("/api/v1/debates/{id}/files", Read, files::list_files),
        reading_route("/api/v1/debates/{id}/files/{*path}", Read, files::show_file),
        reading_route("/api/v1/debates/{id}/requests", Read, outside_seats::list_requests),
        reading_route("/api/v1/debates/{id}/seats/{seat}/prompt", Prompt, outside_seats::show_prompt),
        writing_route("/api/v1/debates/{id}/seats/{seat}/claim", Answer, "claim_seat", outside_seats::claim_seat),
        writing_route("/api/v1/debates/{id}/seats/{seat}/refresh", Answer, "refresh_seat", outside_seats::refresh_seat),
        writing_route("/api/v1/debates/{id}/seats/{seat}/release", Answer, "release_seat", outside_seats::release_seat),
        writing_route("/api/v1/debates/{id}/seats/{seat}/answer", Answer, "answer", outside_seats::answer_seat),
        writing_route("/api/v1/debates/{id}/seats/{seat}/lookup", Answer, "lookup", outside_seats::look_up),
        writing_route("/api/v1/debates/{id}/interject", Speak, "interject", acts::interject),
        writing_route("/api/v1/debates/{id}/pause", Steer, "pause", acts::pause_debate),
        writing_route("/api/v1/debates/{id}/resume", Steer, "resume", acts::resume_debate),
        writing_route("/api/v1/debates/{id}/extend", Steer, "extend", acts::extend_debate),
        writing_route("/api/v1/debates/{id}/cancel", Steer, "cancel", acts::cancel_debate),
    ]
}

/// What is served where there is not a route, or where it does not take the method.
pub(crate) fn with_fallbacks(router: Router<State>) -> Router<State> {
    router.method_not_allowed_fallback(wrong_method).fallback(refuse_unknown_route)
}

async fn refuse_unknown_route(uri: Uri) -> Refusal {
    let path: String = uri.path().chars().take(200).collect();
    Refusal::new(404, "no_such_route", format!("no page at {path:?}"), "/api/v1/openapi.json lists the routes")
}

async fn wrong_method() -> Refusal {
    Refusal::new(405, "wrong_method", "this route does not take that method", "/api/v1/openapi.json lists its methods")
}

/// A response, or why there is none.
type ApiResult = Result<Response, Refusal>;

/// A value as JSON.
fn json_response(value: impl serde::Serialize) -> ApiResult {
    Ok(Json(value).into_response())
}
