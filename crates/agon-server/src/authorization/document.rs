//! The page docs/authorization.md, drawn from the table and the rule.

use std::fmt::Write;

use agon_core::{DebateId, Role, Stamp};
use agon_journal::accounts::{DebateRole, Grant, PrincipalId, Scopes};

use super::{
    AccessDecision, Permission, VisitorStanding, decide_permission,
    rule::PERMISSIONS,
    table::{RouteRow, TOOLS},
};
use crate::visitor::Credential;

/// The visitors of the matrix, in its order. The last one's login has expired.
pub const VISITORS: [&str; 13] = [
    "anonymous",
    "link",
    "member",
    "viewer",
    "audience",
    "debater",
    "judge",
    "owner",
    "administrator",
    "token read",
    "token answer",
    "token run",
    "expired",
];

/// The standing of a visitor of the matrix; the tokens are an owner's.
fn parse_standing(visitor: &str) -> VisitorStanding {
    let (name, scope) = visitor.split_once(' ').unwrap_or((visitor, ""));
    let role = if name == "token" { Some(DebateRole::Owner) } else { DebateRole::parse(name) };
    let is_person = !matches!(name, "anonymous" | "link" | "expired");
    let credential = match (is_person, Scopes::parse(scope)) {
        (false, _) => Credential::Nothing,
        (true, Some(scopes)) => Credential::Token(scopes),
        (true, None) => Credential::Session,
    };
    let grant = |(role, debate, principal)| Grant {
        debate,
        principal,
        role,
        seat: None,
        granted_by: String::new(),
        granted_at: Stamp(String::new()),
    };
    let (debate, principal) = (DebateId::new("d1").ok(), PrincipalId::random());
    let named = role.zip(debate).zip(principal).map(|((role, debate), principal)| (role, debate, principal));
    VisitorStanding {
        is_person,
        administrator: name == "administrator",
        credential,
        grants: named.map(grant).into_iter().collect(),
        role_of_all: None,
        is_linked: name == "link",
    }
}

/// What the rule says of a visitor of the matrix, at a seat of the kind `seat`: `yes`, or the status of the refusal.
fn render_cell(permission: Permission, visitor: &str, seat: Role) -> &'static str {
    match decide_permission(permission, &parse_standing(visitor), Some(("seat", seat))) {
        AccessDecision::Allowed => "yes",
        AccessDecision::LogIn => "401",
        AccessDecision::Forbidden => "403",
        AccessDecision::Unknown => "404",
    }
}

/// What a permission means for each of [`VISITORS`]: `yes`, or the status of the refusal; three of these, for a judging
/// seat, one that argues and the audience's, where they differ.
pub(crate) fn render_cells(permission: Permission) -> [String; VISITORS.len()] {
    VISITORS.map(|visitor| {
        if !matches!(permission, Permission::Prompt | Permission::Answer) {
            return render_cell(permission, visitor, Role::Judge).to_owned();
        }
        let kinds = [Role::Judge, Role::Debater, Role::Audience].map(|seat| render_cell(permission, visitor, seat));
        if kinds.iter().all(|kind| *kind == kinds[0]) { kinds[0].to_owned() } else { kinds.join("/") }
    })
}

fn write_row(out: &mut String, name: &str, permission: Permission, cells: &[String]) {
    let _ = writeln!(out, "| {name} | {} | {} |", permission.page_words().0, cells.join(" | "));
}

/// The same for a tool: who calls one must first be let in at the route of all tools.
fn tool_cells(permission: Permission) -> [String; VISITORS.len()] {
    let (mut cells, at_door) = (render_cells(permission), render_cells(Permission::Member));
    for (cell, at_door) in cells.iter_mut().zip(at_door) {
        if at_door != "yes" {
            *cell = at_door;
        }
    }
    cells
}

fn render_permission_table() -> String {
    let mut out = String::from("| permission | who has it |\n|---|---|\n");
    for (_, name, holders) in PERMISSIONS {
        let _ = writeln!(out, "| {name} | {holders} |");
    }
    out
}

/// The page about `routes` and the tools.
pub fn render_permission_document(routes: &[RouteRow]) -> String {
    let mut out = include_str!("document.md").replace("@PERMISSIONS@\n", &(render_permission_table() + "\n"));
    let head = |out: &mut String, what: &str| {
        let _ = writeln!(out, "| {what} | needs | {} |", VISITORS.join(" | "));
        let _ = writeln!(out, "|---|---{}|", "|---".repeat(VISITORS.len()));
    };
    out.push_str("\n## Routes\n\n");
    head(&mut out, "route");
    for route in routes {
        let name = format!("`{} {}`", route.method, route.path);
        write_row(&mut out, &name, route.permission, &render_cells(route.permission));
    }
    out.push_str("\n## Tools of `/mcp`\n\nA refusal is a result with the code `not_permitted`, or `no_such_debate` for 404. 401 is the status of the request itself:\n`/mcp` needs an account, so a share link alone does not open it.\n\n");
    head(&mut out, "tool");
    for tool in TOOLS {
        write_row(&mut out, &format!("`{}`", tool.name), tool.permission, &tool_cells(tool.permission));
    }
    out
}
