//! Each type has a name of its own in the workspace, so that a search for a name leads to one place.

use std::collections::BTreeMap;

use crate::tidy::{root, sources};

/// The name of the type that `line` defines at the top level of a file.
fn defined(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest.strip_prefix('(').map_or(rest, |rest| rest.split_once(')').map_or(rest, |(_, rest)| rest)),
        None => line,
    };
    let line = line.trim_start();
    let name = ["struct ", "enum ", "trait ", "union "].iter().find_map(|kind| line.strip_prefix(kind))?;
    Some(&name[..name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len())])
}

#[test]
fn no_two_types_share_a_name() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in sources() {
        let path = path.strip_prefix(root()).unwrap().display().to_string();
        // Types of tests are seen by their tests alone.
        if !path.contains("/src/") || path.ends_with("_tests.rs") {
            continue;
        }
        let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for name in shipped.lines().filter(|line| !line.starts_with(' ')).filter_map(defined) {
            places.entry(name.to_owned()).or_default().push(path.clone());
        }
    }
    assert!(places.len() > 500, "only {} types found", places.len());
    let shared: Vec<String> = places
        .iter()
        .filter(|(_, paths)| paths.len() > 1)
        .map(|(name, paths)| format!("{name}: {}", paths.join(", ")))
        .collect();
    assert!(shared.is_empty(), "types that share a name; qualify it by what it is of:\n{}", shared.join("\n"));
}
