//! A track: a folder of the revise source system (`.kiln/tracks/phase-N`), whose settings say
//! whether its plans and reviews are debated, and which may hold drafts and a log already.

use std::path::{Path, PathBuf};

use agon_protocols::ALL;
use serde_json::Value;

use super::input_text;
use crate::failure::{Failure, Result};

/// Rounds of a debate in a track: where nobody says, fewest, most.
const ROUNDS: (u32, u32, u32) = (2, 1, 3);
/// What its settings say where it has one model.
const ONE_MODEL: &str = "claude-only";
/// Most of a wrong value that a message quotes, in characters.
const SHOWN_CHARS_MAX: usize = 40;

/// The settings of a track folder.
#[derive(Debug)]
pub struct Track {
    /// Where it is.
    pub folder: PathBuf,
    /// By the folder's name, `phase-N`.
    pub phase: Option<u32>,
    /// The strategy for plans.
    pub plan: &'static str,
    /// The strategy for reviews.
    pub review: &'static str,
    /// Whether it has several models to debate with.
    pub multi_model: bool,
    /// Rounds of critique that it wants.
    pub rounds: u32,
    /// A note if its rounds were adjusted.
    pub rounds_note: Option<String>,
    /// What a reader should know of, in words.
    pub notes: Vec<String>,
}

/// The track in `folder`, by the nearest `.kiln/config.json` above it.
///
/// # Errors
///
/// Where there is no such folder, and where a setting is not one.
pub fn read_track(folder: &Path) -> Result<Track> {
    let name = folder.display();
    let folder = folder.canonicalize().ok().filter(|folder| folder.is_dir()).ok_or_else(|| {
        Failure::usage(format!("--track {name}: no such folder"), "name a folder such as .kiln/tracks/phase-1")
    })?;
    let phase = folder.file_name().and_then(|name| name.to_str()?.strip_prefix("phase-")?.parse().ok());
    let file = folder.ancestors().map(|above| above.join(".kiln/config.json")).find(|path| path.is_file());
    let missing = || format!("no .kiln/config.json above {name}: the defaults apply, without a debate");
    let notes = if file.is_some() { Vec::new() } else { vec![missing()] };
    let settings = read_settings(file.as_deref())?;
    let read = |key: &str| {
        let value = settings.pointer(&format!("/{}", key.replace('.', "/")));
        value.filter(|value| !value.is_null())
    };
    let wrong = |key: &str, wanted: &str| {
        let (file, value) = (file.clone().unwrap_or_default(), read(key).map(shorten_value).unwrap_or_default());
        Failure::usage(format!("{}: {key} is {value}", file.display()), format!("it must be {wanted}"))
    };
    if read("preferences").is_some_and(|preferences| !preferences.is_object()) {
        return Err(wrong("preferences", "an object, {\"planStrategy\": …}"));
    }
    // The first of both where the settings say neither.
    let choose = |key: &str, [default, other]: [&'static str; 2]| match read(key) {
        None => Ok(default),
        Some(value) if value == default => Ok(default),
        Some(value) if value == other => Ok(other),
        Some(_) => Err(wrong(key, &format!("{default:?} or {other:?}"))),
    };
    let plan = choose("preferences.planStrategy", ["synthesize", "debate"])?;
    let review = choose("preferences.reviewStrategy", ["single", "debate"])?;
    let (rounds, rounds_note) = read("preferences.debateRounds").map_or((ROUNDS.0, None), parse_rounds);
    let multi_model = choose("modelMode", ["multi-model", ONE_MODEL])? != ONE_MODEL;
    let phase = phase.filter(|phase| *phase > 0);
    Ok(Track { folder, phase, plan, review, multi_model, rounds, rounds_note, notes })
}

/// What a settings file says; nothing without one.
fn read_settings(file: Option<&Path>) -> Result<Value> {
    let Some(path) = file else { return Ok(Value::default()) };
    let fault = |why: String| Failure::usage(format!("{}: {why}", path.display()), "fix it, or omit --track");
    let text = input_text::read_document(path)?;
    let settings: Value = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
    if settings.is_object() { Ok(settings) } else { Err(fault("it must be an object".into())) }
}

/// The rounds that a track wants, and a note if they were adjusted: a number beyond its bounds is
/// clamped, and anything but a whole number is ignored.
fn parse_rounds(wanted: &Value) -> (u32, Option<String>) {
    let (default, fewest, most) = ROUNDS;
    let whole = wanted.as_f64().filter(|number| number.fract() == 0.0);
    match whole {
        None => {
            let wanted = shorten_value(wanted);
            (default, Some(format!("debateRounds is {wanted}, which is not a whole number; {default} is used")))
        }
        Some(number) => {
            let taken = number.clamp(fewest.into(), most.into());
            let clamped =
                format!("debateRounds is {}, outside {fewest} to {most}; {taken} is used", shorten_value(wanted));
            (taken as u32, (taken != number).then_some(clamped))
        }
    }
}

/// A value out of a file, short enough for a message.
fn shorten_value(value: &impl std::fmt::Display) -> String {
    let text = value.to_string();
    let start: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

impl Track {
    /// The strategy for drafts that review something, or plan it.
    pub fn strategy_for(&self, is_review: bool) -> &'static str {
        match is_review {
            _ if !self.multi_model => "single",
            true => self.review,
            false => self.plan,
        }
    }

    /// Whether a file is the first draft of an author.
    pub fn is_draft(file: &str) -> bool {
        let rules = ALL.iter().filter_map(|protocol| protocol.draft_rules());
        let mut authors = rules.flat_map(|rules| rules.list_track_authors(None));
        authors.any(|author| author.file == file)
    }

    /// Text of one of its files; `None` where there is none.
    pub fn read_file(&self, name: &str) -> Result<Option<String>> {
        let path = self.folder.join(name);
        if path.exists() { input_text::read_document(&path).map(Some) } else { Ok(None) }
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
        read_track(&track)
    }

    #[test]
    fn settings_of_a_track_are_read_from_above_it() {
        let track =
            with(Some(r#"{"modelMode": "multi-model", "preferences": {"planStrategy": "debate", "debateRounds": 3}}"#))
                .unwrap();
        assert_eq!((track.phase, track.rounds, track.rounds_note.clone()), (Some(3), 3, None));
        assert_eq!((track.strategy_for(false), track.strategy_for(true)), ("debate", "single"));
        let without = with(None).unwrap();
        assert_eq!((without.strategy_for(false), without.rounds), ("synthesize", 2));
        assert_eq!(without.notes.len(), 1);
    }

    #[test]
    fn one_model_alone_does_not_debate() {
        let config = r#"{"modelMode": "claude-only", "preferences": {"planStrategy": "debate"}}"#;
        assert_eq!(with(Some(config)).unwrap().strategy_for(false), "single");
    }

    #[test]
    fn rounds_of_a_track_are_clamped_aloud() {
        for (rounds, wanted, says) in [
            ("0", 1, "1 to 3"),
            ("-4", 1, "1 to 3"),
            ("9", 3, "9"),
            ("1e30", 3, "1 to 3"),
            ("2.5", 2, "not a whole"),
            ("\"3\"", 2, "not a whole"),
        ] {
            let track = with(Some(&format!(r#"{{"preferences": {{"debateRounds": {rounds}}}}}"#))).unwrap();
            assert_eq!(track.rounds, wanted, "{rounds}");
            assert!(track.rounds_note.unwrap().contains(says), "{rounds}");
        }
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        let track = with(Some(r#"{"preferences": {"debateRounds": 3.0}}"#)).unwrap();
        assert_eq!((track.rounds, track.rounds_note), (3, None));
    }

    #[test]
    fn a_track_that_cannot_be_meant_is_refused() {
        for (config, says) in [
            (r#"{"preferences": {"planStrategy": "single"}}"#, "preferences.planStrategy is \"single\""),
            (r#"{"preferences": {"reviewStrategy": 3}}"#, "preferences.reviewStrategy is 3"),
            (r#"{"preferences": []}"#, "preferences is []"),
            (r#"{"preferences": "debate"}"#, "preferences is \"debate\""),
            (r#"{"preferences": {"planStrategy": ["debate"]}}"#, "preferences.planStrategy is [\"debate\"]"),
            (r#"{"modelMode": true}"#, "modelMode is true"),
            (r#"{"modelMode": "multi"}"#, "modelMode is \"multi\""),
            ("{broken", "config.json: "),
            ("[]", "must be an object"),
        ] {
            let error = with(Some(config)).unwrap_err();
            assert!(error.message.contains(says) && error.exit == 2, "{}", error.message);
        }
        assert!(read_track(Path::new("absent")).unwrap_err().message.contains("no such folder"));
    }
}
