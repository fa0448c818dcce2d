//! The settings of a track: a folder of the source system (`.kiln/tracks/phase-N`), whose settings say whether its plans
//! and reviews are debated.

use agon_core::{DraftFault, TrackText};
use serde_json::Value;

use super::settings::{ReviseMode, Strategy};

/// Rounds of a debate in a track: where nobody says, fewest, most.
const ROUNDS: (u32, u32, u32) = (2, 1, 3);
/// What its settings say where it has one model.
const ONE_MODEL: &str = "claude-only";
/// Most of a wrong value that a message quotes, in characters.
const SHOWN_CHARS_MAX: usize = 40;

/// The settings of a track.
#[derive(Debug)]
pub(super) struct TrackSettings {
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

impl TrackSettings {
    /// By its settings; by the defaults without any.
    pub fn parse(track: &TrackText) -> Result<Self, DraftFault> {
        let settings = track.settings.as_ref().map(|(file, text)| (file.as_str(), text.as_str()));
        let missing = || format!("no .kiln/config.json above {}: the defaults apply, without a debate", track.given);
        let notes = Vec::from_iter(settings.is_none().then(missing));
        let (file, text) = settings.unwrap_or(("", "{}"));
        let fault = |why: String| DraftFault::new(format!("{file}: {why}"), "fix it, or omit --track");
        let settings: Value = serde_json::from_str(text).map_err(|error| fault(error.to_string()))?;
        if !settings.is_object() {
            return Err(fault("it must be an object".into()));
        }
        let read = |key: &str| {
            let value = settings.pointer(&format!("/{}", key.replace('.', "/")));
            value.filter(|value| !value.is_null())
        };
        let wrong = |key: &str, wanted: &str| {
            let value = read(key).map(shorten_value).unwrap_or_default();
            DraftFault::new(format!("{file}: {key} is {value}"), format!("it must be {wanted}"))
        };
        if read("preferences").is_some_and(|preferences| !preferences.is_object()) {
            return Err(wrong("preferences", "an object, {\"planStrategy\": …}"));
        }
        // The first of both where the settings say neither.
        let choose = |key: &str, [default, other]: [&'static str; 2]| match read(key) {
            Some(value) if value == other => Ok(other),
            Some(value) if value != default => Err(wrong(key, &format!("{default:?} or {other:?}"))),
            _ => Ok(default),
        };
        let plan = choose("preferences.planStrategy", ["synthesize", "debate"])?;
        let review = choose("preferences.reviewStrategy", ["single", "debate"])?;
        let (rounds, rounds_note) = read("preferences.debateRounds").map_or((ROUNDS.0, None), parse_rounds);
        let multi_model = choose("modelMode", ["multi-model", ONE_MODEL])? != ONE_MODEL;
        let phase = track.name.strip_prefix("phase-").and_then(|number| number.parse().ok()).filter(|phase| *phase > 0);
        Ok(Self { phase, plan, review, multi_model, rounds, rounds_note, notes })
    }

    /// The strategy for what is written.
    pub fn strategy_for(&self, mode: ReviseMode) -> &'static str {
        match mode {
            _ if !self.multi_model => Strategy::Single.name(),
            ReviseMode::Review => self.review,
            ReviseMode::Plan | ReviseMode::Draft => self.plan,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(config: Option<&str>) -> Result<TrackSettings, DraftFault> {
        let settings = config.map(|text| ("/a/.kiln/config.json".to_owned(), text.to_owned()));
        TrackSettings::parse(&TrackText { given: "a".into(), name: "phase-3".into(), settings })
    }

    #[test]
    fn settings_of_a_track_are_read_from_above_it() {
        let track = parse(Some(
            r#"{"modelMode": "multi-model", "preferences": {"planStrategy": "debate", "debateRounds": 3}}"#,
        ))
        .unwrap();
        assert_eq!((track.phase, track.rounds, track.rounds_note.clone()), (Some(3), 3, None));
        assert_eq!(
            (track.strategy_for(ReviseMode::Plan), track.strategy_for(ReviseMode::Review)),
            ("debate", "single")
        );
        let without = parse(None).unwrap();
        assert_eq!((without.strategy_for(ReviseMode::Plan), without.rounds), ("synthesize", 2));
        assert_eq!(without.notes.len(), 1);
    }

    #[test]
    fn one_model_alone_does_not_debate() {
        let config = r#"{"modelMode": "claude-only", "preferences": {"planStrategy": "debate"}}"#;
        assert_eq!(parse(Some(config)).unwrap().strategy_for(ReviseMode::Plan), "single");
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
            let track = parse(Some(&format!(r#"{{"preferences": {{"debateRounds": {rounds}}}}}"#))).unwrap();
            assert_eq!(track.rounds, wanted, "{rounds}");
            assert!(track.rounds_note.unwrap().contains(says), "{rounds}");
        }
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        let track = parse(Some(r#"{"preferences": {"debateRounds": 3.0}}"#)).unwrap();
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
            let error = parse(Some(config)).unwrap_err();
            assert!(error.message.contains(says), "{}", error.message);
        }
    }
}
