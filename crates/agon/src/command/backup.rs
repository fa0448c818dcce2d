//! `agon backup` and `agon restore`.

use std::path::{Path, PathBuf};

use agon_app::{
    Result,
    backup::{self as copies, BackupManifest},
};
use agon_text::count_noun;
use serde_json::json;

use super::CommandContext;
use crate::ui;

pub fn write_backup(command_context: &CommandContext, file: &Path, force: bool) -> Result<u8> {
    let journal = command_context.open_journal()?;
    let manifest = copies::write_backup(&journal, &command_context.places.home, file, force)?;
    let bytes = std::fs::metadata(file).map_or(0, |about| about.len());
    let counts = describe_contents(&manifest);
    let written = json!({
        "file": file, "bytes": bytes, "at": manifest.at, "debates": manifest.debates.len(),
        "entries": count_entries(&manifest), "files": manifest.files.len(),
    });
    command_context.print_success(&written, || {
        ui::escape_invisible(&format!("{}: {counts}, {bytes} bytes, checked", file.display()))
    })
}

pub fn restore_backup(command_context: &CommandContext, file: &Path, home: Option<PathBuf>) -> Result<u8> {
    let home = home.as_ref().unwrap_or(&command_context.places.home);
    let manifest = copies::restore_backup(file, home)?;
    let counts = describe_contents(&manifest);
    let restored = json!({
        "home": home, "written_at": manifest.at, "debates": manifest.debates.len(),
        "entries": count_entries(&manifest), "files": manifest.files.len(),
    });
    command_context.print_success(&restored, || {
        let told = format!("{}: {counts} restored, as of {}", home.display(), manifest.at);
        ui::escape_invisible(&format!("{told}\nAGON_HOME={} agon resume ID continues a debate", home.display()))
    })
}

fn count_entries(manifest: &BackupManifest) -> u64 {
    manifest.debates.iter().map(|debate| debate.entries).sum()
}

fn describe_contents(manifest: &BackupManifest) -> String {
    let debates = count_noun(manifest.debates.len(), "debate", "debates");
    let entries = count_noun(count_entries(manifest), "entry", "entries");
    format!("{debates} with {entries}, {}", count_noun(manifest.files.len(), "file", "files"))
}
