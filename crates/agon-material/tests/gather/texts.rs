//! Texts, pages, several sources, and the way from a source to a checked quote.

use agon_material::{
    gather::{GatherRules, gather_sources},
    passages::MaterialKind,
    quotes::{QuoteCode, QuotedMaterial},
    search::SeatMaterial,
    store::MaterialStore,
};

use super::*;

const DIFF: &str = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,2 @@\n-old line\n+new line\n same\n";

fn stdin(text: &str) -> MaterialSource {
    MaterialSource::Stdin(text.into())
}

fn named(name: &str, text: &str) -> MaterialSource {
    MaterialSource::Text { name: name.into(), text: text.into() }
}

#[test]
fn standard_input_is_a_diff_or_a_text() {
    let yard = Yard::new();
    let diff = yard.gather(&[stdin(DIFF)]).unwrap();
    assert_eq!(entries(&diff), ["diff src/a.rs"]);
    assert_eq!(diff.files[0].text, DIFF);
    let plain = yard.gather(&[stdin("A text about diff --git.\n")]).unwrap();
    assert_eq!(entries(&plain), ["file stdin"]);
    let locked = format!("{DIFF}{}", DIFF.replace("src/a.rs", "Cargo.lock"));
    let locked = yard.gather(&[stdin(&locked)]).unwrap();
    assert_eq!(left_out(&locked), [("Cargo.lock", "generated")]);
    assert_eq!(unseen_changes(&locked), ["Cargo.lock"]);
    let binary = "diff --git a/b.rs b/b.rs\nindex 1..2 100644\nBinary files a/b.rs and b/b.rs differ\n";
    let binary = yard.gather(&[stdin(&format!("{DIFF}{binary}"))]).unwrap();
    assert_eq!((left_out(&binary), unseen_changes(&binary)), (vec![("b.rs", "binary")], vec!["b.rs"]));
    assert!(matches!(yard.fault(stdin(" \n")), GatherError::EmptyText(_)));
    assert!(matches!(yard.fault(stdin("diff --cc a\n@@@ -1 -1 +1 @@@\n")), GatherError::Diff { .. }));
    let twice = yard.fault(stdin(&DIFF.repeat(2)));
    assert_eq!(twice, GatherError::ChangedTwice { source_name: "stdin".into(), path: "src/a.rs".into() });
}

#[test]
fn a_file_with_a_patch_is_a_diff_if_it_is_named() {
    let yard = Yard::new();
    yard.write("fixes/one.patch", DIFF);
    assert_eq!(entries(&yard.folder_named("fixes/one.patch")), ["diff src/a.rs"]);
    assert_eq!(entries(&yard.folder_named("fixes")), ["file fixes/one.patch"]);
    assert_eq!(entries(&yard.gather(&[named("one.diff", DIFF)]).unwrap()), ["diff src/a.rs"]);
    assert_eq!(entries(&yard.gather(&[named("one.txt", DIFF)]).unwrap()), ["file one.txt"]);
}

#[test]
fn names_from_outside_are_relative_paths() {
    let yard = Yard::new();
    assert_eq!(entries(&yard.gather(&[named("./docs/a.md", "x")]).unwrap()), ["file docs/a.md"]);
    for name in ["", "/etc/passwd", "../a", "a/../b", "a//b", "a\nb", "."] {
        assert!(matches!(yard.fault(named(name, "text")), GatherError::Name(_)), "{name:?}");
    }
    let page = MaterialSource::Page { url: "https://example.org/a/b?c=1#d".into(), text: "words\n".into() };
    let page = yard.gather(&[page]).unwrap();
    assert_eq!(entries(&page), ["page example.org/a/b?c=1"]);
    assert_eq!(page.sources, ["https://example.org/a/b?c=1#d"]);
}

#[test]
fn a_path_has_one_content() {
    let yard = Yard::new();
    let one = yard.gather(&[named("a", "1"), named("a", "1"), named("a", "2")]).unwrap();
    assert_eq!(entries(&one), ["file a"]);
    let reason = "another version is in the material, from a source named earlier";
    assert_eq!(left_out(&one), [("a", reason)]);
    assert_eq!(one.sources.len(), 3);
}

#[test]
fn seats_of_equal_contents_are_united() {
    let yard = Yard::new();
    let source = |seats: &[&str]| SourceForSeats {
        source: named("a", "1"),
        seats: seats.iter().map(|seat| (*seat).to_owned()).collect(),
    };
    let united = gather_sources(
        yard.path(),
        &[source(&["proposition"]), source(&["opposition"])],
        GatherRules { is_own: &|_| false, with_tree: false },
    )
    .unwrap();
    assert_eq!(united.build_manifest().files[0].seats, ["opposition", "proposition"]);
    let all = gather_sources(
        yard.path(),
        &[source(&["proposition"]), source(&[])],
        GatherRules { is_own: &|_| false, with_tree: false },
    )
    .unwrap();
    assert!(all.build_manifest().files[0].seats.is_empty());
}

#[test]
fn a_quote_is_found_in_what_was_gathered() {
    let yard = Yard::repository();
    yard.write("src/a.rs", "fn a() {\n    work(1);\n}\n\nfn b() {\n    work(1);\n    removed();\n}\n");
    yard.commit("base");
    yard.write("src/a.rs", "fn a() {\n    work(1);\n}\n\nfn b() {\n    work(1);\n    added();\n}\n");
    yard.commit("head");
    let gathered = yard.range("HEAD");
    let store = MaterialStore::open(&yard.path().join("home/material.db")).unwrap();
    store.store_contents(&gathered).unwrap();
    let manifest = gathered.build_manifest();
    let quoted = QuotedMaterial { manifest: &manifest, store: &store, shown: Some };
    for (place, quote, code, corrected) in [
        ("src/a.rs:7", "added();", QuoteCode::QuoteThere, Some("src/a.rs:7")),
        ("src/a.rs:1", "added();", QuoteCode::QuoteMoved, Some("src/a.rs:7")),
        ("src/a.rs:7", "work(1);", QuoteCode::QuoteAmbiguous, Some("src/a.rs:6")),
        ("src/a.rs:6", "work(1);", QuoteCode::QuoteThere, Some("src/a.rs:6")),
        ("src/a.rs:7", "removed();", QuoteCode::QuoteRemoved, None),
        ("src/a.rs:7", "invented();", QuoteCode::QuoteAbsent, None),
    ] {
        let found = quoted.check_quote(place, Some(quote)).unwrap();
        assert_eq!((found.code, found.place.as_deref()), (code, corrected), "{place} {quote}");
    }
    // Everything that a prompt shows can be quoted from it as it stands there.
    let seen = SeatMaterial { manifest: &manifest, store: &store, seat: "critic" };
    let shown = seen.select_passages("", 10_000, true).unwrap();
    assert_eq!(shown.passages.iter().map(|passage| passage.kind).collect::<Vec<_>>().len(), 2);
    assert_eq!(shown.passages[0].kind, MaterialKind::Diff);
    for passage in &shown.passages {
        for line in passage.shown.lines().filter(|line| line.contains("| ") && !line.starts_with('-')) {
            let number: String = line.chars().take_while(char::is_ascii_digit).collect();
            let place = format!("{}:{number}", passage.path);
            let code = quoted.check_quote(&place, Some(line)).unwrap().code;
            let is_short = line.split_once("| ").unwrap().1.trim().len() < 4;
            assert_eq!(code, if is_short { QuoteCode::QuoteAbsent } else { QuoteCode::QuoteThere }, "{line}");
        }
    }
}
