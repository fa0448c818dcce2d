//! The table: what each route and each tool needs. A route is written with its row and what answers it, so none is without
//! a row. The page docs/authorization.md is drawn from the table.

use axum::{
    Router,
    handler::Handler,
    http::Method,
    routing::{MethodRouter, get, post},
};

use super::Permission::{self, *};
use crate::State;

/// What a route needs. What it does beyond that asks for more by itself: an act of a form, a tool.
#[derive(Clone, Copy)]
pub struct RouteRow {
    /// Its method; `*` for all.
    pub method: &'static str,
    /// Its path, as the router has it.
    pub path: &'static str,
    /// What it needs.
    pub permission: Permission,
    /// What the audit calls it; empty where it is not written down.
    pub action: &'static str,
}

/// A route of the router: its row, and what answers it.
pub struct Route {
    /// Its row.
    pub row: RouteRow,
    /// What answers it.
    pub methods: MethodRouter<State>,
    /// Whether only a server with accounts has it.
    pub needs_accounts: bool,
}

impl Route {
    /// The same route on servers with accounts alone.
    pub fn with_accounts(self) -> Self {
        Self { needs_accounts: true, ..self }
    }
}

/// A route that reads.
pub fn reading_route<T: 'static>(path: &'static str, permission: Permission, handler: impl Handler<T, State>) -> Route {
    let row = RouteRow { method: "GET", path, permission, action: "" };
    Route { row, methods: get(handler), needs_accounts: false }
}

/// A route that writes; the audit calls it `action`, and does not have it where that is empty.
pub fn writing_route<T: 'static>(
    path: &'static str,
    permission: Permission,
    action: &'static str,
    handler: impl Handler<T, State>,
) -> Route {
    let row = RouteRow { method: "POST", path, permission, action };
    Route { row, methods: post(handler), needs_accounts: false }
}

/// A router of `routes`, which are below `prefix`.
pub fn build_routes(routes: impl IntoIterator<Item = Route>, prefix: &str) -> Router<State> {
    let add = |router: Router<State>, Route { row, methods, .. }: Route| {
        router.route(row.path.strip_prefix(prefix).unwrap_or(row.path), methods)
    };
    routes.into_iter().fold(Router::new(), add)
}

/// A tool of the Model Context Protocol.
pub struct ToolRow {
    /// Its name.
    pub name: &'static str,
    /// What it needs.
    pub permission: Permission,
    /// Whether its calls are written down.
    pub is_audited: bool,
}

const fn unaudited_tool(name: &'static str, permission: Permission) -> ToolRow {
    ToolRow { name, permission, is_audited: false }
}

const fn audited_tool(name: &'static str, permission: Permission) -> ToolRow {
    ToolRow { name, permission, is_audited: true }
}

/// Every tool.
pub const TOOLS: &[ToolRow] = &[
    audited_tool("debate", Start),
    unaudited_tool("debate_result", Read),
    audited_tool("start_debate", Start),
    audited_tool("plan_debate", Start),
    unaudited_tool("list_debates", Member),
    unaudited_tool("status", Read),
    unaudited_tool("wait_for_turn", Read),
    audited_tool("claim_seat", Answer),
    audited_tool("refresh_seat", Answer),
    audited_tool("answer", Answer),
    audited_tool("lookup", Answer),
    audited_tool("release_seat", Answer),
    audited_tool("interject", Speak),
    audited_tool("pause_debate", Steer),
    audited_tool("cancel_debate", Steer),
    audited_tool("resume_debate", Steer),
    audited_tool("extend_debate", Steer),
    unaudited_tool("transcript", Read),
    unaudited_tool("scores", Read),
    unaudited_tool("export", Read),
];

/// What is known of the path of a route.
pub enum Rows<'r> {
    /// Its row for the method.
    Row(&'r RouteRow),
    /// It has rows for other methods alone.
    OtherMethods,
    /// It has none: nobody may.
    None,
}

/// The row of a method of the route at `path`, as the router writes it, among `rows`.
pub fn find_route_row<'r>(rows: &'r [RouteRow], method: &Method, path: &str) -> Rows<'r> {
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    let mut known = rows.iter().filter(|row| row.path == path).peekable();
    if known.peek().is_none() {
        return Rows::None;
    }
    known.find(|row| row.method == method || row.method == "*").map_or(Rows::OtherMethods, Rows::Row)
}

/// The row of a tool.
pub fn find_tool_row(name: &str) -> Option<&'static ToolRow> {
    TOOLS.iter().find(|row| row.name == name)
}
