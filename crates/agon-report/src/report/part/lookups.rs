//! What the seats looked up before they answered, and what they cite without having opened it.

use std::collections::BTreeSet;

use agon_core::{Lookup, LookupRequest, Record};
use agon_text::{count_noun, name_first};

use super::{Block, ReportInput, list_in_table};
use crate::{cited_source, graph::shorten_text, participation};

/// Lookups that are listed.
const ROWS_MAX: usize = 100;
/// Characters of what was asked for.
const OBJECT_CHARS_MAX: usize = 200;
/// Addresses that a sentence names.
const NAMED_MAX: usize = 10;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let record = scene.record;
    let made: Vec<(String, &str, &Lookup)> = list_lookups(record).collect();
    if made.is_empty() {
        return Vec::new();
    }
    let seats: BTreeSet<&str> = made.iter().map(|(seat, ..)| seat.as_str()).collect();
    let bytes: u64 = made.iter().map(|(.., lookup)| lookup.bytes).sum();
    let (lookups, seats) = (count_noun(made.len(), "lookup", "lookups"), count_noun(seats.len(), "seat", "seats"));
    let kilobytes = (bytes as f64 / 1000.0).ceil();
    let text = format!("{lookups} by {seats}, {kilobytes:.0} KB in all. What each of them showed lies in the record.");
    let row = |(seat, key, lookup): &(String, &str, &Lookup)| {
        let result = if lookup.failed { "nothing".to_owned() } else { format!("{} bytes", lookup.bytes) };
        let object = shorten_text(&lookup.asked.describe_object(), OBJECT_CHARS_MAX);
        vec![seat.clone(), (*key).to_owned(), lookup.asked.tool().to_owned(), object, result]
    };
    let head = ["Seat", "For", "Tool", "Looked up", "Result"];
    let mut blocks = vec![Block::Prose(text)];
    blocks.extend(list_in_table("What was looked up, in order", &head, &made, ROWS_MAX, row, "lookups"));
    blocks.extend(describe_unopened(scene).map(Block::Prose));
    blocks
}

/// Every lookup of a record, with who made it and for which answer.
fn list_lookups(record: &Record) -> impl Iterator<Item = (String, &str, &Lookup)> {
    record.answers().flat_map(move |(_, answered)| {
        let asked = record.find_request(&answered.key);
        let seat = asked.map(|(_, request)| participation::display_name(record, &request.seat)).unwrap_or_default();
        answered.lookups.iter().map(move |lookup| (seat.clone(), answered.key.as_str(), lookup))
    })
}

/// The cited pages that no seat opened before, in a debate in which pages were opened.
fn describe_unopened(scene: &ReportInput<'_>) -> Option<String> {
    let plain = |address: &str| {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        rest.trim_end_matches('/').to_owned()
    };
    let opened: BTreeSet<String> = list_lookups(scene.record)
        .filter_map(|(.., lookup)| match &lookup.asked {
            LookupRequest::Open { address, .. } if !lookup.failed => Some(plain(address)),
            _ => None,
        })
        .collect();
    if opened.is_empty() {
        return None;
    }
    let cited = cited_source::list_cited_sources(scene.record, &scene.graph);
    let pages = cited.iter().map(|cited| cited.source.as_str()).filter(|source| source.contains("://"));
    let unopened: BTreeSet<&str> = pages.filter(|source| !opened.contains(&plain(source))).collect();
    if unopened.is_empty() {
        return Some("Every page that is cited was opened before.".into());
    }
    let named = name_first(&Vec::from_iter(unopened), NAMED_MAX);
    Some(format!("Cited without having been opened: {named}."))
}
