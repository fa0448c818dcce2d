//! Debates of other programs, read from their files as the answers that the protocol's own script would
//! have asked for. Pure: the caller reads the files, and puts what comes of them on a record by
//! stepping the script.
//!
//! Files that cannot be read for what they are give an error. Files that can be read and break rules
//! give warnings.

use std::collections::BTreeMap;

use agon_core::Reply;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The files of a folder: content by path, with `/` between the parts of a path.
pub type Files = BTreeMap<String, String>;

/// A debate that was read from files: its setup, its answers and the warnings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Import {
    /// Its protocol.
    pub protocol: &'static str,
    /// What is debated.
    pub motion: String,
    /// Options of the protocol.
    pub options: Map<String, Value>,
    /// Members of the protocol's row of seats, in their order.
    pub members: Vec<ImportedMember>,
    /// How many rounds the files hold, in the protocol's own sense.
    pub rounds: u32,
    /// Texts that the record is to be pinned to, by name.
    pub documents: BTreeMap<String, String>,
    /// What answers each request, by its key.
    pub answers: BTreeMap<String, Reply>,
    /// The outcome that the files claim.
    pub claimed: Option<String>,
    /// What is wrong with the files as a whole, one line each.
    pub warnings: Vec<String>,
}

/// A debater of an imported debate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportedMember {
    /// Name shown to readers.
    pub name: String,
    /// Background in a sentence or two; may be empty.
    pub persona: String,
    /// What else is known, by the protocol's names.
    pub details: Map<String, Value>,
}

/// Why files cannot be imported as a debate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {why}")]
pub struct ImportError {
    /// The file.
    pub path: String,
    /// What is wrong with it.
    pub why: String,
}

impl ImportError {
    pub(crate) fn new(path: impl Into<String>, why: impl ToString) -> Self {
        Self { path: path.into(), why: why.to_string() }
    }
}

/// How to read the debates of one protocol from files.
#[derive(Debug)]
pub struct ImportReader {
    /// Where their files are.
    pub layout: Layout,
    /// Whether they are about a document of which their files hold the path alone.
    pub has_source: bool,
    /// Reads them.
    pub read: fn(&Files) -> Result<Import, ImportError>,
}

/// Where the files of a debate are, in its folder and next to it.
#[derive(Debug, Default)]
pub struct Layout {
    /// Folders within the debate's folder that hold files of it.
    pub below: &'static [&'static str],
    /// Files that belong to one that is named by itself, in the same folder.
    pub beside: &'static [&'static str],
    /// A file that stands for the folder that it is in.
    pub stands_for: Option<&'static str>,
}

/// What can be read: the name of the format, and how.
pub fn list_import_formats() -> impl Iterator<Item = (&'static str, &'static ImportReader)> {
    crate::ALL.iter().filter_map(|format| Some((format.name, format.import_reader?)))
}

impl Import {
    /// Keeps each file that is `known` as it is, so that it can be given back byte for byte, and warns of every other.
    pub(crate) fn keep_originals<'f>(
        &mut self,
        files: impl Iterator<Item = (&'f String, &'f String)>,
        known: impl Fn(&str) -> bool,
    ) {
        for (path, text) in files {
            if known(path) {
                self.documents.insert(format!("{}{path}", crate::imported_files::PREFIX), text.clone());
            } else {
                self.add_warning(path, "it is not a file of this format; ignored");
            }
        }
    }

    pub(crate) fn add_warning(&mut self, path: &str, why: impl std::fmt::Display) {
        self.warnings.push(format!("{path}: {why}"));
    }

    /// Warns where the JSON of a file, which has been read, names a key twice: the last one counts, as it does for the programs
    /// that write such files.
    pub(crate) fn warn_of_doubled_keys(&mut self, path: &str, json: &str) {
        if let Err(error) = agon_core::parse::parse_strict_json(json) {
            self.add_warning(path, format!("{error}; the last one is used"));
        }
    }

    pub(crate) fn record_statement(&mut self, key: impl Into<String>, said: impl Serialize) {
        self.answers.insert(key.into(), Reply::Said { text: json!(said).to_string() });
    }
}

/// The file at `path`.
pub(crate) fn require_file<'f>(files: &'f Files, path: &str) -> Result<&'f str, ImportError> {
    files.get(path).map(String::as_str).ok_or_else(|| ImportError::new(path, "it is missing"))
}
