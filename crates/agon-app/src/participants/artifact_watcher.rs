//! The seat `witness` of a debate about a document: looks at the document and at the debate's
//! artifact before each turn and before the close, and for the files that a turn cites, and tells what
//! became of them.

use std::{
    fs::File,
    io::{self, Read},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use agon_core::{Digest, Opened};
use agon_runtime::participant::{Answer, Call, CallFailure, Deltas, Participant};
use serde_json::json;

use crate::{
    opening::{SOURCE, SOURCE_PATH},
    output_folder::OutputDir,
};

/// How much of a document is looked at: more than can be taken is another document.
const BYTES_MAX: u64 = 2 * 1024 * 1024;

/// What is looked at of the file at `path`.
fn read_beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Looks at files.
pub struct ArtifactWatcher {
    /// Where the document is; a text that was sent has no place.
    source: Option<PathBuf>,
    digest: Option<Digest>,
    output: Arc<OutputDir>,
}

impl ArtifactWatcher {
    /// For a debate whose files are in `output`.
    pub fn new(opened: &Opened, output: Arc<OutputDir>) -> Self {
        let source = opened.options.get(SOURCE_PATH).and_then(|path| path.as_str()).map(PathBuf::from);
        Self { source, digest: opened.documents.get(SOURCE).cloned(), output }
    }

    /// The state of the document.
    fn source_state(&self) -> &'static str {
        // The record alone holds a text that was sent.
        let Some(source) = &self.source else { return "unchanged" };
        let Ok(bytes) = read_beginning(source) else { return "unreadable" };
        // As when it was taken: a mark at its beginning is not part of it.
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        if Some(Digest::from_content(text)) == self.digest { "unchanged" } else { "changed" }
    }

    /// The result of the search for the file that `cited` names: in the document's folder, and above it
    /// within its project. Nothing else is read, because any participant can cite.
    fn cited_file_state(&self, cited: &str) -> &'static str {
        let (path, line) = parse_reference(cited);
        let path = Path::new(path);
        let steps = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        let folders = self.list_search_folders();
        let Some(top) = folders.last().filter(|_| path.components().all(steps)) else { return "outside" };
        let there = folders.iter().filter_map(|folder| folder.join(path).canonicalize().ok());
        let Some(file) = there.into_iter().find(|file| file.is_file()) else { return "missing" };
        if !file.starts_with(top) {
            return "outside";
        }
        let Some(line) = line else { return "there" };
        let Ok(bytes) = read_beginning(&file) else { return "missing" };
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').count();
        let is_cut = bytes.len() as u64 == BYTES_MAX;
        if (1..=lines).contains(&line) || (is_cut && line > 0) { "there" } else { "shorter" }
    }

    /// The document's folder and those above it, up to the one that is a project's or that agon runs in;
    /// where neither is above it, its folder alone.
    fn list_search_folders(&self) -> Vec<PathBuf> {
        let source = self.source.as_ref().and_then(|source| source.canonicalize().ok());
        let Some(source) = source else { return Vec::new() };
        let here = std::env::current_dir().and_then(|here| here.canonicalize()).ok();
        let above: Vec<&Path> = source.ancestors().skip(1).collect();
        let is_top = |folder: &&Path| folder.join(".git").exists() || here.as_deref() == Some(*folder);
        let top = above.iter().position(is_top).unwrap_or_default();
        above.into_iter().take(top + 1).map(Path::to_owned).collect()
    }
}

/// Path and line of a reference like `src/a.rs:3`, `src/a.rs:3-5` or `src/a.rs#L3`.
fn parse_reference(cited: &str) -> (&str, Option<usize>) {
    let (path, behind) = cited.split_once([':', '#']).unwrap_or((cited, ""));
    let number = behind.trim_start_matches(['L', 'l']);
    let digits = number.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    (path, digits.parse().ok())
}

#[async_trait::async_trait]
impl Participant for ArtifactWatcher {
    async fn answer(&self, call: &Call, _: &dyn Deltas) -> Result<Answer, CallFailure> {
        // What is wanted says what to look at: document and artifact, or files by their names.
        let wanted = call.schema.as_ref().map(|schema| &schema.fields);
        let seen = match wanted.filter(|wanted| !wanted.contains_key("artifact")) {
            Some(files) => files.keys().map(|file| (file.clone(), json!(self.cited_file_state(file)))).collect(),
            None => json!({"source": self.source_state(), "artifact": self.output.artifact_state().name()}),
        };
        Ok(Answer { text: seen.to_string(), usage: None, model: None, engine: None })
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
        let mut opened = sample::sample_opened("duel", &["a"]);
        opened.options.insert(SOURCE_PATH.into(), path.display().to_string().into());
        opened.documents.insert(SOURCE.into(), Digest::from_content("# A\n"));
        let output = Arc::new(OutputDir::new(folder.path().join("files"), &opened, Default::default()));
        let watcher = ArtifactWatcher::new(&opened, output);
        assert_eq!(watcher.source_state(), "unreadable");
        for (text, wanted) in [("# A\n", "unchanged"), ("\u{feff}# A\n", "unchanged"), ("# A", "changed")] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(watcher.source_state(), wanted);
        }
    }

    #[test]
    fn files_that_a_turn_cites_are_looked_for_within_the_project() {
        let outer = tempfile::tempdir().unwrap();
        let project = outer.path().join("project");
        for folder in ["docs", "src", ".git"] {
            std::fs::create_dir_all(project.join(folder)).unwrap();
        }
        for (name, text) in [("docs/plan.md", "# A\n"), ("src/a.rs", "1\n2\n3"), ("../secret.txt", "x\n")] {
            std::fs::write(project.join(name), text).unwrap();
        }
        let mut opened = sample::sample_opened("duel", &["a"]);
        opened.options.insert(SOURCE_PATH.into(), project.join("docs/plan.md").display().to_string().into());
        let output = Arc::new(OutputDir::new(outer.path().join("files"), &opened, Default::default()));
        let watcher = ArtifactWatcher::new(&opened, output);
        for (cited, wanted) in [
            ("src/a.rs:3", "there"),
            ("src/a.rs#L2-L3", "there"),
            ("./src/a.rs", "there"),
            ("plan.md", "there"),
            ("src/a.rs:4", "shorter"),
            ("src/a.rs:0", "shorter"),
            ("src/none.rs:3", "missing"),
            ("src", "missing"),
            ("../secret.txt:1", "outside"),
            ("/etc/passwd:1", "outside"),
        ] {
            assert_eq!(watcher.cited_file_state(cited), wanted, "{cited}");
        }
    }
}
