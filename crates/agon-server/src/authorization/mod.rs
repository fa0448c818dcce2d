//! Who may do what on a server with accounts, in one place: a table of routes and tools, and one pure rule that says
//! for each what a visitor needs. The router is built through [`RouteSet`], and a test compares its paths with the
//! table; a route without a row is refused.

mod document;
mod rule;
mod table;

use axum::{Router, routing::MethodRouter};

pub use self::document::render_permission_document;
pub(crate) use self::document::{VISITORS, render_cells};
pub(crate) use self::{
    rule::{AccessDecision, Permission, VisitorStanding, decide_permission},
    table::{Rows, find_route_row, find_tool_row},
};
use crate::State;

/// A router that knows its paths.
pub(crate) struct RouteSet {
    router: Router<State>,
    prefix: &'static str,
    paths: Vec<String>,
}

impl RouteSet {
    /// Routes below `prefix`.
    pub fn below(prefix: &'static str) -> Self {
        Self { router: Router::new(), prefix, paths: Vec::new() }
    }

    /// Adds a route, as a router does.
    pub fn add_route(mut self, path: &str, methods: MethodRouter<State>) -> Self {
        self.paths.push(format!("{}{path}", self.prefix));
        self.router = self.router.route(path, methods);
        self
    }

    /// The routes.
    pub fn into_router(self) -> Router<State> {
        self.router
    }

    /// The paths of the routes, with the prefix.
    #[cfg(test)]
    pub fn paths(&self) -> &[String] {
        &self.paths
    }
}

#[cfg(test)]
mod tests;
