//! `agon backup` and `agon restore`.

use agon_app::{
    Result,
    backup::{self as copies, BackupManifest},
    exit,
};
use agon_text::count_noun;
use serde_json::json;

use super::CommandContext;
use crate::{
    cli::{BackupArgs, RestoreArgs},
    ui,
};

pub fn write_backup(command_context: &CommandContext, args: &BackupArgs) -> Result<u8> {
    let journal = command_context.open_journal()?;
    let manifest = copies::write_backup(&journal, &command_context.places.home, &args.file, args.force)?;
    let bytes = std::fs::metadata(&args.file).map_or(0, |about| about.len());
    let counts = describe_contents(&manifest);
    let written = json!({
        "file": args.file, "bytes": bytes, "at": manifest.at, "debates": manifest.debates.len(),
        "entries": count_entries(&manifest), "files": manifest.files.len(),
    });
    command_context.print(&written, || {
        ui::escape_invisible(&format!("{}: {counts}, {bytes} bytes, checked", args.file.display()))
    });
    Ok(exit::OK)
}

pub fn restore_backup(command_context: &CommandContext, args: &RestoreArgs) -> Result<u8> {
    let home = args.home.as_ref().unwrap_or(&command_context.places.home);
    let manifest = copies::restore_backup(&args.file, home)?;
    let counts = describe_contents(&manifest);
    let restored = json!({
        "home": home, "written_at": manifest.at, "debates": manifest.debates.len(),
        "entries": count_entries(&manifest), "files": manifest.files.len(),
    });
    command_context.print(&restored, || {
        let told = format!("{}: {counts} restored, as of {}", home.display(), manifest.at);
        ui::escape_invisible(&format!("{told}\nAGON_HOME={} agon resume ID continues a debate", home.display()))
    });
    Ok(exit::OK)
}

fn count_entries(manifest: &BackupManifest) -> u64 {
    manifest.debates.iter().map(|debate| debate.entries).sum()
}

fn describe_contents(manifest: &BackupManifest) -> String {
    let debates = count_noun(manifest.debates.len(), "debate", "debates");
    let entries = count_noun(count_entries(manifest), "entry", "entries");
    format!("{debates} with {entries}, {}", count_noun(manifest.files.len(), "file", "files"))
}
