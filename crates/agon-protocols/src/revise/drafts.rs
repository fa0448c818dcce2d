//! Texts that exist already, as drafts of a debate, and the authors of a track.

use agon_core::{DraftRules, TrackAuthor};

use super::{
    Revise,
    document::clean_document,
    plan::check_plan,
    review::{Review, check_review},
    settings::{PLANNERS, REVIEWERS, ReviseMode, capitalise_label},
};

impl DraftRules for Revise {
    /// A text whose layout has gaps is taken, with a warning.
    fn find_draft_fault(&self, mode: &str, text: &str) -> Option<&'static str> {
        let text = clean_document(text);
        if !text.contains(char::is_alphanumeric) {
            return Some("it has no words");
        }
        match ReviseMode::ALL.into_iter().find(|known| known.name() == mode)? {
            ReviseMode::Plan => check_plan(&text),
            ReviseMode::Review => check_review(&Review::parse(&text)),
            ReviseMode::Draft => None,
        }
    }

    fn is_review_mode(&self, mode: &str) -> bool {
        mode == ReviseMode::Review.name()
    }

    fn list_track_authors(&self, mode: Option<&str>) -> Vec<TrackAuthor> {
        let modes = ReviseMode::ALL.into_iter().filter(|known| mode.is_none_or(|mode| known.name() == mode));
        let plan = PLANNERS.into_iter().zip(["plan_claude.md", "plan_codex.md"]);
        let review = REVIEWERS.into_iter().zip(["review.md", "review_codex.md"]);
        let all =
            modes.flat_map(|mode| mode.pick([Some(plan.clone()), Some(review.clone()), None]).into_iter().flatten());
        all.map(|(label, file)| TrackAuthor { label, name: capitalise_label(label), file }).collect()
    }
}
