//! Files and folders of the working tree.

use std::path::{Component, Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::{Found, GatherError, changes, file_reader, generated, is_patch_name, is_printable};
use crate::{diff::as_diff, gathered_content::GatheredFile, passages::MaterialKind};

/// The contents at a path that the user named.
pub(super) fn gather_path<'l>(root: &Path, path: &Path, label: &'l str) -> Result<Found<'l>, GatherError> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => GatherError::NotFound(label.to_owned()),
        _ => GatherError::Unreadable { path: label.to_owned(), reason: error.to_string() },
    };
    let real = root.join(path).canonicalize().map_err(unreadable)?;
    // `--context src/*` names what a stranger put there.
    if is_inside(path) && !root.canonicalize().is_ok_and(|root| real.starts_with(root)) {
        return Err(GatherError::LinkOut(label.to_owned()));
    }
    let start = material_path(root, &real);
    match real.is_dir() {
        true => gather_folder(&real, &start, label),
        false => gather_file(&real, &start, label),
    }
}

/// Whether a path, as it is written, stays below the folder that it starts in.
fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The path in the material of what was named: relative to `root` if it is in it, otherwise its name.
fn material_path(root: &Path, real: &Path) -> String {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    match real.strip_prefix(&root) {
        Ok(inside) => join_with_slashes(inside),
        Err(_) => real.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned()),
    }
}

fn join_with_slashes(path: &Path) -> String {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// A file that was named itself: it counts even if it is hidden, ignored or generated.
fn gather_file<'l>(real: &Path, name: &str, label: &'l str) -> Result<Found<'l>, GatherError> {
    let mut found = Found::from_label(label);
    match file_reader::read_text_file(real, label, || {})? {
        Ok(text) => {
            if let Some(diff) = is_patch_name(name).then(|| as_diff(&text)).flatten() {
                return changes::in_text(label, &diff);
            }
            found.add(GatheredFile::new(name, MaterialKind::File, text))?;
        }
        Err(reason) => found.leave_out(name, reason)?,
    }
    Ok(found)
}

fn gather_folder<'l>(real: &Path, start: &str, label: &'l str) -> Result<Found<'l>, GatherError> {
    let mut found = Found::from_label(label);
    let mut walk = WalkBuilder::new(real);
    // Ignore rules hold without a repository too: an unpacked archive has them as well.
    walk.require_git(false).follow_links(false).sort_by_file_name(Ord::cmp);
    for entry in walk.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = path_of(&error).and_then(|path| path.strip_prefix(real).ok()).map(join_with_slashes);
                let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                let path = join_material_paths(start, &path.unwrap_or_default());
                found.leave_out(path, format!("cannot be read: {reason}"))?;
                continue;
            }
        };
        let inside = entry.path().strip_prefix(real).unwrap_or(entry.path());
        let path = join_material_paths(start, &join_with_slashes(inside));
        let target = match resolve_entry(&entry, real) {
            None => continue,
            Some(Ok(target)) => target,
            Some(Err(reason)) => {
                found.leave_out(path, reason)?;
                continue;
            }
        };
        if inside.to_str().is_none() || !is_printable(&path) {
            let path: String = path.chars().filter(|c| !c.is_control()).collect();
            found.leave_out(path, "its name cannot be shown")?;
        } else if generated::by_name(&path) {
            found.leave_out(path, generated::REASON)?;
        } else {
            match file_reader::read_text_file(&target, &path, || {}) {
                Ok(Ok(text)) => found.add(GatheredFile::new(path, MaterialKind::File, text))?,
                Ok(Err(reason)) => found.leave_out(path, reason)?,
                Err(GatherError::Unreadable { reason, .. }) => {
                    found.leave_out(path, format!("cannot be read: {reason}"))?;
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(found)
}

/// The file to read for an entry, or why it is left out; none for a folder. Links are not followed.
fn resolve_entry(entry: &DirEntry, real: &Path) -> Option<Result<PathBuf, &'static str>> {
    let kind = entry.file_type()?;
    if kind.is_dir() {
        return None;
    }
    if !kind.is_symlink() {
        return Some(Ok(entry.path().to_owned()));
    }
    Some(Err(match entry.path().canonicalize() {
        Err(_) => "a link to a missing file",
        Ok(target) if !target.starts_with(real) => "a link that leaves the folder",
        Ok(target) if target.is_dir() => "a link to a folder",
        // Its target can be hidden or ignored, and then it must not be read under another name.
        Ok(_) => "a link; name its target",
    }))
}

fn join_material_paths(start: &str, inside: &str) -> String {
    match (start, inside) {
        ("", inside) => inside.to_owned(),
        (start, "") => start.to_owned(),
        (start, inside) => format!("{start}/{inside}"),
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
