//! `agon stats`: figures over all debates of the journal.

use agon_app::{Failure, Result, display};
use agon_journal::{Amounts, Stats, time::parse_moment};

use super::CommandContext;
use crate::ui;

pub fn run(command_context: &CommandContext, since: Option<&str>) -> Result<u8> {
    let wrong = |text: &str| {
        let why = format!("--since {text:?} is not a time");
        Failure::usage(why, "write for example 2026-01-31, 2026-01-31T12:00:00Z or 30d")
    };
    let since = since.map(|text| parse_moment(text).ok_or_else(|| wrong(text))).transpose()?;
    let stats = command_context.open_journal()?.compute_stats(since.as_ref().map(|stamp| stamp.0.as_str()))?;
    command_context.print_success(&stats, || ui::escape_invisible(&render_stats(&stats)))
}

fn render_stats(stats: &Stats) -> String {
    let since = stats.since.as_ref().map_or(String::new(), |since| format!(" since {since}"));
    if stats.debates == 0 {
        return format!("No debates{since}.");
    }
    let (debates, open, time) = (stats.debates, stats.open, format_duration(stats.driven_ms));
    let mut lines = vec![format!("{debates} debates{since}, {open} of them open; {time} of running time")];
    lines.extend(format_amounts(&stats.amounts, ""));
    for of in &stats.protocols {
        lines.push(String::new());
        let outcomes = of.outcomes.iter().map(|(name, count)| format!("{count} {name}"));
        let open = (of.open > 0).then(|| format!("{} open", of.open));
        let outcomes = outcomes.chain(open).collect::<Vec<_>>().join(", ");
        let time = format_duration(of.driven_ms);
        lines.push(format!("{}: {} debates ({outcomes}); {time} of running time", of.protocol, of.debates));
        if stats.protocols.len() > 1 {
            lines.extend(format_amounts(&of.amounts, "  "));
        }
    }
    lines.join("\n")
}

/// Calls, tokens, cost and failures, a line each.
fn format_amounts(of: &Amounts, indent: &str) -> Vec<String> {
    let Amounts { calls, answered, failed, unfinished, calls_of_unknown_cost, .. } = of;
    let [reported, cached, estimated] =
        [of.tokens_reported, of.tokens_cached, of.tokens_estimated].map(display::format_count);
    let [cost, cost_estimated] = [of.cost_microusd_reported, of.cost_microusd_estimated].map(display::format_money);
    let mut lines = vec![
        format!("{indent}calls: {calls}; {answered} answered, {failed} failed, {unfinished} unfinished"),
        format!("{indent}tokens: {reported} reported ({cached} of them cached), {estimated} estimated"),
        format!("{indent}cost: {cost} reported, {cost_estimated} estimated, unknown for {calls_of_unknown_cost} calls"),
    ];
    if !of.failures.is_empty() {
        let kinds: Vec<String> = of.failures.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        lines.push(format!("{indent}failures: {}", kinds.join(", ")));
    }
    lines
}

pub(super) fn format_duration(ms: u64) -> String {
    match ms / 1000 {
        seconds @ 0..90 => format!("{seconds} s"),
        seconds @ 90..5400 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}
