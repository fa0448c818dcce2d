//! Texts that exist already, as drafts of a debate, and what a track adds to them.

use agon_core::{DraftFault, DraftPlan, DraftRules, Facts, TrackAuthor, TrackFiles, TrackText};

use super::{
    Revise,
    document::clean_document,
    plan::check_plan,
    review::{Review, check_review},
    settings::{PLANNERS, REVIEWERS, ReviseMode, Strategy, capitalise_label},
    track::TrackSettings,
};
use crate::common::fields::one_line;

/// The files of tracks: two drafts of a plan, then two of a review, in the order of their authors.
const FILES: TrackFiles = TrackFiles {
    example: ".kiln/tracks/phase-1",
    settings: ".kiln/config.json",
    log: "debate_log.md",
    drafts: &["plan_claude.md", "plan_codex.md", "review.md", "review_codex.md"],
};

impl DraftRules for Revise {
    /// A text whose layout has gaps is taken, with a warning.
    fn find_draft_fault(&self, mode: &str, text: &str) -> Option<&'static str> {
        let text = clean_document(text);
        if !text.contains(char::is_alphanumeric) {
            return Some("it has no words");
        }
        match find_mode(mode)? {
            ReviseMode::Plan => check_plan(&text),
            ReviseMode::Review => check_review(&Review::parse(&text)),
            ReviseMode::Draft => None,
        }
    }

    fn plan_drafts(&self, given: Facts, names: &[String], track: Option<&TrackText>) -> Result<DraftPlan, DraftFault> {
        let text = |name: &str| given.get(name)?.as_str();
        let track = track.map(TrackSettings::parse).transpose()?;
        let default = if track.is_some() { ReviseMode::Plan } else { ReviseMode::Draft };
        let mode = text("mode").and_then(find_mode).unwrap_or(default);
        if track.is_some() && mode == ReviseMode::Draft {
            return Err(DraftFault::new("--mode draft is not for a track", "use --mode plan or --mode review"));
        }
        let of_track = track.as_ref().map(|track| track.strategy_for(mode));
        let strategy = text("strategy").or(of_track).unwrap_or(Strategy::Debate.name());
        let given_phase = given.get("phase").and_then(|phase| phase.as_u64()?.try_into().ok());
        let phase = given_phase.or(track.as_ref().and_then(|track| track.phase));
        let title = text("title").map(one_line).filter(|title| !title.is_empty());
        let mut options = Facts::from_iter([("mode".into(), mode.name().into()), ("strategy".into(), strategy.into())]);
        options.extend(phase.map(|phase| ("phase".into(), phase.into())));
        options.extend(title.clone().map(|title| ("title".into(), title.into())));
        if let Some(track) = &track {
            // What the log says of both, with the one that this run replaces.
            let [plan, review] = mode.pick([[strategy, track.review], [track.plan, strategy], [strategy; 2]]);
            let said = [("track", true.into()), ("plan_strategy", plan.into()), ("review_strategy", review.into())];
            options.extend(said.map(|(name, value)| (name.to_owned(), value)));
        }
        let motion = title.or_else(|| match (&track, names) {
            (Some(_), _) => Some(format!("{} phase {}", mode.title(), phase.unwrap_or(1))),
            (None, []) => None,
            (None, names) => Some(format!("Make the best of the drafts {}.", names.join(", "))),
        });
        let authors = if track.is_some() && names.is_empty() { list_track_authors(mode) } else { Vec::new() };
        let (rounds, rounds_note, notes) =
            track.map_or((None, None, Vec::new()), |track| (Some(track.rounds), track.rounds_note, track.notes));
        Ok(DraftPlan { mode: mode.name(), motion, options, authors, rounds, rounds_note, notes })
    }

    fn track_files(&self) -> TrackFiles {
        FILES
    }
}

fn find_mode(name: &str) -> Option<ReviseMode> {
    ReviseMode::ALL.into_iter().find(|known| known.name() == name)
}

fn list_track_authors(mode: ReviseMode) -> Vec<TrackAuthor> {
    let (plan, review) = FILES.drafts.split_at(PLANNERS.len());
    let (labels, files) = mode.pick([(PLANNERS, plan), (REVIEWERS, review), (PLANNERS, &plan[..0])]);
    let author = |(label, file): (_, &&'static str)| TrackAuthor { label, name: capitalise_label(label), file };
    labels.into_iter().zip(files).map(author).collect()
}
