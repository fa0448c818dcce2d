//! Runs of `agon eval` in a folder: their observations, read as they are appended.
//!
//! A run is a folder with `run.json`, `items.jsonl` and `observations.jsonl`. Nothing is written here, and what cannot
//! be read is told, not guessed.

mod index;
mod stream;

use std::{
    collections::BTreeMap,
    fs, io,
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use serde::Deserialize;

pub use self::{
    index::{CellMark, EvaluationCell, EvaluationIndex, EvaluationRow},
    stream::follow,
};

const MANIFEST: &str = "run.json";
const OBSERVATIONS: &str = "observations.jsonl";
/// The items of a run, in the order of its file.
const ITEMS: &str = "items.jsonl";
/// The report of a run on one page.
pub const REPORT: &str = "report.html";
/// Longest `run.json`.
const MANIFEST_BYTES_MAX: u64 = 4 << 20;
/// Longest report that is served.
const REPORT_BYTES_MAX: u64 = 64 << 20;
/// Runs that are listed.
pub const LISTED_MAX: usize = 200;
/// Runs whose observations are kept.
const KEPT_MAX: usize = 8;
/// Longest name of a run.
const NAME_BYTES_MAX: usize = 200;

/// Why a run cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    /// There is none of this name.
    #[error("no evaluation {0:?}")]
    Unknown(String),
    /// A file of it cannot be read.
    #[error("{file}: {why}")]
    Unreadable {
        /// Its name in the folder.
        file: &'static str,
        /// Why.
        why: String,
    },
}

/// What `run.json` says that a page shows; further keys are for others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct EvaluationHead {
    /// The items; `None` where all observations were imported.
    #[serde(default)]
    pub items: Option<EvaluationItems>,
    /// The arms, in the order of the report.
    #[serde(default)]
    pub arms: Vec<EvaluationArm>,
    /// How often each arm answers each item.
    #[serde(default)]
    pub repeat: u32,
}

/// Which items a run answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct EvaluationItems {
    /// Name of the file.
    #[serde(default)]
    pub file: String,
    /// How many of them are answered.
    #[serde(default)]
    pub selected: u64,
}

/// An arm of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct EvaluationArm {
    /// Its name.
    pub name: String,
}

/// A run in a list.
#[derive(Debug, Clone)]
pub struct ListedEvaluation {
    /// Name of its folder.
    pub name: String,
    /// What it evaluates; `None` where that cannot be read.
    pub head: Option<EvaluationHead>,
    /// When an observation came last.
    pub changed: SystemTime,
}

/// The runs in one folder.
#[derive(Debug)]
pub struct EvaluationRuns {
    folder: PathBuf,
    /// By name, the one that was asked for last at the end.
    kept: Mutex<Vec<(String, Arc<Mutex<EvaluationIndex>>)>>,
}

impl EvaluationRuns {
    /// Those in `folder`, which need not exist.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, kept: Mutex::default() }
    }

    /// Every run, the one that changed last first.
    ///
    /// # Errors
    ///
    /// Where the folder cannot be read.
    pub fn list(&self) -> io::Result<Vec<ListedEvaluation>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut runs = Vec::new();
        for entry in entries {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            let Some(path) = self.path(&name) else { continue };
            let changed = |file: &str| fs::metadata(path.join(file)).and_then(|file| file.modified());
            let changed = changed(OBSERVATIONS).or_else(|_| changed(MANIFEST));
            let changed = changed.unwrap_or(SystemTime::UNIX_EPOCH);
            runs.push(ListedEvaluation { name, head: head(&path).ok(), changed });
        }
        runs.sort_by(|one, other| other.changed.cmp(&one.changed).then_with(|| one.name.cmp(&other.name)));
        runs.truncate(LISTED_MAX);
        Ok(runs)
    }

    /// The folder of the run `name`; `None` where there is none. A name never leads out of the folder.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let is_name = !name.is_empty()
            && name.len() <= NAME_BYTES_MAX
            && !name.starts_with('.')
            && !name.contains(['/', '\\', '\0', ':']);
        let path = self.folder.join(name);
        (is_name && path.join(MANIFEST).is_file()).then_some(path)
    }

    /// What the run `name` evaluates.
    ///
    /// # Errors
    ///
    /// Where the run does not exist, or its `run.json` cannot be read.
    pub fn head(&self, name: &str) -> Result<EvaluationHead, EvaluationError> {
        head(&self.path(name).ok_or_else(|| EvaluationError::Unknown(short(name)))?)
    }

    /// Looks at the observations of the run `name`, with those that came since the last look.
    ///
    /// # Errors
    ///
    /// Where the run does not exist, or its observations cannot be read.
    pub fn look<T>(
        &self,
        name: &str,
        look: impl FnOnce(&EvaluationIndex) -> T,
    ) -> Result<T, EvaluationError> {
        let path = self.path(name).ok_or_else(|| EvaluationError::Unknown(short(name)))?;
        let index = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let known = kept.iter().position(|(known, _)| known == name).map(|at| kept.remove(at));
            let known = known.unwrap_or_else(|| (name.to_owned(), Arc::default()));
            let index = Arc::clone(&known.1);
            kept.push(known);
            if kept.len() > KEPT_MAX {
                kept.remove(0);
            }
            index
        };
        let mut index = index.lock().unwrap_or_else(PoisonError::into_inner);
        index.refresh(&path.join(OBSERVATIONS))?;
        Ok(look(&index))
    }

    /// Bytes of the observations of the run `name`; `None` where it does not exist.
    pub fn length(&self, name: &str) -> Option<u64> {
        let path = self.path(name)?.join(OBSERVATIONS);
        Some(fs::metadata(path).map_or(0, |file| file.len()))
    }

    /// The questions of `wanted` items of the run `name`, if its folder has them.
    pub fn questions(&self, name: &str, wanted: &[&str]) -> BTreeMap<String, String> {
        let Some(file) = self.path(name).and_then(|path| fs::File::open(path.join(ITEMS)).ok()) else {
            return BTreeMap::new();
        };
        let items = agon_eval::item::ItemReader::new(io::BufReader::new(file));
        let known = items.filter_map(Result::ok).filter(|item| wanted.contains(&item.id.as_str()));
        known.take(wanted.len()).map(|item| (item.id, item.question)).collect()
    }

    /// The report of the run `name`, where it has one.
    pub fn report(&self, name: &str) -> Option<String> {
        read(&self.path(name)?.join(REPORT), REPORT_BYTES_MAX).ok()
    }
}

fn head(path: &Path) -> Result<EvaluationHead, EvaluationError> {
    let fault = |why: String| EvaluationError::Unreadable { file: MANIFEST, why };
    let text = read(&path.join(MANIFEST), MANIFEST_BYTES_MAX).map_err(|error| fault(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| fault(error.to_string()))
}

fn read(path: &Path, bytes_max: u64) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(bytes_max + 1).read_to_string(&mut text)?;
    if text.len() as u64 > bytes_max {
        return Err(io::Error::other(format!("larger than {} MB", bytes_max >> 20)));
    }
    Ok(text)
}

fn short(name: &str) -> String {
    name.chars().take(80).collect()
}
