//! What ARCHITECTURE.md says of the size of each protocol is roughly true.

use std::path::Path;

use super::{root, walk};

/// How far a stated number of lines may be from the real one.
const TOLERANCE: f64 = 0.25;

/// Lines of code of a file: no blanks, no comments, nothing from its tests on.
fn code(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    let before_tests = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    before_tests.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// Those of a folder and its folders; 0 where there is none.
fn below(folder: &str) -> usize {
    let mut files = Vec::new();
    if root().join(folder).is_dir() {
        walk(&root().join(folder), &mut files);
    }
    files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs")).map(|path| code(path)).sum()
}

/// Files of a folder itself.
fn beside(folder: &str) -> usize {
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "rs")).map(|path| code(&path)).sum()
}

#[test]
fn the_sizes_of_protocols_are_as_the_architecture_says() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("### What a protocol costs").nth(1).unwrap().split("###").next().unwrap();
    let number = |cell: &str| cell.trim().replace(',', "").parse::<f64>().ok();
    let rows = table.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').collect();
        let [_, name, rules, files, _] = cells.as_slice() else { return None };
        Some((name.trim().to_owned(), number(rules)?, number(files)?))
    });
    let rows: Vec<_> = rows.collect();
    let mut wanted: Vec<(String, usize, usize)> = agon_protocols::ALL
        .iter()
        .map(|protocol| {
            let name = protocol.name();
            let (rules, files) =
                (format!("crates/agon-protocols/src/{name}"), format!("crates/agon-report/src/{name}"));
            (name.to_owned(), below(&rules), below(&files))
        })
        .collect();
    let shared = below("crates/agon-core/src") + below("crates/agon-protocols/src/common");
    wanted.push(("shared by all".into(), shared, beside("crates/agon-report/src")));
    assert_eq!(rows.len(), wanted.len(), "a row for each protocol, and one for what they share");
    for (name, rules, files) in wanted {
        let row = rows.iter().find(|(row, ..)| row.starts_with(&name)).expect(&name);
        for (said, is) in [(row.1, rules as f64), (row.2, files as f64)] {
            let off = (said - is).abs();
            assert!(off <= is * TOLERANCE, "{name}: ARCHITECTURE.md says {said} lines, and there are {is}");
        }
    }
}
