//! The commands, one file each.

mod acts;
mod answer;
mod artifact;
mod ask;
mod backup;
mod batch;
mod check;
mod companion;
mod debate_id;
mod deletion;
mod doctor;
mod drive;
mod ending;
mod eval;
mod export;
mod extend;
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

use agon_app::{Context, Failure, FileSet, Frontend, Result, config_revision, exit};
use agon_journal::{Journal, JournalAddress, sqlite};
use agon_runtime::config::{Config, Paths, journal_place, load};
use clap::CommandFactory;

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
    pub fn config(&self) -> Result<Config> {
        Ok(load(&self.places)?)
    }

    /// The same, with the project's configuration of a git revision, where one is named.
    pub fn at_revision(&self, revision: Option<&str>) -> Result<Self> {
        let mut context = self.clone();
        if let Some(revision) = revision {
            let here = std::env::current_dir();
            let here = here.map_err(|error| Failure::new(exit::IO, "io", error.to_string(), ""))?;
            context.places = config_revision::at_revision(&self.places, &here, revision)?;
        }
        Ok(context)
    }

    /// What debates are opened and driven with.
    pub fn context(&self, offline: bool) -> Result<Context> {
        let config = self.config()?;
        let journal = Arc::new(self.journal()?);
        let (places, can_ask, quiet) = (self.places.clone(), self.terminal(), self.quiet);
        let terminal = Terminal { places: places.clone(), journal: Arc::clone(&journal), can_ask, quiet };
        let frontend: Arc<dyn Frontend> = Arc::new(terminal);
        Ok(Context {
            config,
            places,
            journal,
            frontend,
            is_attended: true,
            offline,
            files: FileSet::default(),
            engine: None,
            patience: None,
        })
    }

    /// The same, for debates that the engine of `on` drives, if it names one.
    pub fn context_on(&self, offline: bool, on: &OnArgs) -> Result<Context> {
        let engine = worker::engine(on)?;
        Ok(Context { engine, ..self.context(offline)? })
    }

    /// The same, where nobody is asked at a terminal and debates print nothing.
    pub fn silent(&self) -> Self {
        Self { output: Output::Json, quiet: true, lines: true, places: self.places.clone() }
    }

    pub fn journal(&self) -> Result<Journal> {
        let journal = Journal::open_at(&journal_place(&self.places)?)?;
        if let Some(lost) = lost(&journal) {
            ui::err(&ui::paint(&ui::visible(&lost), ui::YELLOW));
        }
        Ok(journal)
    }

    /// The journal, where there is one: looking makes no store in the data directory.
    pub fn known_journal(&self) -> Result<Option<Journal>> {
        match journal_place(&self.places)? {
            JournalAddress::Directory(home) if !sqlite::exists(&home) => Ok(None),
            _ => self.journal().map(Some),
        }
    }

    /// Whether there is a person at a terminal who can be asked.
    pub fn terminal(&self) -> bool {
        self.output == Output::Text && ui::can_ask()
    }

    /// Prints `value` as JSON, or `text` for people.
    pub fn print(&self, value: &serde_json::Value, text: impl FnOnce() -> String) {
        match self.output {
            Output::Json => ui::out(&ui::json(value)),
            Output::Text => ui::out(text().trim_end_matches('\n')),
        }
    }
}

/// Says that a journal was made though debates were held here before.
fn lost(journal: &Journal) -> Option<String> {
    let trace = journal.orphan()?.display();
    Some(format!(
        "agon created a new journal at {}, but debates were held here ({trace}) and their journal is missing; if you have a copy, restore it",
        journal.path().display()
    ))
}

/// Does what the command line says; gives the exit code.
pub fn run(cli: Cli) -> Result<u8> {
    let output = cli.output();
    match &cli.command {
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "agon", &mut script);
            ui::out_part(&String::from_utf8_lossy(&script));
            return Ok(exit::OK);
        }
        Command::Man => {
            let mut page = Vec::new();
            let drawn = clap_mangen::Man::new(Cli::command()).render(&mut page);
            drawn.map_err(|error| Failure::new(exit::IO, "io", error.to_string(), "report it as a bug"))?;
            ui::out_part(&String::from_utf8_lossy(&page));
            return Ok(exit::OK);
        }
        // They work where agon has no place of its own, and answer in their own words.
        Command::DebateOps(args) => return Ok(agon_dropin::debate_ops(&args.words, &printed)),
        Command::WriteLog(args) => return Ok(agon_dropin::write_log(&args.words, &printed)),
        Command::AgentTools(args) => return Ok(agon_dropin::agent_tools(&args.words, &printed)),
        Command::ExtractPdf => return verify::extract_pdf(),
        Command::TryEngine(args) => return models::try_engine(args),
        _ => {}
    }
    let mut places =
        Paths::find().map_err(|why| Failure::usage(why, "docs/configuration.md names the variables"))?;
    places.trust.is_given = cli.trust;
    ui::be_verbose(cli.verbose);
    let command_context = CommandContext { output, quiet: cli.quiet, lines: cli.plain, places };
    match cli.command {
        Command::Run(args) => driven(run::run(&command_context, *args)),
        Command::Ask(args) => driven(ask::run(&command_context, *args)),
        Command::Batch(args) => driven(batch::run(&command_context, args)),
        Command::Eval(args) => driven(eval::run(&command_context, *args)),
        Command::Resume(args) => driven(resume::run(&command_context, args)),
        Command::Extend(args) => driven(extend::run(&command_context, args)),
        Command::Fork(args) => driven(fork::run(&command_context, args)),
        Command::List(args) => list::run(&command_context, &args),
        Command::Show(args) => show::run(&command_context, &args),
        Command::Watch(args) => driven(watch::run(&command_context, args)),
        Command::Seats(args) => driven(seats::run(&command_context, args)),
        Command::Answer(args) => driven(answer::run(&command_context, args)),
        Command::Interject(args) => driven(acts::interject(&command_context, args)),
        Command::Pause(args) => driven(acts::pause(&command_context, args)),
        Command::Cancel(args) => driven(acts::cancel(&command_context, args)),
        Command::Mcp => driven(mcp::run(&command_context)),
        Command::Skills(args) => skills::run(&command_context, &args),
        Command::Export(args) => export::run(&command_context, &args),
        Command::Graph(args) => driven(graph::run(&command_context, args)),
        Command::Import(args) => driven(import::run(&command_context, args)),
        Command::Replay(args) => replay::run(&command_context, &args),
        Command::Check(args) => check::run(&command_context, &args),
        Command::Verify(args) => driven(verify::run(&command_context, args)),
        Command::Serve(args) => driven(serve::run(&command_context, args)),
        Command::Worker(args) => driven(worker::run(&command_context, args)),
        Command::Users(args) => driven(users::run(&command_context, args)),
        Command::Audit(args) => users::audit_lines(&command_context, &args),
        Command::Backup(args) => backup::backup(&command_context, &args),
        Command::Restore(args) => backup::restore(&command_context, &args),
        Command::Delete(args) => driven(deletion::delete(&command_context, args)),
        Command::Label(args) => driven(deletion::label(&command_context, args)),
        Command::Retention(args) => driven(deletion::retention(&command_context, args)),
        Command::Webhooks(args) => driven(webhooks::run(&command_context, args)),
        Command::Protocols(args) => protocols::run(&command_context, &args),
        Command::Prompts(args) => prompts::run(&command_context, &args),
        Command::Models(args) => driven(models::run(&command_context, args)),
        Command::Prices(args) => driven(prices::run(&command_context, args)),
        Command::Stats(args) => stats::run(&command_context, &args),
        Command::Journal(args) => driven(journal::run(&command_context, args)),
        Command::Trust(args) => trust::run(&command_context, &args),
        Command::Doctor => driven(doctor::run(&command_context)),
        Command::Completions { .. }
        | Command::Man
        | Command::ExtractPdf
        | Command::TryEngine(_)
        | Command::DebateOps(_)
        | Command::WriteLog(_)
        | Command::AgentTools(_) => Ok(exit::OK),
    }
}

/// Prints what a stand-in for another system's program says.
fn printed(said: &agon_dropin::VerbResponse) {
    if !said.out.is_empty() {
        ui::out(&said.out);
    }
    if !said.err.is_empty() {
        ui::err(&said.err);
    }
}

/// Runs what waits for others. One thread is enough: agon itself only waits.
fn driven(work: impl Future<Output = Result<u8>>) -> Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(exit::IO, "io", error.to_string(), ""))?;
    let done = runtime.block_on(work);
    // What still computes for nobody must not hold up the end of the program.
    runtime.shutdown_background();
    done
}
