//! `agon import`: takes a record that was exported elsewhere, or a debate out of the files that
//! another program made.

mod debate;
mod files;

use agon_text::count_noun;
use std::path::Path;

use agon_app::{Failure, Result, declarations::find_rules, display::suggest_name, exit};
use agon_report::{
    import::{self, ImportReader},
    record_jsonl,
};
use serde_json::json;

use super::CommandContext;
use crate::{
    cli::ImportArgs,
    input::{self, RECORD_MEGABYTES_MAX},
    ui,
};

/// A record of agon's own.
const RECORD: &str = "record";

/// What is wrong with a folder that one of its files stands for, by what an import would warn of.
pub fn state_of(folder: &Path) -> Result<Vec<String>> {
    let stands = |reader: &ImportReader| reader.layout.stands_for.is_some_and(|name| folder.join(name).is_file());
    let Some((_, reader)) = import::list_import_formats().find(|(_, reader)| stands(reader)) else {
        return Ok(Vec::new());
    };
    let found = files::read_contents(folder, &reader.layout)?;
    Ok(match (reader.read)(&found.files) {
        Ok(import) => import.warnings,
        Err(error) => vec![error.to_string()],
    })
}

pub async fn run(command_context: &CommandContext, args: ImportArgs) -> Result<u8> {
    if args.format != RECORD {
        if let Some((_, reader)) = import::list_import_formats().find(|(name, _)| *name == args.format) {
            return debate::run(command_context, args, reader).await;
        }
        let names: Vec<&str> =
            [RECORD].into_iter().chain(import::list_import_formats().map(|(name, _)| name)).collect();
        let hint = suggest_name(&args.format, &names);
        let why = format!("unknown import format {:?}", args.format);
        let remedy = format!("{hint}available: {}", names.join(", "));
        return Err(Failure::usage(why, remedy));
    }
    // What a record says cannot be said otherwise, and its files are drawn when it continues.
    let given = [
        ("--out", args.out.is_some()),
        ("--id", args.id.is_some()),
        ("--source", args.source.is_some()),
        ("--model", args.seats.model.is_some()),
        ("--seat", !args.seats.seats.is_empty()),
    ];
    if let Some((flag, _)) = given.iter().find(|(_, given)| *given) {
        let why = format!("{flag} does not apply to a record, which is imported unchanged");
        return Err(Failure::usage(why, "omit it; agon export ID --out DIR writes its files"));
    }
    let path = args.path.display();
    let bytes = input::read_bytes(&args.path, RECORD_MEGABYTES_MAX, "name a record.jsonl")?;
    let (record, texts) = record_jsonl::read_record(bytes)
        .map_err(|error| Failure::damaged(format!("{path}: {error}"), "nothing was imported; use an unchanged copy"))?;
    // One that was held by other rules can be shown and exported.
    let other_rules = agon_report::other_rules(&record);
    if other_rules.is_none() {
        find_rules(&record)?;
    }
    let id = record.opened().debate.clone();
    command_context.open_journal()?.import_record(record.entries().to_vec(), texts.into_iter().collect(), None).await?;
    command_context.print(&json!({"debate": id, "entries": record.len()}), || {
        format!("{id}: {} imported", count_noun(record.len(), "entry", "entries"))
    });
    if let Some(why) = other_rules.filter(|_| !command_context.quiet) {
        ui::print_error_line(&ui::paint_text(&ui::escape_invisible(&why), ui::DIM));
    }
    Ok(exit::OK)
}
