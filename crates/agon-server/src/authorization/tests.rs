//! The table is complete, and the page about it is up to date.

use std::collections::BTreeSet;

use super::{render_permission_document, table::TOOLS};
use crate::list_route_rows;

#[test]
fn every_route_has_one_row() {
    let rows = list_route_rows();
    let once: BTreeSet<_> = rows.iter().map(|row| (row.method, row.path)).collect();
    assert_eq!(once.len(), rows.len());
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
    let page = render_permission_document(&list_route_rows());
    if std::env::var_os("AGON_WRITE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == page, "docs/authorization.md differs; write it with AGON_WRITE_DOCS=1");
}
