//! The command line.

mod options;
mod outside;
mod run;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::outside::{
    ActArgs, AnswerArgs, Host, InterjectArgs, OneSeat, SeatsAction, SeatsArgs, SkillPlace, SkillsAction,
    SkillsArgs,
};
pub use self::run::{BudgetArgs, RunArgs, SeatArgs};

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
    /// Everything: each warning in full, and what was asked under which key
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
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
    /// Hold the debates of a file, several at once
    Batch(BatchArgs),
    /// Go on with a debate
    Resume(ResumeArgs),
    /// Allow a debate more, and go on with it
    Extend(ExtendArgs),
    /// Begin another debate as one began, up to one of its entries; prints its id
    Fork(ForkArgs),
    /// List the debates, newest first, and the duels and runs that agent-tools keeps
    List(ListArgs),
    /// Show one debate, or a duel or run of agent-tools
    Show(DebateArg),
    /// Follow a debate that another process drives, or see one again
    Watch(DebateArg),
    /// Seats that are answered from outside: whose turn it is, what is asked, who holds them
    Seats(SeatsArgs),
    /// Answer for a seat from outside
    Answer(AnswerArgs),
    /// Say something to all who take part in a debate
    Interject(InterjectArgs),
    /// Let nothing more be asked or answered in a debate; agon resume goes on
    Pause(ActArgs),
    /// End a debate before its rules do, without a result
    Cancel(ActArgs),
    /// Serve debates to agents by the Model Context Protocol, over standard input and output
    Mcp,
    /// Skills that teach agents to drive debates
    Skills(SkillsArgs),
    /// Write a debate's files, or those of a duel or run of agent-tools
    Export(ExportArgs),
    /// The argument graph of a debate: who attacks, supports and grants what, and what follows
    Graph(GraphArgs),
    /// Take a record.jsonl, or a debate out of files made elsewhere, into the journal
    Import(ImportArgs),
    /// Recompute every step and every file from the record, and compare
    Replay(DebateArg),
    /// Check a debate, an exported record.jsonl, the artifact of a duel, a run, or a folder of debate-ops
    Check(CheckArgs),
    /// Look up what a text, a page or a debate cites: pages, quotations, figures
    Verify(VerifyArgs),
    /// Reads a PDF file from standard input, for the verifier
    #[command(hide = true)]
    ExtractPdf,
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
pub struct BatchArgs {
    /// One JSON object a line with the options of `run`: {"protocol", "motion", "rounds", "seats", …}
    pub file: PathBuf,
    /// Debates at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub concurrency: u16,
    /// Never use the network to fetch a model
    #[arg(long, help_heading = "Options")]
    pub offline: bool,
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
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub rounds: u32,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub seats: SeatArgs,
    /// Never use the network to fetch a model
    #[arg(long, help_heading = "Options")]
    pub offline: bool,
}

#[derive(Debug, Args)]
pub struct ForkArgs {
    /// The debate
    #[arg(id = "debate", value_name = "ID")]
    pub debate: String,
    /// Its last entry that the fork has, too [default: its last]
    #[arg(long, value_name = "SEQ", allow_negative_numbers = true)]
    pub at: Option<u64>,
    /// Rounds of the fork, where they are to be others
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub seats: SeatArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Another source of randomness
    #[arg(long, value_name = "N", help_heading = "Options")]
    pub seed: Option<u64>,
    /// Where its files are written [default: debates/<slug>]
    #[arg(long, value_name = "DIR", help_heading = "Options")]
    pub out: Option<PathBuf>,
    /// Its id [default: time-ordered and unique]
    #[arg(long, help_heading = "Options")]
    pub id: Option<String>,
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
    /// Which files: all, record, transcript, report, events (of a duel or a run), or the name of a protocol
    #[arg(long, default_value = "all")]
    pub format: String,
    /// Where to; one file goes to standard output without it
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write over files of others too
    #[arg(long, requires = "out")]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct GraphArgs {
    /// The debate
    pub id: String,
    /// mermaid, dot, argdown, aif (AIF-JSON) or json; an account for people without it
    #[arg(long)]
    pub format: Option<String>,
    /// As if this had never been said: an entry of the record by its number, or a statement by its id;
    /// repeatable
    #[arg(long, value_name = "SEQ")]
    pub without: Vec<String>,
    /// Have a model read what the statements say of earlier ones where no field says it: each twice, in a
    /// debate beside this one, which is held once
    #[arg(long, value_name = "MODEL")]
    pub extract: Option<String>,
    /// By typed fields alone, whatever was extracted
    #[arg(long, conflicts_with = "extract")]
    pub typed_only: bool,
    /// Say what --extract would ask, cost and send away; send nothing
    #[arg(long, requires = "extract")]
    pub plan: bool,
    /// Never use the network to fetch a model
    #[arg(long)]
    pub offline: bool,
    #[command(flatten)]
    pub budget: BudgetArgs,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// What the path holds: record, or exchange, chaired, duel or revise for files made elsewhere
    pub format: String,
    /// A record.jsonl, or the debate's folder, log or artifact
    pub path: PathBuf,
    /// Where the debate's files are written [default: debates/<slug>]
    #[arg(long, value_name = "DIR", help_heading = "Options")]
    pub out: Option<PathBuf>,
    /// The debate's id [default: time-ordered and unique]
    #[arg(long, help_heading = "Options")]
    pub id: Option<String>,
    /// The document that a duel is about [default: where its artifact says]
    #[arg(long, value_name = "FILE", help_heading = "Options")]
    pub source: Option<PathBuf>,
    /// Take nothing where there is anything to warn of
    #[arg(long, help_heading = "Options")]
    pub strict: bool,
    #[command(flatten)]
    pub seats: SeatArgs,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The debate, duel or run; or the path of a folder, of a record.jsonl, or of a duel's artifact
    pub what: String,
}

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A text file, an address, or a debate
    pub what: String,
    /// A host, or host:port, that may be fetched wherever it is, private networks included; repeatable
    #[arg(long = "allow-host", value_name = "HOST")]
    pub allow_hosts: Vec<String>,
    /// A model that reads the sentences around each claim too; its word changes no result
    #[arg(long, value_name = "MODEL")]
    pub reader: Option<String>,
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where to listen; another address than this machine's own lets others read with the token
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7878")]
    pub listen: std::net::SocketAddr,
    /// A name by which the server may be called, beside its address; repeatable
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// Let everybody on this machine read without the token
    #[arg(long)]
    pub read_without_token: bool,
    /// Let whoever has the token name files of this machine as models: scripted:FILE, local:FILE
    #[arg(long)]
    pub allow_model_files: bool,
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
    /// Show one: seats, course, prompts; one out of a file is checked
    Show {
        /// Its name, or the file that declares it
        name: String,
    },
    /// Write a protocol of your own to start from
    New {
        /// Its name
        name: String,
        /// Where to [default: the project's .agon/protocols]
        #[arg(long)]
        dir: Option<PathBuf>,
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
    /// Show in what those of your own differ from those that agon ships
    Diff {
        /// PROTOCOL/NAME; all of your own without it
        prompt: Option<String>,
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
