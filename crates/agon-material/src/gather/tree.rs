//! The files around a change: those of the newer version that the change leaves as they are, so that seats can look up
//! what the changed code calls and who calls it.

use std::{cmp::Reverse, collections::BTreeSet};

use super::{
    FILE_BYTES_MAX, Found, GatherError, generated,
    git::{FILE, PROGRAM, Repository},
    is_printable,
};
use crate::{gathered_content::GatheredFile, passages::MaterialKind};

/// Files around a change, at most; and their bytes in all. Those in folders near the change come first.
const TREE_FILES_MAX: usize = 5_000;
const TREE_BYTES_MAX: u64 = 20 << 20;

/// A file of a version, as git lists it.
struct ListedFile {
    path: String,
    bytes: u64,
}

/// Adds the files of the version `head` that are not among what was `found`.
pub(super) fn add_tree(repository: &Repository<'_>, head: &str, found: &mut Found<'_>) -> Result<(), GatherError> {
    let changed: BTreeSet<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    let mut listed: Vec<ListedFile> = parse_listing(&repository.list_files(head)?).collect();
    listed.retain(|file| !changed.contains(file.path.as_str()) && !generated::by_name(&file.path));
    let near = |file: &ListedFile| changed.iter().map(|path| shared_folders(path, &file.path)).max().unwrap_or(0);
    listed.sort_by_cached_key(|file| (Reverse(near(file)), file.path.clone()));
    let (all, mut bytes) = (listed.len(), 0);
    listed.truncate(TREE_FILES_MAX);
    listed.retain(|file| {
        let fits = bytes + file.bytes <= TREE_BYTES_MAX;
        bytes += if fits { file.bytes } else { 0 };
        fits
    });
    if listed.len() < all {
        found.notes.push(format!(
            "{}: of the repository's {all} other files, seats can look up the {} that are nearest to the change",
            found.label,
            listed.len()
        ));
    }
    let mut paths: Vec<String> = listed.into_iter().map(|file| file.path).collect();
    paths.sort_unstable();
    let contents = repository.read_contents(head, &paths)?;
    for (path, content) in paths.into_iter().zip(contents) {
        // What is not a text says nothing to a seat.
        if let Some(Ok(text)) = content {
            found.add(GatheredFile { is_of_tree: true, ..GatheredFile::new(path, MaterialKind::File, text) })?;
        }
    }
    Ok(())
}

/// Folders that two paths have in common at their beginning.
fn shared_folders(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

/// The ordinary files of a listing, `MODE TYPE OBJECT SIZE\tPATH` each, that can be shown.
fn parse_listing(listing: &[u8]) -> impl Iterator<Item = ListedFile> {
    listing.split(|byte| *byte == 0).filter_map(|line| {
        let (about, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
        let mut about = about.split_whitespace();
        let (mode, bytes) = (about.next()?, about.nth(2)?.parse().ok()?);
        let is_shown = [FILE, PROGRAM].contains(&mode) && bytes > 0 && bytes <= FILE_BYTES_MAX && is_printable(path);
        is_shown.then(|| ListedFile { path: path.to_owned(), bytes })
    })
}
