//! The commands, one file each.

mod acts;
mod answer;
mod artifact;
mod ask;
mod backup;
mod batch;
mod check;
mod companion;
pub mod completion;
mod debate_id;
mod deletion;
mod doctor;
mod drive;
mod ending;
mod eval;
mod export;
mod extraction;
mod fork;
mod gate;
mod graph;
mod import;
mod journal;
mod list;
mod live;
mod mcp;
mod models;
mod open_files;
mod operation;
mod outside_seats;
mod prices;
mod prompts;
mod protocols;
mod replay;
mod resume;
mod run;
mod seats;
mod serve;
mod show;
mod skills;
mod stats;
mod stored;
mod trust;
mod users;
mod verify;
mod watch;
mod webhooks;
mod worker;

use std::sync::Arc;

use agon_app::{Context, Failure, FileSet, Result, config_revision, exit};
use agon_core::{DebateId, Record};
use agon_journal::{Journal, JournalAddress, sqlite};
use agon_runtime::config::{Config, Paths, journal_place, load_config};
use clap::CommandFactory;
use serde::Serialize;

use crate::{
    cli::{Cli, Command, OnArgs, Output},
    frontend::Terminal,
    ui,
};

/// The settings that every command gets: output format, verbosity and places.
#[derive(Clone)]
pub struct CommandContext {
    pub output: Output,
    pub quiet: bool,
    /// Whether lines are wanted where a full-screen view could be shown.
    pub lines: bool,
    pub places: Paths,
}

impl CommandContext {
    /// The configuration; a wrong one ends the command before anything else does.
    pub fn load_config(&self) -> Result<Config> {
        Ok(load_config(&self.places)?)
    }

    /// The same, with the project's configuration of a git revision, where one is named.
    pub fn at_revision(&self, revision: Option<&str>) -> Result<Self> {
        let mut context = self.clone();
        if let Some(revision) = revision {
            let here = std::env::current_dir().map_err(|error| Failure::io(error.to_string(), ""))?;
            context.places = config_revision::at_revision(&self.places, &here, revision)?;
        }
        Ok(context)
    }

    /// What debates are opened and driven with.
    pub fn build_context(&self, offline: bool) -> Result<Context> {
        let config = self.load_config()?;
        let journal = Arc::new(self.open_journal()?);
        let kept = Some((Arc::clone(&journal), self.places.clone()));
        let frontend = Terminal { quiet: self.quiet, journal: kept, can_ask: self.can_ask_person() };
        Ok(Context {
            config,
            places: self.places.clone(),
            journal,
            frontend: Arc::new(frontend),
            is_attended: true,
            offline,
            files: FileSet::default(),
            engine: None,
            patience: None,
        })
    }

    /// The same, for debates that the engine of `on` drives, if it names one.
    pub fn context_on(&self, offline: bool, on: &OnArgs) -> Result<Context> {
        let engine = worker::build_engine(on)?;
        Ok(Context { engine, ..self.build_context(offline)? })
    }

    /// The same, where nobody is asked at a terminal and debates print nothing.
    pub fn to_silent(&self) -> Self {
        Self { output: Output::Json, quiet: true, lines: true, places: self.places.clone() }
    }

    pub fn open_journal(&self) -> Result<Journal> {
        let journal = Journal::open_at(&journal_place(&self.places)?)?;
        if let Some(lost) = describe_lost_journal(&journal) {
            ui::print_warning(&lost);
        }
        Ok(journal)
    }

    /// The debate that a command names, and its journal.
    pub fn open_debate(&self, named: &str) -> Result<(Journal, DebateId, Record)> {
        let journal = self.open_journal()?;
        let id = debate_id::find_debate(&journal, named)?;
        let record = journal.read_record(&id)?;
        Ok((journal, id, record))
    }

    /// The journal, where there is one: looking makes no store in the data directory.
    pub fn known_journal(&self) -> Result<Option<Journal>> {
        match journal_place(&self.places)? {
            JournalAddress::Directory(home) if !sqlite::has_journal(&home) => Ok(None),
            _ => self.open_journal().map(Some),
        }
    }

    /// Whether there is a person at a terminal who can be asked.
    pub fn can_ask_person(&self) -> bool {
        self.output == Output::Text && ui::can_ask()
    }

    /// Prints `value` as JSON, or `text` for people; gives the exit code of a command that did what it was told.
    pub fn print_success(&self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<u8> {
        self.print(value, text);
        Ok(exit::OK)
    }

    /// Prints `value` as JSON, or `text` for people.
    pub fn print(&self, value: &impl Serialize, text: impl FnOnce() -> String) {
        match self.output {
            Output::Json => ui::print_line(&ui::render_safe_json(value)),
            Output::Text => ui::print_line(text().trim_end_matches('\n')),
        }
    }
}

/// Says that a journal was made though debates were held here before.
fn describe_lost_journal(journal: &Journal) -> Option<String> {
    let trace = journal.orphan_trace()?.display();
    Some(format!(
        "agon created a new journal at {}, but debates were held here ({trace}) and their journal is missing; if you have a copy, restore it",
        journal.path().display()
    ))
}

/// Does what the command line says; gives the exit code.
pub fn run(cli: Cli) -> Result<u8> {
    let output = cli.output;
    let build_context = || -> Result<CommandContext> {
        let mut places =
            Paths::find().map_err(|why| Failure::usage(why, "docs/configuration.md names the variables"))?;
        places.trust.is_given = cli.trust;
        ui::be_verbose(cli.verbose);
        Ok(CommandContext { output, quiet: cli.quiet, lines: cli.plain, places })
    };
    match cli.command {
        Command::Completions { shell } => {
            let script = completion::render_script(shell);
            let script = script.map_err(|error| Failure::usage(error.to_string(), "name another shell"))?;
            ui::out_part(&String::from_utf8_lossy(&script));
            Ok(exit::OK)
        }
        Command::Man => {
            let mut page = Vec::new();
            let drawn = clap_mangen::Man::new(Cli::command()).render(&mut page);
            drawn.map_err(|error| Failure::io(error.to_string(), "report it as a bug"))?;
            ui::out_part(&String::from_utf8_lossy(&page));
            Ok(exit::OK)
        }
        // They work where agon has no place of its own, and answer in their own words.
        Command::DebateOps(args) => Ok(agon_dropin::debate_ops(&args.words, &print_verb_response)),
        Command::WriteLog(args) => Ok(agon_dropin::write_log(&args.words, &print_verb_response)),
        Command::AgentTools(args) => Ok(agon_dropin::agent_tools(&args.words, &print_verb_response)),
        Command::ExtractPdf => verify::extract_pdf(),
        Command::TryEngine(args) => models::try_engine(&args),
        Command::LookupBridge { file } => {
            let relayed = agon_runtime::lookups::relay_messages(&file);
            let fault = |error: std::io::Error| Failure::io(format!("{}: {error}", file.display()), "");
            relayed.map(|()| exit::OK).map_err(fault)
        }
        Command::Run(args) => run_async(run::run(&build_context()?, *args)),
        Command::Ask(args) => run_async(ask::run(&build_context()?, *args)),
        Command::Batch(args) => run_async(batch::run(&build_context()?, args)),
        Command::Eval(args) => run_async(eval::run(&build_context()?, *args)),
        Command::Resume(args) => run_async(resume::run(&build_context()?, args)),
        Command::Extend(args) => run_async(resume::extend_debate(&build_context()?, args)),
        Command::Fork(args) => run_async(fork::run(&build_context()?, args)),
        Command::List { limit } => list::run(&build_context()?, limit),
        Command::Show(args) => show::run(&build_context()?, &args),
        Command::Watch { id } => run_async(watch::run(&build_context()?, &id)),
        Command::Seats(args) => run_async(seats::run(&build_context()?, args)),
        Command::Answer(args) => run_async(answer::run(&build_context()?, args)),
        Command::Lookup(args) => run_async(answer::look_up(&build_context()?, args)),
        Command::Interject(args) => run_async(acts::interject_text(&build_context()?, args)),
        Command::Pause(args) => run_async(acts::pause_debate(&build_context()?, args)),
        Command::Cancel(args) => run_async(acts::cancel_debate(&build_context()?, args)),
        Command::Mcp => run_async(mcp::run(&build_context()?)),
        Command::Skills { action } => skills::run(&build_context()?, &action),
        Command::Export(args) => export::run(&build_context()?, &args),
        Command::Graph(args) => run_async(graph::run(&build_context()?, args)),
        Command::Import(args) => run_async(import::run(&build_context()?, args)),
        Command::Replay { id } => replay::run(&build_context()?, &id),
        Command::Check { what } => check::run(&build_context()?, &what),
        Command::Verify(args) => run_async(verify::run(&build_context()?, args)),
        Command::Serve(args) => run_async(serve::run(&build_context()?, args)),
        Command::Worker(args) => run_async(worker::run(&build_context()?, args)),
        Command::Users { action } => run_async(users::run(&build_context()?, action)),
        Command::Backup { file, force } => backup::write_backup(&build_context()?, &file, force),
        Command::Restore { file, home } => backup::restore_backup(&build_context()?, &file, home),
        Command::Delete(args) => run_async(deletion::delete_debates(&build_context()?, args)),
        Command::Label(args) => run_async(deletion::label_debate(&build_context()?, args)),
        Command::Retention { plan, .. } => run_async(deletion::apply_retention(&build_context()?, plan)),
        Command::Webhooks { action } => run_async(webhooks::run(&build_context()?, action)),
        Command::Protocols { action } => protocols::run(&build_context()?, action),
        Command::Prompts { action } => prompts::run(&build_context()?, action),
        Command::Models { action } => run_async(models::run(&build_context()?, action)),
        Command::Prices { action } => run_async(prices::run(&build_context()?, action)),
        Command::Stats { since } => stats::run(&build_context()?, since.as_deref()),
        Command::Journal { action } => run_async(journal::run(&build_context()?, action)),
        Command::Trust { revoke } => trust::run(&build_context()?, revoke),
        Command::Doctor => run_async(doctor::run(&build_context()?)),
    }
}

/// Prints what a stand-in for another system's program says.
fn print_verb_response(said: &agon_dropin::VerbResponse) {
    if !said.out.is_empty() {
        ui::print_line(&said.out);
    }
    if !said.err.is_empty() {
        ui::print_error_line(&said.err);
    }
}

/// Runs what waits for others. One thread is enough: agon itself only waits.
fn run_async(work: impl Future<Output = Result<u8>>) -> Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::io(error.to_string(), ""))?;
    let done = runtime.block_on(work);
    // What still computes for nobody must not hold up the end of the program.
    runtime.shutdown_background();
    done
}
