//! `agon export`: writes a debate's files to any folder.

use std::path::Path;

use agon_app::{Failure, Result, declarations, display::suggest_name, exit, output_folder};
use agon_core::Record;
use agon_dropin::stored as verbs;
use agon_report::record_jsonl;
use agon_runtime::files::{self, Lasting};
use serde_json::json;

use super::artifact;
use super::{CommandContext, check, debate_id, deletion, gate::Pipeline, stored};
use crate::{
    cli::{ExportArgs, GateArgs, Output},
    ui,
};

pub fn run(command_context: &CommandContext, args: &ExportArgs) -> Result<u8> {
    if !check::is_debate(command_context, &args.id)?
        && let Some(found) = verbs::find_stored(&command_context.places.home, &args.id)?
    {
        let exported = stored::export_stored(command_context, &found, &args.format)?;
        return write_exported(command_context, args, exported, &args.id, None);
    }
    let journal = command_context.open_journal()?;
    let id = debate_id::find_debate(&journal, &args.id)?;
    if let Some(left) = deletion::export_deleted(&journal, &id, &args.format)? {
        return write_exported(command_context, args, left, &args.id, None);
    }
    let record = journal.read_record(&id)?;
    if args.summary.summary.is_some() {
        let gate = GateArgs { fail_on: None, summary: args.summary.clone() };
        let pipeline = Pipeline::new(&gate, declarations::find_record_protocol(&record)?)?;
        return pipeline.report_ending(command_context, &journal, &id, Ok(exit::OK));
    }
    let extraction = output_folder::find_extraction(&journal, &record)?;
    let extraction = extraction.as_ref();
    let files = match args.format.as_str() {
        "all" => agon_report::render_debate_files(&record, extraction),
        "record" => Vec::new(),
        name => {
            let format = agon_report::find_format(name).ok_or_else(|| unknown_format(name))?;
            let folder = journal.find_summary(&id)?.and_then(|summary| summary.directory);
            let folder = folder.map(|folder| artifact::resolve_path(&folder).display().to_string());
            format.render_in(&record, extraction, folder.as_deref().unwrap_or_default())
        }
    };
    let mut exported: Vec<_> = files.into_iter().map(|file| (file.path, file.content)).collect();
    if let Some(why) = agon_report::other_rules(&record) {
        // A format that has nothing for it would have, were its rules those of this version.
        if exported.is_empty() && args.format != "record" {
            declarations::find_rules(&record)?;
        }
        if args.format == "all" && !command_context.quiet {
            ui::print_error_line(&ui::paint_text(&ui::escape_invisible(&why), ui::DIM));
        }
    }
    if matches!(args.format.as_str(), "all" | "record") {
        // With every text it is pinned to.
        let texts = journal.read_texts(record.list_text_digests())?;
        exported.push(("record.jsonl".into(), record_jsonl::write_record(&record, &texts)));
    }
    write_exported(command_context, args, exported, &record.opened().protocol, Some(&record))
}

/// Writes files where they are wanted; those of `record` over its own.
fn write_exported(
    command_context: &CommandContext,
    args: &ExportArgs,
    exported: Vec<(String, String)>,
    of: &str,
    record: Option<&Record>,
) -> Result<u8> {
    if exported.is_empty() {
        let why = format!("{of} has no files of format {}", args.format);
        return Err(Failure::usage(why, "omit --format for all of them"));
    }
    match &args.out {
        Some(directory) => {
            if !args.force {
                check_overwrite(directory, &exported, record)?;
            }
            let paths = exported.iter().map(|(path, _)| directory.join(path).display().to_string());
            let paths: Vec<String> = paths.collect();
            files::write_files(directory, exported, Lasting::Synced)?;
            command_context
                .print(&paths, || paths.iter().map(|path| ui::escape_invisible(path)).collect::<Vec<_>>().join("\n"));
        }
        None if command_context.output == Output::Json => {
            let files = exported.iter().map(|(path, content)| json!({"path": path, "content": content}));
            ui::print_line(&ui::render_safe_json(&files.collect::<Vec<_>>()));
        }
        None => match exported.as_slice() {
            [(_, content)] if ui::is_terminal() => ui::out_part(&ui::escape_invisible(content)),
            [(_, content)] => ui::out_part(content),
            many => {
                let names: Vec<&str> = many.iter().map(|(path, _)| path.as_str()).collect();
                let why = format!("standard output takes one file, not {} ({})", many.len(), names.join(", "));
                return Err(Failure::usage(why, "choose a folder with --out DIR, or one --format"));
            }
        },
    }
    Ok(exit::OK)
}

/// Refuses to write over what is not this debate's. Its own files may be drawn again: those of a folder
/// that holds its record.
fn check_overwrite(directory: &Path, exported: &[(String, String)], record: Option<&Record>) -> Result<()> {
    let drawn = std::fs::read(directory.join("record.jsonl")).ok().and_then(|of| record_jsonl::read_record(of).ok());
    let is_its_own = |(of, _): (Record, _)| record.is_some_and(|record| of.opened().debate == record.opened().debate);
    if drawn.is_some_and(is_its_own) {
        return Ok(());
    }
    let is_other = |path: &Path, content: &str| !std::fs::read(path).is_ok_and(|there| there == content.as_bytes());
    let mut places = exported.iter().map(|(path, content)| (directory.join(path), content));
    let other = places.find(|(path, content)| path.exists() && is_other(path, content));
    let Some((path, _)) = other else { return Ok(()) };
    let of = if record.is_some() { "record" } else { "duel or run" };
    let why = format!("{} already exists, and was not written by this {of}", path.display());
    Err(Failure::exists(why, "choose another folder, or overwrite it with --force"))
}

fn unknown_format(name: &str) -> Failure {
    let mut names: Vec<&str> = agon_report::ALL.iter().map(|format| format.name).collect();
    names.extend(["all", "record"]);
    let hint = suggest_name(name, &names);
    Failure::usage(format!("unknown format {name:?}"), format!("{hint}available: {}", names.join(", ")))
}
