//! The table of limits in docs/serve.md is the one that the server enforces.

use std::fs;

use crate::tidy::root;

#[test]
fn the_page_on_the_server_has_the_limits_of_its_routes() {
    let page = fs::read_to_string(root().join("docs/serve.md")).unwrap();
    let wanted = agon_server::limits_table();
    assert!(page.contains(&wanted), "docs/serve.md must have this table:\n{wanted}");
}
