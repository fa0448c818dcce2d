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
    acts::proceed,
    debates::phase,
    document::{AccountsApiDocument, ApiDocument},
    files::RECORD,
    start::{open, planned},
};
use crate::{Refusal, State, authorization::RouteSet};

/// Where the routes are.
pub(crate) const ROOT: &str = "/api/v1";

pub(crate) fn routes() -> RouteSet {
    RouteSet::below(ROOT)
        .route("/openapi.json", get(document::openapi))
        .route("/protocols", get(debates::protocols))
        .route("/debates", get(debates::list).post(start::start))
        .route("/plans", post(start::plan))
        .route("/debates/{id}", get(debates::show))
        .route("/debates/{id}/entries", get(debates::entries))
        .route("/debates/{id}/events", get(debates::events))
        .route("/debates/{id}/scores", get(debates::scores))
        .route("/debates/{id}/transcript", get(files::transcript))
        .route("/debates/{id}/files", get(files::list))
        .route("/debates/{id}/files/{*path}", get(files::file))
        .route("/debates/{id}/requests", get(outside_seats::requests))
        .route("/debates/{id}/seats/{seat}/prompt", get(outside_seats::prompt))
        .route("/debates/{id}/seats/{seat}/claim", post(outside_seats::claim))
        .route("/debates/{id}/seats/{seat}/refresh", post(outside_seats::refresh))
        .route("/debates/{id}/seats/{seat}/release", post(outside_seats::release))
        .route("/debates/{id}/seats/{seat}/answer", post(outside_seats::answer))
        .route("/debates/{id}/interject", post(acts::interject))
        .route("/debates/{id}/pause", post(acts::pause))
        .route("/debates/{id}/resume", post(acts::resume))
        .route("/debates/{id}/extend", post(acts::extend))
        .route("/debates/{id}/cancel", post(acts::cancel))
}

/// Routes of a server with accounts.
pub(crate) fn account_routes() -> RouteSet {
    RouteSet::below(ROOT)
        .route("/session", get(session::show))
        .route("/passkeys/options", post(passkeys::options))
        .route("/passkeys", post(passkeys::register))
        .route("/login/options", post(passkeys::login_options))
        .route("/login", post(passkeys::log_in))
}

/// What is served where there is not a route, or where it does not take the method.
pub(crate) fn with_fallbacks(router: Router<State>) -> Router<State> {
    router.method_not_allowed_fallback(wrong_method).fallback(nothing)
}

async fn nothing(uri: Uri) -> Refusal {
    let path: String = uri.path().chars().take(200).collect();
    Refusal::new(
        404,
        "no_such_route",
        format!("no page at {path:?}"),
        "/api/v1/openapi.json lists the routes",
    )
}

async fn wrong_method() -> Refusal {
    Refusal::new(
        405,
        "wrong_method",
        "this route does not take that method",
        "/api/v1/openapi.json lists its methods",
    )
}

/// A value as JSON.
fn json(value: impl serde::Serialize) -> Response {
    Json(value).into_response()
}
