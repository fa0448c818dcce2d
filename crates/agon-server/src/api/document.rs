//! The OpenAPI document: every route, and every status that it answers with.

use std::sync::LazyLock;

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        Ref, RefOr, Response as Described,
        content::ContentBuilder,
        path::{Operation, PathItem},
        response::ResponseBuilder,
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

use super::{acts, debates, files, outside_seats, shape, start};

#[derive(OpenApi)]
#[openapi(
    info(title = "agon", description = "Debates in the journal of one machine: read them, watch them, start them, and answer at their seats.",
        license(name = "MIT OR Apache-2.0")),
    paths(
        openapi, debates::protocols, debates::list, start::start, start::plan, debates::show, debates::entries, debates::events,
        debates::scores, files::transcript, files::list, files::file, outside_seats::requests, outside_seats::prompt, outside_seats::claim,
        outside_seats::refresh, outside_seats::release, outside_seats::answer, acts::interject, acts::pause, acts::resume, acts::extend,
        acts::cancel,
    ),
    components(schemas(shape::Refused)),
    modifiers(&Everywhere),
)]
struct OpenApiDocument;

/// What every route may answer, and what all of them want.
struct Everywhere;

/// Statuses of every route: the door's, and the store's.
const ALL: [(&str, &str); 6] = [
    ("400", "The request is malformed"),
    ("401", "The token is missing or wrong"),
    ("403", "The request comes from a page of another site, or its token is not that of the seat"),
    ("408", "The request took too long"),
    ("421", "The server is not called by that name"),
    ("500", "The store cannot be read or written"),
];
/// Statuses of every route that takes a body.
const WRITING: [(&str, &str); 3] = [
    ("413", "The body is too large"),
    ("415", "The body is not application/json"),
    ("422", "What was sent cannot be used"),
];

impl Modify for Everywhere {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for item in document.paths.paths.values_mut() {
            let PathItem { get, post, .. } = item;
            for operation in [&mut *get, &mut *post].into_iter().flatten() {
                add(operation, &ALL);
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
                Under --read-without-token programs of the server's machine may read without it",
            ));
            components.add_security_scheme("token", SecurityScheme::Http(scheme.build()));
        }
    }
}

fn add(operation: &mut Operation, statuses: &[(&str, &str)]) {
    for (status, description) in statuses {
        operation.responses.responses.entry((*status).to_owned()).or_insert_with(|| refused(description));
    }
}

fn refused(description: &str) -> RefOr<Described> {
    let schema = Ref::from_schema_name("Refused");
    let content = ContentBuilder::new().schema(Some(schema)).build();
    RefOr::T(ResponseBuilder::new().description(description).content("application/json", content).build())
}

/// The document, made once.
static TEXT: LazyLock<String> = LazyLock::new(|| OpenApiDocument::openapi().to_json().unwrap_or_default());

#[utoipa::path(get, path = "/api/v1/openapi.json", operation_id = "showDocument", tag = "debates",
    responses((status = 200, description = "This document", body = Object)))]
pub async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response()
}
