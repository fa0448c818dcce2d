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

const fn reads(path: &'static str, permission: Permission) -> RouteRow {
    RouteRow { method: "GET", path, permission, action: "" }
}

const fn writes(path: &'static str, permission: Permission, action: &'static str) -> RouteRow {
    RouteRow { method: "POST", path, permission, action }
}

/// Every route. What a route does beyond its row asks for more by itself: an act of a form, a tool.
pub const ROUTES: &[RouteRow] = &[
    reads("/healthz", Open),
    reads("/readyz", Open),
    reads("/assets/agon.css", Open),
    reads("/assets/agon.js", Open),
    reads("/assets/passkeys.js", Open),
    reads("/assets/agon.svg", Open),
    reads("/login", Open),
    writes("/login", Open, ""),
    reads("/login/provider", Open),
    reads("/login/callback", Open),
    reads("/shared", Open),
    writes("/logout", Browser, ""),
    reads("/account", Browser),
    writes("/account", Browser, ""),
    writes("/account/tokens", Browser, ""),
    writes("/account/tokens/{token}", Browser, ""),
    writes("/account/passkeys/{passkey}", Browser, ""),
    reads("/invitation", Open),
    writes("/invitation", Open, ""),
    reads("/people", Administer),
    writes("/people", Administer, ""),
    reads("/people/{person}", Administer),
    writes("/people/{person}", Administer, ""),
    reads("/drafts/{draft}", Browser),
    reads("/audit", Administer),
    reads("/", Member),
    writes("/debates", Start, "start_debate"),
    reads("/debates/{id}", Read),
    reads("/debates/{id}/report", Read),
    writes("/debates/{id}/acts", Speak, "act"),
    writes("/debates/{id}/seats/{seat}", Answer, "answer"),
    reads("/debates/{id}/share", Manage),
    writes("/debates/{id}/share", Manage, ""),
    reads("/evaluations", Member),
    reads("/evaluations/{name}", Member),
    reads("/evaluations/{name}/events", Member),
    reads("/evaluations/{name}/report", Member),
    reads("/api/v1/openapi.json", Member),
    reads("/api/v1/session", Member),
    writes("/api/v1/passkeys/options", Browser, ""),
    writes("/api/v1/passkeys", Browser, ""),
    writes("/api/v1/login/options", Open, ""),
    writes("/api/v1/login", Open, ""),
    reads("/api/v1/protocols", Member),
    reads("/api/v1/debates", Member),
    writes("/api/v1/debates", Start, "start_debate"),
    writes("/api/v1/plans", Start, "plan_debate"),
    reads("/api/v1/debates/{id}", Read),
    reads("/api/v1/debates/{id}/entries", Read),
    reads("/api/v1/debates/{id}/events", Read),
    reads("/api/v1/debates/{id}/scores", Read),
    reads("/api/v1/debates/{id}/transcript", Read),
    reads("/api/v1/debates/{id}/files", Read),
    reads("/api/v1/debates/{id}/files/{*path}", Read),
    reads("/api/v1/debates/{id}/requests", Read),
    reads("/api/v1/debates/{id}/seats/{seat}/prompt", Prompt),
    writes("/api/v1/debates/{id}/seats/{seat}/claim", Answer, "claim_seat"),
    writes("/api/v1/debates/{id}/seats/{seat}/refresh", Answer, "refresh_seat"),
    writes("/api/v1/debates/{id}/seats/{seat}/release", Answer, "release_seat"),
    writes("/api/v1/debates/{id}/seats/{seat}/answer", Answer, "answer"),
    writes("/api/v1/debates/{id}/interject", Speak, "interject"),
    writes("/api/v1/debates/{id}/pause", Steer, "pause"),
    writes("/api/v1/debates/{id}/resume", Steer, "resume"),
    writes("/api/v1/debates/{id}/extend", Steer, "extend"),
    writes("/api/v1/debates/{id}/cancel", Steer, "cancel"),
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

const fn looks(name: &'static str, permission: Permission) -> ToolRow {
    ToolRow { name, permission, is_audited: false }
}

const fn does(name: &'static str, permission: Permission) -> ToolRow {
    ToolRow { name, permission, is_audited: true }
}

/// Every tool.
pub const TOOLS: &[ToolRow] = &[
    does("debate", Start),
    looks("debate_result", Read),
    does("start_debate", Start),
    does("plan_debate", Start),
    looks("list_debates", Member),
    looks("status", Read),
    looks("wait_for_turn", Read),
    does("claim_seat", Answer),
    does("refresh_seat", Answer),
    does("answer", Answer),
    does("release_seat", Answer),
    does("interject", Speak),
    does("pause_debate", Steer),
    does("cancel_debate", Steer),
    does("resume_debate", Steer),
    does("extend_debate", Steer),
    looks("transcript", Read),
    looks("scores", Read),
    looks("export", Read),
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
pub fn rows(method: &Method, path: &str) -> Rows {
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    let mut known = ROUTES.iter().filter(|row| row.path == path).peekable();
    if known.peek().is_none() {
        return Rows::None;
    }
    known.find(|row| row.method == method || row.method == "*").map_or(Rows::OtherMethods, Rows::Row)
}

/// The row of a tool.
pub fn tool(name: &str) -> Option<&'static ToolRow> {
    TOOLS.iter().find(|row| row.name == name)
}
