//! Who may do what on a server with accounts, in one place: a table of routes and tools, and one pure rule that says
//! for each what a visitor needs. The router is built of routes that have their rows with them.

mod document;
mod rule;
mod table;

pub(crate) use self::document::{VISITORS, render_cells, render_permission_document};
pub(crate) use self::{
    rule::{AccessDecision, Permission, VisitorStanding, decide_permission},
    table::{Route, RouteRow, Rows, build_routes, find_route_row, find_tool_row, reading_route, writing_route},
};

#[cfg(test)]
mod tests;
