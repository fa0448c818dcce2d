//! `agon import`: takes a record that was exported elsewhere, or a debate out of the files that
//! another program made.

mod debate;
mod files;

use agon_formats::{import, record_jsonl};
use serde_json::json;

use super::{Hand, suggestion};
use crate::{
    cli::ImportArgs,
    declared::rules,
    failure::{Failure, Result, exit},
};

/// A record of agon's own.
const RECORD: &str = "record";

pub async fn run(hand: &Hand, args: ImportArgs) -> Result<u8> {
    if args.format != RECORD {
        if import::FORMATS.iter().any(|(name, _)| *name == args.format) {
            return debate::run(hand, args).await;
        }
        let names: Vec<&str> = [RECORD].into_iter().chain(import::FORMATS.map(|(name, _)| name)).collect();
        let hint = suggestion(&args.format, &names);
        return Err(Failure::usage(
            format!("no import of {:?}", args.format),
            format!("{hint}there are {}", names.join(", ")),
        ));
    }
    let path = args.path.display();
    let bytes = std::fs::read(&args.path)
        .map_err(|error| Failure::new(exit::IO, "io", format!("{path}: {error}"), "name a record.jsonl"))?;
    let (record, texts) = record_jsonl::read(bytes).map_err(|error| {
        Failure::new(
            exit::DAMAGED,
            "damaged",
            format!("{path}: {error}"),
            "nothing was imported; take an unchanged copy",
        )
    })?;
    rules(&record)?;
    let id = record.opened().debate.clone();
    hand.journal()?.import(record.entries().to_vec(), texts.into_iter().collect(), None).await?;
    hand.print(&json!({"debate": id, "entries": record.len()}), || {
        format!("{id}: {} entries imported", record.len())
    });
    Ok(exit::OK)
}
