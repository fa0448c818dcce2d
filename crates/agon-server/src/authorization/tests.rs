//! The table is complete, and the page about it is up to date.

use std::collections::BTreeSet;

use super::{
    render_permission_document,
    table::{ROUTES, TOOLS},
};

#[test]
fn every_route_has_a_row_and_every_row_a_route() {
    let sets = [
        crate::page::page_routes(),
        crate::page::account_routes(),
        crate::api::api_routes(),
        crate::api::account_routes(),
        crate::health::health_routes(),
    ];
    let mut paths: BTreeSet<String> = sets.iter().flat_map(|set| set.paths().to_vec()).collect();
    paths.insert(crate::mcp::PATH.to_owned());
    let rows: BTreeSet<String> = ROUTES.iter().map(|row| row.path.to_owned()).collect();
    assert_eq!(paths, rows);
    let once: BTreeSet<_> = ROUTES.iter().map(|row| (row.method, row.path)).collect();
    assert_eq!(once.len(), ROUTES.len());
}

#[test]
fn every_tool_has_a_row_and_every_row_a_tool() {
    let tools: BTreeSet<String> = agon_mcp::tool_names().into_iter().collect();
    let rows: BTreeSet<String> = TOOLS.iter().map(|row| row.name.to_owned()).collect();
    assert_eq!(tools, rows);
}

#[test]
fn the_page_about_it_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/authorization.md");
    let page = render_permission_document();
    if std::env::var_os("AGON_WRITE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == page, "docs/authorization.md differs; write it with AGON_WRITE_DOCS=1");
}
