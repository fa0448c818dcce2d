//! What a seat that looks something up is shown.

use super::*;
use crate::gathered_content::{Gathered, GatheredFile};
use crate::manifest::MaterialManifest;
use crate::store::MaterialStore;

const DIFF: &str = "--- a/src/sum.rs\n+++ b/src/sum.rs\n@@ -1 +1 @@\n-old\n+new\n";

fn shelf(files: Vec<GatheredFile>) -> (MaterialManifest, MaterialStore, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = MaterialStore::open(&folder.path().join("m.db")).unwrap();
    let gathered = Gathered { files, ..Gathered::default() };
    store.store_contents(&gathered).unwrap();
    (gathered.build_manifest(), store, folder)
}

fn file(path: &str, text: &str) -> GatheredFile {
    GatheredFile::new(path, MaterialKind::File, text)
}

fn read(files: Vec<GatheredFile>, path: &str, lines: (Option<u32>, Option<u32>)) -> LookupAnswer {
    let (manifest, store, _folder) = shelf(files);
    SeatMaterial { manifest: &manifest, store: &store, seat: "reviewer-1" }.read_lines(path, lines, 300).unwrap()
}

fn found(text: &str) -> LookupAnswer {
    LookupAnswer::Found(text.to_owned())
}

#[test]
fn lines_are_read_by_number_and_the_rest_is_told() {
    let text: String = (1..=40).map(|number| format!("line {number}\n")).collect();
    let of = |lines| read(vec![file("src/a.rs", &text)], "./src/a.rs", lines);
    assert_eq!(of((Some(2), Some(3))), found("src/a.rs:2-3 of 40 lines\n2| line 2\n3| line 3\n"));
    assert_eq!(of((Some(40), Some(90))), found("src/a.rs:40-40 of 40 lines\n40| line 40\n"));
    assert_eq!(of((Some(41), None)), LookupAnswer::Nothing("src/a.rs has 40 lines.".into()));
    let LookupAnswer::Found(cut) = of((None, None)) else { panic!("it is there") };
    assert!(cut.starts_with("src/a.rs:1-26 of 40 lines; ask for 27-40 to read on\n1| line 1\n"), "{cut}");
    assert!(cut.len() < 400 && cut.ends_with("26| line 26\n"), "{cut}");
    assert_eq!(of((Some(9), Some(2))), found("src/a.rs:9-9 of 40 lines\n9| line 9\n"), "an end before its beginning");
}

#[test]
fn the_file_is_read_and_its_change_where_there_is_no_file() {
    let change = || GatheredFile::new("src/sum.rs", MaterialKind::Diff, DIFF);
    let both = read(vec![change(), file("src/sum.rs", "new\n")], "src/sum.rs", (None, None));
    assert_eq!(both, found("src/sum.rs:1-1 of 1 lines\n1| new\n"));
    let alone = read(vec![change()], "src/sum.rs", (None, None));
    assert_eq!(alone, found("src/sum.rs:1-2 of 2 lines, the change alone\n-| old\n1+| new\n"));
}

#[test]
fn a_folder_is_listed_and_what_is_not_there_names_what_is_alike() {
    let files = || vec![file("src/a.rs", "x\n"), file("src/deep/b.rs", "y\n"), file("README.md", "z\n")];
    assert_eq!(read(files(), "src/", (None, None)), found("Files:\nsrc/a.rs\nsrc/deep/b.rs\n"));
    assert_eq!(read(files(), ".", (None, None)), found("Files:\nREADME.md\nsrc/a.rs\nsrc/deep/b.rs\n"));
    for (path, why) in [
        ("lib/b.rs", "The material has no lib/b.rs. Files:\nsrc/deep/b.rs"),
        ("../../etc/passwd", "The material has no ../../etc/passwd."),
        ("/etc/passwd", "The material has no /etc/passwd."),
        ("src/../src/a.rs", "The material has no src/../src/a.rs. Files:\nsrc/a.rs"),
    ] {
        assert_eq!(read(files(), path, (None, None)), LookupAnswer::Nothing(why.into()), "{path}");
    }
}

#[test]
fn a_seat_finds_what_it_may_see() {
    let secret = GatheredFile { seats: vec!["judge".into()], ..file("notes/plan.md", "the walrus is hidden\n") };
    let (manifest, store, _folder) = shelf(vec![secret, file("src/a.rs", "fn walrus() {}\n")]);
    let search = |seat: &str, words: &str| {
        SeatMaterial { manifest: &manifest, store: &store, seat }.search_words(words, 600).unwrap()
    };
    assert_eq!(search("reviewer", "walrus"), found("src/a.rs:1:\n1| fn walrus() {}\n"));
    assert!(matches!(search("judge", "walrus"), LookupAnswer::Found(text) if text.contains("hidden")));
    assert!(matches!(search("reviewer", "penguin"), LookupAnswer::Nothing(_)));
    assert_eq!(search("judge", "plan.md"), found("Files:\nnotes/plan.md\n"));
    assert!(matches!(
        SeatMaterial { manifest: &manifest, store: &store, seat: "reviewer" }
            .read_lines("notes/plan.md", (None, None), 600)
            .unwrap(),
        LookupAnswer::Nothing(_)
    ));
}

#[test]
fn words_of_every_script_are_found_and_a_result_keeps_its_limit() {
    let long = "x".repeat(5_000);
    let files = (0..30).map(|n| file(&format!("f{n}.txt"), &format!("重复 supprimé {n}\n{long}\n"))).collect();
    let (manifest, store, _folder) = shelf(files);
    for words in ["重复", "SUPPRIMÉ"] {
        let material = SeatMaterial { manifest: &manifest, store: &store, seat: "debater-1" };
        let LookupAnswer::Found(text) = material.search_words(words, 8_000).unwrap() else {
            panic!("{words} is there")
        };
        assert!(text.len() <= 9_000 && text.contains("more passages have some of these words"), "{}", text.len());
    }
}
