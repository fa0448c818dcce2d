//! Contents that were gathered, before they are stored.

use std::collections::BTreeMap;

use crate::{
    manifest::{LeftOut, MaterialFile, MaterialManifest, PinnedTree, digest_of},
    passages::MaterialKind,
};

/// One content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatheredFile {
    /// Relative, with `/`.
    pub path: String,
    /// What it is.
    pub kind: MaterialKind,
    /// The whole content.
    pub text: String,
    /// SHA-256 of the content, in hexadecimal.
    pub digest: String,
    /// Seats that see it; empty for all.
    pub seats: Vec<String>,
    /// Whether it stands around a change: seats can look it up, and no prompt shows it by itself.
    pub is_of_tree: bool,
}

impl GatheredFile {
    /// A content that all seats see.
    pub fn new(path: impl Into<String>, kind: MaterialKind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { path: path.into(), kind, digest: digest_of(&text), text, seats: Vec::new(), is_of_tree: false }
    }

    /// The line of a list about it.
    fn describe_content(&self) -> MaterialFile {
        MaterialFile {
            path: self.path.clone(),
            kind: self.kind,
            digest: self.digest.clone(),
            bytes: self.text.len() as u64,
            // The limit of a file's size is far below the largest number.
            lines: u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX),
            seats: self.seats.clone(),
            is_of_tree: self.is_of_tree,
        }
    }
}

/// All contents of several sources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gathered {
    /// In the order of the sources; each path once per kind.
    pub files: Vec<GatheredFile>,
    /// What is not among them, each once.
    pub left_out: Vec<LeftOut>,
    /// As they were named.
    pub sources: Vec<String>,
    /// What the user should know, a sentence without capital and full stop each.
    pub notes: Vec<String>,
}

impl Gathered {
    /// The list of these contents.
    pub fn build_manifest(&self) -> MaterialManifest {
        let files = self.files.iter().filter(|file| !file.is_of_tree).map(GatheredFile::describe_content);
        let manifest = MaterialManifest::new(self.sources.clone(), files.collect(), self.left_out.clone());
        match self.build_tree_list() {
            None => manifest,
            Some(list) => {
                let all = || self.files.iter().filter(|file| file.is_of_tree);
                let bytes = all().map(|file| file.text.len() as u64).sum();
                manifest.with_tree(PinnedTree { digest: digest_of(&list), files: all().count() as u32, bytes })
            }
        }
    }

    /// The list of the files around a change, which is stored like a content; `None` where there are none.
    pub(crate) fn build_tree_list(&self) -> Option<String> {
        let all = self.files.iter().filter(|file| file.is_of_tree).map(GatheredFile::describe_content);
        let all: Vec<MaterialFile> = all.collect();
        (!all.is_empty()).then(|| serde_json::to_string(&all).unwrap_or_default())
    }

    /// Adds what another source gave. A path that is there with another content would make its places
    /// ambiguous, so the first content stays.
    pub(crate) fn add(&mut self, source: String, files: Vec<GatheredFile>, left_out: Vec<LeftOut>) {
        let named = |item: &LeftOut| (item.path.clone(), item.reason.clone());
        let mut places: BTreeMap<(String, String), usize> =
            self.left_out.iter().enumerate().map(|(at, item)| (named(item), at)).collect();
        let mut leave_out = |kept: &mut Vec<LeftOut>, item: LeftOut| match places.get(&named(&item)) {
            Some(at) => kept[*at].is_changed |= item.is_changed,
            None => {
                places.insert(named(&item), kept.len());
                kept.push(item);
            }
        };
        let known: BTreeMap<(String, MaterialKind), usize> =
            self.files.iter().enumerate().map(|(at, file)| ((file.path.clone(), file.kind), at)).collect();
        for file in files {
            match known.get(&(file.path.clone(), file.kind)) {
                None => self.files.push(file),
                Some(at) if self.files[*at].digest == file.digest => {
                    self.files[*at].is_of_tree &= file.is_of_tree;
                    let seats = &mut self.files[*at].seats;
                    if seats.is_empty() || file.seats.is_empty() {
                        seats.clear();
                    } else {
                        seats.extend(file.seats);
                        seats.sort();
                        seats.dedup();
                    }
                }
                Some(_) if file.is_of_tree => {}
                Some(_) => {
                    let reason = "another version is in the material, from a source named earlier".to_owned();
                    // A diff of another version is a change that nobody sees.
                    let is_changed = file.kind == MaterialKind::Diff;
                    leave_out(&mut self.left_out, LeftOut { path: file.path, reason, is_changed });
                }
            }
        }
        for item in left_out {
            leave_out(&mut self.left_out, item);
        }
        self.sources.push(source);
    }
}
