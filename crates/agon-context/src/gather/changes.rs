//! Diffs: from a text, or between two versions in git, with the files of the newer version.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use agon_text::name_first;

use super::{
    Found, GatherError, GatherRules,
    binary::by_content,
    generated::{self, Attributes},
    git::{LINK, Repository, SUBMODULE},
    is_printable,
    read::{self, Unshown},
    sections::{diffs_of, parse_diff, shown_path},
    tree,
    working_copy::{WORKING_COPY, WorkingCopy},
};
use crate::{diff::FileDiff, gathered::GatheredFile, passages::MaterialKind};

/// Files that a note names.
const DECLARED_NAMED_MAX: usize = 5;

/// The files of a diff that is a text.
pub(super) fn in_text<'l>(label: &'l str, text: &str) -> Result<Found<'l>, GatherError> {
    let mut found = Found::of(label);
    let diffs = keep_unique_paths(parse_diff(label, text)?, &mut found)?;
    if diffs.is_empty() {
        return Err(GatherError::EmptyDiff(label.to_owned()));
    }
    for diff in diffs {
        match exclusion_reason(&diff).or_else(|| generated::by_name(diff.path()).then(|| generated::REASON.into())) {
            Some(reason) => found.leave_out_change(shown_path(&diff), reason)?,
            None => add(&mut found, &diff)?,
        }
    }
    Ok(found)
}

/// The changes of a range, or of the working copy, in the repository of `folder`: each file's diff, and its content in the newer
/// version.
pub(super) fn in_git<'l>(
    folder: &Path,
    range: &str,
    label: &'l str,
    rules: GatherRules<'_>,
) -> Result<Found<'l>, GatherError> {
    let repository = Repository::of(folder)?;
    if range == WORKING_COPY {
        let mut found = Found::of(label);
        let copy = WorkingCopy::of(&repository, &mut found, rules.is_own)?;
        return gather_changes(&copy.repository_at(folder), &copy.head, &copy.tree, found, rules);
    }
    let (base, head) = resolve_range(&repository, range)?;
    gather_changes(&repository, &base, &head, Found::of(label), rules)
}

/// The changes between two objects, and the files around them where they are wanted, in addition to what was `found`.
fn gather_changes<'l>(
    repository: &Repository<'_>,
    base: &str,
    head: &str,
    mut found: Found<'l>,
    rules: GatherRules<'_>,
) -> Result<Found<'l>, GatherError> {
    let label = found.label;
    let diffs = diffs_of(label, &repository.diff_objects(base, head)?)?;
    if diffs.is_empty() && found.left_out.is_empty() {
        return Err(GatherError::EmptyDiff(label.to_owned()));
    }
    let diffs = by_content(repository, (base, head), diffs, &mut found)?;
    let mut kept = Vec::new();
    for diff in keep_unique_paths(diffs, &mut found)? {
        match exclusion_reason(&diff) {
            Some(reason) => found.leave_out_change(shown_path(&diff), reason)?,
            None => kept.push(diff),
        }
    }
    // What the change itself declares says nothing about it.
    let marks = CommitAttributes::new(repository, base, &kept)?;
    let (generated, kept): (Vec<_>, Vec<_>) =
        kept.into_iter().partition(|diff| generated::by_name(diff.path()) || marks.are_on(diff.path()));
    for diff in generated {
        found.leave_out_change(diff.path(), generated::REASON)?;
    }
    let declared = CommitAttributes::new(repository, head, &kept)?;
    found
        .notes
        .extend(describe_declared_generated(kept.iter().map(FileDiff::path).filter(|path| declared.are_on(path))));
    let has_file = |diff: &&FileDiff| !diff.is_deleted() && diff.mode.as_deref() != Some(LINK);
    let paths: Vec<String> = kept.iter().filter(has_file).map(|diff| diff.path().to_owned()).collect();
    let mut contents: BTreeMap<&String, _> = paths.iter().zip(repository.read_contents(head, &paths)?).collect();
    for diff in &kept {
        add(&mut found, diff)?;
        match contents.remove(&diff.path().to_owned()).flatten() {
            Some(Ok(text)) => found.add(GatheredFile::new(diff.path(), MaterialKind::File, text))?,
            Some(Err(reason)) => found.leave_out(diff.path(), reason)?,
            None => {}
        }
    }
    if rules.with_tree {
        tree::add_tree(repository, head, &mut found)?;
    }
    Ok(found)
}

/// Tells which files the change declares generated; none if it does so of none.
fn describe_declared_generated<'d>(paths: impl Iterator<Item = &'d str>) -> Option<String> {
    let paths: Vec<&str> = paths.collect();
    let named = name_first(&paths, DECLARED_NAMED_MAX);
    (!paths.is_empty())
        .then(|| format!("the change itself declares as generated, which does not count for it: {named}"))
}

/// The two objects that a range compares.
fn resolve_range(repository: &Repository<'_>, range: &str) -> Result<(String, String), GatherError> {
    let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
    if let Some((base, head)) = range.split_once("...") {
        let (base, head) = (or_head(base), or_head(head));
        let (from, to) = (repository.resolve_commit(&base)?, repository.resolve_commit(&head)?);
        let from = repository.merge_base(&from, &to)?.ok_or(GatherError::NoMergeBase { base, head })?;
        return Ok((from, to));
    }
    if let Some((base, head)) = range.split_once("..") {
        return Ok((repository.resolve_commit(&or_head(base))?, repository.resolve_commit(&or_head(head))?));
    }
    let commit = repository.resolve_commit(&or_head(range))?;
    let parent = match repository.first_parent(&commit)? {
        Some(parent) => parent,
        None => repository.empty_tree()?,
    };
    Ok((parent, commit))
}

/// The diffs, each path once. git shows a file that became a link, or the reverse, as deleted and as new.
fn keep_unique_paths(diffs: Vec<FileDiff>, found: &mut Found<'_>) -> Result<Vec<FileDiff>, GatherError> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Vec<FileDiff> = Vec::new();
    for diff in diffs {
        match places.get(diff.path()) {
            None => {
                places.insert(diff.path().to_owned(), kept.len());
                kept.push(diff);
            }
            Some(at) if kept[*at].is_deleted() && diff.old_path.is_none() => {
                found.leave_out_change(shown_path(&diff), "the old version is of another kind")?;
                kept[*at] = diff;
            }
            Some(_) => {
                let (source_name, path) = (found.label.to_owned(), shown_path(&diff));
                return Err(GatherError::ChangedTwice { source_name, path });
            }
        }
    }
    Ok(kept)
}

/// Why a diff is left out, apart from being generated.
fn exclusion_reason(diff: &FileDiff) -> Option<String> {
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

fn add(found: &mut Found<'_>, diff: &FileDiff) -> Result<(), GatherError> {
    let text = match diff.is_unreadable {
        true => Err(Unshown::Binary),
        false => read::text_of(diff.to_string().into_bytes()),
    };
    match text {
        Ok(text) => found.add(GatheredFile::new(diff.path(), MaterialKind::Diff, text)),
        Err(reason) => found.leave_out_change(diff.path(), format!("its diff is {reason}")),
    }
}

/// What the attributes in a commit mark as generated.
struct CommitAttributes {
    folders: BTreeMap<String, Attributes>,
}

impl CommitAttributes {
    fn new(repository: &Repository<'_>, commit: &str, diffs: &[FileDiff]) -> Result<Self, GatherError> {
        let folders: BTreeSet<&str> = diffs.iter().flat_map(|diff| parent_folders(diff.path())).collect();
        let names = folders.iter().map(|folder| match *folder {
            "" => generated::ATTRIBUTES.to_owned(),
            folder => format!("{folder}/{}", generated::ATTRIBUTES),
        });
        let texts = repository.read_contents(commit, &names.collect::<Vec<_>>())?;
        let folders = folders.into_iter().zip(texts).filter_map(|(folder, text)| {
            let text = text?.ok()?;
            Some((folder.to_owned(), Attributes::parse(&text)))
        });
        Ok(Self { folders: folders.collect() })
    }

    fn are_on(&self, path: &str) -> bool {
        let said = parent_folders(path).filter_map(|folder| {
            let inside = path.strip_prefix(folder)?.trim_start_matches('/');
            self.folders.get(folder)?.is_generated(inside)
        });
        // The nearest folder decides.
        said.last().unwrap_or(false)
    }
}

/// The folders above a path, from the top of the repository, which is an empty name.
fn parent_folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once("").chain(path.match_indices('/').map(|(at, _)| &path[..at]))
}
