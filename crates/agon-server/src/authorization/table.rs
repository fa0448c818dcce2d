//! The table: what each route and each tool needs. The page docs/authorization.md is drawn from it.

use axum::http::Method;

use super::Permission::{self, *};

/// A route.
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

const fn reading_route(path: &'static str, permission: Permission) -> RouteRow {
    RouteRow { method: "GET", path, permission, action: "" }
}

const fn writing_route(path: &'static str, permission: Permission, action: &'static str) -> RouteRow {
    RouteRow { method: "POST", path, permission, action }
}

/// Every route. What a route does beyond its row asks for more by itself: an act of a form, a tool.
pub const ROUTES: &[RouteRow] = &[
    reading_route("/healthz", Open),
    reading_route("/readyz", Open),
    reading_route("/assets/agon.css", Open),
    reading_route("/assets/agon.js", Open),
    reading_route("/assets/passkeys.js", Open),
    reading_route("/assets/agon.svg", Open),
    reading_route("/login", Open),
    writing_route("/login", Open, ""),
    reading_route("/login/provider", Open),
    reading_route("/login/callback", Open),
    reading_route("/shared", Open),
    writing_route("/logout", Browser, ""),
    reading_route("/account", Browser),
    writing_route("/account", Browser, ""),
    writing_route("/account/tokens", Browser, ""),
    writing_route("/account/tokens/{token}", Browser, ""),
    writing_route("/account/passkeys/{passkey}", Browser, ""),
    reading_route("/invitation", Open),
    writing_route("/invitation", Open, ""),
    reading_route("/people", Administer),
    writing_route("/people", Administer, ""),
    reading_route("/people/{person}", Administer),
    writing_route("/people/{person}", Administer, ""),
    reading_route("/drafts/{draft}", Browser),
    reading_route("/audit", Administer),
    reading_route("/", Member),
    writing_route("/debates", Start, "start_debate"),
    reading_route("/debates/{id}", Read),
    reading_route("/debates/{id}/report", Read),
    writing_route("/debates/{id}/acts", Speak, "act"),
    writing_route("/debates/{id}/seats/{seat}", Answer, "answer"),
    reading_route("/debates/{id}/share", Manage),
    writing_route("/debates/{id}/share", Manage, ""),
    reading_route("/evaluations", Member),
    reading_route("/evaluations/{name}", Member),
    reading_route("/evaluations/{name}/events", Member),
    reading_route("/evaluations/{name}/report", Member),
    reading_route("/api/v1/openapi.json", Member),
    reading_route("/api/v1/session", Member),
    writing_route("/api/v1/passkeys/options", Browser, ""),
    writing_route("/api/v1/passkeys", Browser, ""),
    writing_route("/api/v1/login/options", Open, ""),
    writing_route("/api/v1/login", Open, ""),
    reading_route("/api/v1/protocols", Member),
    reading_route("/api/v1/debates", Member),
    writing_route("/api/v1/debates", Start, "start_debate"),
    writing_route("/api/v1/plans", Start, "plan_debate"),
    reading_route("/api/v1/debates/{id}", Read),
    reading_route("/api/v1/debates/{id}/entries", Read),
    reading_route("/api/v1/debates/{id}/events", Read),
    reading_route("/api/v1/debates/{id}/scores", Read),
    reading_route("/api/v1/debates/{id}/transcript", Read),
    reading_route("/api/v1/debates/{id}/files", Read),
    reading_route("/api/v1/debates/{id}/files/{*path}", Read),
    reading_route("/api/v1/debates/{id}/requests", Read),
    reading_route("/api/v1/debates/{id}/seats/{seat}/prompt", Prompt),
    writing_route("/api/v1/debates/{id}/seats/{seat}/claim", Answer, "claim_seat"),
    writing_route("/api/v1/debates/{id}/seats/{seat}/refresh", Answer, "refresh_seat"),
    writing_route("/api/v1/debates/{id}/seats/{seat}/release", Answer, "release_seat"),
    writing_route("/api/v1/debates/{id}/seats/{seat}/answer", Answer, "answer"),
    writing_route("/api/v1/debates/{id}/seats/{seat}/lookup", Answer, "lookup"),
    writing_route("/api/v1/debates/{id}/interject", Speak, "interject"),
    writing_route("/api/v1/debates/{id}/pause", Steer, "pause"),
    writing_route("/api/v1/debates/{id}/resume", Steer, "resume"),
    writing_route("/api/v1/debates/{id}/extend", Steer, "extend"),
    writing_route("/api/v1/debates/{id}/cancel", Steer, "cancel"),
    RouteRow { method: "*", path: "/mcp", permission: Member, action: "" },
];

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
pub enum Rows {
    /// Its row for the method.
    Row(&'static RouteRow),
    /// It has rows for other methods alone.
    OtherMethods,
    /// It has none: nobody may.
    None,
}

/// The row of a method of the route at `path`, as the router writes it.
pub fn find_route_row(method: &Method, path: &str) -> Rows {
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    let mut known = ROUTES.iter().filter(|row| row.path == path).peekable();
    if known.peek().is_none() {
        return Rows::None;
    }
    known.find(|row| row.method == method || row.method == "*").map_or(Rows::OtherMethods, Rows::Row)
}

/// The row of a tool.
pub fn find_tool_row(name: &str) -> Option<&'static ToolRow> {
    TOOLS.iter().find(|row| row.name == name)
}
