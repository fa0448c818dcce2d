//! The terminal as the front end of debates: its notices, and the person who can be asked.

use std::sync::Arc;

use agon_app::{Frontend, context::ShowProgress};
use agon_core::{DebateId, Seat};
use agon_journal::Journal;
use agon_runtime::{config::Paths, participant::Participant};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    human::{self, Human},
    ui,
};

/// Standard error: everything is told there, and nobody is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandardError {
    /// Whether only what was asked for is wanted.
    pub quiet: bool,
}

impl Frontend for StandardError {
    fn warn(&self, message: &str) {
        ui::print_warning(message);
    }

    fn note(&self, message: &str) {
        ui::print_error_line(&ui::folded_error(&ui::escape_invisible(message)));
    }

    fn download_progress(&self) -> ShowProgress {
        let target = if self.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let form = "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style);
        }
        let bar = TransientBar(bar);
        Box::new(move |doing, done, all| {
            bar.0.set_message(doing.to_owned());
            bar.0.set_length(all);
            bar.0.set_position(done);
        })
    }
}

/// The person at this terminal.
pub struct Terminal {
    pub places: Paths,
    pub journal: Arc<Journal>,
    /// Whether a person can be asked here.
    pub can_ask: bool,
    /// Whether only what was asked for is wanted.
    pub quiet: bool,
}

impl Frontend for Terminal {
    fn warn(&self, message: &str) {
        StandardError::default().warn(message);
    }

    fn note(&self, message: &str) {
        StandardError::default().note(message);
    }

    fn has_person(&self) -> bool {
        self.can_ask
    }

    fn find_person(&self, seat: &Seat, title: &str, debate: &DebateId) -> Option<Arc<dyn Participant>> {
        let (journal, home) = (Arc::clone(&self.journal), self.places.home.clone());
        let human = || Human::new(seat.clone(), title, journal, debate.clone(), home);
        self.can_ask.then(|| Arc::new(human()) as Arc<dyn Participant>)
    }

    fn on_debate_end(&self, debate: &DebateId) {
        human::forget_drafts(&self.places.home, debate);
    }

    fn download_progress(&self) -> ShowProgress {
        StandardError { quiet: self.quiet }.download_progress()
    }
}

/// A bar that disappears when it is dropped.
struct TransientBar(ProgressBar);

impl Drop for TransientBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
