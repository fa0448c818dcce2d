//! What the store keeps, and how several use it at once.

use super::*;
use crate::gathered_content::GatheredFile;

fn gathered(count: usize) -> Gathered {
    let files =
        (0..count).map(|at| GatheredFile::new(format!("f{at}"), MaterialKind::File, format!("text number {at}\n")));
    Gathered { files: files.collect(), ..Gathered::default() }
}

#[test]
fn a_content_is_indexed_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/material.db");
    let store = MaterialStore::open(&path).unwrap();
    let some = gathered(3);
    assert_eq!(store.store_contents(&some).unwrap(), Indexed { new: 3, known: 0 });
    assert_eq!(store.store_contents(&some).unwrap(), Indexed { new: 0, known: 3 });
    let again = MaterialStore::open(&path).unwrap();
    assert_eq!(again.store_contents(&gathered(4)).unwrap(), Indexed { new: 1, known: 3 });
    assert_eq!(again.load_content(&some.files[1].digest).unwrap(), "text number 1\n");
    let missing = again.load_content(&digest_of("other")).unwrap_err();
    assert!(matches!(missing, MaterialStoreError::Missing { .. }), "{missing}");
}

#[test]
fn one_content_under_two_kinds_is_cut_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    let store = MaterialStore::open(&folder.path().join("m.db")).unwrap();
    let text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let kinds = [MaterialKind::Diff, MaterialKind::File, MaterialKind::Page];
    let files = kinds.map(|kind| GatheredFile::new("x", kind, text)).into();
    let indexed = store.store_contents(&Gathered { files, ..Gathered::default() }).unwrap();
    assert_eq!(indexed, Indexed { new: 2, known: 1 });
}

#[test]
fn a_damaged_content_and_a_newer_store_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let store = MaterialStore::open(&path).unwrap();
    let some = gathered(1);
    store.store_contents(&some).unwrap();
    store.with_database(|db| db.execute("UPDATE texts SET content = 'other'", [])).unwrap();
    let damaged = store.load_content(&some.files[0].digest).unwrap_err();
    assert!(matches!(damaged, MaterialStoreError::Damaged { .. }), "{damaged}");
    store.with_database(|db| db.pragma_update(None, "user_version", 9)).unwrap();
    let newer = MaterialStore::open(&path).unwrap_err();
    assert!(matches!(newer, MaterialStoreError::Newer(_, 9)), "{newer}");
}

#[test]
fn several_make_and_fill_one_store_at_once() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        let some = gathered(50);
        let new: usize = thread::scope(|scope| {
            let fill = || MaterialStore::open(&path).and_then(|store| store.store_contents(&some)).unwrap().new;
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(fill)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(new, 50, "each content was indexed by one of them");
    }
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_the_store() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("home/m.db");
    MaterialStore::open(&path).unwrap();
    for (path, mode) in [(path.as_path(), 0o600), (path.parent().unwrap(), 0o700)] {
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
}

#[test]
fn a_content_that_is_removed_is_neither_found_nor_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let store = MaterialStore::open(&path).unwrap();
    let texts = ["Quokkas eat shrubs.\n", "Wombats dig tunnels.\n"];
    let files = texts.map(|text| GatheredFile::new("x", MaterialKind::File, text));
    let digests = files.each_ref().map(|file| file.digest.clone());
    let gathered = Gathered { files: files.into(), ..Gathered::default() };
    store.store_contents(&gathered).unwrap();
    assert_eq!(store.remove_contents(&[digests[0].clone(), digest_of("other")]).unwrap(), 1);
    assert!(matches!(store.load_content(&digests[0]), Err(MaterialStoreError::Missing { .. })));
    let words = |word: &str| {
        let sql = "SELECT count(*) FROM words WHERE words MATCH ?";
        store.with_database(|db| db.query_row(sql, [word], |row| row.get::<_, i64>(0))).unwrap()
    };
    assert_eq!((words("quokkas"), words("wombats")), (0, 1));
    let left: Vec<u8> = ["m.db", "m.db-wal"]
        .iter()
        .flat_map(|name| std::fs::read(folder.path().join(name)).unwrap_or_default())
        .collect();
    let has = |text: &str| left.windows(text.len()).any(|bytes| bytes == text.as_bytes());
    assert!(!has("Quokkas eat") && has("Wombats dig"));
    assert_eq!(store.store_contents(&gathered).unwrap(), Indexed { new: 1, known: 1 }, "it can be stored again");
}
