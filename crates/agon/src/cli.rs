//! The command line.

mod outside;
mod run;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::outside::{
    AnswerArgs, Host, OneSeat, SeatsAction, SeatsArgs, SkillPlace, SkillsAction, SkillsArgs,
};
pub use self::run::{BudgetArgs, LineupArgs, Mode, ProtocolArgs, RoundArgs, RunArgs, SeatArgs, Strategy};

/// Structured debates between models, agents and people, with outcomes that deserve trust.
#[derive(Debug, Parser)]
#[command(name = "agon", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// How to write to standard output
    #[arg(long, global = true, value_enum, default_value_t = Output::Text)]
    output: Output,
    /// Only what was asked for: no progress, no hints
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

const EXAMPLES: &str = "Examples:
  agon run exchange \"This house would teach programming in every school\"
  agon run exchange motion.md --rounds 2 --seat judge=anthropic:claude-sonnet-4-5
  agon run exchange \"...\" --plan          what it would ask, cost and send away
  agon resume ID                          go on after an interruption
  agon extend ID --rounds 1               one more exchange
  agon protocols list                     the other kinds of debate

Without a model, a configuration or a key in the environment every seat is answered by a small
model on this machine.";

impl Cli {
    pub fn output(&self) -> Output {
        self.output
    }
}

/// Whether a command line that cannot be parsed asks for JSON.
pub fn wants_json() -> bool {
    let words: Vec<String> = std::env::args().collect();
    words.iter().any(|word| word == "--output=json")
        || words.windows(2).any(|pair| pair == ["--output", "json"])
}

/// How to write to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open a debate and drive it to its end
    Run(Box<RunArgs>),
    /// Go on with a debate
    Resume(ResumeArgs),
    /// Allow a debate more, and go on with it
    Extend(ExtendArgs),
    /// List the debates, newest first
    List(ListArgs),
    /// Show one debate
    Show(DebateArg),
    /// Follow a debate that another process drives, or see one again
    Watch(DebateArg),
    /// Seats that are answered from outside: whose turn it is, what is asked, who holds them
    Seats(SeatsArgs),
    /// Answer for a seat from outside
    Answer(AnswerArgs),
    /// Serve debates to agents by the Model Context Protocol, over standard input and output
    Mcp,
    /// Skills that teach agents to drive debates
    Skills(SkillsArgs),
    /// Write a debate's files
    Export(ExportArgs),
    /// Take a record.jsonl into the journal
    Import(ImportArgs),
    /// Recompute every step and every file from the record, and compare
    Replay(DebateArg),
    /// Check a debate or an exported record.jsonl, the artifact of a duel, or a folder of debate-ops
    Check(CheckArgs),
    /// Show debates in a browser, and to programs
    Serve(ServeArgs),
    /// What kinds of debate there are
    Protocols(ProtocolsArgs),
    /// The texts that models are asked with
    Prompts(PromptsArgs),
    /// Models that run on this machine
    Models(ModelsArgs),
    /// What is set up, what is missing, and what to do about it
    Doctor,
    /// The program of the exchange format: process-exchange, process-judge
    DebateOps(DropInArgs),
    /// Append an entry to the log of a chaired debate
    WriteLog(DropInArgs),
    /// The tools of the duel's skill: socratic-duel, emit
    AgentTools(DropInArgs),
    /// Completions for a shell
    Completions {
        /// Which
        shell: clap_complete::Shell,
    },
    /// The manual page
    Man,
}

#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The debate
    pub id: String,
    #[command(flatten)]
    pub seats: SeatArgs,
    /// Never use the network to fetch a model
    #[arg(long, help_heading = "Options")]
    pub offline: bool,
}

#[derive(Debug, Args)]
pub struct ExtendArgs {
    /// The debate
    pub id: String,
    /// Rounds more
    #[arg(long, default_value_t = 0)]
    pub rounds: u32,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub seats: SeatArgs,
    /// Never use the network to fetch a model
    #[arg(long, help_heading = "Options")]
    pub offline: bool,
}

/// A line that is read as another program reads it: see docs/drop-in.md.
#[derive(Debug, Args)]
pub struct DropInArgs {
    /// As in docs/drop-in.md
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Most debates to list
    #[arg(long, default_value_t = 50)]
    pub limit: u32,
}

#[derive(Debug, Args)]
pub struct DebateArg {
    /// The debate
    pub id: String,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The debate
    pub id: String,
    /// Which files: all, record, transcript, or the name of a protocol
    #[arg(long, default_value = "all")]
    pub format: String,
    /// Where to; one file goes to standard output without it
    #[arg(long)]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// What the path holds: record
    pub format: String,
    /// A record.jsonl
    pub path: PathBuf,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The debate or duel, or the path of a record.jsonl or of a folder
    pub what: String,
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where to listen; another address than this machine's own lets others read with the token
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7878")]
    pub listen: std::net::SocketAddr,
    /// A name by which the server may be called, beside its address; repeatable
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// Limits that no debate started here may exceed
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Never use the network to fetch a model
    #[arg(long)]
    pub offline: bool,
}

#[derive(Debug, Args)]
pub struct ProtocolsArgs {
    #[command(subcommand)]
    pub action: Option<ProtocolsAction>,
}

#[derive(Debug, Subcommand)]
pub enum ProtocolsAction {
    /// List them
    List,
    /// Show one: seats, rounds, prompts
    Show {
        /// Its name
        name: String,
    },
}

#[derive(Debug, Args)]
pub struct PromptsArgs {
    #[command(subcommand)]
    pub action: Option<PromptsAction>,
}

#[derive(Debug, Subcommand)]
pub enum PromptsAction {
    /// List them, and where each comes from
    List {
        /// Only those of one protocol
        protocol: Option<String>,
    },
    /// Print one
    Show {
        /// PROTOCOL/NAME
        prompt: String,
    },
    /// Copy one into the project, to change it there
    Eject {
        /// PROTOCOL/NAME
        prompt: String,
        /// Into the user's configuration instead
        #[arg(long)]
        user: bool,
    },
}

#[derive(Debug, Args)]
pub struct ModelsArgs {
    #[command(subcommand)]
    pub action: Option<ModelsAction>,
}

#[derive(Debug, Subcommand)]
pub enum ModelsAction {
    /// List them, and which are here
    List,
    /// Fetch one
    Pull {
        /// Its name [default: the default model]
        name: Option<String>,
        /// Only look whether it is here
        #[arg(long)]
        offline: bool,
    },
    /// Where they are kept
    Where,
}
