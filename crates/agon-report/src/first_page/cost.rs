//! What a debate used, in one line.

use agon_core::{Basis, Record, Usage};
use agon_text::{count_noun, group_digits};
use jiff::Timestamp;

/// Calls, tokens, time from the first entry to the last, and price; nothing where no call was made.
pub(super) fn cost_line(record: &Record) -> Option<String> {
    let mut total = Usage::default();
    record.answers().for_each(|(_, answered)| total += answered.usage);
    if total.requests == 0 {
        return None;
    }
    let estimated = if total.estimated { ", some of it estimated" } else { "" };
    let [read, written] = [total.prompt_tokens, total.completion_tokens].map(|count| group_digits(count, ","));
    let (calls, price) = (count_noun(total.requests, "call", "calls"), describe_price(&total));
    let took = describe_duration(record).map(|minutes| format!(", {minutes}")).unwrap_or_default();
    Some(format!("{calls}, {read} tokens read and {written} written{estimated}{took}; {price}"))
}

fn describe_price(total: &Usage) -> String {
    let price = format_dollars(total.cost_microusd);
    match (total.cost_basis, total.cost_microusd) {
        (Basis::Unknown, 0) => "price unknown: no price list has these models".to_owned(),
        (Basis::Unknown, _) => format!("at least {price}: no price list has some of these models"),
        (Basis::Reported, 0) => "no cost was recorded".to_owned(),
        (Basis::Estimated, _) => format!("{price}, some of it estimated"),
        (Basis::Reported, _) => price,
    }
}

/// How long it took, where it took a minute at least.
fn describe_duration(record: &Record) -> Option<String> {
    let [first, .., last] = record.entries() else { return None };
    let (first, last) = (first.at.0.parse::<Timestamp>().ok()?, last.at.0.parse::<Timestamp>().ok()?);
    match (last.as_second() - first.as_second()).max(0).cast_unsigned() / 60 {
        0 => None,
        minutes => Some(count_noun(minutes, "minute", "minutes")),
    }
}

/// Millionths of a dollar as dollars.
pub(crate) fn format_dollars(cost_microusd: u64) -> String {
    let dollars = cost_microusd as f64 / 1e6;
    if dollars < 0.01 { format!("${dollars:.5}") } else { format!("${dollars:.3}") }
}
