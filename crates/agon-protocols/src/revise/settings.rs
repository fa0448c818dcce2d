//! The settings of a debate: mode, phase, strategy, and the authors with their labels.

use agon_core::{Opened, Seat};
use serde::{Deserialize, Serialize};

use crate::common::lineup;

/// The seat that joins the last versions.
pub const SYNTHESIZER: &str = "synthesizer";
/// The row of seats that write.
pub const ROW: &str = "author";
/// Labels of a track's plan, as the source system has them.
pub const PLANNERS: [&str; 2] = ["claude", "codex"];
/// Labels of a track's review; the first one's text is the authoritative one.
pub const REVIEWERS: [&str; 2] = ["opus", "codex"];
/// Labels where nobody gave names.
const ORDINALS: [&str; 4] = ["first", "second", "third", "fourth"];
/// Longest label, in bytes: it becomes part of file names.
const LABEL_BYTES_MAX: usize = 32;

/// What the authors write: a plan, a review or another text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReviseMode {
    /// A plan of tasks in waves.
    Plan,
    /// A code review with findings and a verdict.
    Review,
    /// Any other document.
    #[default]
    Draft,
}

impl ReviseMode {
    /// Every mode, by its name on the command line.
    pub const ALL: [ReviseMode; 3] = [ReviseMode::Plan, ReviseMode::Review, ReviseMode::Draft];

    /// Its name on the command line, and the first word of its files.
    pub fn name(self) -> &'static str {
        self.pick(["plan", "review", "draft"])
    }

    /// As headings have it.
    pub fn title(self) -> &'static str {
        self.pick(["Plan", "Review", "Draft"])
    }

    /// One of three things: that of a plan, of a review, or of another document.
    pub fn pick<T>(self, [plan, review, draft]: [T; 3]) -> T {
        match self {
            ReviseMode::Plan => plan,
            ReviseMode::Review => review,
            ReviseMode::Draft => draft,
        }
    }
}

/// The course of a debate: with critiques, join only, or a single author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Rounds of critique and revision, then synthesis.
    Debate,
    /// Drafts straight to the synthesis.
    Synthesize,
    /// The first author alone.
    Single,
}

impl Strategy {
    /// Every strategy, by its name on the command line.
    pub const ALL: [Strategy; 3] = [Strategy::Debate, Strategy::Synthesize, Strategy::Single];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        ["debate", "synthesize", "single"][self as usize]
    }
}

/// Who writes: data of the ruling `lineup`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuledAuthors {
    /// In the order of their numbers.
    pub members: Vec<Author>,
}

/// Someone who writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Author {
    /// Where.
    pub seat: Seat,
    /// Name shown to peers and readers.
    pub name: String,
    /// Part of file names: `[a-z0-9-]`, unique in the debate.
    pub label: String,
    /// Background in a sentence or two; may be empty. The line-up that the debate was opened with has it.
    #[serde(skip)]
    pub persona: String,
}

/// The settings of a debate that its script needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// What is written.
    pub mode: ReviseMode,
    /// Which phase of the work it belongs to.
    pub phase: u32,
    /// Title of the phase, where one was given.
    pub title: Option<String>,
    /// Which flow is run.
    pub strategy: Strategy,
    /// In the order of their seats.
    pub authors: Vec<Author>,
}

impl Setup {
    /// Reads the options and the line-up; an option that is not understood is an error in one line.
    pub fn from_opened(opened: &Opened) -> Result<Self, String> {
        let option = |name: &str| opened.options.get(name).filter(|value| !value.is_null());
        let text = |name: &str| {
            let text = option(name).map(|value| value.as_str().ok_or((name, value))).transpose();
            text.map_err(|(name, value)| format!("option {name} must be a text, not {value}"))
        };
        let modes = ReviseMode::ALL.map(|mode| (mode.name(), mode));
        let mode = parse_choice("mode", text("mode")?, &modes)?.unwrap_or_default();
        let strategies = Strategy::ALL.map(|strategy| (strategy.name(), strategy));
        let strategy = parse_choice("strategy", text("strategy")?, &strategies)?.unwrap_or(Strategy::Debate);
        let phase = option("phase").map(|value| {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            number.ok_or_else(|| format!("option phase must be a whole number, not {value}"))
        });
        let phase = phase.transpose()?.unwrap_or(1);
        let title = text("title")?.map(str::trim).filter(|title| !title.is_empty()).map(str::to_owned);
        let track = option("track").and_then(|track| track.as_bool()) == Some(true);
        let authors = list_authors(opened, mode, track);
        if authors.is_empty() {
            return Err("the debate has no author".into());
        }
        Ok(Self { mode, phase, title, strategy, authors })
    }

    /// The place of the author at `seat`.
    pub fn find_author(&self, seat: &Seat) -> Option<usize> {
        self.authors.iter().position(|author| author.seat == *seat)
    }

    /// What readers call the author at `seat`; another seat has its own name.
    pub fn author_name<'s>(&'s self, seat: &'s Seat) -> &'s str {
        self.find_author(seat).map_or(seat.as_str(), |author| &self.authors[author].name)
    }
}

fn parse_choice<T: Copy>(name: &str, given: Option<&str>, known: &[(&str, T)]) -> Result<Option<T>, String> {
    let Some(given) = given else { return Ok(None) };
    let found = known.iter().find(|(word, _)| *word == given).map(|(_, value)| *value);
    found.map(Some).ok_or_else(|| {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        format!("option {name} is {given:?}; it must be one of {}", words.join(", "))
    })
}

/// The authors. Inside a track the source system's labels are the default.
fn list_authors(opened: &Opened, mode: ReviseMode, track: bool) -> Vec<Author> {
    let track_labels = mode.pick([PLANNERS, REVIEWERS, ["first", "second"]]);
    let default = |at: usize| {
        let label = track_labels.get(at).filter(|_| track).or_else(|| ORDINALS.get(at));
        label.map_or_else(|| format!("author-{}", at + 1), |label| (*label).to_owned())
    };
    let mut authors: Vec<Author> = Vec::new();
    for (at, member) in lineup::list_row_members(opened, ROW).into_iter().enumerate() {
        let given = member.name.trim();
        let mut label = if given.is_empty() { default(at) } else { slugify_name(given) };
        let taken = |label: &str| authors.iter().any(|author| author.label == label);
        if label.is_empty() || taken(&label) || is_version(&label) {
            let stem = if label.is_empty() { ROW } else { &label };
            label = format!("{stem}-{}", at + 1);
        }
        let name = if given.is_empty() { capitalise_label(&label) } else { given.to_owned() };
        authors.push(Author { seat: member.seat, label, name, persona: member.persona });
    }
    authors
}

/// `name` as part of a file name; empty where nothing of it can stay.
pub fn slugify_name(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' if slug.len() < LABEL_BYTES_MAX => slug.push(c),
            'a'..='z' | '0'..='9' => break,
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// Whether a label reads like the number of a version (`v2`), as which a file name would take it.
fn is_version(label: &str) -> bool {
    label.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// `label` with a capital, as the log has it.
pub fn capitalise_label(label: &str) -> String {
    let mut chars = label.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn opened(names: &[&str], options: Value) -> Opened {
        let seats: Vec<String> = (1..=names.len()).map(|n| format!("author-{n}")).collect();
        let mut opened =
            agon_core::sample::sample_opened("revise", &seats.iter().map(String::as_str).collect::<Vec<_>>());
        for (sat, name) in opened.lineup.iter_mut().zip(names) {
            sat.name = (!name.is_empty()).then(|| (*name).to_owned());
        }
        opened.options = options.as_object().unwrap().clone();
        opened
    }

    fn labels(names: &[&str], options: Value) -> Vec<String> {
        Setup::from_opened(&opened(names, options)).unwrap().authors.into_iter().map(|author| author.label).collect()
    }

    #[test]
    fn labels_are_names_and_the_source_system_s_only_in_a_track() {
        assert_eq!(labels(&["", ""], json!({})), ["first", "second"]);
        assert_eq!(labels(&["", ""], json!({"mode": "plan"})), ["first", "second"]);
        assert_eq!(labels(&["", ""], json!({"mode": "plan", "track": true})), ["claude", "codex"]);
        assert_eq!(labels(&["", "", ""], json!({"mode": "review", "track": true})), ["opus", "codex", "third"]);
        assert_eq!(labels(&["Ada Lovelace", "R2.D2"], json!({"track": true})), ["ada-lovelace", "r2-d2"]);
    }

    #[test]
    fn a_label_can_be_a_file_name_and_is_unique() {
        assert_eq!(labels(&["../../etc", "ДА", "v2", "etc"], json!({})), ["etc", "author-2", "v2-3", "etc-4"]);
        assert!(labels(&[&"x".repeat(300), ""], json!({}))[0].len() <= LABEL_BYTES_MAX);
    }

    #[test]
    fn an_unknown_mode_or_strategy_is_an_error() {
        for (options, want) in [
            (json!({"mode": "essay"}), "option mode is \"essay\"; it must be one of plan, review, draft"),
            (json!({"strategy": "fight"}), "option strategy is \"fight\""),
            (json!({"strategy": 3}), "option strategy must be a text"),
            (json!({"phase": "two"}), "option phase must be a whole number"),
            (json!({"phase": -1}), "option phase must be a whole number"),
        ] {
            let error = Setup::from_opened(&opened(&["", ""], options)).unwrap_err();
            assert!(error.starts_with(want), "{error}");
        }
        assert!(Setup::from_opened(&opened(&[], json!({}))).is_err());
    }
}
