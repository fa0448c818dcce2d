//! How far a batch is: a line on standard error while it runs.

use std::time::{Duration, Instant};

use agon_app::display;
use agon_core::Basis;
use agon_runtime::participant::provider::count_waiting_calls;

use super::tally::BatchTally;
use crate::{
    command::stats::format_duration,
    ui::{self, ProgressKind},
};

/// How often the line is drawn again.
pub const DRAW_EVERY: Duration = Duration::from_millis(250);
/// How often a line is written where the last one cannot be taken back.
const WRITE_EVERY: Duration = Duration::from_secs(10);

/// The progress of a batch.
pub struct BatchProgress {
    kind: Option<ProgressKind>,
    /// Lines in all, where that is known.
    pub total: Option<usize>,
    began: Instant,
    written: Option<Instant>,
}

impl BatchProgress {
    /// Shown on a terminal; elsewhere where it is `wanted`; never where it is `quiet`.
    pub fn new(total: Option<usize>, wanted: bool, quiet: bool) -> Self {
        Self { kind: ProgressKind::from_flags(wanted, quiet), total, began: Instant::now(), written: None }
    }

    /// Since it began.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Shows how far it is, if that is due.
    pub fn show(&mut self, tally: &BatchTally, running: usize) {
        let Some(kind) = self.kind else { return };
        let pause = match kind {
            // A beat may come a little early.
            ProgressKind::Line => DRAW_EVERY / 2,
            ProgressKind::Lines => WRITE_EVERY,
        };
        if self.written.is_some_and(|at| at.elapsed() < pause) {
            return;
        }
        self.written = Some(Instant::now());
        ui::show_progress(kind, &format_progress(tally, self.total, running, count_waiting_calls(), self.elapsed()));
    }
}

/// `12/100 done, 1 failed, 4 running, 0.0120 USD (reported) spent, about 0.0880 USD and 3 min left`.
fn format_progress(
    tally: &BatchTally,
    total: Option<usize>,
    running: usize,
    waiting: usize,
    elapsed: Duration,
) -> String {
    let of = total.map_or_else(|| "?".into(), |total| total.to_string());
    let mut parts = vec![format!("{}/{of} done", tally.told)];
    if tally.count_failed() > 0 {
        parts.push(format!("{} failed", tally.count_failed()));
    }
    parts.push(format!("{running} running"));
    if waiting > 0 {
        let waits = if waiting == 1 { "waits" } else { "wait" };
        parts.push(format!("{} {waits} for a limit of rate", agon_text::count_noun(waiting, "call", "calls")));
    }
    if tally.count_held() > 0 {
        parts.push(format!("{} so far", display::describe_cost(&tally.spent)));
    }
    let left = total.map(|total| total.saturating_sub(tally.told));
    if let Some(left) = left.filter(|left| *left > 0 && tally.count_held() > 0) {
        // Those that are over already take no time; the estimate is for none of them.
        let share = left as f64 / tally.count_held() as f64;
        let mut about = vec![format_duration((elapsed.as_millis() as f64 * share) as u64)];
        let spent = &tally.spent;
        if spent.cost_basis != Basis::Unknown && spent.cost_microusd > 0 {
            about.insert(0, display::format_money((spent.cost_microusd as f64 * share) as u64));
        }
        parts.push(format!("about {} left", about.join(" and ")));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use agon_app::Failure;
    use agon_core::{DebateId, Outcome, Usage};

    use super::{
        super::result::{LineDebate, LineResult, LineState},
        *,
    };

    #[test]
    fn the_line_says_what_is_done_spent_and_left() {
        let mut tally = BatchTally::default();
        assert_eq!(format_progress(&tally, None, 4, 0, Duration::ZERO), "0/? done, 4 running");
        for number in 1..=4 {
            let at =
                LineDebate { id: DebateId::new(format!("d{number}")).unwrap(), directory: None, state: LineState::New };
            tally.count_line(&LineResult {
                at: Some(at),
                ended: Ok(Outcome::valid("even", "")),
                spent: Usage { cost_microusd: 10_000, ..Usage::default() },
                ..LineResult::from_failure(number, Failure::usage("", ""))
            });
        }
        tally.count_line(&LineResult::from_failure(5, Failure::usage("", "")));
        let said = format_progress(&tally, Some(13), 2, 3, Duration::from_secs(60));
        assert_eq!(
            said,
            "5/13 done, 1 failed, 2 running, 3 calls wait for a limit of rate, 0.0400 USD (reported) so far, about 0.0800 USD and 2 min left"
        );
    }
}
