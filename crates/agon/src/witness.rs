//! The seat `witness` of a debate about a document: looks at the document and at the debate's
//! artifact before each turn, and tells what became of them.

use std::{fs::File, io::Read, path::PathBuf, sync::Arc};

use agon_core::{Digest, Opened};
use agon_runtime::participant::{Answer, Call, Deltas, Failure, Participant, Probe};
use serde_json::json;

use crate::{
    opening::{SOURCE, SOURCE_PATH},
    shelf::Shelf,
};

/// Name of the seat.
pub const WITNESS: &str = "witness";
/// How much of a document is looked at: more than can be taken is another document.
const BYTES_MAX: u64 = 2 * 1024 * 1024;

/// Looks at files.
pub struct Witness {
    source: PathBuf,
    digest: Option<Digest>,
    shelf: Arc<Shelf>,
}

impl Witness {
    /// For a debate whose files are on `shelf`.
    pub fn new(opened: &Opened, shelf: Arc<Shelf>) -> Self {
        let source = opened.options.get(SOURCE_PATH).and_then(|path| path.as_str()).unwrap_or_default();
        Self { source: source.into(), digest: opened.documents.get(SOURCE).cloned(), shelf }
    }

    /// What became of the document.
    fn source(&self) -> &'static str {
        let mut bytes = Vec::new();
        let read = File::open(&self.source).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
        // As when it was taken: a mark at its beginning is no part of it.
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        match read {
            Err(_) => "unreadable",
            Ok(_) if Some(Digest::of(text)) == self.digest => "unchanged",
            Ok(_) => "changed",
        }
    }
}

#[async_trait::async_trait]
impl Participant for Witness {
    async fn answer(&self, _: &Call, _: &dyn Deltas) -> Result<Answer, Failure> {
        let seen = json!({"source": self.source(), "artifact": self.shelf.artifact().name()});
        Ok(Answer { text: seen.to_string(), usage: None, model: None })
    }

    async fn probe(&self) -> Result<Probe, Failure> {
        Ok(Probe::Ready)
    }
}

#[cfg(test)]
mod tests {
    use agon_core::sample;

    use super::*;

    #[test]
    fn it_tells_what_became_of_the_document() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        let mut opened = sample::opened("duel", &["a"]);
        opened.options.insert(SOURCE_PATH.into(), path.display().to_string().into());
        opened.documents.insert(SOURCE.into(), Digest::of("# A\n"));
        let shelf = Arc::new(Shelf::new(folder.path().join("files"), &opened, Default::default()));
        let witness = Witness::new(&opened, shelf);
        assert_eq!(witness.source(), "unreadable");
        for (text, wanted) in [("# A\n", "unchanged"), ("\u{feff}# A\n", "unchanged"), ("# A", "changed")] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(witness.source(), wanted);
        }
    }
}
