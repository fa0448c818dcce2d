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
    routing::{get, post},
};

pub(crate) use self::{
    acts::continue_debate,
    debates::current_phase,
    document::{AccountsApiDocument, ApiDocument},
    files::RECORD,
    start::{open_debate, plan_opening},
};
use crate::{Refusal, State, authorization::RouteSet};

/// Where the routes are.
pub(crate) const ROOT: &str = "/api/v1";

pub(crate) fn api_routes() -> RouteSet {
    RouteSet::below(ROOT)
        .add_route("/openapi.json", get(document::show_openapi_document))
        .add_route("/protocols", get(debates::list_protocols))
        .add_route("/debates", get(debates::list_debates).post(start::start_debate))
        .add_route("/plans", post(start::plan_debate))
        .add_route("/debates/{id}", get(debates::show_debate))
        .add_route("/debates/{id}/entries", get(debates::list_entries))
        .add_route("/debates/{id}/events", get(debates::watch_debate))
        .add_route("/debates/{id}/scores", get(debates::show_scores))
        .add_route("/debates/{id}/transcript", get(files::show_transcript))
        .add_route("/debates/{id}/files", get(files::list_files))
        .add_route("/debates/{id}/files/{*path}", get(files::show_file))
        .add_route("/debates/{id}/requests", get(outside_seats::list_requests))
        .add_route("/debates/{id}/seats/{seat}/prompt", get(outside_seats::show_prompt))
        .add_route("/debates/{id}/seats/{seat}/claim", post(outside_seats::claim_seat))
        .add_route("/debates/{id}/seats/{seat}/refresh", post(outside_seats::refresh_seat))
        .add_route("/debates/{id}/seats/{seat}/release", post(outside_seats::release_seat))
        .add_route("/debates/{id}/seats/{seat}/answer", post(outside_seats::answer_seat))
        .add_route("/debates/{id}/seats/{seat}/lookup", post(outside_seats::look_up))
        .add_route("/debates/{id}/interject", post(acts::interject))
        .add_route("/debates/{id}/pause", post(acts::pause_debate))
        .add_route("/debates/{id}/resume", post(acts::resume_debate))
        .add_route("/debates/{id}/extend", post(acts::extend_debate))
        .add_route("/debates/{id}/cancel", post(acts::cancel_debate))
}

/// Routes of a server with accounts.
pub(crate) fn account_routes() -> RouteSet {
    RouteSet::below(ROOT)
        .add_route("/session", get(session::show_session))
        .add_route("/passkeys/options", post(passkeys::registration_options))
        .add_route("/passkeys", post(passkeys::register_passkey))
        .add_route("/login/options", post(passkeys::login_options))
        .add_route("/login", post(passkeys::log_in))
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
