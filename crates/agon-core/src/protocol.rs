//! The trait `Protocol` and its manifest: seats, rounds, options and prompts.

use std::collections::BTreeMap;

use agon_text::to_single_line;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    AskSpec, Floor, Flow, OptionSpec, Outcome, OutcomeSpec, People, Record, Request, View, form::FormField, parse,
    request::Facts,
};

/// A protocol: a pure function from the record of a debate to the next step, with its manifest and prompts.
/// Equal records must give equal results.
pub trait Protocol: Send + Sync {
    /// What is known of it without running it: seats, limits, prompts.
    fn manifest(&self) -> &Manifest;

    /// The prompt templates that it ships, by name.
    fn prompt_templates(&self) -> &[(&str, &str)];

    /// The rules, from the top. Run again at every step: where the record holds an answer the floor
    /// passes it on, where it does not `?` leaves the function and the request is open.
    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome>;

    /// Pure. What the template of `request` is filled with, out of what was heard when it was asked. By default its own
    /// facts, the `motion`, and `said`: every answer that a round accepted, on one line, with `round` and `seat`.
    fn prompt_facts(&self, heard: &View<'_>, request: &Request) -> Facts {
        let mut facts = request.facts.clone();
        facts.insert("motion".into(), heard.opened().motion.as_str().into());
        let said = heard.accepted_answers().filter_map(|(round, seat, key)| {
            let text = heard.answer_text(&key)?;
            let answer =
                parse::parse_json_answer(text).map_or_else(|_| to_single_line(text), |fields| fields.to_string());
            Some(json!({"round": round, "seat": seat, "answer": answer}))
        });
        facts.insert("said".into(), said.collect());
        facts
    }

    /// Pure. The form of the statement that a request wants; `None` for free prose.
    fn answer_schema(&self, _heard: &View<'_>, _request: &Request) -> Option<FormField> {
        None
    }

    /// What people are told in place of the prompts, by the prompts' names. A request without such words
    /// is told by its prompt, as well as that can be read, and its fields by what the schema says of them.
    fn human_prompts(&self) -> &People {
        static NONE: People = People::new();
        &NONE
    }

    /// Pure. An answer to a request that keeps the rules, for rehearsals; `None` where any text that
    /// fits the schema does.
    fn sample_answer(&self, _heard: &View<'_>, _request: &Request) -> Option<String> {
        None
    }

    /// How many rounds were held before an outcome, where those that an early end left over lapse: an
    /// extension is then measured against them. `None` where all that were allowed count.
    fn count_rounds_held(&self, _outcome: &Outcome) -> Option<u32> {
        None
    }

    /// Whether nothing can follow what a record, of a debate of this protocol, holds, however often it is
    /// extended.
    fn is_final(&self, _record: &Record) -> bool {
        false
    }

    /// The name of the outcome by which a debate ends by its rules although someone never took part.
    fn missed_outcome(&self) -> Option<&str> {
        None
    }

    /// The option that names the debate that one of this protocol is the companion of.
    fn parent_option(&self) -> Option<&str> {
        None
    }

    /// How it takes texts that exist already, where it does.
    fn draft_rules(&self) -> Option<&dyn DraftRules> {
        None
    }

    /// What an agent must know to hold such a debate with the command line: a skill in Markdown, in which
    /// `{{version}}` stands for that of the program. Without one it is drawn from the manifest.
    fn skill_text(&self) -> Option<&str> {
        None
    }

    /// Its name on the command line and in the record.
    fn name(&self) -> &str {
        &self.manifest().name
    }
}

/// How a protocol takes texts that exist already as drafts of a debate, from wherever they are named or from a track: a
/// folder that it shares with other programs.
pub trait DraftRules: Sync {
    /// What is wrong with `text` as a draft in `mode`, that of a [`DraftPlan`]; `None` where it can be criticised.
    fn find_draft_fault(&self, mode: &str, text: &str) -> Option<&'static str>;

    /// What a debate by the options that were `given` takes, where the drafts `names` are named.
    ///
    /// # Errors
    ///
    /// A setting that is not one, with its remedy.
    fn plan_drafts(&self, given: Facts, names: &[String], track: Option<&TrackText>) -> Result<DraftPlan, DraftFault>;

    /// The files of every track.
    fn track_files(&self) -> TrackFiles;
}

/// The paths of files of a track.
#[derive(Debug, Clone, Copy)]
pub struct TrackFiles {
    /// What the path of a track looks like.
    pub example: &'static str,
    /// The settings, from a folder above it.
    pub settings: &'static str,
    /// The log, which debates continue.
    pub log: &'static str,
    /// First drafts of authors.
    pub drafts: &'static [&'static str],
}

/// What was read of a track.
#[derive(Debug)]
pub struct TrackText {
    /// Its path as it was given.
    pub given: String,
    /// The name of its folder.
    pub name: String,
    /// Path and text of its settings.
    pub settings: Option<(String, String)>,
}

/// What a debate takes of drafts and their options.
#[derive(Debug)]
pub struct DraftPlan {
    /// What the drafts must be.
    pub mode: &'static str,
    /// What is written where nobody says.
    pub motion: Option<String>,
    /// What the record says of it.
    pub options: Facts,
    /// The authors of the track; none where drafts are named.
    pub authors: Vec<TrackAuthor>,
    /// Rounds that the track wants at most.
    pub rounds: Option<u32>,
    /// A note if these were adjusted.
    pub rounds_note: Option<String>,
    /// What a reader should know, in words.
    pub notes: Vec<String>,
}

/// Why no debate can be opened with such drafts.
#[derive(Debug)]
pub struct DraftFault {
    /// In a sentence.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl DraftFault {
    /// One with its remedy.
    pub fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { message: message.into(), remedy: remedy.into() }
    }
}

/// An author of a track.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackAuthor {
    /// Part of file names.
    pub label: &'static str,
    /// Name shown to peers and readers.
    pub name: String,
    /// The file of the first draft.
    pub file: &'static str,
}

/// A protocol's manifest: seats, rounds, options and limits of its prompts. It is read from TOML.
#[serde_with::apply(bool => #[serde(default, skip_serializing_if = "std::ops::Not::not")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Its name on the command line.
    pub name: String,
    /// One line: what it is for.
    pub summary: String,
    /// Rules number; raised by every change that old records would notice.
    pub rules: u32,
    /// What its motion may be.
    #[serde(default)]
    pub motion: MotionKind,
    /// What happens when a prompt does not fit a model.
    #[serde(default)]
    pub fit: PromptFit,
    /// Rounds: how many by default, and within which bounds.
    pub rounds: RoundBounds,
    /// Whether people may say something without having been asked, for all who take part to hear.
    pub interjections: bool,
    /// Whether a proposed line-up is put to the host for approval.
    pub approval: bool,
    /// The texts about a member in addition to its persona. What a line-up leaves out of these, names and
    /// personas included, is proposed; without them a line-up names everyone or nobody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub member_details: Vec<String>,
    /// Whether cited pages are opened where nobody says.
    pub opens_sources: bool,
    /// Whether it is about material, so that a debate without any is refused; the part of the program that
    /// compares quotes then answers at its seat `verifier`.
    pub needs_material: bool,
    /// What is debated where nobody says; for protocols about material.
    pub motion_default: Option<String>,
    /// Whether it redacts single entries of a log of its own: what may be shown follows from that log.
    pub redacts_entries: bool,
    /// Which questions it is proposed for; none where it is never proposed.
    pub ask: Option<AskSpec>,
    /// Its options, in addition to the motion, the rounds and the fields of every request.
    #[serde(rename = "option", default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<OptionSpec>,
    /// The outcomes that a debate with a result can have.
    #[serde(rename = "outcome", default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<OutcomeSpec>,
    /// Its seats, in the protocol's order.
    #[serde(rename = "seat")]
    pub seats: Vec<SeatSpec>,
    /// Its prompts by template name.
    #[serde(rename = "prompt")]
    pub prompts: BTreeMap<String, PromptSpec>,
}

/// The kind of a motion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MotionKind {
    /// A text, or a file that holds one.
    #[default]
    Text,
    /// A Markdown file.
    Document,
}

/// What happens when a prompt does not fit a model's context. Nothing is ever cut silently.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptFit {
    /// The request fails as `TooLong`.
    #[default]
    Whole,
    /// The oldest statements become their claims; prompt and report say so.
    OldestShortened,
}

/// The bounds of a protocol's rounds.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundBounds {
    /// When nobody says how many.
    pub default: u32,
    /// Fewest.
    pub min: u32,
    /// Most.
    pub max: u32,
    /// Rounds after which it may end by itself, where it can end before its limit and the debate's
    /// own limits do not say.
    pub early: Option<u32>,
    /// Rounds that it usually takes, where that is known and less than by default.
    pub usual: Option<u32>,
    /// Fewest rounds of a debate where nobody says, for a protocol that may end early.
    pub fewest: Option<u32>,
    /// Whether a debate that is opened with more than the most gets the most, with a note, instead of an
    /// error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clamped: bool,
    /// What is counted, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
}

/// The role of a seat in a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Argues.
    Debater,
    /// Evaluates arguments.
    Judge,
    /// Asks and routes questions.
    Moderator,
    /// Rules on procedure.
    Chair,
    /// Checks sources.
    Verifier,
    /// Asks for those who listen.
    Audience,
    /// Tells what happened.
    Reporter,
    /// Assesses the whole.
    Assessor,
    /// Joins what the others made.
    Synthesizer,
}

/// What a seat may look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LookupReach {
    /// The material that it may see.
    Material,
    /// That, and pages.
    Pages,
}

impl Role {
    /// What seats of this role may look up, where their manifest does not say; `None` for those who rule on procedure,
    /// listen or report: they work with what was said.
    pub fn lookup_reach(self) -> Option<LookupReach> {
        match self {
            Self::Debater | Self::Verifier => Some(LookupReach::Pages),
            Self::Judge | Self::Assessor => Some(LookupReach::Material),
            Self::Moderator | Self::Chair | Self::Audience | Self::Reporter | Self::Synthesizer => None,
        }
    }
}

/// A seat of a protocol, or a row of seats of one kind.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatSpec {
    /// Its name on the command line.
    pub name: String,
    /// What it is there for.
    pub role: Role,
    /// One line for `agon protocols show`.
    pub about: String,
    /// Where there are several of them: `panelist` then stands for `panelist-1`, `panelist-2` and
    /// so on, and each takes a member of the line-up.
    pub members: Option<Members>,
    /// Where one seat may become several that do the same: `judge` is then `judge-1`, `judge-2` and
    /// so on, as many as this at most. No line-up fills them.
    pub panel_max: Option<u32>,
    /// What it may look up, where that is not what seats of its role may.
    pub lookups: Option<LookupReach>,
}

/// The number of seats in a row: minimum, maximum and default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Members {
    /// Fewest.
    pub min: u32,
    /// Most.
    pub max: u32,
    /// When nobody names them.
    pub default: u32,
}

impl SeatSpec {
    /// Names of its seats where its row has `count` of them.
    pub fn expand_seat_names(&self, count: u32) -> Vec<String> {
        match self.members {
            None => vec![self.name.clone()],
            Some(_) => (1..=count).map(|n| format!("{}-{n}", self.name)).collect(),
        }
    }
}

/// A prompt template of a protocol.
#[serde_with::apply(bool => #[serde(default, skip_serializing_if = "std::ops::Not::not")])]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptSpec {
    /// Maximum number of tokens an answer may have.
    pub tokens_max: u32,
    /// Sampling temperature, 0 to 2.
    pub temperature: f32,
    /// Whether the answer writes an earlier text again, so that repeating it is not a fault.
    pub rewrites: bool,
    /// Whether a speech is asked for, in prose: a model that gives one sentence is asked once more.
    pub speech: bool,
    /// Whether the seat may look something up before it answers, where the debate allows lookups.
    pub lookups: bool,
}

impl Manifest {
    /// Its option called `name`.
    pub fn find_option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }

    /// The seat called `name`, or the row of seats that it belongs to.
    pub fn find_seat(&self, name: &str) -> Option<&SeatSpec> {
        let alone = self.seats.iter().find(|seat| seat.name == name);
        alone.or_else(|| {
            let (row, number) = name.rsplit_once('-')?;
            let number: u32 = number.parse().ok()?;
            let within = |most: u32| (1..=most).contains(&number);
            let most = |seat: &SeatSpec| seat.members.map(|members| members.max).or(seat.panel_max);
            self.seats.iter().find(|seat| seat.name == row && most(seat).is_some_and(within))
        })
    }

    /// What the seat called `name` may look up for an answer to `prompt`; `None` where nothing.
    pub fn lookup_reach(&self, name: &str, prompt: &str) -> Option<LookupReach> {
        self.prompts.get(prompt).filter(|spec| spec.lookups)?;
        let seat = self.find_seat(name)?;
        seat.lookups.or(seat.role.lookup_reach())
    }

    /// The row of seats that a line-up fills, where the protocol has one.
    pub fn find_seat_row(&self) -> Option<(&SeatSpec, Members)> {
        self.seats.iter().find_map(|seat| Some((seat, seat.members?)))
    }

    /// Names of all seats where the row has `members` of them, or as many as by default.
    pub fn seat_names(&self, members: Option<u32>) -> Vec<String> {
        let count = |seat: &SeatSpec| members.or(seat.members.map(|m| m.default)).unwrap_or(1);
        self.seats.iter().flat_map(|seat| seat.expand_seat_names(count(seat))).collect()
    }
}
