//! A track: a folder of the revise source system (`.kiln/tracks/phase-N`), whose settings say
//! whether its plans and reviews are debated, and which may hold drafts and a log already.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::text;
use crate::{
    cli::{Mode, Strategy},
    failure::{Failure, Result},
};

/// Rounds of a debate in a track: where nobody says, fewest, most.
const ROUNDS: (i64, i64, i64) = (2, 1, 3);

/// What a track says.
#[derive(Debug)]
pub struct Track {
    pub folder: PathBuf,
    /// By the folder's name, `phase-N`.
    pub phase: Option<u32>,
    pub plan: Strategy,
    pub review: Strategy,
    /// Whether it has several models to debate with.
    pub multi_model: bool,
    pub rounds: u32,
    /// What was changed about its rounds, in words.
    pub rounds_note: Option<String>,
    /// What a reader should know of, in words.
    pub notes: Vec<String>,
}

/// The track in `folder`, by the nearest `.kiln/config.json` above it.
pub fn read(folder: &Path) -> Result<Track> {
    let name = folder.display();
    let folder = folder.canonicalize().ok().filter(|folder| folder.is_dir()).ok_or_else(|| {
        Failure::usage(
            format!("--track {name}: no such folder"),
            "name a folder such as .kiln/tracks/phase-1",
        )
    })?;
    let phase = folder.file_name().and_then(|name| name.to_str()?.strip_prefix("phase-")?.parse().ok());
    let mut notes = Vec::new();
    let config = folder.ancestors().map(|above| above.join(".kiln/config.json")).find(|path| path.is_file());
    let settings = match &config {
        Some(path) => {
            let fault = |why: String| {
                Failure::usage(format!("{}: {why}", path.display()), "mend it, or leave --track out")
            };
            let text = text::document(path)?;
            let settings: Value = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
            if !settings.is_object() {
                return Err(fault("an object is wanted here".into()));
            }
            settings
        }
        None => {
            notes.push(format!("no .kiln/config.json above {name}: its defaults hold, which are no debate"));
            Value::Null
        }
    };
    let preferences = &settings["preferences"];
    let strategy = |key: &str, alone: Strategy| match &preferences[key] {
        Value::Null => Ok(alone),
        Value::String(text) if text == alone.name() => Ok(alone),
        Value::String(text) if text == "debate" => Ok(Strategy::Debate),
        other => Err(Failure::usage(
            format!("{}: preferences.{key} is {other}", config.clone().unwrap_or_default().display()),
            format!("it can be \"{}\" or \"debate\"", alone.name()),
        )),
    };
    let (plan, review) =
        (strategy("planStrategy", Strategy::Synthesize)?, strategy("reviewStrategy", Strategy::Single)?);
    let (default, fewest, most) = ROUNDS;
    let (rounds, rounds_note) = match &preferences["debateRounds"] {
        Value::Null => (default, None),
        value => match value.as_i64() {
            Some(rounds) if (fewest..=most).contains(&rounds) => (rounds, None),
            Some(rounds) => {
                let taken = rounds.clamp(fewest, most);
                (
                    taken,
                    Some(format!(
                        "debateRounds is {rounds}, and {fewest} to {most} are possible: {taken} it is"
                    )),
                )
            }
            None => {
                (default, Some(format!("debateRounds is {value}, which is no whole number: {default} it is")))
            }
        },
    };
    let mode = &settings["modelMode"];
    Ok(Track {
        folder,
        phase: phase.filter(|phase| *phase > 0),
        plan,
        review,
        multi_model: mode.is_null() || mode == "multi-model",
        rounds: rounds as u32,
        rounds_note,
        notes,
    })
}

impl Track {
    /// What happens to drafts of this mode.
    pub fn strategy(&self, mode: Mode) -> Strategy {
        match mode {
            _ if !self.multi_model => Strategy::Single,
            Mode::Review => self.review,
            Mode::Plan | Mode::Draft => self.plan,
        }
    }

    /// Its authors in this mode, and the file of each one's first draft.
    pub fn authors(mode: Mode) -> &'static [(&'static str, &'static str)] {
        match mode {
            Mode::Plan => &[("claude", "plan_claude.md"), ("codex", "plan_codex.md")],
            Mode::Review => &[("opus", "review.md"), ("codex", "review_codex.md")],
            Mode::Draft => &[],
        }
    }

    /// Whether a file is the first draft of an author.
    pub fn is_draft(file: &str) -> bool {
        let all = [Mode::Plan, Mode::Review].map(Self::authors);
        all.into_iter().flatten().any(|(_, draft)| *draft == file)
    }

    /// Text of one of its files; `None` where there is none.
    pub fn file(&self, name: &str) -> Result<Option<String>> {
        let path = self.folder.join(name);
        if path.exists() { text::document(&path).map(Some) } else { Ok(None) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(config: Option<&str>) -> Result<Track> {
        let folder = tempfile::tempdir().unwrap();
        let track = folder.path().join(".kiln/tracks/phase-3");
        std::fs::create_dir_all(&track).unwrap();
        if let Some(config) = config {
            std::fs::write(folder.path().join(".kiln/config.json"), config).unwrap();
        }
        read(&track)
    }

    #[test]
    fn settings_of_a_track_are_read_from_above_it() {
        let track = with(Some(
            r#"{"modelMode": "multi-model", "preferences": {"planStrategy": "debate", "debateRounds": 3}}"#,
        ))
        .unwrap();
        assert_eq!((track.phase, track.rounds, track.rounds_note.clone()), (Some(3), 3, None));
        assert_eq!(track.strategy(Mode::Plan), Strategy::Debate);
        assert_eq!(track.strategy(Mode::Review), Strategy::Single);
        let without = with(None).unwrap();
        assert_eq!((without.strategy(Mode::Plan), without.rounds), (Strategy::Synthesize, 2));
        assert_eq!(without.notes.len(), 1);
    }

    #[test]
    fn one_model_alone_does_not_debate() {
        let config = r#"{"modelMode": "claude-only", "preferences": {"planStrategy": "debate"}}"#;
        assert_eq!(with(Some(config)).unwrap().strategy(Mode::Plan), Strategy::Single);
    }

    #[test]
    fn rounds_of_a_track_are_clamped_aloud() {
        for (rounds, wanted, says) in [
            ("0", 1, "1 to 3"),
            ("-4", 1, "1 to 3"),
            ("9", 3, "9"),
            ("2.5", 2, "no whole"),
            ("\"3\"", 2, "no whole"),
        ] {
            let track = with(Some(&format!(r#"{{"preferences": {{"debateRounds": {rounds}}}}}"#))).unwrap();
            assert_eq!(track.rounds, wanted, "{rounds}");
            assert!(track.rounds_note.unwrap().contains(says), "{rounds}");
        }
    }

    #[test]
    fn a_track_that_cannot_be_meant_is_refused() {
        for (config, says) in [
            (r#"{"preferences": {"planStrategy": "single"}}"#, "preferences.planStrategy is \"single\""),
            (r#"{"preferences": {"reviewStrategy": 3}}"#, "preferences.reviewStrategy is 3"),
            ("{broken", "config.json: "),
            ("[]", "an object is wanted"),
        ] {
            let error = with(Some(config)).unwrap_err();
            assert!(error.message.contains(says) && error.exit == 2, "{}", error.message);
        }
        assert!(read(Path::new("absent")).unwrap_err().message.contains("no such folder"));
    }
}
