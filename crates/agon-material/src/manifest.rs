//! The list of a debate's material: a JSON document with the digest of each content, which a record can pin.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::{
    passages::MaterialKind,
    prompt_display::{ShownChar, repeated_path},
};

/// Newest version of the document that this program reads. Version 2 tells which of what was left out are changes, and
/// version 3 names a tree; the lowest version that can say everything is written.
const VERSION: u32 = 3;

/// What was gathered, without the contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialManifest {
    /// Version of the document.
    version: u32,
    /// As they were named: `git:main..HEAD`, `src/`.
    pub sources: Vec<String>,
    /// In the order of the sources; within a folder by path, within a diff in its order.
    pub files: Vec<MaterialFile>,
    /// What was named or found, and is not a part of the material.
    pub left_out: Vec<LeftOut>,
    /// The files around a change, which seats can look up and no prompt shows by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<PinnedTree>,
}

/// The other files of a repository, as they were pinned: their list is a content of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedTree {
    /// SHA-256 of the list, a JSON list of [`MaterialFile`].
    pub digest: String,
    /// Number of files.
    pub files: u32,
    /// Their length in all.
    pub bytes: u64,
}

/// One entry: a file, one file's diff, or a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialFile {
    /// Relative, with `/`; of a diff the new path, or the old one if the file was deleted.
    pub path: String,
    /// What it is.
    pub kind: MaterialKind,
    /// SHA-256 of the content, in hexadecimal.
    pub digest: String,
    /// Length of the content.
    pub bytes: u64,
    /// Number of lines.
    pub lines: u32,
    /// Seats that it is shown to; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<String>,
    /// Whether it is one of the tree. A document never says so: its files are not.
    #[serde(skip)]
    pub is_of_tree: bool,
}

/// Something that is not a part of the material.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// As an entry would have it.
    pub path: String,
    /// Why, in a few words.
    pub reason: String,
    /// Whether it is a change of a diff, so that a review of that diff is none of this file.
    #[serde(default, rename = "changed", skip_serializing_if = "std::ops::Not::not")]
    pub is_changed: bool,
}

/// Why a document is not a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ManifestError {
    /// It has another form: what the parser says.
    #[error("the list of the material cannot be read: {0}")]
    Form(String),
    /// A newer program wrote it: its version.
    #[error("the list of the material has version {0}, and this program reads version {VERSION}; update agon")]
    Newer(u32),
}

impl MaterialManifest {
    /// A manifest of these parts.
    pub fn new(sources: Vec<String>, files: Vec<MaterialFile>, left_out: Vec<LeftOut>) -> Self {
        let version = if left_out.iter().any(|item| item.is_changed) { 2 } else { 1 };
        Self { version, sources, files, left_out, tree: None }
    }

    /// The same with a tree.
    pub fn with_tree(self, tree: PinnedTree) -> Self {
        Self { version: VERSION, tree: Some(tree), ..self }
    }

    /// Reads a document.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let form = |error: serde_json::Error| ManifestError::Form(error.to_string());
        // A newer version can have other fields, so the version comes first.
        let Version { version } = serde_json::from_str(text).map_err(form)?;
        match version {
            1..=VERSION => serde_json::from_str(text).map_err(form),
            0 => Err(ManifestError::Form("version 0 does not exist".into())),
            found => Err(ManifestError::Newer(found)),
        }
    }

    /// The document.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists always are JSON.
        serde_json::to_string(self).unwrap_or_else(|error| unreachable!("a manifest is JSON: {error}"))
    }

    /// The entries that `seat` sees, each with its index. A name without number means all seats of that row.
    pub fn files_of(&self, seat: &str) -> impl Iterator<Item = (usize, &MaterialFile)> {
        let files = self.files.iter().enumerate();
        files.filter(move |(_, file)| file.seats.is_empty() || file.seats.iter().any(|name| is_of(seat, name)))
    }

    /// The entries with this path.
    pub fn entries_at(&self, path: &str) -> impl Iterator<Item = &MaterialFile> {
        self.files.iter().filter(move |file| file.path == path)
    }

    /// The only path that those who read it in a prompt can have repeated as `path`: some characters of names are shown
    /// as others, or not at all.
    pub(crate) fn shown_as(&self, path: &str, shown: ShownChar) -> Option<&str> {
        let wanted = repeated_path(path, shown);
        let mut same = self.files.iter().filter(|file| repeated_path(&file.path, shown) == wanted);
        let found = same.next()?.path.as_str();
        same.all(|file| file.path == found).then_some(found)
    }
}

/// Whether `seat` is `name`, or `name-1`, `name-2` and so on.
fn is_of(seat: &str, name: &str) -> bool {
    let number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    seat.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(number))
}

/// SHA-256 of `content`, in hexadecimal.
pub fn digest_of(content: &str) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = r#"{"version":1,"sources":["src/"],"files":[{"path":"src/a.rs","kind":"diff","digest":"00","bytes":1,"lines":1,"seats":["reviewer"]},{"path":"b","kind":"page","digest":"01","bytes":2,"lines":1}],"left_out":[{"path":"x.png","reason":"binary"}]}"#;

    #[test]
    fn a_manifest_is_written_as_it_was_read() {
        let manifest = MaterialManifest::parse(JSON).unwrap();
        assert_eq!(manifest.to_json(), JSON);
        assert_eq!(manifest.entries_at("b").count(), 1);
    }

    #[test]
    fn changes_that_are_left_out_are_told_in_version_2() {
        let old = MaterialManifest::parse(JSON).unwrap();
        assert!(!old.left_out[0].is_changed);
        let left_out = vec![LeftOut { is_changed: true, ..old.left_out[0].clone() }];
        let new = MaterialManifest::new(old.sources.clone(), old.files.clone(), left_out);
        let json = new.to_json();
        assert!(json.starts_with(r#"{"version":2,"#) && json.contains(r#""reason":"binary","changed":true}"#));
        assert_eq!(MaterialManifest::parse(&json), Ok(new));
        let same = MaterialManifest::new(old.sources.clone(), old.files.clone(), old.left_out.clone());
        assert_eq!(same.to_json(), JSON, "older programs read what has no such change");
    }

    #[test]
    fn what_is_not_a_manifest_is_refused() {
        let form = |text: &str| matches!(MaterialManifest::parse(text), Err(ManifestError::Form(_)));
        assert!(form("") && form("{}") && form(&JSON.replace("\"version\":1", "\"version\":0")));
        assert!(form(&JSON.replace("\"bytes\":1", "\"bytes\":-1")));
        assert!(form(&JSON.replace("\"digest\":\"00\"", "\"digest\":\"00\",\"extra\":1")));
        assert!(form(&JSON.replace("\"kind\":\"page\"", "\"kind\":\"image\"")));
        let newer = MaterialManifest::parse(r#"{"version":4,"other":1}"#);
        assert_eq!(newer, Err(ManifestError::Newer(4)));
    }

    #[test]
    fn entries_of_a_seat_are_those_of_its_row_and_of_all() {
        let manifest = MaterialManifest::parse(JSON).unwrap();
        for (seat, wanted) in [("reviewer", 2), ("reviewer-2", 2), ("reviewer-x", 1), ("reviewers", 1), ("critic", 1)] {
            assert_eq!(manifest.files_of(seat).count(), wanted, "{seat}");
        }
    }

    #[test]
    fn a_digest_is_sha_256() {
        assert_eq!(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
