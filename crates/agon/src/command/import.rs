//! `agon import`: takes a record that was exported elsewhere.

use agon_formats::record_jsonl;
use serde_json::json;

use super::{Hand, protocol};
use crate::{
    cli::ImportArgs,
    failure::{Failure, Result, exit},
};

pub async fn run(hand: &Hand, args: ImportArgs) -> Result<u8> {
    if args.format != "record" {
        return Err(Failure::usage(
            format!("no import of {:?}", args.format),
            "agon import record PATH takes a record.jsonl",
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
    protocol(&record.opened().protocol)?;
    let id = record.opened().debate.clone();
    hand.journal()?.import(record.entries().to_vec(), texts.into_iter().collect(), None).await?;
    hand.print(&json!({"debate": id, "entries": record.len()}), || {
        format!("{id}: {} entries imported", record.len())
    });
    Ok(exit::OK)
}
