//! Gathering from real folders and real repositories.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod changes;
mod folders;
mod repositories;
mod texts;
mod working_copy;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use agon_material::{
    gather::{GatherError, GatherRules, MaterialSource, SourceForSeats, gather_sources},
    gathered_content::{Gathered, GatheredFile},
};

/// A folder for one test.
struct Yard {
    folder: tempfile::TempDir,
}

impl Yard {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// With an empty repository.
    fn repository() -> Self {
        let yard = Self::new();
        yard.git(&["init", "--quiet", "--initial-branch=main"]);
        yard
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(self.path())
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "core.autocrlf=false"])
            .args(["-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits everything, and returns the commit.
    fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all", "--force"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn gather(&self, sources: &[MaterialSource]) -> Result<Gathered, GatherError> {
        let sources: Vec<_> =
            sources.iter().map(|source| SourceForSeats { source: source.clone(), seats: Vec::new() }).collect();
        gather_sources(self.path(), &sources, GatherRules { is_own: &|_| false, with_tree: false })
    }

    fn folder_named(&self, path: &str) -> Gathered {
        self.gather(&[MaterialSource::Path(path.into())]).unwrap()
    }

    fn range(&self, range: &str) -> Gathered {
        self.gather(&[MaterialSource::Git(range.into())]).unwrap()
    }

    fn fault(&self, source: MaterialSource) -> GatherError {
        let error = self.gather(&[source]).unwrap_err();
        assert!(error.remedy().len() > 20 && error.to_string().len() > 10, "{error}");
        error
    }
}

/// Kinds and paths of the contents.
fn entries(gathered: &Gathered) -> Vec<String> {
    let entry = |file: &GatheredFile| {
        let kind = format!("{:?}", file.kind).to_lowercase();
        format!("{kind} {}", file.path)
    };
    gathered.files.iter().map(entry).collect()
}

/// Paths and reasons of what was left out.
fn left_out(gathered: &Gathered) -> Vec<(&str, &str)> {
    gathered.left_out.iter().map(|item| (item.path.as_str(), item.reason.as_str())).collect()
}

/// Paths of changes that were left out.
fn unseen_changes(gathered: &Gathered) -> Vec<&str> {
    gathered.left_out.iter().filter(|item| item.is_changed).map(|item| item.path.as_str()).collect()
}

/// The content of an entry.
fn text<'g>(gathered: &'g Gathered, entry: &str) -> &'g str {
    let at = entries(gathered).iter().position(|name| name == entry).unwrap_or_else(|| panic!("no {entry}"));
    &gathered.files[at].text
}
