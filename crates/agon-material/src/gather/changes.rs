//! Diffs: from a text, or between two versions in git, with the files of the newer version.

use std::{collections::BTreeMap, path::Path};

use super::{
    Found, GatherError, GatherRules,
    binary::by_content,
    file_reader::{self, Unshown},
    generated,
    git::{LINK, Repository, SUBMODULE},
    is_printable,
    sections::{diffs_of, parse_diff, shown_path},
    tree,
    working_copy::{WORKING_COPY, WorkingCopy},
};
use crate::{diff::FileDiff, gathered_content::GatheredFile, passages::MaterialKind};

/// The files of a diff that is a text.
pub(super) fn in_text<'l>(label: &'l str, text: &str) -> Result<Found<'l>, GatherError> {
    let mut found = Found::from_label(label);
    let diffs = keep_shown_diffs(parse_diff(label, text)?, &mut found)?;
    if diffs.is_empty() && found.left_out.is_empty() {
        return Err(GatherError::EmptyDiff(label.to_owned()));
    }
    diffs.iter().try_for_each(|diff| add(&mut found, diff))?;
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
    let repository = Repository::from_folder(folder)?;
    if range == WORKING_COPY {
        let mut found = Found::from_label(label);
        let copy = WorkingCopy::from_repository(&repository, &mut found, rules.is_own)?;
        return gather_changes(&copy.repository_at(folder), &copy.head, &copy.tree, found, rules);
    }
    let (base, head) = resolve_range(&repository, range)?;
    gather_changes(&repository, &base, &head, Found::from_label(label), rules)
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
    let kept = keep_shown_diffs(diffs, &mut found)?;
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

/// The diffs that are shown, each path once. git shows a file that became a link, or the reverse, as deleted and as new.
fn keep_shown_diffs(diffs: Vec<FileDiff>, found: &mut Found<'_>) -> Result<Vec<FileDiff>, GatherError> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut unique: Vec<FileDiff> = Vec::new();
    for diff in diffs {
        match places.get(diff.path()) {
            None => {
                places.insert(diff.path().to_owned(), unique.len());
                unique.push(diff);
            }
            Some(at) if unique[*at].is_deleted() && diff.old_path.is_none() => {
                found.leave_out_change(shown_path(&diff), "the old version is of another kind")?;
                unique[*at] = diff;
            }
            Some(_) => {
                let (source_name, path) = (found.label.to_owned(), shown_path(&diff));
                return Err(GatherError::ChangedTwice { source_name, path });
            }
        }
    }
    let mut shown = Vec::new();
    for diff in unique {
        match exclusion_reason(&diff) {
            Some(reason) => found.leave_out_change(shown_path(&diff), reason)?,
            None => shown.push(diff),
        }
    }
    Ok(shown)
}

/// Why a diff is left out.
fn exclusion_reason(diff: &FileDiff) -> Option<&'static str> {
    if diff.has_foreign_path || diff.path().is_empty() || !is_printable(diff.path()) {
        return Some("its name cannot be shown");
    }
    if diff.mode.as_deref() == Some(SUBMODULE) {
        return Some("a submodule");
    }
    if diff.is_binary {
        return Some("binary");
    }
    generated::by_name(diff.path()).then_some(generated::REASON)
}

fn add(found: &mut Found<'_>, diff: &FileDiff) -> Result<(), GatherError> {
    let text = match diff.is_unreadable {
        true => Err(Unshown::Binary),
        false => file_reader::text_of(diff.to_string().into_bytes()),
    };
    match text {
        Ok(text) => found.add(GatheredFile::new(diff.path(), MaterialKind::Diff, text)),
        Err(reason) => found.leave_out_change(diff.path(), format!("its diff is {reason}")),
    }
}
