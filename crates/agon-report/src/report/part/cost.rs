//! What the debate used, by seat: time from question to answer, tokens, and money.

use agon_core::{Basis, Record, Usage};
use agon_text::group_digits;
use jiff::Timestamp;

use super::{Block, ReportInput, Table};
use crate::first_page::format_dollars;

/// What one seat used.
struct SeatUsage {
    name: String,
    usage: Usage,
    seconds: f64,
}

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let used = collect_seat_usage(scene);
    if used.is_empty() {
        return Vec::new();
    }
    let mut blocks: Vec<Block> = scene.first_page.cost.clone().map(Block::Prose).into_iter().collect();
    blocks.push(Block::Table(build_usage_table(&used)));
    blocks
}

fn build_usage_table(used: &[SeatUsage]) -> Table {
    let rows = used.iter().map(|one| {
        let Usage { requests, prompt_tokens, cached_tokens, completion_tokens, cost_microusd, .. } = one.usage;
        vec![
            one.name.clone(),
            requests.to_string(),
            group_digits(prompt_tokens, ","),
            group_digits(cached_tokens, ","),
            group_digits(completion_tokens, ","),
            match (one.usage.cost_basis, cost_microusd) {
                (Basis::Reported, 0) => String::new(),
                (Basis::Unknown, 0) => "unknown".into(),
                (Basis::Unknown, cost) => format!("at least {}", format_dollars(cost)),
                (_, cost) => format_dollars(cost),
            },
            describe_bases(&one.usage),
            format_duration(one.seconds),
        ]
    });
    let head = ["Seat", "Calls", "Read", "of it cached", "Written", "Cost", "Tokens, cost", "Time"];
    Table::new("By seat", &head, &[1, 2, 3, 4, 5, 7], rows)
}

/// How far the tokens and the cost of a seat are known.
fn describe_bases(usage: &Usage) -> String {
    let cost = match (usage.cost_basis, usage.cost_microusd) {
        (Basis::Reported, 0) => "none",
        (basis, _) => basis.name(),
    };
    format!("{}, {cost}", usage.tokens_basis().name())
}

/// By seat, in the order of the line-up; seats that used nothing are left out.
fn collect_seat_usage(scene: &ReportInput<'_>) -> Vec<SeatUsage> {
    let record = scene.record;
    let used = record.opened().lineup.iter().map(|sat| {
        let (mut usage, mut seconds) = (Usage::default(), 0.0);
        for (seq, answered) in record.answers() {
            let Some((asked, request)) = record.find_request(&answered.key) else { continue };
            if request.seat == sat.seat {
                usage += answered.usage;
                seconds += seconds_between(record, asked, seq);
            }
        }
        SeatUsage { name: scene.name_and_colour(&sat.seat).0, usage, seconds }
    });
    used.filter(|one| one.usage.requests > 0).collect()
}

/// Seconds between two entries; 0 where a stamp cannot be read.
fn seconds_between(record: &Record, from: u64, to: u64) -> f64 {
    let at = |seq: u64| Some(record.entries().get(seq as usize)?.at.0.parse::<Timestamp>().ok()?.as_millisecond());
    at(from).zip(at(to)).map_or(0.0, |(from, to)| ((to - from) as f64 / 1000.0).max(0.0))
}

fn format_duration(seconds: f64) -> String {
    match seconds {
        short if short < 1.0 => format!("{:.0} ms", seconds * 1000.0),
        short if short < 90.0 => format!("{seconds:.1} s"),
        long if long < 5400.0 => format!("{:.0} min {:02.0} s", (long / 60.0).floor(), long % 60.0),
        long => format!("{:.0} h {:02.0} min", (long / 3600.0).floor(), long % 3600.0 / 60.0),
    }
}
