//! The OpenAPI document: every route, and every status that it answers with.

use axum::{
    extract::State as FromState,
    http::header,
    response::{IntoResponse, Response},
};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        Ref, RefOr, Response as Described, Schema,
        content::ContentBuilder,
        path::{Operation, PathItem},
        response::ResponseBuilder,
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

use super::{acts, debates, files, outside_seats, passkeys, session, shape, start};
use crate::State;

#[derive(OpenApi)]
#[openapi(
    info(title = "agon", description = "Read, watch and start the debates of one machine's journal, and answer for their seats.",
        license(name = "MIT OR Apache-2.0")),
    paths(
        show_openapi_document, debates::list_protocols, debates::list_debates, start::start_debate, start::plan_debate, debates::show_debate, debates::list_entries, debates::watch_debate,
        debates::show_scores, files::show_transcript, files::list_files, files::show_file, outside_seats::list_requests, outside_seats::show_prompt, outside_seats::claim_seat,
        outside_seats::refresh_seat, outside_seats::release_seat, outside_seats::answer_seat, outside_seats::look_up, acts::interject, acts::pause_debate, acts::resume_debate, acts::extend_debate,
        acts::cancel_debate,
    ),
    components(schemas(shape::Refused)),
    modifiers(&Everywhere),
)]
pub(crate) struct ApiDocument;

/// What a server with accounts has in addition.
#[derive(OpenApi)]
#[openapi(paths(
    session::show_session, passkeys::registration_options, passkeys::register_passkey, passkeys::login_options, passkeys::log_in,
), modifiers(&Everywhere))]
pub(crate) struct AccountsApiDocument;

/// Responses and security requirements that all routes share.
struct Everywhere;

/// Statuses of every route, from access control and from the journal.
const ALL: [(&str, &str); 8] = [
    ("400", "The request is malformed"),
    ("401", "The token is missing or wrong"),
    ("403", "The request comes from a page of another site, or its token does not hold the seat"),
    ("408", "The request took too long"),
    ("410", "The debate was deleted"),
    ("421", "The host name is not allowed"),
    ("429", "Too many requests; Retry-After says when to ask again"),
    ("500", "The store cannot be read or written"),
];
/// Statuses of every route with a request body.
const WRITING: [(&str, &str); 3] = [
    ("413", "The body is too large"),
    ("415", "The body is not application/json"),
    ("422", "The content of the request is not valid"),
];

impl Modify for Everywhere {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for (path, PathItem { get, post, .. }) in &mut document.paths.paths {
            for operation in [&mut *get, &mut *post].into_iter().flatten() {
                add(operation, &ALL);
                if path.contains("{id}") {
                    add(operation, &[("404", "No such debate")]);
                }
                operation.security = Some(vec![SecurityRequirement::new("token", [""; 0])]);
            }
            if let Some(operation) = post {
                add(operation, &WRITING);
            }
        }
        if let Some(components) = &mut document.components {
            let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
            let scheme = scheme.description(Some(
                "The token that agon serve printed; its file is serve-token in the data directory. \
                With --read-without-token, programs on the server's machine can read without it",
            ));
            components.add_security_scheme("token", SecurityScheme::Http(scheme.build()));
        }
    }
}

fn add(operation: &mut Operation, statuses: &[(&str, &str)]) {
    for (status, description) in statuses {
        let refusal = || describe_response(description, "application/json", Ref::from_schema_name("Refused"));
        operation.responses.responses.entry((*status).to_owned()).or_insert_with(refusal);
    }
}

/// A response of one media type.
pub(crate) fn describe_response(about: &str, kind: &str, schema: impl Into<RefOr<Schema>>) -> RefOr<Described> {
    let content = ContentBuilder::new().schema(Some(schema)).build();
    RefOr::T(ResponseBuilder::new().description(about).content(kind, content).build())
}

#[utoipa::path(get, path = "/api/v1/openapi.json", operation_id = "showDocument", tag = "debates",
    responses((status = 200, description = "This document", body = Object)))]
pub async fn show_openapi_document(FromState(shared): FromState<State>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], shared.openapi.clone()).into_response()
}
