//! One line on standard error while an evaluation runs: debates done, money and time left.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use agon_app::{display, evaluation::schedule::EvaluationProgress};

use crate::ui;

/// How often a line is printed where no terminal shows it in place.
const EVERY: Duration = Duration::from_secs(15);

/// Shows progress, if it is wanted.
pub struct ProgressLine {
    is_quiet: bool,
    printed: Cell<Instant>,
}

impl ProgressLine {
    pub fn new(is_quiet: bool) -> Self {
        Self { is_quiet, printed: Cell::new(Instant::now()) }
    }

    pub fn show(&self, progress: &EvaluationProgress) {
        if self.is_quiet {
            return;
        }
        let text = describe_progress(progress);
        if ui::is_terminal() {
            ui::show_status(&text);
        } else if self.printed.get().elapsed() >= EVERY {
            self.printed.set(Instant::now());
            ui::print_error_line(&text);
        }
    }

    pub fn clear(&self) {
        ui::clear_status();
    }
}

fn describe_progress(progress: &EvaluationProgress) -> String {
    let EvaluationProgress { done, all, failed, money, seconds_left } = progress;
    let failed = if *failed > 0 { format!(", {failed} failed") } else { String::new() };
    let money = match money {
        Some(0.0) => String::new(),
        Some(money) => format!(", {}", display::format_money((money * 1e6) as u64)),
        None => ", cost unknown".to_owned(),
    };
    let left = match seconds_left.map(|seconds| seconds.ceil() as u64) {
        None | Some(0) => String::new(),
        Some(seconds @ 1..100) => format!(", about {seconds} s left"),
        Some(seconds) => format!(", about {} min left", seconds.div_ceil(60)),
    };
    format!("{done} of {all} debates done{failed}{money}{left}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_known() {
        let mut progress = EvaluationProgress { done: 3, all: 10, money: Some(0.0), ..EvaluationProgress::default() };
        assert_eq!(describe_progress(&progress), "3 of 10 debates done");
        progress = EvaluationProgress { failed: 1, money: None, seconds_left: Some(130.0), ..progress };
        assert_eq!(describe_progress(&progress), "3 of 10 debates done, 1 failed, cost unknown, about 3 min left");
    }
}
