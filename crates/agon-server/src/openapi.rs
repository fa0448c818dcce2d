//! The OpenAPI document as a server serves it. With accounts it also has their pages, and says of each operation what it
//! needs and what each kind of visitor is answered; all of that is read from the table of routes.

use std::collections::BTreeMap;

use agon_runtime::config::AccountsConfig;
use axum::http::Method;
use indexmap::IndexMap;
use serde_json::json;
use utoipa::{
    OpenApi,
    openapi::{
        RefOr,
        extensions::Extensions,
        path::Operation,
        response::ResponseBuilder,
        schema::{ObjectBuilder, Type},
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

use crate::{
    accounts::session_cookie,
    api::{self, describe_response},
    authorization::{Permission, RouteRow, Rows, VISITORS, find_route_row, render_cells},
    page,
};

/// Where an operation says what it needs.
const ACCESS: &str = "x-agon-access";
/// Statuses of every page, with a page that says why.
const PAGE_STATUSES: [(&str, &str); 13] = [
    ("400", "The request is malformed"),
    ("401", "A login is needed, or was wrong"),
    ("403", "The visitor may not do this, or the request comes from a page of another site"),
    ("404", "There is not such a thing"),
    ("408", "The request took too long"),
    ("409", "It cannot be done now"),
    ("410", "It has ended"),
    ("413", "The form is too large"),
    ("415", "The body is not a form"),
    ("421", "The host name is not allowed"),
    ("422", "The content of the form is not valid"),
    ("429", "Too many requests, or a limit of the account"),
    ("500", "The store cannot be read or written"),
];

/// The document of a server with these routes, and accounts where it has a configuration of them.
pub(crate) fn render_openapi(routes: &[RouteRow], accounts: Option<&AccountsConfig>) -> String {
    let mut document = api::ApiDocument::openapi();
    if let Some(config) = accounts {
        document.merge(api::AccountsApiDocument::openapi());
        document.merge(page::AccountPagesDocument::openapi());
        if let Some(components) = &mut document.components {
            components.security_schemes = build_security_schemes(config);
        }
        for (path, item) in &mut document.paths.paths {
            for (method, operation) in [(Method::GET, &mut item.get), (Method::POST, &mut item.post)] {
                if let Some(operation) = operation {
                    describe_operation(routes, path, &method, operation, config);
                }
            }
        }
    }
    document.to_json().unwrap_or_default()
}

/// What proves a visitor.
fn build_security_schemes(config: &AccountsConfig) -> BTreeMap<String, RefOr<SecurityScheme>> {
    let bearer = |about: &str| {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(about));
        SecurityScheme::Http(scheme.build())
    };
    let cookie = ApiKeyValue::with_description(
        session_cookie(config.is_https()),
        "The cookie of a login. A write with it must come from a page of this server (Origin)",
    );
    let mut all = vec![
        ("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie))),
        ("personal_token", bearer("A token that a person made on the page /account; it has scopes and an end")),
        ("share_link", bearer("The secret of a share link to one debate; browsers get it as a cookie at /shared")),
    ];
    if let Some(proxy) = &config.proxy {
        let about = "The name of the person, set by the proxy; it counts from the proxy's addresses alone";
        let header = ApiKeyValue::with_description(proxy.header.as_str(), about);
        all.push(("proxy", SecurityScheme::ApiKey(ApiKey::Header(header))));
    }
    all.into_iter().map(|(name, scheme)| (name.to_owned(), RefOr::T(scheme))).collect()
}

/// Says what the table of routes has about an operation.
fn describe_operation(
    routes: &[RouteRow],
    path: &str,
    method: &Method,
    operation: &mut Operation,
    config: &AccountsConfig,
) {
    if !path.starts_with("/api/") {
        for (status, about) in PAGE_STATUSES {
            let page = || describe_response(about, "text/html", ObjectBuilder::new().schema_type(Type::String).build());
            operation.responses.responses.entry(status.to_owned()).or_insert_with(page);
        }
        let about = "Another page follows: the one for logging in, where a login is needed";
        let elsewhere = || RefOr::T(ResponseBuilder::new().description(about).build());
        operation.responses.responses.entry("303".to_owned()).or_insert_with(elsewhere);
    }
    // The rest of a path has another mark in documents than in the router.
    let pattern = path.replace("/files/{path}", "/files/{*path}");
    let Rows::Row(row) = find_route_row(routes, method, &pattern) else { return };
    let permission = row.permission;
    operation.security = Some(list_security_requirements(permission, config));
    let (needed, holders) = permission.page_words();
    let about = format!("Needs *{needed}*: {holders}.");
    let before = operation.description.take().map(|text| format!("{text}\n\n")).unwrap_or_default();
    operation.description = Some(format!("{before}{about}"));
    let visitors: IndexMap<_, _> = VISITORS.iter().zip(render_cells(permission)).collect();
    let access = json!({"needs": needed, "visitors": visitors});
    operation.extensions.get_or_insert_with(Extensions::default).insert(ACCESS.into(), access);
}

fn list_security_requirements(permission: Permission, config: &AccountsConfig) -> Vec<SecurityRequirement> {
    if permission == Permission::Open {
        return Vec::new();
    }
    let plain = |name: &str| SecurityRequirement::new(name, [""; 0]);
    let mut all = vec![plain("session")];
    all.extend(config.proxy.is_some().then(|| plain("proxy")));
    all.extend(permission.required_scope().map(|scope| SecurityRequirement::new("personal_token", [scope.name()])));
    all.extend((permission == Permission::Read).then(|| plain("share_link")));
    all
}
