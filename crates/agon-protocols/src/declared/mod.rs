//! Protocols that users bring as a file: a TOML declares seats, phases and prompts, and this
//! interpreter runs it. A declared protocol is a protocol like any other, from the laws to replay.
//!
//! The text of the declaration is a document that its debates are pinned to, so that a file that
//! changes later changes no debate.

pub mod candidate_sides;
pub mod decision;
pub mod declaration;
pub mod declaration_fault;
mod facts;
pub mod figures;
pub mod form;
mod outcome;
mod passages;
pub mod quotes;
mod script;
pub mod shipped_arms;
pub mod sources;
pub mod state;
mod validation;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};

use agon_core::{
    DebateId, Digest, Facts, Floor, Flow, Manifest, Outcome, PromptSpec, Protocol, Record, Request, SeatSpec, View,
    form::FormField, protocol::RoundBounds,
};

pub use self::{declaration::Declaration, declaration_fault::DeclarationFault, facts::QUESTION};
use crate::common::{self, claim_reading, verification};

/// Name of the document that holds the declaration.
pub const DOCUMENT: &str = "declaration";
/// A declaration to start from; `NAME` in it stands for its name.
pub const SKELETON: &str = include_str!("skeleton.toml");
/// Largest declaration, in bytes.
pub const FILE_BYTES_MAX: usize = 256 * 1024;
/// Longest prompt, in bytes.
pub const PROMPT_BYTES_MAX: usize = 64 * 1024;
/// The rules of this interpreter; raised by every change that old records would notice.
const RULES: u32 = 2;
/// Most different declarations that one process keeps.
const KEPT_MAX: usize = 1_000;
/// Begins a prompt that opens no message of its own.
const USER: &str = "{{ role(\"user\") }}";

/// Why there are no rules for a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoRules {
    /// It was held by other rules than those of this version.
    #[error("debate {debate} was {}; it can still be shown and exported", held_by(.protocol, *.held, *.here))]
    OtherRules {
        /// The debate.
        debate: DebateId,
        /// Its protocol.
        protocol: String,
        /// The rules that it was held by.
        held: u32,
        /// The rules of this version.
        here: u32,
    },
    /// This version does not know the protocol.
    #[error("no protocol {0:?}")]
    Unknown(String),
    /// The declaration that the record is pinned to cannot be used.
    #[error("the declaration that the record is pinned to: {0}")]
    Unsound(#[source] Box<DeclarationFault>),
    /// Too many of them.
    #[error("this process keeps {KEPT_MAX} declarations already; start another")]
    TooMany,
}

/// A protocol out of a file.
#[derive(Debug)]
pub struct Declared {
    declaration: Declaration,
    manifest: Manifest,
    prompts: Vec<(&'static str, &'static str)>,
}

/// Reads and checks a declaration. Says what is wrong with the first thing that is.
pub fn parse_declaration(text: &str) -> Result<Declaration, Box<DeclarationFault>> {
    if text.len() > FILE_BYTES_MAX {
        let most = format!("at most {FILE_BYTES_MAX} bytes are taken");
        return Err(DeclarationFault::at_path(text, "", format!("it has {} bytes", text.len()), most));
    }
    let declaration: Declaration = toml::from_str(text).map_err(|error| DeclarationFault::of_toml(text, &error))?;
    validation::check_declaration(text, &declaration)?;
    Ok(declaration)
}

/// A fault at the key `at` of a declaration.
pub fn fault_at(text: &str, at: &str, message: String, remedy: &str) -> DeclarationFault {
    *DeclarationFault::at_path(text, at, message, remedy)
}

/// The line of the file that `line` of the prompt or template called `name` stands in, where it
/// stands in the file.
pub fn line_of(text: &str, declaration: &Declaration, name: &str, line: usize) -> Option<usize> {
    let template = declaration.templates.iter().position(|t| t.name == name && t.text.is_some());
    let path = match template {
        Some(t) => format!("template[{t}].text"),
        None => {
            let asks = |phase: &declaration::DeclaredPhase| {
                phase.asks.iter().position(|ask| ask.name == name && ask.prompt.is_some())
            };
            let found = declaration.phases.iter().enumerate();
            let (p, a) = found.filter_map(|(p, phase)| Some((p, asks(phase)?))).next()?;
            format!("phase[{p}].ask[{a}].prompt")
        }
    };
    let at = declaration_fault::locate_path(text, &path);
    // A line break right after the opening quotes is not part of the text.
    let opened = text.get(at..).unwrap_or_default();
    let trimmed = ["\"\"\"\n", "'''\n"].iter().any(|quotes| opened.starts_with(quotes));
    Some(declaration_fault::line_at(text, at) + line - 1 + usize::from(trimmed))
}

impl Declaration {
    /// Every text that is asked with or included: name, the text or the file that holds it, and
    /// whether models are asked with it.
    pub fn prompt_texts(&self) -> impl Iterator<Item = (&str, Result<&str, &str>, bool)> {
        fn find_text<'d>(text: &'d Option<String>, file: &'d Option<String>) -> Result<&'d str, &'d str> {
            text.as_deref().map_or_else(|| file.as_deref().map_or(Ok(""), Err), Ok)
        }
        let asks = self.asks_with_phases();
        let asks = asks.map(|(_, ask)| (ask.name.as_str(), find_text(&ask.prompt, &ask.prompt_file), true));
        let templates = self.templates.iter();
        asks.chain(templates.map(|template| (template.name.as_str(), find_text(&template.text, &template.file), false)))
    }

    fn build_manifest(&self) -> Manifest {
        let fixed = RoundBounds { default: 1, min: 1, max: 1, ..RoundBounds::default() };
        let seats =
            self.seats.iter().cloned().map(|declaration::SeatDeclared { name, role, about, members, .. }| SeatSpec {
                name,
                role,
                about,
                members,
                panel_max: None,
                lookups: None,
            });
        let prompts = self.asks_with_phases().map(|(_, ask)| {
            let (tokens_max, temperature, rewrites) = (ask.tokens_max, ask.temperature, ask.rewrites);
            (ask.name.clone(), PromptSpec { tokens_max, temperature, rewrites, speech: false, lookups: true })
        });
        let reads = (claim_reading::PROMPT.0.to_owned(), claim_reading::SPEC);
        Manifest {
            name: self.name.clone(),
            summary: self.summary.clone(),
            rules: RULES,
            motion: self.motion,
            rounds: self.rounds.clone().unwrap_or(fixed),
            interjections: self.interjections,
            options: common::options::declared_options(),
            outcomes: self.outcome.outcome_specs(),
            seats: seats.collect(),
            prompts: prompts.chain([reads]).collect(),
            ..Manifest::default()
        }
    }
}

/// The protocol that `text` declares, with the texts of `files` by their names. Protocols live as
/// long as the process: equal ones are kept once.
pub fn intern_protocol(
    text: &str,
    declaration: &Declaration,
    files: &BTreeMap<String, String>,
) -> Result<&'static Declared, NoRules> {
    static KEPT: Mutex<BTreeMap<Digest, &'static Declared>> = Mutex::new(BTreeMap::new());
    let whole = |text: Result<&'_ str, &'_ str>| -> String {
        text.unwrap_or_else(|file| files.get(file).map_or("", String::as_str)).to_owned()
    };
    // A prompt may leave its messages to a template.
    let opening: Vec<String> = declaration
        .prompt_texts()
        .filter(|(_, text, asked)| !asked && whole(*text).contains("role("))
        .map(|(name, ..)| format!("include \"{name}\""))
        .collect();
    let texts: Vec<(&str, String)> = declaration
        .prompt_texts()
        .map(|(name, text, asked)| {
            let text = whole(text);
            let opens = !asked || text.contains("role(") || opening.iter().any(|include| text.contains(include));
            (name, if opens { text } else { format!("{USER}{text}") })
        })
        .collect();
    let digest = Digest::from_content(format!("{text}\n{}", serde_json::json!(texts)));
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(&digest) {
        return Ok(known);
    }
    if kept.len() >= KEPT_MAX {
        return Err(NoRules::TooMany);
    }
    let keep = |text: &str| -> &'static str { Box::leak(text.into()) };
    let prompts = texts.iter().map(|(name, text)| (keep(name), keep(text)));
    let declared = Declared {
        declaration: declaration.clone(),
        manifest: declaration.build_manifest(),
        prompts: prompts.chain([claim_reading::PROMPT, common::REDRAFT]).collect(),
    };
    let declared: &'static Declared = Box::leak(declared.into());
    kept.insert(digest, declared);
    Ok(declared)
}

/// The protocol of `record`, to step it with: the one that it is pinned to, else a shipped one.
///
/// # Errors
///
/// [`NoRules::OtherRules`] where the record was held by other rules than those of this version, and those of [`find_recorded_protocol`].
pub fn find_rules(record: &Record) -> Result<&'static dyn Protocol, NoRules> {
    compare_rules(record)?;
    find_recorded_protocol(record)
}

/// The protocol of `record`, whichever of its rules it was held by: what its seats are, and which outcomes there are.
/// It does not step a record; [`of`] gives a protocol that may.
///
/// # Errors
///
/// [`NoRules::Unknown`] where there is none, [`NoRules::Unsound`] and [`NoRules::TooMany`] for one that was declared.
pub fn find_recorded_protocol(record: &Record) -> Result<&'static dyn Protocol, NoRules> {
    if !is_declared(record) {
        return crate::find_protocol(&record.opened().protocol).ok_or_else(|| unknown_protocol(record));
    }
    let text = record.document(DOCUMENT).ok_or_else(|| unknown_protocol(record))?;
    let declaration = parse_declaration(text).map_err(NoRules::Unsound)?;
    if declaration.name != record.opened().protocol {
        return Err(unknown_protocol(record));
    }
    // Its prompts are pinned by the record, and are not looked for here.
    Ok(intern_protocol(text, &declaration, &BTreeMap::new())?)
}

/// By which rules of `protocol` a debate was held, where this version has the rules `here`, in a few words.
pub fn held_by(protocol: &str, held: u32, here: u32) -> String {
    let age = if held < here { "an older" } else { "a newer" };
    format!("held by the rules {held} of {age} agon ({protocol} rules now: {here})")
}

/// Compares the rules that `record` was held by with those of this version.
fn compare_rules(record: &Record) -> Result<(), NoRules> {
    let opened = record.opened();
    let here = match is_declared(record) {
        true => RULES,
        false => crate::find_protocol(&opened.protocol).ok_or_else(|| unknown_protocol(record))?.manifest().rules,
    };
    if opened.rules == here {
        return Ok(());
    }
    let (debate, protocol, held) = (opened.debate.clone(), short_name(record), opened.rules);
    Err(NoRules::OtherRules { debate, protocol, held, here })
}

fn unknown_protocol(record: &Record) -> NoRules {
    NoRules::Unknown(short_name(record))
}

/// The beginning of the protocol's name, which anyone may have written.
fn short_name(record: &Record) -> String {
    record.opened().protocol.chars().take(80).collect()
}

/// The declaration that `record` is pinned to, and what was said by it; `None` for a shipped protocol, and where the
/// record was held by other rules than those of this version.
pub fn read_declared_state(record: &Record) -> Option<(Declaration, state::DeclaredState)> {
    let text = record.document(DOCUMENT)?;
    compare_rules(record).ok()?;
    let declaration = parse_declaration(text).ok()?;
    let state = state::DeclaredState::from_view(&View::of_whole_record(record), &declaration);
    Some((declaration, state))
}

/// Whether the rules of `record` were declared in a file.
pub fn is_declared(record: &Record) -> bool {
    record.opened().documents.contains_key(DOCUMENT)
}

/// Names that no declared protocol may have: the shipped protocols', and what the command line means
/// by other words.
pub fn is_reserved_name(name: &str) -> bool {
    let words = BTreeSet::from(["all", "record", "transcript", "events", "declared", "protocols"]);
    words.contains(name) || crate::find_protocol(name).is_some()
}

impl Declared {
    /// What its file declares.
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }
}

impl Protocol for Declared {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn prompt_templates(&self) -> &[(&str, &str)] {
        &self.prompts
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        script::run(&self.declaration, floor)
    }

    fn prompt_facts(&self, heard: &View<'_>, request: &Request) -> Facts {
        facts::prompt_facts(&self.declaration, heard, request)
    }

    fn answer_schema(&self, heard: &View<'_>, request: &Request) -> Option<FormField> {
        if request.prompt == claim_reading::PROMPT.0 {
            return Some(claim_reading::reader_schema(heard, request));
        }
        if let Some(cited) = sources::collect_draft_citations(&self.declaration, heard, request) {
            return Some(verification::verification_schema(&cited));
        }
        let ask = self.declaration.find_ask(&request.prompt)?;
        let state = state::DeclaredState::from_view(heard, &self.declaration);
        form::statement_schema(ask, |field| state.count_things(field))
    }
}
