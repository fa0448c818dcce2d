//! What must hold of every text that comes from elsewhere (`fuzz/checks`) holds of the inputs that fuzzing left.

use std::{fs, path::Path};

#[path = "../../../fuzz/checks/answers.rs"]
mod answers;
#[path = "../../../fuzz/checks/diffs.rs"]
mod diffs;
#[path = "../../../fuzz/checks/logs.rs"]
mod logs;
#[path = "../../../fuzz/checks/pages.rs"]
mod pages;

/// What must hold of a reader, whatever it reads.
type Check = fn(&[u8]);

/// Each target with its check.
const TARGETS: [(&str, Check); 4] =
    [("answers", answers::check), ("diffs", diffs::check), ("logs", logs::check), ("pages", pages::check)];

#[test]
fn what_was_found_by_fuzzing_stays_found() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let folders = fs::read_dir(fuzz.join("corpus")).unwrap().count();
    assert_eq!(folders, TARGETS.len(), "each target has a folder of inputs");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for (target, check) in TARGETS {
        assert!(manifest.contains(&format!("path = \"src/{target}.rs\"")), "scripts/fuzz does not build {target}");
        let files = fs::read_dir(fuzz.join("corpus").join(target)).unwrap();
        let inputs: Vec<Vec<u8>> = files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
        assert!(inputs.len() > 4, "the corpus of {target} is there");
        inputs.iter().for_each(|input| check(input));
    }
}
