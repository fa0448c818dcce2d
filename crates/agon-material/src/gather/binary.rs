//! Which changed files are binary: what they contain decides. Attributes can be a part of the change, and with `-diff`
//! in them git calls any file binary.

use std::collections::BTreeMap;

use super::{
    Found, GatherError,
    file_reader::Unshown,
    git::Repository,
    sections::{diffs_of, shown_path},
};
use crate::diff::FileDiff;

/// Largest content of which a diff is made that git would not have made itself: a diff of a larger one could not be
/// shown unless next to nothing changed.
const DIFFED_BYTES_MAX: u64 = 32 << 20;

/// The versions of one file.
struct Versions {
    old: Option<Result<(), Unshown>>,
    new: Option<Result<(), Unshown>>,
}

impl Versions {
    /// Whether the version that stays, or else the one that was deleted, is a text.
    fn is_text(&self) -> bool {
        matches!(self.new.or(self.old), Some(Ok(()) | Err(Unshown::TooLarge(_))))
    }

    /// The size that makes one of them too large for a diff.
    fn find_excess_size(&self) -> Option<Unshown> {
        let states = [self.new, self.old].into_iter().flatten().filter_map(Result::err);
        states.into_iter().find(|state| matches!(state, Unshown::TooLarge(bytes) if *bytes > DIFFED_BYTES_MAX))
    }
}

/// The diffs from `base` to `head`, of which those that git calls binary, or whose lines cannot be read, are binary
/// only if the contents are: git is asked for the others as texts.
pub(super) fn by_content(
    repository: &Repository<'_>,
    (base, head): (&str, &str),
    diffs: Vec<FileDiff>,
    found: &mut Found<'_>,
) -> Result<Vec<FileDiff>, GatherError> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for diff in diffs.iter().filter(|diff| is_asked(diff)) {
        old.extend(diff.old_path.clone());
        new.extend(diff.new_path.clone());
    }
    let states = |commit: &str, paths: Vec<String>| -> Result<BTreeMap<String, _>, GatherError> {
        let states = repository.check_contents(commit, &paths)?;
        Ok(paths.into_iter().zip(states).filter_map(|(path, state)| Some((path, state?))).collect())
    };
    let (old, new) = (states(base, old)?, states(head, new)?);
    let versions = |diff: &FileDiff| Versions {
        old: diff.old_path.as_ref().and_then(|path| old.get(path)).copied(),
        new: diff.new_path.as_ref().and_then(|path| new.get(path)).copied(),
    };
    let wanted = |diff: &&FileDiff| {
        let versions = versions(diff);
        is_asked(diff) && diff.hunks.is_empty() && versions.is_text() && versions.find_excess_size().is_none()
    };
    let paths: Vec<&str> = diffs.iter().filter(wanted).flat_map(list_names).collect();
    let texts = diffs_of(found.label, &repository.text_diff(base, head, &paths)?)?;
    let mut texts: BTreeMap<_, FileDiff> =
        texts.into_iter().map(|text| ((text.old_path.clone(), text.new_path.clone()), text)).collect();
    let mut kept = Vec::new();
    for diff in diffs {
        let versions = versions(&diff);
        let asked: Vec<FileDiff> = match wanted(&&diff) {
            true => change_steps(&diff).into_iter().filter_map(|step| texts.remove(&step)).collect(),
            false => Vec::new(),
        };
        if !asked.is_empty() {
            kept.extend(asked);
        } else if let Some(excess) = versions.find_excess_size().filter(|_| is_asked(&diff) && versions.is_text()) {
            match versions.new {
                // What it became can be shown whole.
                Some(Ok(())) => kept.push(FileDiff { is_binary: false, is_unreadable: true, ..diff }),
                _ => found.leave_out_change(shown_path(&diff), excess)?,
            }
        } else {
            let is_binary = diff.is_binary || (is_asked(&diff) && !versions.is_text());
            kept.push(FileDiff { is_binary, ..diff });
        }
    }
    Ok(kept)
}

/// Old and new path of what makes up a change where nothing is renamed.
fn change_steps(diff: &FileDiff) -> Vec<(Option<String>, Option<String>)> {
    let (old, new) = (diff.old_path.clone(), diff.new_path.clone());
    match diff.is_renamed() {
        true => vec![(old, None), (None, new)],
        false => vec![(old, new)],
    }
}

/// Whether the contents decide about this diff. A name that cannot be shown can also not be asked for.
fn is_asked(diff: &FileDiff) -> bool {
    let is_named = !diff.has_foreign_path && !list_names(diff).any(|name| name.contains(char::is_control));
    is_named && (diff.is_binary || diff.is_unreadable)
}

/// The new name, and the old one where it is another.
fn list_names(diff: &FileDiff) -> impl Iterator<Item = &str> {
    let old = diff.old_path.as_deref().filter(|old| diff.new_path.as_deref() != Some(old));
    old.into_iter().chain(diff.new_path.as_deref())
}
