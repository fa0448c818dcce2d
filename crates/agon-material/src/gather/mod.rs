//! From sources to contents: files, folders, versions in git, texts and pages.
//!
//! Only what is named is read, and within folders only what their ignore rules leave; apart from that, the
//! rules themselves (`.gitignore`), also those of the folders above. Everything that was
//! found and is not among the contents is listed with its reason.

mod binary;
mod changes;
mod error;
mod file_reader;
mod folder;
mod generated;
mod git;
mod sections;
mod tree;
mod working_copy;

use std::path::{Path, PathBuf};

pub use self::{error::GatherError, file_reader::decode_text};
use crate::{
    diff::as_diff,
    gathered_content::{Gathered, GatheredFile},
    manifest::LeftOut,
    passages::MaterialKind,
};

/// Largest content: about 40,000 lines. Larger files are data or generated.
pub const FILE_BYTES_MAX: u64 = 2 << 20;
/// All contents together: what fits in memory while it is gathered.
pub const TOTAL_BYTES_MAX: u64 = 256 << 20;
/// Number of contents and of what is left out: a large repository. More than that is usually a folder named by
/// mistake.
pub const FILES_MAX: usize = 20_000;

/// Something that was named as material.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MaterialSource {
    /// A file or a folder.
    Path(PathBuf),
    /// What follows `git:`: `BASE..HEAD`, `BASE...HEAD` (from the merge base), or one revision for its
    /// commit. An end that is missing is `HEAD`. `.` is what the working copy changes since the last commit.
    Git(String),
    /// The text of standard input: a diff, or a plain text.
    Stdin(String),
    /// A text with a name, from HTTP or MCP.
    Text {
        /// Its path in the material: relative, with `/`.
        name: String,
        /// The content.
        text: String,
    },
    /// The text of a page that was fetched.
    Page {
        /// Its address.
        url: String,
        /// The text, without markup.
        text: String,
    },
}

impl MaterialSource {
    /// As it was named.
    pub fn label(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Git(range) => format!("git:{range}"),
            Self::Stdin(_) => "stdin".into(),
            Self::Text { name, .. } => name.clone(),
            Self::Page { url, .. } => url.clone(),
        }
    }
}

/// A source, and the seats that see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceForSeats {
    /// What was named.
    pub source: MaterialSource,
    /// Seats or rows; empty for all.
    pub seats: Vec<String>,
}

/// What one source gave.
#[derive(Debug)]
struct Found<'l> {
    label: &'l str,
    files: Vec<GatheredFile>,
    left_out: Vec<LeftOut>,
    notes: Vec<String>,
    bytes: u64,
}

impl<'l> Found<'l> {
    /// Nothing yet of the source that is called `label`.
    fn from_label(label: &'l str) -> Self {
        Self { label, files: Vec::new(), left_out: Vec::new(), notes: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, file: GatheredFile) -> Result<(), GatherError> {
        self.bytes += file.text.len() as u64;
        self.files.push(file);
        if self.bytes > TOTAL_BYTES_MAX {
            return Err(GatherError::TooManyBytes(self.label.to_owned()));
        }
        self.check_file_count()
    }

    /// Leaves out a file that stands there as it is.
    fn leave_out(&mut self, path: impl Into<String>, reason: impl ToString) -> Result<(), GatherError> {
        self.left_out.push(LeftOut { path: path.into(), reason: reason.to_string(), is_changed: false });
        self.check_file_count()
    }

    /// Leaves out what a diff changes.
    fn leave_out_change(&mut self, path: impl Into<String>, reason: impl ToString) -> Result<(), GatherError> {
        self.left_out.push(LeftOut { path: path.into(), reason: reason.to_string(), is_changed: true });
        self.check_file_count()
    }

    fn check_file_count(&self) -> Result<(), GatherError> {
        match self.files.len() + self.left_out.len() > FILES_MAX {
            true => Err(GatherError::TooManyFiles(self.label.to_owned())),
            false => Ok(()),
        }
    }
}

/// Whether the caller itself wrote the file at a path, so that it does not count as a change of the user.
pub type IsOwn<'f> = &'f dyn Fn(&Path) -> bool;

/// What is gathered of a source.
#[derive(Clone, Copy)]
pub struct GatherRules<'f> {
    /// What is left out of the working copy.
    pub is_own: IsOwn<'f>,
    /// Whether the files around a change come along, for seats to look up.
    pub with_tree: bool,
}

/// Gathers the contents of all sources by these `rules`. Paths are relative to
/// `root`, which must be a folder; those of a folder outside of `root` begin with that folder's name, and those from git
/// are relative to the repository.
pub fn gather_sources(
    root: &Path,
    sources: &[SourceForSeats],
    rules: GatherRules<'_>,
) -> Result<Gathered, GatherError> {
    let mut gathered = Gathered::default();
    let mut bytes = 0;
    for SourceForSeats { source, seats } in sources {
        let label = source.label();
        let mut found = gather_source(root, source, &label, rules)?;
        bytes += found.bytes;
        for file in &mut found.files {
            file.seats.clone_from(seats);
        }
        gathered.add(label.clone(), found.files, found.left_out);
        gathered.notes.extend(found.notes);
        if gathered.files.len() + gathered.left_out.len() > FILES_MAX {
            return Err(GatherError::TooManyFiles(label));
        }
        if bytes > TOTAL_BYTES_MAX {
            return Err(GatherError::TooManyBytes(label));
        }
    }
    if gathered.files.is_empty() && !sources.is_empty() {
        return Err(GatherError::NothingLeft(gathered.left_out));
    }
    Ok(gathered)
}

fn gather_source<'l>(
    root: &Path,
    source: &MaterialSource,
    label: &'l str,
    rules: GatherRules<'_>,
) -> Result<Found<'l>, GatherError> {
    match source {
        MaterialSource::Path(path) => folder::gather_path(root, path, label),
        MaterialSource::Git(range) => changes::in_git(root, range, label, rules),
        MaterialSource::Stdin(text) => match as_diff(text) {
            Some(diff) => changes::in_text(label, &diff),
            None => self::gather_text("stdin", label, text),
        },
        MaterialSource::Text { name, text } => {
            let path = check_material_name(name)?;
            match is_patch_name(name).then(|| as_diff(text)).flatten() {
                Some(diff) => changes::in_text(label, &diff),
                None => self::gather_text(&path, label, text),
            }
        }
        MaterialSource::Page { url, text } => {
            let address = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
            let name = check_material_name(address.split('#').next().unwrap_or_default().trim_end_matches('/'))?;
            let mut found = self::gather_text(&name, label, text)?;
            found.files.iter_mut().for_each(|file| file.kind = MaterialKind::Page);
            Ok(found)
        }
    }
}

/// A text that did not come from a file.
fn gather_text<'l>(name: &str, label: &'l str, text: &str) -> Result<Found<'l>, GatherError> {
    if text.trim().is_empty() {
        return Err(GatherError::EmptyText(label.to_owned()));
    }
    let mut found = Found::from_label(label);
    match file_reader::text_of(text.as_bytes().to_vec()) {
        Ok(text) => found.add(GatheredFile::new(name, MaterialKind::File, text))?,
        Err(reason) => found.leave_out(name, reason)?,
    }
    Ok(found)
}

fn is_patch_name(name: &str) -> bool {
    name.ends_with(".diff") || name.ends_with(".patch")
}

/// A name from outside, as a path of the material.
fn check_material_name(name: &str) -> Result<String, GatherError> {
    let name = name.strip_prefix("./").unwrap_or(name);
    let is_sound = name.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    match is_sound && is_printable(name) {
        true => Ok(name.to_owned()),
        false => Err(GatherError::Name(name.chars().filter(|c| !c.is_control()).collect())),
    }
}

/// Whether a path can be a line of a prompt or a page.
fn is_printable(path: &str) -> bool {
    !path.chars().any(char::is_control)
}
