//! Which passages a request shows.

use super::*;
use crate::gathered_content::{Gathered, GatheredFile};

struct Shelf {
    store: MaterialStore,
    manifest: MaterialManifest,
    _folder: tempfile::TempDir,
}

fn shelf(files: Vec<GatheredFile>) -> Shelf {
    let folder = tempfile::tempdir().unwrap();
    let store = MaterialStore::open(&folder.path().join("m.db")).unwrap();
    let gathered = Gathered { files, ..Gathered::default() };
    store.store_contents(&gathered).unwrap();
    Shelf { store, manifest: gathered.build_manifest(), _folder: folder }
}

fn file(path: &str, text: &str) -> GatheredFile {
    GatheredFile::new(path, MaterialKind::File, text)
}

fn diff(path: &str, added: &str) -> GatheredFile {
    let text = format!("--- a/{path}\n+++ b/{path}\n@@ -4,0 +5 @@\n+{added}\n");
    GatheredFile::new(path, MaterialKind::Diff, text)
}

impl Shelf {
    fn shown_to<'s>(&'s self, seat: &'s str) -> SeatMaterial<'s> {
        SeatMaterial { manifest: &self.manifest, store: &self.store, seat }
    }

    fn places(&self, seat: &str, query: &str, tokens_max: usize) -> Vec<String> {
        let selection = self.shown_to(seat).select_passages(query, tokens_max, true).unwrap();
        assert!(selection.tokens <= tokens_max);
        let place = |passage: &MaterialPassage| {
            let kind = format!("{:?}", passage.kind).to_lowercase();
            format!("{kind} {}", passage.format_place())
        };
        selection.passages.iter().map(place).collect()
    }
}

/// Passages that do not fit together.
fn filler(word: &str) -> String {
    format!("{word}\n{}", "nothing to see here\n".repeat(20))
}

#[test]
fn what_fits_is_shown_whole_in_the_order_of_the_manifest() {
    let shelf = shelf(vec![diff("b.rs", "let x"), file("b.rs", "one\ntwo\n"), file("a.rs", "three\n")]);
    assert_eq!(shelf.places("critic", "three", 1_000), ["diff b.rs:5", "file b.rs:1-2", "file a.rs:1"]);
    let selection = shelf.shown_to("critic").select_passages("", 1_000, true).unwrap();
    assert_eq!(selection.not_shown, 0);
    assert_eq!(selection.passages[0].shown, "5+| let x\n");
    assert_eq!(selection.passages[1].shown, "1| one\n2| two\n");
    assert_eq!(selection.passages[1].digest, crate::manifest::digest_of("one\ntwo\n"));
}

#[test]
fn diffs_come_first_and_the_rest_by_its_words() {
    let shelf = shelf(vec![
        file("a.rs", &filler("walrus")),
        diff("a.rs", "let y"),
        file("b.rs", &filler("penguin")),
        file("c.rs", &filler("heron")),
    ]);
    let wanted = ["file a.rs:1-21", "diff a.rs:5", "file b.rs:1-21"];
    assert_eq!(shelf.places("critic", "where is the Penguin?", 450), wanted);
    let selection = shelf.shown_to("critic").select_passages("penguin", 300, true).unwrap();
    assert_eq!(selection.not_shown, 2);
    assert_eq!(shelf.places("critic", "penguin", 300), wanted[..2], "what changed comes before words");
}

#[test]
fn changed_functions_are_shown_whole_and_what_is_close_to_them_fills_the_room() {
    let function = |name: &str, calls: usize| format!("fn {name}() {{\n{}}}\n\n", "    call();\n".repeat(calls));
    let changed = "--- a/a.rs\n+++ b/a.rs\n@@ -99,0 +100 @@\n+    call();\n";
    let shelf = shelf(vec![
        GatheredFile::new("a.rs", MaterialKind::Diff, changed),
        file("a.rs", &[function("a", 28), function("b", 70), function("c", 28)].concat()),
        file("z.rs", &filler("walrus")),
    ]);
    let function = ["diff a.rs:100", "file a.rs:32-71", "file a.rs:72-104"];
    assert_eq!(shelf.places("critic", "walrus", 500), function);
    assert_eq!(shelf.places("critic", "walrus", 700), [&function[..], &["file z.rs:1-21"]].concat());
    // No word of the query is anywhere, and there is room.
    let filled = ["diff a.rs:100", "file a.rs:1-31", "file a.rs:32-71", "file a.rs:72-104", "file a.rs:105-135"];
    assert_eq!(shelf.places("critic", "penguin", 900), filled);
}

#[test]
fn diffs_that_do_not_all_fit_compete_by_their_words() {
    let long = |word: &str| format!("{word} {}", "filler ".repeat(60));
    let shelf = shelf(vec![
        diff("a.rs", &long("walrus")),
        diff("b.rs", &long("penguin")),
        diff("c.rs", &long("heron")),
        file("a.md", &long("penguin")),
    ]);
    assert_eq!(shelf.places("critic", "penguin", 180), ["diff b.rs:5"], "a diff weighs more than a file");
    assert_eq!(shelf.places("critic", "penguin", 360), ["diff b.rs:5", "file a.md:1"]);
    assert_eq!(shelf.places("critic", "unknown", 360), ["diff a.rs:5", "diff b.rs:5"], "otherwise in their order");
}

#[test]
fn a_place_that_the_query_names_is_shown() {
    let text = filler("walrus").repeat(9);
    let shelf = shelf(vec![file("src/a.rs", &text), file("src/b.rs", &text)]);
    let places = shelf.places("critic", "The bug (`src/b.rs:100-101`), walrus.", 600);
    assert_eq!(places.len(), 1, "{places:?}");
    let place = parse_place(places[0].strip_prefix("file ").unwrap()).unwrap();
    assert!(place.overlaps(&LinePlace::new("src/b.rs", 100, 101)), "{place}");
}

#[test]
fn lines_of_a_file_that_its_diff_shows_are_not_shown_twice() {
    let text = filler("walrus");
    let added: String = text.lines().map(|line| format!("+{line}\n")).collect();
    let new = format!("--- /dev/null\n+++ b/n.rs\n@@ -0,0 +1,21 @@\n{added}");
    let shelf = shelf(vec![
        GatheredFile::new("n.rs", MaterialKind::Diff, new),
        file("n.rs", &text),
        file("z.rs", &filler("walrus")),
    ]);
    // Also where a place names them.
    for query in ["walrus", "n.rs:3 walrus"] {
        assert_eq!(shelf.places("critic", query, 450), ["diff n.rs:1-21", "file z.rs:1-21"], "{query}");
        let selection = shelf.shown_to("critic").select_passages(query, 450, true).unwrap();
        assert_eq!(selection.not_shown, 0, "what the diff shows is not missing");
    }
}

#[test]
fn ties_are_decided_by_path_and_line() {
    let shelf = shelf(vec![file("b.rs", &filler("heron")), file("a.rs", &filler("heron"))]);
    assert_eq!(shelf.places("critic", "heron", 200), ["file a.rs:1-21"]);
}

#[test]
fn a_seat_sees_its_own_material_and_that_of_all() {
    let mut private = file("private.md", "secret plan\n");
    private.seats = vec!["proposition".into()];
    let shelf = shelf(vec![private, file("all.md", "plan\n")]);
    assert_eq!(shelf.places("proposition", "plan", 1_000), ["file private.md:1", "file all.md:1"]);
    assert_eq!(shelf.places("opposition", "plan", 1_000), ["file all.md:1"]);
}

#[test]
fn other_material_in_the_store_changes_nothing() {
    let words = ["walrus penguin", "walrus", "penguin penguin", "heron walrus"];
    let files = words.iter().enumerate().map(|(at, word)| file(&format!("{at}.rs"), &filler(word)));
    let shelf = shelf(files.collect());
    let before = shelf.shown_to("critic").select_passages("walrus penguin", 400, true).unwrap();
    // Elsewhere, walruses are everywhere and penguins rare.
    let others = (0..200).map(|at| file(&format!("o{at}"), &format!("walrus {at}\n"))).collect();
    shelf.store.store_contents(&Gathered { files: others, ..Gathered::default() }).unwrap();
    let after = shelf.shown_to("critic").select_passages("walrus penguin", 400, true).unwrap();
    assert_eq!(before, after);
    assert_eq!(before.passages.len(), 2);
}

#[test]
fn a_content_that_is_not_stored_is_told() {
    let shelf = shelf(vec![file("a", "b\n")]);
    let other = Gathered { files: vec![file("x", "y\n")], ..Gathered::default() }.build_manifest();
    let error =
        SeatMaterial { manifest: &other, ..shelf.shown_to("critic") }.select_passages("", 100, true).unwrap_err();
    assert!(matches!(error, MaterialStoreError::Missing { .. }), "{error}");
}

#[test]
fn a_passage_that_would_never_fit_is_shown_around_the_words_of_the_query() {
    let filler = "The canteen opens at eight. Parking is free for visitors. ".repeat(200);
    let line = format!("{filler}Refunds are paid within thirty days. {filler}");
    let shelf = shelf(vec![file("handbook.md", &line), file("rules.md", &line.replace("Refunds", "Walruses"))]);
    let selection = shelf.shown_to("critic").select_passages("are refunds for visitors?", 1_500, true).unwrap();
    assert!(selection.tokens <= 1_500 && selection.not_shown == 0, "{}", selection.tokens);
    assert!(selection.passages[0].shown.contains("Refunds are paid within thirty days."));
    let shown: usize = selection.passages.iter().map(|passage| passage.shown.len()).sum();
    assert!(shown <= 1_500 * TOKEN_BYTES && shown > 1_500, "{shown}");
}
