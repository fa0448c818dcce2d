//! Checking a model file against its SHA-256, and remembering that it was checked.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};

use super::{OnProgress, Progress, Stage};
use crate::catalogue::Model;

/// Whether the file was verified before and has not changed since.
pub fn is_known_good(model: &Model, path: &Path) -> bool {
    let noted = fs::read_to_string(note_path(path)).unwrap_or_default();
    verification_note(model, path).is_ok_and(|note| note == noted)
}

/// Remembers that the file has the right hash, so that it need not be read at every start.
pub fn record_verification(model: &Model, path: &Path) -> io::Result<()> {
    fs::write(note_path(path), verification_note(model, path)?)
}

fn note_path(path: &Path) -> PathBuf {
    path.with_extension("gguf.verified")
}

/// Hash, size and time of change.
fn verification_note(model: &Model, path: &Path) -> io::Result<String> {
    let file = fs::metadata(path)?;
    let changed = file.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} {} {}\n", model.sha256, file.len(), changed.as_nanos()))
}

/// What is wrong with the file, if anything.
pub async fn check_model_file(model: &Model, path: &Path, progress: &mut OnProgress<'_>) -> io::Result<Option<String>> {
    let size = fs::metadata(path)?.len();
    if size != model.size {
        return Ok(Some(format!("it has {size} bytes instead of {}", model.size)));
    }
    let path = path.to_path_buf();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let hashing = tokio::task::spawn_blocking(move || {
        compute_sha256(File::open(&path)?, |done| {
            sender.send(done).map_err(|_| io::Error::from(io::ErrorKind::Interrupted))
        })
    });
    while let Some(done) = receiver.recv().await {
        progress(Progress { stage: Stage::Verifying, source: "", done, total: size });
    }
    let found = hashing.await.map_err(io::Error::other)??;
    Ok((found != model.sha256).then(|| format!("its SHA-256 is {found} instead of {}", model.sha256)))
}

/// The SHA-256 of what `file` holds, in lower-case hexadecimal digits. `step` gets the bytes done and may stop it.
pub fn compute_sha256(mut file: impl Read, step: impl Fn(u64) -> io::Result<()>) -> io::Result<String> {
    let mut buffer = vec![0; 1 << 20];
    let mut hasher = Sha256::new();
    let mut done = 0;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
        }
        hasher.update(&buffer[..count]);
        done += count as u64;
        step(done)?;
    }
}
