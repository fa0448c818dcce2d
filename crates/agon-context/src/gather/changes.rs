//! Diffs: from a text, or between two versions in git, with the files of the newer version.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{
    Found, GatherError,
    generated::{self, Attributes},
    git::Repository,
    is_printable, read,
};
use crate::{
    diff::{FileDiff, read_diff},
    gathered::GatheredFile,
    passages::MaterialKind,
};

/// Mode of a symbolic link in git.
const LINK: &str = "120000";
/// Mode of a submodule in git.
const SUBMODULE: &str = "160000";

/// The files of a diff that is a text.
pub(super) fn in_text(label: &str, text: &str) -> Result<Found, GatherError> {
    let mut found = Found::default();
    let diffs = unique(label, parsed(label, text)?, &mut found)?;
    if diffs.is_empty() {
        return Err(GatherError::EmptyDiff { source_name: label.to_owned() });
    }
    for diff in diffs {
        match reason(&diff).or_else(|| generated::by_name(diff.path()).then(|| generated::REASON.into())) {
            Some(reason) => found.leave_out(shown_path(&diff), reason),
            None => add(&mut found, label, &diff)?,
        }
    }
    Ok(found)
}

/// The changes of a range in the repository of `folder`: each file's diff, and its content in the newer
/// version.
pub(super) fn in_git(folder: &Path, range: &str, label: &str) -> Result<Found, GatherError> {
    let repository = Repository::of(folder)?;
    let (base, head) = ends(&repository, range)?;
    let output = repository.diff(&base, &head)?;
    let mut found = Found::default();
    let mut diffs = Vec::new();
    for section in sections(&output) {
        match std::str::from_utf8(section) {
            Ok(text) => diffs.extend(parsed(label, text)?),
            Err(_) => {
                let text = String::from_utf8_lossy(section);
                diffs.extend(
                    parsed(label, &text)?.into_iter().map(|diff| FileDiff { is_binary: true, ..diff }),
                );
            }
        }
    }
    if diffs.is_empty() {
        return Err(GatherError::EmptyDiff { source_name: label.to_owned() });
    }
    let mut kept = Vec::new();
    for diff in unique(label, diffs, &mut found)? {
        match reason(&diff) {
            Some(reason) => found.leave_out(shown_path(&diff), reason),
            None => kept.push(diff),
        }
    }
    let marks = CommitAttributes::new(&repository, &head, &kept)?;
    let (generated, kept): (Vec<_>, Vec<_>) =
        kept.into_iter().partition(|diff| generated::by_name(diff.path()) || marks.are_on(diff.path()));
    for diff in generated {
        found.leave_out(diff.path(), generated::REASON);
    }
    let has_file = |diff: &&FileDiff| !diff.is_deleted() && diff.mode.as_deref() != Some(LINK);
    let paths: Vec<String> = kept.iter().filter(has_file).map(|diff| diff.path().to_owned()).collect();
    let mut contents: BTreeMap<&String, _> = paths.iter().zip(repository.contents(&head, &paths)?).collect();
    for diff in &kept {
        add(&mut found, label, diff)?;
        match contents.remove(&diff.path().to_owned()).flatten() {
            Some(Ok(text)) => found.add(label, GatheredFile::new(diff.path(), MaterialKind::File, text))?,
            Some(Err(reason)) => found.leave_out(diff.path(), reason),
            None => {}
        }
    }
    Ok(found)
}

/// The two objects that a range compares.
fn ends(repository: &Repository<'_>, range: &str) -> Result<(String, String), GatherError> {
    let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
    if let Some((base, head)) = range.split_once("...") {
        let (base, head) = (or_head(base), or_head(head));
        let (from, to) = (repository.commit(&base)?, repository.commit(&head)?);
        let from = repository.merge_base(&from, &to)?.ok_or(GatherError::NoMergeBase { base, head })?;
        return Ok((from, to));
    }
    if let Some((base, head)) = range.split_once("..") {
        return Ok((repository.commit(&or_head(base))?, repository.commit(&or_head(head))?));
    }
    let commit = repository.commit(&or_head(range))?;
    let parent = match repository.parent(&commit)? {
        Some(parent) => parent,
        None => repository.empty_tree()?,
    };
    Ok((parent, commit))
}

/// The parts of a diff that git made, one for each file. A line of a hunk never begins like a header.
fn sections(output: &[u8]) -> Vec<&[u8]> {
    const START: &[u8] = b"diff --git ";
    let is_start = |at: &usize| output[*at..].starts_with(START);
    let mut starts = vec![0];
    let line_starts = output.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    starts.extend(line_starts.filter(is_start));
    starts.push(output.len());
    starts.windows(2).map(|pair| &output[pair[0]..pair[1]]).filter(|part| part.starts_with(START)).collect()
}

fn parsed(label: &str, text: &str) -> Result<Vec<FileDiff>, GatherError> {
    read_diff(text).map_err(|fault| GatherError::Diff { source_name: label.to_owned(), fault })
}

/// The diffs, each path once. git shows a file that became a link, or the reverse, as deleted and as new.
fn unique(label: &str, diffs: Vec<FileDiff>, found: &mut Found) -> Result<Vec<FileDiff>, GatherError> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Vec<FileDiff> = Vec::new();
    for diff in diffs {
        match places.get(diff.path()) {
            None => {
                places.insert(diff.path().to_owned(), kept.len());
                kept.push(diff);
            }
            Some(at) if kept[*at].is_deleted() && diff.old_path.is_none() => {
                found.leave_out(shown_path(&diff), "the old version is of another kind");
                kept[*at] = diff;
            }
            Some(_) => {
                let (source_name, path) = (label.to_owned(), shown_path(&diff));
                return Err(GatherError::ChangedTwice { source_name, path });
            }
        }
    }
    Ok(kept)
}

/// Why a diff is left out, apart from being generated.
fn reason(diff: &FileDiff) -> Option<String> {
    if diff.has_foreign_path || diff.path().is_empty() || !is_printable(diff.path()) {
        return Some("its name cannot be shown".into());
    }
    if diff.mode.as_deref() == Some(SUBMODULE) {
        return Some("a submodule".into());
    }
    if diff.is_binary {
        return Some("binary".into());
    }
    None
}

fn shown_path(diff: &FileDiff) -> String {
    diff.path().chars().filter(|c| !c.is_control()).collect()
}

fn add(found: &mut Found, label: &str, diff: &FileDiff) -> Result<(), GatherError> {
    match read::text_of(diff.to_string().into_bytes()) {
        Ok(text) => found.add(label, GatheredFile::new(diff.path(), MaterialKind::Diff, text)),
        Err(reason) => {
            found.leave_out(diff.path(), format!("its diff is {reason}"));
            Ok(())
        }
    }
}

/// What the attributes in a commit mark as generated.
struct CommitAttributes {
    folders: BTreeMap<String, Attributes>,
}

impl CommitAttributes {
    fn new(repository: &Repository<'_>, commit: &str, diffs: &[FileDiff]) -> Result<Self, GatherError> {
        let folders: BTreeSet<&str> = diffs.iter().flat_map(|diff| above(diff.path())).collect();
        let names = folders.iter().map(|folder| match *folder {
            "" => generated::ATTRIBUTES.to_owned(),
            folder => format!("{folder}/{}", generated::ATTRIBUTES),
        });
        let texts = repository.contents(commit, &names.collect::<Vec<_>>())?;
        let folders = folders.into_iter().zip(texts).filter_map(|(folder, text)| {
            let text = text?.ok()?;
            Some((folder.to_owned(), Attributes::read(&text)))
        });
        Ok(Self { folders: folders.collect() })
    }

    fn are_on(&self, path: &str) -> bool {
        let said = above(path).filter_map(|folder| {
            let inside = path.strip_prefix(folder)?.trim_start_matches('/');
            self.folders.get(folder)?.is_generated(inside)
        });
        // The nearest folder decides.
        said.last().unwrap_or(false)
    }
}

/// The folders above a path, from the top of the repository, which is an empty name.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once("").chain(path.match_indices('/').map(|(at, _)| &path[..at]))
}
