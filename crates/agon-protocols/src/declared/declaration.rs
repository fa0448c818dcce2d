//! What a file may declare: the words of the TOML, as types. Whether they make sense together is
//! checked in `validation`.

use std::fmt;

use agon_core::{Members, MotionKind, Role, protocol::RoundBounds};
use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};
use serde_json::Value;

/// A protocol as its file declares it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// Its name, also on the command line.
    pub name: String,
    /// One line: what it is for.
    pub summary: String,
    /// What its motion may be.
    #[serde(default)]
    pub motion: MotionKind,
    /// The bounds of `--rounds`, where a phase has the debate's rounds.
    pub rounds: Option<RoundBounds>,
    /// Whether people may say something that everybody who is asked afterwards reads.
    #[serde(default)]
    pub interjections: bool,
    /// Who takes part.
    #[serde(rename = "seat", default)]
    pub seats: Vec<SeatDeclared>,
    /// Texts that prompts include.
    #[serde(rename = "template", default)]
    pub templates: Vec<DeclaredTemplate>,
    /// What happens, in order.
    #[serde(rename = "phase", default)]
    pub phases: Vec<DeclaredPhase>,
    /// Which answers the seats that argue for one argue for; the choices in their order where it is not said.
    pub candidates: Option<Candidates>,
    /// How the outcome is read.
    #[serde(default)]
    pub outcome: OutcomeRule,
    /// Where the answer for those who asked stands.
    pub answer: Option<AnswerPlace>,
}

/// The fields that hold what the debate says to those who asked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerPlace {
    /// The ask; its last statements count.
    pub ask: String,
    /// Its field with the answer: a text.
    pub field: String,
    /// Its field with the condition under which the answer would be another: a text.
    pub unless: Option<String>,
}

/// Where the ranking of the choices comes from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidates {
    /// The ask whose probabilities rank them.
    pub ask: String,
    /// Its field of probabilities.
    pub field: String,
}

/// A seat, or a row of seats.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatDeclared {
    /// Its name.
    pub name: String,
    /// What it is there for.
    pub role: Role,
    /// One line for people.
    pub about: String,
    /// Its duty, which prompts may print.
    #[serde(default)]
    pub brief: String,
    /// How many of them there are, where it is a row.
    pub members: Option<Members>,
    /// For which of the two candidates it argues, 1 or 2.
    pub argues: Option<u32>,
}

/// A text that prompts include by its name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredTemplate {
    /// Its name.
    pub name: String,
    /// The text.
    pub text: Option<String>,
    /// Or the file next to the declaration that holds it.
    pub file: Option<String>,
}

/// A phase: what is asked in it, in order, once or in rounds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredPhase {
    /// Its name.
    pub name: String,
    /// What readers call it.
    pub title: Option<String>,
    /// How often it is gone through, at most.
    pub rounds: Option<PhaseRounds>,
    /// When it ends before that.
    pub until: Option<Until>,
    /// Whether those who argue for a candidate argue for the other one here.
    #[serde(default)]
    pub swap: bool,
    /// What is asked.
    #[serde(rename = "ask", default)]
    pub asks: Vec<Ask>,
}

impl DeclaredPhase {
    /// What readers call it.
    pub fn title(&self) -> String {
        self.title.clone().unwrap_or_else(|| agon_text::humanize_name(&self.name))
    }
}

/// How often a phase is gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseRounds {
    /// So often.
    Fixed(u32),
    /// As often as the debate has rounds.
    Debate,
}

/// What ends a phase early; exactly one of the ways.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// Whose statement decides.
    pub ask: String,
    /// A word or marker in its prose.
    pub says: Option<String>,
    /// Or a field of it.
    pub field: Option<String>,
    /// That has this value.
    pub is: Option<Value>,
    /// Whose median has moved by no more than this share since the round before.
    pub stable: Option<f64>,
    /// On which all agree.
    pub agree: Option<bool>,
}

/// One thing that is asked, of one seat or of several.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// Its name, and that of its prompt.
    pub name: String,
    /// Of whom: seats and rows.
    pub seats: Vec<String>,
    /// Whether they answer together or in turn.
    #[serde(default)]
    pub order: Order,
    /// Whose statements they are shown in addition to their own.
    #[serde(default)]
    pub sees: Sees,
    /// Whether others are not told who said it.
    #[serde(default)]
    pub anonymous: bool,
    /// How many must answer; all where it is not said.
    pub quorum: Option<u32>,
    /// How often each seat is asked the same, independently.
    pub samples: Option<u32>,
    /// Whether the prompt gets the context and the document.
    #[serde(default = "yes")]
    pub context: bool,
    /// Most tokens of an answer.
    #[serde(default = "tokens_default")]
    pub tokens_max: u32,
    /// Whether an answer writes again what was said, so that repeating it is not a fault.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewrites: bool,
    /// Sampling temperature.
    #[serde(default = "temperature_default")]
    pub temperature: f32,
    /// The prompt.
    pub prompt: Option<String>,
    /// Or the file next to the declaration that holds it.
    pub prompt_file: Option<String>,
    /// Longest prose, in characters.
    pub chars_max: Option<u32>,
    /// Words of which prose must say exactly one.
    #[serde(default)]
    pub says_one_of: Vec<String>,
    /// The fields of the statement; free prose where there are none.
    #[serde(rename = "field", default)]
    pub fields: Vec<DeclaredField>,
}

impl Ask {
    /// The field called `name`.
    pub fn find_field(&self, name: &str) -> Option<&DeclaredField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// What readers call it.
    pub fn title(&self) -> String {
        agon_text::humanize_name(&self.name)
    }
}

/// Whether several seats answer at once or one after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum Order {
    /// At once: none sees what another says meanwhile.
    #[default]
    #[serde(rename = "together")]
    Together,
    /// One after the other, in the order of the seats.
    #[serde(rename = "in turn")]
    InTurn,
}

/// Whose statements a seat is shown in addition to its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sees {
    /// Everybody's.
    #[default]
    All,
    /// Those that were said to these asks.
    Only(Vec<String>),
}

/// A field of a statement.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredField {
    /// Its name.
    pub name: String,
    /// What it holds.
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// What it is for; sent with the schema.
    pub about: Option<String>,
    /// Smallest number, or fewest entries.
    pub min: Option<f64>,
    /// Largest number, or most entries.
    pub max: Option<f64>,
    /// Longest text, in characters.
    pub chars_max: Option<u32>,
    /// What can be chosen.
    #[serde(default)]
    pub of: Vec<String>,
    /// Where what can be picked comes from: an ask, or `ASK.FIELD` for the entries of a list.
    pub from: Option<String>,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldKind {
    /// One line of text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Whole,
    /// One of several words.
    Choice,
    /// Yes or no.
    YesNo,
    /// Several lines of text.
    List,
    /// The number of one thing that was said before.
    Pick,
    /// The numbers of several.
    Picks,
    /// The letter of one of the debate's choices.
    Answer,
    /// A probability for each of the debate's choices.
    Probabilities,
    /// Words copied from the context, or the statement that none fit.
    Quote,
    /// Several of them.
    Quotes,
}

impl FieldKind {
    /// Whether what it holds depends on the choices of the debate.
    pub fn is_of_choices(self) -> bool {
        matches!(self, FieldKind::Answer | FieldKind::Probabilities)
    }

    /// Whether it holds a number that is a quantity: that of a thing which a seat picked is none.
    pub fn is_number(self) -> bool {
        matches!(self, FieldKind::Number | FieldKind::Whole)
    }

    /// Whether it holds words out of the context.
    pub fn is_quoted(self) -> bool {
        matches!(self, FieldKind::Quote | FieldKind::Quotes)
    }
}

/// How the outcome is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutcomeRule {
    /// In which way.
    pub read: OutcomeReading,
    /// From which ask.
    pub ask: Option<String>,
    /// From which field of it.
    pub field: Option<String>,
    /// Further asks that decide together with it; for `answer` only.
    pub also: Vec<String>,
    /// The ask that holds the answer from before the debate; for `answer` only.
    pub before: Option<String>,
    /// The ask that holds what a critic, or those who argue, think is right; for `answer` only.
    pub critic: Option<String>,
    /// The outcome of a vote in which several are first; `undecided` where it is not said.
    pub tie: Option<String>,
    /// Outcomes that are negative for a pipeline.
    pub fail: Vec<String>,
    /// Outcomes that are unclear for a pipeline.
    pub unclear: Vec<String>,
}

/// In which way an outcome is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeReading {
    /// The debate is over, whatever was said; an ask may sum it up.
    #[default]
    Closed,
    /// The value of a field.
    Field,
    /// The one word of several that prose says.
    Word,
    /// What most chose.
    Vote,
    /// The middle of all numbers.
    Median,
    /// One of the debate's choices: most votes, then the greatest mean probability.
    Answer,
}

impl Declaration {
    /// Every ask with its phase, in order.
    pub fn asks_with_phases(&self) -> impl Iterator<Item = (&DeclaredPhase, &Ask)> {
        self.phases.iter().flat_map(|phase| phase.asks.iter().map(move |ask| (phase, ask)))
    }

    /// The phase of the ask called `name`.
    pub fn phase_of(&self, name: &str) -> Option<&DeclaredPhase> {
        self.asks_with_phases().find(|(_, ask)| ask.name == name).map(|(phase, _)| phase)
    }

    /// The ask called `name`.
    pub fn find_ask(&self, name: &str) -> Option<&Ask> {
        self.asks_with_phases().map(|(_, ask)| ask).find(|ask| ask.name == name)
    }

    /// The seat or row called `name`.
    pub fn find_seat(&self, name: &str) -> Option<&SeatDeclared> {
        self.seats.iter().find(|seat| seat.name == name)
    }

    /// The seat or row that `seat` of a debate belongs to.
    pub fn resolve_seat(&self, seat: &str) -> Option<&SeatDeclared> {
        self.find_seat(seat).filter(|spec| spec.members.is_none()).or_else(|| {
            let (row, number) = seat.rsplit_once('-')?;
            number.parse::<u32>().ok()?;
            self.find_seat(row).filter(|spec| spec.members.is_some())
        })
    }
}

/// Answers have at most so many tokens where the file does not say.
fn tokens_default() -> u32 {
    600
}

fn yes() -> bool {
    true
}

fn temperature_default() -> f32 {
    0.7
}

// Untagged enums say nothing of what is wanted; these do.

impl<'de> Deserialize<'de> for PhaseRounds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Wanted;
        impl Visitor<'_> for Wanted {
            type Value = PhaseRounds;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of rounds, or \"debate\" for those of the debate")
            }
            fn visit_i64<E: Error>(self, rounds: i64) -> Result<PhaseRounds, E> {
                u32::try_from(rounds)
                    .map(PhaseRounds::Fixed)
                    .map_err(|_| E::custom(format_args!("{rounds} is no number of rounds")))
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<PhaseRounds, E> {
                match word {
                    "debate" => Ok(PhaseRounds::Debate),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
                }
            }
        }
        deserializer.deserialize_any(Wanted)
    }
}

impl<'de> Deserialize<'de> for Sees {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Wanted;
        impl<'de> Visitor<'de> for Wanted {
            type Value = Sees;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"all\", or a list of names of asks")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Sees, E> {
                match word {
                    "all" => Ok(Sees::All),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Sees, A::Error> {
                let mut only = Vec::new();
                while let Some(name) = names.next_element()? {
                    only.push(name);
                }
                Ok(Sees::Only(only))
            }
        }
        deserializer.deserialize_any(Wanted)
    }
}
