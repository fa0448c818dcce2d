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
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use agon_app::evaluation::run_folder::RunManifest;

pub use self::{
    index::{CellMark, EvaluationCell, EvaluationIndex, EvaluationRow},
    stream::follow_run,
};

use crate::Refusal;

const MANIFEST: &str = "run.json";
const OBSERVATIONS: &str = "observations.jsonl";
/// The items of a run, in the order of its file.
const ITEMS: &str = "items.jsonl";
/// The report of a run on one page.
pub const REPORT: &str = "report.html";
/// Longest report that is served.
const REPORT_BYTES_MAX: u64 = 64 << 20;
/// Runs that are listed.
pub const LISTED_MAX: usize = 200;
/// Runs whose observations are kept.
const KEPT_MAX: usize = 8;
/// Longest name of a run.
const NAME_BYTES_MAX: usize = 200;

/// A run in a list.
#[derive(Debug, Clone)]
pub struct ListedEvaluation {
    /// Name of its folder.
    pub name: String,
    /// What it evaluates; `None` where that cannot be read.
    pub manifest: Option<RunManifest>,
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
    pub fn list_runs(&self) -> io::Result<Vec<ListedEvaluation>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut runs = Vec::new();
        for entry in entries {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            let Some(path) = self.find_run_folder(&name) else { continue };
            let changed = |file: &str| fs::metadata(path.join(file)).and_then(|file| file.modified());
            let changed = changed(OBSERVATIONS).or_else(|_| changed(MANIFEST));
            let changed = changed.unwrap_or(SystemTime::UNIX_EPOCH);
            runs.push(ListedEvaluation { name, manifest: RunManifest::find(&path).ok().flatten(), changed });
        }
        runs.sort_by(|one, other| other.changed.cmp(&one.changed).then_with(|| one.name.cmp(&other.name)));
        runs.truncate(LISTED_MAX);
        Ok(runs)
    }

    /// The folder of the run `name`; `None` where there is none. A name never leads out of the folder.
    pub fn find_run_folder(&self, name: &str) -> Option<PathBuf> {
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
    pub fn load_manifest(&self, name: &str) -> Result<RunManifest, Refusal> {
        let path = self.find_run_folder(name).ok_or_else(no_such_evaluation)?;
        // The cause names a path of the server; the command says it to those who may read there.
        let manifest = RunManifest::find(&path).map_err(|_| unreadable_file(MANIFEST))?;
        manifest.ok_or_else(no_such_evaluation)
    }

    /// Looks at the observations of the run `name`, with those that came since the last look.
    ///
    /// # Errors
    ///
    /// Where the run does not exist, or its observations cannot be read.
    pub fn with_index<T>(&self, name: &str, look: impl FnOnce(&EvaluationIndex) -> T) -> Result<T, Refusal> {
        let path = self.find_run_folder(name).ok_or_else(no_such_evaluation)?;
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
        index.read_appended(&path.join(OBSERVATIONS)).map_err(|_| unreadable_file(OBSERVATIONS))?;
        Ok(look(&index))
    }

    /// Bytes of the observations of the run `name`; `None` where it does not exist.
    pub fn observations_length(&self, name: &str) -> Option<u64> {
        let path = self.find_run_folder(name)?.join(OBSERVATIONS);
        Some(fs::metadata(path).map_or(0, |file| file.len()))
    }

    /// The questions of `wanted` items of the run `name`, if its folder has them.
    pub fn find_questions(&self, name: &str, wanted: &[String]) -> BTreeMap<String, String> {
        let Some(file) = self.find_run_folder(name).and_then(|path| fs::File::open(path.join(ITEMS)).ok()) else {
            return BTreeMap::new();
        };
        let items = agon_eval::item::ItemReader::new(io::BufReader::new(file));
        let known = items.filter_map(Result::ok).filter(|item| wanted.contains(&item.id));
        known.take(wanted.len()).map(|item| (item.id, item.question)).collect()
    }

    /// The report of the run `name`, where it has one.
    pub fn load_report(&self, name: &str) -> Option<String> {
        let file = fs::File::open(self.find_run_folder(name)?.join(REPORT)).ok()?;
        let mut text = String::new();
        file.take(REPORT_BYTES_MAX + 1).read_to_string(&mut text).ok()?;
        (text.len() as u64 <= REPORT_BYTES_MAX).then_some(text)
    }
}

/// What is said of a run that does not exist.
pub fn no_such_evaluation() -> Refusal {
    Refusal::new(404, "no_such_evaluation", "Unknown evaluation", "The list shows all evaluations.")
}

fn unreadable_file(file: &str) -> Refusal {
    let remedy = "agon eval report says what is wrong with it";
    Refusal::new(500, "damaged", format!("{file} cannot be read"), remedy)
}
