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

/// The terminal: everything is told on standard error, and a person there can be asked.
#[derive(Default)]
pub struct Terminal {
    /// Whether only what was asked for is wanted.
    pub quiet: bool,
    /// Where debates are kept; nobody is asked without.
    pub journal: Option<(Arc<Journal>, Paths)>,
    /// Whether a person can be asked here.
    pub can_ask: bool,
}

impl Frontend for Terminal {
    fn warn(&self, message: &str) {
        ui::print_warning(message);
    }

    fn note(&self, message: &str) {
        ui::print_error_line(&ui::folded_error(&ui::escape_invisible(message)));
    }

    fn has_person(&self) -> bool {
        self.can_ask
    }

    fn find_person(&self, seat: &Seat, title: &str, debate: &DebateId) -> Option<Arc<dyn Participant>> {
        let (journal, places) = self.journal.as_ref().filter(|_| self.can_ask)?;
        Some(Arc::new(Human::new(seat.clone(), title, Arc::clone(journal), debate.clone(), places.home.clone())))
    }

    fn on_debate_end(&self, debate: &DebateId) {
        self.journal.iter().for_each(|(_, places)| human::forget_drafts(&places.home, debate));
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

/// A bar that disappears when it is dropped.
struct TransientBar(ProgressBar);

impl Drop for TransientBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
