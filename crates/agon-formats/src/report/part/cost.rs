//! What the debate used, by seat: time from question to answer, tokens, and money.

use agon_core::{Basis, Record, Seat, Usage};
use jiff::Timestamp;

use super::{
    super::{Block, Illustration, ReportInput, Table, chart},
    build_table_head,
};
use crate::first_page::{format_dollars, group_digits};

/// What one seat used.
struct SeatUsage {
    name: String,
    side: Option<usize>,
    usage: Usage,
    seconds: f64,
}

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let used = collect_seat_usage(scene);
    let mut total = Usage::default();
    used.iter().for_each(|one| total += one.usage);
    if total.requests == 0 {
        return Vec::new();
    }
    let row = |one: &SeatUsage, parts: Vec<f64>, value: String| chart::Row {
        label: one.name.clone(),
        side: one.side,
        parts,
        value,
    };
    let time: Vec<chart::Row> =
        used.iter().map(|one| row(one, vec![one.seconds], format_duration(one.seconds))).collect();
    let tokens: Vec<chart::Row> = used
        .iter()
        .map(|one| {
            let Usage { prompt_tokens, cached_tokens, completion_tokens, .. } = one.usage;
            let fresh = prompt_tokens.saturating_sub(cached_tokens);
            let parts = [completion_tokens, fresh, cached_tokens].map(|count| count as f64);
            row(one, parts.into(), group_digits(one.usage.total_tokens()))
        })
        .collect();
    let cost: Vec<chart::Row> = used
        .iter()
        .map(|one| row(one, vec![one.usage.cost_microusd as f64], format_dollars(one.usage.cost_microusd)))
        .collect();
    let list = |rows: &[chart::Row]| {
        rows.iter().map(|row| format!("{} {}", row.label, row.value)).collect::<Vec<_>>().join(", ")
    };
    let figure = |rows: &[chart::Row], what: &str, legend: Option<maud::Markup>| {
        let said = format!("{what}: {}.", list(rows));
        Block::Figure(Illustration {
            drawing: chart::draw_bars(rows, &said),
            caption: what.to_owned(),
            legend,
            wide: false,
            table: None,
            mermaid: None,
        })
    };
    let mut blocks: Vec<Block> = scene.first_page.cost.clone().map(Block::Prose).into_iter().collect();
    blocks.push(figure(
        &tokens,
        "Tokens by seat",
        Some(chart::render_legend(&["written", "read", "read from a cache"])),
    ));
    blocks.push(figure(&time, "Time from question to answer, by seat", None));
    if total.cost_microusd > 0 {
        blocks.push(figure(&cost, "Cost by seat", None));
    }
    blocks.push(Block::Table(build_usage_table(&used)));
    blocks
}

fn build_usage_table(used: &[SeatUsage]) -> Table {
    let rows = used.iter().map(|one| {
        let Usage { requests, prompt_tokens, cached_tokens, completion_tokens, cost_microusd, .. } = one.usage;
        vec![
            one.name.clone(),
            requests.to_string(),
            group_digits(prompt_tokens),
            group_digits(cached_tokens),
            group_digits(completion_tokens),
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
    Table {
        caption: "The same in figures".into(),
        head: build_table_head(&[
            ("Seat", false),
            ("Calls", true),
            ("Read", true),
            ("of it cached", true),
            ("Written", true),
            ("Cost", true),
            ("Tokens, cost", false),
            ("Time", true),
        ]),
        rows: rows.collect(),
    }
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
    let mut used: Vec<(Seat, Usage, f64)> = Vec::new();
    for (seq, answered) in record.answers() {
        let Some((asked, request)) = record.find_request(&answered.key) else { continue };
        let seconds = seconds_between(record, asked, seq);
        match used.iter_mut().find(|(seat, ..)| *seat == request.seat) {
            Some((_, usage, sum)) => {
                *usage += answered.usage;
                *sum += seconds;
            }
            None => used.push((request.seat.clone(), answered.usage, seconds)),
        }
    }
    let lineup = &record.opened().lineup;
    let place = |seat: &Seat| lineup.iter().position(|sat| sat.seat == *seat);
    used.retain(|(seat, usage, _)| usage.requests > 0 && place(seat).is_some());
    used.sort_by_key(|(seat, ..)| place(seat));
    let named = used.into_iter().map(|(seat, usage, seconds)| {
        let (name, side) = scene.name_and_colour(&seat);
        SeatUsage { name, side, usage, seconds }
    });
    named.collect()
}

/// Seconds between two entries; 0 where a stamp cannot be read.
fn seconds_between(record: &Record, from: u64, to: u64) -> f64 {
    let at = |seq: u64| {
        let entry = record.entries().get(seq as usize)?;
        entry.at.0.parse::<Timestamp>().ok()
    };
    match (at(from), at(to)) {
        (Some(from), Some(to)) => ((to.as_millisecond() - from.as_millisecond()) as f64 / 1000.0).max(0.0),
        _ => 0.0,
    }
}

fn format_duration(seconds: f64) -> String {
    match seconds {
        short if short < 1.0 => format!("{:.0} ms", seconds * 1000.0),
        short if short < 90.0 => format!("{seconds:.1} s"),
        long if long < 5400.0 => format!("{:.0} min {:02.0} s", (long / 60.0).floor(), long % 60.0),
        long => format!("{:.0} h {:02.0} min", (long / 3600.0).floor(), long % 3600.0 / 60.0),
    }
}
