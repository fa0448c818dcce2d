//! A track: a folder that a protocol shares with other programs. Settings above it say how its debates are held, and it may
//! hold drafts and a log already.

use std::path::{Path, PathBuf};

use agon_core::{TrackFiles, TrackText};
use agon_protocols::ALL;

use super::input_text;
use crate::failure::{Failure, Result};

/// A track as it was found.
#[derive(Debug)]
pub struct Track {
    /// Where it is.
    pub folder: PathBuf,
    /// What was read of it.
    pub text: TrackText,
}

/// The track in `folder`, with the nearest settings above it.
///
/// # Errors
///
/// Where there is no such folder, and where settings cannot be read.
pub fn read_track(folder: &Path, files: TrackFiles) -> Result<Track> {
    let given = folder.display().to_string();
    let folder = folder.canonicalize().ok().filter(|folder| folder.is_dir()).ok_or_else(|| {
        Failure::usage(format!("--track {given}: no such folder"), format!("name a folder such as {}", files.example))
    })?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = folder.ancestors().map(|above| above.join(files.settings)).find(|path| path.is_file());
    let read = |path: PathBuf| Ok::<_, Failure>((path.display().to_string(), input_text::read_document(&path)?));
    let settings = file.map(read).transpose()?;
    Ok(Track { folder, text: TrackText { given, name, settings } })
}

impl Track {
    /// Text of one of its files; `None` where there is none.
    pub fn read_file(&self, name: &str) -> Result<Option<String>> {
        let path = self.folder.join(name);
        if path.exists() { input_text::read_document(&path).map(Some) } else { Ok(None) }
    }
}

fn list_track_files() -> impl Iterator<Item = TrackFiles> {
    ALL.iter().filter_map(|protocol| protocol.draft_rules()).map(|rules| rules.track_files())
}

/// Whether a file of a track is the first draft of an author.
pub fn is_draft(file: &str) -> bool {
    list_track_files().any(|files| files.drafts.contains(&file))
}

/// Whether a file of a track is its log.
pub fn is_log(file: &str) -> bool {
    list_track_files().any(|files| files.log == file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_that_is_no_folder_is_refused() {
        let files = ALL.iter().find_map(|protocol| protocol.draft_rules()).unwrap().track_files();
        assert!(read_track(Path::new("absent"), files).unwrap_err().message.contains("no such folder"));
    }
}
