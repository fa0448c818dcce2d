//! `docs/conformance.md` keeps its word: what it names is tested.

use std::{collections::BTreeSet, fs};

use crate::tidy::{root, sources};

/// Names of all functions that are tests.
fn tests() -> BTreeSet<String> {
    let mut tests = BTreeSet::new();
    for (_, text) in sources() {
        let mut marked = false;
        for line in text.lines().map(str::trim) {
            let name = line.trim_start_matches("async ").strip_prefix("fn ");
            match name.and_then(|rest| rest.split(['(', '<']).next()) {
                Some(name) if marked => {
                    tests.insert(name.to_owned());
                    marked = false;
                }
                _ => marked = line.contains("test]") || marked && (line.starts_with("#[") || line.starts_with("//")),
            }
        }
    }
    tests
}

#[test]
fn every_demand_of_a_format_has_tests_that_exist() {
    let tests = tests();
    let page = fs::read_to_string(root().join("docs/conformance.md")).unwrap();
    let is_head = |line: &&str| line.starts_with("| demand") || line.starts_with("| what was wrong");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !is_head(line));
    let mut count = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        // What a format demands and its tests; or what was wrong, its tests, and what was printed before and now.
        let ([_, named] | [_, named, _, _]) = cells[..] else { panic!("{row}: two cells or four are wanted") };
        let named: Vec<&str> = named.split(", ").map(|name| name.trim_matches('`')).collect();
        for name in &named {
            let is_script = name.starts_with("scripts/") && root().join(name).is_file();
            assert!(is_script || tests.contains(*name), "{row}: there is no test {name:?}");
        }
        count += 1;
    }
    assert!(count > 100, "{count} demands");
}
