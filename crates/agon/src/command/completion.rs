//! What a shell completes: verbs and options, and what is known on this machine: debates, kinds, seats, models.

use std::{ffi::OsStr, io};

use agon_app::{available_models::list_model_names, declarations};
use agon_core::{DebateId, Manifest, Record};
use agon_journal::{Journal, JournalAddress, sqlite};
use agon_runtime::config::{Paths, journal_place, load_config};
use clap::{Arg, Command, CommandFactory};
use clap_complete::{
    CompleteEnv, Shell,
    engine::{ArgValueCompleter, CompletionCandidate},
    env::Shells,
};

use super::debate_id;
use crate::{cli::Cli, ui};

/// The variable by which a shell asks.
const VARIABLE: &str = "AGON_COMPLETE";
/// Debates that are offered, the newest.
const DEBATES_MAX: u32 = 50;
/// Characters of a motion next to its id.
const MOTION_CHARS_MAX: usize = 60;

/// If a shell asks for completions, prints them and ends the process.
pub fn answer_shell() {
    CompleteEnv::with_factory(|| add_known_values(Cli::command())).var(VARIABLE).complete();
}

/// The script by which `shell` asks.
///
/// # Errors
///
/// Where the shell is not known.
pub fn render_script(shell: Shell) -> io::Result<Vec<u8>> {
    let shells = Shells::builtins();
    let unknown = || io::Error::other(format!("no completions for {shell}"));
    let completer = shells.completer(&shell.to_string()).ok_or_else(unknown)?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "agon", "agon", "agon", &mut script)?;
    Ok(script)
}

/// `command` and its subcommands, whose arguments know their values.
fn add_known_values(command: Command) -> Command {
    let command = command.mut_args(|arg| match find_values(&arg) {
        Some(values) => arg.add(ArgValueCompleter::new(values)),
        None => arg,
    });
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    verbs.into_iter().fold(command, |command, verb| command.mut_subcommand(verb, add_known_values))
}

type Values = fn(&OsStr) -> Vec<CompletionCandidate>;

/// How the values of an argument are found.
fn find_values(arg: &Arg) -> Option<Values> {
    match (arg.get_id().as_str(), arg.is_positional()) {
        ("id" | "ids" | "debate", true) => Some(list_debates),
        ("protocol", true) => Some(list_kinds),
        ("seat", false) => Some(list_seats_of_debate),
        ("seats", false) => Some(list_seats_with_models),
        ("model", false) => Some(list_models),
        _ => None,
    }
}

fn list_debates(current: &OsStr) -> Vec<CompletionCandidate> {
    let found = open_journal().and_then(|journal| journal.list_debates(DEBATES_MAX).ok()).unwrap_or_default();
    let debates = found.into_iter().map(|debate| {
        let motion: String = debate.motion.chars().take(MOTION_CHARS_MAX).collect();
        (debate.id.to_string(), ui::escape_invisible(&format!("{}: {motion}", debate.protocol)))
    });
    fitting(current, debates)
}

fn list_kinds(current: &OsStr) -> Vec<CompletionCandidate> {
    let manifests = Paths::find().map(|places| declarations::list_every_manifest(&places)).unwrap_or_default();
    fitting(current, manifests.into_iter().map(|kind| (kind.name, ui::escape_invisible(&kind.summary))))
}

/// The seats of the debate that the line names.
fn list_seats_of_debate(current: &OsStr) -> Vec<CompletionCandidate> {
    let lineup = find_record().map(|record| record.opened().lineup.clone()).unwrap_or_default();
    fitting(current, lineup.into_iter().map(|sat| (sat.seat.to_string(), String::new())))
}

/// `judge=`, and behind it the models.
fn list_seats_with_models(current: &OsStr) -> Vec<CompletionCandidate> {
    let text = current.to_string_lossy();
    if let Some((seat, model)) = text.split_once('=') {
        let models = list_models(OsStr::new(model)).into_iter();
        return models.map(|candidate| candidate.add_prefix(format!("{seat}="))).collect();
    }
    let seats = find_manifest().map(|manifest| manifest.seats).unwrap_or_default();
    fitting(current, seats.into_iter().map(|seat| (format!("{}=", seat.name), seat.about)))
}

fn list_models(current: &OsStr) -> Vec<CompletionCandidate> {
    let config = Paths::find().ok().and_then(|places| load_config(&places).ok()).unwrap_or_default();
    fitting(current, list_model_names(&config).into_iter().map(|name| (name, String::new())))
}

/// Those of `values` that begin with what stands there, each with its description.
fn fitting(current: &OsStr, values: impl Iterator<Item = (String, String)>) -> Vec<CompletionCandidate> {
    let begun = current.to_string_lossy();
    let begins = values.filter(|(value, _)| value.starts_with(begun.as_ref()));
    let described = |(value, about): (String, String)| {
        CompletionCandidate::new(value).help((!about.is_empty()).then(|| about.into()))
    };
    begins.map(described).collect()
}

/// The journal, where there is one. Nothing is said of one that cannot be opened: a shell waits.
fn open_journal() -> Option<Journal> {
    let place = journal_place(&Paths::find().ok()?).ok()?;
    match &place {
        JournalAddress::Directory(home) if !sqlite::has_journal(home) => None,
        _ => Journal::open_at(&place).ok(),
    }
}

/// The words of the line that is completed.
fn list_words() -> impl Iterator<Item = String> {
    std::env::args().skip_while(|word| word != "--").skip(2)
}

/// The record of the first word that names a debate.
fn find_record() -> Option<Record> {
    let journal = open_journal()?;
    let named = |word: String| -> Option<DebateId> { debate_id::find_debate(&journal, &word).ok() };
    let mut records = list_words().skip(1).filter_map(named).filter_map(|id| journal.read_record(&id).ok());
    records.next()
}

/// The kind of debate that the line names first, or that of its debate.
fn find_manifest() -> Option<Manifest> {
    let places = Paths::find().ok()?;
    let named = |word: String| declarations::find_protocol(&places, &word, false).ok();
    let named = list_words().filter(|word| !word.starts_with('-')).find_map(named);
    let of_debate = || declarations::find_record_protocol(&find_record()?).ok();
    named.map(|found| found.protocol).or_else(of_debate).map(|protocol| protocol.manifest().clone())
}
