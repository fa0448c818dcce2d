//! What a file may know of one protocol: nothing, outside of the protocol's own folders; and what rulings hold is read by
//! who knows its type.

use std::fs;

use crate::tidy::{circles, root};

/// Who has folders of protocols.
const PACKAGES: [&str; 2] = ["agon-protocols", "agon-report"];
/// Stands in for the programs of other systems, so that it knows their formats; their protocols it does not.
const STAND_INS: &str = "agon-dropin";
/// Who knows what rulings hold: who makes the record, who rules, and who draws it.
const READERS: [&str; 3] = ["agon-core", "agon-protocols", "agon-report"];
/// Most functions with one-word names, of a thousand: a name says what is done to what.
const ONE_WORD_MAX: usize = 125;

/// Every shipped module of every crate: the crate's folder, the module's name within it, and the module.
fn modules() -> Vec<(String, circles::Name, circles::Module)> {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let modules = crates.flat_map(|package| {
        let folder = package.file_name().unwrap().to_string_lossy().into_owned();
        let modules = circles::modules(&package.join("src"));
        modules.into_iter().map(move |(name, module)| (folder.clone(), name, module))
    });
    modules.collect()
}

fn is_protocol(name: &str) -> bool {
    agon_protocols::ALL.iter().any(|protocol| protocol.name() == name)
}

#[test]
fn nothing_else_imports_a_protocol() {
    let mut wrong = Vec::new();
    for (package, name, module) in modules() {
        let is_own = |of: &str| PACKAGES.contains(&package.as_str()) && name.first().is_some_and(|own| own == of);
        for path in circles::paths(&module) {
            let [first, of, ..] = path.as_slice() else { continue };
            let is_foreign = PACKAGES.iter().any(|package| *first == package.replace('-', "_")) && is_protocol(of);
            let is_format = package == STAND_INS && first == "agon_report";
            if is_foreign && !is_own(of) && !is_format {
                wrong.push(format!("{}: {}", module.file.display(), path.join("::")));
            }
        }
    }
    for package in PACKAGES {
        let all = circles::modules(&root().join("crates").join(package).join("src"));
        for (name, taken) in circles::imports(&all) {
            let foreign = |place: &&circles::Name| is_protocol(&place[0]) && name.first() != place.first();
            // The list of all is in `lib.rs`.
            for place in taken.keys().filter(|place| !place.is_empty() && !name.is_empty()).filter(foreign) {
                wrong.push(format!("{}: {}", all[name].file.display(), place.join("::")));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "knows one protocol; ask by a hook that every protocol has (docs/dev/new-protocol.md):\n{}",
        wrong.join("\n")
    );
}

#[test]
fn only_who_knows_their_type_reads_what_rulings_hold() {
    for (package, _, module) in modules().into_iter().filter(|(package, ..)| !READERS.contains(&package.as_str())) {
        let reads = module.tokens.iter().find(|token| ["decode_data", "find_ruling_data"].contains(&token.as_str()));
        assert_eq!(reads, None, "{package}: {}: ask for a RulingView, or by agon_core::ruling", module.file.display());
    }
}

#[test]
fn names_of_functions_say_what_is_done_to_what() {
    let modules = modules();
    let names = modules.iter().flat_map(|(.., module)| module.tokens.windows(2)).filter(|pair| pair[0] == "fn");
    let names: Vec<&str> = names.map(|pair| pair[1].as_str()).filter(|name| *name != "(").collect();
    let short = names.iter().filter(|name| !name.contains('_')).count();
    assert!(names.len() > 4_000, "only {} functions found", names.len());
    assert!(1_000 * short <= ONE_WORD_MAX * names.len(), "{short} of {} functions have one-word names", names.len());
}
